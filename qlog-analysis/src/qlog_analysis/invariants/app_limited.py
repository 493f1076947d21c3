"""A window that is not used does not grow (RFC 9002 section 7.8, RFC 7661)."""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints
from ..metrics.windows import Sends
from ..model import TIME_RESOLUTION
from ..packed import floats, part
from .invariant import Invariant, Judged, Watch
from .seen import INITIAL_WINDOW, Seen, SeenWindow

USED = 4.0
"""A window may grow to twice what is in flight in a round trip (RFC 9002 section 7.3.1), and a sender that learns of a
source that pauses a round trip later has doubled twice."""
RUN = 10
"""Packets (section 7.2, the initial window). A source whose run of so many leaves at a rate uses that rate, however
soon it pauses: who waits for the pacer is not limited by the application (section 7.8)."""
LIMITED = 0.8
"""A round trip counts as limited by the source if less than this share of what might have left was in flight."""
PACKETS = 4
"""Packets that a window may be larger besides, if the initial window is smaller: hybrid and the like keep room for what
waits for an ACK."""


def judge(seen: Seen) -> Judged | Watch:
    if not seen.tells_window:
        return Judged.nothing("the trace does not report a congestion window")
    if len(seen.trace.feedback) < 2 or not seen.o.own.any():
        return Judged.nothing("the trace has no ACKs of the application space")
    return _Limited(seen)


class _Limited:
    def __init__(self, seen: Seen) -> None:
        self._seen = seen
        self._used, self._paced = floats(), floats()
        """At each feedback."""
        self._runs = None if seen.legacy else _Runs()
        self._recent = _recent(seen)
        self._began = _round_trips(seen)
        third = self._began[2] if len(self._began) > 2 else None  # the handshake is in other spaces
        self._start = seen.until if third is None else seen.trace.feedback.record[third]
        self._beside = _initial_packets(seen)
        self._rows = np.full((3, 1), np.nan)
        """Window and rate together, window alone, and rate, of the last row of the metrics."""
        self._highest = np.full((3, 1), np.nan)
        """The highest of each so far."""
        self._windows = floats()
        """What might leave as each round trip begins."""
        self._out = Judged()

    def add(self, shown: SeenWindow, /) -> None:
        w, m = shown.window, self._seen.trace.metrics
        self._used.extend(w.in_flight_after(shown.feedback_record - 1))
        self._used.pack()
        if self._runs is not None:
            self._paced.extend(self._runs.fastest(w.sends, shown.feedback_record))
            self._paced.pack()
        place = w.rows.start, w.rows.stop
        record, alone, rate = (part(c, *place) for c in (m.record, m.congestion_window, m.pacing_rate))
        window = self._seen.per_round_trip(slice(*place))
        rows = np.concatenate((self._rows, (window, alone, rate)), axis=1)
        highest = np.fmax.accumulate(np.concatenate((self._highest, rows[:, 1:]), axis=1), axis=1)
        self._rows, self._highest = rows[:, -1:], highest[:, -1:]
        self._note_windows(shown, record, rows[0])
        grows = (record >= self._start) & (record < self._seen.until) & (window > highest[0, :-1])
        # BBR's window follows its rate, and a paced window's rate the round trip.
        grows &= ~(rate <= highest[2, :-1]) & ~(alone <= highest[1, :-1])
        some = np.flatnonzero(grows)
        at = w.feedback.start + np.searchsorted(shown.feedback_record, record[some], side="right") - 1
        for i, newest in zip(some.tolist(), np.maximum(at, 0).tolist(), strict=True):
            before = float(rows[0, i]), float(rows[2, i])
            self._judge_one(w.rows.start + i, newest, before, float(window[i]), float(highest[0, i]))

    def _judge_one(self, row: int, newest: int, before: tuple[float, float], window: float, highest: float) -> None:
        """Growth to `window`; `before` are what might leave and the rate of the row before, `newest` the feedback."""
        m, since = self._seen.trace.metrics, self._since(newest)
        paced = 0.0 if self._runs is None else float(self._paced.part(since, newest + 1).max())
        most = max(float(self._used.part(since, newest + 1).max()), paced * m.min_rtt[row])
        held = np.fmin(before[0], before[1] / 8.0 * m.min_rtt[row])  # with the round trip as it is by then
        if held > USED * most + self._beside * self._seen.packet_size(m.time[row]):
            self._out.breach(
                m.time[row],
                f"{window:.0f} bytes may leave in a round trip instead of {highest:.0f}, and at most "
                f"{most:.0f} were in flight in the last two, or would have been at the rate of a run of packets",
            )

    def _since(self, feedback: int) -> int:
        """The first feedback of the two round trips up to one, wherever one takes these to begin."""
        since = np.searchsorted(self._recent, np.int32(feedback), side="right")  # of another kind all would be copied
        return min(int(since), feedback)

    def _note_windows(self, shown: SeenWindow, record: Ints, window: Floats) -> None:
        """`window` begins with that of the row before those of `shown`."""
        feedback, noted = shown.window.feedback, len(self._windows)
        began = self._began[noted : bisect_left(self._began, feedback.stop)]
        places = np.array(began, dtype=np.int64) - feedback.start
        self._windows.extend(window[np.searchsorted(record, shown.feedback_record[places], side="right")])
        self._windows.pack()

    def judged(self) -> Judged:
        """Counts the round trips in which the source, not the window or the rate, decided how much was in flight."""
        time = self._seen.trace.feedback.time
        for (a, b), window in zip(pairwise(self._began), self._windows, strict=False):
            if float(self._used.part(self._since(b - 1), b).max()) < LIMITED * window:
                self._out.cases += 1
                self._out.seconds += time[b] - time[a]
        return self._out


def _initial_packets(seen: Seen) -> int:
    """Any sender may put so many into a round trip of which it knows nothing, and grows from there."""
    told = (p.data.initial_window for p in seen.trace.parameters)
    return max(next(told, INITIAL_WINDOW), PACKETS)


def _round_trips(seen: Seen) -> list[int]:
    """Feedbacks (index) with which one begins, each where the one before ends."""
    began, end = [0], int(seen.round_end[0])
    while end < len(seen.round_end):
        began.append(end)
        end = max(int(seen.round_end[end]), end + 1)
    return began


def _recent(seen: Seen) -> npt.NDArray[np.int32]:
    """For each feedback the last one (index) of the two round trips from it on."""
    count = len(seen.round_end)
    twice = np.minimum(seen.round_end, count - 1)
    twice = np.where(seen.round_end < count, seen.round_end[twice], np.int32(count))
    return np.maximum.accumulate(twice)


class _Runs:
    """Rates of runs of packets."""

    def __init__(self) -> None:
        self._time, self._sent = np.empty(0), np.empty(0)
        """Of the last packets: when they left, and how many bytes had left with each."""
        self._total, self._fastest = 0.0, 0.0
        """Bytes, and the highest rate since the last feedback."""

    def fastest(self, s: Sends, feedback: Ints) -> Floats:
        """For each feedback (record) of a window the highest rate, bytes/s, of a run of packets that ended since the
        one before, none of them faster than its pacing rate."""
        rate = self._rates(s)
        ends = np.searchsorted(s.record, feedback)
        begins = np.concatenate(([0], ends[:-1]))
        some, out = begins < ends, np.zeros(len(ends))
        if some.any():
            out[some] = np.maximum.reduceat(rate[: ends[-1]], begins[some])
        if len(ends):
            out[0] = max(out[0], self._fastest)
        left = rate[ends[-1] :] if len(ends) else np.append(rate, self._fastest)
        self._fastest = float(left.max(initial=0.0))
        return out

    def _rates(self, s: Sends) -> Floats:
        time = np.concatenate((self._time, s.time))
        sent = np.concatenate((self._sent, np.cumsum(s.size) + self._total))
        rate = np.zeros(len(time))
        if len(time) > RUN:
            took = np.maximum(time[RUN:] - time[:-RUN], TIME_RESOLUTION)
            allowed = s.pacing[len(s) - len(took) :] / 8.0
            rate[RUN:] = np.where(np.isfinite(allowed), np.minimum((sent[RUN:] - sent[:-RUN]) / took, allowed), 0.0)
        if len(s):
            self._total = float(sent[-1])
        rate = rate[len(self._time) :]
        self._time, self._sent = time[-RUN:], sent[-RUN:]
        return rate


INVARIANT = Invariant(
    name="application limited",
    holds="what may leave in a round trip (window, or pacing rate times the smallest one) does not grow beyond all "
    "that it was before while a quarter of it or less is used for two round trips",
    needs=("packet_sent", "packet_received with ACK frames", "recovery_metrics_updated with congestion_window"),
    tolerance="a quarter, because slow start doubles and may learn of a pause a round trip later; an initial window, "
    "which every sender begins with; the rate of ten packets in a row is used; back to what it was it may grow",
    unit="round trips",
    least=3,
    judge=judge,
)
