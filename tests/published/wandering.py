"""Draws links whose rate wanders from seeds, in mahimahi's format: those of measured/wandering.

    PYTHONPATH=tests build/venv/bin/python -m published.wandering DIR

The logarithm of the rate is an Ornstein-Uhlenbeck process: it returns to that of 0.3, 1, 3 or 10 Mbit/s within 0.5, 2
or 8 s, with a standard deviation of 0.5, 1 or 1.5, and stays within a factor of seven. Packets of 1500 bytes can leave
as a Poisson process of this rate.
"""

from __future__ import annotations

import math
import random
import sys
from itertools import product
from pathlib import Path

RATES_MBPS, RETURNS_S, DEVIATIONS = (0.3, 1.0, 3.0, 10.0), (0.5, 2.0, 8.0), (0.5, 1.0, 1.5)
MOST = math.log(7.0)
LENGTH_MS = 95_000
STEP_S = 0.1
PACKET_BITS = 1500 * 8
NAMES = [f"link-{number}" for number in range(1, len(RATES_MBPS) * len(RETURNS_S) + 1)]


def deliveries(number: int) -> list[int]:
    """When packets can leave, in ms; the last one is the length of the recording."""
    rng = random.Random(f"wandering {number}")
    rate, back = list(product(RATES_MBPS, RETURNS_S))[number - 1]
    deviation = DEVIATIONS[(number + (number - 1) // len(RETURNS_S)) % len(DEVIATIONS)]
    place, noise = 0.0, deviation * math.sqrt(2 * STEP_S / back)
    times: list[int] = []
    step_ms = int(1e3 * STEP_S)
    for begin in range(0, LENGTH_MS, step_ms):
        place += -place * STEP_S / back + rng.gauss(0.0, noise)
        per_ms = rate * 1e3 * math.exp(min(max(place, -MOST), MOST)) / PACKET_BITS
        at = rng.expovariate(per_ms)
        while at < step_ms:
            times.append(begin + int(at))
            at += rng.expovariate(per_ms)
    return [*times, LENGTH_MS]


def write(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(NAMES, 1):
        text = "".join(f"{ms}\n" for ms in deliveries(number))
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1]))
