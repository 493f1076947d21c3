"""Epochs for the law, by what is unusual about them."""

from __future__ import annotations

from typing import Any

from qlog_analysis.hybrid.ended_epoch import Epoch

USUAL: dict[str, Any] = {
    "lost": False,
    "excessive_loss": False,
    "packet_bytes": 1250,
    "app_limited": False,
    "startup": False,
    "queues": False,
    "uncertain": 0.0,
    "background": 0.0,
}


def epoch(**values: Any) -> Epoch:
    """One of the steady phase without losses or jitter, but for `values`."""
    return Epoch(**{**USUAL, **values})
