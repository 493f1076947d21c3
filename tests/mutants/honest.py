"""Random runs of honest controllers: what the checker accuses in them is a fault of it or of the controller."""

from __future__ import annotations

import argparse
import importlib.util
import random
import sys
from collections import Counter
from functools import partial
from pathlib import Path
from types import ModuleType

import msgspec

from .catalogue import CONTROLLERS, ROOT
from .interval import shown
from .judge import FAIL, NOT_JUDGED, Journal, Verdict, checker_digests, verdict
from .progress import told
from .traces import drive, trace_of
from .tree import sources_digests

PATH = "qlog-analysis/tests/scenarios/path.toml"
BESIDE = "qlog-analysis/tests/scenarios/neighbour.toml"
MOST_BYTES = 1.2e6
"""That a path carries in a run: thousands of runs fit into a night."""


class Drawn(msgspec.Struct, frozen=True):
    """A run."""

    seed: int
    spec: str
    scenario: str
    sets: tuple[str, ...]

    @property
    def name(self) -> str:
        return f"seed {self.seed}, {self.spec}"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--count", type=int, default=400, help="runs (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the first; the others follow (%(default)s)")
    parser.add_argument("--cc", default=",".join(CONTROLLERS), help="leave out runs of others (%(default)s)")
    parser.add_argument("--lab", type=Path, help="the lab (bin/cc-lab in the build folder)")
    parser.add_argument("--most", type=int, help="alarms that are not taken for a failure (any number)")


def draw(seed: int) -> Drawn:
    """The same for the same seed: a controller on a path of its own, or beside a neighbour that fills the buffer."""
    r = random.Random(f"mutants {seed}")
    spec = r.choice(CONTROLLERS)
    if r.random() < 0.2:
        return Drawn(seed, spec, BESIDE, beside(r))
    return Drawn(seed, spec, PATH, _drawn_paths().draw(seed, spec, MOST_BYTES).values + route(r))


def beside(r: random.Random) -> tuple[str, ...]:
    """A neighbour that comes, or was there, and leaves."""
    rate, start = 10 ** r.uniform(5.7, 6.3), r.choice((0.0, r.uniform(0.5, 4.0)))
    rtt = 10 ** r.uniform(0.8, 2.0)
    return (
        "duration=12s",
        f"link.there.rate={rate / 1e3:.0f}kbps",
        f"link.there.buffer={r.choice(('20p', '100ms', '1bdp', '3bdp'))}",
        f"flow.main.rtt={rtt:.1f}ms",
        f"flow.neighbour.rtt={rtt * r.choice((1.0, 0.5, 2.0)):.1f}ms",
        f"flow.main.start={2.0 - start if start < 2.0 else 0.0:.2f}s",
        f"flow.neighbour.start={start:.2f}s",
        f"flow.neighbour.stop={r.uniform(6.0, 12.0):.2f}s",
        f"flow.main.timestamps={r.choice(('true', 'false'))}",
    )


def route(r: random.Random) -> tuple[str, ...]:
    """Sometimes the route changes."""
    if r.random() < 0.85:
        return ()
    delays = [10 ** r.uniform(0.3, 2.0) for _ in range(2)]
    return (f"link.there.delay={delays[0]:.1f}ms@0s,{delays[1]:.1f}ms@{r.uniform(1.0, 5.0):.1f}s",)


def _drawn_paths() -> ModuleType:
    """The drawing of paths and sources that qlog-analysis tests its invariants with."""
    name = "drawn_paths"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, ROOT / "qlog-analysis" / "tests" / f"{name}.py")
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    return sys.modules[name]


def run(given: argparse.Namespace) -> int:
    """0 unless there are more alarms than allowed."""
    lab = given.lab or given.build_dir / "bin" / "cc-lab"
    journal = Journal(given.out / "honest.jsonl")
    sources, checkers = sources_digests(), checker_digests()
    drawn = [draw(seed) for seed in range(given.seed, given.seed + given.count)]
    runs = [one for one in drawn if one.spec in given.cc.split(",")]
    said = {
        one: journal.get(f"{sources[one.spec]}:{checkers[one.spec]}:{one}", partial(judged, lab, one))
        for one in told(runs, "run")
    }
    alarms = {one: of for one, of in said.items() if of.outcome == FAIL}
    for one, of in alarms.items():
        print(f"{one.name}: {', '.join(of.laws)}: {of.first}\n    {one.scenario} {' '.join(one.sets)}")
    silent = Counter(of.first or "too little to judge" for of in said.values() if of.outcome == NOT_JUDGED)
    print(f"alarms: {shown(len(alarms), len(runs))}")
    print(f"not judged: {shown(sum(silent.values()), len(runs))}")
    for why, count in silent.most_common():
        print(f"  {count}: {why}")
    rows = [{"seed": one.seed, "spec": one.spec, "verdict": of} for one, of in said.items()]
    (given.out / "honest.json").write_bytes(msgspec.json.format(msgspec.json.encode(rows), indent=1))
    return int(given.most is not None and len(alarms) > given.most)


def judged(lab: Path, drawn: Drawn) -> Verdict:
    with drive(lab, drawn.spec, drawn.scenario, drawn.sets, drawn.seed) as flows:
        trace = trace_of(flows, "main")
        return Verdict(NOT_JUDGED, (), "the run failed") if trace is None else verdict(trace)
