"""What docs/results/hunt.md says of random paths and of the published weakness."""

from __future__ import annotations

import re
import sys
from pathlib import Path

from hunt import page
from hunt.worst import read_cases

from .claims import table
from .programs import call
from .publication import Part, Place, PublishedError

PAGE = "docs/results/hunt.md"
WORST, PLANTED = Part(PAGE, "worst", "tests/hunt"), Part(PAGE, "planted", "tests/hunt")
RANDOM, WEAKNESS = Part(PAGE, "random"), Part(PAGE, "weakness")
PATHS = 200
KINDS = ("without", "with")


def harms(report: str) -> dict[str, tuple[str, str]]:
    """Bad paths and the worst of them, by harm, of what `sweep` reports."""
    rows = re.findall(r"^\| (\w+) \| (\d+) \| (-?[\d.]+) \|$", report.partition("## The ten worst")[0], re.MULTILINE)
    if not rows:
        raise PublishedError("the report of the sweep has no table of harms")
    return {harm: (bad, most) for harm, bad, most in rows}


def write_worst(place: Place, folder: Path, commit: str) -> None:
    """Table, pictures and reasons of tests/hunt/cases.json; the pictures are of runs of their own, of seconds."""
    where: list[str | Path] = ["--build-dir", place.build, "--out", folder]
    call([sys.executable, "-m", "hunt", "page", *where, "--publish"])
    WORST.sign(place.root, commit)


def write_random(place: Place, folder: Path, commit: str) -> None:
    found = [harms((folder / f"sweep-{kind}.md").read_text(encoding="utf-8")) for kind in KINDS]
    rows = [[harm, *(cell for of in found for cell in of[harm])] for harm in found[0]]
    head = ("harm", f"bad without receive timestamps, of {PATHS}", "worst, octaves", "bad with them", "worst, octaves")
    RANDOM.write(place.root, table(head, rows), commit)


def write_weakness(place: Place, folder: Path, commit: str) -> None:
    WEAKNESS.write(place.root, page.table(read_cases(folder / "weakness.json")), commit)
