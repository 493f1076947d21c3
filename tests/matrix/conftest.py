"""The parts of the local matrix, without peers and without a network."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "matrix"))

import shared_modules  # noqa: F401  (makes the shared modules importable)
