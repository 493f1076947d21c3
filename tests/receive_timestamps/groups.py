"""Groups of flows of one controller that start close together, drawn at random: docs/results/beside-others.md.

    build/venv/bin/python tests/receive_timestamps/groups.py    180 groups; the table in build/groups

Every group has its own seed, which draws it and runs it: groups with odd seeds report receive timestamps.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean

import msgspec
from lab_runs import SUBJECT, Lab, decoded
from worth_page import spread

ROOT = Path(__file__).resolve().parents[2]
GROUPS = 180
SETTLED_S, SEEN_S = 20.0, 20.0
"""After the last arrival so much passes before the statistics begin, which are over so much."""
FULL = 0.5
"""A buffer counts as full for good whose queue is so much of it in the mean."""
HEAD = (
    "| receive timestamps | groups | buffer full for good | mean queueing delay, ms | utilisation, % "
    "| packets lost where the buffer is full, % |\n"
    "|---|---|---|---|---|---|\n"
)


class Queueing(msgspec.Struct):
    mean: float


class Flow(msgspec.Struct):
    queueing_ms: Queueing


class Link(msgspec.Struct):
    utilisation: float
    loss_share: float


class Summary(msgspec.Struct):
    flows: list[Flow]
    links: list[Link]


@dataclass(frozen=True)
class Group:
    """What was drawn, in s, bit/s and bandwidth-delay products of the longest round trip."""

    seed: int
    rate: float
    buffer: float
    round_trips: Sequence[float]
    arrivals: Sequence[float]

    @property
    def timestamps(self) -> bool:
        return self.seed % 2 == 1

    @property
    def buffer_ms(self) -> float:
        return 1e3 * self.buffer * max(self.round_trips)

    def scenario(self) -> str:
        """As the lab reads it."""
        end = self.arrivals[-1] + SETTLED_S + SEEN_S
        head = f'title = "Group {self.seed}"\nduration = "{end:.0f}s"\nwarmup = "{end - SEEN_S:.0f}s"\n'
        link = f'rate = "{self.rate / 1e6:.1f}Mbps"\ndelay = "2ms"\nbuffer = "{self.buffer:.2f}bdp"\n'
        flows = [
            f'[[flow]]\nname = "f{number}"\npath = ["bottleneck"]\nrtt = "{1e3 * rtt:.1f}ms"\nstart = "{start:.2f}s"\n'
            f'timestamps = {str(self.timestamps).lower()}\ntraffic = {{ kind = "unlimited" }}\n'
            for number, (rtt, start) in enumerate(zip(self.round_trips, self.arrivals, strict=True))
        ]
        return head + '[[link]]\nname = "bottleneck"\n' + link + "".join(flows)


@dataclass(frozen=True)
class Seen:
    group: Group
    delay_ms: float
    used: float
    lost: float

    @property
    def full(self) -> bool:
        return self.delay_ms > FULL * self.group.buffer_ms


def draw(seed: int) -> Group:
    """What is drawn stands in the page."""
    rng = random.Random(seed)

    def between(low: float, high: float) -> float:
        """Evenly on a logarithmic scale."""
        return low * float((high / low) ** rng.random())

    flows = rng.randint(2, 9)
    rate, buffer = between(6e6, 80e6), between(0.6, 4.0)
    round_trips = [between(0.010, 0.200) for _ in range(flows)]
    arrivals = [0.0]
    while len(arrivals) < flows:
        arrivals.append(arrivals[-1] + between(0.2, 3.0))
    return Group(seed, rate, buffer, round_trips, arrivals)


def measure(lab: Lab, cc: str, group: Group) -> Seen:
    scenario = lab.out / f"group-{group.seed}.toml"
    scenario.write_text(group.scenario(), encoding="utf-8")
    (folder,) = lab.run(scenario, f"group-{group.seed}", {}, 1, cc)
    summary = decoded(folder / "summary.json", Summary)
    delay = max(flow.queueing_ms.mean for flow in summary.flows)
    link = summary.links[0]
    return Seen(group, delay, link.utilisation, link.loss_share)


def table(seen: Sequence[Seen]) -> str:
    rows = ""
    for timestamps, label in ((False, "without"), (True, "with")):
        own = [one for one in seen if one.group.timestamps == timestamps]
        full = [one for one in own if one.full]
        cells = [label, str(len(own)), str(len(full))]
        cells += [f"{fmean(one.delay_ms for one in own):.1f}", f"{100 * fmean(one.used for one in own):.1f}"]
        rows += "| " + " | ".join([*cells, spread([100 * one.lost for one in full], 1)]) + " |\n"
    return HEAD + rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build", help="where bin/cc-lab is")
    parser.add_argument("--cc", default=SUBJECT, help=f"controller of all flows (default: {SUBJECT})")
    parser.add_argument("--groups", type=int, default=GROUPS, help=f"2 and more (default: {GROUPS})")
    parser.add_argument("--out", type=Path, help="folder for runs and table (default: build/groups)")
    given = parser.parse_args()
    if given.groups < 2:
        parser.error(f"--groups {given.groups}: 2 and more are allowed, one of each kind")
    out = given.out or given.build_dir / "groups"
    out.mkdir(parents=True, exist_ok=True)
    lab = Lab(given.build_dir / "bin" / "cc-lab", Path(__file__), out, 1, None)
    seen = []
    for seed in range(given.groups):
        seen.append(measure(lab, given.cc, draw(seed)))
        if seen[-1].full:
            print(f"group {seed}: full, {len(seen[-1].group.arrivals)} flows", file=sys.stderr, flush=True)
    (out / "table.md").write_text(table(seen), encoding="utf-8")
    print(table(seen))
    return 0


if __name__ == "__main__":
    sys.exit(main())
