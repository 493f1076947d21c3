"""The table of docs/results/tuning.md: options of hybrid on links of the README's table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from .claims import WITHOUT, table
from .names import TESTS
from .publication import Command, Part, Place, PublishedError

PART = Part("docs/results/tuning.md", "options")
OPTIONS = ("target_packets=1", "target_packets=4", "target_packets=8", "target_delay=5ms", "target_delay=20ms")
REFERENCE, SUBJECT = "bbr2", "hybrid"
SUITES = {"headline": ("wired", ("10Mbps", "50Mbps")), "headline-wifi": ("Wi-Fi", ("10Mbps", "50Mbps", "100Mbps"))}
"""With the rates that are shown; the measurements are those without receive timestamps."""


def controllers() -> list[str]:
    return [SUBJECT, *(f"{SUBJECT}:{option}" for option in OPTIONS), REFERENCE]


def measure(place: Place, folder: Path) -> list[Command]:
    def compare(suite: str) -> Command:
        file = TESTS / "suites" / f"{suite}.toml"
        words = (place.lab, "compare", file, "--cc", ",".join(controllers()), "--jobs", str(place.jobs))
        return Command((*words, "--out", folder / suite))

    return [compare(suite) for suite in SUITES]


def cell(entry: dict[str, Any]) -> str:
    delay = entry["queueing_p95_ms"]
    return f"{100 * entry['utilisation']:.1f} %, {delay:.1f} ms, {100 * entry['loss']:.2f} %"


def write(place: Place, folder: Path, commit: str) -> None:
    columns = [(suite, medium, rate) for suite, (medium, rates) in SUITES.items() for rate in rates]
    found: dict[tuple[str, ...], dict[str, Any]] = {}
    for suite in SUITES:
        try:
            entries = json.loads((folder / suite / "results.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise PublishedError(f"{folder / suite / 'results.json'}: {error}") from error
        found |= {(suite, *entry["point"], entry["cc"]): entry for entry in entries}
    rows = []
    for cc in controllers():
        name = f"`{cc.partition(':')[2] or cc}`" if cc.startswith(SUBJECT) else cc
        own = [found.get((suite, rate, WITHOUT, cc)) for suite, _, rate in columns]
        rows.append([name, *(cell(entry) if entry else "not measured" for entry in own)])
    head = [f"{medium}, {rate.removesuffix('Mbps')} Mbit/s" for _, medium, rate in columns]
    PART.write(place.root, table(("controller or option", *head), rows), commit)
