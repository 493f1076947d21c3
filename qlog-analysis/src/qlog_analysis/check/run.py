"""Finds the checker of a trace by the controller that wrote its events."""

from __future__ import annotations

from collections.abc import Callable

from ..dialect.writers import QVIS_EXPORT
from ..errors import NoLawError, UnsuitableTraceError, about
from ..events import (
    PARAMETERS,
    HybridParameters,
    PaperParameters,
    RaimdParameters,
    RrrParameters,
    SmallqParameters,
    VegasParameters,
)
from ..hybrid import check as hybrid
from ..hybrid_paper import check as hybrid_paper
from ..model import Trace
from ..raimd import check as raimd
from ..rrr import check as rrr
from ..smallq import check as smallq
from ..vegas import check as vegas
from .verdict import Verdict

CHECKERS: dict[type, Callable[[Trace], Verdict]] = {
    HybridParameters: hybrid.check,
    PaperParameters: hybrid_paper.check,
    SmallqParameters: smallq.check,
    VegasParameters: vegas.check,
    RrrParameters: rrr.check,
    RaimdParameters: raimd.check,
}
"""By the parameters that the controller reported."""


def check(trace: Trace, only: str | None = None) -> Verdict:
    """The verdict on a trace, if the law of its controller is known (`only`: and if it is this one).

    Raises NoLawError if it is not, and UnsuitableTraceError if there is nothing to judge or a parameter is nonsense."""
    with about(trace.path):
        return _checker(trace, only)(trace.opened())


def _checker(trace: Trace, only: str | None) -> Callable[[Trace], Verdict]:
    checker = CHECKERS.get(type(trace.parameters[0].parameters)) if trace.parameters else None
    if trace.writer is QVIS_EXPORT or (checker is not None and not trace.native):
        raise UnsuitableTraceError(
            f"this is a conversion by {trace.writer.name} and lacks what a law is checked by; check the original"
        )
    if checker is None or only not in (None, trace.controller):
        raise NoLawError(_why(trace, only))
    if trace.unused_records:
        raise UnsuitableTraceError(f"a part of the trace is missing: {trace.unused[0]}")
    if _was_replaced(trace):
        raise UnsuitableTraceError(
            f"a server's rule replaced the controller {trace.parameters[0].data.spec!r} by "
            f"{trace.parameters[-1].data.spec!r} while the connection lived: equations can be checked of one only"
        )
    if not trace.sent.time or not trace.feedback:
        raise UnsuitableTraceError("no packets or no ACKs in the trace, nothing to judge by")
    return checker


def _was_replaced(trace: Trace) -> bool:
    return bool(trace.chosen) and trace.parameters[-1].data.spec != trace.parameters[0].data.spec


def _why(trace: Trace, only: str | None) -> str:
    states = ", ".join(sorted({s.name for s in trace.states})[:4]) or "none"
    wanted = f"the {only} controller" if only else "a controller whose equations are known"
    others = f"zones are those of {only}; `check` has equations" if only else "equations are known"
    return (
        f"there are no equations to check: no events of {wanted} (`cc:parameters_set`); "
        f"controller: {trace.controller or 'none'}, states seen: {states}; "
        f"{others} of {', '.join(PARAMETERS)}, in the trace of the endpoint that sends with them"
    )
