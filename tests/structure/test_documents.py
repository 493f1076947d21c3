"""Links lead somewhere, every page can be found, and pages keep to the reader's words."""

from __future__ import annotations

from pathlib import Path

from documents import (
    LONGEST,
    ROOT,
    TEMPLATES,
    anchors,
    broken_code,
    broken_links,
    long_lines,
    pages,
    private_words,
    sources,
)


def test_links_lead_to_files_and_headings_that_exist() -> None:
    broken = [line for page in pages() for line in broken_links(page)]
    assert not broken, "\n".join(broken)


def test_every_page_of_docs_is_in_its_index() -> None:
    index = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    named = [p.relative_to(ROOT / "docs").as_posix() for p in pages() if p.is_relative_to(ROOT / "docs")]
    # The pages of a matrix run are results that its own page leads to.
    missing = [
        name for name in named if name != "README.md" and f"({name}" not in index and name != "matrix/results.md"
    ]
    assert not missing, f"docs/README.md does not lead to {', '.join(missing)}"


def test_pages_and_comments_have_no_private_words() -> None:
    found = [line for page in [*pages(), *sources()] for line in private_words(page)]
    assert not found, "\n".join(found)


def test_lines_of_pages_are_short() -> None:
    found = [line for page in pages() if TEMPLATES not in page.parts for line in long_lines(page)]
    assert not found, "\n".join(found)


def test_no_line_is_filled_through_code() -> None:
    found = [line for page in pages() if TEMPLATES not in page.parts for line in broken_code(page)]
    assert not found, "\n".join(found)


def test_code_that_a_line_is_filled_through_is_found(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("- `a b`\n  ```text\n  `\n  ```\n\n```toml\n[table]\nname = 1\n```\n", encoding="utf-8")
    assert not list(broken_code(page, tmp_path))
    page.write_text("`a\nb`\n\n```toml\n[table] name = 1\n```\n", encoding="utf-8")
    assert [line.split(": ")[0] for line in broken_code(page, tmp_path)] == ["page.md:4", "page.md:1", "page.md:2"]


def test_a_long_line_is_found_and_tables_code_and_targets_of_links_are_none(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    long = "x " * LONGEST
    page.write_text(f"| {long} |\n\n```\n{long}\n```\n\n[a]({'y' * LONGEST}) https://{'z' * LONGEST}\n", "utf-8")
    assert not list(long_lines(page, tmp_path))
    page.write_text(f"{'x' * LONGEST}\n- {'x' * LONGEST}\n", encoding="utf-8")
    assert [line.split(": ")[0] for line in long_lines(page, tmp_path)] == ["page.md:2"]


def test_what_is_wrong_is_found(tmp_path: Path) -> None:
    (tmp_path / "other.md").write_text("# One `two` & three\n", encoding="utf-8")
    page = tmp_path / "page.md"
    page.write_text(
        "[a](other.md#one-two--three) [b](other.md#none) [c](gone.md)\n\nIn company they vanish.\n", "utf-8"
    )
    assert anchors("# One `two` & three") == {"one-two--three"}
    assert len(list(broken_links(page, tmp_path))) == 2
    assert len(list(private_words(page, tmp_path))) == 2
    page.write_text("```\n[c](gone.md)\n```\n`vanish`\n", encoding="utf-8")
    assert not list(broken_links(page, tmp_path)) + list(private_words(page, tmp_path))
    source = tmp_path / "source.py"
    for path, found in ((page, 2), (source, 1)):
        path.write_text("# The law is what has arrived lately.\n", encoding="utf-8")
        assert len(list(private_words(path, tmp_path))) == found
