"""Arithmetic that means the same for symbols of the solver and for exact fractions, so that equations stand once."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import z3

Term = Any
"""A number: `z3.ArithRef` or `Fraction`."""
Claim = Any
"""What holds or not: `z3.BoolRef` or `bool`."""


def number(value: float | str) -> Fraction:
    """Of a decimal as it is written."""
    return Fraction(str(value))


def all_of(*claims: Claim) -> Claim:
    if all(isinstance(claim, bool) for claim in claims):
        return all(claims)
    return z3.And(*claims)


def any_of(*claims: Claim) -> Claim:
    if all(isinstance(claim, bool) for claim in claims):
        return any(claims)
    return z3.Or(*claims)


def negate(claim: Claim) -> Claim:
    return not claim if isinstance(claim, bool) else z3.Not(claim)


def choose(condition: Claim, then: Term, other: Term) -> Term:
    """`then` if the condition holds."""
    if isinstance(condition, bool):
        return then if condition else other
    return z3.If(condition, _symbol(then), _symbol(other))


def least(*terms: Term) -> Term:
    found = terms[0]
    for term in terms[1:]:
        found = choose(term < found, term, found)
    return found


def most(*terms: Term) -> Term:
    found = terms[0]
    for term in terms[1:]:
        found = choose(term > found, term, found)
    return found


def within(term: Term, low: Term, high: Term) -> Term:
    return least(most(term, low), high)


def _symbol(term: Term) -> Any:
    if isinstance(term, bool):
        return z3.BoolVal(term)
    return z3.Q(term.numerator, term.denominator) if isinstance(term, (Fraction, int)) else term


@dataclass
class Divisions:
    """Quotients, and what they divide by under which condition: a lemma says that none of it can be zero."""

    seen: list[tuple[str, Claim, Term]] = field(default_factory=list)

    def quotient(self, what: str, above: Term, below: Term, when: Claim = True) -> Term:
        """`above / below`; 0 if the condition does not hold, under which it is used."""
        self.seen.append((what, when, below))
        if when is True:
            return above / below
        if when is False:
            return Fraction(0)
        return choose(when, above / below, Fraction(0))
