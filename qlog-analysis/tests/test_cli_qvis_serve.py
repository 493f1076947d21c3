"""`qvis serve`: qvis gets the exports, and nobody else does."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path as FilePath
from urllib.error import HTTPError
from urllib.parse import unquote

import pytest

import tracewriter
from made import made
from qlog_analysis import cli, qvis

EVENTS = 300
SOURCES = str(FilePath(cli.__file__).parents[1])


@pytest.fixture
def trace(tmp_path: FilePath) -> FilePath:
    return tracewriter.write(tmp_path / "one.sqlog", made(duration=1.0))


@pytest.fixture
def address(trace: FilePath) -> Iterator[str]:
    command = [sys.executable, "-m", "qlog_analysis", "qvis", "serve", str(trace), "--events", str(EVENTS)]
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as server:
        assert server.stdout is not None
        yield server.stdout.readline().split()[0]
        server.send_signal(signal.SIGINT)
        assert server.wait(30) == 0


def fetched(address: str, **headers: str) -> tuple[bytes, dict[str, str]]:
    request = urllib.request.Request(address, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return answer.read(), dict(answer.headers)


def test_the_page_links_to_qvis_which_may_read_the_export_and_others_may_not(
    address: str, trace: FilePath, tmp_path: FilePath
) -> None:
    assert address.startswith("http://127.0.0.1:")
    page, _ = fetched(address)
    (link,) = re.findall(r'href="([^"]*)"', page.decode())
    viewer, _, file = unquote(link).partition("?file=")
    assert viewer == "https://qvis.quictools.info/"
    assert file == f"{address}one.qvis.sqlog"
    content, headers = fetched(file)
    written = qvis.export(trace, tmp_path / "same.sqlog", part=qvis.Part(events=EVENTS))
    assert written.events < written.of_events
    assert content == (tmp_path / "same.sqlog").read_bytes()
    assert headers["Access-Control-Allow-Origin"] == "https://qvis.quictools.info"
    for path, host in (("one.sqlog", None), ("../one.sqlog", None), ("one.qvis.sqlog", "evil.example")):
        with pytest.raises(HTTPError, match=r"403|404"):
            fetched(address + path, **({"Host": host} if host else {}))


@pytest.mark.parametrize(
    ("more", "said"),
    [(["--qvis", "qvis.example"], "must begin with http"), (["--port", "70000"], "choose another --port")],
)
def test_what_cannot_be_served_is_said(
    trace: FilePath, more: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(["qvis", "serve", str(trace), *more]) == 2
    assert said in capsys.readouterr().err
