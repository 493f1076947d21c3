"""What an invariant is, and what comes of judging one."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Generic, Protocol, TypeVar

T = TypeVar("T")


class Outcome(enum.Enum):
    PASS = "pass"
    FAIL = "fail"
    NOT_JUDGED = "not judged"


@dataclass(frozen=True, slots=True)
class Breach:
    """One place where an invariant does not hold."""

    time: float
    """s since the trace began."""
    message: str


@dataclass(slots=True)
class Judged:
    """What was looked at, and what did not hold."""

    cases: int = 0
    """So many were judged, in the invariant's unit."""
    seconds: float = 0.0
    """Of the trace, in which something was judged."""
    breaches: list[Breach] = field(default_factory=list)
    why_not: str | None = None
    """What is missing, if nothing can be judged."""

    def breach(self, time: float, message: str) -> None:
        self.breaches.append(Breach(time, message))

    @classmethod
    def nothing(cls, why: str) -> Judged:
        return cls(why_not=why)


class Watch(Protocol):
    """Judges a trace of which it is told window by window, so that a long trace takes no more memory."""

    def add(self, shown: Any, /) -> None: ...

    def judged(self) -> Judged: ...


@dataclass(frozen=True, slots=True)
class Invariant(Generic[T]):
    name: str
    holds: str
    """What is held, in one sentence."""
    needs: tuple[str, ...]
    """Events without which it is not judged."""
    tolerance: str
    """With its reason."""
    unit: str
    """What is counted as a case."""
    least: int
    """With fewer cases a trace says too little to pass."""
    judge: Callable[[T], Judged | Watch]
    """Of what was seen: a trace, or a trace with the record of its run."""

    def of(self, seen: T) -> Judgement:
        """Of one that needs no windows."""
        judged = self.judge(seen)
        assert isinstance(judged, Judged)
        return Judgement(self, judged)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The verdict on one invariant."""

    invariant: Invariant[Any]
    judged: Judged

    @property
    def outcome(self) -> Outcome:
        if self.judged.breaches:
            return Outcome.FAIL
        return Outcome.NOT_JUDGED if self.why_not is not None else Outcome.PASS

    @property
    def why_not(self) -> str | None:
        """Why it was not judged, if it was not."""
        if self.judged.why_not is not None or self.judged.cases >= self.invariant.least:
            return self.judged.why_not
        return f"{self.judged.cases} {self.invariant.unit}, at least {self.invariant.least} are needed"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.invariant.name,
            "verdict": self.outcome.value,
            "judged": self.judged.cases,
            "unit": self.invariant.unit,
            "seconds": round(self.judged.seconds, 6),
            "why_not": None if self.judged.breaches else self.why_not,
            "needs": list(self.invariant.needs),
            "findings": [asdict(b) for b in self.judged.breaches],
        }
