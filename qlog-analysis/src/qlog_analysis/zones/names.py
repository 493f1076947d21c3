"""What zones are called."""

from __future__ import annotations

ZONE_NAMES = {1: "free", 2: "filling", 3: "congested"}
"""By their numbers in the paper and in traces."""
