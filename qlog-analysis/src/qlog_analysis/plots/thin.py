"""Fewer points, same picture."""

from __future__ import annotations

import numpy as np

from ..arrays import Floats

MAX_POINTS = 4000


def thin(x: Floats, y: Floats, most: int = MAX_POINTS) -> tuple[Floats, Floats]:
    """At most about `most` points: first, smallest, largest and last value of each stretch, so that no peak is lost."""
    keep = ~np.isnan(y)
    x, y = x[keep], y[keep]
    if len(x) <= most:
        return x, y
    chosen: set[int] = set()
    edges = np.linspace(0, len(x), most // 4 + 1).astype(np.int64)
    for a, b in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        if a < b:
            part = y[a:b]
            chosen.update((a, a + int(part.argmin()), a + int(part.argmax()), b - 1))
    index = np.array(sorted(chosen), dtype=np.int64)
    return x[index], y[index]
