"""BoringSSL takes minutes to build, so the programs and every test that contains quiche share one build of it; and the
tests of the packages with quiche share all that the programs are made of.

cargo builds a crate again for every set of features, also of the crates that only its build script uses, and unites
features over what one command selects. A new dependency anywhere can therefore double the build.
"""

from __future__ import annotations

import json
import os
import subprocess
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))


@cache
def output(*command: str) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def selection(name: str) -> list[str]:
    """The packages and features that `cargo test` compiles for a test of CTest, in quiche's profile."""
    listed = json.loads(output("ctest", "--test-dir", str(BUILD), "--show-only=json-v1"))
    command: list[str] = next(test["command"] for test in listed["tests"] if test["name"] == name)
    given = [word.removeprefix("-DSELECTION=").split() for word in command if word.startswith("-DSELECTION=")]
    words = given[0] if given else command[2:]
    assert "--release" in words, f"{name} has another profile"
    return [word for word in words if word not in ("--locked", "--release", "--lib")]


def crates(edges: str, *selected: str) -> set[str]:
    """All packages, with features; one that is built with two sets of features is there twice."""
    shape = ("--prefix=none", "--no-dedupe", "-f", "{p} {f}")
    return set(output("cargo", "tree", "--locked", "-e", edges, *shape, *selected).splitlines())


def boringssl(edges: str, *selected: str) -> set[str]:
    """boring-sys and all that its build script is made of, with features."""
    # Lines of the form `depth name version features`.
    shape = ("--prefix=depth", "--no-dedupe", "-f", " {p} {f}")
    tree = output("cargo", "tree", "--locked", "-e", edges, *shape, *selected)
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
    programs, test = boringssl("normal,build"), boringssl("normal,build,dev", *selection(name))
    assert test == programs, (
        f"the test `{name}` builds BoringSSL again; it asks for\n  "
        + "\n  ".join(sorted(test - programs))
        + "\nwhere the programs ask for\n  "
        + "\n  ".join(sorted(programs - test))
        + "\nAsk for the union in [build-dependencies] of cc/Cargo.toml."
    )


@pytest.mark.parametrize("name", ["plugin", "endpoint", "capi", "lab", "lab-units", "link"])
def test_a_test_shares_every_crate_of_the_programs(name: str) -> None:
    again = crates("normal,build") - crates("normal,build,dev", *selection(name))
    assert not again, (
        f"the test `{name}` builds these again, with other features:\n  "
        + "\n  ".join(sorted(again))
        + "\nAsk for the union of them where the programs ask for these crates."
    )
