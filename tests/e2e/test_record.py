"""The traces of both ends, held against what the bottleneck between them recorded of every packet."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import duckdb
import pytest
from test_traces import RECORD, analyse
from testbed import Outcome

Event = dict[str, Any]
CONTROLLERS = ("hybrid", "cubic")
BY_RECORD = ("arrivals", "deliveries", "spacing", "codepoints", "true queue")


def judged(programs: Path, trace: Path, record: Path) -> dict[str, str]:
    """The verdict by invariant, of those that need the record: others would judge a machine that is busy."""
    done = analyse(programs, "check", trace, "--record", record, "--json", "-")
    verdicts = {row["name"]: row["verdict"] for row in json.loads(done.stdout)["invariants"]}
    assert done.returncode == 1 or "fail" not in verdicts.values(), done.stderr
    return {name: verdicts[name] for name in BY_RECORD}


def broken(programs: Path, trace: Path, record: Path) -> set[str]:
    return {name for name, verdict in judged(programs, trace, record).items() if verdict == "fail"}


@pytest.mark.parametrize("cc", CONTROLLERS)
@pytest.mark.parametrize("end", ["server", "client"])
def test_the_network_confirms_what_both_ends_trace(
    end: str, cc: str, outcomes: dict[str, Outcome], programs: Path
) -> None:
    outcome = outcomes[cc]
    trace = outcome.trace if end == "server" else outcome.client_trace
    of_hybrid = ["true queue"] if end == "server" and cc == "hybrid" else []
    passed = {"arrivals", "deliveries", "codepoints", *of_hybrid}
    expected = {name: "pass" if name in passed else "not judged" for name in BY_RECORD}
    assert judged(programs, trace, outcome.record) == expected


def test_the_record_of_another_download_confirms_nothing(outcomes: dict[str, Outcome], programs: Path) -> None:
    """It is refused, or the trace is taken for a lie: two downloads have many sizes and times in common."""
    trace, other = outcomes["hybrid"].trace, outcomes["cubic"].record
    done = analyse(programs, "check", trace, "--record", other)
    if done.returncode == 2:
        assert "is not the record of this trace" in done.stderr
    else:
        assert broken(programs, trace, other)


def falsified(trace: Path, target: Path, change: Callable[[Iterator[Event]], None]) -> Path:
    """A copy whose events were changed."""
    first, header, *records = trace.read_bytes().split(RECORD)
    events = [json.loads(record) for record in records]
    change(iter(events))
    texts = [json.dumps(event).encode() + b"\n" for event in events]
    target.write_bytes(RECORD.join([first, header, *texts]))
    return target


def told_smaller(events: Iterator[Event]) -> None:
    sent = (event for event in events if event["name"] == "quic:packet_sent")
    full = [event["data"]["raw"] for event in sent if event["data"]["raw"]["length"] > 1000]
    full[len(full) // 2]["length"] -= 200


def longer_queue(events: Iterator[Event]) -> None:
    """By 15 ms."""
    for event in events:
        if event["name"] == "cc:hybrid_epoch_updated" and event["data"]["delta"] is not None:
            event["data"]["delta"] += 15.0


@pytest.mark.parametrize(
    ("invariant", "cc", "change"),
    [
        ("arrivals", "hybrid", told_smaller),
        ("arrivals", "cubic", told_smaller),
        ("true queue", "hybrid", longer_queue),
    ],
)
def test_a_trace_that_lies_about_the_network_is_found_out(
    invariant: str,
    cc: str,
    change: Callable[[Iterator[Event]], None],
    outcomes: dict[str, Outcome],
    programs: Path,
    tmp_path: Path,
) -> None:
    outcome = outcomes[cc]
    lie = falsified(outcome.trace, tmp_path / outcome.trace.name, change)
    assert invariant in broken(programs, lie, outcome.record)


def rewritten(record: Path, target: Path, columns: str) -> Path:
    """A copy with these columns, and the same keys."""
    database: Any = duckdb.connect()
    keys = database.execute("SELECT decode(key), decode(value) FROM parquet_kv_metadata(?)", [str(record)]).fetchall()
    told = ", ".join(f"'{key}': '{value}'" for key, value in keys)
    rows = f"SELECT * REPLACE ({columns}) FROM read_parquet('{record}')"
    database.execute(f"COPY ({rows}) TO '{target}' (FORMAT parquet, KV_METADATA {{{told}}})")
    return target


@pytest.mark.parametrize(
    ("invariant", "cc", "columns"),
    [
        ("deliveries", "cubic", "CASE WHEN packet % 50 = 7 THEN 'wire' ELSE fate END AS fate"),
        ("codepoints", "hybrid", "3::INTEGER AS ecn_in"),
        (
            "true queue",
            "hybrid",
            "CASE WHEN \"to\" = 'client' THEN 2 * left_ns - arrived_ns ELSE left_ns END AS left_ns",
        ),
    ],
)
def test_a_network_that_did_something_else_is_found_out(
    invariant: str, cc: str, columns: str, outcomes: dict[str, Outcome], programs: Path, tmp_path: Path
) -> None:
    outcome = outcomes[cc]
    other = rewritten(outcome.record, tmp_path / "record.parquet", columns)
    assert invariant in broken(programs, outcome.trace, other)
