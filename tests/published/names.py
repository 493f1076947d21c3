"""What other directories of the repository are called, in one place."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TESTS = ROOT / "tests"

TIMESTAMPS = TESTS / "receive_timestamps"
"""What receive timestamps are worth, live video and groups of flows."""
RFC9743 = TESTS / "rfc9743"
