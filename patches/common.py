"""What every part of the patch tool shares: its error, source trees in memory, and git."""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

# A source tree: path below the root, with forward slashes, to the file's bytes.
Tree = dict[str, bytes]


class SeriesError(Exception):
    """Something that the person who runs the tool has to know or to mend."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def read_tree(root: Path, skip: frozenset[str] = frozenset()) -> Tree:
    """Every file below `root`; `skip` names entries of the root that are left out."""
    tree: Tree = {}
    for path in sorted(root.rglob("*")):
        relative = path.relative_to(root)
        if relative.parts[0] not in skip and (path.is_symlink() or not path.is_dir()):
            tree[relative.as_posix()] = path.read_bytes()
    return tree


def write_tree(root: Path, tree: Mapping[str, bytes]) -> None:
    for name, data in tree.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def run_git(
    where: Path,
    *arguments: str,
    env: Mapping[str, str] | None = None,
    stdin: bytes | None = None,
) -> subprocess.CompletedProcess[bytes]:
    """Run git in `where`, deaf to everything but the repository there, if there is one.

    Personal configuration (diff algorithm, autocrlf, commit templates) would make the series
    depend on who exports it. A repository around `where` would make `git apply` skip files
    silently, and a hook's GIT_DIR would send commits elsewhere.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    clean |= {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CEILING_DIRECTORIES": str(where.resolve().parent),
        "LC_ALL": "C",
    }
    try:
        return subprocess.run(
            ["git", "-c", "core.autocrlf=false", "-c", "core.quotePath=false", *arguments],
            cwd=where,
            env=clean | dict(env or {}),
            input=stdin,
            capture_output=True,
            check=False,
        )
    except FileNotFoundError:
        raise SeriesError("git was not found on PATH; the patch series needs it") from None


def git(where: Path, *arguments: str, env: Mapping[str, str] | None = None, stdin: bytes | None = None) -> str:
    """As `run_git`, for commands that have no business failing; returns their output."""
    result = run_git(where, *arguments, env=env, stdin=stdin)
    if result.returncode != 0:
        detail = result.stderr.decode(errors="replace").strip()
        raise SeriesError(f"git {' '.join(arguments)} failed in {where}:\n{detail}")
    return result.stdout.decode("utf-8", errors="strict")
