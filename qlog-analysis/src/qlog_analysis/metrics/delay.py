"""Round trips and relative one-way delays by the arrivals of ACKs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bytes, Floats, Ints
from ..measure.sliding import CLASSES
from ..model import Space, Trace
from ..packed import PIECE, Column, floats, ints, part, parts, take
from .selection import FEW

PART = 1 << 14
"""Samples, or what they are found in."""


@dataclass(frozen=True, slots=True)
class Samples:
    """Some of them, one after the other; s."""

    time: Floats
    rtt: Floats
    rowd: Floats
    sent: Floats
    """When their packets left."""


class DelaySamples(ABC):
    """One per ACK that measures a round trip in the application space; s. They are computed from the trace part by
    part when they are asked for, because a long trace has many. `time`, `rtt` and `rowd` are columns of all."""

    @abstractmethod
    def __len__(self) -> int: ...

    @abstractmethod
    def part(self, begin: int, end: int) -> Samples:
        """Those from `begin` up to, and without, `end`."""

    @abstractmethod
    def before(self, time: float) -> int:
        """How many came before."""

    @abstractmethod
    def until(self, time: float) -> int:
        """How many came until then."""

    @abstractmethod
    def sent_before(self, time: float) -> int:
        """How many are of packets that left before."""

    @abstractmethod
    def sent_until(self, time: float) -> int:
        """How many are of packets that left until then."""

    def parts(self, first: int = 0, end: int | None = None) -> Iterator[Samples]:
        """All of them, or those from `first` up to, and without, `end`."""
        end = len(self) if end is None else end
        if first == 0 and end == len(self) <= FEW:
            yield from self._kept
            return
        for begin in range(first, end, PART):
            yield self.part(begin, min(begin + PART, end))

    @cached_property
    def _kept(self) -> list[Samples]:
        """All, if they are few."""
        return [self.part(begin, min(begin + PART, len(self))) for begin in range(0, len(self), PART)]

    def rtts_at(self, times: Floats) -> Floats:
        """The newest round trip measured until each of these times, which rise, else the first."""
        first = max(self.until(float(times[0])) - 1, 0)
        some = self.part(first, max(self.until(float(times[-1])), first + 1))
        newest: Floats = some.rtt[np.maximum(np.searchsorted(some.time, times, side="right") - 1, 0)]
        return newest

    def over_time(self, valid: Callable[[Floats], Floats] | None = None) -> Iterator[tuple[Floats, Floats]]:
        """Queueing delays, each with the time (s) until the next; `valid`: that for which one holds at most, of its
        round trip. The last is left out."""
        time = rowd = rtt = np.empty(0)
        for some in self.parts():
            time, rowd, rtt = (
                np.concatenate((newest[-1:], column))
                for newest, column in ((time, some.time), (rowd, some.rowd), (rtt, some.rtt))
            )
            lasted = np.diff(time)
            yield rowd[:-1], lasted if valid is None else np.minimum(lasted, valid(rtt[:-1]))

    @property
    @abstractmethod
    def smallest_rtt(self) -> float | None:
        """None without samples."""

    @property
    def time(self) -> Floats:
        return np.concatenate([*(some.time for some in self.parts()), np.empty(0)])

    @property
    def rtt(self) -> Floats:
        return np.concatenate([*(some.rtt for some in self.parts()), np.empty(0)])

    @property
    def rowd(self) -> Floats:
        return np.concatenate([*(some.rowd for some in self.parts()), np.empty(0)])


def delay_samples(trace: Trace) -> DelaySamples:
    """Of the ACK frames, or of what the sender says of its round trips where packets are written without frames."""
    return _OfAcks(trace) if trace.frames_known else _OfTheSender(trace)


class _OfTheSender(DelaySamples):
    """Each new `latest_rtt`; nothing is known of packet sizes and ACK delays."""

    def __init__(self, trace: Trace) -> None:
        self._time, self._rtt, self._sent = floats(), floats(), floats()
        metrics, before = trace.metrics, np.nan
        for begin in range(0, len(metrics), PART):
            end = min(begin + PART, len(metrics))
            rtt, time = part(metrics.latest_rtt, begin, end), part(metrics.time, begin, end)
            new = ~np.isnan(rtt) & (np.diff(rtt, prepend=before) != 0.0)
            before = rtt[-1]
            for column, values in ((self._time, time), (self._rtt, rtt), (self._sent, time - rtt)):
                column.extend(values[new])
                column.pack()

    def __len__(self) -> int:
        return len(self._time)

    def part(self, begin: int, end: int) -> Samples:
        time, rtt, sent = (part(column, begin, end) for column in (self._time, self._rtt, self._sent))
        return Samples(time, rtt, rtt - (self.smallest_rtt or 0.0), sent)

    @cached_property
    def smallest_rtt(self) -> float | None:
        return min((float(some.min()) for some in parts(self._rtt)), default=None)

    def before(self, time: float) -> int:
        return self._time.left(time)

    def until(self, time: float) -> int:
        return self._time.right(time)

    def sent_before(self, time: float) -> int:
        return self._sent.left(time)

    def sent_until(self, time: float) -> int:
        return self._sent.right(time)


class _OfAcks(DelaySamples):
    """RTT and relative one-way delay of every sample; the minima are those of the whole trace, because a sliding
    minimum forgets what an empty queue looks like when a controller keeps it full."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._place, self._packet = ints(), ints()
        """Of each in `Trace.feedback`, and its packet in `Trace.sent`."""
        feedback = trace.feedback
        for begin in range(0, len(feedback), PART):
            end = min(begin + PART, len(feedback))
            sample = part(feedback.sample, begin, end)
            some = (np.frombuffer(feedback.space[begin:end], dtype=np.uint8) == Space.APPLICATION) & (sample >= 0)
            self._place.extend(begin + np.flatnonzero(some))
            self._packet.extend(sample[some])
            self._place.pack()
            self._packet.pack()

    def __len__(self) -> int:
        return len(self._place)

    def part(self, begin: int, end: int) -> Samples:
        time, sent, delay, classes = self._measured(begin, end)
        delay -= self._smallest[classes]
        return Samples(time, time - sent, delay, sent)

    def _measured(self, begin: int, end: int) -> tuple[Floats, Floats, Floats, Bytes]:
        """Times of arrival and departure, delays, size classes."""
        trace, place, packet = self._trace, part(self._place, begin, end), part(self._packet, begin, end)
        time, sent = self._times(begin, end)
        rtt = time - sent
        delay = np.minimum(take(trace.feedback.ack_delay, place), trace.peer_max_ack_delay)
        # The ACK delay, which the peer tells, takes no round trip below the smallest (RFC 9002, section 5.3).
        delay = np.maximum(rtt - delay, np.minimum(rtt, self._smallest_rtt))
        return time, sent, delay, _classes(trace, packet, self._full)

    @cached_property
    def _smallest_rtt(self) -> float:
        times = (self._times(begin, min(begin + PART, len(self))) for begin in range(0, len(self), PART))
        return min(float((time - sent).min()) for time, sent in times)

    def _times(self, begin: int, end: int) -> tuple[Floats, Floats]:
        """Of arrival and departure."""
        arrived = take(self._trace.feedback.time, part(self._place, begin, end))
        return arrived, take(self._trace.sent.time, part(self._packet, begin, end))

    @cached_property
    def _full(self) -> int:
        """Bytes of the largest packet of any."""
        return _largest(self._trace, self._packet)

    @cached_property
    def _smallest(self) -> Floats:
        """Delays, by size class."""
        minima = np.full(CLASSES + 2, np.inf)
        for begin in range(0, len(self), PART):
            _, _, delay, classes = self._measured(begin, min(begin + PART, len(self)))
            np.minimum.at(minima, classes, delay)
        return _of_as_large(minima)

    @property
    def smallest_rtt(self) -> float | None:
        return self._smallest_rtt if len(self) else None

    def before(self, time: float) -> int:
        return self._place.left(self._trace.feedback.time.left(time))

    def until(self, time: float) -> int:
        return self._place.left(self._trace.feedback.time.right(time))

    def sent_before(self, time: float) -> int:
        return self._packet.left(self._trace.sent.time.left(time))

    def sent_until(self, time: float) -> int:
        return self._packet.left(self._trace.sent.time.right(time))


def size_classes(trace: Trace, packet: Ints) -> Bytes:
    """Of packets (positions in `Trace.sent`), relative to the largest of them; as `size_class`."""
    full = _largest(trace, packet)
    return np.concatenate([*(_classes(trace, some, full) for some in _some(packet)), np.empty(0, dtype=np.uint8)])


def _largest(trace: Trace, packet: Ints | Column[int]) -> int:
    return max((int(take(trace.sent.size, some).max()) for some in _some(packet)), default=0) or 1  # some lack sizes


def _classes(trace: Trace, packet: Ints, full: int) -> Bytes:
    classes: Bytes = np.clip(-(-CLASSES * take(trace.sent.size, packet) // full), 1, CLASSES).astype(np.uint8)
    return classes


def _some(packet: Ints | Column[int]) -> Iterator[Ints]:
    for begin in range(0, len(packet), PIECE):
        end = min(begin + PIECE, len(packet))
        yield packet.part(begin, end) if isinstance(packet, Column) else packet[begin:end]


def above_smallest(delay: Floats, classes: Bytes) -> Floats:
    """Delays of packets above the smallest of packets that are as large or larger: a small packet takes less time on
    the slowest link. They take the place of the delays."""
    minima = np.full(CLASSES + 2, np.inf)
    np.minimum.at(minima, classes, delay)
    delay -= _of_as_large(minima)[classes]
    return delay


def _of_as_large(minima: Floats) -> Floats:
    """The smallest of each class or a larger one."""
    minima[:-1] = np.minimum.accumulate(minima[:-1][::-1])[::-1]
    return minima
