"""What is known to wait: data that the application has written, or that was lost, and that flow control lets go."""

from __future__ import annotations

from bisect import bisect_left, insort
from dataclasses import dataclass, field

from ..model import FirstLimits, Trace
from .spans import Spans

LARGEST = 65535
"""Bytes that a packet may hold."""


@dataclass(slots=True)
class Waiting:
    """Told of everything in the order of the trace. Without the peer's limits new data counts for nothing."""

    trace: Trace
    _limits: dict[int, int] = field(default_factory=dict)
    """Of the streams that were asked about, bytes."""
    _data: int = 0
    _written: dict[int, int] = field(default_factory=dict)
    _sent: dict[int, int] = field(default_factory=dict)
    _total: int = 0
    _new: set[int] = field(default_factory=set)
    """Streams with bytes that were written and not sent, and that the stream's limit allows."""
    _lost: dict[int, Spans] = field(default_factory=dict)
    _acked: dict[int, Spans] = field(default_factory=dict)
    _again: dict[int, list[tuple[int, int, int]]] = field(default_factory=dict)
    """By stream what was sent more than once, in order: begin, end, and the packet that did."""
    _gone: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self._data = self.trace.first_limits.data if self.trace.first_limits is not None else 0

    @property
    def any(self) -> bool:
        """Whether something could leave."""
        return bool(self._lost) or (bool(self._new) and self._total < self._data)

    def write(self, stream: int, end: int) -> None:
        self._written[stream] = max(end, self._written.get(stream, 0))
        self._renew(stream)

    def write_until(self, done: int, record: int) -> int:
        """What was written before a record, from one place in the list on; where it goes on."""
        written = self.trace.written
        while done < len(written) and written.record[done] < record:
            self.write(written.stream[done], written.end[done])
            done += 1
        return done

    def send(self, packet: int) -> None:
        for stream, begin, end in self._frames(packet):
            known = self._sent.get(stream, 0)
            if begin < known:
                insort(self._again.setdefault(stream, []), (begin, end, packet))
            self._total += max(end - known, 0)
            self._sent[stream] = max(end, known)
            self._renew(stream)
            self._settle(stream, begin, end)

    def acknowledge(self, packet: int) -> None:
        for stream, begin, end in self._frames(packet):
            self._acked.setdefault(stream, Spans()).add(begin, end)
            self._settle(stream, begin, end)

    def lose(self, packet: int) -> None:
        """What has been acknowledged, or sent again by a probe since, does not wait."""
        for stream, begin, end in self._frames(packet):
            for a, b in self._acked.get(stream, Spans()).without(begin, end):
                self._lost.setdefault(stream, Spans()).add(a, b)
            again = self._again.get(stream, [])
            for a, b, later in again[bisect_left(again, (begin - LARGEST, 0, 0)) : bisect_left(again, (end, 0, 0))]:
                if later > packet:
                    self._settle(stream, a, b)

    def allow(self, stream: int | None, limit: int) -> None:
        if stream is None:
            self._data = max(self._data, limit)
        else:
            self._limits[stream] = max(limit, self._limit(stream))
            self._renew(stream)

    def abandon(self, stream: int) -> None:
        self._gone.add(stream)
        self._lost.pop(stream, None)
        self._new.discard(stream)

    def _frames(self, packet: int) -> list[tuple[int, int, int]]:
        """Stream, begin and end of the data in a packet."""
        frames = self.trace.sent.frames
        return [
            (frames.stream[i], frames.offset[i], frames.offset[i] + frames.length[i])
            for i in self.trace.sent.frames_of(packet)
            if frames.length[i] and frames.stream[i] not in self._gone
        ]

    def _settle(self, stream: int, begin: int, end: int) -> None:
        """This no longer waits."""
        lost = self._lost.get(stream)
        if lost is not None:
            lost.cut(begin, end)
            if not lost:
                del self._lost[stream]

    def _renew(self, stream: int) -> None:
        if min(self._written.get(stream, 0), self._limit(stream)) > self._sent.get(stream, 0):
            self._new.add(stream)
        else:
            self._new.discard(stream)

    def _limit(self, stream: int) -> int:
        if stream not in self._limits:
            self._limits[stream] = self._first_limit(stream)
        return self._limits[stream]

    def _first_limit(self, stream: int) -> int:
        first: FirstLimits | None = self.trace.first_limits
        if first is None:
            return 0
        opened_here = (stream & 1) == (self.trace.vantage_point == "server")
        return first.uni if stream & 2 else first.bidi_remote if opened_here else first.bidi_local
