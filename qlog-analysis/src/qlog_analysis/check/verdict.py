"""What a checker found, as data, text and JSON."""

from __future__ import annotations

import enum
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

MIN_JUDGED = 10
"""With fewer updates that could be judged a trace says too little to pass."""

SHOWN = 50
"""Findings printed in text; JSON has all."""


class Outcome(enum.Enum):
    PASS = "PASS"
    FAIL = "FAIL"
    INCONCLUSIVE = "INCONCLUSIVE"


@dataclass(frozen=True, slots=True)
class Finding:
    """One disagreement."""

    number: int | None
    """Of the update (`hybrid`: epoch) that it is about."""
    time: float
    """s since the trace began."""
    law: str
    """What does not hold: a short fixed word, listed in docs/check.md."""
    message: str


@dataclass(slots=True)
class Verdict:
    trace: str
    controller: str
    spec: str
    findings: list[Finding] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    updates: int = 0
    """Updates that the controller reported."""
    judged: int = 0
    """Those that the packets decide."""

    unit: ClassVar[str] = "update"
    """What the controller's updates are called."""

    @property
    def outcome(self) -> Outcome:
        if self.findings:
            return Outcome.FAIL
        return Outcome.PASS if self.judged >= MIN_JUDGED else Outcome.INCONCLUSIVE

    @property
    def disagreements(self) -> list[str]:
        """The law of each finding."""
        return [finding.law for finding in self.findings]

    def summary(self) -> list[tuple[str, str]]:
        """Lines for people: a word and what it was."""
        return [(f"{self.unit}s", f"{self.updates}, {self.judged} held against the packets")]

    def details(self) -> dict[str, Any]:
        """What JSON has beside that which all verdicts have."""
        return {}

    def to_json(self) -> dict[str, Any]:
        return {
            "trace": self.trace,
            "controller": self.controller,
            "spec": self.spec,
            "verdict": self.outcome.value,
            "updates": self.updates,
            "judged": self.judged,
            **self.details(),
            "findings": [asdict(f) for f in self.findings],
            "notes": self.notes,
        }

    def to_text(self) -> str:
        lines = [f"{self.trace}: {self.outcome.value}"]
        lines += [f"  {word:12} {what}" for word, what in (("controller", self.spec), *self.summary())]
        lines += [f"  note         {n}" for n in self.notes]
        if self.outcome is Outcome.INCONCLUSIVE:
            lines.append(
                f"  too few {self.unit}s to say anything: at least {MIN_JUDGED} that the packets decide are needed"
            )
        if self.findings:
            lines.append(f"  {len(self.findings)} disagreements:")
        for f in self.findings[:SHOWN]:
            where = "" if f.number is None else f"{self.unit} {f.number} "
            lines.append(f"    {where}at {f.time:.6f} s: {f.law}: {f.message}")
        if len(self.findings) > SHOWN:
            lines.append(f"    ... and {len(self.findings) - SHOWN} more (--json lists all)")
        return "\n".join(lines)
