"""The probe timeout at every moment (RFC 9002 sections 5.3 and 6.2.1), in the bounds that a trace leaves open."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..measure.rtt import GRANULARITY
from ..model import TIME_RESOLUTION, Space, Trace


def probe_timeouts(trace: Trace) -> tuple[Floats, Floats]:
    """After each feedback, the shortest and the longest, s; NaN before the first round trip is known.

    Until the handshake is confirmed a sender may take the peer's ACK delay as it is told, cap it, or ignore it in
    Initial packets (section 5.3), and the trace does not say which it did."""
    sampled = np.flatnonzero(np.asarray(trace.feedback.sample, dtype=np.int64) >= 0)
    delays = [_less_delay(trace, sampled, capped) for capped in (True, False)]
    both = [_timeouts(delays[0], trace.peer_max_ack_delay)]
    both.append(both[0] if (delays[0] == delays[1]).all() else _timeouts(delays[1], trace.peer_max_ack_delay))
    newest = np.searchsorted(sampled, np.arange(len(trace.feedback)), side="right")
    slack = 8.0 * TIME_RESOLUTION  # of the samples in the mean, and four times in the variation
    low, high = (np.concatenate(([np.nan], bound(*both)))[newest] for bound in (np.minimum, np.maximum))
    return low - slack, high + slack


def _less_delay(trace: Trace, sampled: Ints, capped: bool) -> Floats:
    """The round trips that feedback at these places measures, less the peer's delay."""
    confirmed = min((s.record for s in trace.signals if s.kind == "handshake_done"), default=0)
    feedback = trace.feedback
    left = np.asarray(trace.sent.time, dtype=np.float64)[np.asarray(feedback.sample, dtype=np.int64)[sampled]]
    latest = feedback.times[sampled] - left
    told = np.asarray(feedback.ack_delay, dtype=np.float64)[sampled]
    cut = np.minimum(told, trace.peer_max_ack_delay)
    space = np.frombuffer(feedback.space, dtype=np.uint8)[sampled]
    before = np.where(space == Space.INITIAL, 0.0, cut) if capped else told
    less = latest - np.where(feedback.records[sampled] > confirmed, cut, before)
    return np.where(less >= np.minimum.accumulate(latest), less, latest)


def _timeouts(samples: Floats, most: float) -> Floats:
    """After each of the samples."""
    smoothed, variation = [], []
    mean = deviation = math.nan
    for latest in samples.tolist():
        if math.isnan(mean):
            mean, deviation = latest, latest / 2.0
        else:
            deviation = 0.75 * deviation + 0.25 * abs(mean - latest)
            mean = 0.875 * mean + 0.125 * latest
        smoothed.append(mean)
        variation.append(deviation)
    out: Floats = np.array(smoothed) + np.maximum(4.0 * np.array(variation), GRANULARITY) + most
    return out
