"""What text and page show: the paragraph of summary, the time line, and the parts that follow, as words."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ..metrics import BASIC, NO_FRAMES
from . import words
from .advice import Suggestion, advice_for
from .controller import OUTCOME_MEANINGS, Share
from .delay import median_between
from .explanation import Explanation, Role
from .findings import Finding, findings_of
from .limits import Limit
from .losses import Cause
from .phases import Stretch

LARGEST, WORTH_LINE = 5, 3
"""So many loss bursts stand in the time line; of more than these, those of so many packets."""
MOST_OF_A_KIND = 8
SHOWN_SHARE = 0.05
"""Smaller shares of a stretch are not named."""
CAUSE_NAMES = {
    Cause.FULL_QUEUE: "the queue was full",
    Cause.WITHOUT_QUEUE: "no full queue explains it",
    Cause.INTERRUPTION: "in an interruption",
    Cause.LATE: "acknowledged later",
    Cause.UNCLEAR: "cause unclear",
}


@dataclass(frozen=True, slots=True)
class Moment:
    """A line of the time line."""

    begin: float
    end: float
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Story:
    e: Explanation
    summary: str
    timeline: list[Moment]
    findings: list[Finding]
    delay: list[str]
    states: list[Share]
    zones: list[Share]
    advice: list[Suggestion]
    unknown: list[str]
    """What the trace does not tell."""


def tell(e: Explanation) -> Story:
    findings = findings_of(e)
    return Story(
        e=e,
        summary=_summary(e, findings),
        timeline=_timeline(e),
        findings=findings,
        delay=_delay(e),
        states=e.controller.states,
        zones=e.controller.zones,
        advice=advice_for(findings, e.controller.name),
        unknown=_unknown(e),
    )


def _summary(e: Explanation, findings: list[Finding]) -> str:
    m, o = e.metrics, e.observed
    side = {"server": "The server", "client": "The client"}.get(m.vantage_point, "This side")
    lasted = f"in {words.span(o.end - o.begin)}"
    if not e.trace.frames_known:
        sent = "" if m.bytes_sent is None else f", {words.size(m.bytes_sent)} on the wire,"
        parts = [
            f"{side} sent {words.count(m.packets_sent, 'packet')}{sent} and received {m.packets_received:,} {lasted}."
        ]
    elif e.role is Role.RECEIVER:
        rate = "" if m.received_goodput_bps is None else f", {words.rate(m.received_goodput_bps)}"
        parts = [f"{side} received {words.size(m.stream_bytes_received or 0)} of streams {lasted}{rate}."]
    else:
        rate = "" if m.goodput_bps is None else f": {words.rate(m.goodput_bps)} from the first byte to the last"
        sent, acked = words.size(m.stream_bytes_sent or 0), words.size(m.stream_bytes_acked or 0)
        parts = [
            f"{side} ({_controller(e)}) sent {sent} of streams, of which {acked} were acknowledged, {lasted}{rate}."
        ]
    d = e.delay
    if d is not None and d.rtt.p50 is not None and d.over_time.p50 is not None and d.over_time.p95 is not None:
        p50, p95 = words.ms(d.over_time.p50 / 1e3), words.ms(d.over_time.p95 / 1e3)
        queue = (
            "there was no queueing delay for 95 % of the time or more"
            if p95 == words.ms(0.0)
            else f"the queueing delay was {p50} as a median over time and above {p95} for 5 % of it"
        )
        parts.append(
            f"A round trip took {words.ms(d.base_rtt)} at best and {words.ms(d.rtt.p50 / 1e3)} as a median; {queue}."
        )
    if m.packets_lost is not None and m.loss_percent is not None:
        of = f"of {words.count(m.packets_sent, 'packet')}" + " that it sent" * (e.role is Role.RECEIVER)
        share = f", {words.percent(m.loss_percent / 100.0)}," if m.packets_lost else ""
        parts.append(f"{m.packets_lost:,} {of}{share} were lost." if m.packets_lost else f"None {of} was lost.")
    parts.append(f"Most important: {findings[0].text}" if findings else "Nothing stands out.")
    return " ".join(parts)


def _controller(e: Explanation) -> str:
    name = e.metrics.controller
    return "the trace does not name its controller" if name.startswith("unknown controller") else name


def _timeline(e: Explanation) -> list[Moment]:
    told_elsewhere = (Limit.HANDSHAKE, Limit.INTERRUPTED)
    stretches = (
        [s for s in e.stretches if s.limit not in told_elsewhere]
        if e.role is Role.SENDER and e.trace.frames_known
        else []
    )
    moments = [*_begin(e), *(_stretch(e, s) for s in stretches), *_events(e)]
    return sorted(moments, key=lambda m: (m.begin, -m.end))


def _begin(e: Explanation) -> list[Moment]:
    h, s, o = e.handshake, e.startup, e.observed
    out = []
    if h.seen and h.end is not None:
        trips = "" if h.round_trips is None else f", {h.round_trips:.1f} round trips as this side sees it"
        lost = f", {words.count(h.lost_packets, 'packet')} of it lost" if h.lost_packets else ""
        out.append(Moment(h.begin, h.end, "handshake", f"{words.span(h.end - h.begin)}{trips}{lost}; over when {h.by}"))
    elif h.seen:
        out.append(Moment(h.begin, o.end, "handshake", f"not complete in this trace: {h.by}"))
    if s is not None and e.role is Role.SENDER:
        trips = "" if s.round_trips is None else f", {s.round_trips:.0f} smallest round trips"
        states = ", ".join(s.states)
        lost = words.count(s.lost_packets, "packet") + " lost" if s.lost_packets else "no loss"
        if s.end is None:
            text = f"{states} until the trace ends; {lost}"
        else:
            text = f"{words.span(s.end - s.begin)}{trips} in {states}, until {s.next_state}; {lost}"
        out.append(Moment(s.begin, o.end if s.end is None else s.end, "start-up", text))
    return out


def _stretch(e: Explanation, s: Stretch) -> Moment:
    others = sorted(((x, k) for k, x in s.shares.items() if k is not s.limit and x >= SHOWN_SHARE), reverse=True)
    beside = "".join(f", {words.LIMIT_NAMES[k]} {words.percent(x)}" for x, k in others)
    delay = median_between(e.observed, s.begin, s.end)
    queue = "" if delay is None else f"; queueing delay {words.ms(delay)} as a median"
    share = words.percent(s.shares.get(s.limit, 0.0))
    text = f"{share} of this time{beside}; {words.rate(s.acked_bps)} acknowledged{queue}"
    return Moment(s.begin, s.end, words.LIMIT_NAMES[s.limit], text)


def _events(e: Explanation) -> list[Moment]:
    out = [
        Moment(
            i.begin,
            i.end,
            "interruption",
            f"nothing acknowledged for {words.span(i.end - i.begin)}; {i.sent_packets:,} packets sent meanwhile, "
            f"{i.received_packets:,} came back that acknowledged nothing, {i.lost_packets:,} lost"
            + ("" if i.ended else "; until the trace ends"),
        )
        for i in sorted(e.interruptions, key=lambda i: i.begin - i.end)[:MOST_OF_A_KIND]
    ]
    bursts = [b for b in e.losses.bursts if b.cause is not Cause.INTERRUPTION]
    worth = WORTH_LINE if len(bursts) > LARGEST else 1
    for b in sorted(bursts, key=lambda b: -b.lost_packets)[:LARGEST]:
        if b.lost_packets < worth:
            break
        delay = "" if b.delay is None else f" at {words.ms(b.delay)} of queueing delay"
        lost, sent = words.count(b.lost_packets, "packet"), words.count(b.sent_packets, "packet")
        of = f"{b.lost_packets:,} of {sent}" if b.sent_packets >= b.lost_packets > 1 else lost
        out.append(Moment(b.begin, b.end, "losses", f"{of} lost{delay}: {CAUSE_NAMES[b.cause]}"))
    for kind, name in (("longer_path", "longer path"), ("migration", "path probed")):
        out += [
            Moment(f.begin, f.begin, name, f.text) for f in findings_of(e) if f.kind == kind and f.begin is not None
        ]
    for time, outcome in e.controller.verdicts[:MOST_OF_A_KIND]:
        out.append(Moment(time, time, "controller", f"{outcome}: {OUTCOME_MEANINGS.get(outcome, 'no meaning known')}"))
    for s in e.trace.signals:
        if s.kind == "connection_close":
            why = f", reason “{s.reason}”" if s.reason else ""
            who = "this side" if s.sent else "the peer"
            out.append(Moment(s.time, s.time, "close", f"{who} closed the connection{why}"))
            break
    return out


def _delay(e: Explanation) -> list[str]:
    d = e.delay
    if d is None or d.over_time.p50 is None or d.over_time.p95 is None or d.over_time.max is None:
        return ["unknown: too few round trips were measured"]
    above = ", ".join(
        f"{words.percent(share)} of the time above {words.ms(b)}" for b, share in d.above.items() if share
    )
    known = "" if d.known >= 0.9 else f"known for {words.percent(d.known)} of the time: "
    return [
        f"{known}median {words.ms(d.over_time.p50 / 1e3)}, 95th percentile {words.ms(d.over_time.p95 / 1e3)}, largest "
        f"{words.ms(d.over_time.max / 1e3)} over time, above the smallest of the trace among packets of like size",
        *([above] if above else []),
    ]


def _spoken(field: str) -> str:
    """The name of a figure without its unit, in words."""
    return re.sub(r"_(bps|ms|percent)$", "", field).replace("_", " ")


def _unknown(e: Explanation) -> list[str]:
    out = [f"{_spoken(field)}: {why}" for field, why in e.metrics.not_measured.items() if _matters(e, field)]
    if e.role is Role.SENDER and e.observed.packets:
        if not e.limits.known:
            out.append("congestion window: the trace does not have it, so time in flight cannot be told apart")
        elif not e.limits.pacing_known:
            out.append("pacing rate: the trace does not have it; what it may have held back is unknown")
        if not e.limits.flow_control_known:
            out.append("flow control: the trace has neither the peer's transport parameters nor MAX_DATA frames")
        if not e.trace.states:
            out.append("start-up: the trace does not tell the controller's state")
    if not e.handshake.seen:
        out.append(f"handshake: {'no Initial packet was sent in this trace' if e.trace.frames_known else NO_FRAMES}")
    out += [f"the trace: {note}" for note in e.trace.notes]
    return out


def _matters(e: Explanation, field: str) -> bool:
    """The reason that stands for several fields is told once."""
    why = e.metrics.not_measured
    first = next(name for name, reason in why.items() if reason == why[field])
    return field == first and field in BASIC and field != "received_goodput_bps"
