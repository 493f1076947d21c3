"""One-way delays of a trace from both sources, and which of them is in use."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

from ..model import Feedback, Trace
from .sliding import PathMinima, Source, size_class
from .trust import Plausibility, Trust


class Sample(NamedTuple):
    packet: int
    owd: float
    in_class: int
    source: Source
    above: tuple[float, ...] = ()
    """The OWD less the minimum of its class, this sample included; one per variant of the minima."""
    sent_at: float = 0.0
    restarts: bool = False
    """A clock was set just before: earlier ones of its source mean nothing."""


class Sources:
    """Takes the samples out of feedback, as the controller should."""

    def __init__(self, trace: Trace, minima: list[PathMinima]) -> None:
        self.current = Source.ACK
        self._trace, self._sent = trace, trace.sent
        self._minima = minima
        """Variants that differ in what rounding leaves open; the first decides what is plausible."""
        self._trust = Trust()
        self._reported = False

    def samples(self, f: Feedback, max_datagram_size: int, max_ack_delay: float) -> Iterator[Sample]:
        """Samples of an ACK of the application packet number space; the minima take them in."""
        by_timestamps = len(f.received) > 0 and not self._trust.lost
        fall = self._fall(f, max_datagram_size) if by_timestamps else 0.0
        if f.sample >= 0:
            sent_at = self._sent.time[f.sample]
            rtt = f.time - sent_at
            in_class = self._class(f.sample, max_datagram_size)
            for m in self._minima:
                m.insert_rtt(in_class, rtt)
            owd = self._minima[0].without_ack_delay(rtt, min(f.ack_delay, max_ack_delay))
            yield self._take(f.sample, sent_at, owd, in_class, Source.ACK)
        if not by_timestamps:
            return
        for packet, received in f.received:
            sent_at = self._sent.time[packet]
            owd = received - sent_at
            in_class = self._class(packet, max_datagram_size)
            worth = self._worth(f, sent_at, owd, in_class, fall)
            if worth is not Plausibility.IMPLAUSIBLE:
                self.current = Source.TIMESTAMPS
                self._reported = True
                restarts = worth is Plausibility.CLOCK_STEP
                yield self._take(packet, sent_at, owd, in_class, Source.TIMESTAMPS, restarts=restarts)

    def end_epoch(self, acked: int, lost: int, by_timestamp: float | None, by_ack: float | None) -> None:
        reported, self._reported = self._reported, False
        if self.current is Source.ACK:
            return
        self._trust.end_epoch(acked, lost, by_timestamp, by_ack)
        if self._trust.lost or (not reported and acked > 0):
            self.current = Source.ACK

    def _take(
        self, packet: int, sent_at: float, owd: float, in_class: int, source: Source, *, restarts: bool = False
    ) -> Sample:
        above = tuple([m.insert_owd(source, in_class, owd) for m in self._minima])
        return Sample(packet, owd, in_class, source, above, sent_at, restarts)

    def _class(self, packet: int, max_datagram_size: int) -> int:
        # quiche tells its controllers a size of 0 for packets that are not ack-eliciting.
        return size_class(self._sent.size[packet] if self._sent.ack_eliciting[packet] else 0, max_datagram_size)

    def _excess(self, f: Feedback, sent_at: float, in_class: int) -> float:
        """RTT of a packet sent then, beyond the minimum by ACK arrivals of its class; NaN without one."""
        minimum = self._minima[0].owd_minimum(Source.ACK, in_class)
        return math.nan if math.isinf(minimum) else f.time - sent_at - minimum

    def _fall(self, f: Feedback, max_datagram_size: int) -> float:
        if not f.acked:
            return 0.0
        newest = self._trace.acked[f.acked[-1]]
        excess = self._excess(f, self._sent.time[newest], self._class(newest, max_datagram_size))
        return 0.0 if math.isnan(excess) else -excess

    def _worth(self, f: Feedback, sent_at: float, owd: float, in_class: int, fall: float) -> Plausibility:
        excess = self._excess(f, sent_at, in_class)
        if math.isnan(excess):
            return Plausibility.IMPLAUSIBLE
        least = self._minima[0].owd_minima(Source.TIMESTAMPS)
        worth = self._trust.check(owd, least[in_class - 1], least[0], excess, fall)
        if worth is Plausibility.CLOCK_STEP:
            for m in self._minima:
                m.clock_was_set()
                m.insert_owd(Source.TIMESTAMPS, in_class, owd - max(excess, 0.0))
        return worth
