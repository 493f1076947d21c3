"""The version of this project, and the release of quiche that it is for, wherever a file states them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from steps import ROOT, Failure


@dataclass(frozen=True)
class Place:
    """A file that states a version, by a pattern with one group."""

    file: str
    pattern: str


# The first of each is what the others are held against: CMake, and with it the packages, read the same lines.
OWN = (
    Place("Cargo.toml", r'\[workspace\.package\]\nversion = "([^"]+)"'),
    Place("Cargo.toml", r'quiche-cc-bottleneck = \{[^}]*\bversion = "([^"]+)"'),
    Place("Cargo.toml", r'quiche-cc-record = \{[^}]*\bversion = "([^"]+)"'),
    Place("qlog-analysis/src/qlog_analysis/__init__.py", r'__version__ = "([^"]+)"'),
    Place("CHANGELOG.md", r"## (?:Unreleased \()?(\d[^\s,)]*)"),
    Place("qlog-analysis/reader/Cargo.toml", r'version = "([^"]+)"'),
    Place("interop/tokio-quiche/Cargo.toml", r'version = "([^"]+)"'),
)
QUICHE = (
    Place("patches/quiche/UPSTREAM", r"version: (\S+)"),
    Place("Cargo.toml", r'quiche = \{ version = "=([^"]+)"'),
    Place("CHANGELOG.md", r"## [^\n]*, for quiche (\S+)"),
)
# A release: its number, the day and quiche's. Before that the word Unreleased stands in front.
HEADING = re.compile(r"^## (?:Unreleased \([\d.]+\)|[\d.]+ \((\d{4}-\d\d-\d\d)\)), for quiche [\d.]+$", re.MULTILINE)
SUPPORTED = re.compile(r"^\| ([\d.]+) \| ([\d.]+) \| (yes|no) \|$", re.MULTILINE)
"""A row of SECURITY.md: our minor version, quiche's release, whether faults are mended."""


def read(root: Path, name: str) -> str:
    return (root / name).read_text(encoding="utf-8")


def stated(place: Place, root: Path = ROOT) -> str:
    """The first that the file states; a Failure if it states none."""
    found = re.search(f"^{place.pattern}", read(root, place.file), re.MULTILINE)
    if not found:
        raise Failure(f"{place.file} states no version as it should ({place.pattern})")
    return found[1]


def version(root: Path = ROOT) -> str:
    return stated(OWN[0], root)


def released_on(root: Path = ROOT) -> str:
    """The day in the newest heading of the changelog; empty before the release."""
    newest = HEADING.search(read(root, "CHANGELOG.md"))
    return (newest[1] or "") if newest else ""


def problems(root: Path = ROOT) -> list[str]:
    """What does not agree, a line each."""
    found = [*_unlike(OWN, root), *_unlike(QUICHE, root), *_crates(root)]
    if not HEADING.search(read(root, "CHANGELOG.md")):
        example = "`## 1.2.3 (2026-01-31), for quiche 0.30.0`, or with `Unreleased (1.2.3)`"
        found.append(f"CHANGELOG.md has no heading like {example}")
    row = (".".join(version(root).split(".")[:2]), stated(QUICHE[0], root), "yes")
    if row not in SUPPORTED.findall(read(root, "SECURITY.md")):
        found.append(f"SECURITY.md does not say that {row[0]} on quiche {row[1]} is supported")
    return found


def _unlike(places: tuple[Place, ...], root: Path) -> Iterator[str]:
    first, *others = places
    right = stated(first, root)
    for place in others:
        value = stated(place, root)
        if value != right:
            yield f"{place.file} has {value}, and {first.file} has {right}"


def _crates(root: Path) -> Iterator[str]:
    """The workspace's members have its version."""
    members = re.search(r"^members = \[([^\]]*)\]", read(root, "Cargo.toml"), re.MULTILINE)
    for member in re.findall(r'"([^"]+)"', members[1] if members else ""):
        if not member.startswith("build/") and "version.workspace = true" not in read(root, f"{member}/Cargo.toml"):
            yield f"{member}/Cargo.toml does not take the workspace's version"
