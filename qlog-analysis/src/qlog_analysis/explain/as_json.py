"""A story for machines. Names carry their units; the README documents them."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .explanation import Explanation
from .story import Story


def to_json(story: Story) -> dict[str, Any]:
    e = story.e
    m = e.metrics
    return {
        "trace": m.trace,
        "title": m.title,
        "controller": m.controller,
        "vantage_point": m.vantage_point,
        "role": e.role.value,
        "begin_s": e.observed.begin,
        "end_s": e.observed.end,
        "summary": story.summary,
        "findings": [{"kind": f.kind, "text": f.text, "begin_s": f.begin, "end_s": f.end} for f in story.findings],
        "advice": [asdict(s) for s in story.advice],
        "not_told": story.unknown,
        "timeline": [{"begin_s": t.begin, "end_s": t.end, "what": t.what, "text": t.text} for t in story.timeline],
        **_phases(e),
        "interruptions": [
            {
                "begin_s": i.begin,
                "end_s": i.end,
                "rtt_before_ms": i.rtt * 1e3,
                "sent_packets": i.sent_packets,
                "received_packets": i.received_packets,
                "lost_packets": i.lost_packets,
                "ended": i.ended,
            }
            for i in e.interruptions
        ],
        "losses": _losses(e),
        "delay": _delay(e),
        "path": _path(e),
        "states": [asdict(s) for s in story.states],
        "zones": [asdict(s) for s in story.zones],
        "verdicts": [{"time_s": time, "outcome": outcome} for time, outcome in e.controller.verdicts],
        "metrics": m.to_json(),
    }


def _phases(e: Explanation) -> dict[str, Any]:
    h, s = e.handshake, e.startup
    return {
        "handshake": {
            "begin_s": h.begin,
            "end_s": h.end,
            "round_trips": h.round_trips,
            "lost_packets": h.lost_packets,
        }
        if h.seen
        else None,
        "startup": {
            "begin_s": s.begin,
            "end_s": s.end,
            "round_trips": s.round_trips,
            "lost_packets": s.lost_packets,
            "states": s.states,
            "next_state": s.next_state,
        }
        if s is not None
        else None,
        "limits": {
            "congestion_window_known": e.limits.known,
            "pacing_known": e.limits.pacing_known,
            "flow_control_known": e.limits.flow_control_known,
            "unsent_data_known": e.limits.data_known,
            "share": {limit.value: share for limit, share in e.limited.items()},
            "stretches": [
                {
                    "begin_s": x.begin,
                    "end_s": x.end,
                    "limit": x.limit.value,
                    "share": {limit.value: share for limit, share in x.shares.items()},
                    "acked_bps": x.acked_bps,
                }
                for x in e.stretches
            ],
        },
    }


def _losses(e: Explanation) -> dict[str, Any] | None:
    if not e.losses.known:
        return None
    return {
        "lost_packets": e.losses.lost_packets,
        "came_late_packets": e.losses.came_late,
        "marked_packets": e.losses.marked_packets,
        "persistent_congestion_s": e.losses.persistent,
        "bursts": [
            {
                "begin_s": b.begin,
                "end_s": b.end,
                "detected_s": b.detected,
                "lost_packets": b.lost_packets,
                "sent_packets": b.sent_packets,
                "queueing_delay_ms": None if b.delay is None else b.delay * 1e3,
                "cause": b.cause.value,
            }
            for b in e.losses.bursts
        ],
    }


def _delay(e: Explanation) -> dict[str, Any] | None:
    d = e.delay
    if d is None:
        return None
    return {
        "base_rtt_ms": d.base_rtt * 1e3,
        "known_share": d.known,
        "queueing_delay_over_time_ms": asdict(d.over_time),
        "above": [{"queueing_delay_ms": b * 1e3, "share": share} for b, share in d.above.items()],
    }


def _path(e: Explanation) -> dict[str, Any]:
    return {
        "sender_gave_way": [
            {
                "begin_s": g.begin,
                "end_s": g.end,
                "delay_before_ms": g.delay_before * 1e3,
                "delay_after_ms": g.delay_after * 1e3,
            }
            for g in e.paths.gave_way
        ],
        "longer": [
            {
                "time_s": s.time,
                "until_s": s.until,
                "delay_before_ms": s.before * 1e3,
                "delay_after_ms": s.after * 1e3,
            }
            for s in e.paths.steps
        ],
        "probed": [{"time_s": c.time, "by_peer": c.by_peer, "answered": c.validated} for c in e.paths.changes],
    }
