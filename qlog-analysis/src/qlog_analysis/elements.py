"""Where the elements of a JSON list stand. They are found one part of the text after the other: an object for each
element would take many times the memory of a list of small ones."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from .arrays import Ints

FIRST_PART, PART = 1 << 12, 1 << 18
"""Bytes that are looked at together; even numbers, so that a part of backslashes alone has whole escapes. The first
part is small, because many lists are."""

_QUOTE, _COMMA = b'",'
_STEPS = np.zeros(256, dtype=np.int8)
_STEPS[list(b"[{")] = 1
_STEPS[list(b"]}")] = -1
_BLANK = b" \t\r\n"
_EMPTY = re.compile(rb"\[\s*\]")


def elements(text: memoryview) -> Iterator[tuple[int, int]]:
    """Begin and end of each element of the list that `text` begins with. Of a list that ends early those that a comma
    follows. The text must be JSON, as far as it goes."""
    begin = 1
    for places in _ends(text):
        for end in places.tolist():
            yield from _without_blanks(text, begin, end)
            begin = end + 1


def extent(text: memoryview) -> tuple[int, int]:
    """How many these are, and where the last one ends."""
    count, last = 0, 1
    for places in _ends(text):
        count += len(places)
        last = int(places[-1]) if len(places) else last
    return (0 if is_empty(text) else count), last


def is_empty(text: memoryview) -> bool:
    return _EMPTY.match(text) is not None


def _ends(text: memoryview) -> Iterator[Ints]:
    """The places of what ends an element: commas, and the bracket at the end. Of each part of the text."""
    depth, is_quoted, at, length = 0, False, 0, FIRST_PART
    while at < len(text):
        part = _part(text, at, length)
        bytes_ = np.frombuffer(part.replace(rb"\\", b"__").replace(rb"\"", b"__"), dtype=np.uint8)
        quoted = (np.cumsum(bytes_ == _QUOTE, dtype=np.int32) + is_quoted) % 2 == 1
        depths = np.cumsum(np.where(quoted, 0, _STEPS[bytes_]), dtype=np.int32) + depth
        places = np.flatnonzero(~quoted & (((bytes_ == _COMMA) & (depths == 1)) | (depths == 0)))
        closed = np.flatnonzero(depths[places] == 0)
        if len(closed):
            yield places[: closed[0] + 1] + at
            return
        yield places + at
        depth, is_quoted, at, length = int(depths[-1]), bool(quoted[-1]), at + len(part), PART


def _part(text: memoryview, at: int, length: int) -> bytes:
    """Cut between two escapes: every run of backslashes begins with one."""
    part = bytes(text[at : at + length])
    return part.rstrip(b"\\") or part


def _without_blanks(text: memoryview, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """Nothing where nothing else is there, as in an empty list."""
    while begin < end and text[begin] in _BLANK:
        begin += 1
    while begin < end and text[end - 1] in _BLANK:
        end -= 1
    if begin < end:
        yield begin, end
