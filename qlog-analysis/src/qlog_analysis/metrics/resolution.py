"""How finely a trace tells time."""

from __future__ import annotations

import numpy as np

from ..model import Trace

ENOUGH = 20
"""Packets; fewer may fall on whole ms by chance."""
ROUNDING = 2e-6
"""s; of times that are kept as ms since 1970."""


def whole_ms(trace: Trace) -> bool:
    """Whether the packets of a trace have times in whole ms, as some writers have them."""
    time = np.concatenate((np.array(trace.sent.time, dtype=np.float64), np.array(trace.received_at, dtype=np.float64)))
    if len(time) < ENOUGH:
        return False
    return bool((np.abs(time - np.round(time, 3)) < ROUNDING).all())
