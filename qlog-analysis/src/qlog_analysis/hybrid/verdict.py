"""What the checker says of a hybrid sender: the verdict with its epochs and zones."""

from __future__ import annotations

from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ..check.verdict import Verdict


@dataclass(frozen=True, slots=True)
class EpochRow:
    """One epoch side by side; times in ms, rates in bit/s."""

    epoch: int
    time_s: float
    duration_ms: float
    length_ms: float
    phase: str
    samples: int
    lost: int
    arrived_bps: float
    delta_ms: float | None
    measured_delta_ms: float | None
    d1_ms: float
    d2_ms: float
    d3_ms: float
    trend: str
    zone: int | None
    measured_zone: int | None
    alpha_bps: float | None
    beta: float | None
    rate_before_bps: float
    rate_after_bps: float
    share_bps: float | None
    app_limited: bool


@dataclass(slots=True)
class ZonesVerdict(Verdict):
    epochs: list[EpochRow] = field(default_factory=list)

    unit: ClassVar[str] = "epoch"

    def add(self, row: EpochRow) -> None:
        self.epochs.append(row)
        self.updates += 1
        self.judged += row.zone is not None

    @property
    def decided(self) -> list[EpochRow]:
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

    def summary(self) -> list[tuple[str, str]]:
        share, worst = self.zone_share(), self.worst_delta_error_us
        starting = sum(e.phase == "startup" for e in self.epochs)
        return [
            ("epochs", f"{self.updates}, {self.judged} with samples, {starting} in start-up"),
            ("zones", ", ".join(f"{z}: {100 * share[z]:.1f} %" for z in share)),
            ("delta", "never measured" if worst is None else f"worst error {worst:.2f} us"),
        ]

    def details(self) -> dict[str, Any]:
        return {
            "epochs": self.updates,
            "epochs_with_samples": self.judged,
            "epochs_in_startup": sum(e.phase == "startup" for e in self.epochs),
            "zone_share": {str(z): share for z, share in self.zone_share().items()},
            "worst_delta_error_us": self.worst_delta_error_us,
            "epoch_table": [asdict(e) for e in self.epochs],
        }
