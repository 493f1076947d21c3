"""What stands in the pictures is what the traces have."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

import tracewriter
from made import SIZE, made, told
from qlog_analysis import cli
from qlog_analysis.explain.explanation import explain
from qlog_analysis.load import load
from qlog_analysis.plots import compare, static
from qlog_analysis.plots.panel import Panel, Series
from qlog_analysis.plots.panels import panels
from qlog_analysis.plots.ribbons import MOST_SPANS, states
from qlog_analysis.plots.sequence import sequence
from traces import DEFAULT, FAST, records, trace_of
from tracewriter import Json
from whole import removals_of, sends_of

Output = pytest.CaptureFixture[str]
BUSY: dict[str, Any] = {"rate": 5e6, "window": lambda _: 40 * SIZE, "loses": lambda n: n % 97 == 5}


def titled(shown: list[Panel], title: str) -> Panel:
    (panel,) = (p for p in shown if p.title == title)
    return panel


def named(panel: Panel, name: str) -> Series:
    (series,) = (s for s in panel.series if s.name == name)
    return series


def test_the_sequence_has_every_packet_when_it_left_was_acknowledged_and_was_lost(tmp_path: FilePath) -> None:
    e = told(tmp_path, made(**BUSY)).e
    panel = sequence(e)
    sent, acked, lost = (named(panel, n) for n in ("packet sent", "acknowledged", "declared lost"))
    assert len(sent.x) == e.observed.packets
    assert len(acked.x) + len(lost.x) == len(removals_of(e.observed).time)
    assert len(lost.x) == e.losses.lost_packets > 0
    assert sent.y[-1] == pytest.approx(sends_of(e.observed).size.sum() / 1e6)
    left = dict(zip(sent.y.tolist(), sent.x.tolist(), strict=True))  # a packet is known by its height
    for answers in (acked, lost):
        assert all(left[y] < x for x, y in zip(answers.x.tolist(), answers.y.tolist(), strict=True))


def test_packets_with_data_that_was_sent_before_are_marked(tmp_path: FilePath) -> None:
    once = sequence(told(tmp_path, made(**BUSY)).e)
    assert len(named(once, "with data sent before").x) == 0, "this sender sends nothing again"
    some = made(**BUSY)
    carriers = [r for r in some if r.get("name") == "quic:packet_sent" and streams(r)]
    for r in (carriers[40], carriers[70]):
        streams(r)[0]["offset"] = 0
    again = named(sequence(told(tmp_path, some).e), "with data sent before")
    assert again.x.tolist() == pytest.approx([carriers[i]["time"] / 1e3 for i in (40, 70)], abs=1e-6)


def streams(record: Json) -> list[Json]:
    return [f for f in record["data"].get("frames", []) if f["frame_type"] == "stream"]


def test_losses_stand_in_the_panel_of_the_delay_by_their_cause(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**BUSY))
    delay = titled(panels(story.e), "Queueing delay")
    marks = [s for s in delay.series if s.name.startswith("losses: ") and len(s.x)]
    assert sum(len(s.x) for s in marks) == len(story.e.losses.bursts) > 0
    assert len({(s.colour, s.style) for s in marks}) == len(marks)


def test_every_moment_of_a_trace_has_one_limit(tmp_path: FilePath) -> None:
    e = told(tmp_path, made(**BUSY)).e
    ribbons = titled(panels(e), "What limited the sender").ribbons
    spans = sorted((b, t) for r in ribbons for b, t in zip(r.begin.tolist(), r.end.tolist(), strict=True))
    assert all(before[1] == pytest.approx(after[0]) for before, after in pairwise(spans))
    assert spans[0][0] == pytest.approx(e.observed.begin)
    assert spans[-1][1] >= e.observed.end


def test_zones_and_states_of_hybrid_are_ribbons_with_their_shares(tmp_path: FilePath) -> None:
    e = explain(trace_of(tmp_path, records(FAST, 4.0, DEFAULT)))
    shown = titled(panels(e), "Zone of hybrid")
    total = sum(float((r.end - r.begin).sum()) for r in shown.ribbons)
    for r in shown.ribbons:
        (told_share,) = (z.share for z in e.controller.zones if z.name == r.name)
        assert float((r.end - r.begin).sum()) / total == pytest.approx(told_share, abs=1e-3)
    assert len({r.colour for r in shown.ribbons}) == len(shown.ribbons)


def test_more_spans_than_a_ribbon_holds_are_drawn_to_the_end(tmp_path: FilePath) -> None:
    some = made(**BUSY)
    header, rest = some[:1], some[1:]
    often = [
        {"time": 100.0 + i * 0.5, "name": "quic:congestion_state_updated", "data": {"new": f"s{i % 2}"}}
        for i in range(3 * MOST_SPANS)
    ]
    e = told(tmp_path, header + sorted([*rest, *often], key=lambda r: r["time"])).e
    often_seen = [r for r in states(e).ribbons if r.name in ("s0", "s1")]
    assert len(often_seen) == 2
    for r in often_seen:
        assert len(r.begin) <= MOST_SPANS
        assert r.end[-1] > 0.1 + 3 * MOST_SPANS * 0.5e-3 - 0.1


def test_traces_over_one_another_keep_their_colour_in_every_panel(tmp_path: FilePath) -> None:
    one, two = (told(tmp_path, made(rate=rate, window=lambda _: 40 * SIZE)).e for rate in (5e6, 2e6))
    shown = compare.overlaid([compare.Compared(one), compare.Compared(two, later=1.0)])
    assert len(shown) == 5
    rows = titled(shown, "What limited the sender").rows
    assert rows == ["1: cubic", "2: cubic"]
    for panel in shown[1:]:
        first, second = panel.series
        assert (first.name, second.name) == tuple(rows)
        assert first.colour != second.colour
        assert (first.colour, second.colour) == tuple(s.colour for s in shown[1].series)
    progress = titled(shown, "Acknowledged so far")
    assert progress.series[0].y[-1] > 2.0 * progress.series[1].y[-1]
    gone = removals_of(two.observed)
    assert progress.series[1].x[0] == pytest.approx(gone.time[~gone.lost][0] + 1.0)


def test_a_trace_that_does_not_name_its_controller_stands_there_by_its_title(tmp_path: FilePath) -> None:
    some = made(rate=5e6)
    some[0]["trace"] |= {"title": "main with cubic", "description": "cc-lab"}
    unnamed = told(tmp_path, some).e
    shown = compare.overlaid([compare.Compared(unnamed), compare.Compared(unnamed)])
    assert titled(shown, "What limited the sender").rows == ["1: main with cubic", "2: main with cubic"]


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("server with congestion controller bbr2", "bbr2"),
        (
            "cc-lab with congestion controller hybrid:target_delay=5ms,growth=2, run 0a-1f",
            "hybrid:target_delay=5ms,growth=2",
        ),
        ("cc-lab with congestion controller cubic (100 of 2000 events)", "cubic"),
        ("cc-lab", None),
    ],
)
def test_the_controller_is_named_in_the_description(tmp_path: FilePath, description: str, name: str | None) -> None:
    some = made(rate=5e6)
    some[0]["trace"]["description"] = description
    assert told(tmp_path, some).e.trace.controller_name == name


@pytest.mark.parametrize("suffix", [".svg", ".png", ".html"])
def test_several_traces_become_one_picture(tmp_path: FilePath, suffix: str) -> None:
    files = [str(tracewriter.write(tmp_path / f"{n}.sqlog", made(rate=n * 1e6))) for n in (2, 4)]
    out = tmp_path / f"both{suffix}"
    assert cli.main(["plot", *files, "--out", str(out)]) == 0
    if suffix == ".png":
        assert out.read_bytes().startswith(b"\x89PNG")
    else:
        text = out.read_text()
        for part in ("1: cubic", "2: cubic", "Acknowledged so far"):
            assert part in text


def test_a_picture_of_what_no_trace_tells_is_still_drawn(tmp_path: FilePath) -> None:
    some = [r for r in made(**BUSY) if r.get("name") != "quic:packet_received"]
    e = explain(load(tracewriter.write(tmp_path / "x.sqlog", some)))
    static.draw("x", panels(e), tmp_path / "x.svg")
    assert "Rate on the wire" in (tmp_path / "x.svg").read_text()
    assert np.isfinite(named(titled(panels(e), "Rate on the wire"), "sent").y).all()
