"""Figures as people read them."""

from __future__ import annotations

from .limits import ROUNDING, Limit

LIMIT_NAMES = {
    Limit.HANDSHAKE: "handshake",
    Limit.APPLICATION: "application",
    Limit.RECEIVER: "receiver",
    Limit.WINDOW: "congestion window",
    Limit.PACING: "pacing",
    Limit.PATH: "path",
    Limit.INTERRUPTED: "interrupted",
    Limit.UNKNOWN: "unknown",
    Limit.LATE: "late sending",
}


def rate(bps: float) -> str:
    for unit, name in ((1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")):
        if bps >= unit:
            return f"{_digits(bps / unit)} {name}"
    return f"{bps:.0f} bit/s"


def size(count: float) -> str:
    for unit, name in ((1e9, "GB"), (1e6, "MB"), (1e3, "kB")):
        if count >= unit:
            return f"{_digits(count / unit)} {name}"
    return f"{count:.0f} bytes"


def ms(seconds: float) -> str:
    if seconds < 5e-6:
        return "0 ms"
    return f"{_digits(seconds * 1e3)} ms"


def span(seconds: float) -> str:
    return ms(seconds) if seconds < 1.0 else f"{_digits(seconds)} s"


def percent(share: float) -> str:
    """Never a share of 0 or all where it is not, but for what sums of floating point leave."""
    if ROUNDING < share < 0.0995:
        return f"{100.0 * share:.2g} %"
    if 0.995 <= share < 1.0 - ROUNDING:
        return f"{min(100.0 * share, 99.9):.1f} %"
    return f"{100.0 * share:.0f} %"


def at(seconds: float) -> str:
    return f"{seconds:.3f} s"


def count(number: int, one: str, many: str | None = None) -> str:
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def _digits(value: float) -> str:
    """Three significant digits, no exponent."""
    if value >= 99.95:
        return f"{value:,.0f}"
    return f"{value:.1f}" if value >= 9.995 else f"{value:.2f}"


def times(number: int) -> str:
    return {1: "once", 2: "twice"}.get(number, f"{number:,} times")


def times_from(number: int, first: float) -> str:
    """How often, and when for the first time."""
    return f"once, at {at(first)}" if number == 1 else f"{times(number)}, first at {at(first)}"
