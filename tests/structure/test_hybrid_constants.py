"""The page of constants has those of the code, with their values."""

from __future__ import annotations

import hybrid_constants
import pytest


def test_the_page_lists_the_constants_of_the_code() -> None:
    code, page = set(hybrid_constants.in_code()), list(hybrid_constants.on_page())
    assert len(code) > 50, "the code was not understood"
    wrong = [f"the code has {' '.join(of)}" for of in sorted(code - set(page))]
    wrong += [f"the page has {' '.join(of)}" for of in sorted(set(page) - code)]
    assert not wrong, f"{hybrid_constants.PAGE.name} differs from the code:\n" + "\n".join(wrong)
    assert len(page) == len(set(page)), "a constant is listed twice"


@pytest.mark.parametrize(
    ("expression", "words"),
    [
        ("Duration::from_millis(120)", "120 ms"),
        ("Duration::from_secs(5)", "5 s"),
        ("Owd::from_nanos(200_000)", "0.2 ms"),
        ("1.0 / 8.0", "1/8"),
        ("50e6", "5e+07"),
        ("[6, 5]", "6, 5"),
        ("0.54", "0.54"),
    ],
)
def test_values_are_read(expression: str, words: str) -> None:
    assert hybrid_constants.in_words(expression) == words
