"""The report of an epoch against the rules, applied to what was reported and to the packets."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import replace

from ..check.numbers import REPORT_ROUNDING, TIME_TOLERANCE, close, one_of, show
from ..zones import rate as rates
from ..zones.measured import DELTA_TOLERANCE
from ..zones.sides import allows
from . import early_end, jitter, law
from .arriving import Back
from .course import Course
from .ended_epoch import Epoch
from .sides import Sides, background
from .standing import Outcome, Standing, starts_anew
from .state import State, state_of
from .thresholds import Thresholds
from .windows import windows


class RulesAgainstReport:
    """Compares; what it finds goes into the findings of `sides`."""

    def __init__(self, sides: Sides) -> None:
        self.s = sides
        self.r, self.m, self.p = sides.r, sides.m, sides.p
        self.startup = sides.before.startup
        self.from_packets = list(self._from_packets())
        """What the rules make of the packets; several where rounding decides."""
        self.course, self.standing = sides.before.course, sides.standing
        """What this epoch leaves to those after it, as far as the report agrees with the rules."""
        self.queues = frozenset({self.standing.queue})
        """Values that Q may have then."""
        self.goes_on = False
        """Whether start-up does, by an epoch without samples."""
        self.since_decrease = (self.course.since_decrease, self.course.since_decrease)
        """u then, s: at least and at most."""

    @property
    def startup_after(self) -> bool | None:
        """Whether by the packets the next epoch is one of start-up; None if rounding leaves that open."""
        if self.r.delta is None:
            return self.startup or self.goes_on
        found = {u.startup for u in self.from_packets}
        return found.pop() if len(found) == 1 else None

    def run(self) -> None:
        self._rules()
        self._packets_by_rules()
        self._chain()
        self._window()

    # -- what was reported --------------------------------------------------------------------------------------

    def _rules(self) -> None:
        r = self.r
        before, state = self.s.before.course, self.s.before.state
        if r.state != state:
            self.s.find("state", f"{r.state!r} reported, the epochs before lead to {state.value!r}")
        self._close("since_decrease", r.since_decrease, before.since_decrease * 1e3)
        self._close("carried_rate", r.carried_rate, self.s.before.carried)
        self._close("variability", r.variability, before.dips.variability)
        queues = [q * 1e3 for q in self.s.before.queues]
        if not any(close(r.competing_queue, q) for q in queues):
            self._close("competing_queue", r.competing_queue, min(queues, key=lambda q: abs(q - r.competing_queue)))
        if r.delta is None:
            self._unchanged()
            return
        candidates = list(self._from_report())
        if not candidates:
            return
        if r.zone not in {c.zone for c in candidates}:
            self._disagree("zone", r.zone, [c.zone for c in candidates])
        same_zone = [c for c in candidates if c.zone == r.zone] or candidates
        if r.outcome not in {c.outcome for c in same_zone}:
            self._disagree("outcome", r.outcome, [c.outcome for c in same_zone])
        same_zone = [c for c in same_zone if c.outcome == r.outcome] or same_zone
        self._hold("alpha", r.alpha, [c.alpha for c in same_zone])
        self._hold("beta", r.beta, [c.beta for c in same_zone])
        self._hold("return_rate", r.return_rate, [c.course.return_rate for c in same_zone])
        held = [None if c.standing.others is None else c.standing.others.held_rate for c in same_zone]
        self._hold("held_rate", r.held_rate, held)
        self.s.rate_after([c.rate for c in same_zone], "the rules give for what was reported")
        nearest = min(same_zone, key=self._disagreement)
        self.course, self.standing = nearest.course, nearest.standing
        self.queues = frozenset(c.standing.queue for c in same_zone)
        times = [c.course.since_decrease for c in same_zone]
        self.since_decrease = (min(times), max(times))

    def _disagreement(self, c: law.Update) -> tuple[float, ...]:
        """How far it is from the report, what says most first; where both agree, the next report tells what the flow
        is doing then."""
        r, others, following = self.r, c.standing.others, self.s.before.following
        pairs = (
            (r.alpha, c.alpha),
            (r.beta, c.beta),
            (r.return_rate, c.course.return_rate),
            (r.held_rate, None if others is None else others.held_rate),
            (r.rate_after, c.rate),
        )
        unlike = sum(not allows(reported, [its]) for reported, its in pairs)
        state = state_of(c.course, c.standing, startup=c.startup)
        return unlike, following is not None and following.state != state, abs(c.rate - r.rate_after)

    def _unchanged(self) -> None:
        """An epoch without samples changes nothing but what is known of S, unless the path was interrupted, or start-up
        had ended too early."""
        r, s = self.r, self.s
        length = r.length / 1e3
        arriving = s.arriving(r.duration / 1e3, length)
        before = s.before.course.arrive(r.delivery_rate, arriving, length)
        self.standing = s.standing.take_in(self._back(arriving))
        if s.interrupted:
            self.course = Course()
            size = s.limits.max_datagram_size
            expected, rate = Outcome.INTERRUPTED.value, rates.restarted(r.rate_before, r.length / 1e3, size)
        else:
            self.course = self._learnt(before, arriving)
            # L may have fallen, and the least R risen.
            expected, rate = None, rates.clamp_rate(r.rate_before, s.limits.max_datagram_size, length)
            self.goes_on = self._ended_too_early()
            if self.goes_on:
                rate, self.course = early_end.resumed(self.course, s.limits.max_datagram_size, length)
                expected = Outcome.EARLY_END.value
        for what, value in (("zone", r.zone), ("alpha", r.alpha), ("beta", r.beta)):
            if value is not None:
                self.s.find(what, f"an epoch without samples has none, but {show(value)} is reported")
        if not close(r.rate_after, rate):
            self.s.find("rate", f"{show(r.rate_after)} reported, an epoch without samples leads to {show(rate)}")
        if r.outcome != expected:
            self._disagree("outcome", r.outcome, [expected])
        if s.interrupted or self.goes_on:
            self.standing, self.queues = Standing(), frozenset({0.0})
        elif r.stalled:
            self.standing = Standing(others=self.standing.others)
        self._hold("return_rate", r.return_rate, [self.course.return_rate])
        self._hold("held_rate", r.held_rate, [None if self.standing.others is None else self.standing.others.held_rate])

    def _ended_too_early(self) -> bool:
        """Whether start-up had, by an epoch without samples; where rounding leaves that open, by the report."""
        r, s = self.r, self.s
        size, lost = s.limits.max_datagram_size, r.lost_total > 0
        found = {
            early
            for transmission in s.dispersed_transmissions()
            for early in early_end.readings(self.course, size, transmission, self.p, losing=lost, slack=TIME_TOLERANCE)
        }
        return r.outcome == Outcome.EARLY_END.value if len(found) > 1 else True in found

    def _back(self, arriving: float) -> Back:
        """What an epoch without samples has brought back, by the report; `arriving` of its duration counts for A."""
        r, s = self.r, self.s
        bits = r.delivery_rate * arriving + 8.0 * s.limits.max_datagram_size * r.lost_total
        return Back(s.event.time, r.duration / 1e3, r.rate_before, bits, s.sent_little)

    def _learnt(self, course: Course, arriving: float) -> Course:
        """With what an epoch without samples tells of S."""
        r, u = self.r, jitter.uncertain(self.s.ack_jitter, self.r.duration / 1e3)
        enough = round(r.delivery_rate * arriving) >= law.TELLING * 8 * self.s.limits.max_datagram_size
        sent_little = self.s.sent_little
        carried = max(r.delivery_rate, law.believed(course.dips, self.startup, self.p))
        in_full = jitter.in_full(carried, u, r.by_trains if sent_little else 0.0)
        return course.learn(in_full, tells=enough and not sent_little)

    def _close(self, what: str, reported: float, expected: float) -> None:
        if not close(reported, expected):
            self.s.find(what, f"{show(reported)} reported, the epochs before lead to {show(expected)}")

    def _hold(self, what: str, reported: float | None, allowed: list[float | None]) -> None:
        if not allows(reported, allowed):
            self._disagree(what, reported, allowed)

    def _disagree(self, what: str, reported: object, allowed: Iterable[object]) -> None:
        r = self.r
        self.s.find(
            what,
            f"{show(reported)} reported, the rules give {one_of(show(a) for a in allowed)} for "
            f"delta = {r.delta} ms, lost = {r.lost}, R = {r.rate_before:.0f} bit/s, A = {r.delivery_rate:.0f} bit/s",
        )

    def _from_report(self) -> Iterator[law.Update]:
        r = self.r
        if r.delta is None or not r.has_length:
            return
        thresholds = Thresholds(r.d0 / 1e3, r.d1 / 1e3, r.d2 / 1e3, r.d3 / 1e3)
        if not thresholds.d0 <= thresholds.d1 < thresholds.d2 < thresholds.d3:
            self.s.find("thresholds", f"{r.d0}, {r.d1}, {r.d2}, {r.d3} ms reported, expected d0 <= d1 < d2 < d3")
            return
        shifts = (0.0, -REPORT_ROUNDING, REPORT_ROUNDING)
        s, m = self.s, self.m
        options = itertools.product(shifts, s.lost(), m.queues, m.fills, s.lengths(), s.before.largest)
        for shift, lost, queues, fills, length, largest in options:
            yield from self._updates(
                delta=law.queueing((r.delta + shift) / 1e3, self.s.jitter),
                lost=lost,
                excessive_loss=r.excessive_loss,
                thresholds=thresholds,
                full=r.full / 1e3,
                queues=queues,
                fills=fills,
                length=length,
                delivery_rate=r.delivery_rate,
                duration=r.duration / 1e3,
                largest=largest,
            )

    def _updates(
        self,
        *,
        delta: float,
        lost: bool,
        excessive_loss: bool,
        thresholds: Thresholds,
        full: float,
        queues: bool,
        fills: bool,
        length: float,
        delivery_rate: float,
        duration: float,
        largest: float,
    ) -> Iterator[law.Update]:
        r = self.r
        epoch = Epoch(
            delta=delta,
            lost=lost,
            excessive_loss=excessive_loss,
            rate=r.rate_before,
            length=length,
            packet_bytes=self.s.limits.max_datagram_size,
            app_limited=r.app_limited,
            limited_before=self.s.limited_before,
            by_train=r.app_limited and r.rate_tried,
            train_rate=r.by_trains,
            startup=self.startup,
            queues=queues,
            fills=fills,
            delivery_rate=delivery_rate,
            uncertain=jitter.uncertain(self.s.ack_jitter, duration),
            background=r.background_loss,
            usual_losses=background(r).count,
            thresholds=thresholds,
            full=full,
            now=self.s.event.time,
            losses=r.lost,
            acked=r.acked,
            transmission=self.s.reported_transmission(),
            standing=self.s.standing,
            largest=largest,
            stalled=r.stalled,
            arriving=self.s.arriving(duration, length),
            jitter=self.s.jitter,
            ack_jitter=self.s.ack_jitter,
            interrupted=self.s.interrupted,
            meets_path=self.s.before.meets_path,
            duration=duration,
            lost_total=r.lost_total,
            length_fell=self.s.length_fell(length),
        )
        for dispersed in self.m.dispersed:
            read = replace(epoch, dispersed=dispersed)
            yield from law.outcomes(read, self.p, self.s.before.course, TIME_TOLERANCE)

    # -- the packets --------------------------------------------------------------------------------------------

    def _from_packets(self) -> Iterator[law.Update]:
        """That of what was reported, as far as the packets allow it, if it agrees with the report: then nothing else
        that rounding leaves open has to be tried."""
        if not self.r.has_length:
            return
        told = [
            u
            for u in self._candidates([self._told_duration()], [self._told_bits()], self._told_delta())
            if self._agrees(u)
        ]
        if told:
            yield from told
            return
        durations = [max(self.s.duration + x, jitter.SHORTEST) for x in (0.0, -TIME_TOLERANCE, TIME_TOLERANCE)]
        deltas = {near for d in self.m.deltas for near in self._around(law.queueing(d, self.s.jitter))}
        yield from self._candidates(durations, {*self.m.arrived_bits, self._told_bits()}, deltas)

    def _candidates(
        self, durations: Iterable[float], arrived_bits: Iterable[float], deltas: Iterable[float]
    ) -> Iterator[law.Update]:
        m, s = self.m, self.s
        options = itertools.product(
            set().union(*(jitter.counting(x, m.acked, s.before.background.share, REPORT_ROUNDING) for x in m.lost)),
            s.full,
            m.queues,
            m.fills,
            durations,
            s.lengths(),
            s.before.largest,
            arrived_bits,
            deltas,
        )
        for lost, full, queues, fills, duration, length, largest, arrived, delta in options:
            yield from self._updates(
                delta=delta,
                lost=lost,
                excessive_loss=s.before.excessive_loss,
                thresholds=s.thresholds,
                full=full,
                queues=queues,
                fills=fills,
                length=length,
                delivery_rate=arrived / s.arriving(duration, length),
                duration=duration,
                largest=largest,
            )

    def _agrees(self, u: law.Update) -> bool:
        """With the report, in all that is compared with the packets, and with what the next one says of start-up."""
        r, following = self.r, self.s.before.following
        return (
            (u.zone, u.outcome) == (r.zone, r.outcome)
            and u.starts_anew == starts_anew(r.beta, r.outcome)
            and close(u.rate, r.rate_after)
            and (following is None or u.startup == (following.state == State.STARTUP))
        )

    def _told_duration(self) -> float:
        shortest, longest = self.s.duration - TIME_TOLERANCE, self.s.duration + TIME_TOLERANCE
        return max(min(max(self.r.duration / 1e3, shortest), longest), jitter.SHORTEST)

    def _told_bits(self) -> float:
        """What may have come back, bits."""
        r, (least, most) = self.r, self.m.arrived_bits
        return min(max(r.delivery_rate * self.s.arriving(r.duration / 1e3, r.length / 1e3), least), most)

    def _told_delta(self) -> list[float]:
        """Nothing in an epoch without samples, or if the packets allow none."""
        nearest = self.s.nearest_delta()
        if self.r.delta is None or nearest is None:
            return []
        told, found = (law.queueing(d, self.s.jitter) for d in (self.r.delta / 1e3, nearest))
        return [min(max(told, found - DELTA_TOLERANCE, 0.0), found + DELTA_TOLERANCE)]

    def _around(self, delta: float) -> set[float]:
        """The ends of what rounding leaves open, and both sides of every threshold in between."""
        low, high = max(delta - DELTA_TOLERANCE, 0.0), delta + DELTA_TOLERANCE
        d = self.s.thresholds
        edges = (d.d0, d.short, d.d1, d.d2, d.d3, *self.s.full)
        within = [t for t in edges if low < t < high]
        return {delta, low, high, *within, *(math.nextafter(t, math.inf) for t in within)}

    def _packets_by_rules(self) -> None:
        r, updates = self.r, self.from_packets
        if not updates or r.delta is None:
            return
        zones = {u.zone for u in updates}
        if r.zone not in zones:
            self.s.find("zone", f"{show(r.zone)} reported, the packets lead to {one_of(map(str, zones))}")
            return
        updates = [u for u in updates if u.zone == r.zone]
        if r.outcome not in {u.outcome for u in updates}:
            found = one_of(show(u.outcome) for u in updates)
            self.s.find("outcome", f"{show(r.outcome)} reported, the packets lead to {found}")
            return
        self.s.rate_after([u.rate for u in updates if u.outcome == r.outcome], "the packets lead to")

    # -- from epoch to epoch ------------------------------------------------------------------------------------

    def _chain(self) -> None:
        m, previous = self.m, self.s.before.epoch
        if self.startup:
            if m.growing is not None:
                growing = [m.growing.low, m.growing.high]
                self.s.rate_before(growing, "the rate before and the bytes acknowledged since lead to")
        elif previous is not None:
            self.s.rate_before([previous.rate_after], "the last epoch left")
        elif m.first_length is not None and m.first_length > TIME_TOLERANCE:
            starts = m.beginning.around([m.first_length], m.max_datagram_size, self.p.initial_rate)
            self.s.rate_before(starts, "it starts at")

    def _window(self) -> None:
        r = self.r
        if not r.has_length or r.rate_after <= 0.0:
            return
        length = (r.length + r.return_delay) / 1e3
        allowed = windows(
            (r.rate_after, r.rate_after),
            [length],
            1e-9,
            self.m,
            self.s.jitter_after,
            self.s.ack_gap_after,
            (min(self.queues), max(self.queues)),
        )
        if r.window not in allowed:
            by_law = "R (L + return delay + max(d3 + Q, 2 G) + J / 2)"
            self.s.find("window", f"{r.window} bytes reported, W = {by_law} is {allowed}")
