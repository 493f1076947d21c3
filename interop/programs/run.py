"""Builds programs that use quiche, tries each with `hybrid`, and writes docs/results/programs.md."""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
from pathlib import Path

import msgspec
import neighbours  # noqa: F401  (makes the shared modules importable)
import programs_page as page
from debian import InstallError
from obtain import library
from programs_page import Outcome
from table import REPOSITORY, DataError, Place, Program, choose, read
from testbed import TestbedError
from trial import Bench


def main() -> int:
    options = parse_arguments()
    try:
        return int(options.action(options))
    except (DataError, InstallError, TestbedError) as error:
        print(f"programs: {error}", file=sys.stderr)
        return 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=REPOSITORY / "build", help="default: %(default)s")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="print the table")
    listing.set_defaults(action=list_programs)
    trying = actions.add_parser("try", help="build and run programs; what fails is recorded with its reason")
    trying.add_argument("recipes", nargs="*", help="default: all")
    trying.set_defaults(action=try_programs)
    writing = actions.add_parser("page", help="write the page from what `try` recorded")
    writing.add_argument("--to", type=Path, default=page.PAGE, help="default: %(default)s")
    writing.set_defaults(action=write_page)
    return parser.parse_args()


def list_programs(_: argparse.Namespace) -> int:
    for program in read():
        print(f"{program.recipe or '-':16} {program.name} {program.version}")
    return 0


def try_programs(options: argparse.Namespace) -> int:
    place = Place(options.build_dir.resolve())
    chosen = choose(read(), options.recipes)
    library(place)
    bench = Bench(place)
    outcomes = recorded(place)
    commit = built_from()
    print("cc-server ...", flush=True)
    outcomes[page.PACED] = Outcome(commit, [bench.paced()])
    for program in chosen:
        print(f"{program.name} ...", flush=True)
        outcomes[program.name] = attempt(program, bench, commit)
        for result in outcomes[program.name].results:
            print(f"  {page.told(result)}", flush=True)
        if outcomes[program.name].error:
            print(f"  {outcomes[program.name].error}", flush=True)
        store(place).write_bytes(msgspec.json.format(msgspec.json.encode(outcomes), indent=1))
    return 0 if all(outcomes[program.name].complete() for program in chosen) else 1


def built_from() -> str:
    describe = ["git", "describe", "--always", "--dirty", "--abbrev=7"]
    return subprocess.run(describe, cwd=REPOSITORY, capture_output=True, text=True, check=True).stdout.strip()


def attempt(program: Program, bench: Bench, commit: str) -> Outcome:
    recipe = importlib.import_module(f"recipes.{program.recipe}")
    try:
        recipe.build(program, bench.place)
    except (InstallError, subprocess.TimeoutExpired) as error:
        return Outcome(commit, [], str(error))
    return Outcome(commit, [bench.measure(run) for run in recipe.runs(program, bench.place)])


def store(place: Place) -> Path:
    return place.home / "results.json"


def recorded(place: Place) -> dict[str, Outcome]:
    if not store(place).exists():
        return {}
    return msgspec.json.decode(store(place).read_bytes(), type=dict[str, Outcome])


def write_page(options: argparse.Namespace) -> int:
    outcomes = recorded(Place(options.build_dir.resolve()))
    if not outcomes:
        raise DataError(f"{options.build_dir} has no results; `run.py try` makes them")
    options.to.write_text(page.text(read(), outcomes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
