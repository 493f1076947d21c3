"""Round trips and relative one-way delays by the arrivals of ACKs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats, Ints
from ..measure.sliding import CLASSES
from ..model import Trace


@dataclass(frozen=True, slots=True)
class DelaySamples:
    """One per ACK that measures a round trip in the application space; s."""

    time: Floats
    rtt: Floats
    rowd: Floats
    sent: Floats
    """When the packets of the samples left."""


def delay_samples(trace: Trace) -> DelaySamples:
    """Of the ACK frames, or of what the sender says of its round trips where packets are written without frames."""
    return _samples_of_acks(trace) if trace.frames_known else _samples_of_the_sender(trace)


def _samples_of_the_sender(trace: Trace) -> DelaySamples:
    """Each new `latest_rtt`; nothing is known of packet sizes and ACK delays."""
    rtt, time = np.array(trace.metrics.latest_rtt), np.array(trace.metrics.time)
    new = ~np.isnan(rtt) & (np.diff(rtt, prepend=np.nan) != 0.0)
    rtt, time = rtt[new], time[new]
    return DelaySamples(time, rtt, rtt - rtt.min() if len(rtt) else rtt, time - rtt)


def _samples_of_acks(trace: Trace) -> DelaySamples:
    """RTT and relative one-way delay of every sample; the minima are those of the whole trace, because a sliding
    minimum forgets what an empty queue looks like when a controller keeps it full."""
    sent, feedback = trace.sent, trace.feedback
    sample = np.asarray(feedback.sample, dtype=np.int64)
    some = feedback.of_application & (sample >= 0)
    packet, time = sample[some], feedback.times[some]
    left = np.array(sent.time, dtype=np.float64)[packet]
    rtt = time - left
    delay = np.minimum(np.asarray(feedback.ack_delay, dtype=np.float64)[some], trace.peer_max_ack_delay)
    owd = np.where(delay <= rtt, rtt - delay, rtt)
    return DelaySamples(time, rtt, above_smallest(owd, np.array(sent.size, dtype=np.int64)[packet]), left)


def above_smallest(delay: Floats, size: Ints) -> Floats:
    """Delays of packets above the smallest of packets that are as large or larger: a small packet takes less time on
    the slowest link."""
    if not len(delay):
        return delay
    full = int(size.max()) or 1  # some traces lack sizes
    classes = np.clip(-(-CLASSES * size // full), 1, CLASSES)  # as `size_class`
    minima = np.full(CLASSES + 2, np.inf)
    np.minimum.at(minima, classes, delay)
    minima[:-1] = np.minimum.accumulate(minima[:-1][::-1])[::-1]
    return np.asarray(delay - minima[classes], dtype=np.float64)
