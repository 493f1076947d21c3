"""Round trips and relative one-way delays by the arrivals of ACKs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..arrays import Bools, Bytes, Floats, Ints
from ..measure.sliding import CLASSES
from ..model import Trace
from ..packed import PIECE, take


@dataclass(frozen=True)
class DelaySamples:
    """One per ACK that measures a round trip in the application space; s."""

    time: Floats
    rtt: Floats
    rowd: Floats
    _sent: Callable[[], Floats]

    @cached_property
    def sent(self) -> Floats:
        """When the packets of the samples left."""
        return self._sent()


def delay_samples(trace: Trace) -> DelaySamples:
    """Of the ACK frames, or of what the sender says of its round trips where packets are written without frames."""
    return _samples_of_acks(trace) if trace.frames_known else _samples_of_the_sender(trace)


def _samples_of_the_sender(trace: Trace) -> DelaySamples:
    """Each new `latest_rtt`; nothing is known of packet sizes and ACK delays."""
    rtt, time = np.array(trace.metrics.latest_rtt), np.array(trace.metrics.time)
    new = ~np.isnan(rtt) & (np.diff(rtt, prepend=np.nan) != 0.0)
    rtt, time = rtt[new], time[new]
    return DelaySamples(time, rtt, rtt - rtt.min() if len(rtt) else rtt, lambda: time - rtt)


def _samples_of_acks(trace: Trace) -> DelaySamples:
    """RTT and relative one-way delay of every sample; the minima are those of the whole trace, because a sliding
    minimum forgets what an empty queue looks like when a controller keeps it full."""
    feedback, packet = trace.feedback, _sampled(trace)
    some = _samples(trace)
    time = feedback.times[some]
    rtt = time - take(trace.sent.time, packet)
    classes = size_classes(trace, packet)
    del packet  # columns of a long trace are what takes the memory: few are there at a time
    delay = np.asarray(feedback.ack_delay, dtype=np.float64)[some]
    np.minimum(delay, trace.peer_max_ack_delay, out=delay)
    too_long = ~(delay <= rtt)
    np.subtract(rtt, delay, out=delay)
    delay[too_long] = rtt[too_long]
    return DelaySamples(time, rtt, above_smallest(delay, classes), lambda: take(trace.sent.time, _sampled(trace)))


def _samples(trace: Trace) -> Bools:
    """Which ACKs have one."""
    found: Bools = trace.feedback.of_application & (np.asarray(trace.feedback.sample, dtype=np.int64) >= 0)
    return found


def _sampled(trace: Trace) -> Ints:
    """The packets of these."""
    packets: Ints = np.asarray(trace.feedback.sample, dtype=np.int64)[_samples(trace)]
    return packets


def size_classes(trace: Trace, packet: Ints) -> Bytes:
    """Of packets (positions in `Trace.sent`), relative to the largest of them; as `size_class`."""
    full = max((int(take(trace.sent.size, some).max()) for some in _some(packet)), default=0) or 1  # some lack sizes
    classes = [
        np.clip(-(-CLASSES * take(trace.sent.size, some) // full), 1, CLASSES).astype(np.uint8)
        for some in _some(packet)
    ]
    return np.concatenate([*classes, np.empty(0, dtype=np.uint8)])


def _some(packet: Ints) -> Iterator[Ints]:
    yield from (packet[first : first + PIECE] for first in range(0, len(packet), PIECE))


def above_smallest(delay: Floats, classes: Bytes) -> Floats:
    """Delays of packets above the smallest of packets that are as large or larger: a small packet takes less time on
    the slowest link. They take the place of the delays."""
    minima = np.full(CLASSES + 2, np.inf)
    np.minimum.at(minima, classes, delay)
    minima[:-1] = np.minimum.accumulate(minima[:-1][::-1])[::-1]
    delay -= minima[classes]
    return delay
