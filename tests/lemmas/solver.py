"""A lemma is proved if the solver finds its negation unsatisfiable. Anything else, a time-out too, is a failure."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction

import z3

from .algebra import Claim, negate

LIMIT_S = 300
"""Of each query."""
SEED = 1


@dataclass(frozen=True)
class Query:
    """That `claim` holds wherever the assumptions do."""

    what: str
    assumptions: list[Claim]
    claim: Claim


@dataclass(frozen=True)
class Lemma:
    """A statement in plain English, and what has to be unsatisfiable for it."""

    name: str
    says: str
    queries: Callable[..., Iterator[Query]]
    of: str = "step"


@dataclass(frozen=True)
class Verdict:
    """What became of one lemma."""

    proved: bool
    seconds: float
    queries: int
    why: str = ""
    """If it is not proved: the query, and numbers for which it does not hold."""
    values: dict[str, Fraction | bool] = field(default_factory=dict)


def prove(queries: Iterator[Query], limit_s: float = LIMIT_S) -> Verdict:
    """All of them, or the first that fails."""
    began, done = time.monotonic(), 0
    for query in queries:
        done += 1
        answer, model = ask(query, limit_s)
        if answer != z3.unsat:
            values = example(model) if model is not None else {}
            reason = "does not hold" if answer == z3.sat else f"is not decided within {limit_s} s"
            shown = "".join(f"\n    {name} = {told(value)}" for name, value in values.items())
            return Verdict(False, time.monotonic() - began, done, f"{query.what}: {reason}{shown}", values)
    return Verdict(done > 0, time.monotonic() - began, done, "" if done else "there is no query")


def ask(query: Query, limit_s: float = LIMIT_S) -> tuple[z3.CheckSatResult, z3.ModelRef | None]:
    solver = z3.SolverFor("QF_NRA")
    solver.set(timeout=round(limit_s * 1000), random_seed=SEED)
    solver.add(*query.assumptions, negate(query.claim))
    answer = solver.check()
    return answer, solver.model() if answer == z3.sat else None


def example(model: z3.ModelRef) -> dict[str, Fraction | bool]:
    """Values of the inputs, by name."""
    found: dict[str, Fraction | bool] = {}
    for declared in sorted(model.decls(), key=lambda d: d.name()):
        value = model[declared]
        if declared.arity() == 0 and "!" not in declared.name():
            found[declared.name()] = value_of(value)
    return found


def value_of(value: z3.ExprRef) -> Fraction | bool:
    if z3.is_bool(value):
        return bool(z3.is_true(value))
    if z3.is_algebraic_value(value):
        value = value.approx(20)
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def told(value: Fraction | bool) -> str:
    return str(value) if isinstance(value, bool) else f"{float(value):.6g}"
