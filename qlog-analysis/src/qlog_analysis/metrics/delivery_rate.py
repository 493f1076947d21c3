"""Delivery rate, as draft-cheng-iccrg-delivery-rate-estimation samples it with every ACK.

The rate of an ACK is what was delivered since its newest packet left, over the longer of two times: from the first send
of that flight to the send of the packet, and from the delivery before it to this ACK. So neither packets that leave
together nor ACKs that come together make it too large. What the draft keeps with each packet (P.delivered, and so on)
follows here from the order of packets and ACKs. Nothing is discarded for being shorter than the smallest round trip, as
no packet number of QUIC is sent twice: the time of a sample holds the round trip of its packet.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from dataclasses import dataclass, fields

import numpy as np
import numpy.typing as npt

from ..arrays import Bools, Floats, Ints
from ..packed import PIECE, Column, floats, take
from .acks import acks_of
from .distribution import Distribution
from .observed import Observed
from .windows import Sends, Window


@dataclass(frozen=True, slots=True)
class RateSamples:
    time: Column[float]
    """Of the ACKs, s."""
    rate: Floats
    """bit/s, bytes on the wire."""
    application_limited: npt.NDArray[np.bool_]
    """Whether the newest packet left while the application limited the sender (P.is_app_limited)."""

    def distribution(self, *, application_limited: bool) -> Distribution:
        def some() -> Iterator[Floats]:
            for at in range(0, len(self.rate), PIECE):
                here = slice(at, at + PIECE)
                yield self.rate[here][self.application_limited[here] == application_limited]

        return Distribution.of_parts(some)


@dataclass(frozen=True, slots=True)
class _Delivered:
    """ACKs with ack-eliciting packets: what they deliver. The first of a window is the last one before."""

    record: Ints
    time: Floats
    total: Floats
    """Bytes delivered with and before each, without what came after it had been declared lost."""
    newest: Ints
    """The packet that left last, as a position in `Trace.sent`."""
    newest_time: Floats
    """When it left."""


_NOTHING = _Delivered(np.array([-1]), np.array([-np.inf]), np.zeros(1), np.array([-1]), np.array([-np.inf]))
"""Before the first of them."""


class Rates:
    """Rate samples, as packets and ACKs come."""

    def __init__(self, o: Observed) -> None:
        self._o, self._late = o, _late(o)
        # What the draft keeps with each packet sent, by position.
        self._delivered, self._delivered_time, self._first_sent_time = floats(), floats(), floats()
        self._marked = bytearray()
        self._newest = _NOTHING
        self._total = 0.0
        self._flight_began = (-1, -np.inf)
        """Record and time of the packet."""
        self._limited_until = -np.inf
        self._times = floats()
        self._rates, self._limited = array("d"), bytearray()

    def add(self, w: Window, limited: Bools) -> None:
        """`limited`: which packets of the window left after the application had let the sender wait."""
        d = self._acked(w)
        if len(w.sends):
            self._keep(w, d, limited)
        self._newest = _Delivered(*(getattr(d, f.name)[-1:] for f in fields(d)))
        self._sample(_Delivered(*(getattr(d, f.name)[1:] for f in fields(d))))

    def found(self) -> RateSamples:
        limited = np.frombuffer(self._limited, dtype=np.bool_)
        return RateSamples(self._times, np.frombuffer(self._rates, dtype=np.float64), limited)

    def _acked(self, w: Window) -> _Delivered:
        o, n = self._o, self._newest
        acks = acks_of(o.trace, w.feedback)
        own = o.own[acks.packets]
        if not own.any():
            return n
        sent = o.trace.sent
        size = np.where(own, take(sent.size, acks.packets), 0).astype(np.float64)
        newest = np.maximum.reduceat(np.where(own, acks.packets, -1), acks.begin)
        total = self._total + np.cumsum(np.add.reduceat(size, acks.begin))
        self._total = float(total[-1])
        some = newest >= 0
        columns = (acks.record[some], acks.time[some], total[some], newest[some], take(sent.time, newest[some]))
        before = (n.record, n.time, n.total, n.newest, n.newest_time)
        return _Delivered(*(np.concatenate(both) for both in zip(before, columns, strict=True)))

    def _keep(self, w: Window, d: _Delivered, limited: Bools) -> None:
        s = w.sends
        ack = np.searchsorted(d.record, s.record) - 1  # the last one before each packet
        # With nothing in flight the flight begins anew (section 3.2, "if the flow was idle").
        begins = s.in_flight <= 0.0
        begins[:1] |= not len(self._delivered)
        flight = np.maximum.accumulate(np.where(begins, np.arange(1, len(s) + 1), 0))
        record, time = (
            np.concatenate(([of_before], column))[flight]
            for of_before, column in zip(self._flight_began, (s.record, s.time), strict=True)
        )
        self._flight_began = (int(record[-1]), float(time[-1]))
        since = (d.newest[ack] < 0) | (record > d.record[ack])
        delivered = d.total[ack] + self._late.until(s.time)
        ack_time = np.maximum(d.time[ack], self._late.last(s.time))
        place = np.maximum(np.cumsum(self._o.own[w.begin : w.end]) - 1, 0)  # the packets between stand for those before
        self._delivered.extend(delivered[place])
        self._delivered_time.extend(np.maximum(ack_time, time)[place])
        self._first_sent_time.extend(np.where(since, time, d.newest_time[ack])[place])
        self._marked += self._marks(s, delivered, limited)[place].tobytes()
        for column in (self._delivered, self._delivered_time, self._first_sent_time):
            column.pack()

    def _marks(self, s: Sends, delivered: Floats, limited: Bools) -> Bools:
        """From the packet that a wait of the application ends, until what was in flight then is delivered (section 3.4,
        C.app_limited)."""
        until = np.where(limited, delivered + np.maximum(s.in_flight, 0.0), -np.inf)
        until = np.maximum(np.maximum.accumulate(until), self._limited_until)
        self._limited_until = float(until[-1])
        return np.asarray(delivered <= until)

    def _sample(self, d: _Delivered) -> None:
        p = d.newest
        taken = np.maximum(d.newest_time - self._first_sent_time.take(p), d.time - self._delivered_time.take(p))
        valid = taken > 0.0
        delivered = d.total + self._late.until(d.time) - self._delivered.take(p)
        marked = np.frombuffer(self._marked, dtype=np.bool_)[p]
        self._rates.frombytes((8.0 * delivered[valid] / taken[valid]).tobytes())
        self._limited += marked[valid].tobytes()
        self._times.extend(d.time[valid])
        self._times.pack()


def rate_samples(o: Observed, limited: Ints | None = None) -> RateSamples:
    """`limited`: packets (places in `Observed.sends`) that left after the application had let the sender wait."""
    rates, at = Rates(o), 0
    for w in o.windows():
        places = np.arange(at, at + len(w.sends))
        rates.add(w, np.isin(places, [] if limited is None else limited))
        at += len(w.sends)
    return rates.found()


@dataclass(frozen=True, slots=True)
class _Late:
    """Packets that were acknowledged although they had been declared lost: they were delivered as well."""

    time: Floats
    total: Floats
    """Bytes before each, and of all."""

    def until(self, time: Floats) -> Floats:
        return self.total[np.searchsorted(self.time, time, side="right")]

    def last(self, time: Floats) -> Floats:
        """The newest time until each, minus infinity before the first."""
        newest: Floats = np.concatenate(([-np.inf], self.time))[np.searchsorted(self.time, time, side="right")]
        return newest


def _late(o: Observed) -> _Late:
    packet = np.array(o.trace.came_late, dtype=np.int64)
    own = o.own[packet]
    size = take(o.trace.sent.size, packet[own]).astype(np.float64)
    time = np.array(o.trace.came_late_at, dtype=np.float64)[own]
    return _Late(time, np.concatenate(([0.0], np.cumsum(size))))
