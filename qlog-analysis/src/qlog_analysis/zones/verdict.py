"""What a checker of zones says of a sender: the verdict with its epochs and zones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ..check.verdict import Verdict
from .names import ZONE_NAMES
from .sides import Sides


@dataclass(frozen=True, slots=True)
class EpochRow:
    """One epoch side by side; times in ms, rates in bit/s."""

    epoch: int
    time_s: float
    duration_ms: float
    length_ms: float
    samples: int
    lost: int
    delta_ms: float | None
    measured_delta_ms: float | None
    d1_ms: float
    d2_ms: float
    d3_ms: float
    zone: int | None
    measured_zone: int | None
    alpha_bps: float | None
    beta: float | None
    rate_before_bps: float
    rate_after_bps: float
    app_limited: bool


def row_of(sides: Sides[Any, Any], measured_zone: int | None) -> dict[str, Any]:
    """The values of a row; `measured_zone` is the zone by the packets."""
    r, delta = sides.r, sides.nearest_delta()
    return {
        "epoch": r.epoch,
        "time_s": sides.event.time,
        "duration_ms": r.duration,
        "length_ms": r.length,
        "samples": r.samples,
        "lost": r.lost,
        "delta_ms": r.delta,
        "measured_delta_ms": None if delta is None else delta * 1e3,
        "d1_ms": r.d1,
        "d2_ms": r.d2,
        "d3_ms": r.d3,
        "zone": r.zone,
        "measured_zone": measured_zone,
        "alpha_bps": r.alpha,
        "beta": r.beta,
        "rate_before_bps": r.rate_before,
        "rate_after_bps": r.rate_after,
        "app_limited": r.app_limited,
    }


@dataclass(slots=True)
class ZonesVerdict(Verdict):
    epochs: list[EpochRow] = field(default_factory=list)

    unit: ClassVar[str] = "epoch"

    def add(self, row: EpochRow) -> None:
        self.epochs.append(row)
        self.updates += 1
        self.judged += row.zone is not None

    @property
    def decided(self) -> Sequence[EpochRow]:
        """Epochs with samples."""
        return [e for e in self.epochs if e.zone is not None]

    @property
    def worst_delta_error_us(self) -> float | None:
        errors = [
            abs(e.delta_ms - e.measured_delta_ms) * 1e3
            for e in self.epochs
            if e.delta_ms is not None and e.measured_delta_ms is not None
        ]
        return max(errors, default=None)

    def zone_share(self) -> dict[int, float]:
        """Share of the epochs with samples that were in each zone."""
        count = Counter(e.zone for e in self.decided)
        return {z: count[z] / len(self.decided) if self.decided else 0.0 for z in (1, 2, 3)}

    def counted(self) -> str:
        """How many epochs there were."""
        return f"{self.updates}, {self.judged} with samples"

    def summary(self) -> list[tuple[str, str]]:
        share, worst = self.zone_share(), self.worst_delta_error_us
        return [
            ("epochs", self.counted()),
            ("zones", ", ".join(f"{ZONE_NAMES[z]}: {100 * share[z]:.1f} %" for z in share)),
            ("delta", "never measured" if worst is None else f"worst error {worst:.2f} us"),
        ]

    def details(self) -> dict[str, Any]:
        return {
            "epochs": self.updates,
            "epochs_with_samples": self.judged,
            "zone_share": {str(z): share for z, share in self.zone_share().items()},
            "worst_delta_error_us": self.worst_delta_error_us,
            "epoch_table": [asdict(e) for e in self.epochs],
        }
