"""What is worth saying of a connection, the most important first. A finding is made only of what was observed, and its
text gives the figures that it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..percentiles import median
from . import words
from .explanation import Explanation, Role
from .findings_of_losses import losses
from .limits import Limit
from .losses import Cause
from .phases import OTHER_RATE

SLOW_HANDSHAKE = 3.5
"""Round trips; a handshake takes one or two, and one more with Retry or an address that has to be validated."""
QUEUE, QUEUE_SHARE = 0.03, 0.5
"""s, and of the smallest round trip: a median queueing delay beyond both is a finding."""
MUCH, SOME, LITTLE = 0.5, 0.2, 0.05
"""Shares of the time."""


@dataclass(frozen=True, slots=True)
class Finding:
    kind: str
    """One of the keys of `advice.ADVICE` or a plain fact; stands in JSON."""
    text: str
    weight: float
    """The heaviest is the most important."""
    begin: float | None = None
    """When, if it is about a part of the trace."""
    end: float | None = None


def findings_of(e: Explanation) -> list[Finding]:
    found = [
        *_what_is_there(e),
        *_handshake(e),
        *_interruptions(e),
        *(Finding(*f) for f in losses(e)),
        *_queue(e),
        *_path(e),
    ]
    if e.role is Role.SENDER:
        found += _limited(e)
    return sorted(found, key=lambda f: -f.weight)


def _what_is_there(e: Explanation) -> Iterator[Finding]:
    m = e.metrics
    if e.role is Role.RECEIVER:
        yield Finding(
            "receiving_side",
            f"This trace is of the side that received ({words.size(m.stream_bytes_received or 0)} of streams received, "
            f"{words.size(m.stream_bytes_sent or 0)} sent). What limited the other side it does not tell.",
            90.0,
        )
    elif not e.trace.frames_known:
        own = "" if m.rtt_ms.mean is None else f" Round trips are from the {m.rtt_from}."
        yield Finding(
            "no_frames",
            "The packets in this trace have no frames: what they carried, what was acknowledged and what limited the "
            f"sender are unknown.{own}",
            100.0,
        )
    elif not e.trace.ack_frames:
        yield Finding(
            "no_acks", "The trace has no ACK frame that was received: delay, loss and limits are unknown.", 100.0
        )


def _handshake(e: Explanation) -> Iterator[Finding]:
    h = e.handshake
    if not h.seen:
        return
    if h.end is None:
        yield Finding(
            "handshake_incomplete",
            f"The handshake did not complete within the {words.span(e.observed.end - h.begin)} of the trace.",
            20.0 if e.observed.any_removed else 99.0,
            h.begin,
            e.observed.end,
        )
    elif h.lost_packets or (h.round_trips or 0.0) > SLOW_HANDSHAKE:
        trips = "" if h.round_trips is None else f", {h.round_trips:.1f} round trips"
        yield Finding(
            "slow_handshake",
            f"The handshake took {words.span(h.end - h.begin)}{trips}, with "
            f"{words.count(h.lost_packets, 'packet')} of it lost.",
            55.0,
            h.begin,
            h.end,
        )


def _interruptions(e: Explanation) -> Iterator[Finding]:
    if not e.interruptions:
        return
    o = e.observed
    longest = max(e.interruptions, key=lambda i: i.end - i.begin)
    total = sum(i.end - i.begin for i in e.interruptions)
    way_back = (
        f" {words.count(longest.received_packets, 'packet')} came meanwhile that acknowledged nothing, so the way back "
        "worked."
        if longest.received_packets
        else ""
    )
    ending = "" if longest.ended else " The trace ends in it."
    yield Finding(
        "interruption",
        f"Nothing was acknowledged for {words.span(longest.end - longest.begin)}, from {words.at(longest.begin)} to "
        f"{words.at(longest.end)}, where a round trip had taken {words.ms(longest.rtt)}: of "
        f"{words.count(longest.sent_packets, 'packet')} sent meanwhile and those on their way before, "
        f"{longest.lost_packets:,} were lost.{way_back}{ending}"
        + (f" In all {len(e.interruptions)} such times, {words.span(total)}." if len(e.interruptions) > 1 else ""),
        62.0 + 38.0 * min(5.0 * total / max(o.end - o.begin, 1e-9), 1.0),
        longest.begin,
        longest.end,
    )


def _queue(e: Explanation) -> Iterator[Finding]:
    d = e.delay
    if d is None or d.over_time.p50 is None or d.over_time.p95 is None:
        return
    median, high = d.over_time.p50 / 1e3, d.over_time.p95 / 1e3
    if any(s.after >= 0.5 * median for s in e.paths.steps):
        return  # what looks like a queue is the longer path, which is told
    if median >= max(QUEUE, QUEUE_SHARE * d.base_rtt):
        yield Finding(
            "standing_queue",
            f"A queue stood on the path: more than {words.ms(median)} of queueing delay for half of the time in which "
            f"it is known ({words.percent(d.known)} of all), more than {words.ms(high)} for 5 % of it, where the "
            f"smallest round trip took {words.ms(d.base_rtt)}.",
            d.known * (58.0 + 25.0 * min(median / max(d.base_rtt, 0.02) / 4.0, 1.0)),
        )


def _path(e: Explanation) -> Iterator[Finding]:
    for step in e.paths.steps:
        yield Finding(
            "longer_path",
            f"At {words.at(step.time)} the smallest queueing delay rose at once from {words.ms(step.before)} to "
            f"{words.ms(step.after)}, and did not fall back until {words.at(step.until)}: the path became longer, or a "
            "queue of others came to stay; packets do not tell these apart.",
            57.0,
            step.time,
            step.until,
        )
    yield from _others(e)
    yield from _other_rate(e)
    for change in e.paths.changes:
        answer = {True: ", and was answered", False: ", without an answer", None: ""}[change.validated]
        yield Finding(
            "migration",
            f"At {words.at(change.time)} {'the peer' if change.by_peer else 'this side'} probed a path "
            f"(PATH_CHALLENGE{answer}): an address changed, or another path was tried.",
            30.0,
            change.time,
            change.time,
        )


def _other_rate(e: Explanation) -> Iterator[Finding]:
    """The largest fall of what the path carried from one stretch to the next."""
    pairs = list(zip(e.stretches[:-1], e.stretches[1:], strict=True))
    falls = [
        (after.acked_bps / before.acked_bps, before, after)
        for before, after in pairs
        if before.limit is after.limit is Limit.PATH and before.acked_bps > 0.0
    ]
    if not falls:
        return
    ratio, before, after = min(falls, key=lambda f: f[0])
    if ratio <= 1.0 - OTHER_RATE:
        yield Finding(
            "path_carries_less",
            f"At {words.at(after.begin)} what the path carried of this connection fell from "
            f"{words.rate(before.acked_bps)} to {words.rate(after.acked_bps)}: the link became slower, or others took "
            "a share of it; the rate alone does not tell which.",
            60.0,
            after.begin,
            after.end,
        )


def _others(e: Explanation) -> Iterator[Finding]:
    judged = [g for g in e.paths.gave_way if g.stays or g.falls]
    stays = [g for g in judged if g.stays]
    if len(stays) >= 2 and 2 * len(stays) > len(judged) and not e.paths.steps:
        worst = max(stays, key=lambda g: g.delay_after)
        yield Finding(
            "others_queue",
            f"In {len(stays)} of the {len(judged)} times that the sender had half as much in flight as before, for "
            "more than a round trip, the queue did not go away: others fill it. For example at "
            f"{words.at(worst.begin)}: {words.ms(worst.delay_before)} before, {words.ms(worst.delay_after)} after.",
            66.0,
            stays[0].begin,
            stays[-1].end,
        )
    contended = [time for time, outcome in e.controller.verdicts if outcome == "contended"]
    if contended:
        held = next((s.share for s in e.controller.states if s.name == "holding"), 0.0)
        yield Finding(
            "others_queue",
            f"The controller judged {words.times_from(len(contended), contended[0])}, that "
            "others keep the queue, which did not go away when it sent less; it held its share beside them for "
            f"{words.percent(held)} of the time.",
            65.0,
            contended[0],
            contended[-1],
        )


def _limited(e: Explanation) -> Iterator[Finding]:
    shares = e.limited
    if not e.observed.packets or not shares:
        return
    application = shares.get(Limit.APPLICATION, 0.0)
    if application >= SOME:
        yield Finding(
            "application_limited",
            f"The sender had nothing to send for {words.percent(application)} of the time after the handshake: window "
            f"and pacing would have let packets leave.{_otherwise(e)}",
            50.0 * application + (37.0 if application >= 0.9 * MUCH else 0.0),
        )
    late = shares.get(Limit.LATE, 0.0)
    if late >= LITTLE:
        yield Finding(
            "late_sending",
            f"Data waited for {words.percent(late)} of the time after the handshake although window, pacing and flow "
            "control would have let it leave: the program sent late, as with coarse timers or on a busy machine.",
            50.0 * late + (37.0 if late >= 0.9 * MUCH else 0.0),
        )
    receiver = shares.get(Limit.RECEIVER, 0.0)
    if receiver >= LITTLE:
        yield Finding(
            "receiver_limited",
            f"The receiver's flow control held data back for {words.percent(receiver)} of the time: what MAX_DATA or "
            f"MAX_STREAM_DATA allowed was used up to the last byte.{_allowed_in_flight(e)}",
            40.0 + 50.0 * receiver,
        )
    yield from _by_the_sender(e, shares)
    unknown_share = shares.get(Limit.UNKNOWN, 0.0)
    if unknown_share >= MUCH:
        why = "" if e.limits.known else ": the trace does not tell the congestion window"
        yield Finding(
            "limit_unknown",
            f"What limited the sender is unknown for {words.percent(unknown_share)} of the time{why}.",
            30.0,
        )


def _otherwise(e: Explanation) -> str:
    """What else it may have been that the application sent nothing."""
    if not e.limits.flow_control_known:
        return " The trace does not tell what the receiver's flow control allowed: it may have been that as well."
    if not e.limits.data_known:
        return " The trace does not tell what was written: data may have waited for a program that sent late."
    return ""


def _allowed_in_flight(e: Explanation) -> str:
    """An application that reads slowly leaves nothing in flight; windows that are too small do."""
    limits = e.limits
    middle = (limits.edges[1:] + limits.edges[:-1]) / 2.0
    held = middle[[limit is Limit.RECEIVER for limit in limits.chief()]]
    if not len(held):
        return ""
    flight = median(e.observed.in_flight_at(held))
    if flight <= 0.0:
        return (
            " For most of it nothing was in flight: what was sent had arrived, and the receiver allowed no more, as "
            "where its application reads slowly."
        )
    return f" Meanwhile {words.size(flight)} were in flight as a median."


def _by_the_sender(e: Explanation, shares: dict[Limit, float]) -> Iterator[Finding]:
    window, pacing, path = (shares.get(x, 0.0) for x in (Limit.WINDOW, Limit.PACING, Limit.PATH))
    if window >= SOME:
        yield Finding(
            "window_limited",
            f"The congestion window held the sender back for {words.percent(window)} of the time while no queue stood "
            f"on the path.{_losses_beside(e)}",
            30.0 + (20.0 if e.losses.of(Cause.WITHOUT_QUEUE) else 40.0) * window,
        )
    if pacing >= SOME:
        yield Finding(
            "pacing_limited",
            f"The pacing rate held the sender back for {words.percent(pacing)} of the time while no queue stood on the "
            "path; whether the path would have carried more the trace does not tell.",
            25.0 + 30.0 * pacing,
        )
    if path >= SOME:
        rates = [s.acked_bps for s in e.stretches if s.limit is Limit.PATH]
        judged = " by its delay or by the controller's own zones" if e.controller.zone_spans else ""
        carried = f" It carried {_range(rates)}." if rates else ""
        unsure = (
            " The queue was short and the delay uneven, as where a radio makes packets wait: it may have been none, "
            "and the limit the sender's own."
            if e.limits.uneven
            else ""
        )
        yield Finding(
            "path_limited",
            f"The path was the limit for {words.percent(path)} of the time: the sender used what window and pacing "
            f"allowed, and a queue stood{judged}, or as much arrived as while it stood.{carried}{unsure}",
            25.0 + 25.0 * path,
        )


def _losses_beside(e: Explanation) -> str:
    bursts = len(e.losses.of(Cause.WITHOUT_QUEUE))
    return f" Losses that no full queue explains came {words.times(bursts)}." if bursts else ""


def _range(rates: list[float]) -> str:
    least, most = words.rate(min(rates)), words.rate(max(rates))
    return least if least == most else f"{least} to {most}"
