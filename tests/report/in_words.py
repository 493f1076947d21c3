"""What a suite writes with the keys and values of scenarios, for readers who do not know them."""

from __future__ import annotations

import re

GAPS = re.compile(r"^\*\*Runs without a result\*\*, so that nothing stands where they belong: (.*)\.$", re.MULTILINE)
UNITS = {"kbps": "kbit/s", "Mbps": "Mbit/s", "Gbps": "Gbit/s", "ms": "ms", "s": "s", "bdp": "BDP"}
RATE, RTT, BUFFER = "link.bottleneck.rate", "flow.main.rtt", "link.bottleneck.buffer"
ANSWERS = {"true": "yes", "false": "no"}

_AMOUNT = re.compile(rf"([\d.]+)({'|'.join(UNITS)})")


def value(text: str) -> str:
    """`1000Mbps` is 1 Gbit/s, `0.5bdp` is 0.5 BDP, and `true` is yes. Anything else stays."""
    amount = _AMOUNT.fullmatch(text)
    if not amount:
        return ANSWERS.get(text, text)
    number, unit = float(amount[1]), amount[2]
    if unit == "Mbps" and number >= 1000:
        number, unit = number / 1000, "Gbps"
    return f"{number:g} {UNITS[unit]}"


def table(text: str) -> str:
    """The same text, in whose tables the cells have values in words."""
    return "\n".join(_row(line) if line.startswith("| ") else line for line in text.split("\n"))


def _row(line: str) -> str:
    return "| " + " | ".join(value(cell) for cell in line.strip("| ").split(" | ")) + " |"


def gaps(markdown: str) -> str:
    """Which runs of a report have no result: a sentence, empty if all have one."""
    found = GAPS.search(markdown)
    if not found:
        return ""
    listed, _, more = found[1].partition(" and ")
    buffers: dict[str, list[str]] = {}
    for run in listed.split(", "):
        cc, *pairs = run.split(",")
        keys = dict(pair.split("=", 1) for pair in pairs)
        path = f"{cc} at {' and '.join(value(keys[key]) for key in (RATE, RTT) if key in keys)}"
        buffers.setdefault(path, []).extend(value(keys[key]) for key in (BUFFER,) if key in keys)
    said = [f"{path} (buffer {', '.join(dict.fromkeys(those))})" if those else path for path, those in buffers.items()]
    others = f"; {more}" if more else ""
    return f"**Not measured**, so that their cells have a dash: {'; '.join(said)}{others}."
