"""Calls and inclusive cost of functions, out of a profile that callgrind has written."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

# `(7) some::function` gives a name a number, `(7)` repeats it.
NAME = re.compile(r"\((\d+)\)(?: (.*))?")


@dataclass
class Cost:
    """Of one function: how often it was called, and instructions in it and in all that it called."""

    calls: int = 0
    instructions: int = 0

    def per_call(self) -> float:
        return self.instructions / self.calls if self.calls else 0.0


def costs(profile: Iterable[str]) -> dict[str, Cost]:
    """The format is that of the Callgrind manual, "Callgrind Format Specification". Recursion would count twice."""
    names: dict[str, str] = {}
    found: defaultdict[str, Cost] = defaultdict(Cost)
    callee, calls = "", 0
    for line in profile:
        if line.startswith(("fn=", "cfn=")):
            match = NAME.match(line.partition("=")[2].rstrip("\n"))
            if match is None:
                raise ValueError(f"names are expected to be numbered: {line!r}")
            number, name = match.groups()
            names[number] = name or names[number]
            callee = names[number]
        elif line.startswith("calls="):
            calls = int(line[len("calls=") :].split()[0])
        elif calls:
            found[callee].calls += calls
            found[callee].instructions += int(line.split()[1])
            calls = 0
    return dict(found)
