"""How finely a trace tells time."""

from __future__ import annotations

import numpy as np

from ..model import Trace
from ..packed import parts

ENOUGH = 20
"""Packets; fewer may fall on whole ms by chance."""
ROUNDING = 2e-6
"""s; of times that are kept as ms since 1970."""


def whole_ms(trace: Trace) -> bool:
    """Whether the packets of a trace have times in whole ms, as some writers have them."""
    if len(trace.sent) + len(trace.received_at) < ENOUGH:
        return False
    columns = (trace.sent.time, trace.received_at)
    return all((np.abs(time - np.round(time, 3)) < ROUNDING).all() for column in columns for time in parts(column))
