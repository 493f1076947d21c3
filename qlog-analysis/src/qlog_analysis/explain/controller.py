"""What the controller itself wrote: its states over time, and hybrid's zones and verdicts."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from ..events import HybridEpoch, ZoneEpoch
from ..model import Trace
from ..zones.names import ZONE_NAMES

ZONE_MEANINGS = {
    "free": "hardly a queue; the rate may rise",
    "filling": "a queue builds up; the rate falls so that it drains",
    "congested": "the queue is too long; the rate falls",
}
STATE_MEANINGS = {
    "startup": "it looks for the rate of the path",
    "growing": "the rate rises step by step until a queue shows",
    "draining": "it sends less until the queue is gone",
    "holding": "others keep a queue, and it keeps its share beside them",
    "probing": "it sends less for a moment to see whether the others' queue is still there",
}
OTHERS_STATE_MEANINGS = {
    "initial": "no round trip has been measured yet",
    "startup": "it looks for the rate of the path, or for where a queue begins",
    "steady": "start-up is over, and it follows its equations",
    "slow_start": "the window doubles per round trip, until a loss, a mark or a longer delay",
    "conservative_slow_start": "round trips have become longer, and the window grows by a quarter of that (HyStart++)",
    "congestion_avoidance": "the window grows slowly until the next loss or mark, as those of cubic and reno do",
    "recovery": "a loss or a mark was answered with a smaller window, which waits for the packets sent before",
    "recovery_start": "a loss or a mark has just been answered with a smaller window",
    "persistent_congestion": "nothing came through for long, and the window is at its smallest",
    "application_limited": "the application sends less than the window lets leave",
    "bbr_startup": "the rate grows by a factor per round trip, until that brings no more throughput or many losses",
    "bbr_drain": "it sends more slowly than the path carries, until the queue of start-up is gone",
    "bbr_probe_bw_down": "it sends a little less than the path carries, so that a queue of its own drains",
    "bbr_probe_bw_cruise": "it sends at the rate that it believes the path carries",
    "bbr_probe_bw_refill": "for a round trip it fills the path, before it tries for more",
    "bbr_probe_bw_up": "it sends more than the path carried, to see whether it carries more now; a queue may build up",
    "bbr_probe_rtt": "it keeps little in flight for a moment, to measure the round trip without a queue",
}
"""What quiche's cubic, reno and bbr2 write, our own controllers but `hybrid`, and other writers by the drafts."""
OUTCOME_MEANINGS = {
    "contended": "others keep the queue",
    "longer_path": "the path has become longer",
    "slower_link": "the link carries less than before",
    "early_end": "start-up had ended too early, and goes on",
    "interrupted": "the path was interrupted",
    "new_path": "the smallest delays rose after an interruption",
}


@dataclass(frozen=True, slots=True)
class Share:
    name: str
    share: float
    """Of the time that is known."""
    meaning: str
    """Empty if it is not known."""


@dataclass(frozen=True, slots=True)
class Span:
    begin: float
    end: float
    name: str


@dataclass(frozen=True, slots=True)
class Controller:
    name: str
    states: list[Share]
    zones: list[Share]
    """Of hybrid alone."""
    state_spans: list[Span]
    zone_spans: list[Span]
    verdicts: list[tuple[float, str]]
    """Of hybrid: when it decided what (`OUTCOME_MEANINGS`)."""

    @property
    def queue_spans(self) -> list[Span]:
        """When the controller judged that a queue stood."""
        return [s for s in self.zone_spans if s.name != "free"]


def controller_of(trace: Trace) -> Controller:
    epochs = trace.updates_of(ZoneEpoch)
    zone_spans = [
        Span(e.time - e.data.duration / 1e3, e.time, ZONE_NAMES[e.data.zone]) for e in epochs if e.data.zone is not None
    ]
    own = [Span(e.time - e.data.duration / 1e3, e.time, e.data.state) for e in trace.updates_of(HybridEpoch)]
    states = own or ([] if zone_spans else _states(trace))  # the states of hybrid:paper are its zones
    return Controller(
        name=trace.controller_label,
        states=_shares(states, STATE_MEANINGS) if own else _shares(states, OTHERS_STATE_MEANINGS, by_time=True),
        zones=_shares(zone_spans, ZONE_MEANINGS),
        state_spans=states,
        zone_spans=zone_spans,
        verdicts=[(e.time, e.data.outcome) for e in epochs if e.data.outcome is not None],
    )


def _states(trace: Trace) -> list[Span]:
    ends = [*(s.time for s in trace.states), trace.end][1:]
    return [Span(s.time, end, s.name) for s, end in zip(trace.states, ends, strict=True) if end > s.time]


def _shares(spans: list[Span], meanings: dict[str, str], *, by_time: bool = False) -> list[Share]:
    """In the order of the meanings; `by_time`: the longest first."""
    time: Counter[str] = Counter()
    for s in spans:
        time[s.name] += s.end - s.begin  # type: ignore[assignment]  # a Counter may count seconds
    total = sum(time.values())
    first = [] if by_time else [n for n in meanings if n in time]
    order = first + [n for n, _ in time.most_common() if n not in first]
    return [Share(n, time[n] / total, meanings.get(n, "")) for n in order if total > 0.0]
