"""Figures of any trace, whatever controller and implementation sent it, from packets and ACKs alone.

`measure` gives all of them for one trace, and `fairness` compares several. Each file beside this one has one concept;
`delay_samples` and `rate_samples` give the samples themselves, as columns.
"""

from ..arrays import Floats, Ints
from .ack_frequency import AckFrequency
from .acks import Acks, acks_of
from .application import ApplicationLimited
from .delay import DelaySamples, delay_samples
from .delivery_rate import RateSamples, rate_samples
from .distribution import Distribution
from .fairness import Fairness, Flow, fairness, flow_of
from .figures import BASIC, TraceMetrics
from .goodput import distinct_bytes, transfer_span
from .measure import measure, measure_alone
from .observed import Observed, observe
from .pacing import Pacing
from .reasons import NO_FRAMES
from .reordering import Reordering
from .text import fairness_text, to_text

__all__ = [
    "BASIC",
    "NO_FRAMES",
    "AckFrequency",
    "Acks",
    "ApplicationLimited",
    "DelaySamples",
    "Distribution",
    "Fairness",
    "Floats",
    "Flow",
    "Ints",
    "Observed",
    "Pacing",
    "RateSamples",
    "Reordering",
    "TraceMetrics",
    "acks_of",
    "delay_samples",
    "distinct_bytes",
    "fairness",
    "fairness_text",
    "flow_of",
    "measure",
    "measure_alone",
    "observe",
    "rate_samples",
    "to_text",
    "transfer_span",
]
