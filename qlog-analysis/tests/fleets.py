"""Folders of traces, and what `fleet` makes of them."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path as FilePath
from typing import Any

import tracewriter
from made import made
from qlog_analysis.fleet import find, gather
from qlog_analysis.fleet.analyse import answers
from qlog_analysis.fleet.gather import Gathered
from qlog_analysis.fleet.isolated import Limits
from qlog_analysis.fleet.row import Found, Row
from qlog_analysis.fleet.schedule import Crew
from qlog_analysis.fleet.store import Store
from qlog_analysis.fleet.table import Table
from traces import DEFAULT, FAST, records

LIMITS = Limits(60.0, 4 << 30)
EVERY_ROW = "from qlog_analysis.fleet import gather; gather.SHORTEST = gather.LOST_SHARE = 0.0; "
"""A run that writes each trace at once, so that it can be stopped between two."""


def small(folder: FilePath, name: str, **plan: Any) -> FilePath:
    """A trace that takes milliseconds."""
    folder.mkdir(parents=True, exist_ok=True)
    return tracewriter.write(folder / name, made(**{"duration": 0.4, "rate": 2e6, **plan}))


def long_ones(folder: FilePath, count: int) -> None:
    """Traces that take a few tenths of a second each."""
    folder.mkdir(parents=True, exist_ok=True)
    content = tracewriter.encode(records(FAST, 4.0, DEFAULT))
    for i in range(count):
        (folder / f"{i:03}.sqlog").write_bytes(content)


def crew(work: Callable[[Found], list[Row]] | None = None) -> AbstractContextManager[Crew]:
    """One worker in this process; another process takes longer to start than a small trace takes."""
    return nullcontext(Crew(ThreadPoolExecutor(1), work or rows_of, lambda: 1))


def gathered(store: FilePath, *where: FilePath | str, again: bool = False) -> Gathered:
    return gather.gather(store, [str(w) for w in where], crew(), again=again)


def found(where: FilePath | str) -> list[Found]:
    problems: list[str] = []
    out = sorted(find.traces(str(where), problems.append), key=lambda f: f.trace)
    assert not problems
    return out


def rows_of(found: Found) -> list[Row]:
    return [answer.row for answer in answers(found) if answer.row is not None]


def rows(store: FilePath, what: str = "*", where: str = "true") -> list[tuple[Any, ...]]:
    with Table(Store(store)) as table:
        return table.ask(f"SELECT {what} FROM connections WHERE {where} ORDER BY trace, connection")


def names(store: FilePath, where: str = "true") -> list[str]:
    return [FilePath(trace).name for (trace,) in rows(store, "trace", where)]


def started(*arguments: object, before: str = EVERY_ROW) -> subprocess.Popen[bytes]:
    """The program as a process of its own."""
    code = before + "from qlog_analysis import cli; raise SystemExit(cli.main())"
    source = str(FilePath(__file__).parents[1] / "src")
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        env={**os.environ, "PYTHONPATH": source},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def wait_for(condition: Callable[[], bool], seconds: float = 60.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come to this"
        time.sleep(0.01)


def children(process: int) -> list[int]:
    tasks = FilePath(f"/proc/{process}/task").iterdir()
    return [int(child) for task in tasks for child in (task / "children").read_text().split()]
