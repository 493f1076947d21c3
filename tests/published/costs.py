"""What docs/cost.md says of the interface and of loopback."""

from __future__ import annotations

import os
import re
import shutil
import sys
from pathlib import Path

from .claims import table
from .names import TESTS
from .programs import call
from .publication import Command, Part, Place, PublishedError, python

PAGE, NUMBERS = "docs/cost.md", "docs/results/cost.json"
IN_COST = [Part(PAGE, mark, "tests/cost") for mark in ("summary", "per-ack", "together", "target")]
CPU = Part("README.md", "cpu", "tests/cost")
INTERFACE, GOODPUT, FOREIGN = (Part(PAGE, mark) for mark in ("interface", "goodput", "goodput-gtlsclient"))
COST = TESTS / "cost"
GTLSCLIENT = "peers/ngtcp2/bin/gtlsclient"
ARGUMENTS = "--quiet --exit-on-all-streams-close {address} {port} https://localhost:{port}/{bytes}"
ROUNDS, BYTES = "12", "300000000"


def measure(place: Place, folder: Path) -> list[Command]:
    return [python(COST / "cost.py", "--numbers", folder / "cost.json")]


def write(place: Place, folder: Path, commit: str) -> None:
    shutil.copy(folder / "cost.json", place.root / NUMBERS)
    call([sys.executable, COST / "page.py", "--root", place.root])
    for part in (*IN_COST, CPU):
        part.sign(place.root, commit)


def measure_interface(place: Place, folder: Path) -> list[Command]:
    return [python(COST / "bbr2.py", prints="interface.txt")]


def write_interface(place: Place, folder: Path, commit: str) -> None:
    """The columns of bbr2.py are at least two blanks apart, or behind what has none."""
    text = (folder / "interface.txt").read_text(encoding="utf-8")
    rows = re.findall(r"^(\S.*?) +([\d.]+) +([\d.]+) +([\d.]+) +([\d.]+)$", text, re.MULTILINE)
    said = re.search(r"^each run: (.*)$", text, re.MULTILINE)
    if not rows or said is None:
        raise PublishedError(f"{folder / 'interface.txt'} has no table")
    found = [[name, f"{int(ack):,}", packet, whole, ratio] for name, ack, packet, whole, ratio in rows]
    head = ("quiche 0.30.0", "per ACK", "per packet", "all, million", "by published")
    INTERFACE.write(place.root, table(head, found) + f"\nEach run: {said[1]}.\n", commit)


def measure_goodput(place: Place, folder: Path) -> list[Command]:
    more = ("--timestamps", "on,off", "--rounds", ROUNDS, "--bytes", BYTES)
    return [python(COST / "goodput.py", *more, prints="goodput.md")]


def measure_foreign(place: Place, folder: Path) -> list[Command]:
    client = f"{place.build / GTLSCLIENT} {ARGUMENTS}"
    more = ("--rounds", ROUNDS, "--bytes", BYTES, "--client", client)
    return [python(COST / "goodput.py", *more, prints="goodput.md")]


def machine() -> str:
    return f"{os.cpu_count()} processors; {ROUNDS} rounds of {int(BYTES) // 10**6} MB.\n"


def write_goodput(place: Place, folder: Path, commit: str) -> None:
    GOODPUT.write(place.root, (folder / "goodput.md").read_text(encoding="utf-8") + "\n" + machine(), commit)


def write_foreign(place: Place, folder: Path, commit: str) -> None:
    FOREIGN.write(place.root, (folder / "goodput.md").read_text(encoding="utf-8") + "\n" + machine(), commit)
