"""A hook of MkDocs: pages are read as the repository's browser reads them, by CommonMark with tables.

Python-Markdown, which MkDocs uses, reads another Markdown: there a fence inside a list is text, and a list needs a
blank line before it. Here markdown-it makes the tree of elements, and Python-Markdown does what follows: links and the
table of contents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from xml.etree import ElementTree

import pygments
from markdown import Extension, Markdown
from markdown.blockparser import BlockParser
from markdown.util import Registry
from markdown_it import MarkdownIt
from mkdocs.config.defaults import MkDocsConfig
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def coloured(code: str, language: str, _attributes: str) -> str:
    try:
        lexer = get_lexer_by_name(language)
    except ClassNotFound:
        return escape(code)
    text: str = pygments.highlight(code, lexer, HtmlFormatter(nowrap=True))
    return text


def reader() -> MarkdownIt:
    # Raw HTML is shown as text: the documents have none but comments.
    return MarkdownIt("commonmark", {"html": False, "xhtmlOut": True, "highlight": coloured}).enable("table")


def slug(heading: str, _separator: str) -> str:
    """The anchor that the repository's browser makes of a heading."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


class CommonMarkParser(BlockParser):
    def parseDocument(self, lines: Iterable[str]) -> ElementTree.ElementTree:
        html = reader().render(COMMENT.sub("", "\n".join(lines)))
        root = ElementTree.fromstring(f"<div>{html}</div>")
        for parent in list(root.iter()):
            for place, child in enumerate(parent):
                if child.tag == "table":
                    # Wider than a phone: it scrolls by itself, and the page stays.
                    around = ElementTree.Element("div", {"class": "table-scroll"})
                    around.tail, child.tail = child.tail, None
                    parent[place] = around
                    around.append(child)
        return ElementTree.ElementTree(root)


class CommonMark(Extension):
    def extendMarkdown(self, md: Markdown) -> None:
        md.preprocessors = Registry()
        md.parser = CommonMarkParser(md)
        md.treeprocessors.deregister("inline")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    config.markdown_extensions.append(CommonMark())  # type: ignore[arg-type]  # Python-Markdown takes both
    config.mdx_configs["toc"]["slugify"] = slug
    return config
