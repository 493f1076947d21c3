"""Numbers in docs/results that no publication makes, with the reason."""

from __future__ import annotations

PATHS = "describes paths, and measures nothing"
RULE = "a number of a rule or of a goal, which nobody measures"
PROOF = "a solver proves it; ctest: lemmas, lemmas-of-paths"

ELSEWHERE: dict[str, str] = {
    "docs/results/README.md#Results: `hybrid` and the controllers of quiche, one flow": PATHS,
    "docs/results/beside-others.md#Among themselves": RULE,
    "docs/results/foreign-traces.md": "traces that other implementations wrote once; ctest: qlog-analysis-traces",
    "docs/results/hunt.md#What is searched": PATHS,
    "docs/results/hunt.md#How harm is measured": RULE,
    "docs/results/hunt.md#Does the hunt find what is there?": RULE,
    "docs/results/lemmas.md#One step": PROOF,
    "docs/results/lemmas.md#A lone flow on a path with jitter": PROOF,
    "docs/results/media.md#Live video that follows the estimate": PATHS,
    "docs/results/mutants.md#Mutants: how well `qlog-analysis check` finds broken controllers": RULE,
    "docs/results/mutants.md#Mutants": RULE,
    "docs/results/mutants.md#Honest runs": RULE,
    "docs/results/mutants.md#What the tests of the sources find": RULE,
    "docs/results/real-paths.md#Recorded cellular links": "says how the table is to be read",
    "docs/results/receive-timestamps.md#All numbers": "says how the table is to be read",
}
"""By the page, or `page#section`."""
