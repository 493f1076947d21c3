"""Which crates of the workspace can be published, and what keeps the others back."""

from __future__ import annotations

import json
import os
from typing import Any

from steps import Failure, attempt, run

CARGO = os.environ.get("CARGO", "cargo")
QUICHE = "quiche"
HELD_BACK = {
    "quiche-cc-http3": "a table of tests for the servers of this repository; elsewhere it has nobody to test",
}
"""Crates that cargo would package and that are not published, with the reason."""


def own() -> list[dict[str, Any]]:
    """What cargo says of the crates of this workspace but quiche."""
    told = json.loads(run(CARGO, "metadata", "--no-deps", "--locked", "--format-version", "1"))
    return [package for package in told["packages"] if package["name"] != QUICHE]


def members() -> dict[str, list[dict[str, Any]]]:
    """These crates, with what they depend on outside of their tests."""
    return {
        package["name"]: [needed for needed in package["dependencies"] if needed["kind"] != "dev"] for package in own()
    }


def kept_back(needs: dict[str, list[dict[str, Any]]]) -> dict[str, str]:
    """Crates that are not published, with the reason of each."""
    return HELD_BACK | {name: reason for name in needs if (reason := needs_quiche(name, needs))}


def needs_quiche(name: str, needs: dict[str, list[dict[str, Any]]]) -> str:
    """By which crate this one needs the patched quiche; empty if by none."""
    named = {needed["name"] for needed in needs[name]}
    if QUICHE in named:
        return "needs what only the patched quiche has, and a registry has only quiche as released"
    through = next((other for other in sorted(named & set(needs)) if needs_quiche(other, needs)), "")
    return f"needs {through}" if through else ""


def permitted() -> list[str]:
    """Crates whose manifests let them be published."""
    return sorted(package["name"] for package in own() if package["publish"] is None)


def published(needs: dict[str, list[dict[str, Any]]]) -> list[str]:
    return sorted(set(needs) - set(kept_back(needs)))


def check_that_quiche_keeps_it_back(crate: str = "quiche-cc") -> None:
    """A Failure if cargo would package the crate all the same: what is said of it is then wrong."""
    code, _, error = attempt(CARGO, "package", "--no-verify", "--allow-dirty", "--locked", "-p", crate)
    if code == 0:
        raise Failure(f"cargo packages {crate}; tests/release/crates.py is wrong about what keeps it back")
    if "does not have that feature" not in error:
        raise Failure(f"cargo does not package {crate}, for another reason than its features of quiche:\n{error}")
