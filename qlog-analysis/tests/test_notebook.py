"""The guide to notebooks runs as it stands there, and so does each of its blocks after those before it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path as FilePath

import tracewriter
from qlog_analysis import cli
from simulation import Path
from traces import DEFAULT, records

GUIDE = FilePath(__file__).parents[2] / "docs" / "guides" / "notebook.md"


def test_the_guide_to_notebooks_runs(tmp_path: FilePath) -> None:
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", GUIDE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL))
    assert len(code.splitlines()) > 20
    (tmp_path / "traces").mkdir()
    tracewriter.write(tmp_path / "traces" / "one.sqlog", records(Path(loss=0.02), 4.0, DEFAULT))
    environment = {"PYTHONPATH": str(FilePath(cli.__file__).parents[1]), "MPLBACKEND": "agg", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "one.png").read_bytes().startswith(b"\x89PNG")
    for said in (
        "packets lost",
        "queueing delay per packet",
        "fastest second",
        "longest queueing delay",
        "largest window",
    ):
        assert said in done.stdout
