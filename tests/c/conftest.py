"""libquiche as somebody else has it: installed into a prefix, found with CMake, linked against."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "interop" / "testbed"))

from testbed import Program  # noqa: E402

READY_TIMEOUT = 60.0
END_TIMEOUT = 90.0
RUN_TIMEOUT = 240.0


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "timed: measures real time, so nothing runs beside it (cmake/LibraryTests.cmake)"
    )


def run(*command: object, env: Mapping[str, str] | None = None) -> str:
    """What the command prints; fails with all of it if the command does."""
    words = [str(word) for word in command]
    result = subprocess.run(
        words, env=os.environ | dict(env or {}), capture_output=True, text=True, timeout=RUN_TIMEOUT, check=False
    )
    assert result.returncode == 0, f"{' '.join(words)}: {result.returncode}\n{result.stdout}\n{result.stderr}"
    return result.stdout


@pytest.fixture(scope="session")
def prefix(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the library was installed, and then moved to: it must not know where it lies."""
    first = tmp_path_factory.mktemp("install") / "first"
    run("cmake", "--install", BUILD, "--prefix", first)
    return first.rename(first.with_name("second place"))


def build_outside(prefix: Path, folder: Path, *options: str) -> Path:
    """The outside project, built against what is installed in `prefix`."""
    examples = prefix / "share" / "doc" / "quiche-cc"
    named = (f"-DAIMD={examples / 'aimd.c'}", f"-DENCODER={examples / 'encoder.c'}")
    run("cmake", "-S", Path(__file__).parent, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}", *named, *options)
    run("cmake", "--build", folder)
    return folder


@pytest.fixture(scope="session")
def outside(prefix: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_outside(prefix, tmp_path_factory.mktemp("outside"))


@pytest.fixture(scope="session")
def upstream() -> Path:
    """The published release without our patches, built by tests/c/upstream/build.py."""
    folder = BUILD / "upstream"
    if not (folder / "lib" / "libquiche.so.0").exists():
        pytest.fail(f"{folder} has no libquiche; `cmake --build build --target test-programs` makes it")
    return folder


@dataclass(frozen=True)
class Transfer:
    """What client, server and link said."""

    client: str
    queueing_ms: float
    stats: dict[str, Any] | None
    estimate: dict[str, Any] | None


@pytest.fixture
def transfer(outside: Path, tmp_path: Path) -> Callable[..., Transfer]:
    """Downloads with `client` from `server`, both of `programs`, through a bottleneck."""

    def go(
        cc: str,
        size: int,
        rate: str = "8Mbps",
        programs: Path = outside,
        under: tuple[str, ...] = (),
        server_program: str = "server",
        env: Mapping[str, str] | None = None,
    ) -> Transfer:
        examples = BUILD / "quiche" / "examples"
        # Program starts what inherits this environment.
        prefix: list[str] = [*under] if env is None else ["env", *(f"{k}={v}" for k, v in env.items()), *under]
        serve: list[str | Path] = [
            *prefix,
            programs / server_program,
            cc,
            examples / "cert.crt",
            examples / "cert.key",
            "1",
        ]
        shape = ["--rate", rate, "--delay", "20ms", "--buffer", "400ms"]
        with Program(serve, tmp_path / "server.log") as server:
            port = server.next(READY_TIMEOUT)["port"]
            relay: list[str | Path] = [
                BUILD / "bin" / "cc-link",
                "--quiet",
                "--listen",
                "127.0.0.1:0",
                "--to",
                f"127.0.0.1:{port}",
            ]
            with Program([*relay, *shape], tmp_path / "link.log") as link:
                entrance = link.next(READY_TIMEOUT)["listen"].rsplit(":", 1)[1]
                said = run(*prefix, programs / "client", cc, entrance, size)
                ended = server.process.wait(END_TIMEOUT)
                watches = server_program == "server-watch"
                watched = server.next(READY_TIMEOUT) if watches else {}
                told = server.next(READY_TIMEOUT) if watches else {}
                down = link.stop()["down"]
        logs = (tmp_path / "server.log").read_text()
        assert ended == 0, f"server: {ended}\n{logs}"
        return Transfer(said, float(down["queue_delay_ms"]["mean"]), watched.get("stats"), told.get("estimate"))

    return go
