"""What a user does: a file through a slow path with `hybrid`, checked from its trace."""

from __future__ import annotations

import hashlib
import json
import random
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from testbed import Bottleneck, Outcome, Testbed

MakeTestbed = Callable[[Path | None], Testbed]

FAST_PATH = Bottleneck(rate="5Mbps", delay="20ms", buffer="200ms")
PAPER_PATH = Bottleneck(rate="1Mbps", delay="50ms", buffer="400ms")
FILE_SIZE = 4_000_000
RECORD = b"\x1e"


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("www") / "file.bin"
    path.write_bytes(random.Random(1).randbytes(FILE_SIZE))
    return path


@pytest.fixture(scope="module")
def outcomes(testbed: MakeTestbed, file: Path) -> dict[str, Outcome]:
    bed = testbed(file.parent)
    return {cc: bed.download(cc, FAST_PATH, f"/{file.name}", timeout=60) for cc in ("hybrid", "cubic")}


@pytest.fixture(scope="module")
def paper(testbed: MakeTestbed) -> Outcome:
    return testbed(None).download("hybrid:paper", PAPER_PATH, "/1500000", timeout=60)


def analyse(programs: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [str(part) for part in (programs / "qlog-analysis", *arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_the_file_arrives_unharmed(outcomes: dict[str, Outcome], file: Path) -> None:
    expected = hashlib.sha256(file.read_bytes()).hexdigest()
    for cc, outcome in outcomes.items():
        assert [download["sha256"] for download in outcome.downloads] == [expected], cc
        saved = Path(outcome.downloads[0]["file"])
        assert hashlib.sha256(saved.read_bytes()).hexdigest() == expected, cc


def test_hybrid_queues_less_than_cubic_and_loses_nothing(outcomes: dict[str, Outcome]) -> None:
    hybrid, cubic = outcomes["hybrid"], outcomes["cubic"]
    assert hybrid.loss == 0
    assert hybrid.queueing["p95"] < cubic.queueing["p95"] / 2
    assert hybrid.queueing["mean"] < cubic.queueing["mean"] / 2
    assert hybrid.goodput > 0.7 * cubic.goodput


def test_the_papers_path_keeps_the_papers_delay(paper: Outcome) -> None:
    # H1: about d2 = 24 ms, no loss, 0.8 to 1 Mbit/s.
    assert paper.loss == 0
    assert paper.queueing["p95"] < 30
    assert paper.goodput > 0.8e6


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
