"""What the checkers of `hybrid` and `hybrid:paper` have in common: epochs, samples, minima, and how a report is held
against them."""
