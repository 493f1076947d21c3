#!/usr/bin/env python3
"""Keeps quiche's patch series: applies it for the build, and turns it into commits and back.

Needs Python 3.10 or newer, git, and cargo to fetch the release; no Python packages.
patches/quiche/README.md tells how to change a patch and how to move to a new release.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import applied
import trial
import upstream
import worktree
from common import SeriesError, read_tree, sha256
from patchfile import read_patches, read_series, series_files

HERE = Path(__file__).resolve().parent
# What CTest takes for a skipped test.
NOTHING_TO_DO = 77


def stamp(folder: Path) -> str:
    """A hash over everything that decides what the patched tree looks like."""
    inputs = [folder / "UPSTREAM", folder / "series"]
    inputs += [folder / name for name in read_series(folder)]
    inputs += [HERE / name for name in ("common.py", "upstream.py", "patchfile.py", "worktree.py", "applied.py")]
    return sha256("".join(f"{path.name} {sha256(path.read_bytes())}\n" for path in inputs).encode())


def apply(arguments: argparse.Namespace) -> None:
    folder: Path = arguments.series
    pin = upstream.read_pin(folder / "UPSTREAM")

    def make() -> dict[str, bytes]:
        patches = read_patches(folder)
        with tempfile.TemporaryDirectory(prefix="quiche-cc-") as scratch:
            return applied.patched(upstream.pristine(pin, HERE.parent), patches, Path(scratch))

    print(applied.update(arguments.to.absolute(), stamp(folder), make, arguments.force))


def checkout(arguments: argparse.Namespace) -> None:
    pin = upstream.read_pin(arguments.series / "UPSTREAM")
    patches = read_patches(arguments.series)
    worktree.checkout(arguments.directory, pin, upstream.pristine(pin, HERE.parent), patches)
    where = f"on the branch `{worktree.BRANCH}` of {arguments.directory}"
    print(f"{pin.name} {pin.version} and {len(patches)} commits {where}")


def export(arguments: argparse.Namespace) -> None:
    folder: Path = arguments.series
    pin = upstream.read_pin(folder / "UPSTREAM")
    files = series_files(worktree.read_commits(arguments.directory, pin))
    stale = [path for path in sorted(folder.glob("*.patch")) if path.name not in files]
    changed = [name for name, text in files.items() if not holds(folder / name, text)]
    for name in changed:
        (folder / name).write_bytes(files[name].encode())
        print(f"wrote   {folder / name}")
    for path in stale:
        path.unlink()
        print(f"deleted {path}")
    print(f"{len(files) - 1} patches, {len(changed) + len(stale)} files changed")


def holds(path: Path, text: str) -> bool:
    return path.is_file() and path.read_bytes() == text.encode()


def upgrade(arguments: argparse.Namespace) -> None:
    pin = upstream.read_pin(arguments.series / "UPSTREAM")
    worktree.upgrade(arguments.directory, pin, upstream.pristine(pin, HERE.parent))
    print(
        f"{arguments.directory}: the tag `{worktree.BASE}` is now {pin.name} {pin.version}. Rebase the patches with\n"
        f"  git -C {arguments.directory} rebase --onto {worktree.BASE} {worktree.OLD_BASE} {worktree.BRANCH}\n"
        f"then run `series.py export {arguments.directory}`."
    )


def try_release(arguments: argparse.Namespace) -> int:
    """The series on another release, without changing anything here."""
    pin = upstream.read_pin(arguments.series / "UPSTREAM")
    version = arguments.version or trial.newest(pin.name, HERE.parent)
    if version == pin.version and arguments.tree is None:
        print(f"skipped: the series is on {pin.name} {version}, and that is the newest release")
        return NOTHING_TO_DO
    new_tree = trial.released(pin, version, HERE.parent) if arguments.tree is None else read_tree(arguments.tree)
    onto = upstream.Upstream(pin.name, version, sha256(version.encode()))
    patches = read_patches(arguments.series)
    with tempfile.TemporaryDirectory(prefix="quiche-cc-") as scratch:
        tree = upstream.pristine(pin, HERE.parent)
        outcomes = trial.rebase(Path(scratch) / "work", pin, tree, patches, onto, new_tree)
    print(f"{pin.name}: the series for {pin.version} on {version}\n{trial.report(outcomes)}")
    return int(any(outcome.conflicts for outcome in outcomes.values()))


def check(arguments: argparse.Namespace) -> None:
    """Import and export give the same bytes, and each patch applies on those before it."""
    folder: Path = arguments.series
    pin = upstream.read_pin(folder / "UPSTREAM")
    patches = read_patches(folder)
    with tempfile.TemporaryDirectory(prefix="quiche-cc-") as scratch:
        where = Path(scratch) / "checkout"
        worktree.checkout(where, pin, upstream.pristine(pin, HERE.parent), patches)
        files = series_files(worktree.read_commits(where, pin))
        differing = sorted(
            {name for name, text in files.items() if not holds(folder / name, text)} | (set(patches) - set(files))
        )
        if differing:
            kept = Path(tempfile.mkdtemp(prefix="quiche-cc-export-"))
            for name, text in files.items():
                (kept / name).write_bytes(text.encode())
            raise SeriesError(
                f"importing and exporting the series changes {', '.join(differing)}; compare with\n"
                f"  diff -ru {folder} {kept}\nand run `series.py checkout` and `series.py export` to settle it"
            )
    sizes(arguments)
    print("every patch applies in order; import and export give the same bytes")


def sizes(arguments: argparse.Namespace) -> None:
    patches = read_patches(arguments.series)
    counts = {name: patch.sizes() for name, patch in patches.items()}
    touched = {line for patch in patches.values() for line in patch.diff.split("\n") if line.startswith("diff --git ")}
    print("files  added  removed  patch")
    for name, (files, added, removed) in counts.items():
        print(f"{files:5}  {added:5}  {removed:7}  {name}")
    added, removed = (sum(count[i] for count in counts.values()) for i in (1, 2))
    print(f"{len(touched):5}  {added:5}  {removed:7}  total of {len(patches)} patches")


def parser() -> argparse.ArgumentParser:
    main_parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    main_parser.add_argument(
        "--series", type=Path, default=HERE / "quiche", help="folder with UPSTREAM, series, patches"
    )
    commands = main_parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: object, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text)
        sub.set_defaults(run=run)
        return sub

    sub = command("apply", apply, "fetch, verify and patch the release into a folder, unless it is up to date")
    sub.add_argument("--to", type=Path, required=True, metavar="DIR")
    sub.add_argument("--force", action="store_true", help="write it anew even if it was edited by hand")
    sub = command("checkout", checkout, "make a git work tree: the pristine release, then one commit per patch")
    sub.add_argument("directory", type=Path)
    sub = command("export", export, "write the commits of such a work tree back into the series")
    sub.add_argument("directory", type=Path)
    sub = command("upgrade", upgrade, "put the newly pinned release into such a work tree, ready for `git rebase`")
    sub.add_argument("directory", type=Path)
    sub = command("try-release", try_release, "say which patches apply on another release; changes nothing")
    sub.add_argument("version", nargs="?", help="default: the newest that cargo finds")
    sub.add_argument("--tree", type=Path, metavar="DIR", help="the sources of VERSION, if it is in no registry")
    command("check", check, "apply each patch in order, compare import and export byte by byte, print the sizes")
    command("sizes", sizes, "print files and lines that each patch touches")
    return main_parser


def main(argv: list[str] | None = None) -> int:
    if shutil.which("git") is None:
        print("error: git was not found on PATH", file=sys.stderr)
        return 1
    arguments = parser().parse_args(argv)
    try:
        return arguments.run(arguments) or 0
    except (SeriesError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
