"""Whole quiche connections over paths of which everything is known: what is said of them is true."""

from __future__ import annotations

from pathlib import Path as FilePath

import duckdb
import pytest

import lab
import tracewriter
from made import kinds
from qlog_analysis.explain.explanation import explain
from qlog_analysis.explain.limits import Limit
from qlog_analysis.explain.losses import Cause
from qlog_analysis.explain.story import Story, tell
from qlog_analysis.load import load


def story_of(folder: FilePath, spec: str, *values: str) -> Story:
    return tell(explain(load(lab.written(folder, spec, *values))))


@pytest.mark.parametrize("spec", ["cubic", "reno", "bbr2", "hybrid", "hybrid:paper", "smallq", "vegas", "rrr", "raimd"])
def test_alone_on_a_link_the_link_is_the_limit_or_the_controllers_own_caution(tmp_path: FilePath, spec: str) -> None:
    story = story_of(tmp_path, spec)
    assert story.e.limited.get(Limit.APPLICATION, 0.0) < 0.05
    assert Limit.RECEIVER not in story.e.limited
    assert not {"interruption", "random_losses", "others_queue", "longer_path", "migration"} & set(kinds(story))
    assert not story.e.losses.of(Cause.WITHOUT_QUEUE)
    lost = sum(b.lost_packets for b in story.e.losses.bursts)
    assert sum(b.lost_packets for b in story.e.losses.of(Cause.FULL_QUEUE)) >= 0.5 * lost
    assert story.e.handshake.round_trips == pytest.approx(1.0, abs=0.1)
    assert story.e.startup is not None
    assert all(s.meaning for s in story.states), story.states
    if spec != "hybrid:paper":
        assert story.e.limited[Limit.PATH] > 0.6


def test_cubic_in_a_deep_buffer_keeps_a_queue_and_hybrid_does_not(tmp_path: FilePath) -> None:
    deep = "link.there.buffer=4bdp"
    cubic = story_of(tmp_path, "cubic", deep)
    assert kinds(cubic)[0] in ("standing_queue", "full_queue_losses")
    assert "standing_queue" in kinds(cubic)
    hybrid = story_of(tmp_path, "hybrid", deep)
    assert "standing_queue" not in kinds(hybrid)
    assert [z.name for z in hybrid.zones] == ["free", "filling", "congested"]


@pytest.mark.parametrize("spec", ["cubic", "hybrid"])
def test_a_source_with_less_than_the_path_carries_is_the_application(tmp_path: FilePath, spec: str) -> None:
    story = story_of(tmp_path, spec, 'flow.main.traffic={ kind = "cbr", rate = "1Mbps" }')
    assert story.e.limited[Limit.APPLICATION] > 0.9
    assert kinds(story)[0] == "application_limited"
    assert "path_limited" not in kinds(story)


@pytest.mark.parametrize("spec", ["cubic", "bbr2", "hybrid"])
def test_an_outage_is_an_interruption(tmp_path: FilePath, spec: str) -> None:
    story = story_of(tmp_path, spec, 'link.there.outages="2s..3s"')
    assert kinds(story)[0] == "interruption"
    longest = max(story.e.interruptions, key=lambda i: i.end - i.begin)
    assert longest.begin == pytest.approx(2.05, abs=0.15)
    assert 3.0 < longest.end < 4.5


def test_a_queue_that_overflows_among_random_losses_is_told(tmp_path: FilePath) -> None:
    """Of cubic's losses on a link that loses one packet of a hundred anyhow."""
    values = ('link.there.rate="20Mbps"', 'link.there.buffer="80p"', 'link.there.loss="1%"', 'duration="12s"')
    records, record = lab.recorded(tmp_path, "cubic", *values)
    e = explain(load(tracewriter.write(tmp_path / "main.sqlog", records)))
    of_record = f"FROM '{record}' WHERE link = 'there' AND fate = 'overflow'"
    (overflow,) = duckdb.execute(f"SELECT count(*) {of_record}").fetchall()[0]
    told = sum(b.lost_packets for b in e.losses.of(Cause.FULL_QUEUE))
    assert 0.5 * overflow < told < 1.5 * overflow
    assert {"full_queue_losses", "random_losses"} <= set(kinds(tell(e)))


def test_where_a_radio_makes_packets_wait_a_short_queue_is_not_certain(tmp_path: FilePath) -> None:
    """vegas takes the waits of Wi-Fi for a queue, and uses two thirds of the link."""
    values = ('link.there.rate="10Mbps"', "duration=12s", 'link.back.aggregate="interval=8ms"')
    wifi = story_of(tmp_path, "vegas", *values, 'link.there.jitter="wifi:median=4ms,stall=50ms..100ms,every=5s"')
    assert "it may have been none" in next(f.text for f in wifi.findings if f.kind == "path_limited")
    wire = story_of(tmp_path, "vegas", *values[:2])
    assert "it may have been none" not in next(f.text for f in wire.findings if f.kind == "path_limited")


def test_batches_on_both_ways_are_hardly_ever_a_queue_of_others(tmp_path: FilePath) -> None:
    """hybrid itself takes them for one with a seed of eight, and explain tells what it did."""
    values = (
        'link.there.aggregate="interval=17.1ms"',
        'link.back.aggregate="interval=53.7ms"',
        'link.there.rate="27Mbps"',
        'link.there.delay="7ms"',
        'link.back.delay="8ms"',
        'link.there.buffer="2.4bdp"',
        'link.there.loss="ge:p=1.11%,r=25%,good=0%,bad=100%"',
        'flow.main.traffic={ kind = "on_off", on = "1s", off = "500ms", fixed = true }',
        "duration=12s",
    )
    stories = [tell(explain(load(lab.written(tmp_path, "hybrid", *values, seed=seed)))) for seed in range(1, 9)]
    assert sum("others_queue" in kinds(story) for story in stories) <= 1


@pytest.mark.parametrize("share", ["2%", "8%"])
@pytest.mark.parametrize("spec", ["reno", "bbr2", "hybrid"])
def test_random_losses_are_blamed_neither_on_the_queue_nor_on_bunches(
    tmp_path: FilePath, spec: str, share: str
) -> None:
    story = story_of(tmp_path, spec, f'link.there.loss="{share}"', "link.there.buffer=400p")
    assert "random_losses" in kinds(story)
    assert "losses_in_bunches" not in kinds(story)
    assert len(story.e.losses.of(Cause.WITHOUT_QUEUE)) > 3 * len(story.e.losses.of(Cause.FULL_QUEUE))


@pytest.mark.parametrize("spec", ["cubic", "bbr2", "hybrid"])
def test_losses_in_bunches_are_told(tmp_path: FilePath, spec: str) -> None:
    story = story_of(tmp_path, spec, 'link.there.loss="ge:p=1%,r=20%,good=0%,bad=100%"')
    assert "losses_in_bunches" in kinds(story)
    assert "random_losses" not in kinds(story)


@pytest.mark.parametrize("rate", ["2Mbps", "3Mbps"])
@pytest.mark.parametrize("spec", ["cubic", "bbr2", "hybrid"])
def test_a_rate_limiter_is_named_also_where_it_is_exceeded_all_the_time(
    tmp_path: FilePath, spec: str, rate: str
) -> None:
    story = story_of(tmp_path, spec, f'link.there.queue="policer:rate={rate},burst=25kB"')
    of_losses = [f.text for f in story.findings if f.kind in ("random_losses", "losses_in_bunches")]
    assert any("rate limiter" in text for text in of_losses), of_losses


def test_a_new_address_of_the_client_is_told(tmp_path: FilePath) -> None:
    story = story_of(tmp_path, "hybrid", 'flow.main.rebind=["2s"]')
    (change,) = story.e.paths.changes
    assert change.time == pytest.approx(2.03, abs=0.1)
    assert change.validated
