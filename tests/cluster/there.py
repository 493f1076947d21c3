"""What a worker does. It needs this package, and cc-lab of the same version in the build folder beside it."""

from __future__ import annotations

import subprocess
import time
from dataclasses import dataclass, replace

from .errors import ClusterError
from .lab import Program, built

FAILED = "error: run "
"""What cc-lab says of a run that failed begins so."""


@dataclass(frozen=True)
class Made:
    """What came of a shard."""

    lines: list[str]
    """Of the store."""
    failed: list[str]
    """What cc-lab said of runs that failed."""
    problem: str = ""
    """Why more is missing, if so."""
    seconds: float = 0.0
    """That a worker had it in hand."""


@dataclass(frozen=True)
class Maker:
    """Makes shards, in a form that can be sent."""

    plugins: tuple[str, ...]
    program: Program | None = None
    """Where the worker is of this machine; else it looks for its own."""

    def __call__(self, text: str) -> Made:
        begin = time.monotonic()
        return replace(self._made(text), seconds=time.monotonic() - begin)

    def _made(self, text: str) -> Made:
        try:
            command = self._program().called("shard", "--jobs", "1")
            done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
        except (ClusterError, OSError) as error:
            return Made([], [], f"{_here()}: {error}")
        failed = [line.removeprefix("error: ") for line in done.stderr.splitlines() if line.startswith(FAILED)]
        made = done.stdout.splitlines()
        if done.returncode == 0 or (done.returncode == 1 and failed):
            return Made(made, failed)
        said = (done.stderr.splitlines() or [f"it ended with {done.returncode}"])[-1]
        return Made(made, failed, f"{_here()}: cc-lab: {said}")

    def versions(self) -> str:
        """Of the program there, or what is wrong with it."""
        try:
            return self._program().versions()
        except (ClusterError, OSError) as error:
            return str(error)

    def _program(self) -> Program:
        return self.program or Program(built(), self.plugins)


def _here() -> str:
    """The worker's address."""
    from distributed import get_worker

    return str(get_worker().address)
