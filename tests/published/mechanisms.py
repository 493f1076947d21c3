"""The tables of docs/results/hybrid.md: the ablation, and of what measured/mechanisms came to."""

from __future__ import annotations

from pathlib import Path

from .claims import Claim, ms, number, of, percent, read, round_trip_ms, table
from .publication import MEASURED, Command, Part, Place, PublishedError, claims, example

PAGE = "docs/results/hybrid.md"
ABLATION, SKEW, LOSS, ACKS = (Part(PAGE, mark) for mark in ("ablation", "skew", "loss", "acks"))
ABLATION_TABLE = "ablation.md"
HYBRID, UNAWARE = "hybrid", "hybrid:without=clock_skew"


def measure_ablation(place: Place, folder: Path) -> list[Command]:
    program = place.build / "target" / "release" / "examples" / "ablation"
    return [example("ablation"), Command((program,), prints=ABLATION_TABLE)]


def write_ablation(place: Place, folder: Path, commit: str) -> None:
    try:
        found = (folder / ABLATION_TABLE).read_text(encoding="utf-8")
    except OSError as error:
        raise PublishedError(f"{folder / ABLATION_TABLE}: {error.strerror}") from error
    ABLATION.write(place.root, found, commit)


def measure(place: Place, folder: Path) -> list[Command]:
    return [claims(place, folder, MEASURED / "mechanisms")]


def cell(claim: Claim, **parameters: str) -> str:
    used, delay = (claim.check(what).values(**parameters)[0] for what in ("used", "p95 delay"))
    return f"{percent(used, 1)}, {ms(delay)} ms"


def skew(claim: Claim) -> str:
    check = claim.check("used")
    columns = [(rate, cc) for rate in check.each("rate") for cc in (UNAWARE, HYBRID)]
    rows = [
        [drift(clock), *(cell(claim, rate=rate, cc=cc, skew=clock) for rate, cc in columns)]
        for clock in check.each("skew")
    ]
    head = [f"{number(rate)} Mbit/s" + (", `without=clock_skew`" if cc == UNAWARE else "") for rate, cc in columns]
    return table(("skew, ppm", *head), rows)


def drift(clock: str) -> str:
    """Of `{ drift_ppm = -50 }`."""
    return clock.partition("=")[2].strip(" }")


def loss(claim: Claim) -> str:
    check = claim.check("used")
    ccs = check.each("cc")
    rows = [
        [number(rate), kind(lost), *(percent(check.values(rate=rate, loss=lost, cc=cc)[0]) for cc in ccs)]
        for rate in check.each("rate")
        for lost in check.each("loss")
    ]
    return table(("Mbit/s", "losses", *(f"`{cc}`" if cc == HYBRID else cc for cc in ccs)), rows)


def kind(lost: str) -> str:
    return "3 % in bursts of ten" if lost.startswith("ge:") else f"{lost.rstrip('%')} %, one by one"


def acks(claim: Claim) -> str:
    check = claim.check("used")
    ccs = check.each("cc")
    rows = [
        [
            number(rate),
            round_trip_ms(way),
            number(batch),
            *(cell(claim, rate=rate, way=way, batch=batch, cc=cc) for cc in ccs),
        ]
        for rate in check.each("rate")
        for way in check.each("way")
        for batch in check.each("batch")
    ]
    head = [f"`{cc}`" if cc == HYBRID else cc for cc in ccs]
    return table(("Mbit/s", "RTT, ms", "ACKs every, ms", *head), rows)


def write(place: Place, folder: Path, commit: str) -> None:
    found = read(folder)
    for part, name, made in ((SKEW, "M1", skew), (LOSS, "M2", loss), (ACKS, "M3", acks)):
        part.write(place.root, made(of(found, name)), commit)
