"""Columns of a whole trace: tests look at all of it at once."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeVar

import numpy as np

from qlog_analysis.metrics.observed import Observed
from qlog_analysis.metrics.windows import Removals, Sends

C = TypeVar("C", Sends, Removals)


def sends_of(o: Observed) -> Sends:
    return _joined(Sends, [w.sends for w in o.windows()])


def removals_of(o: Observed) -> Removals:
    return _joined(Removals, [w.removals for w in o.windows()])


def _joined(kind: type[C], some: list[C]) -> C:
    return kind(*(np.concatenate([getattr(one, f.name) for one in some]) for f in fields(kind)))
