"""BoringSSL takes minutes to build, so the programs and every test that contains quiche share one build of it.

cargo builds a crate again for every set of features, also of the crates that only its build script uses, and unites
features over what one command selects. A new dependency anywhere can therefore double the build.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))


def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def cargo_tests() -> dict[str, list[str]]:
    """What CTest passes to `cargo test`, by test, of the tests that are built with quiche's profile."""
    listed = json.loads(output("ctest", "--test-dir", str(BUILD), "--show-only=json-v1"))
    # A test whose program does not exist yet has no command.
    commands = {test["name"]: test["command"] for test in listed["tests"] if "command" in test}
    return {
        name: command[2:]
        for name, command in commands.items()
        if Path(command[0]).name == "cargo" and command[1] == "test" and "--release" in command
    }


def boringssl(edges: str, *selection: str) -> set[str]:
    """boring-sys and all that its build script is made of, with features."""
    # Lines of the form `depth name version features`.
    shape = ("--prefix=depth", "--no-dedupe", "-f", " {p} {f}")
    tree = output("cargo", "tree", "--locked", "-e", edges, *shape, *selection)
    found: set[str] = set()
    top = None
    for line in tree.splitlines():
        depth, _, package = line.partition(" ")
        if not depth.isdigit():
            continue
        if top is not None and int(depth) <= top:
            top = None
        if package.startswith("boring-sys "):
            top = int(depth)
        if top is not None:
            found.add(package)
    return found


def test_the_programs_contain_boringssl() -> None:
    assert any(package.startswith("bindgen ") for package in boringssl("normal,build"))


@pytest.mark.parametrize("name", ["plugin", "endpoint", "http3", "capi", "quiche"])
def test_a_test_shares_the_boringssl_of_the_programs(name: str) -> None:
    selection = [word for word in cargo_tests()[name] if word not in ("--locked", "--release", "--lib")]
    programs, test = boringssl("normal,build"), boringssl("normal,build,dev", *selection)
    assert test == programs, (
        f"the test `{name}` builds BoringSSL again; it asks for\n  "
        + "\n  ".join(sorted(test - programs))
        + "\nwhere the programs ask for\n  "
        + "\n  ".join(sorted(programs - test))
        + "\nAsk for the union in [build-dependencies] of cc/Cargo.toml."
    )
