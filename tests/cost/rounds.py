"""Downloads that were made in rounds, and what their controllers come to beside a reference."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Download:
    """Of one server to one client on the same machine."""

    bits_per_second: float
    server_seconds_per_gb: float
    """Processor time, 10^9 bytes of content."""
    client_seconds_per_gb: float
    lost: float
    """Share of the server's packets that it took for lost."""

    def __str__(self) -> str:
        return (
            f"{self.bits_per_second / 1e6:.0f} Mbit/s, server {self.server_seconds_per_gb:.2f} s/GB, "
            f"client {self.client_seconds_per_gb:.2f} s/GB, {self.lost:.3%} lost"
        )


Round = Mapping[str, Download]
HEAD = (
    "controller",
    "goodput, Mbit/s",
    "by the reference's",
    "server, s/GB",
    "by the reference's",
    "client, s/GB",
    "lost",
)


def quartiles(values: Sequence[float]) -> tuple[float, float, float]:
    """Lower one, median and upper one; of a single value all three are this one."""
    if len(values) == 1:
        return values[0], values[0], values[0]
    lower, median, upper = statistics.quantiles(values, n=4, method="inclusive")
    return lower, median, upper


def spread(values: Sequence[float], digits: int) -> str:
    """`1.02 (0.98 to 1.05)`: the median, and between which values the middle half lies."""
    lower, median, upper = (f"{value:.{digits}f}" for value in quartiles(values))
    return f"{median} ({lower} to {upper})"


def table(rounds: Sequence[Round], references: Mapping[str, str]) -> str:
    """A row for each controller, in Markdown; `references` has by its name whom it is held against in every round."""
    rows = [f"| {' | '.join(HEAD)} |", "|---" * len(HEAD) + "|"]
    rows += [f"| {name} | {' | '.join(_cells(rounds, name, other))} |" for name, other in references.items()]
    return "\n".join(rows)


def _cells(rounds: Sequence[Round], name: str, reference: str) -> list[str]:
    def own(value: Callable[[Download], float], digits: int) -> str:
        return spread([value(this[name]) for this in rounds], digits)

    def ratio(value: Callable[[Download], float]) -> str:
        if name == reference:
            return "1"
        return spread([value(this[name]) / value(this[reference]) for this in rounds], 2)

    lost = statistics.median(this[name].lost for this in rounds)
    return [
        own(lambda download: download.bits_per_second / 1e6, 0),
        ratio(lambda download: download.bits_per_second),
        own(lambda download: download.server_seconds_per_gb, 2),
        ratio(lambda download: download.server_seconds_per_gb),
        own(lambda download: download.client_seconds_per_gb, 2),
        f"{lost:.3%}".replace("%", " %"),
    ]
