"""The law of the `hybrid` controller, as pure functions.

Written from docs/papers/hybrid.md alone (equation numbers are the paper's). The controller itself is a
separate implementation; tests/vectors/hybrid.json holds the two together.
"""
