"""Pages in a headless Chromium: marks are drawn, zooming in brings detail, nothing complains, nothing is requested."""

from __future__ import annotations

import re
import subprocess
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path as FilePath
from typing import Any

import pytest

from browser import DESKTOP, PHONE, PROGRAM, Tab, browse, needs_browser
from made import SIZE, made, told
from qlog_analysis.explain import page
from qlog_analysis.report import build
from test_report import Page
from traces import DEFAULT, FAST, records, trace_of
from whole import sends_of

pytestmark = needs_browser
LONG: dict[str, Any] = {"rate": 1e7, "window": lambda _: 60 * SIZE, "loses": lambda n: n % 397 == 5, "duration": 8.0}
NAMED = "document.querySelector('.figure').data.find((s) => s.name === '{}').x.length"
DRAWN = """(() => {
  const count = (what) => document.querySelectorAll(what).length;
  const lines = [...document.querySelectorAll('path.js-line')].filter((p) => (p.getAttribute('d') || '').length > 20);
  return {points: count('path.point'), bars: count('.bars .point path'), lines: lines.length,
          titles: [...document.querySelectorAll('.annotation-text')].map((t) => t.textContent),
          figures: count('.figure'), wide: document.documentElement.scrollWidth};
})()"""


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_an_explanation_is_drawn_without_a_complaint_or_a_request(tmp_path: FilePath, size: tuple[int, int]) -> None:
    story = told(tmp_path, made(**LONG))
    file = tmp_path / "page.html"
    file.write_text(page.render(story))

    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), size)
        drawn = await tab.value(DRAWN)
        assert {"What limited the sender", "Sequence [MB sent so far]"} <= set(drawn["titles"])
        assert drawn["points"] > 1000
        assert drawn["bars"] >= 2
        assert drawn["lines"] >= 6
        assert drawn["wide"] <= size[0], "the page is wider than the screen"
        assert tab.complaints == []
        assert tab.requests == [file.as_uri()]

    browse(look)


def test_zooming_in_shows_every_packet_and_zooming_out_all_of_the_trace(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**LONG))
    sends = sends_of(story.e.observed)
    assert len(sends) > 4500, "else nothing is thinned"
    within = int(((sends.time > 2.0) & (sends.time < 2.5)).sum())
    file = tmp_path / "page.html"
    file.write_text(page.render(story))

    async def zoom(tab: Tab) -> None:
        await tab.open(file.as_uri())
        whole = await tab.value(NAMED.format("packet sent"))
        assert whole <= 2000
        await tab.value("Plotly.relayout(document.querySelector('.figure'), {'xaxis.range': [2.0, 2.5]}).then(() => 1)")
        assert within <= await tab.value(NAMED.format("packet sent")) <= within + 4
        await tab.value('document.querySelector(\'.modebar-btn[data-attr="zoom"][data-val="reset"]\').click()')
        assert await tab.value(NAMED.format("packet sent")) == whole
        assert tab.complaints == []

    browse(zoom)


def test_a_time_of_the_table_is_shown_in_the_picture(tmp_path: FilePath) -> None:
    story = told(tmp_path, made(**{**LONG, "outage": (3.0, 4.0)}))
    (moment,) = (t for t in story.timeline if t.what == "interruption")
    file = tmp_path / "page.html"
    file.write_text(page.render(story))

    async def click(tab: Tab) -> None:
        await tab.open(file.as_uri())
        await tab.value(f"document.querySelector('button[data-begin=\"{moment.begin}\"]').click()")
        low, high = await tab.value("document.querySelector('.figure').layout.xaxis.range")
        assert moment.begin - 0.5 < low < moment.begin
        assert moment.end < high < moment.end + 0.5
        assert tab.complaints == []

    browse(click)


@pytest.mark.parametrize("size", [DESKTOP, PHONE], ids=["desktop", "phone"])
def test_a_report_of_two_traces_draws_all_three_figures(tmp_path: FilePath, size: tuple[int, int]) -> None:
    one, two = (trace_of(tmp_path, some) for some in (records(FAST, 4.0, DEFAULT), made(**LONG)))
    file = tmp_path / "report.html"
    file.write_text(build.render("Both", build.sections([one, two], [])))

    async def look(tab: Tab) -> None:
        await tab.open(file.as_uri(), size)
        drawn = await tab.value(DRAWN)
        assert drawn["figures"] == 3
        assert {"Acknowledged so far [MB]", "Zone of hybrid", "Sequence [MB sent so far]"} <= set(drawn["titles"])
        assert drawn["wide"] <= size[0]
        assert (tab.complaints, tab.requests) == ([], [file.as_uri()])

    browse(look)


def test_a_browser_shows_the_page_without_a_request_or_a_button_to_the_cloud(tmp_path: FilePath) -> None:
    hybrid = trace_of(tmp_path, records(FAST, 4.0, DEFAULT))
    (tmp_path / "report.html").write_text(build.render("x", build.sections([hybrid], [])))
    log = tmp_path / "net.json"
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        page = f"http://127.0.0.1:{server.server_port}/report.html"
        dom = Page(browsed(page, tmp_path / "profile", log))
        server.shutdown()
    titles = {str(a.get("data-title")) for _, a in dom.tags if "data-title" in a}
    assert any("Download" in t for t in titles), "plotly drew no toolbar"
    assert not any(re.search("(?i)cloud|share|plotly", t) for t in titles)
    assert not any(t == "a" and "href" in a and not str(a["href"]).startswith("#") for t, a in dom.tags)
    requests = set(re.findall(r'"url":"([^"]*)"', log.read_text()))
    assert page in requests, "the log of the network is not understood"
    # The browser itself asks for the time and for updates, and connects to the page's own server.
    others = {u for u in requests if not re.search(r"\.google\.com/|\.googleapis\.com/", u)}
    assert {u.removeprefix(page.removesuffix("report.html")) for u in others} <= {"", "report.html", "favicon.ico"}


def browsed(page: str, profile: FilePath, log: FilePath) -> str:
    """What a headless browser makes of a page; what it requests goes into `log`."""
    done = subprocess.run(
        [
            str(PROGRAM),
            *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
            *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
            f"--user-data-dir={profile}",
            f"--log-net-log={log}",
            "--virtual-time-budget=20000",
            "--dump-dom",
            page,
        ],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    return done.stdout
