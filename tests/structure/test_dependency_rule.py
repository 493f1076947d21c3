"""cc/ keeps the dependency rule, and the check sees it broken."""

from __future__ import annotations

from pathlib import Path

import pytest
from dependency_rule import violations
from rust_paths import paths

SOURCES = Path(__file__).parents[2] / "cc" / "src"


def test_every_file_of_the_crate_keeps_the_rule() -> None:
    files = sorted(SOURCES.rglob("*.rs"))
    assert files, f"no sources below {SOURCES}"
    found = [line for file in files for line in violations(file.relative_to(SOURCES), file.read_text())]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("measure/owd.rs", "use crate::controllers::Hybrid;"),
        ("measure/owd.rs", "use crate::{units::Rate, catalogue};"),
        ("measure/owd.rs", "use super::super::catalogue::Entry;"),
        ("measure/mod.rs", "fn f(x: crate::plugin::Plugin) {}"),
        ("controllers/hybrid/mod.rs", "use crate::{measure::{owd::Rowd}, catalogue::Entry};"),
        ("controllers/hybrid/tests.rs", "mod inner { use super::super::super::super::catalogue::Entry; }"),
        ("units.rs", "use quiche::Config;"),
        ("lib.rs", "pub fn f() -> quiche::Result<()> { Ok(()) }"),
        ("controllers/hybrid.rs", "let t = Instant::now();"),
        ("controllers/hybrid.rs", "use std::time::{Duration, SystemTime};"),
        ("controllers/hybrid.rs", "let x: f64 = rand::random();"),
        ("measure/trend.rs", "use std::{fs, fmt};"),
        ("novelty.rs", "fn f() {}"),
    ],
)
def test_a_broken_rule_is_reported(file: str, source: str) -> None:
    assert violations(Path(file), source)


@pytest.mark.parametrize(
    ("file", "source"),
    [
        ("measure/owd.rs", "use crate::units::{Bytes, Rate};\nuse super::Window;"),
        ("measure/owd.rs", "mod tests { use super::super::trend; use super::*; }"),
        ("controllers/hybrid/tests.rs", "use super::super::smallq; use super::*;"),
        ("controllers/hybrid.rs", '// quiche::Config and Instant::now()\nlet s = "use crate::plugin::x";'),
        ("controllers/hybrid.rs", "fn on_feedback(now: Instant, at: std::time::Duration) {}"),
        ("plugin.rs", "use quiche::Config; use crate::catalogue::ALL; let now = Instant::now();"),
        ("lib.rs", "mod units; pub use plugin::register; pub use catalogue::{names, Entry};"),
    ],
)
def test_what_the_rule_allows_is_not_reported(file: str, source: str) -> None:
    assert violations(Path(file), source) == []


def test_use_trees_are_expanded_and_literals_are_skipped() -> None:
    source = """
        /* use crate::nothing; */ use crate::{a::{B, c::*}, d as x,}; let x = '"';
         let y = r#"crate::no"#; let z = e::f::<'a>();
    """
    assert paths(source, ("m",)) == {("crate", "a", "B"), ("crate", "a", "c", "*"), ("crate", "d"), ("e", "f")}
