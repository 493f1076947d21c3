"""Every lemma of a step holds, and equations with a mistake have a counterexample of one of them."""

from __future__ import annotations

import pytest
import z3

from .catalogue import LEMMAS as ALL
from .equations import Law
from .mutated import MUTANTS, OF_PATHS
from .solver import Lemma, Query, ask, prove
from .step_lemmas import LEMMAS

LIMIT_S = 60
TAKE_LONG = ("decrease", "limited-level")
"""Tens of seconds to prove; most mistakes have a counterexample of another lemma."""


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_a_lemma_is_proved(lemma: Lemma) -> None:
    verdict = prove(lemma.queries(Law), LIMIT_S)
    assert verdict.proved, verdict.why


@pytest.mark.parametrize("lemma", ALL, ids=lambda lemma: lemma.name)
def test_what_a_lemma_assumes_can_be(lemma: Lemma) -> None:
    """From assumptions that contradict each other anything follows."""
    queries = list(lemma.queries(Law))
    assert queries
    for query in queries:
        answer, _ = ask(Query(query.what, query.assumptions, False), LIMIT_S)
        assert answer == z3.sat, query.what


@pytest.mark.parametrize("law", [x for x in MUTANTS if x not in OF_PATHS], ids=lambda law: law.__name__)
def test_a_mistake_has_a_counterexample(law: type[Law]) -> None:
    quick_first = sorted(LEMMAS, key=lambda lemma: lemma.name in TAKE_LONG)
    assert any(prove(lemma.queries(law), LIMIT_S).values for lemma in quick_first)
