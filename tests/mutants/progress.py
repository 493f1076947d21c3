"""How far a long loop is, and about how long the rest takes."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

T = TypeVar("T")


def told(items: Sequence[T], what: str) -> Iterator[T]:
    """The items, each told on standard error with an estimate by the mean of those before."""
    began = time.monotonic()
    for done, item in enumerate(items):
        left = (time.monotonic() - began) / done * (len(items) - done) if done else None
        estimate = "" if left is None else f", {left / 60:.1f} min left"
        print(
            f"{what} {done + 1} of {len(items)}{estimate}: {getattr(item, 'name', item)}", file=sys.stderr, flush=True
        )
        yield item
