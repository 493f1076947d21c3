"""Libraries that only `fleet` and records of runs need, imported when they ask for them."""

from __future__ import annotations

import importlib
from typing import Any

from .errors import AnalysisError

_EXTRA = {"duckdb": "fleet", "fsspec": "fleet", "distributed": "cluster"}
_FOR = {
    "duckdb": "the table of connections",
    "fsspec": "traces at an address",
    "distributed": "work on a cluster (--scheduler)",
}


def library(name: str, purpose: str | None = None) -> Any:
    """The module; if it is not installed, an error with the command that installs it."""
    try:
        return importlib.import_module(name)
    except ImportError as e:
        extra = _EXTRA[name]
        raise AnalysisError(
            f"{purpose or _FOR[name]} needs the Python package {name} ({e}): install it with "
            f"`pip install './qlog-analysis[{extra}]'` in the folder of the project"
        ) from e
