"""Fills in what stands in braces in a peer's command, environment and files."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from model import DataError

# Lists become as many words; anything else is put into its word.
Values = Mapping[str, str | Sequence[str]]
_BRACES = re.compile(r"\{([a-z0-9_]+)\}")


def text(template: str, values: Values) -> str:
    def fill(match: re.Match[str]) -> str:
        value = values.get(match[1])
        if value is None:
            raise DataError(f"{match[0]} in {template!r} is not known; allowed: {', '.join(sorted(values))}")
        return value if isinstance(value, str) else " ".join(value)

    return _BRACES.sub(fill, template)


def words(templates: Sequence[str], values: Values) -> list[str]:
    found: list[str] = []
    for template in templates:
        whole = _BRACES.fullmatch(template)
        value = values.get(whole[1]) if whole else None
        found += value if value is not None and not isinstance(value, str) else [text(template, values)]
    return found
