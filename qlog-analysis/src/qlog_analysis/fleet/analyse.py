"""What is said of one trace: a row per connection, or one with the error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import Enum
from pathlib import Path
from typing import Any

import msgspec

from .. import __version__
from ..check.whole import check
from ..errors import AnalysisError, SeveralConnectionsError, UnsuitableTraceError
from ..explain.explanation import Explanation, Role, explain
from ..explain.limits import Limit
from ..invariants.invariant import Outcome as Held
from ..load import Choice, load
from ..metrics import TraceMetrics
from ..model import Trace
from .fetch import GoneError, local
from .row import LIMITED_BY, Found, Row
from .told_by import peer_of, rowd_source_of

NO_LAW = "NO LAW"
NOT_JUDGED = "NOT JUDGED"
NOT_ENOUGH = "it needs more memory than --memory-limit allows"
LONGEST_TEXT = 500
"""Characters; what a trace says of itself may be as long as the trace."""


class ErrorKind(str, Enum):
    """Why a trace has no figures; the values stand in the table."""

    UNREADABLE = "unreadable"
    MEMORY = "memory limit"
    TIME = "time limit"
    DIED = "worker died"
    FAILED = "program error"
    """A fault of qlog-analysis, not of the trace."""


def failed(found: Found, kind: ErrorKind, why: str, connection: int = 1) -> Row:
    return Row(**_identity(found), connection=connection, error=why, error_kind=kind.value)


class Answer(msgspec.Struct):
    """A row of a trace, as soon as it is there."""

    of: int
    """How many rows the trace has; none if it is gone."""
    row: Row | None = None


def left(found: Found, kind: ErrorKind, why: str, done: int, of: int) -> list[Row]:
    """Rows of the connections after those that are done."""
    return [failed(found, kind, why, number) for number in range(done + 1, of + 1)]


def answers(found: Found) -> Iterator[Answer]:
    """Never raises for what a trace holds."""
    if found.problem is not None:
        yield Answer(1, failed(found, ErrorKind.UNREADABLE, found.problem))
        return
    try:
        with local(found.trace) as path:
            for answer in _of_file(found, path):
                yield Answer(answer.of, answer.row and _plain(answer.row))
    except GoneError:
        yield Answer(0)
    except AnalysisError as e:
        yield Answer(1, _plain(failed(found, ErrorKind.UNREADABLE, _why(e))))


def _of_file(found: Found, path: Path) -> Iterator[Answer]:
    def of(connection: int, name: str | None) -> Row:
        choice = Choice(allow_truncated=True, skip_broken=True, connection=name)
        return _row(found, connection, load(path, choice))

    try:
        yield Answer(1, _guarded(found, 1, lambda: of(1, None), SeveralConnectionsError))
    except SeveralConnectionsError as e:
        for number in range(1, e.count + 1):
            yield Answer(e.count, _guarded(found, number, lambda: of(number, str(number))))  # noqa: B023  called at once


def _guarded(found: Found, connection: int, make: Callable[[], Row], *passing: type[AnalysisError]) -> Row:
    """The row of a connection, whatever goes wrong with it."""
    try:
        return make()
    except passing:
        raise
    except MemoryError:
        return failed(found, ErrorKind.MEMORY, NOT_ENOUGH, connection)
    except AnalysisError as e:
        return failed(found, ErrorKind.UNREADABLE, _why(e), connection)
    except Exception as e:  # one trace must not end the run
        return failed(found, ErrorKind.FAILED, f"{type(e).__name__}: {e}", connection)


def _row(found: Found, connection: int, trace: Trace) -> Row:
    told = explain(trace)
    return Row(
        **_identity(found),
        connection=connection,
        **_described(trace, told),
        **_measured(told),
        **_sent(told.metrics),
        **_judged(trace),
        **_limited(told),
        records_not_used=len(trace.unused),
    )


def _identity(found: Found) -> dict[str, Any]:
    return {
        "trace": found.trace,
        "size_bytes": found.size,
        "modified": found.modified,
        "made_by": __version__,
    }


def _described(trace: Trace, told: Explanation) -> dict[str, Any]:
    # A rule may have replaced the controller that the header names.
    chosen = trace.chosen[-1] if trace.chosen else None
    name, _, options = (chosen.spec if chosen is not None else trace.controller_label).partition(":")
    return {
        "title": trace.title,
        "writer": trace.writer.name,
        "vantage_point": trace.vantage_point,
        "role": told.role.value,
        "controller": name,
        "options": options or "default",
        "rule": None if chosen is None else chosen.rule,
        "server_name": None if chosen is None else chosen.server_name,
        "rowd_source": rowd_source_of(trace),
        "peer": peer_of(trace),
        "began_unix_s": trace.reference,
        "duration_s": trace.end,
    }


def _measured(told: Explanation) -> dict[str, Any]:
    m = told.metrics
    same = (
        *("packets_sent", "bytes_sent", "stream_bytes_acked", "stream_bytes_received", "goodput_bps"),
        *("received_goodput_bps", "packets_lost", "loss_percent", "spurious_losses", "losses_from"),
    )
    delay, over_time = m.queueing_delay_ms, m.queueing_delay_over_time_ms
    return {
        **{name: getattr(m, name) for name in same},
        "rtt_min_ms": m.rtt_ms.min,
        "rtt_p50_ms": m.rtt_ms.p50,
        "rtt_p95_ms": m.rtt_ms.p95,
        "delay_samples": delay.samples,
        "queueing_delay_mean_ms": delay.mean,
        "queueing_delay_p50_ms": delay.p50,
        "queueing_delay_p95_ms": delay.p95,
        "queueing_delay_over_time_mean_ms": over_time.mean,
        "queueing_delay_over_time_p95_ms": over_time.p95,
    }


def _sent(m: TraceMetrics) -> dict[str, Any]:
    """How packets and their ACKs went."""
    reordering, acks, pacing = m.reordering_by_acks, m.acks_received, m.pacing
    limited, rate = m.application_limited, m.delivery_rate_bps
    return {
        "delivery_rate_p50_bps": rate.p50,
        "delivery_rate_max_bps": rate.max,
        "relative_one_way_delay_p95_ms": m.relative_one_way_delay_ms.p95,
        "relative_one_way_delay_from": m.relative_one_way_delay_from,
        "reordered_percent": None if reordering is None else reordering.reordered_percent,
        "packets_per_ack_mean": None if acks is None else acks.packets_per_ack.mean,
        "ack_gap_p95_ms": None if acks is None else acks.gap_ms.p95,
        "acks_batched_percent": m.acks_batched_percent,
        "application_limited_spells": None if limited is None else limited.spells,
        "application_limited_s": None if limited is None else limited.total_s,
        "bytes_in_bursts_percent": None if pacing is None else pacing.bytes_in_bursts_percent,
    }


def _judged(trace: Trace) -> dict[str, Any]:
    """What `check` says. It judges no trace of which a part is missing."""
    if trace.unused:
        return {"verdict": NOT_JUDGED, "verdict_why": f"a part of the trace is missing: {trace.unused[0]}"}
    try:
        checked = check(trace)
    except UnsuitableTraceError as e:
        return {"verdict": NOT_JUDGED, "verdict_why": _why(e)}
    law = checked.law
    return {
        "verdict": NO_LAW if checked.outcome is None else checked.outcome.value,
        "verdict_why": None if checked.without_law is None else _why(checked.without_law),
        "law": None if law is None else law.outcome.value,
        "updates_judged": None if law is None else law.judged,
        "invariants_failed": sum(j.outcome is Held.FAIL for j in checked.invariants),
        "disagreements": sorted(set(checked.disagreements)),
    }


def _limited(told: Explanation) -> dict[str, Any]:
    """Of a sender; the trace of a receiver does not tell what limited the other side."""
    if told.role is not Role.SENDER or not told.limited:
        return {}
    shares = {LIMITED_BY[limit]: told.limited.get(limit, 0.0) for limit in Limit}
    return {**shares, "limited_by": max(told.limited, key=lambda limit: told.limited[limit]).value}


def _plain(row: Row) -> Row:
    """Texts that every reader of a table takes: no longer than useful, no control characters, no half characters."""
    for name in row.__struct_fields__:
        value = getattr(row, name)
        if isinstance(value, str) and name not in ("trace", "modified"):
            cut = value[:LONGEST_TEXT].encode(errors="replace").decode()
            setattr(row, name, "".join(c if c.isprintable() else "?" for c in cut))
    return row


def _why(error: AnalysisError) -> str:
    """Without the path: it stands in a column, and may be that of a copy."""
    where = getattr(error, "where", "")
    what = getattr(error, "what", str(error))
    return f"{where}: {what}" if where else what
