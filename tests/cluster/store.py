"""The one store of results, to which lines that were made elsewhere are added."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from .lab import Job


class _Line(msgspec.Struct, forbid_unknown_fields=True):
    name: str
    run: str
    version: str
    result: msgspec.Raw


class _RejectedError(Exception):
    """What is wrong with a line."""


class Store:
    """A file of lines, of which cc-lab reads those with the right run and version."""

    def __init__(self, file: Path, jobs: dict[str, Job]) -> None:
        self._file = file
        self.missing = dict(jobs)
        """By `Job.run`."""

    def add(self, lines: Sequence[str]) -> list[str]:
        """Adds what is missing, each run once. What is wrong with the other lines."""
        good, wrong = [], []
        for text in lines:
            try:
                del self.missing[self._run(text)]
                good.append(text)
            except (msgspec.MsgspecError, _RejectedError) as error:
                wrong.append(f"a result is left out: {error}")
        if good:
            # In one piece: others may add to it at the same time.
            with self._file.open("ab", buffering=0) as out:
                out.write("".join(f"{text}\n" for text in good).encode())
        return wrong

    def _run(self, text: str) -> str:
        line = msgspec.json.decode(text, type=_Line)
        job = self.missing.get(line.run)
        if job is None:
            raise _RejectedError(f"that of {line.name} is there already, or nobody asked for it")
        if line.version != job.version:
            raise _RejectedError(f"that of {line.name} is of another version of cc-lab")
        return line.run
