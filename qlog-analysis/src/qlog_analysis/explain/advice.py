"""What to try next, each tied to a finding."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .findings import Finding

MOST = 3

ADVICE = {
    "no_acks": "Take the trace at the side that sends the data, with packets received in it.",
    "no_frames": "Take the trace of the other side, if another implementation wrote it, or a packet capture with the "
    "connection's keys.",
    "receiving_side": "Ask for the trace of the side that sent: only it has window, pacing and losses.",
    "handshake_incomplete": "See whether UDP passes in both directions (firewall, port), and what the last packets of "
    "the handshake were.",
    "slow_handshake": "Look at the first packets: lost ones wait for a probe timeout; Retry and version negotiation "
    "cost a round trip each.",
    "interruption": "Look at what happened on the path at that time (radio, handover, NAT, route), and whether the "
    "client's address changed afterwards.",
    "application_limited": "Look at the application that feeds the sender (disk, database, encoder, request pattern): "
    "another congestion controller would change nothing in that time.",
    "late_sending": "Look at the sending program: how soon it asks for packets when data or room comes, how exact its "
    "timers are, and whether its processor is busy. Another congestion controller would change nothing in that time.",
    "receiver_limited": "Raise the receiver's flow control windows to at least twice rate times round trip, or see "
    "why its application reads so slowly.",
    "standing_queue": "Try queue management at the bottleneck (CoDel, PIE, FQ).",
    "full_queue_losses": "The bottleneck's buffer overflows: queue management with ECN there avoids these losses.",
    "random_losses": "Look for what loses packets without congestion (radio, cable, optics), unless the bottleneck "
    "manages its queue.",
    "losses_in_bunches": "Ask whether a rate limiter is on the path, and pace below its rate; look for a radio link "
    "with bad reception.",
    "unclear_losses": "Take the bottleneck's own counters of drops for that time, if they can be had.",
    "came_late": "Look for reordering on the path (several links in parallel, radio retransmissions).",
    "persistent_congestion": "Take it as an interruption: see what happened on the path at that time.",
    "others_queue": "Look at what else uses the link: this sender cannot shorten a queue that others keep. Separate "
    "queues (FQ) at the bottleneck would.",
    "path_carries_less": "Look at the link's rate at that time (radio, throttling) and at what else used it.",
    "longer_path": "See whether the route or the access network changed at that time.",
    "window_limited": "Compare window with rate times round trip: a larger initial window, or another controller, "
    "may use more of the path.",
    "pacing_limited": "Repeat with another controller on the same path: if it is faster, the pacing rate was too low.",
    "limit_unknown": "Switch on the sender's recovery metrics (congestion window) in its qlog.",
}


@dataclass(frozen=True, slots=True)
class Suggestion:
    finding: str
    """Its kind."""
    text: str


INSTEAD_OF_OTHERS = {
    "standing_queue": "Try a controller that keeps queues short (hybrid), or queue management at the bottleneck "
    "(CoDel, PIE, FQ).",
    "full_queue_losses": "The bottleneck's buffer overflows: a controller that stops before it is full (hybrid), or "
    "queue management with ECN there, avoids these losses.",
    "random_losses": "Look for what loses packets without congestion (radio, cable, optics), unless the bottleneck "
    "manages its queue; a controller that does not take every loss for congestion (hybrid, bbr2) may keep more of its "
    "rate meanwhile.",
}
"""Where the controller is not hybrid."""


def advice_for(findings: Iterable[Finding], controller: str) -> list[Suggestion]:
    """For the most important findings that have one, at most `MOST`, each once."""
    advice = ADVICE if controller.startswith("hybrid") else ADVICE | INSTEAD_OF_OTHERS
    kinds = list(dict.fromkeys(f.kind for f in findings if f.kind in advice))
    return [Suggestion(kind, advice[kind]) for kind in kinds[:MOST]]
