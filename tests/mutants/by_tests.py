"""How many mutants of the code the tests find that need no quiche: unit tests, whole controllers, the contract.

cargo-mutants makes these mutants by rules: it negates a condition, exchanges an operator, leaves a call out, returns a
constant. .cargo/mutants.toml says what it leaves out.
"""

from __future__ import annotations

import argparse
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence, Set
from pathlib import Path

import msgspec

from .catalogue import ROOT
from .parts import Outcome, Trial, as_json, rows, share
from .tree import Tree

sys.path.insert(0, str(ROOT / "interop" / "testbed"))

import revision

VERSION = "27.1.0"
"""Of cargo-mutants: another one makes other mutants."""
FIRST_TESTS = ("-C=--lib", "-C=--config=profile.dev.package.quiche-cc.opt-level=0")
"""Unit tests, without optimisation: compiling is most of the time."""
SHUFFLED = ("--sharding=round-robin", "--shuffle")
"""All parts have their share, also of what there is when it is interrupted."""
SLOW = ("lemmas", "whatever_comes_back")
"""Unit tests that take as long as all others together. Those below have them."""
ALL_TESTS = ("-C=--tests", "--test-package=quiche-cc", "--test-package=quiche-cc-contract")
"""For what the first ones leave, since these take ten times as long."""
CONFIG = ROOT / ".cargo" / "mutants.toml"
PATIENCE = 60
"""Seconds of tests from which on a mutant is taken for one that never ends; more where they take long without it."""


class CargoError(Exception):
    """cargo-mutants is missing, or could not work."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--shard", default="0/10", help="every Nth mutant from the Kth on, as K/N (%(default)s)")
    parser.add_argument("--least", type=float, default=0.0, help="share that has to be found (%(default)s)")


def run(given: argparse.Namespace) -> int:
    """0: enough of them are found; 1: not. Raises CargoError."""
    tree = Tree(given.build_dir, "tested-tree")
    tree.update()
    cargo = CargoMutants(given.build_dir, tree.root, given.out)
    tested = cargo.outcomes("units", [*FIRST_TESTS, *SHUFFLED, f"--shard={given.shard}"], SLOW)
    keep(given, tested, "unit tests")
    missed = {one.name for one in tested if one.outcome is Outcome.MISSED}
    if missed:
        again = {one.name: one for one in cargo.only(missed, "all", ALL_TESTS)}
        tested = [again.get(one.name, one) for one in tested]
    keep(given, tested, "all tests")
    for one in tested:
        if one.outcome is Outcome.MISSED:
            print(one.name)
    for row in rows(tested):
        print("; ".join(row))
    return int(share(tested) < given.least)


def keep(given: argparse.Namespace, tested: Sequence[Trial], tests: str) -> None:
    text = as_json(tested, given.shard, tests, revision.commit(ROOT))
    (given.out / "tested.json").write_text(text, encoding="utf-8")


class CargoMutants:
    """Calls it in the copy of the tree, in place."""

    def __init__(self, build: Path, tree: Path, out: Path) -> None:
        installed = build / "tools" / "bin" / "cargo-mutants"
        self._program = str(installed) if installed.is_file() else "cargo-mutants"
        self._mutants = (self._program, "mutants", "--package=quiche-cc", "--no-default-features")
        self._tree = tree
        self._out = out
        self._check()

    def _check(self) -> None:
        try:
            asked = subprocess.run([self._program, "mutants", "--version"], capture_output=True, text=True, check=True)
        except (OSError, subprocess.CalledProcessError) as error:
            raise CargoError(f"cargo-mutants cannot be called: `cargo install cargo-mutants@{VERSION}`") from error
        if asked.stdout.split()[-1:] != [VERSION]:
            raise CargoError(f"{asked.stdout.strip()} makes other mutants than {VERSION}")

    def outcomes(self, name: str, words: Sequence[str], skipped: Sequence[str] = ()) -> list[Trial]:
        """What became of each mutant. Its progress is seen on standard error."""
        out = self._out / name
        out.mkdir(parents=True, exist_ok=True)
        words = [
            *("--in-place", "-C=--locked", f"--minimum-test-timeout={PATIENCE}", f"--output={out}"),
            *("--annotations=none", *words, "--", "--", *(f"--skip={test}" for test in skipped)),
        ]
        done = subprocess.run([*self._mutants, *words], cwd=self._tree, stdout=2, check=False)
        # 2: a mutant was missed; 3: one took too long. Everything else is trouble.
        if done.returncode not in (0, 2, 3):
            raise CargoError(f"cargo-mutants ended with code {done.returncode}; its logs are in {out}")
        return read(out / "mutants.out" / "outcomes.json")

    def only(self, names: Set[str], name: str, words: Sequence[str]) -> list[Trial]:
        """The same of these mutants. Its own filter by name passes all that delete a field, so the others are said to
        be caught already."""
        listed = subprocess.run([*self._mutants, "--list"], cwd=self._tree, capture_output=True, text=True, check=True)
        before = self._out / name / "mutants.out"
        shutil.rmtree(self._out / name, ignore_errors=True)
        before.mkdir(parents=True)
        others = (line for line in listed.stdout.splitlines() if line not in names)
        (before / "previously_caught.txt").write_text("\n".join(others) + "\n", encoding="utf-8")
        return self.outcomes(name, [*words, "--iterate"])


def read(file: Path) -> list[Trial]:
    """What cargo-mutants has written, without those that .cargo/mutants.toml leaves out and it does not: its filters
    by name pass all that delete a field."""
    told = msgspec.json.decode(file.read_bytes())
    mutants = [(one["scenario"]["Mutant"], one["summary"]) for one in told["outcomes"] if one["scenario"] != "Baseline"]
    left_out = msgspec.toml.decode(CONFIG.read_bytes())["exclude_re"]
    return [
        Trial(mutant["name"], mutant["file"], Outcome(summary))
        for mutant, summary in mutants
        if not any(re.search(pattern, mutant["name"]) for pattern in left_out)
    ]
