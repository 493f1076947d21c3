"""Epochs for the law, by what is unusual about them."""

from __future__ import annotations

from typing import Any

from qlog_analysis.hybrid import early_end, law
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN, LossCount
from qlog_analysis.hybrid.parameters import Parameters
from qlog_analysis.hybrid.standing import Outcome

USUAL: dict[str, Any] = {
    "lost": False,
    "excessive_loss": False,
    "packet_bytes": 1250,
    "app_limited": False,
    "startup": False,
    "queues": False,
    "uncertain": 0.0,
    "background": 0.0,
    "usual_losses": NOTHING_KNOWN,
}


def usually(share: float) -> LossCount:
    """Losses without a queue: this share of 10,000 packets."""
    lost = int(share * 1e4)
    return LossCount(lost, 10_000 - lost)


def epoch(**values: Any) -> Epoch:
    """One of the steady phase without losses or jitter, but for `values`."""
    return Epoch(**{**USUAL, **values})


def resumed(e: Epoch, course: Course, p: Parameters, *, lost: bool) -> law.Update | None:
    """The update of an epoch without samples that shows that start-up has ended too early; `course` has learnt from it,
    `lost` says whether a packet was found lost."""
    if e.startup or not early_end.is_early(course, e.packet_bytes, e.dispersed_transmission, p, losing=lost):
        return None
    rate, left = early_end.resumed(course, e.packet_bytes, e.length)
    return law.Update(0, None, None, rate, True, left, outcome=Outcome.EARLY_END)
