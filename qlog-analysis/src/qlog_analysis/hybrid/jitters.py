"""J as the packets show it, with all that rounding leaves open: the row of spans to which a sample belongs at their
border depends on times that the trace has truncated."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from ..measure.sliding import Source
from ..zones.measured import DELTA_TOLERANCE
from . import floor
from .jitter import Jitter
from .spans import EpochSpans, Spans

JITTER_TOLERANCE = 4 * DELTA_TOLERANCE
"""s. Bends are four ROWDs, each off by as much as delta may be, and J is some five times the mean of one-sided ones;
but their errors are not all of one sign."""
MOST_READINGS = 64
"""Of what has been, by each source; those are kept that agree with the reports."""
MOST_GOING_ON = 4096
"""Ways in which an epoch goes on from these. Of more some are passed over, of the ways to cut the epoch, but not
those in which rounding goes the same way all the time."""


@dataclass(slots=True)
class Jitters:
    """The jitter of both sources."""

    _states: dict[Source, list[Jitter]] = field(default_factory=lambda: {source: [Jitter()] for source in Source})

    def end_epoch(self, spans: EpochSpans, source: Source, told: float | None) -> list[float]:
        """With the spans of an epoch; what J then may be where `source` is that of the epoch. `told` is the reported
        delta, s: the spans are those that have it, if all samples count."""
        for its_source, its in spans.all.items():
            has_told = its_source is source and spans.all_count(source)
            self._add(its_source, its, told if has_told else None)
        return self.levels(source)

    def clock_step(self, earlier: Spans) -> None:
        """The receive timestamps of before mean nothing."""
        self._add(Source.TIMESTAMPS, earlier, None)
        self._map((Source.TIMESTAMPS,))

    def interrupt(self) -> None:
        """The next spans do not follow those of before, or mean something else."""
        self._map(Source)

    def forget(self) -> None:
        """The path was interrupted."""
        self._states = {source: [Jitter()] for source in Source}

    def levels(self, source: Source) -> list[float]:
        return [state.level for state in self._states[source]]

    def tell(self, source: Source, level: float) -> None:
        """J by the next report: readings that do not lead to it are none."""
        states = sorted(self._states[source], key=lambda state: abs(state.level - level))
        near = [state for state in states if abs(state.level - level) <= JITTER_TOLERANCE]
        self._states[source] = (near or states[:1])[:MOST_READINGS]

    def _map(self, sources: Iterable[Source]) -> None:
        for source in sources:
            self._states[source] = list(dict.fromkeys(state.interrupt() for state in self._states[source]))

    def _add(self, source: Source, its: Spans, told: float | None) -> None:
        rows = its.minima()
        if not rows:
            return
        if told is not None:
            rows = frozenset(row for row in rows if abs(floor.mean(row) - told) <= DELTA_TOLERANCE) or rows
        before = self._states[source]
        step = (len(before) * len(rows) - 1) // MOST_GOING_ON + 1
        kept = rows if step == 1 else {*sorted(rows)[::step], *(its.steady() & rows)}
        self._states[source] = list({state.add(row) for state in before for row in sorted(kept)})
