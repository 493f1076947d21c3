"""All lemmas, and the paths for which the last of them are proved."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from .algebra import number
from .equations import Law
from .path import Bounds, inductive, progress
from .solver import Lemma, Query
from .step_lemmas import LEMMAS as OF_STEPS

PATHS = [
    Bounds(number("0.15"), number("0.01"), number("0.55"), number("1.24")),
    Bounds(number("0.15"), number("0.05"), number("0.47"), number("1.13")),
    Bounds(number("0.15"), number("0.1"), number("0.38"), number("1.01")),
]
"""Queue and jitter stay below the L / 6 from which on a queue may be taken for a longer path. The shares are the
largest of two digits for which the proof goes through."""


def _of(lemma: str, bounds: Bounds) -> Lemma:
    share, jitter = f"{float(bounds.of_link):g} C", f"{float(bounds.jitter):g} L"
    if lemma == "progress":
        return Lemma(
            f"progress, J <= {jitter}",
            "a lone flow without a queue does not stay slow",
            partial(_progress, bounds),
            "path",
        )
    says = f"a lone flow's R stays above min({share}, {float(bounds.of_jitter):g} P / J) if J <= {jitter}"
    return Lemma(f"no starvation, J <= {jitter}", says, partial(_inductive, bounds), "path")


def _inductive(bounds: Bounds, law: type[Law]) -> Iterator[Query]:
    return inductive(law, bounds)


def _progress(bounds: Bounds, law: type[Law]) -> Iterator[Query]:
    return progress(law, bounds)


OF_PATHS = [_of("starvation", bounds) for bounds in PATHS] + [_of("progress", PATHS[1])]
LEMMAS = [*OF_STEPS, *OF_PATHS]
