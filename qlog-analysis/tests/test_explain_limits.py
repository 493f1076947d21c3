"""What limited the sender, against senders of which it is known."""

from __future__ import annotations

from pathlib import Path as FilePath
from typing import Any

import pytest

from made import SIZE, explained, kinds, made, told
from qlog_analysis.explain.limits import Limit
from tracewriter import Json

WINDOW: dict[str, Any] = {"window": lambda _: 10 * SIZE}
APPLICATION: dict[str, Any] = {"app_rate": 1e6}
PACING: dict[str, Any] = {"pacing": 2e6}
PATH: dict[str, Any] = {"rate": 5e6, "window": lambda _: 40 * SIZE}
RECEIVER: dict[str, Any] = {"receiver": 20_000, "window": lambda _: 400 * SIZE}


@pytest.mark.parametrize(
    ("plan", "limit", "finding"),
    [
        (WINDOW, Limit.WINDOW, "window_limited"),
        (APPLICATION, Limit.APPLICATION, "application_limited"),
        (APPLICATION | {"pacing": 2e6}, Limit.APPLICATION, "application_limited"),
        (APPLICATION | {"rate": 5e6}, Limit.APPLICATION, "application_limited"),
        (PACING, Limit.PACING, "pacing_limited"),
        (PATH, Limit.PATH, "path_limited"),
        (PATH | {"pacing": 6e6}, Limit.PATH, "path_limited"),
        (RECEIVER, Limit.RECEIVER, "receiver_limited"),
        (RECEIVER | {"reads": 1e6}, Limit.RECEIVER, "receiver_limited"),
    ],
)
def test_the_limit_that_held_the_sender_back_is_named_and_no_other(
    tmp_path: FilePath, plan: dict[str, Any], limit: Limit, finding: str
) -> None:
    story = told(tmp_path, made(**plan))
    shares = story.e.limited
    assert shares[limit] > 0.9, shares
    limited = [k for k in kinds(story) if k.endswith("_limited")]
    assert limited == [finding]


def with_writes(some: list[Json], *, in_time: bool) -> list[Json]:
    """What the application wrote: everything as the first packet leaves, or each packet's data as it leaves."""
    frames = [(r, f) for r in some for f in r.get("data", {}).get("frames", []) if f["frame_type"] == "stream"]
    lengths = [f["raw"]["payload_length"] for _, f in frames]
    writes = lengths if in_time else [sum(lengths)]
    offset, moved = 0, {}
    for (r, _), length in zip(frames, writes, strict=False):
        data = {"stream_id": 0, "offset": offset, "from": "application", "to": "transport", "raw": {"length": length}}
        moved[id(r)] = {"time": r["time"], "name": "quic:stream_data_moved", "data": data}
        offset += length
    return [x for r in some for x in (moved.get(id(r)), r) if x is not None]


@pytest.mark.parametrize(
    ("in_time", "limit", "finding"),
    [(True, Limit.APPLICATION, "application_limited"), (False, Limit.LATE, "late_sending")],
)
@pytest.mark.parametrize("plan", [APPLICATION, APPLICATION | {"pacing": 2e6}])
def test_a_program_that_sends_late_is_told_from_one_that_has_nothing_to_send(
    tmp_path: FilePath, plan: dict[str, Any], *, in_time: bool, limit: Limit, finding: str
) -> None:
    story = told(tmp_path, with_writes(made(**plan), in_time=in_time))
    assert story.e.limited[limit] > (0.85 if "pacing" not in plan or in_time else 0.4)
    assert story.findings[0].kind == finding


def test_a_stream_that_is_written_up_to_its_limit_is_not_blocked_by_it(tmp_path: FilePath) -> None:
    """quiche says STREAM_DATA_BLOCKED when so much is written, long before it is sent."""
    some = with_writes(made(receiver=400_000, **WINDOW), in_time=False)
    assert Limit.RECEIVER not in explained(tmp_path, some).limited
    first = next(r for r in some if r.get("name") == "quic:packet_sent" and "stream" in str(r["data"]["frames"]))
    blocked = {"frame_type": "stream_data_blocked", "stream_id": 0, "limit": 400_000}
    first["data"]["frames"].append(blocked)
    assert Limit.RECEIVER not in explained(tmp_path, some).limited
    first["data"]["frames"] = [blocked]  # before any STREAM frame
    assert Limit.RECEIVER not in explained(tmp_path, some).limited


def test_a_sender_that_stops_and_goes_on_is_told_stretch_by_stretch(tmp_path: FilePath) -> None:
    e = explained(tmp_path, made(**PATH, duration=9.0, writes=lambda t: not 3.0 <= t < 6.0))
    assert [s.limit for s in e.stretches] == [Limit.PATH, Limit.APPLICATION, Limit.PATH]
    assert e.stretches[1].begin == pytest.approx(3.0, abs=0.2)
    assert e.stretches[1].end == pytest.approx(6.0, abs=0.2)


def test_a_pause_of_the_sender_is_no_standing_queue(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**PATH, duration=9.0, writes=lambda t: t < 1.0 or t >= 8.5))
    assert story.e.delay is not None
    assert story.e.delay.known < 0.35
    assert kinds(story)[0] == "application_limited"


def test_a_link_that_becomes_slower_is_told_with_both_rates(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**PATH, duration=10.0))
    assert "path_carries_less" not in kinds(story)
    halved = made(rate=5e6, duration=10.0, window=lambda t: (40 if t < 5.0 else 12) * SIZE, others=_queue_after_5)
    story = told(tmp_path, halved)
    fall = next(f for f in story.findings if f.kind == "path_carries_less")
    assert fall.begin == pytest.approx(5.0, abs=0.3)
    assert "does not tell which" in fall.text


def _queue_after_5(time: float) -> float:
    """Of others: it goes up and down, but never away."""
    return 0.0 if time < 5.0 else 0.03 + 0.02 * (time % 0.7)


def test_without_a_window_in_the_trace_the_limit_is_unknown(tmp_path: FilePath) -> None:
    def nameless(some: list[Json]) -> list[Json]:
        for r in some:
            if r.get("name") == "quic:recovery_metrics_updated":
                for key in ("congestion_window", "pacing_rate"):
                    r["data"].pop(key, None)
        return some

    story = told(tmp_path, nameless(made(**WINDOW)))
    assert story.e.limited.get(Limit.WINDOW) is None
    assert story.e.limited[Limit.UNKNOWN] > 0.9
    assert any(line.startswith("congestion window: ") for line in story.unknown)
    # While nothing is in flight no window can hold anything back.
    story = told(tmp_path, nameless(made(**WINDOW, writes=lambda t: t < 1.0, duration=4.0)))
    assert story.e.limited[Limit.APPLICATION] > 0.6


def test_without_a_pacing_rate_in_the_trace_what_a_pacer_may_hold_back_is_unknown(tmp_path: FilePath) -> None:
    """40 packets per round trip of 40 ms: a pacer would wait a millisecond after each."""
    slow, fast = ({"app_rate": rate, "window": lambda _: 40 * SIZE} for rate in (1e6, 9e6))
    assert explained(tmp_path, made(**slow)).limited[Limit.APPLICATION] > 0.9
    close = told(tmp_path, made(**fast))
    assert Limit.PACING not in close.e.limited
    assert close.e.limited[Limit.UNKNOWN] > 0.5
    assert any(line.startswith("pacing rate: ") for line in close.unknown)
    known = told(tmp_path, made(**fast, pacing=1e9))
    assert known.e.limited[Limit.APPLICATION] > 0.9
    assert not any(line.startswith("pacing rate: ") for line in known.unknown)


def test_without_flow_control_in_the_trace_nothing_to_send_may_be_the_receiver(tmp_path: FilePath) -> None:
    some = [r for r in made(**APPLICATION) if r.get("name") != "quic:parameters_set"]
    story = told(tmp_path, some)
    (finding,) = (f for f in story.findings if f.kind == "application_limited")
    assert "may have been that as well" in finding.text
    assert any(line.startswith("flow control: ") for line in story.unknown)
    known = told(tmp_path, made(**APPLICATION))
    assert "as well" not in known.findings[0].text


@pytest.mark.parametrize(("reads", "said"), [(1e9, "kB were in flight"), (1e6, "reads slowly")])
def test_small_windows_are_told_from_a_receiver_that_reads_slowly(tmp_path: FilePath, reads: float, said: str) -> None:
    finding = told(tmp_path, made(**RECEIVER, reads=reads)).findings[0]
    assert finding.kind == "receiver_limited"
    assert said in finding.text


def test_a_stream_that_ends_exactly_at_its_limit_is_not_kept_back(tmp_path: FilePath) -> None:
    some = made(receiver=24_000, reads=0.0, duration=3.0)
    assert explained(tmp_path, some).limited[Limit.RECEIVER] > 0.9
    last = [r for r in some if r.get("name") == "quic:packet_sent"][-1]
    last["data"]["frames"][0]["fin"] = True
    assert Limit.RECEIVER not in explained(tmp_path, some).limited


def test_a_blocked_frame_says_it_even_without_known_limits(tmp_path: FilePath) -> None:
    some = [r for r in made(receiver=24_000, reads=0.0, duration=3.0) if r.get("name") != "quic:parameters_set"]
    assert Limit.RECEIVER not in explained(tmp_path, some).limited
    sent = [r for r in some if r.get("name") == "quic:packet_sent"]
    blocked = {"frame_type": "stream_data_blocked", "stream_id": 0, "limit": 24_000}
    sent[-1]["data"]["frames"].append(blocked)
    assert explained(tmp_path, some).limited[Limit.RECEIVER] > 0.8
