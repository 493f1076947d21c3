"""What a path may be: its numbers and kinds, and how points of the optimiser stand for them.

The wire is one of few: everything that lasts is a kind, everything that has a size is a number between two bounds on a
logarithmic scale. A number whose kind is absent does not count: such points are the same scenario, and run once.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log

import msgspec
from msgspec.structs import replace

SHAKEN = 0.02
"""By this part at most."""


class Path(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A path with its traffic; scenario.py writes it for the lab."""

    rate_mbps: float = 10.0
    rtt_ms: float = 40.0
    buffer_bdp: float = 1.0
    queue: str = "droptail"
    source: str = "unlimited"
    packets_per_ack: str = "1"
    loss: str = "none"
    loss_share: float = 0.01
    jitter: str = "none"
    jitter_ms: float = 10.0
    wire: str = "shared"
    """Whether loss and jitter are on the link that all share, or on the way to the first flow's client alone."""
    back: str = "plain"
    back_ms: float = 10.0
    event: str = "none"
    event_share: float = 0.5
    """How far the rate falls, or how much longer the route becomes, of the most."""
    event_at: float = 0.4
    """When, as a share of the run."""
    then: str = "none"
    """A second event behind the first."""
    then_share: float = 0.5
    then_after: float = 0.5
    """When, as a share of what the first leaves of the run."""
    outage_s: float = 0.5
    """How long outages are."""
    neighbours: str = "none"
    count: str = "1"
    neighbour_rtt: float = 1.0
    """By the first flow's."""
    neighbour_rate: float = 0.5
    """Of those without congestion control, together, by that of the link."""
    neighbour_from: float = 0.2
    neighbour_for: float = 1.0
    """Of what is left of the run."""
    duration_s: float = 12.0


@dataclass(frozen=True)
class Number:
    """A field that is a number, from `low` to `high`."""

    name: str
    low: float
    high: float

    def at(self, point: float) -> float:
        """0 is `low`, 1 is `high`. Three digits are enough for a path."""
        return float(f"{self.low * (self.high / self.low) ** min(max(point, 0.0), 1.0):.3g}")

    def point(self, value: float) -> float:
        return log(value / self.low) / log(self.high / self.low)


@dataclass(frozen=True)
class Kind:
    """A field that is one of some, the plainest first."""

    name: str
    values: tuple[str, ...]


NUMBERS = (
    Number("rate_mbps", 1.0, 30.0),
    Number("rtt_ms", 4.0, 200.0),
    Number("buffer_bdp", 0.25, 8.0),
    Number("loss_share", 0.0005, 0.05),
    Number("jitter_ms", 1.0, 60.0),
    Number("back_ms", 2.0, 60.0),
    Number("event_share", 0.1, 0.8),
    Number("event_at", 0.1, 0.7),
    Number("then_share", 0.1, 0.8),
    Number("then_after", 0.05, 0.8),
    Number("outage_s", 0.2, 5.0),
    Number("neighbour_rtt", 0.25, 4.0),
    Number("neighbour_rate", 0.1, 0.9),
    Number("neighbour_from", 0.01, 0.6),
    Number("neighbour_for", 0.1, 1.0),
    Number("duration_s", 8.0, 40.0),
)
KINDS = (
    Kind("queue", ("droptail", "codel", "pie", "fq_codel", "policer")),
    Kind("source", ("unlimited", "pauses", "cbr")),
    Kind("packets_per_ack", ("1", "2", "10")),
    Kind("loss", ("none", "random", "bursts")),
    Kind("jitter", ("none", "uniform", "wifi", "retries", "batches")),
    Kind("wire", ("shared", "own")),
    Kind("back", ("plain", "batches", "slow")),
    Kind("event", ("none", "falls", "rises", "swings", "outage", "longer", "shorter")),
    Kind("then", ("none", "falls", "rises", "outage", "longer", "shorter")),
    Kind("neighbours", ("none", "cubic", "bbr2", "cbr", "on_off")),
    Kind("count", ("1", "2", "3")),
)


@dataclass(frozen=True)
class Point:
    """What the optimiser thinks in: numbers from 0 to 1, and the places of kinds."""

    numbers: Sequence[float]
    kinds: Sequence[int]

    def path(self) -> Path:
        numbers = {number.name: number.at(at) for number, at in zip(NUMBERS, self.numbers, strict=True)}
        kinds = {kind.name: kind.values[at] for kind, at in zip(KINDS, self.kinds, strict=True)}
        return Path(**numbers, **kinds)  # type: ignore[arg-type]


def draw(rng: random.Random) -> Point:
    """Any path. The plainest value of each kind is as likely as all others together, so that most paths lack some."""
    kinds = [rng.choice((0, rng.randrange(1, len(kind.values)))) for kind in KINDS]
    return Point([rng.random() for _ in NUMBERS], kinds)


def spread(rng: random.Random, count: int) -> list[Point]:
    """So many paths that each number is in every `count`th of its range once (McKay, Beckman and Conover, 1979: Latin
    hypercube), and that half of the paths have the plainest value of a kind and all others equally many."""
    numbers = [rng.sample(range(count), count) for _ in NUMBERS]
    kinds = [_shares(rng, len(kind.values), count) for kind in KINDS]
    return [
        Point([(column[row] + rng.random()) / count for column in numbers], [column[row] for column in kinds])
        for row in range(count)
    ]


def _shares(rng: random.Random, values: int, count: int) -> list[int]:
    others = rng.sample(range(1, values), values - 1)
    column = [others[at // 2 % len(others)] if at % 2 else 0 for at in range(count)]
    return rng.sample(column, count)


def shaken(path: Path, seed: int) -> Path:
    """A path whose numbers are all a little off, by the seed."""
    rng = random.Random(seed)
    off = {number.name: exp(rng.uniform(-SHAKEN, SHAKEN)) for number in NUMBERS}
    return replace(path, **{name: float(f"{getattr(path, name) * by:.4g}") for name, by in off.items()})
