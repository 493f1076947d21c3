"""What programs say of samples are the numbers that qlog-analysis gives, too."""

from __future__ import annotations

import json
from typing import Any

import pytest

from .names import TESTS
from .publication import percentile

CASES = json.loads((TESTS / "vectors" / "percentiles.json").read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize("case", CASES, ids=[case["about"] for case in CASES])
def test_percentiles_are_those_of_the_shared_vectors(case: dict[str, Any]) -> None:
    for percent, expected in case["percentiles"]:
        assert percentile(case["values"], percent) == expected
