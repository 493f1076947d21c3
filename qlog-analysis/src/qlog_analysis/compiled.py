"""The compiled reader of blocks, where it is installed (the package in `reader`), and Python's where it is not.

It is sure of fewer records than Python's, and leaves the others alone: what comes of them does not depend on that."""

from __future__ import annotations

from dataclasses import fields
from importlib import import_module
from types import ModuleType
from typing import Any, TypeVar

import numpy as np

from . import decoding
from .columns import Acks, Columns, Metrics, Received, Rows, Sent, Written
from .record import Block

INTERFACE = 1
"""Of the reader that is understood here."""

R = TypeVar("R", bound=Rows)
_TYPES: dict[Any, type] = {"Ints": np.int64, "Floats": np.float64, "Bytes": np.uint8}


def _found() -> ModuleType | None:
    try:
        reader = import_module("qlog_analysis_reader")
    except ImportError:
        return None
    return reader if getattr(reader, "INTERFACE", None) == INTERFACE else None


READER = _found()
"""None if there is none, or one of another version."""


def told() -> str:
    return "in Python alone" if READER is None else "with the compiled reader"


def columns_of(block: Block) -> Columns:
    if READER is None:
        return decoding.columns_of(block)
    told, end = READER.columns(block.raw)
    finished, others = (_named(told[group]) for group in ("finished", "others"))
    return Columns(
        sent=_rows(Sent, told["sent"]),
        received=_rows(Received, told["received"]),
        acks=_rows(Acks, told["acks"]),
        metrics=_rows(Metrics, told["metrics"]),
        written=_rows(Written, told["written"]),
        finished=list(zip(finished["at"], finished["stream"], strict=True)),
        apart=others["apart"],
        single=others["single"],
        end=end,
    )


def _rows(kind: type[R], told: dict[str, bytes]) -> R:
    return kind(**{f.name: np.frombuffer(told[f.name], _TYPES[f.type]) for f in fields(kind)})


def _named(told: dict[str, bytes]) -> dict[str, list[int]]:
    return {name: np.frombuffer(values, np.int64).tolist() for name, values in told.items()}
