"""The probe timeout at every moment (RFC 9002 sections 5.3 and 6.2.1), in the bounds that a trace leaves open."""

from __future__ import annotations

import math

import numpy as np

from ..measure.rtt import GRANULARITY
from ..metrics import Floats
from ..model import TIME_RESOLUTION, Space, Trace


def probe_timeouts(trace: Trace) -> tuple[Floats, Floats]:
    """After each feedback, the shortest and the longest, s; NaN before the first round trip is known.

    Until the handshake is confirmed a sender may take the peer's ACK delay as it is told, cap it, or ignore it in
    Initial packets (section 5.3), and the trace does not say which it did."""
    both = [_timeouts(trace, capped) for capped in (True, False)]
    slack = 8.0 * TIME_RESOLUTION  # of the samples in the mean, and four times in the variation
    return np.minimum(*both) - slack, np.maximum(*both) + slack


def _timeouts(trace: Trace, capped: bool) -> Floats:
    sent, most = trace.sent, trace.peer_max_ack_delay
    confirmed = min((s.record for s in trace.signals if s.kind == "handshake_done"), default=0)
    smoothed = variation = smallest = math.nan
    out = []
    for f in trace.feedback:
        if f.sample >= 0:
            latest = f.time - sent.time[f.sample]
            smallest = latest if math.isnan(smallest) else min(smallest, latest)
            delay = f.ack_delay
            if f.record > confirmed:
                delay = min(delay, most)
            elif capped:
                delay = 0.0 if f.space is Space.INITIAL else min(delay, most)
            if latest - delay >= smallest:
                latest -= delay
            if math.isnan(smoothed):
                smoothed, variation = latest, latest / 2.0
            else:
                variation = 0.75 * variation + 0.25 * abs(smoothed - latest)
                smoothed = 0.875 * smoothed + 0.125 * latest
        out.append(smoothed + max(4.0 * variation, GRANULARITY) + most)
    return np.array(out, dtype=np.float64)
