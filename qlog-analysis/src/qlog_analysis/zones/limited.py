"""Whether an epoch can have been limited by the application: "Application-limited epochs" in
docs/papers/hybrid-measuring.md."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Protocol, TypeVar

from ..check.numbers import TIME_TOLERANCE
from ..check.verdict import Finding
from ..events import ZoneEpoch
from ..measure.used import Used
from ..model import Feedback, Space, Trace, Update
from ..packed import PIECE, Column, floats
from .backlog import Backlog
from .measured import GROWN_SHARE, HANDSHAKE_EPOCHS, Shown, Step, surely_unused

R = TypeVar("R", bound=ZoneEpoch)
USED = "R was not far beyond its use"


class Growth(Protocol):
    """How R has grown in an epoch of start-up, where also an R far beyond its use shows that the application limits."""

    @property
    def withheld(self) -> int | None:
        """The record of the first ACK that did not raise R."""

    @property
    def raised(self) -> int | None:
        """That of the last one that surely did."""

    def may_be_unused(self, until: int) -> bool:
        """Whether R may have been far beyond its use at a feedback up to this record."""

    def is_unused(self, until: int) -> bool:
        """Whether it surely was."""


class Limited:
    """Asked epoch by epoch, in their order. Recovery notices that no data waits, which stands in no event."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._backlog = Backlog(trace)
        self._since: int | None = None
        """Record with which the epoch began; of the first one it is that of its first feedback."""

    def check(
        self,
        event: Update[R],
        m: Shown,
        steps: Sequence[Step],
        grown: Growth | None = None,
    ) -> Iterator[Finding]:
        """`grown` is that of start-up."""
        since, self._since = self._since, event.record
        if not steps:
            return
        since = steps[0].feedback.record if since is None else since
        reported, number = event.data.app_limited, event.data.epoch
        if reported and self._surely_used(event, m, steps, grown) and self._surely_waited(since, event.record):
            why = "the window was full" if grown is None else USED
            yield Finding(number, event.time, "app_limited", f"reported, but data waited all the time, and {why}")
        if grown is not None:
            yield from self._growth(event, since, m.max_datagram_size, grown)
        if not reported:
            yield from self._missing(event, m, since, steps, grows=grown is not None)

    def _growth(self, event: Update[R], since: int, packet: int, grown: Growth) -> Iterator[Finding]:
        """Every ACK raises R, but those after the application was noticed to limit, until the epoch is over."""
        number, withheld, raised = event.data.epoch, grown.withheld, grown.raised
        if withheld is not None and not grown.may_be_unused(withheld) and self._surely_waited(since, withheld):
            message = f"an ACK did not raise R, but data waited all the time, and {USED}"
            yield Finding(number, event.time, "app_limited", message)
        if raised is None:
            return
        if grown.is_unused(raised):
            yield Finding(number, event.time, "app_limited", "an ACK raised R, which was far beyond its use")
        elif number >= HANDSHAKE_EPOCHS and self._was_noticed(since, raised, packet):
            message = "an ACK raised R, but a packet without data had left when none waited"
            yield Finding(number, event.time, "app_limited", message)

    def _missing(
        self, event: Update[R], m: Shown, since: int, steps: Sequence[Step], *, grows: bool
    ) -> Iterator[Finding]:
        """Of an epoch that was not reported, why it must be; `grows` if R does while the epoch lasts."""
        number = event.data.epoch
        if self._surely_limited(event, m, since):
            message = "not reported, but little was sent, and a packet without data left when none waited"
            yield Finding(number, event.time, "app_limited", message)
        little = surely_unused(event.data.rate_before, m.duration) * (GROWN_SHARE if grows else 1.0)
        more = m.sent_bits + 8.0 * m.max_datagram_size
        if number >= HANDSHAKE_EPOCHS and more < little and self._surely_had_room(steps, m.max_datagram_size):
            bits = f"{more:.0f} bits with one packet more than was sent, below {little:.0f}"
            yield Finding(number, event.time, "app_limited", f"not reported, but {bits}, and the window was never full")

    def _surely_waited(self, since: int, until: int) -> bool:
        """Whether data surely did, all the time. quiche also takes itself to be without data if an ACK leaves none of
        the room to what waits, and with packets of the handshake."""
        sent = self._trace.sent
        spaces = sent.space[sent.record.left(since) : sent.record.left(until)]
        handshake = any(space != Space.APPLICATION for space in spaces)
        return not handshake and not self._dataless(since, until) and self._backlog.waits(since, until)

    def _surely_used(
        self,
        event: Update[R],
        m: Shown,
        steps: Sequence[Step],
        grown: Growth | None,
    ) -> bool:
        """Whether the window or R surely was."""
        if grown is not None and grown.may_be_unused(event.record):
            return False
        full = self._surely_full(steps, m.max_datagram_size)
        half = 0.8 * GROWN_SHARE * event.data.rate_before * (m.duration + TIME_TOLERANCE)
        return full or (grown is not None and m.sent_bits + 8.0 * m.max_datagram_size >= half)

    def _surely_limited(self, event: Update[R], m: Shown, since: int) -> bool:
        """Whether the application surely did."""
        unused = m.sent_bits < surely_unused(event.data.rate_before, m.duration)
        later = event.data.epoch >= HANDSHAKE_EPOCHS
        return later and unused and self._was_noticed(since, event.record, m.max_datagram_size)

    def _was_noticed(self, since: int, until: int, packet: int) -> bool:
        """Whether recovery surely noticed that no data waits: it does when it makes a packet without, and the window
        has room."""
        return any(
            self._had_room(record, packet) and self._backlog.is_empty(record) for record in self._dataless(since, until)
        )

    def _had_room(self, record: int, packet: int) -> bool:
        m = self._trace.metrics
        row = m.row_before(record)
        return row >= 0 and m.bytes_in_flight[row] + packet <= m.congestion_window[row]

    def _dataless(self, since: int, until: int) -> list[int]:
        """Records of packets between two that had no data of a stream."""
        sent = self._trace.sent
        first, last = (sent.record.left(record) for record in (since, until))
        return [
            sent.record[i] for i in range(first, last) if sent.space[i] == Space.APPLICATION and not sent.frames_of(i)
        ]

    def _surely_full(self, steps: Sequence[Step], packet: int) -> bool:
        """Whether the window was, at a feedback before which no packet more fitted."""
        return any(step.in_flight_before + packet > self._window_before(step.feedback) for step in steps)

    def _surely_had_room(self, steps: Sequence[Step], packet: int) -> bool:
        """Whether the window did, for a packet before every feedback. It is the one that quiche wrote, which is checked
        by itself, so that nothing is left to rounding. More than F may be counted as in flight, never less: path MTU
        probes that are lost in silence."""
        return all(step.in_flight_before + packet <= self._window_before(step.feedback) for step in steps)

    def _window_before(self, f: Feedback) -> float:
        """NaN, which nothing exceeds, where it is not known."""
        m = self._trace.metrics
        row = m.row_before(f.record)
        return m.congestion_window[row] if row >= 0 else float("nan")

    def most_in_flight(self, f: Feedback) -> tuple[float, float]:
        """U at a feedback: the least and the most that it may be, bytes."""
        i = self._trace.feedback.record.right(f.record) - 1
        least, most = self._most_in_flight
        return least[i], most[i]

    @cached_property
    def _most_in_flight(self) -> tuple[Column[float], Column[float]]:
        used, out = Used(self._trace), (floats(), floats())
        for i, f in enumerate(self._trace.feedback):
            used.record(f)
            for column, value in zip(out, used.most, strict=True):
                column.append(value)
                if i % PIECE == 0:
                    column.pack()
        for column in out:
            column.pack()
        return out
