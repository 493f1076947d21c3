"""Parts of documents that programs write: each stands between a comment of its own and the next `END`."""

from __future__ import annotations

from collections.abc import Callable

END = "<!-- end -->"


def _ends_program(why: str) -> BaseException:
    return SystemExit(f"error: {why}")


def replaced(text: str, begin: str, lines: str, error: Callable[[str], BaseException] = _ends_program) -> str:
    """The text with these lines behind its only comment `begin`. Raises `error` where that is missing or has no end."""
    before, found, rest = text.partition(begin)
    _, end, after = rest.partition(END)
    if not found or not end or begin in rest:
        raise error(f"there is no {begin!r} that stands once, with {END!r} behind it")
    return f"{before}{begin}\n{lines}{END}{after}"
