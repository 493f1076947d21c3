"""Losses that stay excessive make any sender send less (RFC 8085 section 3.1, RFC 8084, RFC 9743 section 5)."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from ..model import TIME_RESOLUTION, Space
from ..packed import part
from .invariant import Invariant, Judged
from .seen import LEAST_WINDOW, Seen

EXCESSIVE = 0.2
"""Share of what was sent; twice what hybrid's own bound is."""
HALF = 12
"""Round trips that are compared with as many after them: a sender that is probing rises and falls within eight."""
OFTEN = 5
"""Of these round trips so many must be as bad: an interruption is one."""
GROWN = 1.5
"""So many times as much may leave in the later half: of few packets chance decides how many."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round trip; times in s."""

    begin: float
    end: float
    sent: float
    """Bytes."""
    lost: float

    @property
    def rate(self) -> float:
        """bit/s"""
        return 8.0 * self.sent / max(self.end - self.begin, TIME_RESOLUTION)

    def is_excessive(self, packet: float) -> bool:
        """One packet lost of a few tells no share."""
        return self.lost > max(EXCESSIVE * self.sent, packet)

    def exceeds_chance(self, packet: float) -> bool:
        """Whether more is lost than chance explains: up to two standard deviations of a Poisson count."""
        usual = EXCESSIVE * self.sent / packet
        return self.lost / packet > usual + 2.0 * math.sqrt(usual)


def judge(seen: Seen) -> Judged:
    if seen.trace.losses_from is None:
        return Judged.nothing("the trace does not tell of losses")
    return judge_rounds(_rounds(seen), seen.packet_size)


def judge_rounds(rounds: list[Round], packet_size: Callable[[float], float]) -> Judged:
    """The verdict on round trips that follow each other; a full packet has `packet_size` bytes at a time."""
    out, most, i = Judged(), 0.0, 0
    while i + 2 * HALF <= len(rounds):
        earlier, later = (_together(rounds[a : a + HALF]) for a in (i, i + HALF))
        most = max(most, earlier.rate)
        last, packet, i = rounds[i + 2 * HALF - 1], packet_size(earlier.begin), i + 1
        often = (sum(r.is_excessive(packet) for r in rounds[a : a + HALF]) >= OFTEN for a in (i - 1, i - 1 + HALF))
        if not (earlier.is_excessive(packet) and later.is_excessive(packet) and all(often)):
            continue
        if not _together(rounds[i - 1 : i - 1 + 2 * HALF]).exceeds_chance(packet):
            continue
        out.cases += 1
        out.seconds += last.end - last.begin
        # At the least window and with probes (RFC 9002 section 7.5) nothing is left to give up.
        floor = HALF * 2 * LEAST_WINDOW * packet
        if later.rate > GROWN * most and later.sent > floor:
            share = (earlier.lost + later.lost) / (earlier.sent + later.sent)
            out.breach(
                later.end,
                f"{share:.0%} lost in {2 * HALF} round trips, and in the later half {later.rate / 1e6:.3f} Mbit/s "
                f"leave, {most / 1e6:.3f} at most before",
            )
            i += 2 * HALF
    return out


def _together(rounds: list[Round]) -> Round:
    sent, lost = sum(r.sent for r in rounds), sum(r.lost for r in rounds)
    return Round(rounds[0].begin, rounds[-1].end, sent, lost)


def _rounds(seen: Seen) -> list[Round]:
    """Round trips of the application space one after the other, with what became of the packets sent in them."""
    sent, feedback = seen.trace.sent, seen.trace.feedback
    lost = _lost(seen)
    out, i = [], 0
    while i < len(feedback) and int(seen.round_end[i]) < len(feedback):
        f, end = feedback[i], feedback[int(seen.round_end[i])]
        if end.record >= seen.until:
            break
        a, b = (sent.record.left(x.record) for x in (f, end))
        size = part(sent.size, a, b) * seen.o.own[a:b]
        out.append(Round(f.time, end.time, float(size.sum()), float(size[lost[a:b]].sum())))
        i = max(int(seen.round_end[i]), i + 1)
    return out


def _lost(seen: Seen) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Packets that were declared lost and did not come later."""
    lost = np.zeros(len(seen.trace.sent), dtype=np.bool_)
    feedback = seen.trace.feedback
    for i, packets in feedback.lost.items():
        lost[packets] |= feedback.space[i] == Space.APPLICATION
    lost[seen.trace.came_late] = False
    return lost


INVARIANT = Invariant(
    name="excessive loss",
    holds="where more than a fifth is lost in twelve round trips, beyond chance, with more than a packet and a fifth "
    "in five of them each, and so in the twelve after, no more leaves per second in these than in any twelve before",
    needs=("packet_sent", "packet_received with ACK frames", "a count of losses"),
    tolerance="half as much again, as of few packets chance decides how many leave; two packets and two probes in a "
    "round trip are always allowed",
    unit="round trips",
    least=1,
    judge=judge,
)
