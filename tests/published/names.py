"""What other rooms of the repository are called, in one place."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"

CLAIMS, CLAIMS_OPTION = "claims", "--claims"
"""The command of cc-lab that checks claims, and its option for their folder."""
TIMESTAMPS = TESTS / "receive_timestamps"
"""What receive timestamps are worth, live video and groups of flows."""
TIMESTAMPS_COMMAND = "worth.py"
RFC9743 = TESTS / "rfc9743"
