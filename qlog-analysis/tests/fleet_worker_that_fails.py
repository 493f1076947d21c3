"""The worker of `fleet`, but what happens to it depends on the name of the trace."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from qlog_analysis.fleet import worker
from qlog_analysis.fleet.analyse import Answer, answers
from qlog_analysis.fleet.row import Found


def told(found: Found) -> Iterator[Answer]:
    path = Path(found.trace)
    once = path.with_name("died")
    if path.name == "dies.sqlog" or (path.name == "once.sqlog" and not once.exists()):
        once.touch()
        os.kill(os.getpid(), signal.SIGSEGV)
    if path.name == "leaves.sqlog":
        print("these are my last words", file=sys.stderr, flush=True)
        os._exit(7)
    if path.name == "lasts.sqlog":
        time.sleep(60)
    if path.name == "grows.sqlog":
        print("what is printed is no answer")
        yield from (Answer(1) for _ in bytearray(8 << 30))
    if path.name == "raises.sqlog":
        raise ZeroDivisionError
    for number, answer in enumerate(answers(found), start=1):
        if path.name == "lasts after two.sqlog" and number == 3:
            time.sleep(60)
        if path.name == "dies after two.sqlog" and number == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        yield answer


if __name__ == "__main__":
    worker.answers = told  # type: ignore[attr-defined]
    raise SystemExit(worker.main())
