"""What both profiles report of an epoch against the packets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..check.numbers import TIME_TOLERANCE
from .measured import DELTA_TOLERANCE, GROWN_SHARE, HANDSHAKE_EPOCHS, Step
from .sides import Sides

SURE_ROOM = 0.75
"""Of the smaller of the windows before and after an epoch: it had room where less was in flight."""

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


def check_app_limited(s: AnySides, steps: Sequence[Step], *, grows: bool = False) -> None:
    """Only if less than 0.8 R t was sent; it must be if the window surely had room all the time. `grows` if R, and the
    window with it, does so while the epoch lasts."""
    r, m = s.r, s.m
    rate_bits = 0.8 * r.rate_before * (s.duration + TIME_TOLERANCE)
    if r.app_limited and m.sent_bits >= rate_bits:
        s.find(
            "app_limited",
            f"reported, but {m.sent_bits:.0f} bits were sent, which is not below 0.8 R t = {rate_bits:.0f}",
        )
    one_more = m.sent_bits + 8.0 * m.max_datagram_size
    unused = surely_unused(s) * (GROWN_SHARE if grows else 1.0)
    if one_more < unused and not r.app_limited and _window_had_room(s, steps):
        s.find("app_limited", "not reported, but little was sent, and the window was never full")


def surely_unused(s: AnySides) -> float:
    """With fewer bits sent, whatever the rounding, R was not used."""
    used: float = 0.8 * s.r.rate_before * (s.duration - TIME_TOLERANCE)
    return used


def _window_had_room(s: AnySides, steps: Sequence[Step]) -> bool:
    """Whether it surely had all the time; bytes of the handshake may be in flight that the packets do not show."""
    before = s.previous
    if before is None or before.epoch < HANDSHAKE_EPOCHS:
        return False
    window: float = min(before.window, s.r.window)
    if s.r.length < before.length:
        # L has fallen meanwhile, and the window of the same R with it, in whole packets.
        window = min(window, before.window * s.r.length / before.length - s.m.max_datagram_size)
    sure = min(SURE_ROOM * window, window - s.m.max_datagram_size)
    return all(step.in_flight_before <= sure for step in steps)
