"""Judges all invariants of a trace."""

from __future__ import annotations

from ..errors import about
from ..model import Trace
from . import app_limited, ecn, excessive_loss, in_flight, loss, pacing, persistent, silence, window
from .invariant import Invariant, Judged, Judgement
from .seen import Seen, see

ALL: tuple[Invariant[Seen], ...] = (
    window.INVARIANT,
    in_flight.INVARIANT,
    pacing.INVARIANT,
    loss.INVARIANT,
    excessive_loss.INVARIANT,
    persistent.INVARIANT,
    app_limited.INVARIANT,
    ecn.COUNTS,
    ecn.ANSWERED,
    silence.INVARIANT,
)


def judge(trace: Trace) -> list[Judgement]:
    """One judgement for each invariant, in this order."""
    with about(trace.path):
        seen = see(trace)
        begun = [i.judge(seen) for i in ALL]
        watching = [one for one in begun if not isinstance(one, Judged)]
        for shown in seen.windows():
            for one in watching:
                one.add(shown)
        found = (one if isinstance(one, Judged) else one.judged() for one in begun)
        return [Judgement(i, judged) for i, judged in zip(ALL, found, strict=True)]
