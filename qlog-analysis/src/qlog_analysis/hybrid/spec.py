"""Option strings: `hybrid:target_delay=10ms` to the parameters they stand for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from . import mechanism
from .constants import MAX_DECREASE
from .parameters import DEFAULT, Parameters

_NUMBER = re.compile(r"^(\d+\.?\d*|\.\d+) ?([A-Za-z]*)$", re.ASCII)
_TIMES = {"ms": 1e-3, "us": 1e-6, "s": 1.0}
_RATES = {"kbps": 1e3, "bps": 1.0, "Mbps": 1e6, "Gbps": 1e9}
_PLAIN = {"": 1.0}


@dataclass(frozen=True, slots=True)
class _Quantity:
    low: float
    high: float
    """SI units."""
    units: Mapping[str, float]
    auto: bool = False

    def read(self, text: str) -> float | None:
        """None stands for auto. Raises ValueError if it is not allowed."""
        if self.auto and text == "auto":
            return None
        match = _NUMBER.match(text)
        if match is None or match[2] not in self.units:
            raise ValueError(f"is {text!r}, expected {self._allowed()}")
        value = float(match[1]) * self.units[match[2]]
        if not self.low * (1.0 - 1e-12) <= value <= self.high * (1.0 + 1e-12):
            raise ValueError(f"is {text!r}, expected {self._allowed()}")
        return value

    def _allowed(self) -> str:
        unit, scale = next(iter(self.units.items()))
        named = f" with one of the units {', '.join(self.units)}" if unit else ""
        ends = " to ".join(f"{end / scale:g}{unit}" for end in (self.low, self.high))
        return f"a number from {ends}{named}{', or auto' if self.auto else ''}"


_QUANTITIES: dict[str, _Quantity] = {
    "target_delay": _Quantity(0.05e-3, 10.0, _TIMES, auto=True),
    "target_packets": _Quantity(0.5, 100.0, _PLAIN),
    "initial_rate": _Quantity(1e3, 1e10, _RATES, auto=True),
    "base_delay_window": _Quantity(1.0, 600.0, _TIMES),
    "growth": _Quantity(1.0, 4.0, _PLAIN),
    "growth_period": _Quantity(1e-3, 10.0, _TIMES),
    "drain_epochs": _Quantity(0.5, 100.0, _PLAIN),
    "min_decrease": _Quantity(0.0, MAX_DECREASE, _PLAIN),
    "startup_gain": _Quantity(1.1, 4.0, _PLAIN),
}
_WITHOUT = "without"


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
            raise SpecError(f"{spec!r}: the parameters are those of the profile default, not of {profile!r}")
    out: dict[str, Any] = {}
    for item in items:
        name, _, text = (part.strip() for part in item.partition("="))
        if name in out:
            raise SpecError(f"{spec!r}: {name} is given twice")
        try:
            out[name] = _value(name, text)
        except ValueError as e:
            raise SpecError(f"{spec!r}: {name} {e}") from e
    return replace(DEFAULT, **out)


def _value(name: str, text: str) -> Any:
    if name == _WITHOUT:
        return mechanism.left_out(text)
    if name not in _QUANTITIES:
        raise ValueError(f"is no option of hybrid, expected one of {', '.join((*_QUANTITIES, _WITHOUT))}")
    return _QUANTITIES[name].read(text)
