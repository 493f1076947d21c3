"""`metrics`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..metrics import Flow, TraceMetrics, fairness, fairness_text, flow_of, measure_alone, to_text
from ..output import STANDARD_OUTPUT
from .codes import Code
from .used import Used, loaded


def metrics(args: Namespace) -> Code:
    several = len(args.traces) > 1
    flows: list[Flow] = []

    def use(path: Path) -> TraceMetrics:
        trace = loaded(args, path)
        if several:
            flows.append(flow_of(trace))
        return measure_alone(trace)

    used = Used.of(args.traces, use)
    shares = fairness(flows)
    results = [m.beside(shares if isinstance(shares, str) else shares[i]) for i, m in enumerate(used.results)]
    if args.json != STANDARD_OUTPUT:
        for m in results:
            print(to_text(m))
        if several and results:
            print(fairness_text([m.trace for m in results], shares))
    with_shares = iter(results)
    used.write_json(args.json, lambda _: next(with_shares).to_json())
    return used.done()
