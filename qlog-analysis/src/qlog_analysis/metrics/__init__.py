"""Figures of any trace, whatever controller and implementation sent it, from packets and ACKs alone.

`measure` gives all of them for one trace. Each file beside this one has one concept.
"""

from .delay import DelaySamples, delay_samples
from .distribution import Distribution, Floats, share_of_time_above
from .goodput import distinct_bytes, transfer_span
from .measure import NO_FRAMES, TraceMetrics, measure
from .text import to_text

__all__ = [
    "NO_FRAMES",
    "DelaySamples",
    "Distribution",
    "Floats",
    "TraceMetrics",
    "delay_samples",
    "distinct_bytes",
    "measure",
    "share_of_time_above",
    "to_text",
    "transfer_span",
]
