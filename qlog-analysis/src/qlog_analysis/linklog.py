"""The log of an emulated bottleneck: what its queue really did.

JSON lines. Every line that has `time` (s since the log began) and `queue_bytes` or `queue_delay_ms` is a sample;
`direction`, if present, must be `down`. A line with `start_unix` says when the log began. All else is ignored.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path

import msgspec
import numpy as np

from .arrays import Floats
from .errors import AnalysisError
from .metrics import Distribution

MAX_LINE = 1 << 20


class _Line(msgspec.Struct):
    time: float | None = None
    queue_bytes: float | None = None
    queue_delay_ms: float | None = None
    direction: str | None = None
    start_unix: float | None = None


@dataclass(frozen=True, slots=True)
class LinkLog:
    path: Path
    began: float | None
    """Unix time of the log's time 0."""
    time: Floats
    queue_bytes: Floats
    queue_delay: Floats
    """s"""

    def shifted(self, trace_began: float | None) -> LinkLog:
        """With the trace's time, as far as both say when they began."""
        if self.began is None or trace_began is None:
            return self
        shift = self.began - trace_began
        return LinkLog(self.path, trace_began, self.time + shift, self.queue_bytes, self.queue_delay)

    def delay_within(self, start: float, end: float) -> Distribution:
        """Queueing delay over time between `start` and `end`."""
        chosen = (self.time >= start) & (self.time <= end) & ~np.isnan(self.queue_delay)
        return Distribution.of(self.queue_delay[chosen])


def read_link_log(path: Path) -> LinkLog:
    began: float | None = None
    rows: list[tuple[float, float, float]] = []
    decoder = msgspec.json.Decoder(_Line)
    try:
        with path.open("rb") as f:
            for number, text in enumerate(iter(lambda: f.readline(MAX_LINE), b""), start=1):
                if not text.strip():
                    continue
                try:
                    line = decoder.decode(text)
                except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as e:
                    raise AnalysisError(f"{path}: line {number}: expected a JSON object with numbers: {e}") from None
                began = line.start_unix if line.start_unix is not None else began
                if line.time is not None and line.direction in (None, "down"):
                    row = _row(line.time, line.queue_bytes, line.queue_delay_ms)
                    if row is not None:
                        rows.append(row)
    except OSError as e:
        raise AnalysisError(f"cannot read {path}: {e.strerror or e}") from e
    if not rows:
        raise AnalysisError(f"{path}: no line has `time` and `queue_bytes` or `queue_delay_ms`")
    columns = np.array(rows, dtype=np.float64).T
    return LinkLog(path, began, columns[0], columns[1], columns[2])


def _row(time: float, size: float | None, delay_ms: float | None) -> tuple[float, float, float] | None:
    if size is None and delay_ms is None:
        return None
    return time, math.nan if size is None else size, math.nan if delay_ms is None else delay_ms / 1e3
