"""What every test of CTest has to say of itself, and CONTRIBUTING.md of the tests."""

from __future__ import annotations

import re
from typing import Any

TIERS = ("quick", "test", "nightly")


def labels_of(entry: dict[str, Any]) -> list[str]:
    """Of a test as `ctest --show-only=json-v1` has it."""
    found: list[str] = property_of(entry, "LABELS") or []
    return found


def property_of(entry: dict[str, Any], name: str) -> Any:
    return next((p["value"] for p in entry.get("properties", []) if p["name"] == name), None)


def lacking(entry: dict[str, Any]) -> list[str]:
    """What is wrong with a test, a line each."""
    labels, limit = labels_of(entry), property_of(entry, "TIMEOUT")
    subjects = [label for label in labels if label not in TIERS]
    found = []
    if not set(labels) & set(TIERS):
        found.append(f"{entry['name']}: no tier")
    if len(subjects) != 1:
        found.append(f"{entry['name']}: what it is about should be one label, and is {subjects}")
    if not limit or limit <= 0:
        found.append(f"{entry['name']}: no time limit")
    return found


def declared_labels(cmake: str) -> set[str]:
    """The labels in a CMake file, of tests that this configuration has and of others."""
    return set(re.findall(r"^[^#\n]*?\bLABEL ([a-z][\w-]*)", cmake, re.MULTILINE))


def documented(markdown: str) -> tuple[set[str], set[str]]:
    """Tiers and labels that have a row in the tables of CONTRIBUTING.md: | `name` | ..."""
    names = set(re.findall(r"^\| `([\w-]+)` \|", markdown, re.MULTILINE))
    return names & set(TIERS), names - set(TIERS)
