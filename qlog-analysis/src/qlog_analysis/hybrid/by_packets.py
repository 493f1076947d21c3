"""The report of an epoch against the packets: whatever the controller says it has measured."""

from __future__ import annotations

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE, close, one_of, show
from ..measure.sliding import Source
from .measured import DELTA_TOLERANCE
from .noises import NOISE_TOLERANCE
from .parameters import HANDSHAKE_EPOCHS, STARTUP_SAMPLES
from .sides import Sides

SURE_ROOM = 0.75
"""Of the smaller of the windows before and after an epoch: it had room where less was in flight."""


class PacketsAgainstReport:
    """Compares; what it finds goes into the findings of `sides`."""

    def __init__(self, sides: Sides) -> None:
        self.s = sides
        self.r, self.m = sides.r, sides.m

    def run(self) -> None:
        self._timing()
        self._path()
        self._counts()
        self._delta()
        self._noise()
        self._trend()
        self._thresholds()
        self._app_limited()

    # -- when the epoch ended -----------------------------------------------------------------------------------

    def _timing(self) -> None:
        r, m, s = self.r, self.m, self.s
        expected = 0 if s.before.epoch is None else s.before.epoch.epoch + 1
        if r.epoch != expected:
            s.find("numbering", f"epoch {r.epoch} follows, expected {expected}")
        if not m.on_feedback:
            s.find("timing", "no ACK or loss detection at the time of the event that ended the epoch")
        if abs(r.duration / 1e3 - s.duration) > TIME_TOLERANCE:
            s.find("timing", f"duration {r.duration:.3f} ms reported, {s.duration * 1e3:.3f} ms since the epoch before")
        if s.duration < min(s.lengths()) - TIME_TOLERANCE and not self._ends_early():
            s.find("timing", f"ended after {s.duration * 1e3:.3f} ms, before L = {r.length:.3f} ms had passed")
        if m.overdue is not None:
            s.find(
                "timing",
                f"ended after {s.duration * 1e3:.3f} ms, but the feedback at {m.overdue:.6f} s, "
                f"{(m.overdue - m.start) * 1e3:.3f} ms after its start, was past L"
                " or showed a decrease or, in start-up, the queue that ends it",
            )

    def _ends_early(self) -> bool:
        """A queue in start-up ends the epoch before L has passed, and so does what shows a decrease."""
        m = self.m
        enough = len(m.rowds[0]) >= STARTUP_SAMPLES
        return m.shows_decrease or (self.s.before.startup and enough and True in m.queues)

    # -- what the packets showed --------------------------------------------------------------------------------

    def _path(self) -> None:
        r, m, s = self.r, self.m, self.s
        self._length()
        if r.source != m.source.value:
            s.find("source", f"{r.source!r} reported, {m.source.value!r} is in use by the packets")
        if abs(r.return_delay / 1e3 - m.return_delay) > 2 * DELTA_TOLERANCE:
            s.find("return_delay", f"{r.return_delay:.4f} ms reported, {m.return_delay * 1e3:.4f} ms from the packets")
        if not any(close(r.skew, skew) for skew in m.skews):
            s.find("skew", f"{show(r.skew)} ppm reported, {one_of(map(show, m.skews))} from the packets")
        if abs(r.transmission_time - m.transmission * 1e3) > REPORT_ROUNDING:
            s.find(
                "transmission_time",
                f"{r.transmission_time:.6f} ms reported, {m.transmission * 1e3:.6f} ms from the receive times",
            )

    def _length(self) -> None:
        r, m, lengths = self.r, self.m, list(self.m.lengths)
        slack, shown = TIME_TOLERANCE, "smallest RTT is"
        if self.s.longer_path:
            lengths = [x + by for x in lengths for by in m.least(Source.ACK) or [0.0]]
            slack, shown = TIME_TOLERANCE + DELTA_TOLERANCE, "smallest RTT and what was a queue are"
        if all(abs(r.length / 1e3 - length) > slack for length in lengths):
            self.s.find("length", f"L = {r.length:.3f} ms reported, {shown} {lengths[0] * 1e3:.3f} ms")

    def _counts(self) -> None:
        r, m, s = self.r, self.m, self.s
        if r.acked != m.acked:
            s.find("acked", f"{r.acked} packets reported, {m.acked} in the ACKs")
        samples = len(m.rowds[0])
        if r.samples != samples:
            s.find("samples", f"{r.samples} reported, {samples} in the packets")
        if not m.lost[0] <= r.lost <= m.lost[1]:
            s.find("lost", f"{r.lost} losses reported, {m.lost[1]} in the packets")
        if not m.loss_reports[0] <= r.loss_reports <= m.loss_reports[1]:
            told = f"{m.loss_reports[1]} feedbacks in the trace told of losses"
            s.find("loss_reports", f"{r.loss_reports} reported, {told}")
        if not m.lost_in_all[0] <= r.lost_in_all <= m.lost_in_all[1]:
            s.find("lost_in_all", f"{r.lost_in_all} losses in all reported, {m.lost_in_all[1]} in the packets")
        # The duration has digits enough to have the rate exactly; whether it is right, "timing" says.
        bits = [r.arrived * s.arriving(r.duration / 1e3, length) for length in s.lengths()]
        slack = 1e-9 * r.arrived + REPORT_ROUNDING + RELATIVE * m.acked_bits
        if not min(bits) - slack <= m.acked_bits <= max(bits) + slack:
            rate = f", {m.acked_bits / s.duration:.1f} bit/s" if s.duration > 0.0 else ""
            s.find("arrived", f"{r.arrived:.1f} bit/s reported, {m.acked_bits:.0f} bits were acknowledged{rate}")
        if r.stalled not in s.stalls():
            usual = s.usual(r.length / 1e3)
            s.find("stalled", f"{r.stalled} reported for {s.duration * 1e3:.3f} ms, {usual * 1e3:.3f} ms are usual")
        overwhelmed = s.before.overwhelmed and samples > 0
        if r.overwhelmed != overwhelmed:
            s.find(
                "overwhelmed", f"{r.overwhelmed} reported, the packets acknowledged and lost of late say {overwhelmed}"
            )

    def _delta(self) -> None:
        reported, measured, s = self.r.delta, self.s.deltas, self.s
        if reported is None or not measured:
            if (reported is None) == bool(measured):
                shown = "null" if reported is None else f"{reported:.4f} ms"
                has = "no samples" if not measured else f"{len(self.m.rowds[0])} samples"
                s.find("delta", f"{shown} reported with {has} in the packets")
            return
        nearest = min(measured, key=lambda d: abs(reported / 1e3 - d))
        error = abs(reported / 1e3 - nearest)
        if error > DELTA_TOLERANCE:
            s.find(
                "delta",
                f"{reported:.4f} ms reported, {nearest * 1e3:.4f} ms from the packets, {error * 1e6:.1f} us apart",
            )

    def _noise(self) -> None:
        r, s = self.r, self.s
        nearest = min(s.before.noises, key=lambda n: abs(n - s.noise))
        if abs(nearest - s.noise) > (NOISE_TOLERANCE if s.p.least else REPORT_ROUNDING / 1e3):
            s.find("noise", f"{r.noise:.6f} ms reported, the delays before lead to {nearest * 1e3:.6f} ms")
        low, high = s.before.gap
        if not low - REPORT_ROUNDING / 1e3 <= s.gap <= high + REPORT_ROUNDING / 1e3:
            expected = low if s.gap < low else high
            s.find("gap", f"{r.gap:.6f} ms reported, the epochs before lead to {expected * 1e3:.6f} ms")
        allowed = s.background_after()
        if not any(close(r.background_loss, b) for b in allowed):
            shown = one_of(f"{b:.6f}" for b in allowed)
            s.find("background_loss", f"{r.background_loss:.6f} reported, losses without a queue lead to {shown}")

    def _trend(self) -> None:
        names = {t.value for t in self.s.trends}
        if self.r.trend not in names:
            self.s.find("trend", f"{self.r.trend!r} reported, {one_of(names)} from the packets")

    def _thresholds(self) -> None:
        r, s = self.r, self.s
        for name in ("d0", "d1", "d2", "d3"):
            reported, expected = getattr(r, name), getattr(s.thresholds, name) * 1e3
            # d3 is four times d1, and that `queue` times P / R, which is rounded to 1 ns, and more.
            if not abs(reported - expected) <= RELATIVE * expected + (s.p.queue + 5.0) * REPORT_ROUNDING:
                s.find("thresholds", f"{name} = {reported:.6f} ms reported, R and P lead to {expected:.6f} ms")
        slack = s.p.full * DELTA_TOLERANCE * 1e3 + REPORT_ROUNDING
        if not any(abs(r.full - full * 1e3) <= RELATIVE * full * 1e3 + slack for full in s.full):
            expected = min(s.full, key=lambda full: abs(r.full - full * 1e3))
            s.find("full", f"{r.full:.6f} ms reported, the longest queue of late leads to {expected * 1e3:.6f} ms")

    def _app_limited(self) -> None:
        r, m, s = self.r, self.m, self.s
        rate_bits = 0.8 * r.rate_before * (s.duration + TIME_TOLERANCE)
        if r.app_limited and m.sent_bits >= rate_bits:
            s.find(
                "app_limited",
                f"reported, but {m.sent_bits:.0f} bits were sent, which is not below 0.8 R t = {rate_bits:.0f}",
            )
        sure = 0.8 * r.rate_before * (s.duration - TIME_TOLERANCE)
        one_more = m.sent_bits + 8.0 * s.limits.max_datagram_size
        if one_more < sure and not r.app_limited and self._window_had_room():
            s.find("app_limited", "not reported, but little was sent, and the window was never full")
        withheld = s.before.startup and m.growing is not None and m.growing.withheld
        if withheld and not r.app_limited and m.sent_bits < sure:
            s.find("app_limited", "not reported, but in start-up an ACK did not raise R, and little was sent")

    def _window_had_room(self) -> bool:
        """Whether it surely had all the time; bytes of the handshake may be in flight that the packets do not show."""
        before = self.s.before.epoch
        if before is None or before.epoch < HANDSHAKE_EPOCHS or self.s.before.startup:
            return False
        sure = SURE_ROOM * min(before.window, self.r.window)
        return all(step.in_flight_before < sure for step in self.m.steps)
