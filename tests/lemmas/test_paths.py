"""A lone flow does not starve, and what only a path shows of a mistake breaks that."""

from __future__ import annotations

import pytest

from .catalogue import OF_PATHS as LEMMAS
from .equations import Law
from .mutated import OF_PATHS
from .solver import Lemma, prove


@pytest.mark.parametrize("lemma", LEMMAS, ids=lambda lemma: lemma.name)
def test_a_lemma_is_proved(lemma: Lemma) -> None:
    verdict = prove(lemma.queries(Law))
    assert verdict.proved, verdict.why


@pytest.mark.parametrize("law", OF_PATHS, ids=lambda law: law.__name__)
def test_a_mistake_has_a_counterexample(law: type[Law]) -> None:
    assert any(prove(lemma.queries(law)).values for lemma in LEMMAS)
