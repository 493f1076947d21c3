"""Real programs over real sockets."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "interop" / "testbed"))

from testbed import Bottleneck, Outcome, Testbed  # noqa: E402

NEEDED = ("cc-server", "cc-client", "cc-encoder", "cc-link", "qlog-analysis")
FAST_PATH = Bottleneck(rate="5Mbps", delay="20ms", buffer="200ms")
PAPER_PATH = Bottleneck(rate="1Mbps", delay="50ms", buffer="400ms")
FILE_SIZE = 4_000_000


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "timed: measures real time, so nothing runs beside it (cmake/RealTimeTests.cmake)"
    )


def at_once(*downloads: Callable[[], Outcome]) -> list[Outcome]:
    """Each has a link of its own, and waits for it nearly all the time."""
    with ThreadPoolExecutor(len(downloads)) as pool:
        return [started.result() for started in [pool.submit(download) for download in downloads]]


@pytest.fixture(scope="session")
def programs() -> Path:
    folder = Path(os.environ.get("QUICHE_CC_BIN_DIR", REPOSITORY / "build" / "bin"))
    missing = [name for name in NEEDED if not (folder / name).exists()]
    if missing:
        pytest.fail(f"{folder} lacks {', '.join(missing)}; `cmake --build build` makes them")
    return folder


@pytest.fixture(scope="session")
def testbed(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path | None], Testbed]:
    def make(root: Path | None = None) -> Testbed:
        return Testbed(programs, tmp_path_factory.mktemp("testbed"), root)

    return make


@pytest.fixture(scope="session")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("www") / "file.bin"
    path.write_bytes(random.Random(1).randbytes(FILE_SIZE))
    return path


@pytest.fixture(scope="session")
def downloaded(testbed: Callable[[Path | None], Testbed], file: Path) -> list[Outcome]:
    """The file with hybrid and with cubic, and a download over the paper's path."""
    bed, empty = testbed(file.parent), testbed(None)
    return at_once(
        lambda: bed.download("hybrid", FAST_PATH, f"/{file.name}", timeout=60),
        lambda: bed.download("cubic", FAST_PATH, f"/{file.name}", timeout=60),
        lambda: empty.download("hybrid:paper", PAPER_PATH, "/1500000", timeout=60),
    )


@pytest.fixture(scope="session")
def outcomes(downloaded: list[Outcome]) -> dict[str, Outcome]:
    return {outcome.cc: outcome for outcome in downloaded[:2]}


@pytest.fixture(scope="session")
def paper(downloaded: list[Outcome]) -> Outcome:
    return downloaded[2]
