"""Measures publications one after another, and writes what can be written."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from .names import ROOT
from .programs import environment
from .publication import Command, Place, Publication, PublishedError, revision

COMMIT = "commit"
"""File of a publication's folder with the commit that its measurements are of."""
OUTPUT = "output.txt"
"""And with what its commands say that nobody needs afterwards."""
INTERRUPTED = 130
BUSY = 0.5
"""Load from which on a measurement of the machine says that something else runs."""


def missing(publication: Publication, place: Place) -> str:
    """Why it cannot be measured here; nothing if it can."""
    if publication.recordings and place.recordings is None:
        return "wants recordings (--recordings DIR)"
    for name in publication.needs:
        if shutil.which(name) is None and not (place.build / name).exists():
            return f"wants {name}, which is not there"
    return ""


def possible(wanted: Sequence[Publication], place: Place) -> list[Publication]:
    """Without those that want what is not there, which are named."""
    for one in wanted:
        if why := missing(one, place):
            print(f"left out: {one.name} {why}", file=sys.stderr)
    return [one for one in wanted if not missing(one, place)]


def current(publication: Publication) -> str:
    """The commit that a measurement of now is of."""
    return revision.measured(ROOT, publication.rests_on)


def measured(folder: Path) -> str:
    """The commit of what is there; nothing if it is not finished."""
    file = folder / COMMIT
    return file.read_text(encoding="utf-8").strip() if file.is_file() else ""


def measure(publication: Publication, place: Place, again: bool) -> str:
    """Calls its commands, unless nothing could change, and tells the commit. Raises PublishedError where one fails."""
    commit = current(publication)
    folder = place.out / publication.name
    if again:
        shutil.rmtree(folder, ignore_errors=True)
    unchanged = measured(folder) == commit and revision.CHANGED not in commit
    if unchanged and not publication.keeps:
        print(f"{publication.name}: measured on {commit} already", file=sys.stderr, flush=True)
        return commit
    folder.mkdir(parents=True, exist_ok=True)
    (folder / COMMIT).unlink(missing_ok=True)
    (folder / OUTPUT).unlink(missing_ok=True)
    for command in publication.measure(place, folder):
        call(command, folder)
    if current(publication) != commit:
        raise PublishedError("what decides results has changed meanwhile: run it again")
    (folder / COMMIT).write_text(commit + "\n", encoding="utf-8")
    return commit


def call(command: Command, folder: Path) -> None:
    """Its progress is seen; what it prints is kept where somebody needs it."""
    words = [str(word) for word in command.words]
    out, mode = (folder / command.prints, "w") if command.prints else (folder / OUTPUT, "a")
    with out.open(mode, encoding="utf-8") as lines:
        try:
            done = subprocess.run(words, stdout=lines, cwd=ROOT, env=environment(), check=False)
        except OSError as error:
            raise PublishedError(f"{words[0]} cannot be called: {error.strerror}") from error
    if done.returncode not in command.fine:
        raise PublishedError(f"`{' '.join(map(shown, words[:4]))}` ended with code {done.returncode}")


def shown(word: str) -> str:
    return Path(word).name if word.startswith("/") else word


def run(chosen: Sequence[Publication], place: Place, again: bool, write_only: bool) -> int:
    """1 if one of them failed; those after it are made all the same."""
    failed, left = [], sum(publication.minutes for publication in chosen)
    for number, publication in enumerate(chosen, 1):
        print(
            f"[{number}/{len(chosen)}] {publication.name}: about {minutes(publication.minutes)} of one core; "
            f"with it {minutes(left)} are left",
            file=sys.stderr,
            flush=True,
        )
        left -= publication.minutes
        begin, used = time.monotonic(), processor_s()
        try:
            why = one(publication, place, again, write_only)
        except KeyboardInterrupt:
            print(f"{publication.name} is interrupted; a later call goes on with it", file=sys.stderr)
            return INTERRUPTED
        clock, core = minutes((time.monotonic() - begin) / 60), minutes((processor_s() - used) / 60)
        took = f"{publication.name}: {clock} of the clock, {core} of one core"
        print(f"{took}, failed: {why}" if why else took, file=sys.stderr, flush=True)
        failed += [f"{publication.name}: {why}"] if why else []
    for line in failed:
        print(f"failed: {line}", file=sys.stderr)
    print(f"{len(chosen) - len(failed)} of {len(chosen)} publications are written", file=sys.stderr)
    return int(bool(failed))


def one(publication: Publication, place: Place, again: bool, write_only: bool) -> str:
    """Why it failed; nothing if it is written."""
    folder = place.out / publication.name
    try:
        if write_only:
            commit = measured(folder)
            if not commit or publication.writes_itself:
                raise PublishedError(f"{folder} has no finished measurement that can be written")
        else:
            if why := missing(publication, place):
                raise PublishedError(why)
            if publication.machine and os.getloadavg()[0] > BUSY:
                print("it measures the machine, on which something else runs now", file=sys.stderr, flush=True)
            commit = measure(publication, place, again)
        publication.write(place, folder, commit)
    except (PublishedError, OSError) as error:
        return str(error)
    except SystemExit as error:
        return str(error.code)
    return ""


def processor_s() -> float:
    """Of all programs that were called and are over."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def minutes(amount: float) -> str:
    return (
        f"{amount / 60:.1f} h" if amount >= 60 else f"{max(amount, 0.1):.1g} min" if amount < 1 else f"{amount:.0f} min"
    )
