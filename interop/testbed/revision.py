"""The commit that a measurement was made of."""

from __future__ import annotations

import subprocess
from pathlib import Path


def commit(root: Path) -> str:
    """That the checkout is on, with a + if it has been changed since. Tags do not count: they come later."""
    command = ["git", "-C", str(root), "describe", "--always", "--dirty=+", "--abbrev=7", "--exclude", "*"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
