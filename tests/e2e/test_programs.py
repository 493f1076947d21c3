"""How the programs answer to bad input."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest


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
