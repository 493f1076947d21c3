"""Relative one-way delay by the peer's receive timestamps (draft-ietf-quic-receive-ts)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..model import Trace
from .delay import DelaySamples, above_smallest

SLACK = 5e-3
"""s; the delay of one way is not larger than that of both, but for so much."""
MOST_IMPLAUSIBLE = 0.01
"""Share of samples that may contradict this, before the timestamps are not believed: a peer's clock may be set."""

TIMESTAMPS = "receive timestamps"
ACK_ARRIVALS = "ACK arrivals"
SENDER = "round trips that the sender tells"
"""Where packets are written without frames."""


@dataclass(frozen=True, slots=True)
class OneWay:
    """Relative one-way delays, s, and what tells of them."""

    rowd: Floats
    source: str
    note: str | None = None
    """Why receive timestamps are not believed."""


def one_way(trace: Trace, samples: DelaySamples) -> OneWay:
    """By receive timestamps where there are any that can be believed, else by ACK arrivals (`samples`)."""
    feedback = trace.feedback
    if not len(feedback.received_packet) or not len(samples.rowd):
        return OneWay(samples.rowd, ACK_ARRIVALS if trace.frames_known else SENDER)
    packet = np.asarray(feedback.received_packet, dtype=np.int64)
    received = np.asarray(feedback.received_time, dtype=np.float64)
    acked = np.repeat(feedback.times, np.diff(feedback.received_end, prepend=0))
    left = np.array(trace.sent.time, dtype=np.float64)[packet]
    size = np.array(trace.sent.size, dtype=np.int64)[packet]
    rowd = above_smallest(received - left, size)
    both_ways = above_smallest(acked - left, size)
    contradicted = float(np.mean(rowd > both_ways + SLACK))
    if contradicted > MOST_IMPLAUSIBLE:
        why = f"{100.0 * contradicted:.1f} % of the receive timestamps contradict round trips, so that none is used"
        return OneWay(samples.rowd, ACK_ARRIVALS, why)
    return OneWay(rowd, TIMESTAMPS)
