"""The report of hybrid's default profile on one page: build/report/index.html.

    cmake --build build --target report
    build/venv/bin/python tests/report/run.py --only paths,targets --jobs 1
    build/venv/bin/python tests/report/run.py --measure all

Of the suites of the README's table, `headline` and `headline-wifi`, it measures all controllers with this build.
Of `paths` and `held-out` it measures hybrid. The others' results are the published ones of docs/results, by an earlier
build, where no run is stored that holds for this build: at 1 Gbit/s a run of cubic takes up to half an hour.
--measure names others to be measured, `all` or --again all of them; do that after changes of quiche, of the links or
of what is measured. What is neither measured nor known is named on the page.

Stages that were interrupted go on where they stopped; what stands is reused while nothing that matters has changed. A
stage that fails is named on the page and leaves the others alone. Exit codes: 0 all is there; 1 a stage did not finish;
2 wrong usage.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
from pathlib import Path

import document
from stages import ROOT, Settings, Stage, all_stages, run

SUITES = ROOT / "tests" / "suites"
HEADLINE = ("headline", "headline-wifi")
# Suites whose results stand in for runs of them.
WITH_KNOWN = ("paths", "held-out")
PUBLISHED = ROOT / "docs" / "results"
# In place of names of controllers.
ALL = "all"


def parser() -> argparse.ArgumentParser:
    made = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    build = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
    made.add_argument("--build-dir", type=Path, default=build, help="has bin/cc-lab (%(default)s)")
    made.add_argument("--out", type=Path, help="folder of the report (report in the build folder)")
    made.add_argument(
        "--only", default="", metavar="STAGE,...", help="run only these; the page has what others left before"
    )
    made.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="runs at the same time (%(default)s)")
    add_sources(made)
    made.add_argument("--recordings", type=Path, help="folder with recordings of cellular links")
    for name in (*HEADLINE, *WITH_KNOWN):
        made.add_argument(f"--{name}", type=Path, default=SUITES / f"{name}.toml", help="suite (%(default)s)")
    made.add_argument("--targets", type=Path, default=ROOT / "tests" / "targets", help="claims (%(default)s)")
    return made


def add_sources(made: argparse.ArgumentParser) -> None:
    """Which runs of the suites are made, and where the other results come from."""
    made.add_argument(
        "--measure",
        metavar="CC,...",
        help="of paths and held-out make only runs of these, of others report what is there or known; all: of all "
        "(hybrid where results are known, else all)",
    )
    made.add_argument(
        "--known",
        type=Path,
        metavar="DIR",
        help="has paths.json and held-out.json, results of controllers that are not measured (docs/results, for the "
        "suites published there)",
    )
    runs = made.add_mutually_exclusive_group()
    runs.add_argument("--again", action="store_true", help="reuse nothing; measure all, unless --measure says whom")
    runs.add_argument("--stored", action="store_true", help="make no runs of the suites, report what is there or known")


def suites_of(given: argparse.Namespace) -> dict[str, Path]:
    """The suites' files, by the stage."""
    return {name: getattr(given, name.replace("-", "_")).resolve() for name in (*HEADLINE, *WITH_KNOWN)}


def known(given: argparse.Namespace) -> dict[str, Path]:
    """Files of results, by the stage that may take them. The published ones are of the project's own suites alone."""
    if given.measure == ALL or (given.again and not given.measure):
        return {}
    suites = {name: suite for name, suite in suites_of(given).items() if name in WITH_KNOWN}
    if given.known is None:
        files = {name: PUBLISHED / f"{name}.json" for name in suites}
        return {name: file for name, file in files.items() if suites[name] == SUITES / f"{name}.toml"}
    files = {name: given.known.resolve() / f"{name}.json" for name in suites}
    if missing := [file for file in files.values() if not file.is_file()]:
        raise ValueError(f"--known: there is no {missing[0]}; each of the suites needs a file")
    return files


def chosen(stages: list[Stage], only: str) -> list[Stage]:
    """The stages of this list; all if it is empty."""
    names = [name.strip() for name in only.split(",") if name.strip()]
    known = [stage.name for stage in stages]
    if unknown := [name for name in names if name not in known]:
        raise ValueError(f"there is no stage {unknown[0]!r}; there are {', '.join(known)}")
    return [stage for stage in stages if not names or stage.name in names]


def main() -> int:
    arguments = parser()
    given = arguments.parse_args()
    if given.jobs < 1:
        arguments.error("--jobs is the number of runs at the same time, at least 1")
    try:
        settings = settings_of(given)
        stages = all_stages(settings)
        selected = chosen(stages, given.only)
    except ValueError as error:
        arguments.error(str(error))
    done = make(settings, selected)
    page = settings.out / "index.html"
    report = document.write(settings, stages)
    drawn = subprocess.run([settings.lab, "page", report, "--out", page], check=False)
    if drawn.returncode != 0:
        return 1
    print(f"{'the report' if done else 'the report, of what there is'}: {page}", file=sys.stderr)
    return 0 if done else 1


def settings_of(given: argparse.Namespace) -> Settings:
    return Settings(
        build=given.build_dir.resolve(),
        out=(given.out or given.build_dir / "report").resolve(),
        suites=suites_of(given),
        targets=given.targets.resolve(),
        jobs=given.jobs,
        again=given.again,
        measured=None if given.measure == ALL else given.measure,
        stored=given.stored,
        known=known(given),
        recordings=given.recordings.resolve() if given.recordings else None,
    )


def make(settings: Settings, selected: list[Stage]) -> bool:
    """Runs the stages one after another; whether all of them finished."""
    done = True
    for number, stage in enumerate(selected, 1):
        place = f"[{number}/{len(selected)}] {stage.name}"
        if stage.needs and not stage.needs.exists():
            print(f"{place}: left out, there is no {stage.needs}", file=sys.stderr, flush=True)
            continue
        print(f"{place}: {stage.title}", file=sys.stderr, flush=True)
        try:
            state = run(settings, stage)
        except KeyboardInterrupt:
            print(f"{place}: interrupted; the next call goes on from here", file=sys.stderr, flush=True)
            return False
        if not state.done:
            print(f"error: {stage.name}: {state.message}", file=sys.stderr, flush=True)
            done = False
    return done


if __name__ == "__main__":
    sys.exit(main())
