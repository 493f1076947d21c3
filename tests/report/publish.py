"""Puts what was measured into the repository: docs/results and the table of the README.

    build/venv/bin/python tests/report/publish.py             from build/report
    build/venv/bin/python tests/report/publish.py --check     whether the README says what docs/results has

docs/results/*.json are the numbers, rounded; the figures and tables beside them come from the same report. What is
published of a suite that the report lacks stays. The README's table is of one build. Other results that the report had
taken from published ones stay marked as `earlier`. `python -m published run access-links one-flow` measures, calls this
and names the commit.
"""

from __future__ import annotations

import argparse
import re
import sys
import textwrap
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "testbed"))

import document_parts
import in_words
import msgspec
import revision
from stages import ROOT
from verdicts import SUBJECT, Entry

# The README's table: suites with rate and receive timestamps as axes, and what their paths are called.
MEDIA = {"headline": "wired", "headline-wifi": "Wi-Fi"}
WITHOUT, WITH = "false", "true"
SUITES = (*MEDIA, "paths", "held-out")
MAPS = ("map-utilisation", "map-delay", "map-loss", "map-loss-at-start")
LINE = 120
BEGIN = "<!-- {}: by tests/report/publish.py -->"


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


def controllers(entries: Sequence[Entry]) -> list[str]:
    """In the order in which they come; the one that it is about is the last."""
    others = [cc for cc in dict.fromkeys(entry.cc for entry in entries) if cc != SUBJECT]
    return [*others, SUBJECT]


def headline(media: Mapping[str, Sequence[Entry]]) -> str:
    """The README's table, of the results by the medium. Only hybrid uses receive timestamps."""
    found = {(medium, *entry.point, entry.cc): entry for medium, given in media.items() for entry in given}
    ccs = controllers([entry for given in media.values() for entry in given])
    columns = [*((cc, WITHOUT) for cc in ccs), (SUBJECT, WITH)]
    names = [f"`{cc}`" if cc == SUBJECT else cc for cc in ccs]
    rows = ["| path | " + " | ".join([*names, f"`{SUBJECT}`, with receive timestamps"]) + " |"]
    rows.append("|---" * (len(columns) + 1) + "|")
    for medium, given in media.items():
        for rate in dict.fromkeys(entry.point[0] for entry in given):
            cells = [cell(found.get((medium, rate, timestamps, cc))) for cc, timestamps in columns]
            rows.append(f"| {medium}, {in_words.value(rate)} | " + " | ".join(cells) + " |")
    return "\n".join(rows)


def cell(entry: Entry | None) -> str:
    if entry is None:
        return "not measured"
    if entry.earlier:
        raise SystemExit(f"error: {entry.cc} at {', '.join(entry.point)} was measured by an earlier build than others")
    delay = entry.queueing_p95_ms
    used, lost = (
        f"{share:.{digits}%}".replace("%", " %") for share, digits in ((entry.utilisation, 1), (entry.loss, 2))
    )
    return f"{used}, {delay:.{1 if delay >= 0.1 or delay == 0 else 2}f} ms, {lost}"


def headline_at(results: Path) -> str:
    """The README's table of what is published in this folder."""
    return headline({medium: read(results / f"{suite}.json") for suite, medium in MEDIA.items()})


def earlier(entries: Sequence[Entry]) -> str:
    """Whose results are not of the build that measured the others."""
    counts = Counter(entry.cc for entry in entries if entry.earlier)
    named = ", ".join(f"{cc} on {count} paths" for cc, count in counts.items())
    return f"**Measured by an earlier build** than the others: {named}." if named else ""


def replaced(text: str, name: str, content: str) -> str:
    """The text with the content between the comments of this name."""
    return document_parts.replaced(text, BEGIN.format(name), f"{content.strip()}\n")


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
    """Writes numbers, figures and tables of the report into the repository at `root`. Of a suite that the report lacks
    what is published stays."""
    suites = [suite for suite in SUITES if (report / suite / "results.json").is_file()]
    if not suites:
        raise SystemExit(f"error: {report} has results of none of {', '.join(SUITES)}")
    results, readme = root / "docs" / "results", root / "README.md"
    page = (results / "README.md").read_text(encoding="utf-8")
    for suite in suites:
        page = replaced(page, suite, of_suite(suite, report / suite, results))
    (results / "README.md").write_text(page, encoding="utf-8")
    text = readme.read_text(encoding="utf-8")
    readme.write_text(replaced(text, "headline", headline_at(results)), encoding="utf-8")


def wrapped(paragraph: str) -> str:
    """In lines as long as those of all documents."""
    return textwrap.fill(paragraph, LINE, break_long_words=False, break_on_hyphens=False)


def of_suite(suite: str, folder: Path, results: Path) -> str:
    """Writes its numbers and figures into `results`; its section there."""
    entries = [rounded(entry) for entry in read(folder / "results.json")]
    (results / f"{suite}.json").write_text(to_json(entries), encoding="utf-8")
    markdown = (folder / "report.md").read_text(encoding="utf-8")
    parts = [earlier(entries), wrapped(in_words.gaps(markdown))]
    if suite not in MEDIA:
        parts.append(section(markdown, "What it comes to"))
        for figure in MAPS:
            drawn = (folder / "figures" / f"{figure}.svg").read_bytes()
            (results / f"{suite}-{figure}.svg").write_bytes(drawn)
            parts.append(f"![{title_of(markdown, figure)}]({suite}-{figure}.svg)")
    parts.append(in_words.table(section(markdown, "Every path")))
    return "\n\n".join(part for part in parts if part)


def check(root: Path) -> int:
    """1 if the README says something else than the results of its suites in docs/results."""
    text = revision.unsigned((root / "README.md").read_text(encoding="utf-8"))
    wanted = replaced(text, "headline", headline_at(root / "docs" / "results"))
    if wanted == text:
        return 0
    pairs = zip(text.splitlines(), wanted.splitlines(), strict=False)
    has, needs = next(((has, needs) for has, needs in pairs if has != needs), ("", ""))
    print(
        f"README.md differs from docs/results/headline*.json; it has\n  {has}\ninstead of\n  {needs}\n"
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
