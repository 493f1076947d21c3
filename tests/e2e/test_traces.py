"""What the analysis makes of the traces of real downloads."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest
from testbed import Outcome

RECORD = b"\x1e"


def analyse(programs: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(part) for part in (programs / "qlog-analysis", *arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


@pytest.mark.parametrize("which", ["default", "paper"])
def test_the_trace_obeys_the_equations(
    which: str, outcomes: dict[str, Outcome], paper: Outcome, programs: Path
) -> None:
    trace = paper.trace if which == "paper" else outcomes["hybrid"].trace
    done = analyse(programs, "zones", trace)
    assert done.returncode == 0, done.stdout + done.stderr


def tamper(trace: Path, target: Path, change: str) -> None:
    """Copies a trace with one epoch in the middle changed."""
    records = trace.read_bytes().split(RECORD)
    epochs = [number for number, record in enumerate(records) if b"cc:hybrid_epoch_updated" in record]
    chosen = next(n for n in epochs[len(epochs) // 2 :] if json.loads(records[n])["data"]["zone"] is not None)
    event = json.loads(records[chosen])
    data = event["data"]
    if change == "zone":
        data["zone"] = 3 if data["zone"] == 1 else 1
    elif change == "delta":
        data["delta"] += 3
    elif change == "rate":
        data["rate_after"] *= 1.02
    records[chosen] = b"" if change == "skipped" else json.dumps(event).encode() + b"\n"
    target.write_bytes(RECORD.join(record for number, record in enumerate(records) if record or number == 0))


@pytest.mark.parametrize("change", ["zone", "delta", "rate", "skipped"])
def test_a_tampered_trace_is_found_out(
    change: str, outcomes: dict[str, Outcome], programs: Path, tmp_path: Path
) -> None:
    target = tmp_path / "tampered.sqlog"
    tamper(outcomes["hybrid"].trace, target, change)
    done = analyse(programs, "zones", target)
    assert done.returncode == 1, done.stdout + done.stderr


def test_a_trace_of_cubic_is_refused_with_a_reason(outcomes: dict[str, Outcome], programs: Path) -> None:
    done = analyse(programs, "zones", outcomes["cubic"].trace)
    assert done.returncode == 2
    assert "hybrid" in done.stderr


def test_the_export_is_what_qvis_reads(outcomes: dict[str, Outcome], programs: Path, tmp_path: Path) -> None:
    target = tmp_path / "qvis.sqlog"
    done = analyse(programs, "to-qvis", outcomes["hybrid"].trace, "--out", target)
    assert done.returncode == 0, done.stderr
    header, *events = [json.loads(record) for record in target.read_bytes().split(RECORD) if record.strip()]
    assert (header["qlog_version"], header["qlog_format"]) == ("0.3", "JSON-SEQ")
    names = {event["name"] for event in events}
    assert {"transport:packet_sent", "transport:packet_received", "recovery:metrics_updated"} <= names
    times = [event["time"] for event in events]
    assert times == sorted(times)
