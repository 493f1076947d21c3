"""When the application limited the sender: by what was in flight, and by what the sender says of itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..arrays import Bools, Floats
from ..events import ZoneEpoch
from ..model import Trace
from .held_back import SLACK, Gaps, Hold
from .windows import Window

BY_PACKETS = "window, pacing and flow control let a packet leave, and none left"
BY_EMPTY_PATH = "nothing was in flight"
"""What is left where the trace has no congestion window: less than there was."""
BY_STATE = "congestion state of the sender"
BY_EPOCHS = "epochs of hybrid"

STATE = "application_limited"
"""Of `congestion_state_updated` (draft-ietf-quic-qlog-quic-events)."""


@dataclass(frozen=True, slots=True)
class ApplicationLimited:
    evidence: str
    spells: int
    total_s: float
    longest_s: float | None
    """None without a spell."""

    @classmethod
    def of(cls, evidence: str, lengths: Floats | Sequence[float]) -> ApplicationLimited:
        some = np.asarray(lengths, dtype=np.float64)
        return cls(evidence, len(some), float(some.sum()), float(some.max()) if len(some) else None)


class Spells:
    """Gaps between packets that are longer than a timer may be late."""

    def __init__(self) -> None:
        self._packets = 0
        self._window_known = False
        self._lengths: list[Floats] = []

    def add(self, w: Window, gaps: Gaps) -> Bools:
        """Which of the gaps, those of the next window, have one. What follows the last packet is none, as nothing tells
        of more data."""
        length = gaps.waits - gaps.lifted
        found: Bools = (gaps.rest == Hold.APPLICATION) & (length > SLACK)
        if w.next_time is None:
            found[-1:] = False
        self._packets += len(w.sends)
        self._window_known |= bool(np.isfinite(w.sends.window).any())
        self._lengths.append(length[found])
        return found

    def found(self) -> ApplicationLimited | None:
        """None with fewer than two packets."""
        if self._packets < 2:
            return None
        evidence = BY_PACKETS if self._window_known else BY_EMPTY_PATH
        return ApplicationLimited.of(evidence, np.concatenate(self._lengths))


def told(trace: Trace) -> ApplicationLimited | None:
    """As the sender marks it; None if it has no such marks."""
    names = {s.name for s in trace.states}
    if STATE in names:
        ends = [s.time for s in trace.states[1:]] + [max(trace.end, trace.states[-1].time)]
        spans = [(s.time, end) for s, end in zip(trace.states, ends, strict=True) if s.name == STATE]
        return ApplicationLimited.of(BY_STATE, _joined(spans))
    epochs = [u for u in trace.updates if isinstance(u.data, ZoneEpoch)]
    if not epochs:
        return None
    spans = [(u.time - u.data.duration / 1e3, u.time) for u in epochs if u.data.app_limited]
    return ApplicationLimited.of(BY_EPOCHS, _joined(spans))


def _joined(spans: list[tuple[float, float]]) -> list[float]:
    """Lengths; what follows at once belongs together."""
    out: list[list[float]] = []
    for begin, end in spans:
        if out and begin <= out[-1][1] + SLACK:
            out[-1][1] = end
        else:
            out.append([begin, end])
    return [end - begin for begin, end in out]
