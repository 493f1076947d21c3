"""The worker of `fleet`, but what happens to it depends on the name of the trace."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

from qlog_analysis.fleet import worker
from qlog_analysis.fleet.analyse import rows_of
from qlog_analysis.fleet.row import Found, Row


def rows(found: Found) -> list[Row]:
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
        return [rows_of(found)[0] for _ in bytearray(8 << 30)]
    if path.name == "raises.sqlog":
        raise ZeroDivisionError
    return rows_of(found)


if __name__ == "__main__":
    worker.rows_of = rows  # type: ignore[attr-defined]
    raise SystemExit(worker.main())
