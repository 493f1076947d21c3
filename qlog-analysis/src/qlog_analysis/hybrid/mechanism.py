"""Mechanisms that the option `without` leaves out, so that their worth can be measured one by one."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

NONE = "none"
SEPARATOR = "+"


class Mechanism(str, Enum):
    """The values are their names in option strings and traces, in the order of the latter."""

    CLOCK_SKEW = "clock_skew"
    """The minima by receive timestamps follow the peer's clock."""
    LINK_RATE = "link_rate"
    """Start-up ends at what the slowest link carries, by packet dispersion."""
    INSIST = "insist"
    """Start-up goes on over a short queue beside others."""
    CATCH_UP = "catch_up"
    """Who uses little of the slowest link increases faster."""
    FULL_BUFFER = "full_buffer"
    """Losses of a queue nearly as long as the longest recent one count below d1."""
    DIPS = "dips"
    """The path is taken to carry a share of what arrived recently."""
    CONTENTION = "contention"
    """Others who keep a queue, and longer paths, are known."""
    EXCESSIVE_LOSS = "excessive_loss"
    """Many losses count whatever the delay."""


def left_out(text: str) -> frozenset[Mechanism]:
    """Those that a value of `without` names. Raises ValueError if it cannot be read."""
    if text == NONE:
        return frozenset()
    names = [name.strip() for name in text.split(SEPARATOR)]
    known = {m.value: m for m in Mechanism}
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is no mechanism, expected {NONE}, or one or more of {', '.join(known)} with +")
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is left out twice, expected each mechanism at most once")
    return frozenset(known[name] for name in names)


def as_text(mechanisms: Iterable[Mechanism]) -> str:
    """As traces have them."""
    some = set(mechanisms)
    return SEPARATOR.join(m.value for m in Mechanism if m in some) or NONE
