"""The series as a git history: the pristine release, then one commit per patch, and back."""

from __future__ import annotations

import re
from pathlib import Path

from common import SeriesError, Tree, git, run_git, write_tree
from patchfile import Patch, parse_message
from upstream import Upstream

BRANCH = "series"
BASE = "upstream"
OLD_BASE = "upstream-old"

# Fixed, so that two checkouts of one series are the same commits.
IDENTITY = {
    f"GIT_{role}_{field}": value
    for role in ("AUTHOR", "COMMITTER")
    for field, value in (("NAME", "quiche-cc"), ("EMAIL", "quiche-cc@localhost"), ("DATE", "2000-01-01T00:00:00Z"))
}

# Everything that git would otherwise choose by version, configuration or attribute.
DIFF = (
    "diff", "--no-color", "--no-ext-diff", "--no-textconv", "--no-renames", "--unified=3", "--inter-hunk-context=0",
    "--diff-algorithm=histogram", "--indent-heuristic", "--src-prefix=a/", "--dst-prefix=b/",
)  # fmt: skip


def apply_patch(root: Path, name: str, patch: Patch, *options: str) -> None:
    """Apply exactly: `git apply` knows no fuzz, every context line has to be there."""
    strict = ("--whitespace=nowarn", "--no-ignore-whitespace")
    result = run_git(root, "apply", *strict, *options, "-", stdin=patch.diff.encode())
    if result.returncode != 0:
        detail = result.stderr.decode(errors="replace").strip()
        raise SeriesError(f"{name} does not apply:\n{detail}")


def checkout(where: Path, pin: Upstream, tree: Tree, patches: dict[str, Patch]) -> None:
    if where.exists() and (not where.is_dir() or any(where.iterdir())):
        raise SeriesError(f"{where} exists and is not an empty folder; name a new one")
    where.mkdir(parents=True, exist_ok=True)
    git(where, "init", "--quiet", f"--initial-branch={BRANCH}", "--template=")
    write_tree(where, tree)
    commit(where, base_message(pin))
    git(where, "tag", BASE)
    for name, patch in patches.items():
        apply_patch(where, name, patch, "--index")
        commit(where, patch.message())


def commit(where: Path, message: str) -> None:
    git(where, "add", "--all", "--force")
    options = ("--quiet", "--no-verify", "--no-gpg-sign", "--cleanup=verbatim", "--file=-")
    git(where, "commit", *options, env=IDENTITY, stdin=message.encode())


def base_message(pin: Upstream) -> str:
    return f"{pin.name} {pin.version}\n\nsha256: {pin.sha256}\n"


def read_commits(where: Path, pin: Upstream) -> list[Patch]:
    """The patches that the commits after the pristine release stand for."""
    require_clean(where)
    base = git(where, "log", "-1", "--format=%B", BASE)
    if base.strip() != base_message(pin).strip():
        raise SeriesError(
            f"{where} starts from\n{indent(base)}\nbut UPSTREAM pins\n{indent(base_message(pin))}\n"
            "If UPSTREAM moved to a new release, run `series.py upgrade` on the work tree and rebase it first."
        )
    if run_git(where, "merge-base", "--is-ancestor", BASE, "HEAD").returncode != 0:
        raise SeriesError(
            f"{where}: the commit at HEAD does not descend from the tag `{BASE}`: finish the rebase "
            f"(`git rebase --onto {BASE} {OLD_BASE} {BRANCH}`) first"
        )
    merges = git(where, "rev-list", "--min-parents=2", f"{BASE}..HEAD").split()
    if merges:
        raise SeriesError(f"{where}: {merges[0][:12]} is a merge; a series is a straight line of commits")
    return [read_commit(where, name) for name in git(where, "rev-list", "--reverse", f"{BASE}..HEAD").split()]


def read_commit(where: Path, name: str) -> Patch:
    diff = git(where, *DIFF, f"{name}^", name)
    # Abbreviated hashes and the function named after a hunk depend on the repository and the
    # version of git, and applying needs neither.
    diff = re.sub(r"^index [0-9a-f]+\.\.[0-9a-f]+.*\n", "", diff, flags=re.MULTILINE)
    diff = re.sub(r"^(@@ -\S+ \+\S+ @@).*$", r"\1", diff, flags=re.MULTILINE)
    message = git(where, "log", "-1", "--format=%B", name)
    return parse_message(message, diff, f"commit {name[:12]}")


def require_clean(where: Path) -> None:
    if not (where / ".git").exists() or run_git(where, "rev-parse", "--verify", "--quiet", BASE).returncode != 0:
        raise SeriesError(f"{where} is no work tree made by `series.py checkout` (no tag `{BASE}` in it)")
    dirty = git(where, "status", "--porcelain")
    if dirty:
        raise SeriesError(f"{where} has changes that are in no commit; commit or drop them:\n{dirty.rstrip()}")


def upgrade(where: Path, pin: Upstream, tree: Tree) -> None:
    """Put the newly pinned release on top of the old one; the patches are rebased by hand."""
    require_clean(where)
    if git(where, "log", "-1", "--format=%B", BASE).strip() == base_message(pin).strip():
        raise SeriesError(f"{where} already starts from {pin.name} {pin.version}; change UPSTREAM first")
    if git(where, "symbolic-ref", "--short", "HEAD").strip() != BRANCH:
        raise SeriesError(f"{where}: check out the branch `{BRANCH}` first")
    git(where, "tag", "--force", OLD_BASE, BASE)
    git(where, "checkout", "--quiet", "--detach", BASE)
    git(where, "rm", "-r", "--quiet", ".")
    write_tree(where, tree)
    commit(where, base_message(pin))
    git(where, "tag", "--force", BASE)
    git(where, "checkout", "--quiet", BRANCH)


def indent(text: str) -> str:
    return "\n".join(f"  {line}" for line in text.strip().split("\n") if line)
