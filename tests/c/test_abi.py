"""A program that was built for the published quiche can't tell ours from it, but for what is new."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from abi import declarations, exported, functions, layouts, plain_symbols
from conftest import ROOT, run


@pytest.fixture(scope="session")
def library(prefix: Path) -> Path:
    return prefix / "lib" / "libquiche.so"


def test_every_symbol_of_the_published_library_is_there(library: Path, upstream: Path) -> None:
    published = exported(upstream / "lib" / "libquiche.so.0")
    assert len(published) > 150
    assert published <= exported(library)


def test_what_is_declared_is_exported_and_nothing_else(library: Path, prefix: Path, upstream: Path) -> None:
    declared = functions(prefix / "include" / "quiche.h") | functions(prefix / "include" / "quiche_cc.h")
    # What a plugin defines, and a type.
    declared -= {"quiche_cc_plugin", "quiche_cc_register_fn"}
    # The published header leaves one out.
    assert exported(library) == declared | exported(upstream / "lib" / "libquiche.so.0")


def test_our_own_functions_have_our_prefix(library: Path, prefix: Path, upstream: Path) -> None:
    quiche = functions(prefix / "include" / "quiche.h") | exported(upstream / "lib" / "libquiche.so.0")
    ours = exported(library) - quiche
    assert ours == {name for name in exported(library) if name.startswith("quiche_cc_")}
    assert "quiche_cc_list" in ours


def test_the_static_library_adds_no_other_names(prefix: Path, upstream: Path, library: Path) -> None:
    ours, published = plain_symbols(prefix / "lib" / "libquiche.a"), plain_symbols(upstream / "lib" / "libquiche.a")
    assert published - ours == set()
    assert ours - published == exported(library) - exported(upstream / "lib" / "libquiche.so.0")


def test_the_header_only_gains_declarations(prefix: Path, upstream: Path) -> None:
    published = declarations(upstream / "include" / "quiche.h")
    assert len(published) > 150
    assert published <= declarations(prefix / "include" / "quiche.h")


def test_structs_and_constants_lie_as_in_the_published_header(prefix: Path, upstream: Path, tmp_path: Path) -> None:
    published = upstream / "include" / "quiche.h"
    before = layouts(published, published, tmp_path)
    assert any(line.startswith("offsetof(quiche_send_info, at)") for line in before)
    assert layouts(prefix / "include" / "quiche.h", published, tmp_path) == before


def test_a_changed_struct_would_be_noticed(upstream: Path, tmp_path: Path) -> None:
    published = upstream / "include" / "quiche.h"
    text = published.read_text()
    changed = tmp_path / "quiche.h"
    changed.write_text(text.replace("} quiche_send_info;", "int ecn; } quiche_send_info;"))
    assert changed.read_text() != text
    assert layouts(changed, published, tmp_path) != layouts(published, published, tmp_path)


def test_it_is_found_under_the_name_of_the_published_library(library: Path, upstream: Path) -> None:
    def soname(file: Path) -> str:
        lines = run("readelf", "--dynamic", file).splitlines()
        return next(line.split("[")[1] for line in lines if "SONAME" in line)

    assert soname(library) == soname(upstream / "lib" / "libquiche.so.0") == "libquiche.so.0]"


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_the_c_types_of_ours_are_what_rust_takes_them_for(prefix: Path, tmp_path: Path) -> None:
    """What rustc asserts of its types when it compiles them (`laid_out!`) is what a C compiler makes of the header."""
    header = prefix / "include" / "quiche_cc.h"
    in_c = {line for line in layouts(header, header, tmp_path) if re.match(r"(sizeof|offsetof)\(quiche", line)}
    in_rust: set[str] = set()
    for source in ("cc/foreign/src/abi.rs", "cc/capi/src/statistics.rs", "cc/capi/src/estimate.rs"):
        asserted = re.findall(r"laid_out!\((\w+) \{([^}]*)\} (\d+)\)", (ROOT / source).read_text())
        for kind, fields, size in asserted:
            name = f"quiche_cc_{kind.lower()}"
            in_rust |= {f"offsetof({name}, {field}) {at}" for field, at in re.findall(r"(\w+) (\d+)", fields)}
            in_rust.add(f"sizeof({name}) {size}")
    assert in_rust == in_c
