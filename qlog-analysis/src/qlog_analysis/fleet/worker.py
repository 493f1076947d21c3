"""The process that reads traces: one after the other, by lines on its standard input and output.

A trace is made by others. What it does to this process must not reach the run that started it.
"""

from __future__ import annotations

import os
import resource
import sys
from contextlib import suppress

import msgspec

from .analyse import ErrorKind, failed, rows_of
from .row import Found, Row

_UNLIMITED = 0


def main() -> int:
    memory = int(sys.argv[1])
    # What prints must not come between the lines.
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    if memory != _UNLIMITED:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with suppress(BrokenPipeError):  # nobody waits for it any more
        for line in sys.stdin.buffer:
            answers.write(msgspec.json.encode(_answer(msgspec.json.decode(line, type=Found))) + b"\n")
    return 0


def _answer(found: Found) -> list[Row]:
    try:
        return rows_of(found)
    except MemoryError:
        return [failed(found, ErrorKind.MEMORY, "it needs more memory than --memory-limit allows")]
    except Exception as e:
        return [failed(found, ErrorKind.FAILED, f"{type(e).__name__}: {e}")]


if __name__ == "__main__":
    raise SystemExit(main())
