"""The process that reads traces: one after the other, by lines on its standard input and output.

A trace is made by others. What it does to this process must not reach the run that started it.
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterator
from contextlib import suppress

import msgspec

from .analyse import NOT_ENOUGH, Answer, ErrorKind, answers, left
from .row import Found

_UNLIMITED = 0
_GRACE = 1.0
"""s beyond the limit, at which the run ends this process. If the run was killed, it ends by itself."""


def main() -> int:
    memory, seconds = int(sys.argv[1]), float(sys.argv[2])
    # What prints must not come between the lines.
    lines = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    if memory != _UNLIMITED:
        _, hard = resource.getrlimit(resource.RLIMIT_AS)
        most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    signal.signal(signal.SIGALRM, signal.SIG_DFL)  # which ends the process
    with suppress(BrokenPipeError):  # nobody waits for it any more
        for line in sys.stdin.buffer:
            signal.setitimer(signal.ITIMER_REAL, seconds + _GRACE)
            for answer in _answers(msgspec.json.decode(line, type=Found)):
                lines.write(msgspec.json.encode(answer) + b"\n")
            signal.setitimer(signal.ITIMER_REAL, 0.0)
    return 0


def _answers(found: Found) -> Iterator[Answer]:
    done, of = 0, 1
    try:
        for answer in answers(found):
            yield answer
            done, of = done + 1, answer.of
        return
    except MemoryError:
        kind, why = ErrorKind.MEMORY, NOT_ENOUGH
    except Exception as e:
        kind, why = ErrorKind.FAILED, f"{type(e).__name__}: {e}"
    yield from (Answer(of, row) for row in left(found, kind, why, done, of))


if __name__ == "__main__":
    raise SystemExit(main())
