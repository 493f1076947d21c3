"""Draws the recordings beside it from a seed: links that vary as cellular ones do, in mahimahi's format.

    python3 tests/targets/traces/synthetic.py     # writes walk.trace, falls.trace and fades.trace

`walk`: the logarithm of the rate takes a random step every 100 ms, between 0.5 and 8 Mbit/s; Winstein et al. (Sprout,
2013) model cellular links by a rate that wanders. `falls`: the same about 1 Mbit/s and back to it, between 0.05 and 8
Mbit/s, and for seconds at a time a tenth of it, as where the signal is weak. `fades`: 4 Mbit/s, in which spells without
any delivery, 100 to 500 ms long, come every 3 s on average. A line is a delivery of 1500 bytes, in milliseconds since
the start; after 20 s a recording begins again.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from pathlib import Path

SEED = 8
LENGTH_MS = 20_000
PACKET_BITS = 1500 * 8


def walk(rng: random.Random) -> list[float]:
    """Bits that can be delivered in each millisecond."""
    low, high = math.log(0.5e6), math.log(8e6)
    place, rates = math.log(3e6), []
    for ms in range(LENGTH_MS):
        if ms % 100 == 0:
            place = min(max(place + rng.gauss(0.0, 0.25), low), high)
        rates.append(math.exp(place) / 1e3)
    return rates


def falls(rng: random.Random) -> list[float]:
    """Bits that can be delivered in each millisecond: an Ornstein-Uhlenbeck process of the rate's logarithm, with a
    standard deviation of 1 and a time of return of 2 s."""
    low, high, centre = math.log(0.05e6), math.log(8e6), math.log(1e6)
    place, rates = centre, []
    for ms in range(LENGTH_MS):
        if ms % 100 == 0:
            place += (centre - place) * 0.1 / 2.0 + rng.gauss(0.0, math.sqrt(2.0 * 0.1 / 2.0))
        rates.append(math.exp(min(max(place, low), high)) / 1e3)
    return rates


def fades(rng: random.Random) -> list[float]:
    """Bits that can be delivered in each millisecond."""
    rates: list[float] = []
    while len(rates) < LENGTH_MS:
        rates += [4e6 / 1e3] * int(rng.expovariate(1 / 3000))
        rates += [0.0] * rng.randint(100, 500)
    return rates[:LENGTH_MS]


def deliveries(bits: list[float]) -> list[int]:
    """When packets can leave; the last line is the length."""
    times, credit = [], 0.0
    for ms, more in enumerate(bits):
        credit += more
        while credit >= PACKET_BITS:
            times.append(ms)
            credit -= PACKET_BITS
    return [*times, LENGTH_MS]


LINKS: dict[str, Callable[[random.Random], list[float]]] = {"walk": walk, "falls": falls, "fades": fades}


def recording(name: str) -> str:
    """The text of the recording of this name."""
    return "".join(f"{ms}\n" for ms in deliveries(LINKS[name](random.Random(f"{SEED} {name}"))))


def main() -> None:
    for name in LINKS:
        Path(__file__).with_name(f"{name}.trace").write_text(recording(name))


if __name__ == "__main__":
    main()
