"""Runs of the lab, each kept as a line in a store, so that an interrupted hunt goes on where it was."""

from __future__ import annotations

import csv
import hashlib
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from pathlib import Path as File
from signal import SIGKILL, SIGXCPU
from statistics import fmean

import msgspec
from cluster.errors import ClusterError
from cluster.lab import Program, built
from json_lines import JsonLines

from .harms import Figures
from .scenario import BOTTLENECK, INTERVAL_MS, MAIN, text
from .space import Path

ROOT = File(__file__).resolve().parents[2]
LONGEST_RUN_S = 8
"""Of processor time; tens of times what a run takes. A controller that floods its path never comes to an end."""
CUT_OFF = Figures(0.0, 0.0, 0.0, 0.0, 1.0, 0.0, cut_off=True)


class HuntError(Exception):
    """What is wrong, for the user."""


class CutOff(HuntError):
    """A run took more processor time than it may."""


@dataclass(frozen=True)
class Run:
    """What is asked for."""

    path: Path
    cc: str
    timestamps: bool
    seed: int

    def scenario(self) -> str:
        return text(self.path, "A path of the hunt", self.timestamps)


class Entry(msgspec.Struct, frozen=True):
    """A line of the store."""

    key: str
    figures: Figures


class _Mean(msgspec.Struct):
    mean: float


class _Flow(msgspec.Struct):
    name: str
    goodput_bps: float = 0.0
    loss_share: float | None = None
    queueing_ms: _Mean | None = None


class _Link(msgspec.Struct):
    name: str
    capacity_bps: float | None


class _Summary(msgspec.Struct):
    flows: list[_Flow]
    links: list[_Link]


@dataclass(frozen=True)
class Maker:
    """Makes runs of one path and seed, in a form that can be sent."""

    versions: str
    program: File | None = None
    """Where the maker is of this machine; else it looks for its own."""

    def __call__(self, scenario: str, seed: int, ccs: Sequence[str]) -> dict[str, Figures]:
        program = self.program or own_program(self.versions)
        with tempfile.TemporaryDirectory(prefix="hunt-") as folder:
            file, out = File(folder) / "path.toml", File(folder) / "out"
            file.write_text(scenario, encoding="utf-8")
            try:
                folders = run_lab(program, file, out, ccs, seed)
            except CutOff:
                if len(ccs) == 1:
                    return {ccs[0]: CUT_OFF}
                return {cc: self(scenario, seed, [cc])[cc] for cc in ccs}
            return {cc: read(where) for cc, where in folders.items()}


@cache
def own_program(versions: str) -> File:
    """That of the build folder here, which has to be of these versions."""
    try:
        program = Program(built())
        if (own := program.versions()) != versions:
            raise HuntError(f"{program.file} is of another version, {own}; needed is {versions}")
    except ClusterError as error:
        raise HuntError(str(error)) from error
    return program.file


@dataclass(frozen=True)
class Crew:
    """Who makes runs."""

    jobs: int = 1
    """Runs at the same time."""
    elsewhere: Executor | None = None
    """Where not on this machine."""


class Lab:
    """A program, and every answer it ever gave."""

    def __init__(self, program: File, store: File, crew: Crew | None = None) -> None:
        if not program.is_file():
            raise HuntError(f"{program} does not exist; build it with `cmake --build build`")
        self.crew = crew or Crew()
        versions = Program(program).versions()
        self._maker = Maker(versions, None if self.crew.elsewhere else program)
        self._digest = hashlib.sha256(versions.encode()).hexdigest()[:16]
        self._store = JsonLines(store, Entry)
        self._known = {entry.key: entry.figures for entry in self._store.read()}
        self.made = 0
        """Runs that were not in the store."""

    def figures(self, runs: Sequence[Run]) -> list[Figures]:
        """In the order of the runs. Runs that are missing are made, those of one path and seed by one process."""
        missing: dict[tuple[str, int], set[str]] = {}
        for run in runs:
            if self._key(run) not in self._known:
                missing.setdefault((run.scenario(), run.seed), set()).add(run.cc)
        asked = [(scenario, seed, sorted(ccs)) for (scenario, seed), ccs in missing.items()]
        for (scenario, seed, _), found in zip(asked, self._made(asked), strict=True):
            for cc, figures in found.items():
                self._note(key_of(self._digest, scenario, cc, seed), figures)
        return [self._known[self._key(run)] for run in runs]

    def _key(self, run: Run) -> str:
        return key_of(self._digest, run.scenario(), run.cc, run.seed)

    def _made(self, asked: Sequence[tuple[str, int, Sequence[str]]]) -> Iterator[dict[str, Figures]]:
        if self.crew.elsewhere is not None:
            futures = [self.crew.elsewhere.submit(self._maker, *one) for one in asked]
            yield from map(_result, futures)
            return
        with ThreadPoolExecutor(self.crew.jobs) as pool:
            yield from pool.map(lambda one: self._maker(*one), asked)

    def _note(self, key: str, figures: Figures) -> None:
        self._known[key] = figures
        self.made += 1
        self._store.add(Entry(key, figures))


def _result(future: Future[dict[str, Figures]]) -> dict[str, Figures]:
    try:
        return future.result()
    except HuntError:
        raise
    except Exception as error:  # of the cluster: one worker after the other was killed, or one cannot load this package
        raise HuntError(f"the cluster has not made a run: {type(error).__name__}: {error}") from error


def key_of(versions: str, scenario: str, cc: str, seed: int) -> str:
    return hashlib.sha256(f"{versions}\0{scenario}\0{cc}\0{seed}".encode()).hexdigest()[:24]


def run_lab(
    program: File, scenario: File, out: File, ccs: Sequence[str], seed: int, options: Sequence[str] = ()
) -> Mapping[str, File]:
    """The folder of every controller. A run that fails is a finding of its own: the error has its scenario."""
    # A limit of processor time is one that a busy machine does not change.
    command = ["sh", "-c", 'ulimit -t "$0" && exec "$@"', str(LONGEST_RUN_S), str(program), "run", str(scenario)]
    command += ["--seed", str(seed), "--jobs", "1", "--out", str(out), *options]
    command += [word for cc in ccs for word in ("--cc", cc)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    asked = f"{', '.join(ccs)}, seed {seed}"
    if done.returncode in (-SIGXCPU, -SIGKILL):
        raise CutOff(f"{asked}: more than {LONGEST_RUN_S} s of processor time:\n{scenario.read_text()}")
    if done.returncode != 0:
        raise HuntError(f"{asked}: cc-lab failed: {done.stderr[-2000:]}\n{scenario.read_text()}")
    if len(ccs) == 1:
        return {ccs[0]: out}
    return {cc: out / f"{_as_file(cc)},seed={seed}" for cc in ccs}


def _as_file(cc: str) -> str:
    return "".join(sign if sign.isalnum() or sign in "-_.,=+" else "_" for sign in cc)


def read(folder: File) -> Figures:
    try:
        found = msgspec.json.decode((folder / "summary.json").read_bytes(), type=_Summary)
    except (OSError, msgspec.MsgspecError) as error:
        raise HuntError(f"{folder / 'summary.json'}: {error}") from error
    main = next(flow for flow in found.flows if flow.name == MAIN)
    others = [flow.goodput_bps for flow in found.flows if flow.name != MAIN]
    capacity = next(link.capacity_bps for link in found.links if link.name == BOTTLENECK)
    return Figures(
        capacity_bps=capacity or 0.0,
        goodput_bps=main.goodput_bps,
        silence_s=silence(folder / "flows.csv"),
        queueing_ms=main.queueing_ms.mean if main.queueing_ms else 0.0,
        loss=main.loss_share or 0.0,
        neighbours_bps=fmean(others) if others else 0.0,
    )


def silence(series: File) -> float:
    """The longest time in which nothing was delivered in order."""
    longest = lasts = 0
    with series.open(newline="", encoding="utf-8") as lines:
        for line in csv.DictReader(lines):
            if line["flow"] == MAIN:
                lasts = 0 if float(line["goodput_bps"] or 0) > 0 else lasts + 1
                longest = max(longest, lasts)
    return longest * INTERVAL_MS / 1e3
