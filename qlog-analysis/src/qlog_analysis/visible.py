"""Text that others wrote, where a person reads it: names, reasons and file names may hold what a terminal obeys."""

from __future__ import annotations

from typing import TextIO

_CONTROLS = {*range(0x20), *range(0x7F, 0xA0)} - {ord("\n"), ord("\t")}
_DIRECTIONS = {0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
"""They change the order in which a line is read (Unicode, UAX 9)."""
_NO_TEXT = set(range(0xD800, 0xE000))
"""Bytes of a file name that are not UTF-8 (PEP 383)."""
_ESCAPED = {code: f"\\u{code:04x}" for code in _CONTROLS | _DIRECTIONS | _NO_TEXT}


def visible(text: str) -> str:
    """With escapes as in JSON, in which a text of JSON stays what it is."""
    return text.translate(_ESCAPED)


def in_a_line(text: str) -> str:
    return visible(text).replace("\n", "\\n")


class Visible:
    """A stream for people."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        # A carriage return alone is ours: the next line of progress takes the place of this one.
        return self._stream.write(text if text == "\r" else visible(text))

    def __getattr__(self, name: str) -> object:
        return getattr(self._stream, name)
