"""All publications, in the order in which they are measured: what is read most comes first, what needs a quiet machine
last."""

from __future__ import annotations

import shutil
from pathlib import Path

from . import beside_others, costs, drawn, hunts, mechanisms, mutants_page, overview, real_paths, tuning
from .endpoint import UNDER_LOAD
from .names import RFC9743, ROOT, TESTS, TIMESTAMPS
from .programs import by_file, by_page, by_program, hunting, measuring, reporting
from .publication import MEASURED, Command, Part, Place, Publication, claims, python

RESULTS = "docs/results"
REPORT = "tests/report/publish.py"
TARGETS = TESTS / "targets"


def of_targets(letters: str) -> measuring:
    return lambda place, folder: [claims(place, folder, TARGETS, "--only", letters)]


def of_measured(name: str) -> measuring:
    return lambda place, folder: [claims(place, folder, MEASURED / name)]


def recorded(place: Place, folder: Path) -> list[Command]:
    return [claims(place, folder, MEASURED / "recorded", "--recordings", place.recordings or "")]


def over_wandering_links(place: Place, folder: Path) -> list[Command]:
    links = folder / "links"
    runs = claims(place, folder / "runs", MEASURED / "wandering", "--recordings", links)
    return [python("-m", f"{__package__}.wandering", links), runs]


def rfc9743(place: Place, folder: Path) -> list[Command]:
    own = claims(place, folder / "own", RFC9743)
    return [own, claims(place, folder / "safety", TESTS / "safety", "--only", "U")]


def timestamps(place: Place, folder: Path) -> list[Command]:
    words = ("--build-dir", place.build, "--recordings", place.recordings or "", "--jobs", str(place.jobs))
    return [python(TIMESTAMPS / "worth.py", *words, "--out", folder)]


def write_timestamps(place: Place, folder: Path, commit: str) -> None:
    by_file(VALUE, "table.md")(place, folder, commit)
    for plot in ("gain", "price"):
        name = f"receive-timestamps-{plot}.svg"
        shutil.copy(folder / name, place.root / RESULTS / name)


RECEIVE_TIMESTAMPS = ("tests/receive_timestamps",)
CHECKER = ("qlog-analysis/src", "tests/mutants")
ENDPOINT = ("interop/endpoint",)


def of_timestamps(program: str) -> measuring:
    return lambda place, folder: [python(TIMESTAMPS / program, "--build-dir", place.build, "--out", folder)]


def mutants(*words: str) -> measuring:
    return lambda place, folder: [
        python("-m", "mutants", *words, "--build-dir", place.build, "--out", folder, fine=frozenset({0, 1}))
    ]


def matrix(place: Place, folder: Path) -> list[Command]:
    return [Command(("cmake", "--build", place.build, "--target", "matrix"))]


def programs(place: Place, folder: Path) -> list[Command]:
    return [Command(("cmake", "--build", place.build, "--target", "try-programs"))]


def fleet(place: Place, folder: Path) -> list[Command]:
    return [python(ROOT / "qlog-analysis" / "tests" / "fleet_speed.py", "--lab", place.lab, prints="fleet.md")]


FLEET = Part("qlog-analysis/README.md", "fleet")
C4, RFC_PAGE = Part(f"{RESULTS}/c4.md"), Part(f"{RESULTS}/rfc9743.md")
ACCESS = [Part(f"{RESULTS}/README.md", mark, REPORT) for mark in ("headline", "headline-wifi")]
HEADLINE = Part("README.md", "headline", REPORT)
ONE_FLOW = [Part(f"{RESULTS}/README.md", mark, REPORT) for mark in ("paths", "held-out")]
GROUPS, MEDIA, VALUE = (
    Part(f"{RESULTS}/{page}.md", mark)
    for page, mark in (("beside-others", "groups"), ("media", "table"), ("receive-timestamps", "table"))
)
BESIDE = tuple(beside_others.PARTS)
PATHS = (real_paths.WIFI, real_paths.JITTER, real_paths.BATCHES, real_paths.RETRIES)
MECHANISMS = (mechanisms.SKEW, mechanisms.LOSS, mechanisms.ACKS)

IN_THE_LAB = (
    Publication("overview", 0.2, [overview.PART], of_targets("O"), overview.write),
    Publication("access-links", 5, [*ACCESS, HEADLINE], *reporting(["headline", "headline-wifi"], [*ACCESS, HEADLINE])),
    Publication("tuning", 9, [tuning.PART], tuning.measure, tuning.write),
    Publication("drawn-paths", 6, [drawn.PART], of_targets(drawn.LETTER), drawn.write),
    Publication("real-paths", 1.5, PATHS, of_measured("paths"), real_paths.write_paths),
    Publication("recorded", 1, [real_paths.RECORDED], recorded, real_paths.write_recorded, recordings=True),
    Publication("wandering", 0.5, [real_paths.WANDERING], over_wandering_links, real_paths.write_wandering),
    Publication("beside-others", 6, BESIDE, of_targets(beside_others.LETTERS), beside_others.write),
    Publication(
        "groups",
        4,
        [GROUPS],
        of_timestamps("groups.py"),
        by_file(GROUPS, "table.md"),
        keeps=False,
        rests_on=RECEIVE_TIMESTAMPS,
    ),
    Publication(
        "media",
        0.5,
        [MEDIA],
        of_timestamps("encoder.py"),
        by_file(MEDIA, "table.md"),
        keeps=False,
        rests_on=RECEIVE_TIMESTAMPS,
    ),
    Publication(
        "receive-timestamps",
        6,
        [VALUE],
        timestamps,
        write_timestamps,
        keeps=False,
        recordings=True,
        rests_on=RECEIVE_TIMESTAMPS,
    ),
    Publication("c4", 5, [C4], of_targets("K,M"), by_page(C4, TARGETS / "c4_table.py", ["claims.json"])),
    Publication(
        "rfc9743",
        8,
        [RFC_PAGE],
        rfc9743,
        by_page(RFC_PAGE, RFC9743 / "page.py", ["own/claims.json", "safety/claims.json"]),
    ),
    Publication(
        "ablation", 3, [mechanisms.ABLATION], mechanisms.measure_ablation, mechanisms.write_ablation, keeps=False
    ),
    Publication("mechanisms", 2, MECHANISMS, of_measured("mechanisms"), mechanisms.write),
    Publication("one-flow", 60, ONE_FLOW, *reporting(["paths", "held-out"], ONE_FLOW, "--measure", "all")),
)
SEARCHES = (
    Publication("hunt-worst", 0.5, [hunts.WORST], hunting(["measure"]), hunts.write_worst),
    Publication("hunt-random", 2, [hunts.RANDOM], hunting(["sweep", "--count", str(hunts.PATHS)]), hunts.write_random),
    Publication("hunt-weakness", 3, [hunts.WEAKNESS], hunting(["weakness"]), hunts.write_weakness),
    Publication(
        "hunt-planted",
        35,
        [hunts.PLANTED],
        hunting(["planted", "--controls", "3"]),
        by_file(hunts.PLANTED, "planted.md"),
        keeps=False,
    ),
    Publication(
        "mutants-honest",
        60,
        [mutants_page.HONEST],
        mutants("honest", "--seed", str(mutants_page.FIRST_SEED), "--count", str(mutants_page.HONEST_RUNS)),
        mutants_page.write_honest,
        rests_on=CHECKER,
    ),
    Publication(
        "mutants-tests",
        60,
        [mutants_page.TESTED],
        mutants("tests", "--shard", mutants_page.SHARD),
        mutants_page.write_tested,
        keeps=False,
        needs=["tools/bin/cargo-mutants"],
        rests_on=["tests/contract", "tests/mutants", ".cargo"],
    ),
    Publication(
        "mutants", 150, [mutants_page.COUNTS, mutants_page.REST], mutants("run"), mutants_page.write, rests_on=CHECKER
    ),
)
COSTS = (
    Publication(
        "cost",
        2,
        [*costs.IN_COST, costs.CPU],
        costs.measure,
        costs.write,
        keeps=False,
        needs=["valgrind"],
        rests_on=["tests/cost"],
    ),
    Publication(
        "cost-interface",
        10,
        [costs.INTERFACE],
        costs.measure_interface,
        costs.write_interface,
        keeps=False,
        needs=["valgrind"],
        rests_on=["tests/cost"],
    ),
    Publication(
        "goodput",
        5,
        [costs.GOODPUT],
        costs.measure_goodput,
        costs.write_goodput,
        keeps=False,
        machine=True,
        rests_on=ENDPOINT,
    ),
    Publication(
        "goodput-gtlsclient",
        5,
        [costs.FOREIGN],
        costs.measure_foreign,
        costs.write_foreign,
        keeps=False,
        machine=True,
        needs=[costs.GTLSCLIENT],
        rests_on=ENDPOINT,
        apart="needs a client that `build/venv/bin/python interop/matrix/run.py install ngtcp2` brings",
    ),
    Publication(
        "fleet",
        4,
        [FLEET],
        fleet,
        by_file(FLEET, "fleet.md"),
        keeps=False,
        machine=True,
        rests_on=["qlog-analysis/src", "qlog-analysis/reader", "qlog-analysis/tests/fleet_speed.py"],
    ),
)
OTHERS = (
    Publication(
        "matrix",
        60,
        [Part("docs/matrix/results.md")],
        matrix,
        by_program([Part("docs/matrix/results.md")]),
        machine=True,
        writes_itself=True,
        apart="installs eleven implementations of others",
    ),
    Publication(
        "programs",
        30,
        [Part(f"{RESULTS}/programs.md")],
        programs,
        by_program([Part(f"{RESULTS}/programs.md")]),
        machine=True,
        writes_itself=True,
        apart="builds programs of others",
    ),
)
PUBLICATIONS = (*IN_THE_LAB, *SEARCHES, *COSTS, *UNDER_LOAD, *OTHERS)
