"""A trace together with the record of its run."""

from __future__ import annotations

import re
from dataclasses import dataclass
from difflib import get_close_matches

import numpy as np

from ..arrays import Floats
from ..invariants.seen import Seen
from ..model import NEVER, Trace
from .errors import RecordError
from .match import TRUNCATED, Match, match
from .record_file import RunRecord, Ways

LATE = 0.05
"""s: where the clock is the machine's, a packet may wait so long between sender and network: for the socket, the kernel
and the relay's turn."""
AT_LEAST = 0.5
"""Share of the trace's packets that a flow must have where trace and record do not both name the run. A lie about fewer
is found; of more it cannot be told then whether it is a lie or another run."""

_RUN = re.compile(r", run ([0-9a-f-]+)$")


@dataclass(frozen=True, slots=True)
class Joined:
    seen: Seen
    record: RunRecord
    flow: str
    offset: float
    """The trace's time 0 in the record, s."""
    late: float
    """How long after its time a packet may come to the network, s."""
    until: float
    """s, up to where both tell of the same path."""
    data: Ways
    """What the trace's endpoint sent."""
    acks: Ways
    """What the other one did."""
    match: Match

    @property
    def trace(self) -> Trace:
        return self.seen.trace

    def sent(self) -> Floats:
        """When each datagram of the endpoint came to its first link, s of the trace."""
        return np.asarray(self.data.sent * 1e-9 - self.offset, dtype=np.float64)

    def delivered(self) -> Floats:
        """When each left the last one; NaN if it did not."""
        return _delivered(self.data, self.offset)

    def acks_delivered(self) -> Floats:
        return _delivered(self.acks, self.offset)


def _delivered(ways: Ways, offset: float) -> Floats:
    return np.where(ways.delivered >= 0, ways.delivered * 1e-9 - offset, np.nan)


def join(seen: Seen, record: RunRecord) -> Joined:
    """Raises RecordError where the record is one of another run, or nothing can be matched."""
    trace = seen.trace
    at_least = 0.0 if _same_run(trace, record) else AT_LEAST
    if not trace.sizes_known:
        raise RecordError(f"packets cannot be found in {record.path}: the trace does not give the size of every packet")
    if not len(trace.sent):
        raise RecordError(f"packets cannot be found in {record.path}: the trace has none")
    flows = record.flows(_sides(trace)[0])
    near = get_close_matches(trace.path.name, flows, 1, 0.3)
    best, best_share = None, -1.0
    for flow in sorted(flows, key=lambda f: (f not in trace.path.name, f not in near)):
        joined = _with_flow(seen, record, flow)
        if joined is None:
            continue
        share = joined.match.found / len(trace.sent)
        if share > best_share:
            best, best_share = joined, share
        if share == 1.0:
            break
    if best is None or best_share < at_least:
        raise RecordError(_other_run(record, flows, best, best_share))
    return best


def _same_run(trace: Trace, record: RunRecord) -> bool:
    """Whether both say that they are of one run; false where one of them does not say. Raises RecordError if they are
    not."""
    said = _RUN.search(trace.header.trace.description or "")
    if said is not None and record.run is not None and said[1] != record.run:
        raise RecordError(f"{record.path} is the record of another run: of {record.run}, and the trace is of {said[1]}")
    return said is not None and record.run is not None


def _other_run(record: RunRecord, flows: list[str], best: Joined | None, share: float) -> str:
    of = f"at best {share:.0%}, of {best.flow}" if best is not None else "none"
    return (
        f"{record.path} is not the record of this trace: at least {AT_LEAST:.0%} of the packets sent must be in one of "
        f"its flows ({', '.join(flows[:5]) or 'there are none'}{', ...' if len(flows) > 5 else ''}), and there is {of}"
    )


def _with_flow(seen: Seen, record: RunRecord, flow: str) -> Joined | None:
    trace = seen.trace
    data, acks = (record.ways(flow, to) for to in _sides(trace))
    if not len(data):
        return None
    late = TRUNCATED if record.virtual else LATE
    end = trace.end
    if not record.virtual and seen.until != NEVER:
        # A client's new address is another flow to a relay.
        end = min((s.time for s in trace.signals if s.record >= seen.until), default=end)
    offset = _offset(trace, record, flow, data)
    if not record.virtual:
        # What is sent at the end of the record may come after it.
        end = min(end, record.duration - offset - late)
    matched = match(trace, data, offset, late, end)
    if not record.virtual and matched.found:
        # No packet comes to the network before it is sent: the one that took least time sets the clock.
        found = np.flatnonzero(matched.row >= 0)
        came = data.sent[matched.row[found]] * 1e-9
        offset = float((came - np.array(trace.sent.time)[found]).min())
    return Joined(seen, record, flow, offset, late, end, data, acks, matched)


def _sides(trace: Trace) -> tuple[str, str]:
    """Where what is sent and what is received goes."""
    return ("server", "client") if trace.vantage_point == "client" else ("client", "server")


def _offset(trace: Trace, record: RunRecord, flow: str, data: Ways) -> float:
    """A simulation says when the flow began, which is when its trace does. Otherwise the first packets are each
    other's."""
    start = record.start_of(flow) if record.virtual else None
    return start * 1e-9 if start is not None else float(data.sent[0]) * 1e-9 - trace.sent.time[0]
