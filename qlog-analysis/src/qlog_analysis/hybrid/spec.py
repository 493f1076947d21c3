"""Option strings: `hybrid:d1=10ms` to the parameters they stand for."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from .parameters import DEFAULT, Parameters

_NUMBER = re.compile(r"^(\d+\.?\d*|\.\d+) ?([A-Za-z]*)$", re.ASCII)
_TIMES = {"us": 1e-6, "ms": 1e-3, "s": 1.0}
_RATES = {"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9}
_WORDS: dict[str, dict[str, tuple[str, bool]]] = {
    "skew": {"on": ("skew", True), "off": ("skew", False)},
}
_TIME_NAMES = frozenset({"d1", "owdwin", "period", "compete"})
_RATE_NAMES = frozenset({"r0"})
_NUMBER_NAMES = frozenset({"bmin", "bmax", "losscap", "startup", "queue", "drain", "grow"})
_OFF = frozenset({"capacity", "insist", "full", "compete", "dip", "catchup"})
"""Numbers that can be switched off, which are 0 then."""
_AUTO = frozenset({"d1", "r0"})


class SpecError(ValueError):
    """The option string cannot be read."""


def parse(spec: str) -> Parameters:
    """The parameters that an option string stands for."""
    name, _, options = spec.partition(":")
    if name != "hybrid":
        raise SpecError(f"{spec!r} is not an option string of hybrid")
    items = [i.strip() for i in options.split(",")] if options else []
    if items and "=" not in items[0]:
        profile = items.pop(0)
        if profile != "default":
            raise SpecError(f"{spec!r}: the parameters are those of the default profile, not of {profile!r}")
    return replace(DEFAULT, **dict(_item(spec, i) for i in items))


def _item(spec: str, item: str) -> tuple[str, Any]:
    name, _, value = (part.strip() for part in item.partition("="))
    if name in _WORDS:
        if value not in _WORDS[name]:
            raise SpecError(f"{spec!r}: {name} is {value!r}, expected one of {', '.join(_WORDS[name])}")
        return _WORDS[name][value]
    if name in _AUTO and value == "auto":
        return name, None
    if name in _OFF and value == "off":
        return name, 0.0
    match = _NUMBER.match(value)
    if match is None:
        raise SpecError(f"{spec!r}: {name} is {value!r}, expected a number")
    number, unit = float(match[1]), match[2]
    if name in _TIME_NAMES:
        return name, number * _scale(spec, name, number, unit, _TIMES)
    if name in _RATE_NAMES:
        return name, number * _scale(spec, name, number, unit, _RATES)
    if (name in _NUMBER_NAMES or name in _OFF) and not unit:
        return name, number
    raise SpecError(f"{spec!r}: {item!r} is no parameter of hybrid")


def _scale(spec: str, name: str, number: float, unit: str, scales: dict[str, float]) -> float:
    if not unit and number == 0.0:
        return 0.0
    if unit not in scales:
        raise SpecError(f"{spec!r}: {name} has the unit {unit!r}, expected one of {', '.join(scales)}")
    return scales[unit]
