"""Panels, and what stands in them, independent of who draws them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from ..metrics import Floats
from .thin import thin

ZONE_COLOUR = {1: "#2e8b57", 2: "#e0a800", 3: "#c0392b"}
GREY = "#7f8c8d"
BLUE = "#1f5fa8"
LIGHT_BLUE = "#8fb8de"
RED = "#c0392b"


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    x: Floats
    y: Floats
    colour: str
    style: Literal["line", "step", "dots", "crosses"] = "line"
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """A horizontal stripe; `high` None reaches to the top."""

    low: float
    high: float | None
    colour: str
    label: str


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Times in which something was so, as pieces of a row of its own."""

    name: str
    begin: Floats
    end: Floats
    colour: str


@dataclass(slots=True)
class Panel:
    title: str
    unit: str
    series: list[Series] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    ribbons: list[Ribbon] = field(default_factory=list)
    """In a panel without series, the first is the uppermost row. `static` draws none."""

    def top(self) -> float:
        return max((float(s.y.max()) for s in self.series if len(s.y)), default=1.0)


def series(name: str, x: Floats, y: Floats, colour: str, **how: object) -> Series:
    return Series(name, *thin(x, y), colour, **how)  # type: ignore[arg-type]
