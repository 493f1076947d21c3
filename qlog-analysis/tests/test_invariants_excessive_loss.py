"""What losses ask a sender to send less, and what may be chance."""

from __future__ import annotations

from collections.abc import Callable

from qlog_analysis.invariants.excessive_loss import HALF, Round, judge_rounds

PACKET = 1250.0


def breaches(sent: Callable[[int], int], lost: Callable[[int], int]) -> int:
    """Of a sender that sends and loses so many packets in each of its round trips of 50 ms."""
    some = [Round(0.05 * i, 0.05 * (i + 1), PACKET * sent(i), PACKET * lost(i)) for i in range(2 * HALF)]
    return len(judge_rounds(some, lambda _: PACKET).breaches)


def twice(packets: int) -> Callable[[int], int]:
    """Twice as many in the later half."""
    return lambda i: packets if i < HALF else 2 * packets


def test_a_sender_that_sends_more_while_a_third_is_lost_is_refused() -> None:
    assert breaches(twice(6), twice(2)) == 1


def test_one_that_does_not_send_more_passes() -> None:
    assert breaches(lambda _: 12, lambda _: 4) == 0


def test_single_packets_of_a_few_that_are_lost_tell_no_share() -> None:
    def lost(single: int) -> Callable[[int], int]:
        return lambda i: 3 if i == 0 or i >= HALF else single

    assert breaches(twice(3), lost(1)) == 0
    assert breaches(twice(3), lost(2)) == 1


def test_losses_of_a_fifth_and_what_chance_explains_pass() -> None:
    """Of 216 packets 43.2 are a fifth, and 56.3 the most by chance."""

    def lost(last: int) -> Callable[[int], int]:
        return lambda i: last if i == HALF - 1 else (i % 2) * (4 if i < HALF else 6)

    assert breaches(twice(6), lost(0)) == 0
    assert breaches(twice(6), lost(1)) == 1
