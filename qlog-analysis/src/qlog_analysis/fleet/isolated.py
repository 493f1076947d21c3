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

from .analyse import ErrorKind, failed
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
        """Of one trace; never raises for it."""
        why = ""
        for _ in range(ATTEMPTS):
            answer = self._ask(found)
            if isinstance(answer, list):
                return answer
            why = answer
            if self._closed:
                break
        return [failed(found, ErrorKind.DIED, f"its worker died {ATTEMPTS} times: {why}")]

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

    def _ask(self, found: Found) -> list[Row] | str:
        """The rows, or how the worker died."""
        process = self._started()
        if process is None or process.stdin is None or process.stdout is None:
            return "the run was stopped"
        try:
            process.stdin.write(msgspec.json.encode(found) + b"\n")
            process.stdin.flush()
            line = self._line(process.stdout, time.monotonic() + self._limits.time)
            if line is None:
                self._stop()
                why = f"it takes longer than the {self._limits.time:g} s that --time-limit allows"
                return [failed(found, ErrorKind.TIME, why)]
            return msgspec.json.decode(line, type=list[Row])
        except (OSError, ValueError, EOFError):
            return self._death(process)

    def _started(self) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._closed:
                return None
            if self._process is None:
                self._said = tempfile.TemporaryFile()  # noqa: SIM115  lives as long as the worker
                self._process = subprocess.Popen(
                    [sys.executable, "-m", PROGRAM, str(self._limits.memory)],
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
