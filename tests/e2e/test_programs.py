"""How the programs answer to bad input."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize("program", ["cc-server", "cc-client"])
@pytest.mark.parametrize(
    ("spec", "parts"),
    [
        ("hybird", ["hybird", "hybrid, smallq, vegas, rrr, raimd, reno, cubic"]),
        ("hybrid:target_delay=10", ["target_delay=10", "unit"]),
        ("hybrid:paper,d9=1ms", ["d9", "d0, d1, d2, d3"]),
        ("hybrid:paper,d1=30ms,d2=24ms", ["d0 < d1 < d2 < d3"]),
        ("cubic:fast", ["takes no options"]),
    ],
)
def test_a_bad_controller_is_refused_with_what_is_allowed(
    program: str, spec: str, parts: list[str], programs: Path
) -> None:
    done = subprocess.run(
        [programs / program, "--cc", spec, *(["https://localhost:1/"] if program == "cc-client" else [])],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode == 2
    for part in parts:
        assert part in " ".join(done.stderr.split()), done.stderr


def test_a_link_refuses_addresses_beyond_loopback(programs: Path) -> None:
    done = subprocess.run(
        [programs / "cc-link", "--listen", "127.0.0.1:0", "--to", "192.0.2.1:443"],
        capture_output=True,
        text=True,
        timeout=20,
        check=False,
    )
    assert done.returncode != 0
    assert "loopback" in done.stderr


def test_an_encoder_without_a_place_for_its_traces_is_not_ready(programs: Path, tmp_path: Path) -> None:
    certificate = tmp_path / "server.pem"
    film = REPOSITORY / "interop" / "encoder" / "frames" / "ladder.txt"
    serve: list[str | Path] = [programs / "cc-encoder", "serve", "--frames", film, "--listen", "127.0.0.1:0"]
    traces: list[str | Path] = ["--qlog", "/proc/no", "--save-cert", certificate]
    done = subprocess.run([*serve, *traces], capture_output=True, text=True, timeout=20, check=False)
    assert done.returncode == 1
    assert "/proc/no" in done.stderr
    assert done.stdout == ""
    assert not certificate.exists()


def demonstrate(build: Path, out: Path) -> subprocess.CompletedProcess[str]:
    command: list[str | Path] = [
        sys.executable,
        REPOSITORY / "interop" / "demo" / "run.py",
        "--build-dir",
        build,
        "--out",
        out,
    ]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


def test_the_demonstration_empties_nobody_elses_folder(programs: Path, tmp_path: Path) -> None:
    mine, build = tmp_path / "mine", tmp_path / "build"
    mine.touch()
    build.mkdir()
    (build / "bin").symlink_to(programs)
    done = demonstrate(build, tmp_path)
    assert done.returncode == 2
    assert "demo.json" in done.stderr
    assert mine.exists()


def test_the_demonstration_empties_nothing_before_it_has_its_programs(tmp_path: Path) -> None:
    earlier = tmp_path / "demo.json"
    earlier.touch()
    done = demonstrate(tmp_path / "no build", tmp_path)
    assert done.returncode == 2
    assert "cc-server" in done.stderr
    assert earlier.exists()
