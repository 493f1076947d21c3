"""How much depends on each constant alone, all others as in the default profile."""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from .constants import CONSTANTS, DIGITS, Constant, spec_of
from .evaluator import Evaluator
from .objective import cost
from .plots import Curve, draw_curve
from .tables import table


def curve_of(evaluator: Evaluator, constant: Constant, seed: int, values: int) -> Curve:
    """Results over the constant's range, its default included."""
    places = [n / (values - 1) for n in range(values)]
    looked_at = {float(f"{constant.at(place):.{DIGITS}g}") for place in places} | {constant.default}

    def spec(value: float) -> str:
        return "hybrid" if value == constant.default else spec_of({constant.name: value})

    return Curve(constant, [(value, evaluator.measure(spec(value), [seed])) for value in sorted(looked_at)])


def write(evaluator: Evaluator, seed: int, values: int, out: Path) -> None:
    """Writes sensitivity.json, search.md and one picture per constant."""
    curves = []
    for constant in CONSTANTS:
        print(f"sensitivity: {constant.name}", file=sys.stderr, flush=True)
        curves.append(curve_of(evaluator, constant, seed, values))
        draw_curve(curves[-1], out / f"{constant.name}.svg")
    data = {curve.constant.name: _data(curve) for curve in curves}
    (out / "sensitivity.json").write_bytes(msgspec.json.format(msgspec.json.encode(data), indent=1))
    text = "# Sensitivity of the constants\n\n" + "\n".join(_section(curve) for curve in curves)
    (out / "search.md").write_text(text, encoding="utf-8")


def _data(curve: Curve) -> object:
    points = [
        {"value": value, "cost": cost(result.scenarios), "summary": result.summary} for value, result in curve.results
    ]
    return {"default": curve.constant.default, "unit": curve.constant.unit, "points": points}


def _section(curve: Curve) -> str:
    name, unit = curve.constant.name, curve.constant.unit

    def head(value: float) -> str:
        text = f"{value:.{DIGITS}g} {unit}".strip()
        return f"**{text}** (default)" if value == curve.constant.default else text

    rows = [(head(value), result) for value, result in curve.results]
    return f"## `{name}`\n\n![{name}]({name}.svg)\n\n{table(rows, name)}"
