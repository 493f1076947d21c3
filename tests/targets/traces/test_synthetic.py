"""The recordings are what their script draws."""

from __future__ import annotations

from pathlib import Path

import pytest
import synthetic


@pytest.mark.parametrize("name", synthetic.LINKS)
def test_a_recording_is_what_the_script_draws_from_the_seed(name: str) -> None:
    assert Path(__file__).with_name(f"{name}.trace").read_text() == synthetic.recording(name)


def test_deliveries_carry_the_rate_and_end_with_the_length() -> None:
    # 3 Mbit/s are one packet of 1500 bytes every 4 ms.
    times = synthetic.deliveries([3000.0] * 20)
    assert times == [3, 7, 11, 15, 19, synthetic.LENGTH_MS]
