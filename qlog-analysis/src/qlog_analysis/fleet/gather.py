"""Works the traces that a store does not have yet."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from ..errors import AnalysisError
from ..visible import in_a_line
from . import find
from .analyse import ErrorKind, failed
from .fetch import is_address, is_there
from .progress import Progress
from .row import Found, Row
from .schedule import Crew, worked
from .stopping import Stopping
from .store import Store, Writer
from .table import Table

MOST_ROWS = 2000
"""In a file of the store."""
SHORTEST, LOST_SHARE = 5.0, 0.01
"""s between two files; and this share of the run, so that a long run makes few. A run that is killed loses no more."""


@dataclass(slots=True)
class Gathered:
    found: int = 0
    worked: int = 0
    """Of these: new, or changed, since the last run."""
    exports: int = 0
    """Copies that `to-qvis` wrote, beside these."""
    problems: list[str] = field(default_factory=list)
    """What could not be searched or read where traces were looked for."""
    gone: list[str] = field(default_factory=list)
    """Traces that were listed, but not there any more when they were to be read."""


def gather(
    store: Path,
    where: list[str],
    workers: AbstractContextManager[Crew],
    *,
    again: bool,
    outputs: Sequence[Path] = (),
) -> Gathered:
    """`again`: also what had an error the last time. `outputs`: what will be written, and so must not be a trace."""
    out = Gathered()
    with _stoppable(store) as stopping, Table(Store.made(store)) as table:
        seen = table.next_seen()
        listed = chain.from_iterable(find.traces(w, out.problems.append) for w in where)
        out.found, _ = table.list_found(_apart(_originals(listed, out), outputs))
        for problem in out.problems:
            print(f"qlog-analysis: {in_a_line(problem)}", file=sys.stderr)
        if out.exports:
            print(f"fleet: {out.exports:,} exports for qvis left out: they are copies of traces", file=sys.stderr)
        if not out.found:
            raise AnalysisError(f"no trace in {', '.join(where)}: {find.expected()}")
        out.worked, size = table.choose(again=again)
        print(f"fleet: {out.found:,} traces, {out.worked:,} of them new or changed", file=sys.stderr)
        if out.worked:
            with workers as at_work:
                pending, progress = Pending(Writer(table.store, seen), stopping), Progress(out.worked, size)
                out.gone = _work(table, at_work, pending, progress)
            for trace in out.gone:
                print(f"fleet: {in_a_line(trace)} is gone since it was listed", file=sys.stderr)
    return out


def _originals(found: Iterator[Found], out: Gathered) -> Iterator[Found]:
    for one in found:
        if find.is_export(one):
            out.exports += 1
        else:
            yield one


def _apart(found: Iterator[Found], outputs: Sequence[Path]) -> Iterator[Found]:
    """Raises AnalysisError for a trace that an output would overwrite, by whatever name."""
    known = [(path, path.stat().st_size) for path in outputs if path.is_file()]
    for one in found:
        for path, size in known:
            if size == one.size and _is(path, one):
                raise AnalysisError(
                    f"{path} is the trace {one.trace}, which would be overwritten: choose another name for the output"
                )
        yield one


def _is(path: Path, one: Found) -> bool:
    try:
        return not is_address(one.trace) and path.samefile(one.trace)
    except OSError:  # gone, or its name is not UTF-8
        return False


class Pending:
    """Rows that are not in the store yet."""

    def __init__(self, writer: Writer, stopping: Stopping) -> None:
        self.rows: list[Row] = []
        self._writer, self._stopping = writer, stopping

    def write(self) -> None:
        # A stop between the two would leave rows that are written again.
        with self._stopping.put_off():
            if self.rows:
                self._writer.add(self.rows)
                self.rows.clear()


def _work(table: Table, workers: Crew, pending: Pending, progress: Progress) -> list[str]:
    """The traces that are gone."""
    written, gone = 0.0, []
    try:
        for over in worked(workers, table.todo()):
            if over is not None:
                found, rows = over
                if not rows and is_there(found.trace):
                    rows = [failed(found, ErrorKind.UNREADABLE, "cannot read: its worker finds no such file")]
                pending.rows += rows
                gone += [] if rows else [found.trace]
                progress.add(found.size, error=any(r.error is not None for r in rows))
            progress.tell()
            now = progress.seconds
            if len(pending.rows) >= MOST_ROWS or now - written > max(SHORTEST, LOST_SHARE * now):
                pending.write()
                written = now
    finally:
        pending.write()
        progress.finish()
    return gone


@contextmanager
def _stoppable(store: Path) -> Iterator[Stopping]:
    stopping = Stopping()
    try:
        with stopping.caught():
            yield stopping
    except KeyboardInterrupt:
        raise AnalysisError(
            f"stopped; what is done stands in {store}, and the same command goes on from there"
        ) from None
