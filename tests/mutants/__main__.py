"""The commands: `PYTHONPATH=tests python -m mutants --help`."""

from __future__ import annotations

import argparse
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "testbed"))

import revision

from . import by_tests, honest, page
from .catalogue import ROOT, CatalogueError, Mutant, mutants, paths
from .judge import FAIL, PASS, Journal
from .measure import BROKEN, FOUND, SAME, Measurement, Result
from .progress import told
from .traces import Traces, cases_of
from .tree import BuildError, Tree, sources_digests


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="mutants", description="How well `qlog-analysis check` judges.")
    build = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument(
        "--build-dir", type=Path, default=build, help="has patched quiche and target folder (%(default)s)"
    )
    common.add_argument("--out", type=Path, help="results (mutants in the build folder)")
    commands = parser.add_subparsers(dest="command", required=True)
    found = commands.add_parser("run", parents=[common], help="build each mutant, run it, and check its traces")
    found.add_argument("names", nargs="*", help="mutants (all)")
    found.add_argument("--least", type=float, default=0.0, help="share that has to be found (%(default)s)")
    alarms = commands.add_parser("honest", parents=[common], help="random runs without a mutant; count false alarms")
    honest.add_arguments(alarms)
    tested = commands.add_parser("tests", parents=[common], help="mutants by cargo-mutants, and what unit tests find")
    by_tests.add_arguments(tested)
    commands.add_parser("list", help="check the catalogue, and name the mutants")
    return parser


def main() -> int:
    given = arguments().parse_args()
    try:
        if given.command == "list":
            for mutant in mutants():
                print(f"{mutant.name}: {mutant.changes}")
            return 0
        given.out = given.out or given.build_dir / "mutants"
        return {"run": run, "honest": honest.run, "tests": by_tests.run}[given.command](given)
    except (CatalogueError, BuildError, by_tests.CargoError, OSError, RuntimeError) as error:
        print(f"mutants: {error}", file=sys.stderr)
        return 2


def run(given: argparse.Namespace) -> int:
    """0: enough of them are found; 1: not, or a mutant cannot be built, or the original is accused."""
    chosen, drives = chosen_of(mutants(), given.names), paths()
    tree = Tree(given.build_dir)
    tree.update()
    traces = Traces(given.out / "traces", tree, sources_digests())
    measurement = Measurement(traces, Journal(given.out / "verdicts.jsonl"), drives)
    cases = {case.name: case for mutant in chosen for case in cases_of(mutant, drives)}
    said = {case.name: measurement.original(case) for case in told(list(cases.values()), "without a mutant")}
    results = []
    for mutant in told(chosen, "mutant"):
        results.append(one(measurement, mutant))
        print("  " + page.verdicts(results[-1]), file=sys.stderr, flush=True)
    accused = {name: of for name, of in said.items() if of.outcome != PASS}
    for name, of in accused.items():
        print(f"without a mutant: {name}: {of.outcome}: {', '.join(of.laws)} {of.first}", file=sys.stderr)
    publish(given.out, results)
    differ = [result for result in results if result.outcome != SAME]
    share = sum(result.outcome == FOUND for result in differ) / max(len(differ), 1)
    broken = any(result.outcome == BROKEN for result in results)
    return int(share < given.least or broken or any(of.outcome == FAIL for of in accused.values()))


def publish(out: Path, results: list[Result]) -> None:
    (out / "mutants.json").write_text(page.as_json(results, revision.commit(ROOT)))
    (out / "mutants.md").write_text(page.markdown(results))
    print(page.markdown(results))


def one(measurement: Measurement, mutant: Mutant) -> Result:
    try:
        return measurement.of(mutant)
    except BuildError as error:
        print(error, file=sys.stderr)
        return Result(mutant.name, mutant.changes, BROKEN, why=str(error))


def chosen_of(all_of_them: list[Mutant], names: list[str]) -> list[Mutant]:
    unknown = set(names) - {mutant.name for mutant in all_of_them}
    if unknown:
        raise CatalogueError(f"no such mutant: {', '.join(sorted(unknown))}; `list` names them")
    chosen = [mutant for mutant in all_of_them if not names or mutant.name in names]
    # What a time limit cuts off leaves a fair sample.
    random.Random(1).shuffle(chosen)
    return chosen


if __name__ == "__main__":
    sys.exit(main())
