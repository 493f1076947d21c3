"""Proves the lemmas: `PYTHONPATH=tests python -m lemmas --help`."""

from __future__ import annotations

import argparse
import sys

from .catalogue import LEMMAS
from .equations import Law
from .solver import LIMIT_S, prove


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lemmas", description="Lemmas about the control step of hybrid.")
    parser.add_argument("--of", choices=("step", "path"), help="those of one step, or of a lone flow on a path")
    parser.add_argument("--only", metavar="NAME", help="one of them")
    parser.add_argument("--limit", type=float, default=LIMIT_S, metavar="S", help="seconds of a query (%(default)s)")
    return parser


def main() -> int:
    given = arguments().parse_args()
    chosen = [x for x in LEMMAS if given.of in (None, x.of) and given.only in (None, x.name)]
    if not chosen:
        names = ", ".join(lemma.name for lemma in LEMMAS)
        print(f"lemmas: there is no {given.only!r} of that kind; there are: {names}", file=sys.stderr)
        return 2
    failed = 0
    for lemma in chosen:
        verdict = prove(lemma.queries(Law), given.limit)
        failed += not verdict.proved
        word = "proved" if verdict.proved else "NOT PROVED"
        print(f"{word}  {lemma.name}: {lemma.says} ({verdict.queries} queries, {verdict.seconds:.1f} s)", flush=True)
        if not verdict.proved:
            print(f"  {verdict.why}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
