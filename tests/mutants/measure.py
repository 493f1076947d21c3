"""Which mutants are found."""

from __future__ import annotations

import msgspec

from .catalogue import Drive, Mutant
from .judge import FAIL, NOT_JUDGED, PASS, Journal, Verdict, checker_digests, verdict
from .traces import Case, Traces, cases_of

FOUND, NOT_FOUND, SAME, BROKEN = "found", "not found", "behaves the same", "does not build"


class OfController(msgspec.Struct, frozen=True):
    """What a mutant did to one controller."""

    spec: str
    outcome: str
    """found, not found, not judged, behaves the same."""
    path: str = ""
    """The first on which it was found, with the flow."""
    laws: tuple[str, ...] = ()
    first: str = ""
    differs: tuple[str, ...] = ()
    """The same of those that were run on which the trace is another one than without the mutant."""


class Result(msgspec.Struct, frozen=True):
    """Of one mutant."""

    name: str
    changes: str
    outcome: str
    controllers: tuple[OfController, ...] = ()
    why: str = ""


class Measurement:
    """Of one tree and one checker."""

    def __init__(self, traces: Traces, journal: Journal, drives: list[Drive]) -> None:
        self._traces = traces
        self._journal = journal
        self._drives = drives
        self._checkers = checker_digests()

    def of(self, mutant: Mutant) -> Result:
        """Raises BuildError."""
        cases = list(cases_of(mutant, self._drives))
        by_spec = [self._of_controller(mutant, spec, cases) for spec in mutant.concerns]
        outcomes = [one.outcome for one in by_spec]
        first = next(o for o in (FOUND, NOT_FOUND, NOT_JUDGED, SAME) if o in outcomes)
        return Result(mutant.name, mutant.changes, first, tuple(by_spec), mutant.unseen)

    def _of_controller(self, mutant: Mutant, spec: str, cases: list[Case]) -> OfController:
        """Up to the first path on which it is found."""
        differs, judged = [], False
        for case in cases:
            if case.spec != spec or self._traces.digest(mutant, case) == self._traces.digest(None, case):
                continue
            differs.append(case.where)
            if self.original(case).outcome != PASS:
                continue
            said = self._ask(mutant, case)
            judged |= said.outcome == PASS
            if said.outcome == FAIL:
                return OfController(spec, FOUND, case.where, said.laws, said.first, tuple(differs))
        outcome = SAME if not differs else NOT_FOUND if judged else NOT_JUDGED
        return OfController(spec, outcome, differs=tuple(differs))

    def original(self, case: Case) -> Verdict:
        return self._ask(None, case)

    def _ask(self, mutant: Mutant | None, case: Case) -> Verdict:
        digest = self._traces.digest(mutant, case)
        if digest is None:
            return Verdict(NOT_JUDGED, (), "the run failed")
        return self._journal.get(
            f"{self._checkers[case.spec]}:{digest}", lambda: verdict(self._traces.file(mutant, case))
        )
