"""Lays the documents out for MkDocs: every page at its own path, so that links among pages stay as they are.

A link to a source file leads to a page with that source; pictures and data are copied.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

from pygments.formatters import HtmlFormatter

ROOT = Path(__file__).resolve().parents[2]
SKIPPED = frozenset({"build", ".git", "templates"})
"""Folders without documents. In `templates` are those of pages that a program makes."""
AS_THEY_ARE = frozenset({".svg", ".png", ".json"})
"""Browsers show them."""
LANGUAGES = {".rs": "rust", ".py": "python", ".h": "c", ".patch": "diff", ".service": "ini"}
"""Of suffixes that are not a language's name."""
OUTSIDE = re.compile(r"[a-z]+:|#")

_LINK = re.compile(r"(?P<before>\]\()(?P<target>[^)\s]+)(?=\))")
_FENCE = re.compile(r"^(```|~~~).*?^\1[ \t]*$", re.MULTILINE | re.DOTALL)
_DIAGRAM = re.compile(r"^( *)```mermaid\n(?P<body>.*?)^ *```$", re.MULTILINE | re.DOTALL)
_ARROW = re.compile(r"^ *(\S+) --> (\w+)(?:: (.*))?$", re.MULTILINE)

API = """# Rust and Python API

[The crate quiche-cc](rust/quiche_cc/index.html): controllers, their catalogue, units and measurements. These pages are
made without quiche, so they lack the module `plugin`, which is the adapter to quiche, and its function `register`,
which makes the controllers known to quiche: [cc/src/plugin.rs](cc/src/plugin.rs).

[The package qlog_analysis](python/qlog_analysis.html): reading, checking, measuring and drawing traces.
"""


def documents(root: Path = ROOT) -> list[Path]:
    """Every page, relative to `root`."""
    found = []
    for folder, below, names in os.walk(root):
        below[:] = [name for name in below if name not in SKIPPED]
        found += [(Path(folder) / name).relative_to(root) for name in names if name.endswith(".md")]
    return sorted(found)


def targets(text: str) -> Iterator[str]:
    """What a page links to inside the repository, without anchors."""
    for match in _LINK.finditer(_FENCE.sub("", text)):
        if not OUTSIDE.match(match["target"]):
            yield match["target"].partition("#")[0]


def to_site(text: str) -> str:
    """A page with links to the pages of sources, and diagrams as tables."""

    def link(match: re.Match[str]) -> str:
        target = match["target"]
        # A source of the repository, not of the site's own folders.
        source = not OUTSIDE.match(target) and Path(target.partition("#")[0]).suffix not in {
            ".md",
            ".html",
            *AS_THEY_ARE,
        }
        return f"{match['before']}{target}.md" if source else match[0]

    return _LINK.sub(link, _DIAGRAM.sub(as_table, text))


def as_table(match: re.Match[str]) -> str:
    """A state diagram of Mermaid, whose program would have to come with every page, as a table."""
    rows = [f"| {a.replace('[*]', '')} | {b} | {why} |" for a, b, why in _ARROW.findall(match["body"])]
    return "\n".join(["| state | next | when |", "|---|---|---|", *rows])


def source_page(path: Path, root: Path) -> str:
    text = (root / path).read_text(encoding="utf-8")
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall(r"`+", text)), default=0))
    language = LANGUAGES.get(path.suffix, path.suffix.lstrip("."))
    return f"# {path.name}\n\n`{path.as_posix()}`\n\n{fence}{language}\n{text.rstrip()}\n{fence}\n"


def lay_out(to: Path, root: Path = ROOT) -> None:
    """Make the folder `to` anew."""
    shutil.rmtree(to, ignore_errors=True)
    pages = {page: (root / page).read_text(encoding="utf-8") for page in documents(root)}
    pages[Path("api.md")] = API
    linked = {Path(os.path.normpath(page.parent / target)) for page, text in pages.items() for target in targets(text)}
    for page, text in pages.items():
        write(to / page, to_site(text))
    for path in sorted(linked):
        if path.suffix in AS_THEY_ARE:
            (to / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / path, to / path)
        elif path not in pages and (root / path).is_file():
            write(to / f"{path}.md", source_page(path, root))
    own = Path(__file__).with_name("site.css").read_text(encoding="utf-8")
    write(to / "site.css", own + colours())


def colours() -> str:
    """Of code, by day and by night."""
    dark = HtmlFormatter(style="github-dark").get_style_defs("[data-bs-theme=dark] pre code")
    return f"{HtmlFormatter(style='default').get_style_defs('pre code')}\n{dark}\n"


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
