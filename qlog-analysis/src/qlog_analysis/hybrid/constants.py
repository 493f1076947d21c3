"""What no option sets, and what `without` leaves out: "Options" in docs/papers/hybrid.md."""

from __future__ import annotations

MAX_DECREASE = 0.5
"""Share of R: the largest decrease. bmax of the paper, section II-B."""

EXCESSIVE_LOSS = 0.1
"""Share of packets: more recent losses are excessive. DEVIATION: "Losses" in docs/papers/hybrid-measuring.md."""
EXCESSIVE_BEYOND = 0.02
"""The same of the packets of a rate that the path has not been found to carry. DEVIATION: the same."""
EVERYTHING = 1.0
"""The same where nothing is excessive: no more can be lost."""

INSISTED = 0.2
"""Share of L: the queueing delay that start-up insists on beside others. DEVIATION: "Start-up", the same page."""

CATCH_UP = 4.0
"""Number: times the part of the slowest link that a flow leaves unused, the factor of its increase, if above 1.
DEVIATION: "Catching up", the same page."""

FULL_SHARE = 0.75
"""Share of the longest recent queue beyond which losses count below d1. DEVIATION: "Zones", the same page."""

BELIEVED = 0.7
"""Share of the largest recent A that the path is taken to carry at least. DEVIATION: "Paths that vary", the same
page."""

PATIENCE = 1.0
"""s: for how long a queue stands at least until others are known to fill it. DEVIATION: "Beside others who fill the
buffer", the same page."""

ALONE_SHARE = 0.5
"""Of what the slowest link carries: a flow with as much does not share it."""
