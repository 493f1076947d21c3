"""What `fleet` is called with. Needs none of its libraries, as the help is always there."""

from __future__ import annotations

import argparse
import re
from pathlib import Path

from .fetch import is_address, where

_UNITS = {"": 1, "M": 10**6, "G": 10**9, "MB": 10**6, "GB": 10**9, "MiB": 1 << 20, "GiB": 1 << 30}
LEAST_MEMORY = 512 << 20
"""Bytes of address space that a worker takes before it reads anything, with a margin."""
MOST_MEMORY = 1 << 50
"""Bytes; no system has more address space for a process, and none takes it as a limit."""
MOST_SEED = (1 << 63) - 1


def add(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "traces",
        metavar="TRACES",
        nargs="*",
        type=where,
        help="folder, searched with all below it, or address of an object store (s3://BUCKET/PREFIX); "
        "without any, the report is on what the store has",
    )
    parser.add_argument(
        "--store",
        metavar="FOLDER",
        type=_folder,
        required=True,
        help="where the table is kept, as Parquet; only traces that are new or have changed are processed",
    )
    parser.add_argument("--retry", action="store_true", help="process traces with an error again")
    _add_workers(parser.add_argument_group("workers"))
    _add_report(parser.add_argument_group("report"))


def _add_workers(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--jobs", metavar="N", type=_count, help="traces at a time on this machine; default: one per processor"
    )
    group.add_argument(
        "--scheduler", metavar="ADDRESS", help="work on the Dask cluster of this scheduler, as tcp://HOST:8786"
    )
    group.add_argument(
        "--time-limit",
        metavar="SECONDS",
        type=_seconds,
        default=600.0,
        help="for a trace, after which it counts as an error; default: %(default)g",
    )
    group.add_argument(
        "--memory-limit",
        metavar="SIZE",
        type=_memory,
        default=4 << 30,
        help="for a worker, as 4GiB, of address space, of which numpy takes a part; 0 is none; default: 4GiB",
    )


def _add_report(group: argparse._ArgumentGroup) -> None:
    condition = (
        "only connections with COLUMN=VALUE (* and ? in text), COLUMN>=NUMBER or COLUMN<=NUMBER; may be repeated"
    )
    group.add_argument("--only", metavar="CONDITION", action="append", default=[], help=condition)
    group.add_argument(
        "--against", metavar="STORE", type=_folder, help="compare with the connections of another store, with intervals"
    )
    group.add_argument(
        "--against-only",
        metavar="CONDITION",
        action="append",
        default=[],
        help="the same for the others, of --against or else of the same store; may be repeated",
    )
    group.add_argument("--seed", metavar="N", type=_seed, default=1, help="of the intervals; default: %(default)d")
    group.add_argument(
        "--worst", metavar="N", type=_count, default=10, help="connections to name; default: %(default)d"
    )
    group.add_argument(
        "--explain",
        metavar="FOLDER",
        type=_folder,
        help="explain the worst connections, a page each, linked from --html",
    )


def _folder(text: str) -> Path:
    if is_address(where(text)):
        raise argparse.ArgumentTypeError(f"{text!r}: expected a folder of this machine, not an address")
    return Path(where(text))


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 10_000:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 1 to 10000")
    return int(text)


def _seed(text: str) -> int:
    if not text.isdecimal() or len(text) > len(str(MOST_SEED)) or int(text) > MOST_SEED:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a whole number from 0 to {MOST_SEED}")
    return int(text)


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 1.0 <= value <= 1e6:
        raise argparse.ArgumentTypeError(f"{text!r}: expected 1 to 1000000 s")
    return value


def _memory(text: str) -> int:
    match = re.fullmatch(r"(\d+(?:\.\d+)?) ?([A-Za-z]*)", text)
    if match is None or match[2] not in _UNITS:
        raise argparse.ArgumentTypeError(f"{text!r}: expected a size, as 4GiB")
    size = min(float(match[1]) * _UNITS[match[2]], float(MOST_MEMORY + 1))
    if 0 < size < LEAST_MEMORY:
        raise argparse.ArgumentTypeError(f"{text!r}: a worker needs {LEAST_MEMORY >> 20} MiB at least")
    if size > MOST_MEMORY:
        raise argparse.ArgumentTypeError(f"{text!r}: expected {MOST_MEMORY >> 40} TiB at most; 0 is no limit")
    return int(size)
