"""What congestion control costs: instructions per ACK and per packet, counted by callgrind in the lab.

    python3 tests/cost/cost.py [--cc hybrid,cubic,...] [--variant pairs,...]    a table
    python3 tests/cost/cost.py --check                                           fails where hybrid costs too much
    python3 tests/cost/cost.py --numbers FILE                                    all of it, as docs/results/cost.json
    python3 tests/cost/cost.py --without-quiche [--cc hybrid,...]                 controllers alone: builds in seconds

Instructions are the same in every run, so a run of a few virtual seconds is enough. Counted is what quiche's loss
recovery calls: for quiche's own CUBIC and Reno that is `Congestion`, for BBR2 and for our controllers their
`CongestionControl`.
`docs/cost.md` has the figures.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import page
from callgrind import Cost, costs

HERE = Path(__file__).parent
PROGRAM = Path(os.environ.get("QUICHE_CC_BIN_DIR", HERE.parents[1] / "build" / "bin")) / "cc-lab"

ALL = ("cubic", "bbr2", "hybrid", "rrr", "vegas", "smallq", "raimd")
# What of path.toml is set otherwise.
VARIANTS: dict[str, list[str]] = {
    "pairs": [],
    "pairs-silent": ["flow.main.timestamps=false"],
    "singles": ["link.bottleneck.aggregate=interval=1us"],
    "bursts": ["link.bottleneck.aggregate=interval=8ms"],
}

LEGACY = "quiche::recovery::congestion::Congestion::"
BBR2 = "<quiche::recovery::gcongestion::bbr2::BBRv2 as quiche::recovery::gcongestion::CongestionControl>::"
OURS = "<quiche_cc::plugin::Plugin as quiche::recovery::gcongestion::CongestionControl>::"
ON_ACK = {LEGACY: "on_packets_acked", BBR2: "on_congestion_event", OURS: "on_congestion_event"}
# What congestion control of the lab's clients is called by; they acknowledge with quiche's CUBIC.
CLIENT = LEGACY

# The most that an ACK may cost in hybrid, in ACKs in CUBIC: today's figures, 0.951, 0.760 and 1.351, and a little more.
# The aim is at most 1.
MOST = {"pairs": 0.97, "pairs-silent": 0.78, "singles": 1.37}
SKIPPED = 77

# Packets per ACK, ACKs and receive timestamps, as cc/examples/cost.rs takes them.
ALONE = {"pairs": ["2", "4000"], "pairs-silent": ["2", "4000", "silent"], "singles": ["1", "4000"]}


@dataclass
class Run:
    """What one run has cost the server."""

    acks: int
    packets: int
    per_ack: float
    per_packet: float

    @property
    def together(self) -> float:
        """To send a packet, and its share of an ACK."""
        return self.per_packet + self.per_ack * self.acks / self.packets


def seam(cc: str) -> str:
    return {"cubic": LEGACY, "reno": LEGACY, "bbr2": BBR2}.get(cc.partition(":")[0], OURS)


def profile(cc: str, settings: list[str]) -> tuple[dict[str, Cost], int]:
    """The costs of a run, and the packets that it delivered."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        sets = [argument for setting in settings for argument in ("--set", setting)]
        lab = [str(PROGRAM), "run", str(HERE / "path.toml"), "--cc", cc, *sets, "--out", str(out / "lab")]
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out / 'profile'}"]
        result = subprocess.run([*valgrind, *lab], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"cc-lab under valgrind failed with {cc}:\n{result.stderr[-2000:]}")
        summary = json.loads((out / "lab" / "summary.json").read_text())
        with (out / "profile").open() as lines:
            return costs(lines), summary["flows"][0]["delivered_packets"]


def of_seam(found: Mapping[str, Cost], prefix: str) -> tuple[Cost, Cost]:
    """For ACKs, and for everything else that is asked or told there."""
    on_ack = found.get(prefix + ON_ACK[prefix], Cost())
    rest = [cost for name, cost in found.items() if name.startswith(prefix) and name != prefix + ON_ACK[prefix]]
    return on_ack, Cost(sum(cost.calls for cost in rest), sum(cost.instructions for cost in rest))


def without_client(both: Cost, server: Cost, client: Cost) -> Cost:
    """`both` less what a client's part of it is, known from a run with separate servers and clients.

    A client acknowledges in proportion to the ACKs that it gets, and its acknowledgements cost the same in every run.
    """
    calls = round(both.calls * server.calls / (server.calls + client.calls))
    return Cost(calls, both.instructions - round((both.calls - calls) * client.per_call()))


def measure(ccs: list[str], variant: str) -> dict[str, Run]:
    """Every controller in turn; hybrid is always there, as its run shows what a client costs."""
    settings = VARIANTS[variant]
    reference, reference_packets = profile("hybrid", settings)
    runs = {}
    for cc in ccs:
        found, packets = (reference, reference_packets) if cc == "hybrid" else profile(cc, settings)
        on_ack, rest = of_seam(found, seam(cc))
        if seam(cc) == CLIENT:
            server, client = of_seam(reference, OURS), of_seam(reference, CLIENT)
            on_ack = without_client(on_ack, server[0], client[0])
            departures = Cost(packets, 0)
            rest = without_client(rest, departures, Cost(client[1].calls, client[1].instructions))
        if not on_ack.calls:
            raise SystemExit(f"the profile of {cc} has no calls of {seam(cc)}{ON_ACK[seam(cc)]}: has quiche changed?")
        runs[cc] = Run(on_ack.calls, packets, on_ack.per_call(), rest.instructions / packets)
    return runs


def write_numbers(out: Path) -> None:
    """All controllers and variants, rounded, as docs/results/cost.json has them."""
    numbers: page.Numbers = {}
    for variant in page.ORDER:
        runs = measure(list(ALL), variant)
        print(table(variant, runs), flush=True)
        numbers[variant] = {
            cc: {
                "packets_per_ack": round(run.packets / run.acks, 1),
                "per_ack": round(run.per_ack),
                "per_packet": round(run.per_packet),
                "together": round(run.together),
            }
            for cc, run in runs.items()
        }
    out.write_text(json.dumps(numbers, indent=1) + "\n", encoding="utf-8")


def table(variant: str, runs: Mapping[str, Run]) -> str:
    lines = [f"{variant:<14} {'packets/ACK':>11} {'instructions/ACK':>17} {'and/packet sent':>16} {'together':>9}"]
    for cc, run in runs.items():
        shown = f"{run.per_ack:>17.0f} {run.per_packet:>16.0f} {run.together:>9.0f}"
        lines.append(f"{cc:<14} {run.packets / run.acks:>11.2f} {shown}")
    return "\n".join(lines)


def check() -> int:
    failed = False
    for variant, most in MOST.items():
        runs = measure(["cubic", "hybrid"], variant)
        ratio = runs["hybrid"].per_ack / runs["cubic"].per_ack
        failed = failed or ratio > most
        print(f"{table(variant, runs)}\nhybrid costs {ratio:.2f} of CUBIC per ACK; allowed is {most}")
    return int(failed)


def without_quiche(ccs: list[str]) -> None:
    """What the controllers themselves do per ACK: `on_feedback` and `decision`."""
    cargo = ["cargo", "build", "--release", "-p", "quiche-cc", "--no-default-features", "--example", "cost"]
    subprocess.run(cargo, cwd=HERE, check=True)
    program = HERE.parents[1] / "build" / "target" / "release" / "examples" / "cost"
    method = re.compile(r"Controller(?: for [\w:]+)?>::(on_feedback|decision)$")
    print(f"{'alone':<14}" + "".join(f"{variant:>14}" for variant in ALONE))
    for cc in ccs:
        line = f"{cc:<14}"
        for arguments in ALONE.values():
            with tempfile.TemporaryDirectory() as folder:
                out = Path(folder) / "profile"
                valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
                subprocess.run([*valgrind, str(program), cc, *arguments], capture_output=True, check=True)
                with out.open() as lines:
                    found = [cost for name, cost in costs(lines).items() if method.search(name)]
            line += f"{sum(cost.per_call() for cost in found):>14.0f}"
        print(line, flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cc", default=",".join(ALL), help="controllers (default: all)")
    parser.add_argument("--variant", default=",".join(VARIANTS), help=f"of {', '.join(VARIANTS)} (default: all)")
    parser.add_argument("--check", action="store_true", help="hold hybrid against CUBIC")
    parser.add_argument("--numbers", type=Path, metavar="FILE", help="measure all, and write it as docs/results has it")
    parser.add_argument("--without-quiche", action="store_true", help="our controllers alone")
    arguments = parser.parse_args()
    variants = arguments.variant.split(",")
    if unknown := [variant for variant in variants if variant not in VARIANTS]:
        parser.error(f"no variant {unknown[0]!r}; there are {', '.join(VARIANTS)}")
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    if arguments.check:
        return check()
    if arguments.numbers:
        write_numbers(arguments.numbers)
        return 0
    if arguments.without_quiche:
        without_quiche([cc for cc in arguments.cc.split(",") if seam(cc) == OURS])
        return 0
    for variant in variants:
        print(table(variant, measure(arguments.cc.split(","), variant)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
