"""Real programs over real sockets."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(REPOSITORY / "interop" / "testbed"))

from testbed import Testbed  # noqa: E402


@pytest.fixture(scope="session")
def programs() -> Path:
    folder = Path(os.environ.get("QUICHE_CC_BIN_DIR", REPOSITORY / "build" / "bin"))
    missing = [name for name in ("cc-server", "cc-client", "cc-link", "qlog-analysis") if not (folder / name).exists()]
    if missing:
        pytest.fail(f"{folder} lacks {', '.join(missing)}; `cmake --build build` makes them")
    return folder


@pytest.fixture(scope="session")
def testbed(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path | None], Testbed]:
    def make(root: Path | None = None) -> Testbed:
        return Testbed(programs, tmp_path_factory.mktemp("testbed"), root)

    return make
