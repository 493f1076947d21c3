"""Puts what was measured into the repository: docs/results and the table of the README.

    build/venv/bin/python tests/report/publish.py             from build/report
    build/venv/bin/python tests/report/publish.py --check     whether the README says what docs/results has

docs/results/*.json are the numbers, rounded; the figures and tables beside them come from the same report. Results that
the report had taken from published ones stay marked as `earlier`.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import msgspec
from stages import ROOT
from verdicts import PARTS, SUBJECT, Entry

SUITES = {"paths": "paths.json", "held-out": "held-out.json"}
MAPS = ("map-utilisation", "map-delay", "map-loss", "map-loss-at-start")
BEGIN, END = "<!-- {}: by tests/report/publish.py -->", "<!-- end -->"
# The README's table: the paths with this buffer and these round-trip times.
BUFFER = "1bdp"
RTTS = ("40ms", "100ms")


def rounded(entry: Entry) -> Entry:
    """To six significant digits, as all numbers of the lab."""
    numbers = ("utilisation", "queueing_p95_ms", "loss", "loss_at_start")
    return msgspec.structs.replace(entry, **{name: float(f"{getattr(entry, name):.6g}") for name in numbers})


def to_json(entries: Sequence[Entry]) -> str:
    """A line for each."""
    lines = ",\n".join(msgspec.json.encode(entry).decode() for entry in entries)
    return f"[\n{lines}\n]\n"


def read(path: Path) -> list[Entry]:
    return msgspec.json.decode(path.read_bytes(), type=list[Entry])


def rate_in_words(rate: str) -> str:
    """`1000Mbps` is 1 Gbit/s."""
    amount = float(rate.removesuffix("Mbps"))
    return f"{amount / 1000:g} Gbit/s" if amount >= 1000 else f"{amount:g} Mbit/s"


def controllers(entries: Sequence[Entry]) -> list[str]:
    """In the order in which they come; the one that it is about is the last."""
    others = [cc for cc in dict.fromkeys(entry.cc for entry in entries) if cc != SUBJECT]
    return [*others, SUBJECT]


def headline(entries: Sequence[Entry]) -> str:
    """The README's table, and what it comes to over all paths."""
    found = {(entry.point, entry.cc): entry for entry in entries}
    points = dict.fromkeys(entry.point for entry in entries)
    ccs = controllers(entries)
    rows = ["| path | " + " | ".join(f"`{cc}`" if cc == SUBJECT else cc for cc in ccs) + " |"]
    rows.append("|---" * (len(ccs) + 1) + "|")
    for point in points:
        rate, rtt, buffer = point
        if buffer != BUFFER or rtt not in RTTS:
            continue
        cells = [cell(found.get((point, cc))) for cc in ccs]
        rows.append(f"| {rate_in_words(rate)}, {rtt.removesuffix('ms')} ms | " + " | ".join(cells) + " |")
    return "\n".join(rows) + "\n\n" + totals(entries, len(points))


def cell(entry: Entry | None) -> str:
    if entry is None:
        return "not measured"
    delay = entry.queueing_p95_ms
    return f"{entry.utilisation:.1%}".replace("%", " %") + f", {delay:.{1 if delay >= 0.1 or delay == 0 else 2}f} ms"


def totals(entries: Sequence[Entry], points: int) -> str:
    """On how many paths it reaches which part of the target."""
    own = [entry.reached for entry in entries if entry.cc == SUBJECT and entry.reached is not None]
    counts = {part: sum(reached[part] for reached in own) for part in PARTS}
    whole = sum(all(reached.values()) for reached in own)
    of = f"{len(own)} paths" if len(own) == points else f"the {len(own)} paths that were measured"
    return (
        f"Of {of}, with buffers from half to four bandwidth-delay products, `{SUBJECT}` uses at least what bbr2 does "
        f"less half a point on {counts['utilisation']}, has at most a quarter of its delay on {counts['delay']}, "
        f"loses nothing after the start on {counts['loss']} and less than 0.1 % in it on {counts['loss_at_start']}; "
        f"all of it on {whole}."
    )


def earlier(entries: Sequence[Entry]) -> str:
    """Whose results are not of the build that measured the others."""
    counts = Counter(entry.cc for entry in entries if entry.earlier)
    named = ", ".join(f"{cc} on {count} paths" for cc, count in counts.items())
    return f"**Measured by an earlier build** than the others: {named}." if named else ""


def replaced(text: str, name: str, content: str) -> str:
    """The text with the content between the comments of this name."""
    begin = BEGIN.format(name)
    pattern = re.compile(re.escape(begin) + r"\n.*?" + re.escape(END), re.DOTALL)
    if not pattern.search(text):
        raise SystemExit(f"error: there is no {begin!r} with its {END!r}")
    return pattern.sub(lambda _: f"{begin}\n{content.strip()}\n{END}", text)


def section(markdown: str, title: str) -> str:
    """What a report has under this heading, figures left out."""
    match = re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", markdown, re.MULTILINE | re.DOTALL)
    if not match:
        raise SystemExit(f"error: the report has no section {title!r}")
    lines = [line for line in match.group(1).strip().splitlines() if not line.startswith("![")]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def title_of(markdown: str, figure: str) -> str:
    match = re.search(rf"!\[([^\]]*)\]\(figures/{figure}\.svg\)", markdown)
    return match.group(1) if match else figure


def publish(report: Path, root: Path) -> None:
    """Writes numbers, figures and tables of the report into the repository at `root`."""
    results, readme = root / "docs" / "results", root / "README.md"
    page = (results / "README.md").read_text(encoding="utf-8")
    for suite, name in SUITES.items():
        folder = report / suite
        entries = [rounded(entry) for entry in read(folder / "results.json")]
        (results / name).write_text(to_json(entries), encoding="utf-8")
        markdown = (folder / "report.md").read_text(encoding="utf-8")
        gaps = re.search(r"^\*\*Runs without a result\*\*.*$", markdown, re.MULTILINE)
        parts = [earlier(entries), gaps.group(0) if gaps else ""]
        parts.append(section(markdown, "What it comes to"))
        for figure in MAPS:
            drawn = (folder / "figures" / f"{figure}.svg").read_bytes()
            (results / f"{suite}-{figure}.svg").write_bytes(drawn)
            parts.append(f"![{title_of(markdown, figure)}]({suite}-{figure}.svg)")
        parts.append(section(markdown, "Every path"))
        page = replaced(page, suite, "\n\n".join(part for part in parts if part))
    (results / "README.md").write_text(page, encoding="utf-8")
    text = readme.read_text(encoding="utf-8")
    readme.write_text(replaced(text, "paths", headline(read(results / SUITES["paths"]))), encoding="utf-8")


def check(root: Path) -> int:
    """1 if the README says something else than docs/results/paths.json."""
    text = (root / "README.md").read_text(encoding="utf-8")
    wanted = replaced(text, "paths", headline(read(root / "docs" / "results" / SUITES["paths"])))
    if wanted == text:
        return 0
    pairs = zip(text.splitlines(), wanted.splitlines(), strict=False)
    has, needs = next(((has, needs) for has, needs in pairs if has != needs), ("", ""))
    print(
        f"README.md differs from docs/results/paths.json; it has\n  {has}\ninstead of\n  {needs}\n"
        "tests/report/publish.py writes both",
        file=sys.stderr,
    )
    return 1


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--report", type=Path, default=ROOT / "build" / "report", help="(%(default)s)")
    parser.add_argument("--root", type=Path, default=ROOT, help="of the repository (%(default)s)")
    parser.add_argument("--check", action="store_true", help="write nothing")
    given = parser.parse_args()
    if given.check:
        return check(given.root)
    try:
        publish(given.report, given.root)
    except OSError as error:
        print(f"error: {error.filename} cannot be read or written: {error.strerror}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
