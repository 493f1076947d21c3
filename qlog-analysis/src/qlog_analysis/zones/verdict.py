"""What the checker found, as data, text and JSON."""

from __future__ import annotations

import enum
from collections import Counter
from dataclasses import asdict, dataclass, field
from typing import Any

MIN_EPOCHS = 10
"""With fewer epochs that have samples a trace says too little to pass."""

SHOWN = 50
"""Findings printed in text; JSON has all."""


class Outcome(enum.Enum):
    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement."""

    epoch: int | None
    time: float
    """s since the trace began."""
    law: str
    """What does not hold: a short fixed word, listed in the README."""
    message: str


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
    delta_ms: float | None
    measured_delta_ms: float | None
    trend: str
    zone: int | None
    measured_zone: int | None
    alpha_bps: float | None
    beta: float | None
    rate_before_bps: float
    rate_after_bps: float
    app_limited: bool


@dataclass(slots=True)
class Verdict:
    trace: str
    spec: str
    findings: list[Finding] = field(default_factory=list)
    epochs: list[EpochRow] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    @property
    def decided(self) -> list[EpochRow]:
        """Epochs with samples."""
        return [e for e in self.epochs if e.zone is not None]

    @property
    def outcome(self) -> Outcome:
        if self.findings:
            return Outcome.FAIL
        return Outcome.PASS if len(self.decided) >= MIN_EPOCHS else Outcome.INCONCLUSIVE

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

    def to_json(self) -> dict[str, Any]:
        return {
            "trace": self.trace,
            "spec": self.spec,
            "verdict": self.outcome.value,
            "epochs": len(self.epochs),
            "epochs_with_samples": len(self.decided),
            "epochs_in_startup": sum(e.phase == "startup" for e in self.epochs),
            "zone_share": {str(z): share for z, share in self.zone_share().items()},
            "worst_delta_error_us": self.worst_delta_error_us,
            "findings": [asdict(f) for f in self.findings],
            "notes": self.notes,
            "epoch_table": [asdict(e) for e in self.epochs],
        }

    def to_text(self) -> str:
        share = self.zone_share()
        worst = self.worst_delta_error_us
        lines = [
            f"{self.trace}: {self.outcome.value}",
            f"  controller   {self.spec}",
            f"  epochs       {len(self.epochs)}, {len(self.decided)} with samples, "
            f"{sum(e.phase == 'startup' for e in self.epochs)} in start-up",
            "  zones        " + ", ".join(f"{z}: {100 * share[z]:.1f} %" for z in share),
            "  delta        " + ("never measured" if worst is None else f"worst error {worst:.2f} us"),
        ]
        lines += [f"  note         {n}" for n in self.notes]
        if self.outcome is Outcome.INCONCLUSIVE:
            lines.append(f"  too few epochs to say anything: at least {MIN_EPOCHS} with samples are needed")
        if self.findings:
            lines.append(f"  {len(self.findings)} disagreements:")
        for f in self.findings[:SHOWN]:
            where = "" if f.epoch is None else f"epoch {f.epoch} "
            lines.append(f"    {where}at {f.time:.6f} s: {f.law}: {f.message}")
        if len(self.findings) > SHOWN:
            lines.append(f"    ... and {len(self.findings) - SHOWN} more (--json lists all)")
        return "\n".join(lines)
