"""A sender with the default profile of docs/papers/hybrid.md, on exact times. For generating traces in tests."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import law_epochs
from hybrid_losses import Flow, KnownLosses
from qlog_analysis.hybrid import dips, floor, interruption, jitter, law, startup
from qlog_analysis.hybrid.arrivals import Arrivals
from qlog_analysis.hybrid.contended import LargestRate, has_fallen
from qlog_analysis.hybrid.course import Course, over_length
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.floor import Taken
from qlog_analysis.hybrid.loss_count import Background, LossCount
from qlog_analysis.hybrid.mechanism import Mechanism, as_text
from qlog_analysis.hybrid.parameters import STARTUP_SAMPLES, Parameters
from qlog_analysis.hybrid.standing import Outcome, Standing
from qlog_analysis.hybrid.state import State, state_of
from qlog_analysis.hybrid.thresholds import LongestQueue, full_delay, startup_end, thresholds
from qlog_analysis.hybrid.trains import Trains
from qlog_analysis.measure.sliding import PathMinima, Source, size_class
from qlog_analysis.zones import rate as rates
from qlog_analysis.zones.measured import GROWN_SHARE
from sender import Delivered, in_ms, or_auto, parameters_set, rounded


@dataclass(slots=True)
class HybridSender:
    p: Parameters
    spec: str
    packet: int
    initial_window: int = 10
    max_ack_delay: float = 0.025
    rate: float = 1e6
    startup: bool = True
    state: str = State.STARTUP
    app_limited: bool = False
    sent_bytes: int = 0
    _epoch: int = 0
    _start: float | None = None
    _since: float | None = None
    _awaits: bool = False
    """Whether nothing has come back yet that was sent after the last decrease."""
    _queue_since: float | None = None
    _jitter: jitter.Jitter = field(default_factory=jitter.Jitter)
    _ack_gap: float = 0.0
    _heard: float = 0.0
    """When something was last acknowledged."""
    _longest_gap: float = 0.0
    _taken: list[Taken] = field(default_factory=list)
    _all: list[Taken] = field(default_factory=list)
    """Those that do not count as well."""
    _newest: Taken | None = None
    _newest_counts: bool = False
    _shows: bool = False
    """The sample of the latest feedback, which is that of the next epoch if this one ends."""
    _arrivals: Arrivals = field(default_factory=lambda: Arrivals(trains=Trains(tolerance=0.0)))
    _acks_now: bool = False
    """Whether the latest feedback acknowledges something."""
    _lost: int = 0
    _loss_reports: int = 0
    _lost_total: int = 0
    _acked_packets: int = 0
    _acks: int = 0
    _minima: PathMinima | None = None
    _told: bool = False
    _longest: LongestQueue | None = None
    _largest: LargestRate | None = None
    losses: KnownLosses = field(default_factory=KnownLosses)
    course: Course = field(default_factory=Course)
    _standing: Standing = field(default_factory=Standing)
    _limited_before: bool = False
    _longest_length: float = 0.0
    meets_path: bool = False
    """Whether no epoch with samples has ended since the path was interrupted."""
    _window_full: bool = False
    """Whether it was in this epoch."""
    _overlaps: bool = False
    """Whether the last feedback acknowledged a packet that was sent before the epoch began."""

    @property
    def started(self) -> bool:
        """Whether the first epoch has begun."""
        return self._start is not None

    @property
    def length(self) -> float:
        return (self._minima.length() if self._minima is not None else None) or 0.1

    @property
    def window(self) -> int:
        its = (self._jitter.level, self._ack_gap, self._standing.queue)
        return law.window(self.rate, self.length, self.packet, self.p, *its)

    @property
    def pacing(self) -> float | None:
        return self.rate

    def feedback(self, d: Delivered) -> list[tuple[str, dict[str, Any]]]:
        """Takes feedback in; returns the events to log."""
        if self._start is None:
            if d.sample is None:
                return []
            self._start = self._heard = d.now
            self._minima = PathMinima(self.p.base_delay_window, d.now, skew=self.p.has(Mechanism.CLOCK_SKEW))
            self._longest = LongestQueue(self.p.base_delay_window, d.now)
            self._largest = LargestRate(self.p.base_delay_window, d.now)
        assert self._minima is not None
        before = self.rate
        self._window_full |= d.in_flight + self.packet > self.window
        first = self._minima.length() is None
        length = self._minima.length() or 0.0
        known = self.length
        self._minima.advance(d.now)
        above = None if d.sample is None else self._take(d.now, length, *d.sample)
        if first:
            self.rate = rates.initial_rate(self.initial_window, self.packet, self.length, self.p.initial_rate)
        elif self.startup:
            self._grow(d.now, d.acked_bytes, above)
        lost = sum(self._sent_since(t) for t in d.lost)
        self._lost, self._loss_reports = self._lost + lost, self._loss_reports + min(lost, 1)
        self._lost_total += len(d.lost)
        if d.acked:
            self._arrivals.tell_rate(before, before)
            waited = max(d.now - min(d.acked) - known, 0.0)
            self._longest_gap = max(self._longest_gap, min(d.now - self._heard, waited))
            self._heard = d.now
            self._acks += 1
            self._arrivals.record(d.now, d.acked[-1], d.acked_bytes, (known,), self.packet)
        self._acked_packets += len(d.acked)
        self._acks_now = bool(d.acked)
        self._overlaps = bool(d.acked) and min(d.acked) < self._start
        shows = self._awaits and any(self._sent_since(t) for t in d.acked)
        self._awaits, self._shows = self._awaits and not shows, shows
        if shows or self._is_over(d.now):
            return self._end(d.now)
        self._take_newest()
        return []

    def _take_newest(self) -> None:
        self._all += [self._newest] if self._newest is not None else []
        self._taken += [self._newest] if self._newest is not None and self._newest_counts else []
        self._newest = None

    def _grow(self, now: float, acked_bytes: int, above: float | None) -> None:
        if not self.app_limited:
            self.rate = min(self.rate + startup.increase(acked_bytes, self.length, self.p), rates.MAX_RATE)
        if above is None or self.meets_path:
            return
        queue = law.queueing(above, self._jitter.level)
        if queue <= startup_end(self.rate, self.length, 0.0, self.packet, self.p):
            self._queue_since = None
        elif self._queue_since is None:
            self._queue_since = now

    def _sent_since(self, sent: float) -> bool:
        return self._since is None or sent > self._since

    def _take(self, now: float, length: float, sent: float, size: int, ack_delay: float) -> float | None:
        """Returns the ROWD, if it counts."""
        assert self._minima is not None
        assert self._start is not None
        rtt = now - sent
        in_class = size_class(size, self.packet)
        self._minima.insert_rtt(in_class, rtt)
        owd = self._minima.without_ack_delay(rtt, min(ack_delay, self.max_ack_delay))
        self._minima.insert_owd(Source.ACK, in_class, owd)
        above = owd - self._minima.owd_minima(Source.ACK)[in_class - 1]
        self._newest, self._newest_counts = Taken(now - self._start, length, above), self._sent_since(sent)
        return above if self._newest_counts else None

    def _is_over(self, now: float) -> bool:
        assert self._start is not None
        ends_early = self.startup and not self._limited_before
        queueing = ends_early and len(self._taken) >= STARTUP_SAMPLES and self._queues(now)
        return now - self._start >= self.length or queueing

    def _queues(self, now: float) -> bool:
        return self._queue_since is not None and now - self._queue_since >= startup.LASTS * self.length + self._ack_gap

    def _end(self, now: float) -> list[tuple[str, dict[str, Any]]]:
        assert self._start is not None
        assert self._longest is not None
        duration = max(now - self._start, jitter.SHORTEST)
        delta = next(iter(floor.least(self._taken)), None)
        queue = None if delta is None else law.queueing(delta, self._jitter.level)
        d = thresholds(self.rate, self.packet, self.p)
        (lost,) = jitter.counting(self._lost, self._acked_packets, self.losses.background.share)
        usual = self.course.dips.usual(self.length, self.rate, self.packet, self._ack_gap)
        stalled = self._overlaps and dips.stalls(duration, usual, self.p)
        app_limited, trains = self._is_app_limited(duration), self._arrivals.trains.take(self.packet)[0]
        interrupted = not app_limited and self._is_interrupted(duration, usual)
        hardly = not interrupted and queue is not None and queue <= d.short
        told = LossCount(self._lost, self._acked_packets), self._acks, self._loss_reports
        flow = Flow(self.rate, self.startup, self._standing.holds)
        known, excessive = self.losses.take_in(self.p, told, flow, hardly=hardly, sampled=delta is not None)
        epoch = Epoch(
            delta=queue or 0.0,
            lost=lost,
            excessive_loss=excessive,
            rate=self.rate,
            length=self.length,
            packet_bytes=self.packet,
            app_limited=app_limited,
            limited_before=self._limited_before,
            by_train=app_limited and trains.tries(self.rate) == {True},
            train_rate=trains.shown.low,
            startup=self.startup,
            queues=self._queues(now),
            delivery_rate=self._arrivals.take_bits(ends_with_ack=self._acks_now)[0] / (usual if stalled else duration),
            uncertain=jitter.uncertain(self._jitter.level, duration),
            background=known.share,
            usual_losses=known.count,
            thresholds=d,
            full=full_delay(d.d1, self._longest.end_epoch(now, queue), self.p),
        )
        epoch = replace(
            epoch,
            now=now,
            losses=self._lost,
            acked=self._acked_packets,
            standing=self._standing,
            stalled=stalled,
            arriving=usual if stalled else duration,
            jitter=self._jitter.level,
            ack_jitter=self._jitter.level,
            interrupted=interrupted,
            meets_path=self.meets_path,
            duration=duration,
            lost_total=self._lost_total,
            length_fell=has_fallen(self._longest_length, self.length),
        )
        epoch = replace(epoch, largest=self._see_rate(epoch, delta))
        self._longest_length, self._limited_before = max(self._longest_length, self.length), app_limited
        before, level, ack_gap = self.course, self._jitter.level, self._ack_gap
        self._learn_jitter_and_gap(epoch)
        done = self._update(now, epoch, delta)
        state = state_of(before, epoch.standing, startup=epoch.startup)
        outcome = Outcome.INTERRUPTED if interrupted else done and done.outcome
        report: dict[str, Any] = {
            "epoch": self._epoch,
            "duration": duration * 1e3,
            "length": self.length * 1e3,
            "source": "ack",
            "samples": len(self._taken),
            "lost": self._lost,
            "loss_reports": self._loss_reports,
            "lost_total": self._lost_total,
            "acked": self._acked_packets,
            "delivery_rate": epoch.delivery_rate,
            "train_rate": epoch.train_rate or None,
            "delta": None if delta is None else delta * 1e3,
            "transmission_time": 0.0,
            "skew": 0.0 if self.p.has(Mechanism.CLOCK_SKEW) else None,
            "jitter": level * 1e3,
            "ack_jitter": level * 1e3,
            "ack_gap": ack_gap * 1e3,
            "background_loss": epoch.background,
            "background_lost": epoch.usual_losses.lost,
            "background_packets": epoch.usual_losses.packets,
            **in_ms(d, "d0", "d1", "d2", "d3"),
            "full": epoch.full * 1e3,
            "excessive_loss": epoch.excessive_loss,
            "stalled": stalled,
            "variability": before.dips.variability,
            "zone": done and (done.zone or None),
            "state": state,
            "app_limited": app_limited,
            "rate_tried": epoch.tried,
            "since_decrease": before.since_decrease * 1e3,
            "alpha": done and done.alpha,
            "beta": done and done.beta,
            "rate_before": epoch.rate,
            "carried_rate": self.losses.end_epoch(state, outcome, self.rate, self.course.return_rate),
            "rate_after": self.rate,
            "return_rate": self.course.return_rate,
            "competing_queue": epoch.standing.queue * 1e3,
            "held_rate": self._standing.others and self._standing.others.held_rate,
            "outcome": outcome,
            "return_delay": 0.0,
            "window": self.window,
        }
        self._next_epoch(now)
        return [*self._parameters(), ("cc:hybrid_epoch_updated", rounded(report))]

    def _is_app_limited(self, duration: float) -> bool:
        used = 0.8 * self.rate * duration
        if self.app_limited:
            return 8.0 * self.sent_bytes < used
        used *= GROWN_SHARE if self.startup else 1.0
        return not self._window_full and 8.0 * (self.sent_bytes + self.packet) < used

    def _is_interrupted(self, duration: float, usual: float) -> bool:
        its_usual = interruption.usual(usual, self._ack_gap, self.max_ack_delay)
        return interruption.is_interrupted(duration, its_usual, self._lost_total, self._acked_packets, self.p)

    def _learn_jitter_and_gap(self, epoch: Epoch) -> None:
        """Those of the next epoch, if the path is not interrupted."""
        for row in floor.minima(self._all):
            self._jitter = self._jitter.add(row)
        self._jitter = self._jitter.interrupt() if self._shows else self._jitter
        if not epoch.app_limited and self._acked_packets > 0:
            seen = (self._longest_gap, epoch.duration, self.rate, self.packet)
            self._ack_gap = jitter.next_ack_gap(self._ack_gap, *seen)

    def _update(self, now: float, epoch: Epoch, delta: float | None) -> law.Update | None:
        if delta is None:
            enough = epoch.delivery_rate * epoch.arriving >= law.TELLING * 8 * self.packet
            tells = not epoch.sent_little and enough
            course = self.course.arrive(epoch.delivery_rate, epoch.arriving, epoch.length)
            if epoch.interrupted:
                self._restart(now, rates.restarted(self.rate, self.length, self.packet), Course())
                return None
            epoch = replace(epoch, believed=law.believed(course.dips, epoch.startup, self.p))
            self.course = course.learn(epoch.arrived_in_full, tells=tells)
            standing = epoch.standing.take_in(epoch.back)
            self._standing = Standing(others=standing.others) if epoch.stalled else standing
            done = law_epochs.resumed(epoch, self.course, self.p, lost=self._lost_total > 0)
            if done is not None:
                self._take_over(now, done)
            return done
        (done,) = law.outcomes(epoch, self.p, self.course)
        if done.outcome is Outcome.INTERRUPTED:
            self._restart(now, done.rate, done.course)
            return done
        if done.outcome in (Outcome.LONGER_PATH, Outcome.NEW_PATH) and self._minima is not None:
            (by,) = floor.least(self._taken)
            self._minima.raise_by({Source.ACK: by, Source.TIMESTAMPS: None})
            self._jitter = self._jitter.interrupt()
            self._newest = None
            self.meets_path, self._queue_since, self._longest_length = False, None, 0.0
        if done.outcome is Outcome.SLOWER_LINK:
            self._forget_rates()
        self._take_over(now, done)
        assert self._minima is not None
        self._minima.pause(now, paused=self._standing.holds)
        return done

    def _take_over(self, now: float, done: law.Update) -> None:
        if done.outcome is Outcome.EARLY_END:
            self._queue_since = None
        if done.starts_anew:
            self._start_anew(now)
        self.rate, self.startup, self.course, self._standing = done.rate, done.startup, done.course, done.standing
        self.state = state_of(self.course, self._standing, startup=self.startup)

    def _see_rate(self, e: Epoch, delta: float | None) -> float:
        """The largest recent one, with what is used now if nothing is held."""
        assert self._largest is not None
        if delta is not None and not self.startup and not self._standing.holds:
            arrived = max(over_length(e.delivery_rate, e.arriving, e.length), e.train_rate)
            self._largest.see(e.now, e.rate, arrived)
        return self._largest.get()

    def _start_anew(self, now: float) -> None:
        self.losses.late.forget()
        self._since, self._awaits, self._newest_counts = now, True, False

    def _forget_rates(self) -> None:
        self._largest = LargestRate(self.p.base_delay_window, self._largest.origin) if self._largest else None

    def _restart(self, now: float, rate: float, course: Course) -> None:
        """The path was interrupted."""
        self._start_anew(now)
        self._forget_rates()
        if self._largest and (others := self._standing.others):
            self._largest.see(now, others.had_alone, others.had_alone)
        self.rate, self.course, self._standing = rate, course, Standing()
        self._jitter, self._ack_gap, self._newest, self.losses.background = jitter.Jitter(), 0.0, None, Background()
        if self._longest:
            self._longest = LongestQueue(self.p.base_delay_window, self._longest.origin)
        self.startup, self.state, self.meets_path = True, State.STARTUP, True
        self._queue_since, self._longest_length = None, 0.0

    def _next_epoch(self, now: float) -> None:
        self._epoch += 1
        self._start = self._heard = now
        self._longest_gap = 0.0
        self._all, self._taken = [], []
        self._acked_packets = self._acks = 0
        self._newest = self._newest._replace(at=0.0) if self._newest is not None else None
        self._take_newest()
        self._lost = self._loss_reports = self._lost_total = 0
        self.sent_bytes, self.app_limited, self._window_full = 0, False, False

    def _parameters(self) -> list[tuple[str, dict[str, Any]]]:
        if self._told:
            return []
        self._told = True
        p = self.p
        numbers = ("target_packets", "growth", "drain_epochs", "min_decrease", "startup_gain")
        parameters = {
            **{name: getattr(p, name) for name in numbers},
            **in_ms(p, "target_delay", "base_delay_window", "growth_period"),
            "initial_rate": or_auto(p.initial_rate),
            "without": as_text(p.without),
        }
        return [parameters_set(self, parameters)]
