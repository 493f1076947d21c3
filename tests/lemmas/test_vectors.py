"""The equations of the lemmas give what controller and checker give."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from .equations import Law, Step
from .vectors import Case, cases

ROUNDING = Fraction(1, 10**8)
"""Of a value: the controller counts in 64-bit floats, and in whole nanoseconds."""
CASES = list(cases())
RULES = {
    "3 ends",
    "3 fills",
    "3 goes on",
    "4 congested, draining",
    "4 congested, growing",
    "4 filling, draining",
    "4 filling, growing",
    "5",
    "6",
    "7",
    "7, not tried",
    "7, unusual losses",
}


def rule_of(case: Case, step: Step) -> str:
    """With the branch that was taken in it."""
    e, before = case.epoch, case.before
    if before.startup:
        return "3 ends" if step.decreases else "3 fills" if e.fills else "3 goes on"
    if step.decreases:
        kind = "congested" if step.congested else "filling"
        return f"4 {kind}, {'draining' if before.draining else 'growing'}"
    if step.increases:
        untried = e.app_limited and not e.by_train
        return "7, not tried" if untried else "7, unusual losses" if e.lost else "7"
    return "5" if step.control.draining else "6"


def near(found: Fraction, expected: float) -> bool:
    return abs(found - Fraction(expected)) <= ROUNDING * max(abs(found), Fraction(1, 1000))


def disagreements(case: Case, law: Law) -> list[str]:
    step, expected = law.step(case.epoch, case.before), case.expected
    found = {
        "expect_rate_bps": step.control.rate,
        "expect_alpha_bps": step.alpha if step.increases else None,
        "expect_beta": step.beta if step.decreases else None,
        "expect_share_bps": step.control.return_rate if step.control.draining else None,
        "expect_undisturbed_ms": step.control.since_decrease * 1000,
        "expect_zone": Fraction(3 if step.congested else 2 if step.filling else 1) if case.epoch.counts else None,
        "expect_startup": Fraction(step.control.startup),
    }
    return [
        f"{name}: {None if value is None else float(value)}, not {expected[name]}"
        for name, value in found.items()
        if (value is None) != (expected[name] is None) or (value is not None and not near(value, expected[name]))
    ]


def test_every_step_agrees_with_the_shared_vectors() -> None:
    wrong = {n: found for n, case in enumerate(CASES) if (found := disagreements(case, Law(case.options)))}
    assert not wrong, f"{len(wrong)} of {len(CASES)}: {dict(list(wrong.items())[:3])}"


def test_the_vectors_reach_every_rule_and_branch() -> None:
    reached = Counter(rule_of(case, Law(case.options).step(case.epoch, case.before)) for case in CASES)
    assert set(reached) >= RULES, reached
