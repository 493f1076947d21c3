"""The search's commands: `PYTHONPATH=tests python -m search --help`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from . import judge, sensitivity, trade_off
from .evaluator import PROGRAM, ROOT, Program, SearchError
from .optimise import search

HERE = Path(__file__).parent
DEFAULT_OUT = ROOT / "build" / "search"


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="search", description="Constants of hybrid's default profile.")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--out", type=Path, default=DEFAULT_OUT, help="results and journals (%(default)s)")
    common.add_argument("--seed", type=int, default=1, help="of the scenarios and of the optimiser (%(default)s)")
    common.add_argument("--jobs", type=int, default=1, help="threads (%(default)s)")
    common.add_argument("--program", type=Path, default=PROGRAM, help="the evaluator (%(default)s)")
    common.add_argument("--training", type=Path, default=HERE / "training.toml", help="scenarios (%(default)s)")
    common.add_argument("--validation", type=Path, default=HERE / "validation.toml", help="scenarios (%(default)s)")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser("run", parents=[common], help="search on the training set")
    run.add_argument("--budget", type=int, default=300, help="evaluations (%(default)s)")
    judged = commands.add_parser("judge", parents=[common], help="compare on training and validation set")
    judged.add_argument("specs", nargs="*", help="beside the default, the search's best and the paper's")
    vary = commands.add_parser("sensitivity", parents=[common], help="vary each constant alone on the training set")
    vary.add_argument("--values", type=int, default=9, help="of each constant (%(default)s)")
    return parser


def main() -> int:
    given = arguments().parse_args()
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        programs = {
            name: Program(path, given.out / f"{name}.jsonl", given.program, given.jobs)
            for name, path in (("training", given.training), ("validation", given.validation))
        }
        if given.command == "run":
            found = search(programs["training"], given.seed, given.budget)
            judge.write_found(found, given.out)
            trade_off.write(programs["training"], found, given.seed, given.out)
        elif given.command == "judge":
            specs = ["hybrid", judge.best_of(given.out), *given.specs, "hybrid:paper"]
            judge.write(programs, specs, given.seed, given.out)
        else:
            sensitivity.write(programs["training"], given.seed, given.values, given.out)
    except (SearchError, OSError) as error:
        print(f"search: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
