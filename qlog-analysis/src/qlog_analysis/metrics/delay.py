"""Round trips and relative one-way delays by the arrivals of ACKs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..measure.sliding import CLASSES, size_class
from ..model import Space, Trace
from .distribution import Floats


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
    sent = trace.sent
    samples = [f for f in trace.feedback if f.space is Space.APPLICATION and f.sample >= 0]
    full = max((sent.size[f.sample] for f in samples), default=0) or 1  # some traces lack sizes
    time = np.array([f.time for f in samples], dtype=np.float64)
    left = np.array([sent.time[f.sample] for f in samples], dtype=np.float64)
    rtt = time - left
    delay = np.array([min(f.ack_delay, trace.peer_max_ack_delay) for f in samples], dtype=np.float64)
    owd = np.where(delay <= rtt, rtt - delay, rtt)
    classes = np.array([size_class(sent.size[f.sample], full) for f in samples], dtype=np.int64)
    minima = np.full(CLASSES + 2, np.inf)
    for c in range(CLASSES, 0, -1):
        own = owd[classes == c]
        minima[c] = min(minima[c + 1], own.min() if len(own) else np.inf)
    return DelaySamples(time, rtt, owd - minima[classes] if len(owd) else owd, left)
