"""A thinned export: no more events than were asked for, what the views need, and a word about what is missing."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

import pytest

import foreign_layouts
import tracewriter
from qlog_analysis import qvis
from qlog_analysis.cli import main
from qlog_analysis.errors import AnalysisError
from simulation import Path
from traces import DEFAULT, named, records
from tracewriter import Json

LOSSY = Path(loss=0.02)
KEPT = (
    "recovery:packet_lost",
    "recovery:congestion_state_updated",
    "cc:hybrid_epoch_updated",
    "transport:parameters_set",
)


@pytest.fixture
def trace(tmp_path: FilePath) -> FilePath:
    return tracewriter.write(tmp_path / "trace.sqlog", records(LOSSY, 4.0, DEFAULT))


def exported(trace: FilePath, **part: Any) -> list[Json]:
    out = trace.with_name("out.sqlog")
    written = qvis.export(trace, out, part=qvis.Part(**part))
    result = [json.loads(record) for record in out.read_bytes().split(b"\x1e")[1:]]
    assert written.events == len(result) - 1
    return result


def numbers(some: list[Json], name: str) -> set[tuple[str, int]]:
    heads = [e["data"]["header"] for e in named(some, name)]
    return {(h["packet_type"], h["packet_number"]) for h in heads}


def first_acks(some: list[Json]) -> dict[int, float]:
    """When each packet of the application was acknowledged first."""
    out: dict[int, float] = {}
    for e in named(some, "transport:packet_received"):
        if e["data"]["header"]["packet_type"] == "1RTT":
            for r in e["data"]["frames"][0]["acked_ranges"]:
                for n in range(r[0], r[-1] + 1):
                    out.setdefault(n, e["time"])
    return out


@pytest.mark.parametrize("share", [0.3, 0.5, 0.9])
def test_there_are_as_many_events_as_asked_for_and_what_the_views_need(trace: FilePath, share: float) -> None:
    whole = exported(trace)
    asked = int(share * len(whole))
    some = exported(trace, events=asked)
    assert 0.97 * asked <= len(some) - 1 <= asked
    for name in KEPT:
        assert named(some, name) == named(whole, name)
    lost = numbers(some, "recovery:packet_lost")
    assert lost
    assert lost <= numbers(some, "transport:packet_sent")
    times = [e["time"] for e in some[1:]]
    assert times == sorted(times)
    assert {e["name"] for e in some[1:]} >= {"transport:packet_sent", "transport:packet_received"}


def test_metrics_go_before_packets_and_leave_no_value_behind(trace: FilePath) -> None:
    whole = exported(trace)
    metrics = len(named(whole, "recovery:metrics_updated"))
    some = exported(trace, events=len(whole) - 1 - metrics // 2)
    assert named(some, "transport:packet_sent") == named(whole, "transport:packet_sent")
    assert named(some, "transport:packet_received") == named(whole, "transport:packet_received")
    assert len(named(some, "recovery:metrics_updated")) == pytest.approx(metrics / 2, abs=2)
    assert latest(some) == latest(whole)
    few = exported(trace, events=len(whole) // 3)
    assert len(named(few, "recovery:metrics_updated")) >= 0.19 * len(few)
    assert latest(few) == latest(whole)


def latest(some: list[Json]) -> Json:
    out: Json = {}
    for e in named(some, "recovery:metrics_updated"):
        out |= e["data"]
    return out


def test_a_packet_that_stays_is_acknowledged_when_it_was(trace: FilePath) -> None:
    whole, some = exported(trace), exported(trace, events=800)
    kept = {n for kind, n in numbers(some, "transport:packet_sent") if kind == "1RTT"}
    assert len(kept) < 0.5 * len(numbers(whole, "transport:packet_sent"))
    truth, shown = first_acks(whole), first_acks(some)
    assert {n: shown[n] for n in kept if n in shown} == {n: truth[n] for n in kept if n in truth}


def test_a_shorter_time_is_whole_and_begins_with_all_metrics(trace: FilePath) -> None:
    whole, some = exported(trace), exported(trace, begin=1.0, end=2.0)
    within = [e for e in whole[1:] if 1000.0 <= e["time"] <= 2000.0]
    rest = [e for e in some[1:] if e["name"] != "recovery:metrics_updated"]
    assert rest == [e for e in within if e["name"] != "recovery:metrics_updated"]
    assert len(some) - 1 == len(within)
    assert {"congestion_window", "min_rtt"} <= set(named(some, "recovery:metrics_updated")[0]["data"])
    fewer = exported(trace, begin=1.0, end=2.0, events=len(within) // 2)
    assert len(fewer) - 1 <= len(within) // 2


def test_the_description_says_what_is_missing(trace: FilePath) -> None:
    assert "events" not in exported(trace)[0]["trace"].get("description", "")
    some = exported(trace, events=800, begin=0.5)
    description = some[0]["trace"]["description"]
    sent = len(named(some, "transport:packet_sent"))
    for part in (f"{len(some) - 1:,} of ", "of 0.5 s on", f"{sent:,} of ", "packets sent", "all lost packets"):
        assert part in description
    assert "events" not in exported(trace, events=1_000_000)[0]["trace"].get("description", "")


def test_what_cannot_be_is_refused_with_what_to_do(trace: FilePath) -> None:
    with pytest.raises(AnalysisError, match=r"10 events are too few: .* are [0-9]+ events .* a larger --events"):
        exported(trace, events=10)
    with pytest.raises(AnalysisError, match="--from 2 is not before --to 1"):
        exported(trace, begin=2.0, end=1.0)
    with pytest.raises(AnalysisError, match="no events in the time that was chosen"):
        exported(trace, begin=100.0)
    with pytest.raises(AnalysisError, match="at least one"):
        exported(trace, events=0)


def test_traces_of_other_writers_are_thinned_as_well(tmp_path: FilePath) -> None:
    some = records(LOSSY, 4.0)
    for name, layout in foreign_layouts.LAYOUTS.items():
        (path := tmp_path / f"{name}.qlog").write_bytes(layout(tmp_path, some))
        whole = exported(path)
        thinned = exported(path, events=(len(whole) + 1) // 2)
        assert len(thinned) - 1 <= (len(whole) + 1) // 2, name
        assert named(thinned, "recovery:packet_lost") == named(whole, "recovery:packet_lost"), name


def test_the_command_says_how_much_it_wrote(trace: FilePath, capsys: pytest.CaptureFixture[str]) -> None:
    out = trace.with_name("out.sqlog")
    assert main(["to-qvis", str(trace), "--out", str(out), "--events", "900", "--from", "0.5", "--to", "3"]) == 0
    assert " of " in capsys.readouterr().out
    assert main(["to-qvis", str(trace), "--out", str(out), "--events", "900", "--json", "-"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["events"] <= 900 < told["of_events"]
    assert main(["to-qvis", str(trace), "--out", str(out), "--events", "9"]) == 2
    assert f"{trace}: 9 events are too few" in capsys.readouterr().err
