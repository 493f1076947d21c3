"""What docs/results/endpoint.md says of cc-server under load."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from .names import TESTS
from .programs import measuring
from .publication import Command, Part, Place, Publication, python

PAGE = "docs/results/endpoint.md"
LOAD = TESTS / "load"
NGINX = "peers/nginx/bin/nginx"
RESTS_ON = ("interop/endpoint", "tests/load")
DOWNLOADS, MANY, WORKERS, HONEST, LEFT, IDLE, MOST = (
    Part(PAGE, mark) for mark in ("downloads", "many", "workers", "honest", "left", "idle", "most")
)
ROUNDS = {"downloads": 3, "many": 2, "workers": 3, "honest": 3, "idle": 2}


def bench(name: str, *words: str) -> Command:
    more = ("--rounds", str(ROUNDS[name]), *words)
    return python(LOAD / "downloads.py", *more, prints=f"{name}.md")


def measure_downloads(place: Place, folder: Path) -> list[Command]:
    return [bench("downloads"), bench("many", "--downloads", "500", "--bytes", "1000000")]


def measure_workers(place: Place, folder: Path) -> list[Command]:
    return [bench("workers", "--set", "workers", "--downloads", "16", "--bytes", "20000000")]


def measure_honest(place: Place, folder: Path) -> list[Command]:
    tables = ("--waits", folder / "honest.md", "--left", folder / "left.md")
    return [python(LOAD / "honest.py", "--rounds", str(ROUNDS["honest"]), *tables)]


def measure_idle(place: Place, folder: Path) -> list[Command]:
    cargo = ("cargo", "build", "--release", "--locked")
    both = ("--server", "cc-server", "--server", "nginx", "--rounds", "1", "--timeout", "400")
    return [
        Command((*cargo, "-p", "quiche-cc-endpoint", "--example", "idle_clients")),
        Command((*cargo, "-p", "quiche", "--example", "http3-server")),
        python(LOAD / "idle.py", "--ping", "1", "--rounds", str(ROUNDS["idle"]), prints="idle.md"),
        python(LOAD / "idle.py", "--connections", "10000", "--ping", "600", *both, prints="most.md"),
    ]


def write(parts: Sequence[Part]) -> Callable[[Place, Path, str], None]:
    def written(place: Place, folder: Path, commit: str) -> None:
        for part in parts:
            part.write(place.root, (folder / f"{part.mark}.md").read_text(encoding="utf-8"), commit)

    return written


def under_load(name: str, minutes: float, parts: Sequence[Part], measure: measuring, **more: Any) -> Publication:
    """One of a loaded server, which measures the machine."""
    return Publication(
        f"endpoint-{name}",
        minutes,
        parts,
        measure,
        write(parts),
        keeps=False,
        machine=True,
        rests_on=RESTS_ON,
        **more,
    )


UNDER_LOAD = (
    under_load("downloads", 8, [DOWNLOADS, MANY], measure_downloads),
    under_load("workers", 3, [WORKERS], measure_workers),
    under_load("honest", 5, [HONEST, LEFT], measure_honest),
    under_load(
        "idle",
        6,
        [IDLE, MOST],
        measure_idle,
        needs=[NGINX],
        apart="needs a server that `build/venv/bin/python interop/matrix/run.py install nginx` brings",
    ),
)
