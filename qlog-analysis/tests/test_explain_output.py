"""Text, JSON and page: complete, within their limits, and safe against what traces carry."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from functools import partial
from pathlib import Path as FilePath
from typing import Any

import pytest

import tracewriter
from foreign_layouts import LAYOUTS
from made import SIZE, kinds, made, told
from qlog_analysis import cli
from qlog_analysis.explain import page, words
from qlog_analysis.explain.advice import ADVICE, INSTEAD_OF_OTHERS
from qlog_analysis.explain.as_json import to_json
from qlog_analysis.explain.explanation import Role, explain
from qlog_analysis.explain.story import tell
from qlog_analysis.explain.text import WIDTH, to_text
from qlog_analysis.load import load
from qlog_analysis.plots.interactive import library
from test_foreign import written
from test_report import Page
from traces import DEFAULT, FAST, PAPER, records, trace_of
from tracewriter import Json

Output = pytest.CaptureFixture[str]
README = FilePath(__file__).parents[1] / "README.md"
BUSY: dict[str, Any] = {"rate": 5e6, "window": lambda _: 40 * SIZE, "loses": lambda n: n % 97 == 5}


@pytest.fixture
def busy(tmp_path: FilePath) -> str:
    return str(tracewriter.write(tmp_path / "busy.sqlog", made(**BUSY)))


def test_the_text_says_who_what_when_and_what_to_try_within_its_width(busy: str, capsys: Output) -> None:
    assert cli.main(["explain", busy]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines()[1:])) <= WIDTH
    for part in ("The server", "Mbit/s", "A round trip took", "Most important: ", "What happened when", "handshake: "):
        assert part in out
    assert "Queueing delay\n" in out
    assert re.search(r"What to try next\n  1\. ", out)
    assert "  4. " not in out
    assert "nan" not in out


def test_every_kind_of_controller_of_ours_is_told_with_zones_and_states_where_it_has_them(tmp_path: FilePath) -> None:
    for spec, states in ((DEFAULT, True), (PAPER, False)):
        story = tell(explain(trace_of(tmp_path, records(FAST, 4.0, spec))))
        assert sum(z.share for z in story.zones) == pytest.approx(1.0)
        assert all(z.meaning for z in story.zones)
        assert bool(story.states) == states
        assert all(s.meaning for s in story.states)
        assert "Zones of hybrid" in to_text(story)
    assert "Zones of hybrid" not in to_text(told(tmp_path, made(**BUSY)))


def test_json_has_the_documented_fields_and_no_others(busy: str, capsys: Output) -> None:
    assert cli.main(["explain", busy, "--json", "-"]) == 0
    data = json.loads(capsys.readouterr().out)
    section = README.read_text().split("## JSON of `explain`")[1].split("\n## ")[0]
    documented = set(re.findall(r"`(\w+)`", section))
    assert fields_of({k: v for k, v in data.items() if k != "metrics"}) <= documented
    assert set(data) <= documented
    assert data["findings"][0]["text"] in data["summary"]
    assert {a["finding"] for a in data["advice"]} <= {f["kind"] for f in data["findings"]}


def fields_of(data: Any) -> set[str]:
    """Names of all fields, values of `share` apart."""
    if isinstance(data, list):
        return set().union(*map(fields_of, data))
    if not isinstance(data, dict):
        return set()
    return set(data).union(*(fields_of(v) for k, v in data.items() if not (k == "share" and isinstance(v, dict))))


def test_every_advice_is_for_a_finding_that_can_be(tmp_path: FilePath) -> None:
    sources = "".join(
        (FilePath(cli.__file__).parent / "explain" / name).read_text()
        for name in ("findings.py", "findings_of_losses.py")
    )
    for kind in {*ADVICE, *INSTEAD_OF_OTHERS}:
        assert f'"{kind}"' in sources, kind
    assert len(told(tmp_path, made(**BUSY)).advice) <= 3


def test_the_page_stands_alone_and_shows_the_same(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**BUSY))
    html = page.render(story)
    shown = Page(html)
    for tag, attributes in shown.tags:
        assert tag not in ("link", "img", "iframe", "object", "embed")
        assert "src" not in attributes
        for name, value in attributes.items():
            assert "//" not in (value or ""), (tag, name, value)
    words = " ".join(shown.text.split())
    assert story.summary in words
    assert all(f.text in words for f in story.findings)
    assert {a["data-figure"] for _, a in shown.tags if "data-figure" in a} == {"picture"}
    ours = html.replace(library(), "")
    assert "http:" not in ours
    assert "https:" not in ours
    figure = json.loads(re.search(r'^"picture": (.*),$', html, re.MULTILINE)[1])  # type: ignore[index]
    names = {s.get("name") for s in figure["data"]}
    assert {"sent", "acknowledged", "in flight", "window", "of a packet", "per packet", "declared lost"} <= names
    rows = {y for s in figure["data"] if s["type"] == "bar" for y in s["y"]}
    assert {"handshake", "path"} <= rows


def test_what_a_trace_says_cannot_become_part_of_the_page(tmp_path: FilePath) -> None:
    evil = "</script><script>alert(1)</script><b onmouseover=x>"
    some = made(**BUSY)
    some[0]["title"] = some[0]["trace"]["title"] = evil
    for r in some:
        if r.get("name") == "quic:congestion_state_updated":
            r["data"]["new"] = evil
    close = {"frame_type": "connection_close", "reason": evil}
    [r for r in some if r.get("name") == "quic:packet_sent"][-1]["data"]["frames"].append(close)
    html = page.render(told(tmp_path, some))
    shown = Page(html)
    assert "alert(1)</script>" not in html
    assert sum(t == "script" for t, _ in shown.tags) == 2
    assert not any("onmouseover" in a for _, a in shown.tags)
    assert "the connection, reason" in shown.text


@pytest.mark.parametrize("layout", LAYOUTS.values(), ids=LAYOUTS)
def test_other_writers_of_the_same_connection_give_the_same_findings(tmp_path: FilePath, layout: Any) -> None:
    some = made(**BUSY)
    ours = told(tmp_path, some)
    theirs = tell(explain(load(written(tmp_path, layout, some))))
    assert kinds(theirs) == kinds(ours)
    for limit, share in ours.e.limited.items():
        assert theirs.e.limited.get(limit, 0.0) == pytest.approx(share, abs=0.01)
    assert len(theirs.e.losses.bursts) == len(ours.e.losses.bursts)
    shift = theirs.e.observed.begin - ours.e.observed.begin  # some count times from the first event
    for one, other in zip(ours.e.losses.bursts, theirs.e.losses.bursts, strict=True):
        assert other.begin - shift == pytest.approx(one.begin, abs=1e-5)
        assert (other.lost_packets, other.cause) == (one.lost_packets, one.cause)


def test_the_side_that_received_is_told_so(tmp_path: FilePath) -> None:
    story = told(tmp_path, mirrored(made(**BUSY)))
    assert story.e.role is Role.RECEIVER
    assert kinds(story)[0] == "receiving_side"
    assert not any(k.endswith("_limited") for k in kinds(story))
    assert not {"path", "application", "congestion window", "start-up"} & {m.what for m in story.timeline}
    counted = replace(story.e, metrics=replace(story.e.metrics, packets_lost=0, loss_percent=0.0))
    assert "packets that it sent was lost" in tell(counted).summary
    assert '"streams received"' in page.render(story)


def mirrored(some: list[Json]) -> list[Json]:
    """Roughly what the other side would have written: sent is received and the other way round."""
    names = {"quic:packet_sent": "quic:packet_received", "quic:packet_received": "quic:packet_sent"}
    out: list[Json] = []
    for r in some:
        if "trace" in r:
            r["trace"]["vantage_point"] = {"type": "client"}
            out.append(r)
        elif r["name"] in names:
            out.append({**r, "name": names[r["name"]]})
            if out[-1]["name"] == "quic:packet_sent" and r["data"]["header"]["packet_type"] == "1RTT":
                out[-1]["data"] = {**r["data"], "header": {"packet_type": "1RTT", "packet_number": len(out)}}
    return out


def test_several_traces_become_a_list_and_a_folder_of_pages(busy: str, tmp_path: FilePath, capsys: Output) -> None:
    other = str(tracewriter.write(tmp_path / "other.sqlog", made(app_rate=1e6)))
    broken = tmp_path / "broken.sqlog"
    broken.write_bytes(b"hello")
    pages, listed = tmp_path / "pages", tmp_path / "all.json"
    pages.mkdir()
    assert cli.main(["explain", busy, str(broken), other, "--html", str(pages), "--json", str(listed)]) == 4
    assert {p.name for p in pages.iterdir()} == {"busy.explain.html", "other.explain.html"}
    data = json.loads(listed.read_text())
    assert [d.get("role", "unusable") for d in data] == ["sender", "unusable", "sender"]
    captured = capsys.readouterr()
    assert captured.err.startswith(f"qlog-analysis: {broken}: ")
    assert captured.out.count("What happened when") == 2
    assert cli.main(["explain", busy, other, "--html", str(tmp_path / "one.html")]) == 2
    assert cli.main(["explain", busy, "--html", "-", "--json", "-"]) == 2


def test_a_cut_trace_is_refused_or_told_with_the_remark(busy: str, capsys: Output) -> None:
    cut = FilePath(busy)
    cut.write_bytes(cut.read_bytes()[:-9])
    assert cli.main(["explain", busy, "--strict"]) == 2
    assert "truncated" in capsys.readouterr().err
    assert cli.main(["explain", busy]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "truncated trace: " in out.split("What the trace does not tell")[1]


def test_a_trace_that_tells_little_still_has_a_text_and_a_page(tmp_path: FilePath) -> None:
    def only(names: set[str], some: list[Json]) -> list[Json]:
        return [r for r in some if r.get("name", "") in {"", *names}]

    for keep in (partial(only, {"quic:packet_sent"}), partial(only, {"quic:packet_received"}), lambda s: s[:3]):
        story = told(tmp_path, keep(made(**BUSY)))
        assert "Most important" in story.summary or "Nothing stands out" in story.summary
        assert max(map(len, to_text(story).splitlines()[1:])) <= WIDTH
        assert "<h1>" in page.render(story)
        json.dumps(to_json(story), allow_nan=False)


def test_a_sentence_says_what_is_so(tmp_path: FilePath) -> None:
    assert words.percent(1.0 - 1e-12) == "100 %"
    assert words.percent(1e-12) == "0 %"
    assert (words.times_from(1, 2.0), words.times_from(3, 2.0)) == ("once, at 2.000 s", "3 times, first at 2.000 s")
    idle = told(tmp_path, made(app_rate=1e6, rate=2e7)).summary
    assert "there was no queueing delay for 95 % of the time or more" in idle
    assert "from the first byte to the last" in idle
    lossy = to_text(told(tmp_path, made(rate=5e6, app_rate=2e6, loses=lambda n: n % 300 == 5)))
    assert "losses: 1 packet lost" in lossy
    assert "1 of " not in lossy
