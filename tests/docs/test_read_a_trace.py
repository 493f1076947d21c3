"""The guide that reads a trace shows what the programs say.

`WRITE_DOCS=1 pytest tests/docs/test_read_a_trace.py` writes it anew. Its sentences and its picture are then to be read
again: they name figures of the output.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest
from commands import ROOT
from sandbox import lay

BIN = Path(os.environ.get("QUICHE_CC_BIN_DIR", ROOT / "build" / "bin"))
PAGE = ROOT / "docs" / "guides" / "read-a-trace.md"
SHOWN = re.compile(r"^```sh\n(?P<command>.*?)^```\n(?:\n```text\n(?P<output>.*?)^```\n)?", re.MULTILINE | re.DOTALL)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return lay(tmp_path, BIN)


def test_the_guide_shows_what_the_programs_say(root: Path) -> None:
    page, found = PAGE.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")
    shown = list(SHOWN.finditer(page))
    assert [match["output"] is not None for match in shown] == [False, True, False, True]
    for match in shown:
        said = said_of(match["command"], root)
        if match["output"] is not None:
            found = found.replace(match["output"], said)
    if os.environ.get("WRITE_DOCS"):
        PAGE.write_text(found, encoding="utf-8")
    else:
        assert page == found, "the guide shows something else; WRITE_DOCS=1 writes what the programs say"


def test_the_figures_in_its_sentences_are_in_what_it_shows() -> None:
    page = PAGE.read_text(encoding="utf-8")
    output = " ".join(" ".join(match["output"] or "" for match in SHOWN.finditer(page)).split())
    sentences = SHOWN.sub("", page)
    figures = set(
        re.findall(r"\b\d+\.\d{2} Mbit/s|\b\d+ packets|\b\d\d\.\d ms|\b\d+ epochs", sentences.replace("\n", " "))
    )
    assert len(figures) >= 4
    missing = [figure for figure in figures if figure.removesuffix(" epochs").removesuffix(" packets") not in output]
    assert not missing, f"the output does not have {missing}"


def said_of(command: str, root: Path) -> str:
    """The last line feed excepted, as a terminal shows it."""
    done = subprocess.run(["bash", "-c", command], cwd=root, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    return f"{done.stdout.strip()}\n"
