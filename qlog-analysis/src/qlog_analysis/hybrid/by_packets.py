"""The report of an epoch against the packets: whatever the controller says it has measured."""

from __future__ import annotations

from ..check.numbers import RELATIVE, REPORT_ROUNDING, TIME_TOLERANCE, close, one_of, show
from ..measure.sliding import Source
from ..zones import by_packets as common
from ..zones.measured import DELTA_TOLERANCE, surely_unused
from .constants import FULL_SHARE
from .jitters import JITTER_TOLERANCE
from .parameters import STARTUP_SAMPLES
from .sides import Sides, background


class PacketsAgainstReport:
    """Compares; what it finds goes into the findings of `sides`."""

    def __init__(self, sides: Sides) -> None:
        self.s = sides
        self.r, self.m = sides.r, sides.m

    def run(self) -> None:
        common.check_numbering(self.s)
        or_else = " or showed a decrease or, in start-up, the queue that ends it"
        common.check_timing(self.s, ends_early=self._ends_early(), or_else=or_else)
        self._path()
        common.check_counts(self.s)
        self._arrivals()
        self._trains()
        common.check_delta(self.s)
        self._jitter()
        self._thresholds()
        self._app_limited()

    def _ends_early(self) -> bool:
        """A queue in start-up ends the epoch before L has passed, and so does what shows a decrease."""
        m = self.m
        enough = m.samples >= STARTUP_SAMPLES
        startup = self.s.before.startup and not self.s.limited_before
        return m.shows_decrease or (startup and enough and True in m.queues)

    def _path(self) -> None:
        r, m, s = self.r, self.m, self.s
        self._length()
        if abs(r.return_delay / 1e3 - m.return_delay) > 2 * DELTA_TOLERANCE:
            s.find("return_delay", f"{r.return_delay:.4f} ms reported, {m.return_delay * 1e3:.4f} ms from the packets")
        if not any(close(r.skew, skew) for skew in m.skews):
            s.find("skew", f"{show(r.skew)} ppm reported, {one_of(map(show, m.skews))} from the packets")
        if abs(r.transmission_time - m.transmission * 1e3) > REPORT_ROUNDING:
            s.find(
                "transmission_time",
                f"{r.transmission_time:.6f} ms reported, {m.transmission * 1e3:.6f} ms from the receive timestamps",
            )

    def _length(self) -> None:
        r, m, lengths = self.r, self.m, list(self.m.lengths)
        slack, shown = TIME_TOLERANCE, "smallest RTT is"
        if self.s.longer_path:
            lengths = [x + by for x in lengths for by in m.least(Source.ACK) or [0.0]]
            slack, shown = TIME_TOLERANCE + DELTA_TOLERANCE, "smallest RTT and what was a queue are"
        if all(abs(r.length / 1e3 - length) > slack for length in lengths):
            self.s.find("length", f"L = {r.length:.3f} ms reported, {shown} {lengths[0] * 1e3:.3f} ms")

    def _arrivals(self) -> None:
        r, m, s = self.r, self.m, self.s
        if not m.loss_reports[0] <= r.loss_reports <= m.loss_reports[1]:
            told = f"{m.loss_reports[1]} feedbacks in the trace told of losses"
            s.find("loss_reports", f"{r.loss_reports} reported, {told}")
        # The duration has digits enough to have the rate exactly; whether it is right, "timing" says.
        bits = [r.delivery_rate * s.arriving(r.duration / 1e3, length) for length in s.lengths()]
        least, most = m.arrived_bits
        slack = 1e-9 * r.delivery_rate + REPORT_ROUNDING + RELATIVE * most
        if not (min(bits) - slack <= most and least <= max(bits) + slack):
            rate = f", {most / s.duration:.1f} bit/s" if s.duration > 0.0 else ""
            s.find("delivery_rate", f"{r.delivery_rate:.1f} bit/s reported, {most:.0f} bits came back{rate}")
        if r.stalled not in s.stalls():
            usual = s.usual(r.length / 1e3)
            s.find("stalled", f"{r.stalled} reported for {s.duration * 1e3:.3f} ms, {usual * 1e3:.3f} ms are usual")
        excessive_loss = s.before.excessive_loss and m.samples > 0
        if r.excessive_loss != excessive_loss:
            s.find(
                "excessive_loss",
                f"{r.excessive_loss} reported, the packets acknowledged and lost recently say {excessive_loss}",
            )

    def _trains(self) -> None:
        r, readings = self.r, self.m.trains
        agree = [trains for trains in readings if trains.shows(r.by_trains)]
        if not agree:
            allowed = one_of(f"{t.shown.low:.0f} to {t.shown.high:.0f}" for t in readings)
            self.s.find("train_rate", f"{show(r.train_rate)} bit/s reported, the packets show {allowed}")
        tried = {True} if not r.app_limited else {v for t in agree or readings for v in t.tries(r.rate_before)}
        if r.rate_tried not in tried:
            self.s.find("rate_tried", f"{r.rate_tried} reported, the packets show {one_of(map(str, tried))}")

    def _jitter(self) -> None:
        r, s = self.r, self.s
        nearest = min(s.before.jitters, key=lambda n: abs(n - s.jitter))
        if abs(nearest - s.jitter) > JITTER_TOLERANCE:
            s.find("jitter", f"{r.jitter:.6f} ms reported, the delays before lead to {nearest * 1e3:.6f} ms")
        nearest = min(s.before.ack_jitters, key=lambda n: abs(n - s.ack_jitter))
        if abs(nearest - s.ack_jitter) > JITTER_TOLERANCE:
            s.find("ack_jitter", f"{r.ack_jitter:.6f} ms reported, the ACKs before lead to {nearest * 1e3:.6f} ms")
        low, high = s.before.ack_gap
        if not low - REPORT_ROUNDING / 1e3 <= s.ack_gap <= high + REPORT_ROUNDING / 1e3:
            expected = low if s.ack_gap < low else high
            s.find("ack_gap", f"{r.ack_gap:.6f} ms reported, the epochs before lead to {expected * 1e3:.6f} ms")
        allowed = s.background_after()
        if not any(close(r.background_loss, b.share) for b in allowed):
            shown = one_of(f"{b.share:.6f}" for b in allowed)
            s.find("background_loss", f"{r.background_loss:.6f} reported, losses without a queue lead to {shown}")
        if not any(background(r).count == b.count for b in allowed):
            shown = one_of(f"{b.count.lost} of {b.count.packets}" for b in allowed)
            told = f"{r.background_lost} of {r.background_packets} packets reported"
            s.find("background_lost", f"{told}, losses without a queue lead to {shown}")

    def _thresholds(self) -> None:
        r, s = self.r, self.s
        for name in ("d0", "d1", "d2", "d3"):
            reported, expected = getattr(r, name), getattr(s.thresholds, name) * 1e3
            # d3 is four times d1, and that `target_packets` times P / R, which is rounded to 1 ns, and more.
            if not abs(reported - expected) <= RELATIVE * expected + (s.p.target_packets + 5.0) * REPORT_ROUNDING:
                s.find("thresholds", f"{name} = {reported:.6f} ms reported, R and P lead to {expected:.6f} ms")
        slack = FULL_SHARE * DELTA_TOLERANCE * 1e3 + REPORT_ROUNDING
        if not any(abs(r.full - full * 1e3) <= RELATIVE * full * 1e3 + slack for full in s.full):
            expected = min(s.full, key=lambda full: abs(r.full - full * 1e3))
            s.find("full", f"{r.full:.6f} ms reported, the longest recent queue leads to {expected * 1e3:.6f} ms")

    def _app_limited(self) -> None:
        r, m, s = self.r, self.m, self.s
        common.check_app_limited(s)
        withheld = s.before.startup and m.growing is not None and m.growing.withheld is not None
        if withheld and not r.app_limited and m.sent_bits < surely_unused(r.rate_before, s.duration):
            s.find("app_limited", "not reported, but in start-up an ACK did not raise R, and little was sent")
