"""Losses, interruptions and the path: what is said of them is what was done to the packets, and nothing else is."""

from __future__ import annotations

import random
import re
from pathlib import Path as FilePath
from typing import Any

import pytest

from made import SIZE, explained, kinds, made, told
from qlog_analysis.explain.losses import Cause
from tracewriter import Json

FULL: dict[str, Any] = {"rate": 5e6, "buffer": 60, "window": lambda t: (40 + int(100 * (t % 1.0))) * SIZE}
"""The window rises until the buffer overflows, again and again."""
RANDOM: dict[str, Any] = {"loses": lambda n: n % 97 == 5, "window": lambda _: 20 * SIZE}
MANY: dict[str, Any] = {"loses": lambda n: random.Random(n).random() < 0.08, "window": lambda _: 100 * SIZE}
"""So many that a round trip never goes without several, though each is lost by chance."""
BUNCHES: dict[str, Any] = {"loses": lambda n: n % 400 < 8 and n > 100, "window": lambda _: 20 * SIZE}
OUTAGE: dict[str, Any] = {"outage": (2.0, 3.0), "rate": 5e6}
EVERY = ("full_queue_losses", "random_losses", "losses_in_bunches", "unclear_losses", "interruption", "came_late")


def of_losses(found: list[str]) -> list[str]:
    return [k for k in found if k in EVERY]


@pytest.mark.parametrize(
    ("plan", "finding", "cause"),
    [
        (FULL, "full_queue_losses", Cause.FULL_QUEUE),
        (RANDOM, "random_losses", Cause.WITHOUT_QUEUE),
        (RANDOM | {"rate": 5e6, "window": lambda _: 40 * SIZE}, "random_losses", Cause.WITHOUT_QUEUE),
        (MANY, "random_losses", Cause.WITHOUT_QUEUE),
        (BUNCHES, "losses_in_bunches", Cause.WITHOUT_QUEUE),
    ],
)
def test_losses_have_the_cause_that_they_were_given(
    tmp_path: FilePath, plan: dict[str, Any], finding: str, cause: Cause
) -> None:
    story = told(tmp_path, made(**plan, duration=8.0))
    bursts = story.e.losses.bursts
    assert len(bursts) >= 4
    assert sum(b.cause is cause for b in bursts) >= 0.7 * len(bursts), bursts
    assert of_losses(kinds(story))[0] == finding
    wrong = {"full_queue_losses", "random_losses", "losses_in_bunches", "interruption"} - {finding}
    assert not wrong & set(kinds(story))


@pytest.mark.parametrize("plan", [FULL, RANDOM])
def test_summary_and_finding_give_losses_the_same_share(tmp_path: FilePath, plan: dict[str, Any]) -> None:
    """Of all packets sent, also where most of them are ACKs, which are never declared lost."""
    some = made(**plan, duration=8.0)
    ack = {"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[0]]}
    times = [r["time"] for r in some[1:]]
    for n in range(30_000):
        header = {"packet_type": "1RTT", "packet_number": 1_000_000 + n}
        data = {"header": header, "raw": {"length": 40}, "frames": [ack]}
        some.append({"time": times[-1], "name": "quic:packet_sent", "data": data})
    story = told(tmp_path, some)
    lost = sum(b.lost_packets for b in story.e.losses.bursts)
    assert story.e.metrics.packets_lost == lost > 0
    finding = next(f.text for f in story.findings if f.kind in ("full_queue_losses", "random_losses"))
    of_summary = re.search(r"packets, ([\d.]+) %, were lost", story.summary)
    of_finding = re.search(r"packets \(([\d.]+) %\) were lost", finding)
    assert of_summary is not None, story.summary
    assert of_finding is not None, finding
    assert of_summary[1] == of_finding[1]


def test_without_losses_none_are_told(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(rate=5e6))
    assert not of_losses(kinds(story))
    assert "None of " in story.summary


def test_losses_that_the_trace_cannot_show_are_not_said_to_be_none(tmp_path: FilePath) -> None:
    some = [r for r in made(rate=5e6) if not is_ack(r)]
    story = told(tmp_path, some)
    assert not story.e.losses.known
    assert kinds(story)[0] == "no_acks"
    assert "lost" not in story.summary.replace("loss and limits are unknown", "")
    assert any("no ACK frame" in line for line in story.unknown)


def is_ack(record: Json) -> bool:
    return record.get("name") == "quic:packet_received" and record["data"]["frames"][0]["frame_type"] == "ack"


def test_an_interruption_has_its_times_and_its_losses_are_not_told_twice(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**OUTAGE))
    (i,) = story.e.interruptions
    assert i.begin == pytest.approx(2.0, abs=0.15)
    assert 3.0 <= i.end < 3.5
    assert i.ended
    assert i.received_packets == 0
    assert kinds(story)[0] == "interruption"
    assert of_losses(kinds(story)) == ["interruption"]
    assert all(b.cause is Cause.INTERRUPTION for b in story.e.losses.bursts)
    assert [m.what for m in story.timeline].count("interruption") == 1


def test_what_came_meanwhile_tells_that_the_way_back_worked(tmp_path: FilePath) -> None:
    some = made(**OUTAGE)
    at = next(k for k, r in enumerate(some) if r.get("time", 0.0) > 2500.0)
    header = {"packet_type": "1RTT", "packet_number": 99_999}
    ping = {"header": header, "raw": {"length": 40}, "frames": [{"frame_type": "ping"}]}
    some.insert(at, {"time": some[at - 1]["time"], "name": "quic:packet_received", "data": ping})
    story = told(tmp_path, some)
    assert story.e.interruptions[0].received_packets == 1
    assert "the way back worked" in story.findings[0].text


def test_silence_while_nothing_is_on_its_way_is_no_interruption(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(rate=5e6, duration=6.0, writes=lambda t: t < 1.0 or t > 5.0))
    assert not story.e.interruptions


def test_a_connection_that_ends_in_silence_is_told_so(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(rate=5e6, outage=(2.0, 99.0)))
    assert not story.e.interruptions[-1].ended
    assert "The trace ends in it." in story.findings[0].text


def test_a_path_that_becomes_longer_is_no_standing_queue(tmp_path: FilePath) -> None:
    longer = {"others": lambda t: 0.04 if t >= 4.0 else 0.0, "duration": 9.0, "app_rate": 2e6}
    story = told(tmp_path, made(**longer))
    (step,) = story.e.paths.steps
    assert step.time == pytest.approx(4.06, abs=0.1)
    assert step.after - step.before == pytest.approx(0.04, abs=2e-3)
    assert "longer_path" in kinds(story)
    assert "standing_queue" not in kinds(story)


@pytest.mark.parametrize(
    "others",
    [
        lambda _: 0.0,
        lambda t: 0.04 if 4.0 <= t < 5.0 else 0.0,
        lambda t: min(max(t - 4.0, 0.0) * 0.02, 0.04),
    ],
    ids=["steady", "for a second", "slowly"],
)
def test_a_delay_that_comes_slowly_or_goes_again_is_no_longer_path(tmp_path: FilePath, others: Any) -> None:
    story = told(tmp_path, made(others=others, duration=9.0, app_rate=2e6))
    assert not story.e.paths.steps


def _gives_way(time: float) -> int:
    return (15 if time % 2.0 < 0.6 else 60) * SIZE


def test_a_queue_that_stays_when_the_sender_gives_way_is_that_of_others(tmp_path: FilePath) -> None:
    def grows(t: float) -> float:
        """The smallest delay is that of the beginning, before they come."""
        return min(max(t - 1.0, 0.0), 1.0) * (0.05 + 0.01 * (t % 0.3))

    theirs = told(tmp_path, made(window=_gives_way, others=grows, duration=12.0, rate=2e7))
    assert "others_queue" in kinds(theirs)
    own = told(tmp_path, made(window=_gives_way, rate=5e6, duration=12.0))
    assert any(g.falls for g in own.e.paths.gave_way)
    assert "others_queue" not in kinds(own)


def test_packets_that_came_late_are_not_lost(tmp_path: FilePath) -> None:
    held_up = {"others": lambda t: 0.05 * (t % 0.2 < 0.004), "app_rate": 2e6, "duration": 6.0}
    some = late_acks(made(**held_up))
    story = told(tmp_path, some)
    assert story.e.losses.came_late >= 5
    assert "came_late" in kinds(story)
    assert story.e.losses.of(Cause.LATE)


def late_acks(some: list[Json]) -> list[Json]:
    """Every packet that was declared lost is acknowledged half a second later."""
    out: list[Json] = []
    sent = [r for r in some if r.get("name") == "quic:packet_sent" and r["data"]["header"]["packet_type"] == "1RTT"]
    acked = {r["data"]["frames"][0]["acked_ranges"][0][0] for r in some if is_ack(r)}
    last = max(acked)
    missing = sorted({r["data"]["header"]["packet_number"]: r["time"] for r in sent}.items())
    due = [(time + 500.0, n) for n, time in missing if n not in acked and n < last]
    for r in some:
        while due and r.get("time", 0.0) > due[0][0]:
            _, n = due.pop(0)
            ack = {"frame_type": "ack", "ack_delay": 0.0, "acked_ranges": [[n]]}
            header = {"packet_type": "1RTT", "packet_number": 100_000 + n}
            data = {"header": header, "raw": {"length": 60}, "frames": [ack]}
            out.append({"time": out[-1]["time"], "name": "quic:packet_received", "data": data})
        out.append(r)
    return out


def test_a_probed_path_is_told_with_its_answer(tmp_path: FilePath) -> None:
    some = made(rate=5e6)
    assert not explained(tmp_path, some).paths.changes
    challenge, response = {"frame_type": "path_challenge"}, {"frame_type": "path_response"}
    sent = [r for r in some if r.get("name") == "quic:packet_sent"]
    sent[len(sent) // 2]["data"]["frames"].append(challenge)
    (unanswered,) = explained(tmp_path, some).paths.changes
    assert unanswered.validated is False
    acks = [r for r in some if is_ack(r)]
    acks[-20]["data"]["frames"].append(response)
    story = told(tmp_path, some)
    (change,) = story.e.paths.changes
    assert (change.by_peer, change.validated) == (False, True)
    assert "migration" in kinds(story)


def test_a_handshake_that_never_ends_is_the_finding(tmp_path: FilePath) -> None:
    some = [r for r in made(rate=5e6) if r.get("time", 0.0) < 40.0]
    story = told(tmp_path, some)
    assert "handshake_incomplete" in kinds(story)
    assert story.e.handshake.end is None
    assert "handshake_incomplete" not in kinds(told(tmp_path, made(rate=5e6)))
