"""A worker process and its limits, as seen by who asks it for rows."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import IO

import msgspec

from .analyse import Answer, ErrorKind, left
from .row import Found, Row

PROGRAM = "qlog_analysis.fleet.worker"
ATTEMPTS = 2
"""A worker may die of something else than its trace."""
SHOWN = 200
"""Characters of what a worker said last."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Of one trace."""

    time: float
    """s"""
    memory: int
    """Bytes of address space of the process; 0 is none."""


class _Done:
    """Rows of a trace, which come one after the other."""

    def __init__(self, found: Found) -> None:
        self.found = found
        self.rows: list[Row] = []
        self._of = 1

    @property
    def complete(self) -> bool:
        return len(self.rows) >= self._of

    def add(self, answer: Answer) -> None:
        self._of = answer.of
        self.rows += [answer.row] if answer.row is not None else []

    def with_rest(self, kind: ErrorKind, why: str) -> list[Row]:
        return self.rows + left(self.found, kind, why, len(self.rows), self._of)


class Isolated:
    """A worker process that is started when it is needed, and again after it died."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None
        self._pending = b""
        self._lock = Lock()
        self._closed = False

    def rows(self, found: Found) -> list[Row]:
        """Of one trace; never raises for it. What was done of one with many connections is kept."""
        done, how = _Done(found), ""
        for _ in range(ATTEMPTS):
            tried = _Done(found)
            how = self._ask(tried)
            if not how:
                return tried.rows
            done = max(done, tried, key=lambda d: len(d.rows))
            if self._closed:
                break
        return done.with_rest(ErrorKind.DIED, f"its worker died {ATTEMPTS} times: {how}")

    def kill(self) -> None:
        """Ends the worker for good, also while another thread waits for it, which then gets an answer."""
        with self._lock:
            self._closed = True
            if self._process is not None:
                self._process.kill()

    def close(self) -> None:
        """Ends the worker; no thread may wait for it."""
        self.kill()
        self._stop()

    def _ask(self, done: _Done) -> str:
        """Gets the rows, or says how the worker died."""
        process = self._started()
        if process is None or process.stdin is None or process.stdout is None:
            return "the run was stopped"
        try:
            process.stdin.write(msgspec.json.encode(done.found) + b"\n")
            process.stdin.flush()
            deadline = time.monotonic() + self._limits.time
            while not done.complete:
                line = self._line(process.stdout, deadline)
                if line is None:
                    self._stop()
                    why = f"it takes longer than the {self._limits.time:g} s that --time-limit allows"
                    done.rows = done.with_rest(ErrorKind.TIME, why)
                    break
                done.add(msgspec.json.decode(line, type=Answer))
        except (OSError, ValueError, EOFError):
            return self._death(process)
        return ""

    def _started(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._closed:
                return None
            if self._process is None:
                self._said = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the worker
                self._process = subprocess.Popen(
                    [sys.executable, "-m", PROGRAM, str(self._limits.memory), str(self._limits.time)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=self._said,
                    env=_environment(),
                    start_new_session=True,  # Ctrl-C is for the run, which keeps what is done
                )
                self._pending = b""
            return self._process

    def _line(self, stream: IO[bytes], deadline: float) -> bytes | None:
        """None if it does not come in time. Raises EOFError if the worker is gone."""
        waiting = select.poll()
        waiting.register(stream, select.POLLIN)
        while b"\n" not in self._pending:
            if not waiting.poll(max(deadline - time.monotonic(), 0.0) * 1e3):
                return None
            some = os.read(stream.fileno(), 1 << 16)
            if not some:
                raise EOFError
            self._pending += some
        line, _, self._pending = self._pending.partition(b"\n")
        return line

    def _death(self, process: subprocess.Popen[bytes]) -> str:
        with suppress(subprocess.TimeoutExpired):
            process.wait(1.0)  # its pipes close before it is gone
        said = self._last_words()
        self._stop()
        code = process.returncode
        how = (signal.strsignal(-code) or f"signal {-code}") if code < 0 else f"exit code {code}"
        return how + (f", {said}" if said else "")

    def _last_words(self) -> str:
        if self._said is None:
            return ""
        self._said.seek(0)
        lines = [line for line in self._said.read()[-4096:].decode(errors="replace").splitlines() if line.strip()]
        return lines[-1].strip()[:SHOWN] if lines else ""

    def _stop(self) -> None:
        with self._lock:
            self._end()

    def _end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout, self._said):
                with suppress(OSError):  # what a dead worker was still to read
                    if pipe is not None:
                        pipe.close()
        self._process = self._said = None


def _environment() -> dict[str, str]:
    """One thread per worker, and the package where this one has it."""
    source = str(Path(__file__).parents[2])
    path = os.pathsep.join(p for p in (source, os.environ.get("PYTHONPATH", "")) if p)
    threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    return {**os.environ, **threads, "PYTHONPATH": path}
