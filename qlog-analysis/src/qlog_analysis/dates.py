"""Dates of headers."""

from __future__ import annotations

import re
from datetime import datetime


def unix_time(text: str) -> float | None:
    """An RFC 3339 time, with up to nanoseconds, as seconds of Unix time; None if it is none."""
    match = re.match(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d{1,12})?(Z|[+-]\d\d:\d\d)$", text, re.ASCII)
    if match is None:
        return None
    zone = "+00:00" if match[3] == "Z" else match[3]
    try:
        return datetime.fromisoformat(match[1] + zone).timestamp() + float(match[2] or 0.0)
    except ValueError:
        return None
