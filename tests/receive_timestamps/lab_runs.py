"""The runs of the lab that show what receive timestamps are worth, and what is read out of them."""

from __future__ import annotations

import csv
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from pathlib import Path
from statistics import fmean
from typing import TypeVar

import msgspec

SUBJECT = "hybrid"
START_BINS, STARTED = 10, 0.9
"""Started is who has so much of the later mean over so many bins."""

Settings = Mapping[str, str]
T = TypeVar("T")


class PathDecl(msgspec.Struct, forbid_unknown_fields=True):
    """A path, as in the file."""

    name: str
    scenario: str
    set: dict[str, str] = {}
    packets_per_ack: list[int] = []
    timestamps_per_ack: list[int] = []
    recording: str | None = None
    fairness: bool = True


class File(msgspec.Struct, forbid_unknown_fields=True):
    """paths.toml."""

    seeds: int
    packets_per_ack: list[int]
    timestamps_per_ack: list[int]
    set: dict[str, str]
    fairness: dict[str, str]
    path: list[PathDecl]


@dataclass(frozen=True)
class Variant:
    """How the client of a path acknowledges."""

    packets_per_ack: int
    timestamps_per_ack: int
    """0 for none."""

    def settings(self) -> dict[str, str]:
        given = {"flow.main.packets_per_ack": str(self.packets_per_ack)}
        if self.timestamps_per_ack == 0:
            return given | {"flow.main.timestamps": "false"}
        return given | {"flow.main.timestamps_per_ack": str(self.timestamps_per_ack)}

    def __str__(self) -> str:
        return f"{self.packets_per_ack}-{self.timestamps_per_ack}"


@dataclass(frozen=True)
class Run:
    """What one seed has shown."""

    used: float
    """Throughput by the capacity of the bottleneck."""
    p95_ms: float
    start_s: float
    errors_ms: Sequence[float]
    """Queueing delay that the controller estimated, less the true one, at every look."""
    ack_packets: float
    """For each delivered megabyte."""
    ack_bytes: float


@dataclass(frozen=True)
class Point:
    """All seeds of a variant of a path."""

    path: str
    variant: Variant
    runs: Sequence[Run]
    jain: Sequence[float]
    """Of three flows; none if that was not measured."""


@dataclass(frozen=True)
class Lab:
    """Where things are."""

    program: Path
    file: Path
    out: Path
    jobs: int
    recordings: Path | None

    def run(self, scenario: Path, name: str, settings: Settings, seeds: int, cc: str = SUBJECT) -> list[Path]:
        """The folder of every seed."""
        out = self.out / name
        sets = [word for key, value in settings.items() for word in ("--set", f"{key}={value}")]
        command = [self.program, "run", scenario, "--cc", cc, "--seeds", f"1..{seeds}", *sets]
        command += ["--jobs", str(self.jobs), "--out", out]
        result = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"error: cc-lab failed on {name}:\n{result.stderr[-2000:]}")
        return [found.parent for found in sorted(out.rglob("summary.json"))]


def decoded(path: Path, kind: type[T]) -> T:
    """A file of the lab's or one that is written by hand."""
    try:
        if path.suffix == ".toml":
            return msgspec.toml.decode(path.read_bytes(), type=kind)
        return msgspec.json.decode(path.read_bytes(), type=kind)
    except (OSError, msgspec.MsgspecError) as error:
        raise SystemExit(f"error: {path}: {error}") from error


def variants(file: File, path: PathDecl) -> list[Variant]:
    """Without receive timestamps first."""
    packets = path.packets_per_ack or file.packets_per_ack
    timestamps = path.timestamps_per_ack or file.timestamps_per_ack
    return [Variant(*both) for both in product(packets, [0, *timestamps])]


def settings_of(path: PathDecl, recordings: Path | None) -> dict[str, str] | None:
    """None if the recording is not at hand."""
    if path.recording is None:
        return dict(path.set)
    if recordings is None:
        return None
    return path.set | {"link.bottleneck.rate": f"trace:{(recordings / path.recording).resolve()}"}


def measure(lab: Lab) -> Iterator[Point]:
    file = decoded(lab.file, File)
    for number, path in enumerate(file.path):
        own = settings_of(path, lab.recordings)
        if own is None:
            continue
        scenario = lab.file.parent / path.scenario
        for variant in variants(file, path):
            name = f"{number}-{variant}"
            of_both = own | variant.settings()
            folders = lab.run(scenario, name, file.set | of_both, file.seeds)
            jain = []
            if path.fairness:
                several = lab.run(scenario, f"{name}-fairness", of_both | file.fairness, file.seeds)
                jain = [jain_of(folder) for folder in several]
            yield Point(path.name, variant, [read(folder) for folder in folders], jain)


class Queueing(msgspec.Struct):
    p95: float


class Flow(msgspec.Struct):
    name: str
    from_s: float
    to_s: float
    goodput_bps: float
    throughput_bps: float
    returned_packets: int
    returned_bytes: int
    queueing_ms: Queueing | None


class Link(msgspec.Struct):
    name: str
    capacity_bps: float | None


class Overall(msgspec.Struct):
    jain: float | None


class Summary(msgspec.Struct):
    overall: Overall
    flows: list[Flow]
    links: list[Link]


def jain_of(folder: Path) -> float:
    jain = decoded(folder / "summary.json", Summary).overall.jain
    if jain is None:
        raise SystemExit(f"error: {folder} has no flows that compete all the time")
    return jain


def read(folder: Path) -> Run:
    found = decoded(folder / "summary.json", Summary)
    flow = next(flow for flow in found.flows if flow.name == "main")
    if flow.queueing_ms is None:
        raise SystemExit(f"error: nothing of the flow in {folder} arrived")
    capacity = next(link.capacity_bps for link in found.links if link.name == "bottleneck")
    if not capacity:
        raise SystemExit(f"error: the bottleneck of {folder} has no rate")
    with (folder / "flows.csv").open(newline="") as lines:
        bins = [line for line in csv.DictReader(lines) if line["flow"] == "main"]
    megabytes = flow.goodput_bps * (flow.to_s - flow.from_s) / 8e6
    return Run(
        used=flow.throughput_bps / capacity,
        p95_ms=flow.queueing_ms.p95,
        start_s=start(bins, flow.from_s),
        errors_ms=errors(bins, flow.from_s),
        ack_packets=flow.returned_packets / megabytes,
        ack_bytes=flow.returned_bytes / megabytes,
    )


def start(bins: Sequence[Mapping[str, str]], settled: float) -> float:
    """From the start of the flow until it has its later throughput; what comes after `settled` is later."""
    rates = [float(line["throughput_bps"]) for line in bins]
    later = fmean(rate for rate, line in zip(rates, bins, strict=True) if float(line["from_s"]) >= settled)
    for last in range(START_BINS, len(bins)):
        if fmean(rates[last - START_BINS : last]) >= STARTED * later:
            return float(bins[last]["from_s"]) - float(bins[0]["from_s"])
    return float("nan")


def errors(bins: Sequence[Mapping[str, str]], settled: float) -> list[float]:
    """The sender is looked at when a bin begins: that is held against what waited in the bin before."""
    found = []
    for before, now in pairwise(bins):
        truth, told = before["queueing_mean_ms"], now["told_queueing_ms"]
        if float(now["from_s"]) >= settled and truth and told:
            found.append(float(told) - float(truth))
    return found
