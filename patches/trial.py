"""The series on another release: which patch applies, which does not, and in which file.

Only texts are merged, as `git rebase` would; that the result compiles and passes quiche's tests is another matter.
"""

from __future__ import annotations

import re
import subprocess
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from common import SeriesError, Tree, git, run_git, write_tree
from patchfile import Patch
from upstream import Upstream, cached_crates, cargo_program, fetch, throw_away_package, unpack
from worktree import BASE, BRANCH, IDENTITY, base_message, checkout, commit


@dataclass(frozen=True)
class Outcome:
    """What became of one patch. `conflicts` counts places by file."""

    conflicts: dict[str, int] = field(default_factory=dict)
    empty: bool = False
    left_out: bool = False

    def __str__(self) -> str:
        if self.empty:
            return "empty     "
        return "CONFLICT  " if self.conflicts else "applies   "


def newest(name: str, repository: Path) -> str:
    """The newest release that the registry has, as cargo resolves it."""
    with tempfile.TemporaryDirectory(prefix="quiche-cc-newest-") as folder:
        manifest = throw_away_package(Path(folder), name, "*")
        command = [cargo_program(), "generate-lockfile", "--manifest-path", str(manifest)]
        try:
            status = subprocess.run(command, cwd=repository, check=False).returncode
        except FileNotFoundError:
            raise SeriesError(f"`{command[0]}` was not found; install Rust (https://rustup.rs)") from None
        lock = manifest.with_name("Cargo.lock")
        text = lock.read_text() if lock.exists() else ""
    found = re.search(rf'^name = "{name}"\nversion = "(.+)"$', text, re.MULTILINE)
    if status != 0 or found is None:
        raise SeriesError(f"cargo could not say what the newest release of {name} is (its message is above)")
    return found.group(1)


def released(pin: Upstream, version: str, repository: Path) -> Tree:
    """The files of a release that nobody has pinned yet; cargo checks its sum against the index."""
    other = Upstream(pin.name, version, "")
    if not cached_crates(other):
        fetch(other, repository)
    found = cached_crates(other)
    if not found:
        raise SeriesError(f"cargo fetched {pin.name} {version}, but no {other.crate} is in its cache")
    return unpack(other, found[-1].read_bytes())


def rebase(
    where: Path, pin: Upstream, tree: Tree, patches: Mapping[str, Patch], onto: Upstream, new_tree: Tree
) -> dict[str, Outcome]:
    """Every patch in turn on the other release. What conflicts is counted once and then decided for the patch, so that
    those after it are judged by what they do themselves."""
    checkout(where, pin, tree, dict(patches))
    commits = git(where, "rev-list", "--reverse", f"{BASE}..{BRANCH}").split()
    git(where, "checkout", "--quiet", "--detach", BASE)
    git(where, "rm", "-r", "--quiet", ".")
    write_tree(where, new_tree)
    commit(where, base_message(onto))
    return {name: pick(where, one) for name, one in zip(patches, commits, strict=True)}


def pick(where: Path, one: str) -> Outcome:
    if run_git(where, "cherry-pick", one, env=IDENTITY).returncode == 0:
        return Outcome()
    conflicts = unmerged(where)
    if not conflicts:
        git(where, "cherry-pick", "--skip", env=IDENTITY)
        return Outcome(empty=True)
    git(where, "cherry-pick", "--abort")
    again = run_git(where, "cherry-pick", "--strategy-option=theirs", "--allow-empty", one, env=IDENTITY)
    if again.returncode != 0:
        git(where, "cherry-pick", "--abort")
    return Outcome(conflicts, left_out=again.returncode != 0)


def unmerged(where: Path) -> dict[str, int]:
    """Files in conflict, each with its number of places; 0 where one side has deleted it."""
    names = git(where, "diff", "--name-only", "--diff-filter=U").splitlines()
    texts = {name: (where / name).read_bytes() if (where / name).is_file() else b"" for name in sorted(set(names))}
    return {name: len(re.findall(rb"^<{7} ", text, re.MULTILINE)) for name, text in texts.items()}


def report(outcomes: Mapping[str, Outcome]) -> str:
    lines = []
    for name, outcome in outcomes.items():
        lines.append(f"{outcome}{name}")
        lines += [f"            {file}: {describe(places)}" for file, places in outcome.conflicts.items()]
        if outcome.left_out:
            lines.append("            left out: what follows may conflict because of that")
    conflicting = [outcome for outcome in outcomes.values() if outcome.conflicts]
    empty = sum(outcome.empty for outcome in outcomes.values())
    places = sum(sum(outcome.conflicts.values()) for outcome in conflicting)
    files = {file for outcome in conflicting for file in outcome.conflicts}
    applying = len(outcomes) - len(conflicting) - empty
    return "\n".join(
        [
            *lines,
            f"{applying} patches apply as they are, {empty} have become empty (the release has them), "
            f"{len(conflicting)} conflict in {places} places of {len(files)} files",
        ]
    )


def describe(places: int) -> str:
    return "deleted or moved" if places == 0 else "1 place" if places == 1 else f"{places} places"
