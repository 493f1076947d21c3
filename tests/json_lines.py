"""A file with a line of JSON for every answer, written at once, so that what was interrupted goes on where it was."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

Line = TypeVar("Line")


class JsonLines(Generic[Line]):
    """Lines of one type. The file and its folder are made with the first line."""

    def __init__(self, file: Path, line: type[Line]) -> None:
        self._file = file
        self._line = line
        self._is_whole = not file.exists() or file.read_bytes()[-1:] in (b"", b"\n")

    def read(self) -> Iterator[Line]:
        """All that can be read. What else there is, as a line that was cut off, is named on standard error."""
        if not self._file.exists():
            return
        for number, text in enumerate(self._file.read_bytes().splitlines(), 1):
            try:
                yield msgspec.json.decode(text, type=self._line)
            except msgspec.MsgspecError as error:
                print(f"{self._file}:{number}: passed over, {error}", file=sys.stderr)

    def add(self, line: Line) -> None:
        """A line that was cut off before stays one of its own."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        with self._file.open("ab") as out:
            out.write((b"" if self._is_whole else b"\n") + msgspec.json.encode(line) + b"\n")
        self._is_whole = True
