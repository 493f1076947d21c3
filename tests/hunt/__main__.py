"""The commands: `PYTHONPATH=tests python -m hunt --help`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from cluster.errors import ClusterError
from cluster.lab import Program
from mutants.catalogue import CatalogueError
from mutants.tree import BuildError

from . import bounds, page, planted, sweep
from .harms import HARMS
from .judge import Against
from .lab import ROOT, Crew, HuntError, Lab
from .minimise import minimised
from .tables import described
from .worst import Case, by_rank, measured, read_cases, worst_of, write_cases

HERE = Path(__file__).parent
CASES = HERE / "cases.json"
TIMESTAMPS = {"with": (True,), "without": (False,), "both": (True, False)}


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="hunt", description="Paths on which a controller does worst.")
    build = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--build-dir", type=Path, default=build, help="where bin/cc-lab is (%(default)s)")
    common.add_argument("--out", type=Path, help="store and results (hunt in the build folder)")
    common.add_argument("--jobs", type=int, default=1, help="runs at the same time (%(default)s)")
    many = argparse.ArgumentParser(add_help=False)
    many.add_argument("--scheduler", metavar="ADDRESS", help="work on the Dask cluster of this scheduler")
    search = argparse.ArgumentParser(add_help=False)
    search.add_argument("--seed", type=int, default=1, help="of the search (%(default)s)")
    subject = argparse.ArgumentParser(add_help=False)
    subject.add_argument("--cc", default="hybrid", help="controller (%(default)s)")
    subject.add_argument("--timestamps", choices=TIMESTAMPS, default="both", help="receive timestamps (%(default)s)")
    commands = parser.add_subparsers(dest="command", required=True)
    run = commands.add_parser(
        "run", parents=[common, many, search, subject], help="search for the worst path of each harm"
    )
    run.add_argument("--harm", choices=HARMS, action="append", help="may be repeated (all)")
    run.add_argument("--budget", type=int, default=240, help="paths of each search (%(default)s)")
    run.add_argument("--worst", type=float, default=float("inf"), help="octaves of one path that are allowed")
    small = commands.add_parser("minimise", parents=[common], help="leave out of what was found what it does not need")
    small.add_argument("found", type=Path, nargs="?", help="what `run` or `sweep` wrote (found.json of --out)")
    random = commands.add_parser(
        "sweep", parents=[common, many, search, subject], help="random paths, and the ten worst"
    )
    random.add_argument("--count", type=int, default=100, help="paths, of seeds from --seed on (%(default)s)")
    random.add_argument("--most", type=float, default=1.0, help="share of bad paths that is allowed (%(default)s)")
    random.add_argument(
        "--mean", type=float, default=float("inf"), help="mean of the paths' octaves that is allowed (%(default)s)"
    )
    random.add_argument("--worst", type=float, default=float("inf"), help="octaves of one path that are allowed")
    random.add_argument("--again", action="store_true", help="run the ten worst with ten other seeds, too")
    faults = commands.add_parser("planted", parents=[common, search], help="hunt for the faults of planted.toml")
    faults.add_argument("--budget", type=int, default=2400, help="paths of each fault at most (%(default)s)")
    faults.add_argument("--controls", type=int, default=1, help="searches for the control (%(default)s)")
    faults.add_argument("--only", action="append", default=[], help="a fault, or `control`; may be repeated (all)")
    faults.add_argument("--least", type=int, default=0, help="faults that have to be found (%(default)s)")
    faults.add_argument("--publish", action="store_true", help="in docs/results, too")
    weak = commands.add_parser("weakness", parents=[common, search], help="hunt for the published one of planted.toml")
    weak.add_argument("--budget", type=int, default=240, help="paths (%(default)s)")
    commands.add_parser(
        "measure", parents=[common, many], help="measure the paths of cases.json again, with fresh seeds"
    )
    commands.add_parser("bounds", parents=[common], help="write cases.json as scenarios with bounds")
    drawn = commands.add_parser("page", parents=[common], help="pictures and table of cases.json")
    drawn.add_argument("--publish", action="store_true", help="in docs/results, too")
    return parser


def main() -> int:
    given = arguments().parse_args()
    given.out = given.out or given.build_dir / "hunt"
    try:
        given.out.mkdir(parents=True, exist_ok=True)
        program = given.build_dir / "bin" / "cc-lab"
        with crew(program, given) as working:
            return COMMANDS[given.command](Lab(program, given.out / "runs.jsonl", working), given)
    except (HuntError, ClusterError, CatalogueError, BuildError, OSError, msgspec.MsgspecError) as error:
        print(f"hunt: {error}", file=sys.stderr)
        return 2


@contextmanager
def crew(program: Path, given: argparse.Namespace) -> Iterator[Crew]:
    if getattr(given, "scheduler", None) is None:
        yield Crew(given.jobs)
        return
    from cluster import engine

    with engine.cluster(given.scheduler, Program(program)) as workers:
        yield Crew(workers.count(), workers.executor)


def run(lab: Lab, given: argparse.Namespace) -> int:
    """1 if a path is worse than is allowed, or if somebody sends without end."""
    cases, endless = [], []
    for timestamps in TIMESTAMPS[given.timestamps]:
        judge = Against(lab, given.cc, timestamps)
        for harm in given.harm or HARMS:
            case, never = worst_of(judge, given.cc, timestamps, harm, given.seed, given.budget)
            cases.append(case)
            endless += [Case(given.cc, timestamps, harm, one.path) for one in never]
            write_cases(given.out / "found.json", by_rank(cases))
            write_cases(given.out / "endless.json", endless)
    print(page.table(by_rank(cases)))
    print(f"{lab.made} runs, {planted.cpu_s():.0f} s of processor time", file=sys.stderr)
    for case in endless:
        print(f"hunt: does not come to an end: {described(case.path)} ({given.out / 'endless.json'})", file=sys.stderr)
    return int(bool(endless) or max(case.score for case in cases) > given.worst)


def minimise(lab: Lab, given: argparse.Namespace) -> int:
    cases = []
    for case in read_cases(given.found or given.out / "found.json"):
        judge = Against(lab, case.cc, case.timestamps)
        cases.append(measured(judge, minimised(judge, case)))
        print(page.row(cases[-1]), file=sys.stderr, flush=True)
        write_cases(given.out / "minimised.json", by_rank(cases))
    print(page.table(by_rank(cases)))
    return 0


def measure(lab: Lab, given: argparse.Namespace) -> int:
    cases = [measured(Against(lab, case.cc, case.timestamps), case) for case in read_cases(CASES)]
    write_cases(CASES, by_rank(cases))
    print(page.table(by_rank(cases)))
    return 0


def random_sweep(lab: Lab, given: argparse.Namespace) -> int:
    """1 if more paths are bad than is allowed, or one is worse."""
    status = 0
    for timestamps in TIMESTAMPS[given.timestamps]:
        kind = "with" if timestamps else "without"
        judge = Against(lab, given.cc, timestamps)
        found = sweep.sweep(judge, given.seed, given.count)
        report = sweep.report(found, given.cc, timestamps)
        if given.again:
            ten = sweep.cases(found, given.cc, timestamps)
            report += "\nWith ten other seeds:\n\n" + page.table([measured(judge, case) for case in ten])
        (given.out / f"sweep-{kind}.md").write_text(report, encoding="utf-8")
        write_cases(given.out / f"sweep-{kind}.json", sweep.cases(found, given.cc, timestamps))
        print(report)
        for said in too_bad(found, given):
            print(f"hunt: {kind} receive timestamps: {said}", file=sys.stderr)
            status = 1
    return status


def too_bad(found: Sequence[sweep.Swept], given: argparse.Namespace) -> Iterator[str]:
    """What is above its bound."""
    share, mean, most = sweep.bad_share(found), sweep.mean_score(found), found[0].score
    if share > given.most:
        yield f"{100 * share:.1f} % of the paths are bad, allowed are {100 * given.most:.1f} %"
    if mean > given.mean:
        yield f"the mean is {mean:.2f} octaves, allowed are {given.mean:.2f}"
    if most > given.worst:
        yield f"the worst is {most:.2f} octaves, allowed are {given.worst:.2f}"


def plant(lab: Lab, given: argparse.Namespace) -> int:
    """1 if too few of the faults are found, or if a control is. With `--only` earlier results stay."""
    file = given.out / "planted.json"
    known = {one.name: one for one in planted.read(file)} if given.only and file.exists() else {}
    effort = planted.Effort(given.seed, given.budget, given.controls)
    for one in planted.run(lab, given.build_dir, given.out, effort, given.only):
        known[one.name] = one
        planted.write(file, list(known.values()))
    table = planted.table(list(known.values()))
    (given.out / "planted.md").write_text(table, encoding="utf-8")
    print(table)
    if given.publish:
        page.place(page.PLANTED, table)
    found = sum(one.found for one in known.values() if not planted.is_control(one))
    return int(found < given.least or any(one.found for one in known.values() if planted.is_control(one)))


def weakness(lab: Lab, given: argparse.Namespace) -> int:
    """1 if what is found is none that was published, or not bad with each seed."""
    weak = planted.planted().weak
    judge = Against(lab, weak.cc, False)
    case, _ = worst_of(judge, weak.cc, False, weak.harm, given.seed, given.budget, weak.keeps)
    case = measured(judge, minimised(judge, case))
    write_cases(given.out / "weakness.json", [case])
    print(page.table([case]))
    known = [one for one in weak.published if one.explains(case.path)]
    for one in known:
        print(f"{weak.cc} {one.says} ({one.source})")
    print(f"{lab.made} runs, {planted.cpu_s():.0f} s of processor time", file=sys.stderr)
    return int(case.least < sweep.BAD or not known)


def write_bounds(lab: Lab, given: argparse.Namespace) -> int:
    bounds.write(lab, by_rank(read_cases(CASES)), HERE)
    return 0


def write_page(lab: Lab, given: argparse.Namespace) -> int:
    cases = by_rank(read_cases(CASES))
    pictures = page.pictures(given.build_dir / "bin" / "cc-lab", cases, given.out)
    (given.out / "worst.md").write_text(page.table(cases), encoding="utf-8")
    if given.publish:
        page.publish(lab, cases, pictures)
    return 0


COMMANDS = {
    "run": run,
    "minimise": minimise,
    "sweep": random_sweep,
    "planted": plant,
    "weakness": weakness,
    "measure": measure,
    "bounds": write_bounds,
    "page": write_page,
}

if __name__ == "__main__":
    sys.exit(main())
