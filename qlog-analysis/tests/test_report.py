"""Plots and the report: complete, stand-alone, and safe against what traces carry."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path as FilePath

import numpy as np
import pytest

import lab
import tampering
from qlog_analysis.errors import AnalysisError
from qlog_analysis.events import HybridEpoch
from qlog_analysis.explain.explanation import explain
from qlog_analysis.linklog import LinkLog, read_link_log
from qlog_analysis.model import Trace
from qlog_analysis.plots import static
from qlog_analysis.plots.interactive import library
from qlog_analysis.plots.panel import Panel
from qlog_analysis.plots.panels import panels
from qlog_analysis.plots.thin import thin, thinned
from qlog_analysis.report import build
from simulation import Path
from test_zones_unsuitable import without_controller
from traces import DEFAULT, FAST, PAPER, named, records, trace_of
from tracewriter import Json


def link_log(folder: FilePath) -> LinkLog:
    path = folder / "link.jsonl"
    lines = [{"time": i / 100, "queue_bytes": 10 * i, "queue_delay_ms": i / 10} for i in range(600)]
    path.write_text("\n".join(map(json.dumps, lines)))
    return read_link_log(path)


@pytest.fixture
def hybrid(tmp_path: FilePath, request: pytest.FixtureRequest) -> Trace:
    return trace_of(tmp_path, records(Path(loss=0.01), 4.0, getattr(request, "param", DEFAULT)))


@pytest.fixture
def other(tmp_path: FilePath) -> Trace:
    return trace_of(tmp_path, without_controller(records(FAST, 4.0)))


def shown(trace: Trace, title: str) -> Panel:
    (panel,) = (p for p in panels(explain(trace)) if p.title == title)
    return panel


class Page(HTMLParser):
    """Every tag and attribute of a page; text of scripts apart."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self._script = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = tag in ("script", "style")

    def handle_endtag(self, tag: str) -> None:
        self._script = self._script and tag not in ("script", "style")

    def handle_data(self, data: str) -> None:
        if not self._script:
            self.text += data + " "


@pytest.mark.parametrize("hybrid", [PAPER, DEFAULT], ids=["paper", "default"], indirect=True)
def test_panels_show_what_the_trace_has(hybrid: Trace, other: Trace, tmp_path: FilePath) -> None:
    titles = [p.title for p in panels(explain(hybrid), link_log(tmp_path))]
    assert [t for t in titles if t not in ("Phases", "State of the controller")] == [
        "What limited the sender",
        "Rate on the wire",
        "Queueing delay",
        "Zone of hybrid",
        "Window and bytes in flight",
        "Round-trip time",
        "Sequence",
        "Queue of the bottleneck",
    ]
    rate, delay = shown(hybrid, "Rate on the wire"), shown(hybrid, "Queueing delay")
    assert {s.name for s in rate.series if len(s.x)} == {"sent", "acknowledged", "R"}
    thresholds = {s.name: set(s.y) for s in delay.series if s.name in ("d1", "d2")}
    assert thresholds == {name: {getattr(u.data, name) for u in hybrid.updates} for name in ("d1", "d2")}
    zones = {s.name: len(s.x) for s in delay.series if s.name.startswith("delta")}
    decided = [e.data.zone for e in hybrid.updates if e.data.zone is not None]
    assert zones == {f"delta, {name}": decided.count(z) for z, name in enumerate(("free", "filling", "congested"), 1)}
    assert not any(s.name.startswith("d") for s in shown(other, "Queueing delay").series if len(s.x))
    assert not shown(other, "Queueing delay").areas


def test_thresholds_that_follow_the_flow_are_drawn_as_they_were(tmp_path: FilePath) -> None:
    trace = trace_of(tmp_path, records(FAST, 4.0, DEFAULT))
    told = [e.data for e in trace.updates_of(HybridEpoch)]
    delay = shown(trace, "Queueing delay")
    (drawn,) = (s for s in delay.series if s.name == "d1")
    assert list(drawn.y) == [e.d1 for e in told]
    assert len(set(drawn.y)) > 10
    ends = [e.time for e in trace.updates_of(HybridEpoch)]
    assert list(drawn.x[1:]) == pytest.approx(ends[:-1], abs=1e-5)  # an epoch's hold from its start
    (band,) = delay.areas
    assert (list(band.low), list(band.high)) == ([e.d1 for e in told], [e.d2 for e in told])


@pytest.mark.parametrize(
    ("spec", "title", "names"),
    [
        ("smallq", "Marks so far", {"CE reported", "marks that count"}),
        ("vegas", "Packets waiting (diff)", {"diff"}),
        ("rrr", "Relative rate reduction", {"p", "wanted"}),
        ("raimd", "Increase per round trip", {"alpha"}),
    ],
)
def test_every_controller_has_a_panel_of_what_it_decides_by(
    tmp_path: FilePath, spec: str, title: str, names: set[str]
) -> None:
    trace = trace_of(tmp_path, lab.records(spec, "duration=2s", "link.there.loss=1%"))
    panel = shown(trace, title)
    assert {s.name for s in panel.series if len(s.x)} == names
    page = Page(build.render(spec, build.sections([trace], [])))
    assert "held against the packets" in page.text


def test_thinning_keeps_the_ends_and_every_peak() -> None:
    x = np.arange(100_000, dtype=np.float64)
    y = np.sin(x / 1000)
    y[31_337], y[77_777] = 50.0, -50.0
    thin_x, thin_y = thin(x, y)
    assert len(thin_x) <= 4000
    assert (thin_x[0], thin_x[-1]) == (0.0, 99_999.0)
    assert (thin_y.max(), thin_y.min()) == (50.0, -50.0)
    assert (np.diff(thin_x) > 0).all()


@pytest.mark.parametrize("size", [1, 999, 30_000])
def test_points_that_come_in_parts_are_thinned_without_losing_a_peak(size: int) -> None:
    x = np.arange(100_000, dtype=np.float64)
    y = np.sin(x / 1000)
    y[31_337], y[77_777], y[50_000:50_100] = 50.0, -50.0, np.nan
    parts = ((x[at : at + size], y[at : at + size]) for at in range(0, len(x), size))
    thin_x, thin_y = thinned(parts, 4000)
    assert 1000 <= len(thin_x) <= 4004
    assert (thin_x[0], thin_x[-1]) == (0.0, 99_999.0)
    assert (thin_y.max(), thin_y.min()) == (50.0, -50.0)
    assert (np.diff(thin_x) > 0).all()
    assert np.diff(thin_x).max() < 300, "no part is left out"


def test_few_points_are_all_drawn() -> None:
    x = np.arange(3000, dtype=np.float64)
    thin_x, thin_y = thinned([(x[:10], x[:10]), (x[10:], x[10:])], 4000)
    assert thin_x.tolist() == thin_y.tolist() == x.tolist()


@pytest.mark.parametrize("suffix", [".svg", pytest.param(".png", marks=pytest.mark.nightly)])
def test_still_pictures_are_drawn_the_same_way_twice(hybrid: Trace, tmp_path: FilePath, suffix: str) -> None:
    files = [tmp_path / f"{i}{suffix}" for i in range(2)]
    for f in files:
        static.draw("a title", panels(explain(hybrid)), f)
    first, second = (f.read_bytes() for f in files)
    assert first == second
    if suffix == ".svg":
        assert b"a title" in first
        for text in (b"Queueing delay", b"What limited the sender", b"d1 to d2", b"Sequence"):
            assert text in first
    else:
        assert first.startswith(b"\x89PNG")


def test_the_report_stands_alone_and_compares(hybrid: Trace, other: Trace, tmp_path: FilePath) -> None:
    log = link_log(tmp_path)
    html = build.render("Both", build.sections([hybrid, other], [log, log]))
    page = Page(html)
    for tag, attributes in page.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed")
        assert "src" not in attributes
        assert attributes.get("href", "#").startswith("#")  # type: ignore[union-attr]
    figures = {a["data-figure"] for t, a in page.tags if "data-figure" in a}
    assert figures == {"overview", "trace-1", "trace-2"}
    assert "PASS" in page.text
    assert "bottleneck queue" in page.text
    assert "Plotly.newPlot" in html
    assert len(html) < 8 << 20


def test_nothing_in_the_page_leads_out_of_it(hybrid: Trace) -> None:
    html = build.render("x", build.sections([hybrid], []))
    page = Page(html)
    for tag, attributes in page.tags:
        for name, value in attributes.items():
            assert "//" not in (value or ""), (tag, name, value)
    (policy,) = (a["content"] or "" for t, a in page.tags if t == "meta" and "http-equiv" in a)
    allowed = {part.split()[0]: part.split()[1:] for part in policy.split(";")}
    assert allowed["default-src"] == allowed["form-action"] == allowed["base-uri"] == ["'none'"]
    assert allowed["img-src"] == ["data:", "blob:"]
    assert allowed["script-src"] == allowed["style-src"] == ["'unsafe-inline'"]
    config = json.loads(re.search(r"^const config = (.*);$", html, re.MULTILINE)[1])  # type: ignore[index]
    assert (config["displaylogo"], config["showSendToCloud"], config["plotlyServerURL"]) == (False, False, "")
    # plotly's own text names addresses, which these settings and the policy switch off; ours names none.
    ours = html.replace(library(), "")
    assert len(ours) < len(html) - (1 << 20)
    assert "http:" not in ours
    assert "https:" not in ours


def test_on_a_phone_every_figure_of_the_summary_stands_below_the_other_with_its_name(
    hybrid: Trace, other: Trace, tmp_path: FilePath
) -> None:
    log = link_log(tmp_path)
    html = build.render("x", build.sections([hybrid, other], [log, log]))
    cells = [a for t, a in Page(html[: html.index("</tbody>")]).tags if t == "td"]
    named = [str(a["data-label"]) for a in cells if "data-label" in a]
    assert len(cells) == len(named) + 2 * 2  # number and controller are the heading
    for figure in ("goodput", "per packet, mean", "per packet, p95", "over time, mean", "RTT", "loss", "law"):
        assert sum(figure in n for n in named) >= 2
    assert "bottleneck queue over time, p95" in named
    assert "@media (max-width: 700px)" in html


def test_figures_are_json_with_all_panels(hybrid: Trace) -> None:
    (section,) = build.sections([hybrid], [])
    figure = json.loads(str(section.figure))
    names = {s["name"] for s in figure["data"] if "name" in s}
    assert names >= {"R", "acknowledged", "window", "in flight", "of a packet", "delta, free", "packet sent"}
    stepped = {s["name"] for s in figure["data"] if "name" in s and s.get("line", {}).get("shape") == "hv"}
    assert stepped >= {"R", "d1", "d2"}


def test_disagreements_are_listed(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    tampering.shifted("delta", 1.0)(some)
    page = Page(build.render("x", build.sections([trace_of(tmp_path, some)], [])))
    assert "FAIL" in page.text
    assert re.search(r"\d\.\d{4} ms reported, \d\.\d{4} ms from the packets", page.text)


def test_what_a_trace_says_cannot_become_part_of_the_page(tmp_path: FilePath) -> None:
    evil = "</script><script>alert(1)</script><b onmouseover=x>"
    some: list[Json] = records(FAST, 3.0)
    some[0]["title"] = some[0]["trace"]["title"] = evil
    named(some, "cc:parameters_set")[0]["data"]["spec"] = evil
    named(some, "cc:hybrid_epoch_updated")[20]["data"]["trend"] = evil
    html = build.render(evil, build.sections([trace_of(tmp_path, some)], []))
    page = Page(html)
    assert "alert(1)</script>" not in html
    assert sum(t == "script" for t, _ in page.tags) == 2
    assert not any("onmouseover" in a for _, a in page.tags)
    assert "alert(1)" in page.text


def test_as_many_link_logs_as_traces_or_none(hybrid: Trace, tmp_path: FilePath) -> None:
    log = link_log(tmp_path)
    with pytest.raises(AnalysisError, match="2 link logs for 1 traces"):
        build.sections([hybrid], [log, log])


def test_a_trace_that_tells_little_still_has_a_section(tmp_path: FilePath) -> None:
    some = [r for r in records(FAST, 3.0) if r.get("name") != "quic:packet_received"]
    page = Page(build.render("little", build.sections([trace_of(tmp_path, some)], [])))
    assert "losses not measured" in page.text
    assert "no ACK frame that was received" in page.text


def test_traces_that_could_not_be_used_are_named_in_the_page(hybrid: Trace) -> None:
    page = Page(build.render("x", build.sections([hybrid], []), ["b.sqlog: cannot <read>"]))
    assert "Not in this report: b.sqlog: cannot <read>" in " ".join(page.text.split())
