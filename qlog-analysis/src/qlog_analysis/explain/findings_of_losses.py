"""What losses and marks say; see `findings`."""

from __future__ import annotations

from collections.abc import Iterator

from ..percentiles import median
from . import words
from .explanation import Explanation
from .losses import DENSE, IN_BUNCHES, MANY_LATE, WITHOUT, Burst, Cause

WORTH = 0.0005
"""Of the packets; fewer losses that no queue explains are no finding."""

Told = tuple[str, str, float, float | None, float | None]
"""Kind, text, weight, begin and end of a finding."""


def losses(e: Explanation) -> Iterator[Told]:
    sent = e.metrics.packets_sent  # as in the summary, and in `loss_percent` of the metrics
    if not e.losses.known or not e.observed.packets:
        return
    yield from _full_queue(e.losses.of(Cause.FULL_QUEUE), sent)
    losing = e.losses.lost_packets / e.observed.packets
    yield from _without_queue(e.losses.of(Cause.WITHOUT_QUEUE), sent, losing)
    unclear = e.losses.of(Cause.UNCLEAR)
    lost = sum(b.lost_packets for b in unclear)
    if lost >= max(WORTH * sent, 1.0):
        yield (
            "unclear_losses",
            f"{words.count(lost, 'packet')} in {words.count(len(unclear), 'burst')} {_were(lost)} lost for a cause "
            f"that the delay does not tell{_delays(unclear)}.",
            30.0,
            *_span(unclear),
        )
    yield from _late(e)
    times = [t for t in e.losses.persistent if not any(i.begin <= t <= i.end + i.rtt for i in e.interruptions)]
    if times:
        yield (
            "persistent_congestion",
            f"Persistent congestion (RFC 9002 section 7.6) {words.times_from(len(times), times[0])}: everything that "
            "was sent for three probe timeouts was lost.",
            61.0,
            times[0],
            times[-1],
        )
    if e.losses.marked_packets:
        yield (
            "marked",
            f"The network marked {words.count(e.losses.marked_packets, 'packet')} as having met congestion (ECN), as "
            "the receiver counts.",
            20.0,
            None,
            None,
        )


def _full_queue(bursts: list[Burst], sent: int) -> Iterator[Told]:
    lost = sum(b.lost_packets for b in bursts)
    if not lost:
        return
    delays = [b.delay for b in bursts if b.delay is not None]
    yield (
        "full_queue_losses",
        f"{words.count(lost, 'packet')} ({words.percent(lost / sent)}) {_were(lost)} lost in "
        f"{words.count(len(bursts), 'burst')} when the queue was at its longest, {words.ms(median(delays))} "
        "as a median: most likely it was full, and what came then was dropped.",
        38.0 + 20.0 * min(50.0 * lost / sent, 1.0),
        *_span(bursts),
    )


def _without_queue(bursts: list[Burst], sent: int, losing: float) -> Iterator[Told]:
    """`losing`: the share that is lost of all packets of which a loss is told."""
    lost = sum(b.lost_packets for b in bursts)
    if lost < max(WORTH * sent, 2.0):
        return
    in_bunches = 3 * sum(b.lost_packets for b in bursts if b.dense and b.beyond(losing, IN_BUNCHES)) > lost
    yield (
        "losses_in_bunches" if in_bunches else "random_losses",
        f"{words.count(lost, 'packet')} ({words.percent(lost / sent)}) {_were(lost)} lost that no full queue explains"
        f"{_delays(bursts)}: {_in_bunches() if in_bunches else _one_by_one(bursts, losing)}.",
        52.0 + 25.0 * min(50.0 * lost / sent, 1.0),
        *_span(bursts),
    )


def _in_bunches() -> str:
    return (
        "in bunches, as a rate limiter (policer), a very short buffer or a radio link lose them; which of these the "
        "trace does not tell"
    )


def _one_by_one(bursts: list[Burst], losing: float) -> str:
    others = ["a rate limiter (policer) loses what is above its rate"] if losing >= DENSE else []
    delays = [b.delay for b in bursts if b.delay is not None]
    if delays and median(delays) > WITHOUT:
        others.append("queue management at the bottleneck (CoDel, PIE) drops them")
    how = "one by one, as a disturbed link loses them"
    return how + "".join(f", or as {other}" for other in others) + ("; the trace does not tell which" if others else "")


def _late(e: Explanation) -> Iterator[Told]:
    late = e.losses.of(Cause.LATE)
    total = e.losses.came_late
    if total < 3 or total < MANY_LATE * e.losses.lost_packets:
        return
    yield (
        "came_late",
        f"{words.count(total, 'packet')} of the {e.losses.lost_packets:,} that were declared lost {_were(total)} "
        "acknowledged later: they had been overtaken or held up, not lost.",
        50.0,
        *(_span(late) if late else (None, None)),
    )


def _delays(bursts: list[Burst]) -> str:
    delays = [b.delay for b in bursts if b.delay is not None]
    if not delays:
        return " (no delay was measured before them)"
    return f" (queueing delay before them: {words.ms(median(delays))} as a median)"


def _were(count: int) -> str:
    return "was" if count == 1 else "were"


def _span(bursts: list[Burst]) -> tuple[float, float]:
    return bursts[0].begin, bursts[-1].end
