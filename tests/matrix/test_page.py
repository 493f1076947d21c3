"""The page: red cells fail the run unless they are explained, and nothing is missing silently."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import page
import pytest
from model import Data, Known


@pytest.fixture
def data() -> Data:
    return Data()


def result(verdict: str, **more: Any) -> dict[str, Any]:
    cell = {"kind": "case", "peer": "quinn", "role": "client", "case": "transfer", "cc": "hybrid"}
    return {**cell, "name": "quinn.client.transfer.hybrid", "verdict": verdict, "reason": "", **more}


def write(out: Path, data: Data, *results: dict[str, Any]) -> tuple[int, str, str]:
    (out / "results.json").write_text(json.dumps(results))
    code = page.write(out, data, out / "matrix.md")
    return code, (out / "matrix.md").read_text(), (out / "index.html").read_text()


def test_a_red_cell_fails_the_run_and_shows_its_reason(tmp_path: Path, data: Data) -> None:
    code, markdown, html = write(tmp_path, data, result("fail", reason="it <broke>"))
    assert code == 1
    assert "it <broke>" in markdown
    assert "it &lt;broke&gt;" in html


def test_a_red_cell_that_is_explained_does_not_fail_the_run(tmp_path: Path, data: Data) -> None:
    data.known = [Known(case=["transfer"], reason="issue 7", peer=["quinn"])]
    passed = result("pass", case="handshake", name="p")
    code, markdown, _ = write(tmp_path, data, result("fail", reason="it broke"), passed)
    assert code == 0
    assert "1 known" in markdown
    assert "issue 7" in markdown


def test_an_explanation_of_another_peer_explains_nothing(tmp_path: Path, data: Data) -> None:
    data.known = [Known(case=["transfer"], reason="issue 7", peer=["curl"])]
    assert write(tmp_path, data, result("fail", reason="it broke"))[0] == 1


def test_what_is_unsupported_or_not_installed_says_why(tmp_path: Path, data: Data) -> None:
    absent = result("not installed", case="retry", reason="`run.py install quinn`", name="n")
    passed = result("pass", case="handshake", name="p")
    code, markdown, _ = write(tmp_path, data, result("unsupported", reason="cannot"), absent, passed)
    assert code == 0
    assert "cannot" in markdown
    assert "run.py install quinn" in markdown


def test_the_page_links_what_a_cell_left(tmp_path: Path, data: Data) -> None:
    folder = tmp_path / "cells/quinn.client.transfer.hybrid"
    folder.mkdir(parents=True)
    (folder / "capture.pcapng").write_bytes(b"x")
    _, _, html = write(tmp_path, data, result("pass", check={"pass": 1}))
    assert 'href="cells/quinn.client.transfer.hybrid/capture.pcapng"' in html


def test_a_run_in_which_nothing_passed_is_a_failure(tmp_path: Path, data: Data) -> None:
    assert write(tmp_path, data, result("unsupported", reason="cannot"))[0] == 1
