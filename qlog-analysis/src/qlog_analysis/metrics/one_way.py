"""Relative one-way delay by the peer's receive timestamps (draft-ietf-quic-receive-ts)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arrays import Floats
from ..model import Trace
from ..packed import parts, take
from .delay import DelaySamples, above_smallest, size_classes

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

    rowd: Floats | None
    """None where they are those of the samples by ACK arrivals."""
    source: str
    note: str | None = None
    """Why receive timestamps are not believed."""


def one_way(trace: Trace, samples: DelaySamples) -> OneWay:
    """By receive timestamps where there are any that can be believed, else by ACK arrivals (`samples`)."""
    feedback = trace.feedback
    if not len(feedback.received_packet) or not len(samples):
        return OneWay(None, ACK_ARRIVALS if trace.frames_known else SENDER)
    packet = np.asarray(feedback.received_packet, dtype=np.int64)
    left, classes = take(trace.sent.time, packet), size_classes(trace, packet)
    del packet
    rowd = np.array(feedback.received_time, dtype=np.float64)
    rowd -= left
    rowd = above_smallest(rowd, classes)
    both_ways, begin = left, 0
    for ends, time in zip(parts(feedback.received_end), parts(feedback.time), strict=True):
        some = slice(begin, int(ends[-1]))
        both_ways[some] = np.repeat(time, np.diff(ends, prepend=begin)) - left[some]
        begin = some.stop
    both_ways = above_smallest(both_ways, classes)
    both_ways += SLACK
    contradicted = float(np.mean(rowd > both_ways))
    del both_ways, left
    if contradicted > MOST_IMPLAUSIBLE:
        why = f"{100.0 * contradicted:.1f} % of the receive timestamps contradict round trips, so that none is used"
        return OneWay(None, ACK_ARRIVALS, why)
    return OneWay(rowd, TIMESTAMPS)
