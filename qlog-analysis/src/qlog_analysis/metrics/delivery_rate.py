"""Delivery rate, as draft-cheng-iccrg-delivery-rate-estimation samples it with every ACK.

The rate of an ACK is what was delivered since its newest packet left, over the longer of two times: from the first send
of that flight to the send of the packet, and from the delivery before it to this ACK. So neither packets that leave
together nor ACKs that come together make it too large. What the draft keeps with each packet (P.delivered, and so on)
follows here from the order of packets and ACKs. Nothing is discarded for being shorter than the smallest round trip, as
no packet number of QUIC is sent twice: the time of a sample holds the round trip of its packet.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..arrays import Floats, Ints
from .acks import Acks
from .observed import Observed


@dataclass(frozen=True, slots=True)
class RateSamples:
    time: Floats
    """Of the ACKs, s."""
    rate: Floats
    """bit/s, bytes on the wire."""
    application_limited: npt.NDArray[np.bool_]
    """Whether the newest packet left while the application limited the sender (P.is_app_limited)."""


NO_RATES = RateSamples(np.empty(0), np.empty(0), np.empty(0, dtype=np.bool_))


@dataclass(frozen=True, slots=True)
class _Delivered:
    """ACKs with ack-eliciting packets: what they deliver."""

    record: Ints
    time: Floats
    total: Floats
    """Bytes delivered with and before each, without what came after it had been declared lost."""
    newest: Ints
    """The packet that left last, as a place in `Observed.sends`."""


@dataclass(frozen=True, slots=True)
class _Kept:
    """What the draft keeps with each packet sent."""

    delivered: Floats
    delivered_time: Floats
    first_sent_time: Floats


def rate_samples(o: Observed, acks: Acks, limited: Ints | None = None) -> RateSamples:
    """`limited`: packets (places in `Observed.sends`) that left after the application had let the sender wait."""
    d = _delivered(o, acks)
    if not len(d.time):
        return NO_RATES
    kept = _kept(o, d)
    p = d.newest
    taken = np.maximum(o.sends.time[p] - kept.first_sent_time[p], d.time - kept.delivered_time[p])
    valid = taken > 0.0
    delivered = d.total + _late(o).until(d.time) - kept.delivered[p]
    rate = 8.0 * delivered[valid] / taken[valid]
    marked = _marked(o, kept, limited)[p][valid] if limited is not None else np.zeros(len(rate), dtype=np.bool_)
    return RateSamples(d.time[valid], rate, marked)


def _delivered(o: Observed, acks: Acks) -> _Delivered:
    place = np.full(len(o.trace.sent), -1)
    place[o.sends.packet] = np.arange(len(o.sends))
    own = place[acks.packets]
    if not (own >= 0).any():
        nothing = np.empty(0, dtype=np.int64)
        return _Delivered(nothing, np.empty(0), np.empty(0), nothing)
    size = np.where(own >= 0, o.sends.size[own], 0.0)
    newest = np.maximum.reduceat(own, acks.begin)
    some = newest >= 0
    total = np.cumsum(np.add.reduceat(size, acks.begin))
    return _Delivered(acks.record[some], acks.time[some], total[some], newest[some])


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
    own = np.isin(packet, o.sends.packet)
    size = np.array(o.trace.sent.size, dtype=np.float64)[packet[own]]
    time = np.array(o.trace.came_late_at, dtype=np.float64)[own]
    return _Late(time, np.concatenate(([0.0], np.cumsum(size))))


def _kept(o: Observed, d: _Delivered) -> _Kept:
    s = o.sends
    ack = np.searchsorted(d.record, s.record) - 1  # the last one before each packet
    known = ack >= 0
    index = np.arange(len(s))
    # With nothing in flight the flight begins anew (section 3.2, "if the flow was idle").
    begins = (s.in_flight <= 0.0) | (index == 0)
    restart = np.maximum.accumulate(np.where(begins, index, 0))
    since = ~known | (s.record[restart] > d.record[ack])
    late = _late(o)
    ack_time = np.maximum(np.where(known, d.time[ack], -np.inf), late.last(s.time))
    return _Kept(
        delivered=np.where(known, d.total[ack], 0.0) + late.until(s.time),
        delivered_time=np.maximum(ack_time, s.time[restart]),
        first_sent_time=np.where(since, s.time[restart], s.time[d.newest[ack]]),
    )


def _marked(o: Observed, kept: _Kept, limited: Ints) -> npt.NDArray[np.bool_]:
    """From the packet that a wait of the application ends, until what was in flight then is delivered (section 3.4,
    C.app_limited)."""
    until = np.full(len(o.sends), -np.inf)
    until[limited] = kept.delivered[limited] + np.maximum(o.sends.in_flight[limited], 0.0)
    return np.asarray(kept.delivered <= np.maximum.accumulate(until))
