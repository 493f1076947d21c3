"""The Markdown of the project: its files, headings, links and words. The words of comments as well."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2]
SKIPPED = {"build", ".git", "node_modules"}
TEMPLATES = "templates"
"""Folders of documents that a program fills in."""

FENCE = re.compile(r"^ *(```|~~~).*?^ *\1[ \t]*$", re.MULTILINE | re.DOTALL)
TOML = re.compile(r"^```toml\n(.*?)^```", re.MULTILINE | re.DOTALL)
NEWLINE = "\n"
URL = re.compile(r"(?<=\]\()[^)\s]+(?=\))|https?://[^\s)>]+")
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")

# Words that mean something to those who wrote them and nothing to a reader, with what to write instead.
PRIVATE = {
    r"the house": "the architecture, the project",
    r"\bin company\b": "beside competing flows",
    r"\bwithout a word\b": "without closing the connection",
    r"\bvanish(?:es|ed|ing)?\b": "is interrupted, stops, is gone",
    r"\b(?:stood|stands) still\b": "stalled",
    r"(?<!, )\bof late\b": "recent, recently",
    r"\breceive times\b": "receive timestamps",
    r"\band its kin\b": "and the like",
    r"\bby lot\b": "at random",
    r"\blately\b": "recently",
    r"\bin another dress\b": "in another form",
    r"\bcrossed in\b": "chosen on the command line",
    r"\bbefore all of this\b": "nothing: history belongs in commit messages",
    r"\bof then\b": "nothing: history belongs in commit messages",
    r"\bwith one packet less per\b": "whose window shrinks by one packet per mark",
    r"\bone packet less per mark\b": "the window shrinks by one packet per mark",
    r"\badds? (?:so|this) many(?: bytes)?, less one\b": "adds (gain - 1) bytes",
    r"\btold (?:by|in) [\w ]*\bfeedbacks\b": "reported by feedbacks",
    r"\brooms\b": "directories",
    r"\b(?:another|other) room of\b": "another directory",
}
# The same of documents alone; in code they name things.
IN_PAGES = {
    r"\bseams?\b": "interface",
    r"\blaws?\b": "equations",
}
LONGEST = 120
"""Characters of a line of a document."""


def pages(root: Path = ROOT) -> list[Path]:
    found = (p for p in root.rglob("*.md") if not SKIPPED & set(p.relative_to(root).parts))
    return sorted(found)


def sources(root: Path = ROOT) -> list[Path]:
    """Whose comments people read. The words themselves stand in this folder."""
    own = (root / name for name in ("cc", "interop", "qlog-analysis", "tests", "patches"))
    found = (p for top in own for kind in ("*.rs", "*.py", "*.h") for p in top.rglob(kind))
    return sorted(
        p for p in found if p.parent != Path(__file__).parent and not SKIPPED & set(p.relative_to(root).parts)
    )


def prose(text: str) -> str:
    """Without code: blocks, and what stands in backticks."""
    return re.sub(r"`[^`\n]*`", "", FENCE.sub("", text))


def blank(text: str) -> str:
    """With empty lines in place of blocks of code, those within lists included."""
    return FENCE.sub(lambda block: "\n" * block[0].count("\n"), text)


def anchors(text: str) -> set[str]:
    """What GitHub makes of headings."""
    found: set[str] = set()
    for heading in re.findall(r"^#{1,6} +(.+?) *#*$", FENCE.sub("", text), re.MULTILINE):
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading)
        slug = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        found.add(slug if slug not in found else f"{slug}-{sum(s.startswith(slug) for s in found)}")
    return found


def broken_links(page: Path, root: Path = ROOT) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    for target in LINK.findall(FENCE.sub("", text)):
        if re.match(r"[a-z]+:", target):
            continue
        name, _, fragment = target.partition("#")
        file = (page.parent / name).resolve() if name else page
        if not file.exists():
            yield f"{page.relative_to(root)}: there is no {target}"
        elif fragment and file.suffix == ".md" and fragment not in anchors(file.read_text(encoding="utf-8")):
            yield f"{page.relative_to(root)}: no heading of {file.relative_to(root.resolve())} is #{fragment}"


def private_words(page: Path, root: Path = ROOT) -> Iterator[str]:
    text = page.read_text(encoding="utf-8")
    words = PRIVATE
    if page.suffix == ".md":
        text, words = prose(text), PRIVATE | IN_PAGES
    for pattern, instead in words.items():
        for word in re.findall(f"(?i){pattern}", text):
            yield f'{page.relative_to(root)}: "{word}" means nothing to a reader; write: {instead}'


def broken_code(page: Path, root: Path = ROOT) -> Iterator[str]:
    """Code that lines were filled through: a block of TOML that none reads, or backticks around two lines."""
    text, name = page.read_text(encoding="utf-8"), page.relative_to(root)
    for block in TOML.finditer(text):
        try:
            msgspec.toml.decode(block[1])
        except msgspec.DecodeError as error:
            yield f"{name}:{text.count(NEWLINE, 0, block.start()) + 1}: {error}"
    for number, line in enumerate(blank(text).split("\n"), 1):
        if line.count("`") % 2:
            yield f"{name}:{number}: code begins in this line or ends in it, and not both"


def long_lines(page: Path, root: Path = ROOT) -> Iterator[str]:
    """Those outside of tables and blocks of code. What a link leads to does not count, as nobody can break it."""
    for number, line in enumerate(blank(page.read_text(encoding="utf-8")).split("\n"), 1):
        if len(URL.sub("", line)) > LONGEST and not line.lstrip().startswith("|"):
            yield f"{page.relative_to(root)}:{number}: {len(line)} characters, at most {LONGEST} are allowed"
