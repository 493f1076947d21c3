"""Makes a recording of a link, in mahimahi's format, of the trace of a client that downloaded over it.

    build/venv/bin/python tests/targets/traces/recording.py TRACE > wifi.trace

Each 1500 bytes that came are a line: whole milliseconds since the part of the trace that counts begins. So it is what
the link let through, if the download kept a queue in front of it all the time, as cubic does behind a deep buffer.
Where the sender left the link idle, the recording has a pause that the link did not make. Losses and order are not in
it.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from itertools import pairwise
from pathlib import Path

from qlog_analysis.errors import TraceError
from qlog_analysis.load import load

OPPORTUNITY_BYTES = 1500
LEAST = 100
"""Opportunities of a recording that is worth anything."""


class TooShortError(ValueError):
    """Too little came."""


def opportunities(packets: Iterable[tuple[float, int]], skipped_s: float) -> list[int]:
    """In ms, of packets with their times in s and sizes in bytes; without those of the first `skipped_s` seconds."""
    begin, found, credit = None, [], 0
    for time, size in packets:
        begin = time if begin is None else begin
        since = time - begin - skipped_s
        if since < 0:
            continue
        credit += size
        found += [round(1e6 * since) // 1000] * (credit // OPPORTUNITY_BYTES)
        credit %= OPPORTUNITY_BYTES
    if len(found) < LEAST:
        raise TooShortError(
            f"after the first {skipped_s:g} s came {len(found)} times {OPPORTUNITY_BYTES} bytes; "
            f"at least {LEAST} are needed"
        )
    return found


def summary(times: Sequence[int]) -> str:
    """What there is in it. The last line is its length."""
    length = times[-1] / 1e3
    pause = max(after - before for before, after in pairwise(times))
    rate = len(times) * OPPORTUNITY_BYTES * 8 / length / 1e6
    return f"{length:.1f} s, {rate:.2f} Mbit/s, longest pause {pause} ms"


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trace", type=Path, metavar="TRACE", help="of the client")
    parser.add_argument("--skip", type=float, default=2.0, metavar="SECONDS", help="of start-up (default: %(default)s)")
    given = parser.parse_args(arguments)
    try:
        trace = load(given.trace)
        times = opportunities(zip(trace.received_at, trace.received_size, strict=True), given.skip)
    except (TooShortError, TraceError, OSError) as error:
        sys.stderr.write(f"{given.trace}: {error}\n")
        return 1
    sys.stdout.write("".join(f"{ms}\n" for ms in times))
    sys.stderr.write(f"{summary(times)}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
