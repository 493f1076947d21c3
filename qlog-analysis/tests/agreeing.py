"""Holds the two ways of reading a trace of quiche to the same trace."""

from __future__ import annotations

import dataclasses
from array import array
from pathlib import Path
from typing import Any
from unittest import mock

import msgspec
import numpy as np

from qlog_analysis import blocks
from qlog_analysis.errors import AnalysisError
from qlog_analysis.load import WHOLE, Choice, load
from qlog_analysis.packed import Column

TOLERANT = Choice(allow_truncated=True, skip_broken=True)


def assert_same_trace(path: Path, what: str) -> None:
    """Read in blocks and record by record it is the same, or refused with the same error, whether damage is tolerated
    or not."""
    for choice in (WHOLE, TOLERANT):
        in_blocks = _outcome(path, choice)
        with mock.patch.object(blocks, "MOST_SINGLE", -1.0):  # every block has more
            one_by_one = _outcome(path, choice)
        found = _differences(in_blocks, one_by_one)
        assert not found, f"{what}, {choice}: {found}"


def _outcome(path: Path, choice: Choice) -> Any:
    try:
        return _plain(load(path, choice))
    except AnalysisError as e:
        return f"{type(e).__name__}: {e}"


def _plain(value: Any) -> Any:
    """What can be compared; NaN is like NaN."""
    if isinstance(value, Column | array | np.ndarray):
        return np.asarray(value).tobytes()
    if dataclasses.is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, msgspec.Raw):
        return bytes(value)
    if isinstance(value, msgspec.Struct):
        return {name: _plain(getattr(value, name)) for name in value.__struct_fields__}
    if isinstance(value, list | tuple):
        return [_plain(v) for v in value]
    return {k: _plain(v) for k, v in value.items()} if isinstance(value, dict) else value


def _differences(a: Any, b: Any) -> list[str]:
    """What of two outcomes is not the same."""
    if a == b:
        return []
    if isinstance(a, dict) and isinstance(b, dict):
        return [k for k in a if a[k] != b[k]]
    return [f"{a!s:.200} and {b!s:.200}"]
