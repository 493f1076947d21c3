"""How a command ends."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Exit codes; the help and the README list them."""

    OK = 0
    VIOLATIONS = 1
    UNSUITABLE = 2
    NO_LAW = 3
    PARTLY = 4
