"""How sure a share is."""

from __future__ import annotations

from math import sqrt

Z95 = 1.959963984540054
"""Normal quantile of a two-sided confidence of 95 %."""


def wilson(count: int, of: int) -> tuple[float, float]:
    """The 95 % confidence interval of a share (E. B. Wilson, J. Am. Stat. Assoc. 22:209, 1927)."""
    if of == 0:
        return 0.0, 1.0
    share, z2 = count / of, Z95 * Z95 / of
    middle = (share + z2 / 2) / (1 + z2)
    half = Z95 * sqrt(share * (1 - share) / of + z2 / (4 * of)) / (1 + z2)
    return max(0.0, middle - half), min(1.0, middle + half)


def shown(count: int, of: int) -> str:
    """`44 of 50, 88 % (76 to 94 %)`."""
    low, high = wilson(count, of)
    share = f"{100 * count / of:.1f} %" if of else "none"
    return f"{count} of {of}, {share} ({100 * low:.1f} to {100 * high:.1f} %)"
