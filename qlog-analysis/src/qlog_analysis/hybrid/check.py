"""Walks through a trace and checks every epoch of the hybrid controller."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import inf

from ..check.verdict import Finding
from ..events import HybridEpoch, HybridParameters
from ..model import Feedback, Trace, Update
from ..zones.limited import Limited
from ..zones.surroundings import Surroundings
from ..zones.walk import EpochWalk
from .carried import carried_after
from .compare import Compared, compare
from .contended import LargestRate
from .course import Course, over_length
from .epochs import Measurement
from .estimate import Ended, Estimates
from .expected import expected, first_pacing
from .late import LatePackets
from .loss_count import LossCount
from .measured import Measured
from .parameters import Parameters
from .reported import check_parameters, parameters_of
from .sides import Before, background_before
from .standing import Outcome, Standing, starts_anew
from .state import State, state_of
from .trains import UNKNOWN
from .triples import Triples
from .use import Grown
from .verdict import HybridVerdict


def check(trace: Trace) -> HybridVerdict:
    """The verdict on a trace of a hybrid sender."""
    return _Check(trace).run()


class _Check(EpochWalk[HybridEpoch, Parameters, HybridVerdict]):
    def __init__(self, trace: Trace) -> None:
        super().__init__(trace, (HybridEpoch, HybridParameters), parameters_of, HybridVerdict)
        self._verdict.findings.extend(check_parameters(trace))
        self._measurement = Measurement(trace, self._limits_in(0))
        self._surroundings = Surroundings(trace)
        self._limited = Limited(trace)
        self._triples = Triples(trace)
        self._estimates = Estimates(trace, self._limits_in(0).parameters.base_delay_window)
        self._previous: HybridEpoch | None = None
        self._startup = True
        self._course = Course()
        self._late = LatePackets()
        self._jitters, self._ack_jitters, self._ack_gap = [0.0], [0.0], (0.0, 0.0)
        self._standing = Standing()
        self._queues = frozenset({0.0})
        self._largest: list[LargestRate] = []
        self._longest_length = self._carried = 0.0
        self._unknown_trains = 0

    @property
    def _started(self) -> bool:
        return self._measurement.started

    @property
    def _overdue(self) -> float | None:
        return self._measurement.overdue

    def run(self) -> HybridVerdict:
        v = super().run()
        v.findings.extend(self._estimates.rest(len(v.epochs)))
        v.findings.extend(self._triples.findings())
        if self._unknown_trains:
            v.notes.append(
                f"the packet trains of {self._unknown_trains} application-limited epochs can be read in too many ways: "
                "nothing was held against their train_rate and rate_tried"
            )
        return v

    def _take(self, f: Feedback, ends: HybridEpoch | None) -> None:
        self._measurement.tell_skew(self._epochs[self._next].data.skew if self._next < len(self._epochs) else None)
        # One of start-up does not end early after one that the application limited.
        early = self._startup and not (self._previous is not None and self._previous.app_limited)
        told = None if ends is None else ends.rate_before
        self._measurement.feedback(f, startup=self._startup, early=early, told=told)

    def _following(self, ahead: int = 0) -> HybridEpoch | None:
        """The report of the epoch after the last one that has been compared, or of one after that."""
        i = len(self._verdict.epochs) + ahead
        return self._epochs[i].data if i < len(self._epochs) else None

    def _goes_on(self, compared: Compared) -> bool:
        """Whether start-up does; where the packets leave it open, the report of the next epoch tells."""
        following = self._following()
        told = following is not None and following.state == State.STARTUP
        return told if compared.startup_after is None else compared.startup_after

    def _is_startup_after(self, r: HybridEpoch, compared: Compared, *, anew: bool) -> bool:
        """Whether the next epoch is one of start-up, which an interruption or an early end begins again."""
        if compared.interrupted:
            return True
        if self._startup:
            return not anew and self._goes_on(compared)
        again = r.outcome == Outcome.EARLY_END.value if compared.startup_after is None else compared.startup_after
        if again:
            self._measurement.start_up_begins_again()
        return again

    def _goes_on_with(self, compared: Compared) -> Course:
        """The course; of u, where L was known only as exactly as times are, what the report of the next epoch tells."""
        following = self._following()
        low, high = compared.since_decrease
        told = low if following is None else following.since_decrease / 1e3
        return compared.course._replace(since_decrease=told) if low < told < high else compared.course

    def _end(self, event: Update[HybridEpoch], at: Feedback | None, *, on_feedback: bool) -> None:
        v, r = self._verdict, event.data
        told = None if r.delta is None else r.delta / 1e3
        m = self._measurement.end_epoch(event.time, event.record, told, on_feedback=on_feedback)
        before = self._previous is not None and self._previous.app_limited
        self._unknown_trains += m.trains == [UNKNOWN] and (r.app_limited or before)
        if at is not None:
            self._measurement.sample_rtt(at)
        self._see_rate(event, m)
        compared = compare(event, m, self._before(excessive_loss=self._has_excessive_loss(r, m)))
        v.findings.extend(compared.findings)
        if self._startup:
            self._triples.see(event, self._previous, m, compared.transmission)
        grown = Grown(m, self._limited) if self._startup else None
        v.findings.extend(self._limited.check(event, m, m.steps, grown))
        v.add(compared.row)
        anew = self._measured_anew(r, compared)
        self._startup = self._is_startup_after(r, compared, anew=anew)
        state = state_of(compared.course, compared.standing, startup=self._startup)
        if m.steps:
            v.findings.extend(self._surrounded(event, m, state))
        drained = None if self._previous is None else self._previous.return_rate
        self._follow(event, m, compared, anew=anew)
        group_end = event.record + 1 if at is None else at.group_end
        v.findings.extend(self._estimates.follow(self._ended(event, group_end, state, compared, drained)))

    def _ended(
        self, event: Update[HybridEpoch], group_end: int, state: State, compared: Compared, drained: float | None
    ) -> Ended:
        """For the estimate that is told with its end; `drained` is S before it."""
        counts, shown = self._measurement.slowest_link()
        rate = 8.0 * self._limits_in(len(self._verdict.epochs) - 1).max_datagram_size / counts if counts > 0.0 else inf
        return Ended(
            event=event,
            group_end=group_end,
            state=state,
            interrupted=compared.interrupted,
            meets_path=self._measurement.meets_path,
            arrived=max(compared.course.dips.recent, default=0.0),
            return_rate=drained,
            links=frozenset(rate if known else inf for known in shown),
            last=self._following() is None,
        )

    def _surrounded(self, event: Update[HybridEpoch], m: Measured, state: State) -> Iterator[Finding]:
        r, around = event.data, self._surroundings
        if r.epoch == 0:
            yield from around.first_flight(m.steps[0].feedback, partial(first_pacing, m))
        before = 0.0 if self._previous is None else self._previous.return_delay / 1e3
        yield from around.check(r.epoch, expected(r, m, before), 1.0, state.value)

    def _has_excessive_loss(self, r: HybridEpoch, m: Measured) -> bool:
        lost = min(max(r.lost, m.lost[0]), m.lost[1])
        reports = min(max(r.loss_reports, m.loss_reports[0]), m.loss_reports[1])
        self._late.add(lost, m.acked, m.acks, reports)
        if r.is_beyond and not self._startup:
            self._late.beyond.add(LossCount(lost, m.acked), reports)
        if r.delta is None:
            return False
        p, holds = m.limits.parameters, self._standing.holds
        return self._late.are_excessive(p.most_loss, competes=holds) or (not holds and self._loses_beyond(r, p))

    def _loses_beyond(self, r: HybridEpoch, p: Parameters) -> bool:
        """Whether losses of a rate that the path has not been found to carry are excessive; by the report, where
        rounding leaves open whether chance explains them."""
        usual, beyond = background_before(self._previous).count, self._late.beyond
        found = {beyond.are_excessive(p.most_loss_beyond, usual, slack) for slack in (-1.0, 1.0)}
        return r.excessive_loss if len(found) > 1 else True in found

    def _see_rate(self, event: Update[HybridEpoch], m: Measured) -> None:
        """That of epochs with samples, but for those of start-up and those that held R."""
        r = event.data
        self._largest = self._largest or self._no_rates(m)
        if r.delta is not None and not self._startup and not self._standing.holds:
            length = m.lengths[0] if r.outcome == Outcome.LONGER_PATH.value else r.length / 1e3
            arrived = max(over_length(r.delivery_rate, r.duration / 1e3, length), r.by_trains)
            for largest in self._largest:
                largest.see(event.time, r.rate_before, arrived)

    def _before(self, *, excessive_loss: bool) -> Before:
        return Before(
            epoch=self._previous,
            startup=self._startup,
            course=self._course,
            excessive_loss=excessive_loss,
            jitters=self._jitters,
            ack_jitters=self._ack_jitters,
            ack_gap=self._ack_gap,
            following=self._following(1),
            standing=self._standing,
            queues=self._queues,
            largest=list(dict.fromkeys(largest.get() for largest in self._largest)),
            meets_path=self._measurement.meets_path,
            longest_length=self._longest_length,
            carried=self._carried,
        )

    def _remember_used(self, event: Update[HybridEpoch], m: Measured) -> None:
        """After an interruption what the flow had before others kept a queue."""
        self._largest = self._no_rates(m)
        if self._standing.others is not None:
            had = self._standing.others.had_alone
            for largest in self._largest:
                largest.see(event.time, had, had)

    def _no_rates(self, m: Measured) -> list[LargestRate]:
        window = m.limits.parameters.base_delay_window
        return [LargestRate(window, at) for at in self._measurement.origins]

    @staticmethod
    def _measured_anew(r: HybridEpoch, compared: Compared) -> bool:
        """Whether only what is sent from now on counts: by the packets, or where they leave it open by the report."""
        told = starts_anew(r.beta, r.outcome)
        return compared.interrupted or told if compared.measured_anew is None else compared.measured_anew

    def _follow(self, event: Update[HybridEpoch], m: Measured, compared: Compared, *, anew: bool) -> None:
        """What the next epoch starts with."""
        r = event.data
        self._measurement.tell_rate(r.rate_after)
        if anew:
            self._late.forget()
            self._measurement.count_since(event.time)
        if self._startup:
            self._measurement.start_up_goes_on(r.rate_after)
        self._carried = carried_after(self._carried, r.state, r.outcome, r.rate_after, r.return_rate)
        course = self._goes_on_with(compared) if self._measurement.meets_path else compared.course
        self._course, self._ack_gap = course, compared.ack_gap
        self._jitters, self._ack_jitters = compared.jitters, compared.ack_jitters
        self._follow_path(event, m, compared)
        self._standing, self._queues = compared.standing, compared.queues
        self._measurement.pause_windows(paused=self._standing.holds)
        following = self._following()
        if following is not None:
            told = (following.jitter, following.ack_jitter, following.ack_gap)
            self._measurement.expect(*(ms / 1e3 for ms in told))
        self._previous = r
        self._measurement.use(self._limits_in(len(self._verdict.epochs)))

    def _follow_path(self, event: Update[HybridEpoch], m: Measured, compared: Compared) -> None:
        """Interruptions, and paths that are longer than they were."""
        r = event.data
        judged_anew = compared.interrupted or r.outcome in (Outcome.LONGER_PATH.value, Outcome.NEW_PATH.value)
        self._longest_length = 0.0 if judged_anew else max(self._longest_length, r.length / 1e3)
        if compared.interrupted:
            self._measurement.path_was_interrupted()
            self._remember_used(event, m)
        elif r.delta is not None and (self._measurement.meets_path or r.outcome == Outcome.LONGER_PATH.value):
            self._measurement.path_is_longer(m, r.delta / 1e3, r.length / 1e3)
        elif r.outcome == Outcome.SLOWER_LINK.value:
            self._largest = []
