"""Which connections are meant: conditions of the command line as conditions of SQL."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from difflib import get_close_matches

from ..errors import AnalysisError
from .row import columns

_CONDITION = re.compile(r"^\s*(\w+)\s*(>=|<=|=)(.*)$", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Chosen:
    """Of the connections that could be measured."""

    text: str = ""
    """For people; empty where all are meant."""
    where: str = "error IS NULL"
    parameters: list[object] = field(default_factory=list)

    @classmethod
    def by(cls, conditions: list[str]) -> Chosen:
        """All of `COLUMN=VALUE` (with * and ? for text), `COLUMN>=NUMBER`, `COLUMN<=NUMBER`."""
        parts, parameters = ["error IS NULL"], []
        for condition in conditions:
            sql, value = _one(condition)
            parts.append(sql)
            parameters.append(value)
        return cls(" and ".join(conditions), " AND ".join(parts), parameters)


def _one(condition: str) -> tuple[str, object]:
    match = _CONDITION.match(condition)
    if match is None:
        raise AnalysisError(f"{condition!r} is no condition: expected COLUMN=VALUE, COLUMN>=NUMBER or COLUMN<=NUMBER")
    name, operator, value = match[1], match[2], match[3].strip()
    kind = columns().get(name)
    if kind is None:
        near = get_close_matches(name, [c for c, k in columns().items() if not _is_list(k)], 1, 0.5)
        raise AnalysisError(
            f"{condition!r}: the table has no column {name}" + (f"; did you mean {near[0]}?" if near else "")
        )
    if _is_list(kind):
        raise AnalysisError(f"{condition!r}: {name} is a list, for which there are no conditions")
    if kind == "VARCHAR":
        if operator != "=":
            raise AnalysisError(f"{condition!r}: {name} is text, which has only =")
        return f"{name} GLOB ?", _pattern(condition, value)
    return f"{name} {operator} ?", _number(condition, name, value)


def _is_list(kind: str) -> bool:
    return kind.endswith("[]")


def _pattern(condition: str, value: str) -> str:
    try:
        value.encode()
    except UnicodeEncodeError:
        raise AnalysisError(f"{condition!r}: the value must be UTF-8") from None
    return value.replace("\\", r"\\").replace("[", r"\[")


def _number(condition: str, name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise AnalysisError(f"{condition!r}: {name} is a number")
    return number
