"""What is read out of a profile."""

from __future__ import annotations

import pytest
from callgrind import Cost, costs
from cost import without_client

PROFILE = """\
events: Ir
fl=(1) a.rs
fn=(1) outer
10 5
cfn=(2) inner
calls=3 20
11 300
12 7
cfn=(2)
calls=1 20
+1 100
fn=(2)
20 400
"""


def test_calls_are_summed_up_with_what_they_cost_inclusively() -> None:
    assert costs(PROFILE.splitlines()) == {"inner": Cost(4, 400)}


def test_a_profile_with_compression_of_names_switched_off_is_refused() -> None:
    with pytest.raises(ValueError, match="numbered"):
        costs(["fn=outer"])


def test_what_a_client_costs_is_taken_out() -> None:
    # Elsewhere a client acknowledged once per 25 ACKs, for 1000 instructions; here there were 104 calls of both.
    server = without_client(Cost(104, 54_000), server=Cost(250, 1), client=Cost(10, 10_000))
    assert server == Cost(100, 50_000)
