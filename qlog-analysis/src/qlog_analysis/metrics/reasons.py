"""Why a trace does not give a figure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from ..model import Trace
from .ack_frequency import AckFrequency
from .distribution import Distribution
from .figures import OF_DELAY, OF_LOSSES, OF_STREAMS
from .goodput import MIN_FRAMES
from .pacing import Pacing

NO_FRAMES = "the packets of the trace have no frames"
NO_SIZES = "the trace does not give the size of every packet"
NO_ACKS = "the trace has no ACK frame that was received"
NO_SAMPLE = "no ACK gives a sample"
NOT_SENT = "the trace has no packet that was sent"
FEW_SENT = "fewer than two ack-eliciting packets of the application space were sent"
WHOLE_MS = "the times of the trace are whole ms"
ALL_LIMITED = "all samples are application-limited"
ONE_TRACE = "it needs several traces of one link"


def not_told(trace: Trace) -> dict[str, str]:
    """Of goodput, losses and round trips what a trace cannot give, with the reason."""
    why: dict[str, str] = {}
    sent = trace.sent
    if not len(sent):
        none = NOT_SENT
        why.update(dict.fromkeys(("bytes_sent", "goodput_bps", *OF_DELAY, *OF_LOSSES), none))
    elif not trace.ack_frames:
        none = NO_ACKS if trace.frames_known else NO_FRAMES
        own = not trace.frames_known and bool(np.isfinite(np.array(trace.metrics.latest_rtt)).any())
        of_losses = () if trace.losses_known else OF_LOSSES
        why.update(dict.fromkeys(("goodput_bps", *(() if own else OF_DELAY), *of_losses), none))
    if not trace.sizes_known:
        why["bytes_sent"] = NO_SIZES
    if "goodput_bps" not in why and not len(sent.frames):
        why["goodput_bps"] = "no STREAM frame was sent"
    if not trace.frames_known:
        why.update(dict.fromkeys(OF_STREAMS, NO_FRAMES))
    if len(trace.received) < MIN_FRAMES:
        few = f"fewer than {MIN_FRAMES} STREAM frames were received"
        why["received_goodput_bps"] = few if trace.frames_known else NO_FRAMES
    return why


def why_missing(trace: Trace, found: Mapping[str, object], *, coarse: bool) -> dict[str, str]:
    """Of these figures, by name, those that are missing; `coarse` if times are whole ms."""
    by_acks = _by_acks(trace)
    sizes = by_acks if trace.sizes_known else NO_SIZES
    sending = FEW_SENT if trace.frames_known else NO_FRAMES
    reasons = {
        "relative_one_way_delay_ms": by_acks,
        "relative_one_way_delay_from": by_acks,
        "delivery_rate_bps": sizes,
        "delivery_rate_application_limited_bps": sizes,
        "reordering_received": "no packet of the application space was received",
        "reordering_by_acks": by_acks,
        "acks_received": by_acks,
        "acks_batched_percent": WHOLE_MS if coarse else sizes,
        "acks_sent": "no ACK for packets of the application space was sent" if trace.frames_known else NO_FRAMES,
        "application_limited": sending,
        "application_limited_told": "the sender writes no events that tell it",
        "pacing": WHOLE_MS if coarse else sending,
        "fairness": ONE_TRACE,
    }
    why = {name: reason for name, reason in reasons.items() if _is_missing(found[name])}
    if not _is_missing(found["delivery_rate_application_limited_bps"]):
        why.update({"delivery_rate_bps": ALL_LIMITED} if "delivery_rate_bps" in why else {})
    elif "delivery_rate_bps" not in why:
        del why["delivery_rate_application_limited_bps"]  # there are none of them
    for name in ("acks_received", "acks_sent", "pacing"):
        why.update({f"{name}.{field}": reason for field, reason in _within(trace, found[name])})
    return why


def _is_missing(figure: object) -> bool:
    return figure is None or (isinstance(figure, Distribution) and figure.samples == 0)


def _by_acks(trace: Trace) -> str:
    if not len(trace.sent):
        return NOT_SENT
    if not trace.frames_known:
        return NO_FRAMES
    return NO_SAMPLE if trace.ack_frames else NO_ACKS


def _within(trace: Trace, figure: object) -> Iterator[tuple[str, str]]:
    """Fields of a figure."""
    if isinstance(figure, AckFrequency) and figure.bytes_per_ack is None:
        yield "bytes_per_ack", NO_SIZES
    if isinstance(figure, Pacing):
        if not figure.gap_over_pacing.samples:
            yield "gap_over_pacing", "no pacing rate held packets back" if trace.sizes_known else NO_SIZES
        if not trace.sizes_known:
            yield "bytes_in_bursts_percent", NO_SIZES
            yield "largest_burst_bytes", NO_SIZES
