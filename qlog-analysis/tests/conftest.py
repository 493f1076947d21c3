"""Settings of the test run, and traces on disk that several tests start from."""

from __future__ import annotations

import gc
from pathlib import Path as FilePath

import pytest

import tampering
import tracewriter
from test_zones_unsuitable import without_controller
from traces import FAST, records

# A trace is hundreds of thousands of objects, of which none is garbage while it is made: with the usual thresholds the
# collector goes through all of them again and again, a third of the time of the suite.
gc.set_threshold(50_000, 20, 100)


@pytest.fixture
def good(tmp_path: FilePath) -> str:
    return str(tracewriter.write(tmp_path / "good.sqlog", records(FAST, 4.0)))


@pytest.fixture
def cubic(tmp_path: FilePath) -> str:
    return str(tracewriter.write(tmp_path / "cubic.sqlog", without_controller(records(FAST, 4.0))))


@pytest.fixture
def falsified(tmp_path: FilePath) -> str:
    some = records(FAST, 4.0)
    tampering.skipped_update(some)
    return str(tracewriter.write(tmp_path / "falsified.sqlog", some))
