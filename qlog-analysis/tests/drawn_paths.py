"""Paths, sources and controllers drawn at random, for traces of honest senders; and how many of them raise an alarm.

    PYTHONPATH=src python tests/drawn_paths.py --lab ../build/bin/cc-lab --count 400 --seed 1

runs so many in the lab, judges each trace by the invariants, and prints every alarm and how many there were.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

SCENARIO = Path(__file__).resolve().parent / "scenarios" / "path.toml"
SPECS = ("hybrid", "hybrid:paper", "cubic", "reno", "bbr2", "smallq", "vegas", "rrr", "raimd")
MOST_BYTES = 3e6
"""That a run may carry: short traces are judged quickly."""


@dataclass(frozen=True)
class Drawn:
    spec: str
    seed: int
    values: tuple[str, ...]

    def run(self, lab: Path, folder: Path) -> Path:
        sets = [part for value in self.values for part in ("--set", value)]
        command = [str(lab), "run", str(SCENARIO), "--cc", self.spec, "--seed", str(self.seed), "--qlog", *sets]
        subprocess.run([*command, "--out", str(folder)], check=True, capture_output=True, timeout=300)
        return folder / "qlog" / "main.sqlog"


def draw(seed: int, spec: str | None = None, most_bytes: float = MOST_BYTES) -> Drawn:
    """The same for the same seed and size. It lasts 2 to 12 s: as long as the path would take for so many bytes."""
    r = random.Random(seed)
    rate = 10 ** r.uniform(5.5, 7.7)
    delay = 10 ** r.uniform(0.0, 2.1)
    duration = min(max(most_bytes * 8.0 / rate, 2.0), 12.0)
    values = [
        f"duration={duration:.1f}s",
        f"link.there.rate={rate / 1e3:.0f}kbps",
        f"link.there.delay={delay:.2f}ms",
        f"link.back.delay={delay * r.choice((1.0, 1.0, 0.5, 2.0)):.2f}ms",
        f"link.there.buffer={r.choice(('5p', '20p', '60p', '50ms', '200ms', '1bdp', '4bdp'))}",
    ]
    values += _wire(r, duration) + _flow(r)
    return Drawn(spec or r.choice(SPECS), seed, tuple(values))


def _wire(r: random.Random, duration: float) -> list[str]:
    """What the link does to packets and ACKs."""
    out = []
    if r.random() < 0.5:
        out.append(f"link.there.loss={10 ** r.uniform(-1.0, 1.3):.2f}%")
    if r.random() < 0.3:
        out.append(f"link.there.jitter=uniform:min=0ms,max={r.uniform(1, 30):.1f}ms,order={r.choice(('keep', 'free'))}")
    if r.random() < 0.2:
        out.append(f"link.there.reorder=p={r.uniform(0.2, 5):.1f}%,extra={r.uniform(1, 40):.0f}ms")
    if r.random() < 0.3:
        out.append(f"link.back.aggregate=interval={r.uniform(1, 25):.0f}ms")
    if r.random() < 0.2:
        out.append(f"link.back.loss={r.uniform(0.5, 20):.1f}%")
    if r.random() < 0.2:
        out.append(f"link.back.rate={r.uniform(60, 500):.0f}kbps")
    if r.random() < 0.25:
        begin = r.uniform(0.3, 0.7) * duration
        out.append(f"link.there.outages={begin:.2f}s..{begin + 10 ** r.uniform(-1.0, 0.4):.2f}s")
    if r.random() < 0.3:
        out.append("link.there.queue=" + r.choice(("mark:q0=20p", "codel", "pie", "step:2ms")))
    return out


def _flow(r: random.Random) -> list[str]:
    """What is sent, and by whom to whom."""
    out = [f"flow.main.initial_window={r.choice((2, 10, 10, 10, 32))}"]
    if r.random() < 0.3:
        out.append("flow.main.timestamps=false")
    if r.random() < 0.2:
        out.append("flow.main.ecn=false")
    on_off = f'on = "{r.uniform(50, 900):.0f}ms", off = "{r.uniform(50, 900):.0f}ms"'
    pause = f"{r.uniform(50, 900):.0f}ms"
    traffic = r.choice(
        (
            "",
            "",
            "",
            f'kind = "cbr", rate = "{10 ** r.uniform(2, 4):.0f}kbps"',
            f'kind = "on_off", {on_off}',
            f'kind = "on_off", {on_off}, rate = "{10 ** r.uniform(2.5, 4):.0f}kbps"',
            f'kind = "requests", objects = 5, parallel = 3, size = 60000, spread = 1.0, think = "{pause}"',
            f'kind = "responses", every = "{pause}", sizes = [{{ bytes = {r.randrange(2000, 200000)} }}]',
            f'kind = "bursts", packets = {r.randrange(2, 40)}, every = "{r.uniform(20, 400):.0f}ms", buffer = 200',
        )
    )
    return [*out, f"flow.main.traffic={{ {traffic} }}"] if traffic else out


def alarms(drawn: Drawn, lab: Path) -> tuple[Drawn, dict[str, str], list[str]]:
    """Of one run, the message of each invariant that does not hold, and the names of those that were judged."""
    from qlog_analysis.errors import UnsuitableTraceError  # noqa: PLC0415  not needed to draw
    from qlog_analysis.invariants.invariant import Outcome  # noqa: PLC0415
    from qlog_analysis.invariants.run import judge  # noqa: PLC0415
    from qlog_analysis.load import load  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        trace = drawn.run(lab, Path(folder))
        try:
            judgements = judge(load(trace))
        except UnsuitableTraceError:
            return drawn, {}, []  # nothing came through
    failed = {j.invariant.name: j.judged.breaches[0] for j in judgements if j.outcome is Outcome.FAIL}
    found = {name: f"at {b.time:.6f} s: {b.message}" for name, b in failed.items()}
    return drawn, found, [j.invariant.name for j in judgements if j.outcome is not Outcome.NOT_JUDGED]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lab", type=Path, required=True)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cc", help="one controller instead of any")
    parser.add_argument("--jobs", type=int, default=1)
    args = parser.parse_args()
    judged: Counter[str] = Counter()
    failed: Counter[str] = Counter()
    traces = 0
    with ThreadPoolExecutor(args.jobs) as pool:
        runs = [draw(seed, args.cc) for seed in range(args.seed, args.seed + args.count)]
        for drawn, found, names in pool.map(lambda d: alarms(d, args.lab), runs):
            judged.update(names)
            failed.update(found.keys())
            traces += bool(found)
            for name, message in found.items():
                print(f"seed {drawn.seed}, {drawn.spec}: {name} {message}\n    {' '.join(drawn.values)}", flush=True)
    print(f"{args.count} traces, {traces} with an alarm")
    for name, count in sorted(judged.items()):
        print(f"  {name:24} judged in {count}, failed in {failed[name]}")


if __name__ == "__main__":
    main()
