"""Numbers in docs/results that no publication makes, with the reason."""

from __future__ import annotations

ELSEWHERE: dict[str, str] = {}
"""By the page, or `page#section`."""
