"""How close two numbers of a trace have to be, and how they are shown."""

from __future__ import annotations

from collections.abc import Iterable

from ..model import TIME_RESOLUTION

TIME_TOLERANCE = 2.5 * TIME_RESOLUTION
"""Between two differences of trace times, each truncated to 1 us, with room for the rounding of decimals."""
REPORT_ROUNDING = 2e-6
"""Controllers write six digits after the point (ms, bit/s, bytes, fractions)."""
RELATIVE = 1e-6


def close(a: float | None, b: float | None, slack: float = 0.0) -> bool:
    """Whether they agree within rounding and `slack`; null agrees with null alone."""
    if a is None or b is None:
        return a is b
    return abs(a - b) <= RELATIVE * max(abs(a), abs(b)) + REPORT_ROUNDING + slack


def show(x: object) -> str:
    """A value as messages show it."""
    if x is None:
        return "null"
    return f"{x:.10g}" if isinstance(x, float) else repr(x)


def whole(low: float, high: float) -> str:
    """What lies between two numbers, in whole ones."""
    least, most = f"{low:.0f}", f"{high:.0f}"
    return least if least == most else f"{least} to {most}"


def one_of(items: Iterable[str]) -> str:
    return " or ".join(sorted(set(items))) or "nothing"
