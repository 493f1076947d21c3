"""Judges the invariants that need the network."""

from __future__ import annotations

from pathlib import Path

from ..errors import about
from ..invariants.invariant import Invariant, Judgement
from ..invariants.seen import see
from ..model import Trace
from . import arrivals, codepoints, deliveries, queue, spacing
from .joined import Joined, join
from .record_file import RunRecord

ALL: tuple[Invariant[Joined], ...] = (
    arrivals.INVARIANT,
    deliveries.INVARIANT,
    spacing.INVARIANT,
    codepoints.INVARIANT,
    queue.INVARIANT,
)


def judge(trace: Trace, path: Path) -> list[Judgement]:
    """One judgement for each of them, in this order. Raises RecordError if the record is that of another run."""
    with about(trace.path):
        joined = join(see(trace), RunRecord(path))
        return [i.of(joined) for i in ALL]
