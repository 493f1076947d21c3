"""The site builds without a broken link, has every document, can be searched, and asks no other host for anything."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote

import pytest
from commands import pages
from markdown import markdown

ROOT = Path(__file__).parents[2]
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
sys.path.insert(0, str(ROOT / "docs" / "site"))

from commonmark import CommonMark, slug  # noqa: E402
from lay_out import OUTSIDE, lay_out, source_page, to_site  # noqa: E402

# Loaded by a browser without being asked; a link that somebody has to follow is none.
LOADED = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "link": "href",
}
NOT_LOADED = {"canonical", "next", "prev", "author", "license"}
ELSEWHERE = re.compile(r"^\s*(?:https?:)?//", re.IGNORECASE)
OF_STYLES = re.compile(r"url\(\s*['\"]?([^)'\"]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """What an HTML file loads, where its links lead, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.anchors |= {given[name] for name in ("id", "name") if name in given}
        if tag in LOADED and given.get(LOADED[tag]) and not NOT_LOADED & set(given.get("rel", "").split()):
            self.loaded.append(given[LOADED[tag]])
        if tag == "a" and "href" in given:
            self.links.append(given["href"])
        self.loaded += styles(given.get("style", ""))


def styles(css: str) -> list[str]:
    return [first or second for first, second in OF_STYLES.findall(css)]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("made") / "site"
    command = [sys.executable, str(ROOT / "docs" / "site" / "build.py"), "--build-dir", str(BUILD), "--out", str(out)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return out


def own_pages(site: Path) -> Iterator[Path]:
    """Without those that rustdoc and pdoc made."""
    return (page for page in site.rglob("*.html") if page.relative_to(site).parts[0] not in ("rust", "python"))


def test_every_document_is_on_the_site(site: Path) -> None:
    documents = [page.relative_to(ROOT) for page in pages()]
    assert len(documents) > 40
    made = [p.parent / "index.html" if p.name == "README.md" else p.with_suffix(".html") for p in documents]
    assert not [str(page) for page in made if not (site / page).is_file()]


def test_every_link_inside_the_site_leads_somewhere(site: Path) -> None:
    found = {page.resolve(): Page(page.read_text("utf-8")) for page in own_pages(site)}
    broken = []
    for path, page in found.items():
        for target in page.links + page.loaded:
            name, _, anchor = unquote(target).partition("#")
            if OUTSIDE.match(name) or path.name == "404.html":
                continue
            file = (path.parent / name).resolve() if name else path
            if not file.exists() or (anchor and file in found and anchor not in found[file].anchors):
                broken.append(f"{path.relative_to(site)}: {target}")
    assert len(found) > 60
    assert not broken, "\n".join(broken)


def test_no_page_asks_another_host(site: Path) -> None:
    asked = []
    for path in site.rglob("*"):
        if path.suffix == ".html":
            text = path.read_text("utf-8")
            asks = Page(text).loaded + [
                url for css in re.findall(r"<style[^>]*>(.*?)</style>", text, re.S) for url in styles(css)
            ]
        elif path.suffix == ".css":
            asks = styles(path.read_text("utf-8"))
        else:
            continue
        asked += [f"{path.relative_to(site)}: {url}" for url in asks if ELSEWHERE.match(url)]
    assert not asked, "\n".join(asked)


@pytest.mark.parametrize(
    ("words", "page"),
    [
        ("target_packets", "docs/options.html"),
        ("is refused", "docs/guides/troubleshooting.html"),
        ("one-way delay", "docs/glossary.html"),
        ("--max-per-address", "docs/cc-server.html"),
    ],
)
def test_what_a_reader_looks_for_is_in_the_index_of_the_search(site: Path, words: str, page: str) -> None:
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    found = {entry["location"].partition("#")[0] for entry in index["docs"] if words in entry["title"] + entry["text"]}
    assert page in found


def test_the_apis_are_beside_the_documents(site: Path) -> None:
    assert "hybrid" in (site / "rust" / "quiche_cc" / "controllers" / "index.html").read_text("utf-8")
    assert "load" in (site / "python" / "qlog_analysis" / "load.html").read_text("utf-8")
    links = Page((site / "api.html").read_text("utf-8")).links
    assert {"rust/quiche_cc/index.html", "python/qlog_analysis.html"} <= set(links)


def test_markdown_is_read_as_in_the_browser_of_the_repository() -> None:
    text = "Before\n- one\n\n  ```sh\n  ls\n  ```\n- `two` <b>\n\n| a | b |\n|---|---|\n| 1 | [x](y.md) |\n"
    html = markdown(text, extensions=[CommonMark()])
    assert html.count("<li>") == 2
    assert '<pre><code class="language-sh">' in html
    assert "&lt;b&gt;" in html
    assert '<div class="table-scroll">' in html
    assert slug("cc-server & Co.: hybrid:paper", "-") == "cc-server--co-hybridpaper"


def test_a_link_to_a_source_leads_to_its_page() -> None:
    page = "[a](../cc/src/lib.rs) [b](x.md#c) [d](https://example.org/e.rs) [f](g.svg) [h](#i)"
    assert to_site(page) == page.replace("lib.rs)", "lib.rs.md)")
    diagram = "```mermaid\nstateDiagram-v2\n  [*] --> a\n  a --> b: it is over\n```\n"
    assert "| a | b | it is over |" in to_site(diagram)


def test_the_fence_around_a_source_is_longer_than_those_in_it(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text('"""\n```\nx\n```\n"""\n', "utf-8")
    assert source_page(Path("a.py"), tmp_path).count("````") == 2


def test_a_broken_link_and_a_forgotten_page_fail_the_build(tmp_path: Path) -> None:
    root, source = tmp_path / "root", tmp_path / "source"
    (root / "docs").mkdir(parents=True)
    (root / "README.md").write_text("# Home\n\n[a](docs/forgotten.md#nowhere) [b](gone.md)\n", "utf-8")
    (root / "docs" / "forgotten.md").write_text("# Forgotten\n", "utf-8")
    (root / "cc" / "src").mkdir(parents=True)
    (root / "cc" / "src" / "plugin.rs").write_text("//! A module.\n", "utf-8")
    lay_out(source, root)
    config = ROOT / "docs" / "site" / "mkdocs.yml"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(config), "-d", str(tmp_path / "site")]
    environment = os.environ | {"QUICHE_CC_SITE_SOURCE": str(source)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    for said in ("- docs/forgotten.md", "'gone.md'", "'#nowhere'"):
        assert said in done.stderr
