"""Makes a release, and tries its packages where nothing else is installed: build/release.

    cmake --workflow --preset release
    build/venv/bin/python tests/release/run.py make
    build/venv/bin/python tests/release/run.py try
    build/venv/bin/python tests/release/run.py image

`all` is `make` and `try`. A tree with changes, or versions that do not agree, stop it; with --rehearse they are only
said. docs/guides/release.md has the whole way of a release. Exit codes: 0 done; 1 something failed, which is said; 2
wrong usage; 77 with --skip if this machine lacks what the part needs.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

import contract
import image
import packages
import trial
import versions
from debian import delete
from steps import ROOT, Failure, Report

SKIPPED = 77


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
    made.add_argument("part", choices=["all", "make", "try", "image"], help="all: make and try")
    made.add_argument("--build-dir", type=Path, default=build, help="of `cmake --build` (%(default)s)")
    made.add_argument("--out", type=Path, help="folder of the packages (release in the build folder)")
    made.add_argument("--rehearse", action="store_true", help="also of a tree with changes, or of versions that differ")
    made.add_argument("--skip", action="store_true", help="end with 77 where this machine lacks what is needed")
    made.add_argument("--cc", default="", help="controller that the image uses by default (bbr2)")
    return made


def main() -> int:
    given = parser().parse_args()
    build = given.build_dir.resolve()
    out = (given.out or build / "release").resolve()
    lacking = "" if given.part == "make" else trial.lacking() or (contract.lacking() if given.part == "image" else "")
    if lacking:
        print(lacking, file=sys.stderr)
        return SKIPPED if given.skip else 1
    report = Report()
    try:
        if given.part in ("all", "make"):
            packages.make(build, out, report, given.rehearse)
        if given.part in ("all", "try"):
            trial.try_packages(out, build, report)
        if given.part == "image":
            image_of(build / "release-image", given.cc, report)
    except Failure as failure:
        print(f"\nstopped: {failure}", file=sys.stderr)
        return 1
    summary(report)
    if given.part != "image":
        print(f"Packages: {out}")
    return 0


def image_of(folder: Path, cc: str, report: Report) -> None:
    """Built, run by the runner's contract, and removed."""
    store = image.Store(folder / "store")
    try:
        image.build(store, folder, report, [f"CC={cc}"] if cc else [])
        contract.play(store, folder, report)
    finally:
        store.remove()
        delete(folder)


def summary(report: Report) -> None:
    print("\nSteps:")
    for what, seconds in report.steps:
        print(f"  {seconds:7.1f} s  {what}")
    print(f"  {sum(seconds for _, seconds in report.steps):7.1f} s  in all\n\nFacts:")
    for fact in report.facts:
        print(f"  {fact}")
    day = versions.released_on()
    state = f"of {day}" if day else "not released yet: the changelog calls it unreleased"
    print(f"\nquiche-cc {versions.version()}, {state}")


if __name__ == "__main__":
    sys.exit(main())
