"""Which packet of the trace is which datagram of the record.

A sender's datagrams reach the network in the order in which they were sent, so both lists are gone through side by
side. Two belong together if their times agree; several packets of the handshake may share a datagram. A datagram that
only one list has stays alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from ..arrays import Floats, Ints
from ..model import Space, Trace
from .record_file import Ways

TRUNCATED = 1.5e-6
"""s: times of a trace are truncated to 1 us, those of a record are not; half of it for the arithmetic."""
MOST_TOGETHER = 4
"""Packets of one datagram: one per packet number space, and one more for senders that repeat one."""
PADDED = 1200
"""Bytes: what datagrams with an Initial packet are padded to, behind their packets (RFC 9000 section 14.1)."""


@dataclass(slots=True)
class Match:
    """Of the trace's sent packets and the datagrams of one flow."""

    row: Ints
    """For each packet sent its datagram, -1 if there is none."""
    resized: list[tuple[int, int]] = field(default_factory=list)
    """Packets whose datagram has another size, and these."""
    missing: list[int] = field(default_factory=list)
    """Packets without a datagram."""
    unnamed: list[int] = field(default_factory=list)
    """Datagrams without a packet."""

    @property
    def found(self) -> int:
        return int(np.count_nonzero(self.row >= 0)) - len(self.resized)


def match(trace: Trace, ways: Ways, offset: float, slack: float, end: float) -> Match:
    """`offset` is the trace's time 0 in the record, s; a datagram comes up to `slack` before or after its packet. Those
    before the trace and after its `end` are left out."""
    time, size = np.array(trace.sent.time, dtype=np.float64), np.array(trace.sent.size, dtype=np.int64)
    came = np.asarray(ways.sent * 1e-9 - offset, dtype=np.float64)
    inside = np.flatnonzero((came >= -slack) & (came <= end + slack)).astype(np.int64)
    out = Match(np.full(len(time), -1, dtype=np.int64))
    i, k = _one_by_one(out, trace, ways, (time, size, came, inside), slack)
    out.missing += range(i, len(time))
    # What came at the end of the trace may have been sent after it.
    out.unnamed += [row for row in inside[k:].tolist() if came[row] < end - slack]
    return out


def _one_by_one(
    out: Match, trace: Trace, ways: Ways, columns: tuple[Floats, Ints, Floats, Ints], slack: float
) -> tuple[int, int]:
    """How far both lists were gone through."""
    time, size, came, inside = columns
    times, sizes, space = time.tolist(), size.tolist(), trace.sent.space
    i = k = 0
    rows = list(zip(inside.tolist(), came[inside].tolist(), ways.payload[inside].tolist(), strict=True))
    while i < len(times) and k < len(rows):
        row, at, payload = rows[k]
        if times[i] < at - slack:
            out.missing.append(i)
            i += 1
        elif times[i] > at + slack:
            out.unnamed.append(row)
            k += 1
        else:
            count, fits = 1, sizes[i] == payload
            if space[i] != Space.APPLICATION:
                count, fits = _together(times, sizes, space, i, payload)
            out.row[i : i + count] = row
            if not fits:
                out.resized.append((i, row))
            i, k = i + count, k + 1
    return i, k


def _together(times: list[float], sizes: list[int], space: bytearray, first: int, payload: int) -> tuple[int, bool]:
    """How many packets from the first on make up the datagram, and whether their sizes are its. All but the last have
    long headers, which say where a packet ends."""
    total, count = 0, 0
    for i in range(first, min(first + MOST_TOGETHER, len(sizes))):
        if total + sizes[i] > payload or times[i] - times[first] > TRUNCATED:
            break
        total, count = total + sizes[i], count + 1
        if total == payload or space[i] == Space.APPLICATION:
            break
    padded = payload == PADDED and Space.INITIAL in space[first : first + count]
    return max(count, 1), total == payload or (padded and total < payload)
