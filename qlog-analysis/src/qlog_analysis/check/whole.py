"""All that `check` says of a trace: whether it obeys its controller's law, if one is known, and the invariants."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import NoLawError
from ..invariants import run as invariants
from ..invariants.invariant import Judgement
from ..invariants.invariant import Outcome as Held
from ..model import Trace
from ..network import run as network
from .run import check as check_law
from .verdict import SHOWN, Outcome, Verdict


@dataclass(frozen=True, slots=True)
class Checked:
    trace: Trace
    law: Verdict | None
    without_law: NoLawError | None
    """Why there is no verdict on the law."""
    invariants: list[Judgement]

    @property
    def outcome(self) -> Outcome | None:
        """None where no law is known and no invariant is broken: that is no pass."""
        if any(j.outcome is Held.FAIL for j in self.invariants):
            return Outcome.FAIL
        return self.law.outcome if self.law is not None else None

    @property
    def controller(self) -> str:
        return self.trace.controller or "unknown"

    @property
    def disagreements(self) -> list[str]:
        """The law of each finding, and the invariant of each breach."""
        of_law = [] if self.law is None else self.law.disagreements
        return of_law + [j.invariant.name for j in self.invariants for _ in j.judged.breaches]

    def to_json(self) -> dict[str, Any]:
        rows = [j.to_json() for j in self.invariants]
        if self.law is not None and self.outcome is not None:
            law = self.law.to_json()
            return {**law, "verdict": self.outcome.value, "law": law["verdict"], "invariants": rows}
        return {
            "trace": str(self.trace.path),
            "controller": self.trace.controller,
            "error": str(self.without_law),
            "verdict": None if self.outcome is None else self.outcome.value,
            "law": None,
            "invariants": rows,
            "notes": self.trace.notes,
        }

    def to_text(self) -> str:
        of_law = ["  no equations to check"] if self.law is None else self.law.to_text().split("\n")[1:]
        if self.law is not None and self.law.outcome is not self.outcome:
            of_law.insert(0, f"  law          {self.law.outcome.value}")
        word = self.outcome.value if self.outcome is not None else of_law.pop(0).strip()
        held = [j.outcome for j in self.invariants]
        counts = ", ".join(f"{held.count(o)} {o.value}" for o in Held)
        rows = [_lines(j) for j in self.invariants]
        notes = [f"  note         {note}" for note in self.trace.notes] if self.law is None else []
        return "\n".join([f"{self.trace.path}: {word}", *of_law, *notes, f"  invariants   {counts}", *rows])


def _lines(j: Judgement) -> str:
    covered = f"{j.judged.cases} {j.invariant.unit}, {j.judged.seconds:.2f} s"
    what = j.why_not if j.outcome is Held.NOT_JUDGED else covered
    word = "FAIL" if j.outcome is Held.FAIL else j.outcome.value
    lines = [f"    {j.invariant.name:22} {word:10}  {what}"]
    lines += [f"      at {b.time:.6f} s: {b.message}" for b in j.judged.breaches[: SHOWN // 10]]
    if len(j.judged.breaches) > SHOWN // 10:
        lines.append(f"      ... and {len(j.judged.breaches) - SHOWN // 10} more (--json lists all)")
    return "\n".join(lines)


def check(trace: Trace, record: Path | None = None) -> Checked:
    """Raises UnsuitableTraceError if there is nothing to judge, a parameter of the controller is nonsense, or `record`
    is that of another run."""
    law, why = None, None
    try:
        law = check_law(trace)
    except NoLawError as e:
        why = e
    of_network = [] if record is None else network.judge(trace, record)
    return Checked(trace, law, why, invariants.judge(trace) + of_network)
