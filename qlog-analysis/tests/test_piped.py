"""A trace may come through a pipe, which can be read only once."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
import threading
from pathlib import Path as FilePath

import pytest

from foreign_layouts import quiche_0_24
from qlog_analysis import piped
from qlog_analysis.errors import TraceError
from qlog_analysis.load import load
from test_foreign import LOSSY, written
from traces import FAST, records
from tracewriter import encode


def run(stdin: bytes, *arguments: str) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "qlog_analysis", *arguments]
    return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=120)


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_trace_comes_through_a_pipe_however_often_it_is_read(tmp_path: FilePath, pack: type[bytes]) -> None:
    """Whether quiche 0.24 tells losses is known only at the end, and then it is read again."""
    path = written(tmp_path, quiche_0_24, records(LOSSY, 2.0))
    direct = run(b"", "metrics", str(path), "--json", "-")
    through = run(pack(path.read_bytes()), "metrics", "/dev/stdin", "--json", "-")
    assert (through.returncode, through.stderr) == (0, b"")
    one, other = (json.loads(r.stdout) for r in (direct, through))
    assert one.pop("trace") == str(path)
    assert other.pop("trace") == "/dev/stdin"
    assert one == other
    assert run(path.read_bytes(), "to-qvis", "/dev/stdin", "--out", str(tmp_path / "a.sqlog")).returncode == 0
    assert (tmp_path / "a.sqlog").stat().st_size > 1000


def test_what_comes_through_a_pipe_later_is_another_trace(tmp_path: FilePath) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for seconds in (1.0, 2.0):
        some = records(FAST, seconds)
        writer = threading.Thread(target=pipe.write_bytes, args=[encode(some)])
        writer.start()
        sent = sum(r.get("name") == "quic:packet_sent" for r in some)
        assert len(load(pipe).sent) == sent
        writer.join()


def test_a_pipe_without_end_is_refused_and_an_empty_one_is_empty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(piped, "MAX_DOCUMENT", 3 << 20)
    with pytest.raises(TraceError, match="/dev/zero: more than 3 MiB come through a pipe: write them to a file first"):
        load(FilePath("/dev/zero"))
    with pytest.raises(TraceError, match="/dev/null: the file is empty"):
        load(FilePath("/dev/null"))
