"""Whether the documents and the catalogue say the same, name a commit everywhere, and have no numbers beside it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from .elsewhere import ELSEWHERE
from .publication import Part, Publication, PublishedError, document_parts, revision

RESULTS = "docs/results"
OTHER_PAGES = ("README.md", "docs/cost.md", "qlog-analysis/README.md")
"""Besides those of docs/results, pages with parts that are published."""
PENDING = "Not measured yet."
"""In place of a part that was never measured."""
_BEGIN = re.compile(r"^<!-- ([\w-]+): by ([\w./-]+) -->$", re.MULTILINE)
_CODE = re.compile(r"`[^`]*`")
_HEADING = re.compile(r"^(#+) (.*)$", re.MULTILINE)
_ROW = re.compile(r"^\|.*\d.*\|$")
_NUMBER = re.compile(r"\d+(?:\.\d+)? %|\d+\.\d+ (?:ms|s|kbit/s|Mbit/s|Gbit/s)\b|Jain's index (?:of )?0\.\d")
"""A share, or something that somebody has measured: settings of a path have hardly ever a fraction."""


def problems(publications: Sequence[Publication], root: Path, elsewhere: Mapping[str, str] = ELSEWHERE) -> list[str]:
    found = [*_parts(publications, root), *_commits(publications, root)]
    used: set[str] = set()
    for page in sorted((root / RESULTS).glob("*.md")):
        name = f"{RESULTS}/{page.name}"
        if any(part.page == name and not part.mark for one in publications for part in one.parts):
            continue
        for section, line in outside(page.read_text(encoding="utf-8")):
            place = next((key for key in (name, f"{name}#{section}") if key in elsewhere), None)
            if place is None:
                found.append(f"{name}#{section}: no command makes the number in: {line}")
            else:
                used.add(place)
    found += [f"{key} is excepted, but has no number" for key in elsewhere if key not in used]
    return found


def _parts(publications: Sequence[Publication], root: Path) -> Iterator[str]:
    """Parts that are missing, and such that nobody makes."""
    known = {(part.page, part.begin) for one in publications for part in one.parts}
    for one in publications:
        for part in one.parts:
            try:
                part.text(root)
            except PublishedError as error:
                yield f"{one.name}: {error}"
    for page in pages(root):
        text = (root / page).read_text(encoding="utf-8")
        for match in _BEGIN.finditer(text):
            if (page, match[0]) not in known:
                yield f"{page}: no publication makes {match[0]}"


def pages(root: Path) -> list[str]:
    own = [f"{RESULTS}/{page.name}" for page in sorted((root / RESULTS).glob("*.md"))]
    return [page for page in (*OTHER_PAGES, *own) if (root / page).is_file()]


def pending(publications: Sequence[Publication], root: Path) -> list[str]:
    """Parts that nobody has measured yet."""
    return [f"{one.name}: {part}" for one in publications for part in one.parts if _is_pending(part, root)]


def _is_pending(part: Part, root: Path) -> bool:
    return bool(part.mark) and _text(part, root).strip() == PENDING


def _commits(publications: Sequence[Publication], root: Path) -> Iterator[str]:
    """Parts that are made apart, of programs of others, may name none."""
    for one in publications:
        for page, commits in stated(one, root).items():
            own = [part for part in one.parts if part.page == page]
            if not commits and (one.apart or all(_is_pending(part, root) for part in own)):
                continue
            if len(set(commits)) != 1:
                said = " and ".join(sorted(set(commits))) or "none"
                yield f"{one.name}: its parts of {page} have to name one commit, and name {said}"
            for commit in set(commits):
                if revision.CHANGED in commit:
                    yield f"{one.name}: {page} has results of what no commit has"


def outdated(publications: Sequence[Publication], root: Path) -> list[str]:
    """Parts that were measured before what they rest on was changed; not those that are made apart."""
    found = []
    for one in publications:
        now = "" if one.apart else revision.measured(root, one.rests_on)
        for page, commits in stated(one, root).items():
            found += [f"{one.name}: {page} is of {of}, and not of {now}" for of in {*commits} - {now} if now]
    return found


def stated(publication: Publication, root: Path) -> dict[str, list[str]]:
    """The commits that its parts name, by the page."""
    found: dict[str, list[str]] = defaultdict(list)
    for part in publication.parts:
        found[part.page] += revision.stated(_text(part, root))
    return found


def _text(part: Part, root: Path) -> str:
    try:
        return part.text(root)
    except PublishedError:
        return ""


def outside(text: str) -> Iterator[tuple[str, str]]:
    """Lines with numbers that no program has written, with the title of their section."""
    section, inside, fenced = "", False, False
    for line in text.splitlines():
        inside = inside or bool(_BEGIN.match(line))
        if line.startswith("```"):
            fenced = not fenced
        heading = _HEADING.match(line)
        if heading and not fenced:
            section = heading[2]
        said = _CODE.sub("", line)
        if not inside and not fenced and not heading and (_ROW.match(said) or _NUMBER.search(said)):
            yield section, line
        if line == document_parts.END:
            inside = False
