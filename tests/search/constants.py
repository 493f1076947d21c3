"""The constants that are searched for, their ranges, and a point of that space as a spec."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from qlog_analysis.hybrid.parameters import DEFAULT

DIGITS = 4
"""Significant digits of a constant in a spec."""


@dataclass(frozen=True)
class Constant:
    """One option of `hybrid` and the range in which it is looked at."""

    name: str
    low: float
    high: float
    scale: Literal["log", "linear"]
    unit: str = ""

    @property
    def default(self) -> float:
        """Its value in the default profile, in its unit."""
        value = float(getattr(DEFAULT, self.name))
        return value * 1e3 if self.unit == "ms" else value

    def at(self, place: float) -> float:
        """The value at `place`, from 0 (lowest) to 1 (highest)."""
        if self.scale == "log":
            return float(self.low * (self.high / self.low) ** place)
        return self.low + (self.high - self.low) * place

    def place(self, value: float) -> float:
        """Where in the range `value` lies, from 0 to 1; what is outside counts as the nearest end."""
        if self.scale == "log":
            place = math.log(value / self.low) / math.log(self.high / self.low)
        else:
            place = (value - self.low) / (self.high - self.low)
        return min(max(place, 0.0), 1.0)

    def text(self, value: float) -> str:
        """The option as it stands in a spec."""
        return f"{self.name}={value:.{DIGITS}g}{self.unit}"


CONSTANTS = (
    Constant("min_decrease", 0.001, 0.05, "log"),
    Constant("target_packets", 0.7, 8.0, "log"),
    Constant("growth", 1.02, 3.0, "log"),
    Constant("growth_period", 10.0, 400.0, "log", "ms"),
    Constant("drain_epochs", 1.0, 12.0, "log"),
    Constant("startup_gain", 1.3, 3.0, "linear"),
)
"""What is for operators stays out, and which mechanism is left out (`without`) belongs to the ablation."""


def spec_at(places: Sequence[float]) -> str:
    """The spec at a point of the space of `CONSTANTS`, each coordinate from 0 to 1."""
    return spec_of({constant.name: constant.at(p) for constant, p in zip(CONSTANTS, places, strict=True)})


def spec_of(values: Mapping[str, float]) -> str:
    """The default profile with these values, in their units."""
    named = {constant.name: constant for constant in CONSTANTS}
    if unknown := [name for name in values if name not in named]:
        raise ValueError(f"unknown constant {unknown[0]}; there are {', '.join(named)}")
    return "hybrid:" + ",".join(named[name].text(value) for name, value in values.items())


def defaults() -> list[float]:
    """Today's defaults as a point of the space."""
    return [constant.place(constant.default) for constant in CONSTANTS]
