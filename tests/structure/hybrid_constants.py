"""The constants of `hybrid`, as the code has them and as their page lists them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeAlias

ROOT = Path(__file__).parents[2]
CODE = ROOT / "cc" / "src"
PAGE = ROOT / "docs" / "papers" / "hybrid-constants.md"
DIRECTORIES = ("controllers/hybrid", "measure")
NOT_OF_HYBRID = ("measure/trend.rs", "measure/course.rs", "measure/rate.rs")
"""Measurements that only other controllers use."""
SHARED = {
    "controllers/pacing.rs": ("HANDSHAKE_BURST", "PAIRS_ABOVE_BPS"),
    "controllers/bounds.rs": ("MIN_RATE_ROUNDS", "MAX_RATE_BPS", "SHORTEST"),
    "controller.rs": ("MIN_WINDOW_PACKETS", "CATCH_UP"),
}
"""Of modules that all controllers share, the constants that hybrid uses."""
NUMBERS = ("f64", "u8", "u32", "u64", "i64", "usize", "Duration", "Owd", "[u32; 2]")
UNITS_OF_NS = {"nanos": 1, "micros": 1_000, "millis": 1_000_000, "secs": 1_000_000_000}

_CONSTANT = re.compile(r"^ *(?:pub )?const ([A-Z][A-Z_0-9]*): ([^=]+) = ([^;]+);", re.MULTILINE)
_TIME = re.compile(r"(?:Duration|Owd)::from_(\w+)\(([\d_]+)\)")
_ROW = re.compile(r"^\| `([a-z_/]+\.rs)` `([A-Z_0-9]+)` \| ([^|]+?) \|", re.MULTILINE)

Constant: TypeAlias = tuple[str, str, str]
"""Module, name and value in words."""


def in_words(expression: str) -> str:
    """The value of a constant, as the page writes it."""
    time = _TIME.fullmatch(expression)
    if time:
        ns = int(time[2].replace("_", "")) * UNITS_OF_NS[time[1]]
        return f"{ns / 1e9:g} s" if ns >= UNITS_OF_NS["secs"] else f"{ns / 1e6:g} ms"
    if "/" in expression:
        above, below = (float(number) for number in expression.split("/"))
        return f"{above:g}/{below:g}"
    numbers = re.findall(r"[\d_.]+(?:e-?\d+)?", expression)
    return ", ".join(f"{float(number.replace('_', '')):g}" for number in numbers)


def in_code() -> Iterator[Constant]:
    """The numbers that the code of the default profile has as constants."""
    for directory in DIRECTORIES:
        for file in sorted((CODE / directory).rglob("*.rs")):
            module = file.relative_to(CODE).as_posix()
            if "/tests" not in module and module not in NOT_OF_HYBRID:
                yield from of_module(module)
    for module, names in SHARED.items():
        yield from (constant for constant in of_module(module) if constant[1] in names)


def of_module(module: str) -> Iterator[Constant]:
    source = (CODE / module).read_text(encoding="utf-8").split("#[cfg(test)]\nmod tests {")[0]
    for name, kind, expression in _CONSTANT.findall(source):
        if kind in NUMBERS:
            yield module.removeprefix("controllers/hybrid/"), name, in_words(expression.strip())


def on_page() -> Iterator[Constant]:
    """Those that the page lists."""
    yield from _ROW.findall(PAGE.read_text(encoding="utf-8"))
