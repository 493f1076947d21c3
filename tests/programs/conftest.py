"""The trials of programs that use quiche: their parts, without the programs and without a network."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "programs"))

import neighbours  # noqa: F401  (makes the shared modules importable)
