"""The C4 project's tests as a table: what `cc-lab claims --claims tests/targets --only K,M --out DIR` measured.

build/venv/bin/python tests/targets/c4_table.py DIR/claims.json

`python -m published run c4` writes docs/results/c4.md of that, and names the commit.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

LETTERS = "KM"
"""Of the claims that these are."""
SUBJECT, BASELINES = "hybrid", ("cubic", "bbr2")
WITHOUT, WITH = "false", "true"
HEAD = """# The C4 project's tests

Means of five seeds, in seconds; with an asterisk where one of the five is beyond the bound. Downloads count from their
own start to the last byte, frames of calls from when they would be there on a path without delay. cubic and bbr2 are
those of quiche, without receive timestamps; *without* and *with* them is `hybrid`. *C4* is what the document gives
(draft-huitema-ccwg-c4-test-04).

The path of each scenario, and why a bound is missed, stands in [c4.toml](../../tests/targets/c4.toml) and
[c4-media.toml](../../tests/targets/c4-media.toml); [targets.md](../targets.md) says how to run them. This page is
written by `tests/targets/c4_table.py`.

| claim | scenario | bound, s | C4, s | cubic, s | bbr2, s | `hybrid` without, s | `hybrid` with, s |
|---|---|---|---|---|---|---|---|
"""


def rounded(time: float) -> str:
    """To 10 ms, delays to 1 ms."""
    return f"{time:.2f}" if time >= 1 else f"{time:.3f}"


@dataclass(frozen=True)
class Measured:
    """Five seeds of a controller in a scenario."""

    seconds: Sequence[float]
    bound: float

    @property
    def mean(self) -> float:
        return fmean(self.seconds)

    @property
    def keeps(self) -> bool:
        return max(self.seconds) <= self.bound

    def __str__(self) -> str:
        return rounded(self.mean) + ("" if self.keeps else "*")


@dataclass(frozen=True)
class Row:
    """A scenario, and what all controllers make of it, by their names and whether there are receive timestamps."""

    id: str
    name: str
    c4: float | None
    measured: Mapping[tuple[str, str], Measured]

    def is_best(self, timestamps: str) -> bool:
        """Whether the subject's mean is at most that of all others."""
        others = [self.measured[cc, WITHOUT].mean for cc in BASELINES]
        others += [self.c4] if self.c4 is not None else []
        return self.measured[SUBJECT, timestamps].mean <= min(others)

    def __str__(self) -> str:
        bound = self.measured[SUBJECT, WITHOUT].bound
        cells = [self.measured[cc, WITHOUT] for cc in BASELINES]
        cells += [self.measured[SUBJECT, timestamps] for timestamps in (WITHOUT, WITH)]
        c4 = "" if self.c4 is None else rounded(self.c4)
        return f"| {self.id} | {self.name} | {bound:g} | {c4} | " + " | ".join(map(str, cells)) + " |"


def seconds(text: str) -> float:
    """`≤ 6.7 s`, `79 ms`."""
    found = re.search(r"([\d.]+) (ms|s)\b", text)
    if found is None:
        raise ValueError(f"{text!r} has no time in s or ms")
    return float(found[1]) / (1000 if found[2] == "ms" else 1)


def rows(claims: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """In the order of the claims; checks about several controllers in the same scenario belong together."""
    for claim in claims:
        names = {check["what"].partition(",")[2].strip() for check in claim["checks"]}
        for name in sorted(names):
            measured, c4 = {}, None
            for check in claim["checks"]:
                if check["what"].partition(",")[2].strip() != name:
                    continue
                c4 = seconds(check["paper"]) if check["paper"] else c4
                for point in check["points"]:
                    key = point["parameters"]["cc"], point["parameters"]["timestamps"]
                    measured[key] = Measured(point["measured"], seconds(point["bound"]))
            yield Row(claim["id"], ", ".join(filter(None, (claim["title"], name))), c4, measured)


def page(claims: Sequence[Mapping[str, Any]]) -> str:
    """All of it; claims of other targets have pages of their own."""
    table = list(rows([claim for claim in claims if claim["id"][0] in LETTERS]))
    kept = [sum(row.measured[SUBJECT, timestamps].keeps for row in table) for timestamps in (WITHOUT, WITH)]
    best = [sum(row.is_best(timestamps) for row in table) for timestamps in (WITHOUT, WITH)]
    count = len(table)
    end = (
        f"\n`hybrid` keeps {kept[0]} of {count} bounds without receive timestamps and {kept[1]} with them.\n"
        f"It is at least as fast as cubic, bbr2 and C4 in {best[0]} and {best[1]} of them.\n"
    )
    return HEAD + "\n".join(map(str, table)) + "\n" + end


def main(arguments: Sequence[str]) -> int:
    if len(arguments) != 1:
        sys.stderr.write(__doc__ or "")
        return 2
    sys.stdout.write(page(json.loads(Path(arguments[0]).read_text(encoding="utf-8"))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
