"""Panels, and what stands in them, independent of who draws them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..arrays import Floats
from .thin import Points, thinned

# Okabe and Ito's colours, which people with every kind of colour vision can tell apart.
BLUE, SKY, GREEN, ORANGE = "#0072b2", "#56b4e9", "#009e73", "#e69f00"
VERMILLION, PINK, YELLOW, GREY, LIGHT_GREY = "#d55e00", "#cc79a7", "#f0e442", "#7f8c8d", "#c8c8c8"
OF_SEVERAL = (BLUE, VERMILLION, GREEN, PINK, ORANGE, SKY, "#000000", GREY)
"""Colours of things of one kind, as traces are that stand over one another."""
ZONE_COLOUR = {1: GREEN, 2: ORANGE, 3: VERMILLION}
MOST_POINTS = 200_000
"""Of a series in a page, which shows a part of them at a time; a longer one is thinned."""

Style = Literal["line", "step", "dots", "squares", "triangles", "crosses"]


@dataclass(frozen=True, slots=True)
class Series:
    name: str
    x: Floats
    """Rising."""
    y: Floats
    colour: str
    style: Style = "line"
    faint: bool = False


@dataclass(frozen=True, slots=True)
class Band:
    """A horizontal stripe; `high` None reaches to the top."""

    low: float
    high: float | None
    colour: str
    label: str


@dataclass(frozen=True, slots=True)
class Area:
    """What lies between two lines that change in steps."""

    name: str
    x: Floats
    low: Floats
    high: Floats
    colour: str


@dataclass(frozen=True, slots=True)
class Ribbon:
    """Times in which something was so, as pieces of a row of its own."""

    name: str
    """Of the row."""
    begin: Floats
    end: Floats
    colour: str
    meaning: str = ""
    """What the colour says, where the name of the row does not."""

    @property
    def label(self) -> str:
        return f"{self.name}: {self.meaning}" if self.meaning else self.name


@dataclass(slots=True)
class Panel:
    title: str
    unit: str
    series: list[Series] = field(default_factory=list)
    bands: list[Band] = field(default_factory=list)
    areas: list[Area] = field(default_factory=list)
    ribbons: list[Ribbon] = field(default_factory=list)
    """Only in a panel without series. Those of one name share a row; the first is the uppermost."""
    from_zero: bool = True
    """Whether what is seen of it reaches down to 0, however close one looks."""

    @property
    def drawn(self) -> bool:
        return any(len(s.x) for s in self.series) or any(len(r.begin) for r in self.ribbons)

    @property
    def rows(self) -> list[str]:
        """Names of its rows of ribbons."""
        return list(dict.fromkeys(r.name for r in self.ribbons))

    def top(self) -> float:
        return max((float(s.y.max()) for s in self.series if len(s.y)), default=1.0)


def series(name: str, x: Floats, y: Floats, colour: str, style: Style = "line", *, faint: bool = False) -> Series:
    return series_of(name, [(x, y)], colour, style, faint=faint)


def series_of(name: str, parts: Iterable[Points], colour: str, style: Style = "line", *, faint: bool = False) -> Series:
    """Without what is unknown, and in the order of time, whatever the clock of the trace did."""
    x, y = thinned(parts, MOST_POINTS)
    if (np.diff(x) < 0.0).any():
        order = np.argsort(x, kind="stable")
        x, y = x[order], y[order]
    return Series(name, x, y, colour, style, faint)
