"""The commands: `PYTHONPATH=tests python -m published --help`."""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from . import checking, declared, running
from .catalogue import PUBLICATIONS
from .names import ROOT
from .publication import Place, Publication, revision


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="published", description="Measures and writes every published number.")
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser("list", help="publications with their pages, times, and the commits that the pages name")
    checks = commands.add_parser("check", help="documents against the list of publications")
    checks.add_argument("--current", action="store_true", help="all have to be measured, and of what is there now")
    commands.add_parser("declared", help=f"write {declared.PAGE}: the checks that claim sets say do not hold")
    run = commands.add_parser("run", help="measure, then write into the documents; what was interrupted goes on")
    run.add_argument("names", nargs="*", metavar="NAME", help="publications (all but those that `list` sets apart)")
    run.add_argument("--out", type=Path, help="stores and results (published in the build folder)")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at the same time (%(default)s)")
    run.add_argument("--recordings", type=Path, help="folder of recorded cellular links")
    run.add_argument("--skip", action="append", default=[], metavar="NAME", help="leave this out; may be repeated")
    run.add_argument("--again", action="store_true", help="from an empty store")
    run.add_argument("--write", action="store_true", help="write what is measured, and measure nothing")
    run.add_argument("--changed", action="store_true", help="also with local changes, and say so in the documents")
    run.add_argument("--no-build", action="store_true", help="take the programs as they are")
    return parser


def listed(publications: Sequence[Publication]) -> str:
    """A line for each publication and page."""
    lines = [f"{'publication':<20} {'of one core':>11}  {'page':<40} measured on"]
    for one in publications:
        time = running.minutes(one.minutes)
        for page, commits in checking.stated(one, ROOT).items():
            said = ", ".join(dict.fromkeys(commits)) or "no commit"
            lines.append(f"{one.name:<20} {time:>11}  {page:<40} {said}")
        notes = [*(["measures the machine"] if one.machine else []), *(["wants recordings"] if one.recordings else [])]
        notes += [*(f"wants {name}" for name in one.needs), *([f"apart: {one.apart}"] if one.apart else [])]
        lines += [f"{'':<20} {'':>11}  ({'; '.join(notes)})"] if notes else []
    together = sum(one.minutes for one in publications if not one.apart)
    return "\n".join([*lines, f"all but those apart: {running.minutes(together)} of one core"])


def chosen(names: Sequence[str], skipped: Sequence[str]) -> list[Publication]:
    """Raises ValueError if there is none of a name."""
    known = {one.name: one for one in PUBLICATIONS}
    unknown = [name for name in (*names, *skipped) if name not in known]
    if unknown:
        raise ValueError(f"no such publication: {', '.join(unknown)}; `list` names them")
    wanted = [known[name] for name in names] if names else [one for one in PUBLICATIONS if not one.apart]
    return [one for one in wanted if one.name not in skipped]


def run(given: argparse.Namespace, parser: argparse.ArgumentParser) -> int:
    try:
        wanted = chosen(given.names, given.skip)
    except ValueError as error:
        parser.error(str(error))
    changed = [one for one in wanted if revision.CHANGED in running.current(one)]
    if changed and not (given.changed or given.write):
        parser.error(
            f"{', '.join((*revision.DECIDES, *changed[0].rests_on))} have local changes, so that no commit has what "
            f"would be measured for {changed[0].name}: commit them, or say --changed"
        )
    build = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
    if not given.no_build and not given.write:
        subprocess.run(["cmake", "--build", str(build)], check=True, stdout=subprocess.DEVNULL)
    recordings = given.recordings.resolve() if given.recordings else None
    out = (given.out or build / "published").resolve()
    place = Place(build, out, jobs=given.jobs, recordings=recordings)
    if not given.names and not given.write:
        wanted = running.possible(wanted, place)
    return running.run(wanted, place, given.again, given.write)


def check(current: bool) -> int:
    found = checking.problems(PUBLICATIONS, ROOT)
    if current:
        found += checking.outdated(PUBLICATIONS, ROOT)
        found += [f"not measured: {line}" for line in checking.pending(PUBLICATIONS, ROOT)]
    for line in found:
        print(line, file=sys.stderr)
    return int(bool(found))


def main() -> int:
    parser = arguments()
    given = parser.parse_args()
    if given.command == "list":
        print(listed(PUBLICATIONS))
        return 0
    if given.command == "declared":
        declared.write()
        return 0
    return check(given.current) if given.command == "check" else run(given, parser)


if __name__ == "__main__":
    sys.exit(main())
