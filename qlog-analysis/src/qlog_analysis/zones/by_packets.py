"""What both profiles report of an epoch against the packets."""

from __future__ import annotations

from typing import Any

from ..check.numbers import TIME_TOLERANCE
from .measured import DELTA_TOLERANCE
from .sides import Sides

AnySides = Sides[Any, Any]


def check_numbering(s: AnySides) -> None:
    """Epochs count from 0 without gaps, and end at a feedback."""
    expected = 0 if s.previous is None else s.previous.epoch + 1
    if s.r.epoch != expected:
        s.find("numbering", f"epoch {s.r.epoch} follows, expected {expected}")
    if not s.m.on_feedback:
        s.find("timing", "no ACK or loss detection at the time of the event that ended the epoch")


def check_timing(s: AnySides, *, ends_early: bool = False, or_else: str = "") -> None:
    """When it ended; `ends_early` if something else than L was reason enough, `or_else` what that may be."""
    r, m = s.r, s.m
    if abs(r.duration / 1e3 - s.duration) > TIME_TOLERANCE:
        s.find("timing", f"duration {r.duration:.3f} ms reported, {s.duration * 1e3:.3f} ms since the epoch before")
    if s.duration < min(s.lengths()) - TIME_TOLERANCE and not ends_early:
        s.find("timing", f"ended after {s.duration * 1e3:.3f} ms, before L = {r.length:.3f} ms had passed")
    if m.overdue is not None:
        s.find(
            "timing",
            f"ended after {s.duration * 1e3:.3f} ms, but the feedback at {m.overdue:.6f} s, "
            f"{(m.overdue - m.start) * 1e3:.3f} ms after its start, was past L{or_else}",
        )


def check_counts(s: AnySides) -> None:
    """Source, samples and packets."""
    r, m = s.r, s.m
    if r.source != m.source.value:
        s.find("source", f"{r.source!r} reported, {m.source.value!r} is in use by the packets")
    if r.acked != m.acked:
        s.find("acked", f"{r.acked} packets reported, {m.acked} in the ACKs")
    if r.samples != m.samples:
        s.find("samples", f"{r.samples} reported, {m.samples} in the packets")
    if not m.lost[0] <= r.lost <= m.lost[1]:
        s.find("lost", f"{r.lost} losses reported, {m.lost[1]} in the packets")
    if not m.lost_total[0] <= r.lost_total <= m.lost_total[1]:
        s.find("lost_total", f"{r.lost_total} losses in all reported, {m.lost_total[1]} in the packets")


def check_delta(s: AnySides) -> None:
    """What stands for the delays of the epoch."""
    reported, nearest = s.r.delta, s.nearest_delta()
    if reported is None or nearest is None:
        if (reported is None) != (nearest is None):
            shown = "null" if reported is None else f"{reported:.4f} ms"
            has = "no samples" if nearest is None else f"{s.m.samples} samples"
            s.find("delta", f"{shown} reported with {has} in the packets")
        return
    error = abs(reported / 1e3 - nearest)
    if error > DELTA_TOLERANCE:
        s.find(
            "delta",
            f"{reported:.4f} ms reported, {nearest * 1e3:.4f} ms from the packets, {error * 1e6:.1f} us apart",
        )


def check_app_limited(s: AnySides) -> None:
    """Only if less than 0.8 R t was sent; when it must be, `Limited` says."""
    r, m = s.r, s.m
    rate_bits = 0.8 * r.rate_before * (s.duration + TIME_TOLERANCE)
    if r.app_limited and m.sent_bits >= rate_bits:
        s.find(
            "app_limited",
            f"reported, but {m.sent_bits:.0f} bits were sent, which is not below 0.8 R t = {rate_bits:.0f}",
        )
