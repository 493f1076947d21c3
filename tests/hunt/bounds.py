"""Bad paths as scenarios, and files of checks with bounds for `cc-lab claims` (docs/claims.md).

The bound of every check is an octave: twice the queue or loss of the rival that the case names, or half of its goodput,
and never more than half of a fair share. A stall is seen by the goodput of the worst
three seconds: what `cc-lab claims` calls silence ends with any packet, also one that waits for others before it. A path
that is worse has the reason beside it; how far it is off is measured by `cc-lab claims --write-limits`.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path as File
from statistics import median

from .harms import LEAST_LOSS, LEAST_QUEUE_MS, REFERENCES, fair_bps
from .judge import FRESH
from .lab import Lab, Run
from .scenario import MAIN, NEIGHBOUR, text
from .tables import described
from .worst import Case

HEAD = """\
# Written by `python -m hunt bounds` out of cases.json, which has the reasons, and by `cc-lab claims --write-limits`.

[claim_set]
letter = "Z"
title = "the worst that the hunt found"
page = "docs/results/hunt.md"
about = \"\"\"
Paths on which `hybrid` does worst compared with cubic or bbr2, whichever does better there. A bound is an octave.
\"\"\"
"""
METRICS = {
    "starvation": ("goodput", f'flow = "{MAIN}", metric = "goodput"'),
    "stall": ("least goodput of three seconds", f'flow = "{MAIN}", metric = "goodput.min", every = "3s"'),
    "queue": ("mean queueing delay", f'flow = "{MAIN}", metric = "queueing_delay.mean"'),
    "loss": ("packets lost", f'flow = "{MAIN}", metric = "loss"'),
    "unfairness": ("goodput of the neighbours", f'flows = ["{NEIGHBOUR}*"], metric = "goodput"'),
}
FLOORS = {
    "queue": f"{LEAST_QUEUE_MS:g}ms",
    "loss": f"{100 * LEAST_LOSS:g}%",
}
"""What both sides of a score have in common."""
SEEDS = 5
SCENARIOS, ALL, QUICK = "found", "bounds/worst.toml", "bounds/quick/worst.toml"
HELD_EVERYWHERE = 3
"""Of the worst, which every build runs, with one seed."""


def write(lab: Lab, cases: Sequence[Case], here: File) -> None:
    """The scenarios and their checks; scenarios of before that are no case any more go."""
    scenarios = here / SCENARIOS
    scenarios.mkdir(parents=True, exist_ok=True)
    for old in scenarios.glob("*.toml"):
        old.unlink()
    for case in cases:
        title = f"{case.harm}: {described(case.path)}"
        (scenarios / f"{case.name}.toml").write_text(text(case.path, title, case.timestamps), encoding="utf-8")
    _write_checks(lab, cases, here / ALL, f"../{SCENARIOS}", SEEDS)
    _write_checks(lab, cases[:HELD_EVERYWHERE], here / QUICK, f"../../{SCENARIOS}", 1)


def _write_checks(lab: Lab, cases: Sequence[Case], file: File, scenarios: str, seeds: int) -> None:
    runs = [_run(case, scenarios, seeds) for case in cases]
    claims = [_claim(lab, number, case) for number, case in enumerate(cases, 1)]
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join([HEAD, *runs, *claims]), encoding="utf-8")


def _run(case: Case, scenarios: str, seeds: int) -> str:
    ccs = ", ".join(json.dumps(cc) for cc in (case.cc, *REFERENCES))
    return (
        f'[run.{case.name}]\nscenario = "{scenarios}/{case.name}.toml"\ncc = "{{cc}}"\nseeds = {seeds}\n'
        f"vary = {{ cc = [{ccs}] }}\n"
    )


def _claim(lab: Lab, number: int, case: Case) -> str:
    what, metric = METRICS[case.harm]
    lines = [
        "[[claim]]",
        f'id = "Z{number}"',
        f"title = {json.dumps(f'{case.harm}, ' + ('with' if case.timestamps else 'without') + ' receive timestamps')}",
        f'source = "docs/results/hunt.md, {case.name}"',
        f"says = {json.dumps(described(case.path))}",
        "",
        "[[claim.check]]",
        f'what = "{what}"',
        f'measure = {{ run = "{case.name}", where = {{ cc = "{case.cc}" }}, {metric} }}',
        _bound(lab, case, metric),
        # `--write-limits` takes it away where the bound holds.
        f"deviates = {json.dumps(case.reason or 'not known')}",
    ]
    return "\n".join(lines) + "\n"


def _bound(lab: Lab, case: Case, metric: str) -> str:
    rival = f'{{ run = "{case.name}", where = {{ cc = "{case.rival}" }}, {metric} }}'
    if case.harm in FLOORS:
        return f'less_than = {rival}\nfactor = 2.0\nplus = "{FLOORS[case.harm]}"'
    if case.harm == "stall":
        return f"greater_than = {rival}\nfactor = 0.5"
    flows = int(case.path.count) if case.harm == "unfairness" else 1
    found = lab.figures([Run(case.path, case.rival, case.timestamps, seed) for seed in FRESH])
    fair = flows * fair_bps(case.path, found[0].capacity_bps)
    got = flows * median(of.neighbours_bps if case.harm == "unfairness" else of.goodput_bps for of in found)
    if got > fair:
        return f'bound = ">= {fair / 2e3:.0f}kbps"'
    return f"greater_than = {rival}\nfactor = 0.5"
