"""The picture at the top of the README, and the sentences below it."""

from __future__ import annotations

import shutil
from pathlib import Path
from textwrap import fill

from .claims import Check, of, read
from .publication import Part, Place

PART = Part("README.md", "overview")
PICTURE = "docs/images/overview.svg"
RATE = 20e6
QUARTER = 0.25
"""Of bbr2's delay, with which that of hybrid is compared."""
SENTENCES = (
    "The picture shows one download over 20 Mbit/s with a round trip of 40 ms and a buffer of 80 ms. While it is "
    "alone, `hybrid` uses {alone:.1f} % of the path with a 95th percentile of the queueing delay of {delay:.1f} ms "
    "(bbr2: {bbr2:.1f} ms). From 20 to 40 s another server downloads with cubic, which fills the buffer. Meanwhile "
    "`hybrid` has {beside:.0f} % of the path. The client sends no receive timestamps. "
    "[One command](docs/targets.md#the-picture-of-the-readme) measures it and draws it again."
)


def only(check: Check) -> float:
    return check.points[0].first


def text(folder: Path) -> str:
    claim = of(read(folder), "O1")
    delay = claim.check("p95 delay while it is alone, against bbr2")
    found = SENTENCES.format(
        alone=100 * only(claim.check("throughput while it is alone")) / RATE,
        delay=1e3 * only(delay),
        bbr2=1e3 * delay.points[0].first_of_other / QUARTER,
        beside=100 * only(claim.check("throughput beside the other one")) / RATE,
    )
    return fill(found, 120, break_long_words=False, break_on_hyphens=False)


def write(place: Place, folder: Path, commit: str) -> None:
    PART.write(place.root, text(folder), commit)
    shutil.copy(folder / "figures" / "overview.svg", place.root / PICTURE)
