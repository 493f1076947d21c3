"""Builds programs that use quiche, tries each with `hybrid`, and writes docs/results/programs.md."""

from __future__ import annotations

import argparse
import importlib
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType

import msgspec
import neighbours  # noqa: F401  (makes the shared modules importable)
import programs_page as page
import revision
from debian import InstallError
from obtain import MissingPackages, library
from programs_page import Outcome
from table import REPOSITORY, DataError, Place, Program, choose, read
from testbed import TestbedError
from trial import Bench

SKIPPED = 77


def main() -> int:
    options = parse_arguments()
    # So that no server is left behind by either signal.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return int(options.action(options))
    except KeyboardInterrupt:
        print("\nprograms: interrupted", file=sys.stderr)
        return 130
    except (DataError, InstallError, TestbedError) as error:
        print(f"programs: {error}", file=sys.stderr)
        return 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=REPOSITORY / "build", help="default: %(default)s")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    listing = actions.add_parser("list", help="print the table")
    listing.set_defaults(action=list_programs)
    building = actions.add_parser("build", help="build programs")
    building.add_argument("recipes", nargs="*", help="default: all")
    building.set_defaults(action=build_programs)
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


def build_programs(options: argparse.Namespace) -> int:
    place = Place(options.build_dir.resolve())
    library(place)
    errors = []
    for program in choose(read(), options.recipes):
        print(f"{program.name} ...", flush=True)
        errors += [error for error in [build(program, place)] if error]
    for error in errors:
        print(f"programs: {error}", file=sys.stderr)
    return verdict(errors)


def try_programs(options: argparse.Namespace) -> int:
    place = Place(options.build_dir.resolve())
    chosen = choose(read(), options.recipes)
    library(place)
    bench, outcomes, commit, errors = Bench(place), recorded(place), revision.commit(REPOSITORY), []
    for program in chosen:
        print(f"{program.name} ...", flush=True)
        if error := build(program, place):
            errors.append(error)
            outcomes[program.name] = Outcome(commit, [], str(error))
            print(f"  {error}", flush=True)
            continue
        results = [bench.measure(run) for run in recipe(program).runs(program, place)]
        outcomes[program.name] = Outcome(commit, results)
        for result in results:
            print(f"  {page.told(result)}", flush=True)
        store(place).write_bytes(msgspec.json.format(msgspec.json.encode(outcomes), indent=1))
    tried = [outcomes[program.name] for program in chosen]
    if any(result.p95_ms is not None for outcome in tried for result in outcome.results):
        print("cc-server ...", flush=True)
        outcomes[page.PACED] = Outcome(commit, [bench.paced()])
    store(place).write_bytes(msgspec.json.format(msgspec.json.encode(outcomes), indent=1))
    return verdict(errors) or int(not all(outcome.complete() for outcome in tried))


def build(program: Program, place: Place) -> Exception | None:
    """Why the program cannot be built."""
    try:
        recipe(program).build(program, place)
    except (InstallError, subprocess.TimeoutExpired) as error:
        return error
    return None


def recipe(program: Program) -> ModuleType:
    return importlib.import_module(f"recipes.{program.recipe}")


def verdict(errors: Sequence[Exception]) -> int:
    """An exit code; where only Debian's packages are missing, that of a skipped test."""
    if not errors:
        return 0
    return SKIPPED if all(isinstance(error, MissingPackages) for error in errors) else 1


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
