"""A falsified trace fails, and the finding names the law that does not hold."""

from __future__ import annotations

import re
from pathlib import Path as FilePath

import pytest

import tampering as t
from qlog_analysis.check.verdict import Outcome
from simulation import Path
from traces import DEFAULT, FAST, PAPER, Table, Tamper, assert_refused, records, verdict_of

LOSSY = Path(loss=0.02)

BOTH: Table = {
    "a wrong zone": (t.in_epoch(zone=2), {"zone"}),
    "zone null": (t.in_epoch(zone=None), {"zone"}),
    "delta 1 ms higher": (t.shifted("delta", 1.0), {"delta"}),
    "delta 7 us higher": (t.shifted("delta", 0.007), {"delta"}),
    "delta null": (t.in_epoch(delta=None), {"delta", "rate"}),
    "a wrong alpha": (t.scaled("alpha", 1.01), {"alpha"}),
    "alpha null": (t.in_epoch(alpha=None), {"alpha"}),
    "beta in zone 1": (t.in_epoch(beta=0.25), {"beta"}),
    "R not changed": (lambda some: t.in_epoch(rate_after=t._one(some)["rate_before"])(some), {"rate"}),
    "R off by a thousandth": (t.scaled("rate_after", 1.001), {"rate"}),
    "another initial window": (t.another_initial_window, {"rate"}),
    "R before off by a thousandth": (t.scaled("rate_before", 0.999), {"rate"}),
    "another number": (t.shifted("epoch", 1), {"numbering"}),
    "another duration": (t.shifted("duration", 0.01), {"timing"}),
    "another L": (t.shifted("length", 0.01), {"length"}),
    "one sample more": (t.shifted("samples", 1), {"samples"}),
    "one packet more": (t.shifted("acked", 1), {"acked"}),
    "one loss more": (t.shifted("lost", 1), {"lost"}),
    "another source": (t.in_epoch(source="receive_timestamps"), {"source"}),
    "a source that does not exist": (t.in_epoch(source="guess"), {"source"}),
    "one packet more of window": (t.shifted("window", 1250), {"window"}),
    "an epoch dropped": (t.dropped, {"numbering", "timing"}),
    "an epoch dropped and the rest renumbered": (t.dropped_and_renumbered, {"timing"}),
    "the last epochs dropped": (t.last_epochs_dropped, {"timing"}),
    "most epochs dropped": (t.all_but_the_first_epochs_dropped, {"timing"}),
    "an epoch twice": (t.repeated, {"numbering"}),
    "two epochs swapped": (t.two_epochs_swapped, {"numbering"}),
    "an epoch ended late": (t.moved_to_a_later_feedback, {"timing"}),
    "an epoch ended between feedback": (t.moved_between_feedback, {"timing"}),
    "an ACK removed": (t.ack_removed, {"samples"}),
    "an ACK delay": (t.ack_delay_changed, {"delta"}),
    "an ACK earlier": (t.ack_earlier, {"delta"}),
    "an ACK of less": (t.ack_of_less, {"samples"}),
    "a smaller packet": (t.packet_smaller, {"bytes_in_flight"}),
    "a packet removed": (t.packet_removed, {"bytes_in_flight"}),
    "full size": (t.full_size_changed, {"window"}),
    "parameters that change on the way": (t.parameters_changed_on_the_way, {"parameters"}),
    "the window that quiche wrote": (t.in_metrics("congestion_window", 1250), {"congestion_window"}),
    "the pacing rate that quiche wrote": (t.in_metrics("pacing_rate", 500), {"pacing_rate"}),
    "a false state": (t.false_state, {"state"}),
    "a state missing": (t.state_missing, {"state"}),
    "a state out of thin air": (t.state_out_of_thin_air, {"state"}),
    "invented losses": (t.losses_invented, {"lost"}),
    "one loss more in all": (t.shifted("lost_total", 1), {"lost_total"}),
    "an outcome": (t.in_epoch(outcome="interrupted"), {"outcome"}),
    "another d0": (t.shifted("d0", 0.01), {"thresholds"}),
    "another d1": (t.shifted("d1", 0.01), {"thresholds"}),
    "another d2": (t.shifted("d2", 0.01), {"thresholds"}),
    "another d3": (t.shifted("d3", 0.01), {"thresholds"}),
    "base_delay_window": (t.parameter("base_delay_window", 2000.0), {"parameters"}),
    "initial_rate": (t.parameter("initial_rate", 1e6), {"parameters"}),
    "initial_rate with its option": (
        t.parameter_with_its_option("initial_rate", 1e6, "initial_rate=1Mbps"),
        {"rate"},
    ),
}
ONLY_DEFAULT: Table = {
    "application limits": (t.in_epoch(app_limited=True, rate_tried=False), {"app_limited", "alpha"}),
    "a rate that was not tried": (t.in_epoch(rate_tried=False), {"rate_tried"}),
    "the rate of a train": (t.in_epoch(train_rate=1.0), {"train_rate"}),
}
ONLY_PAPER: Table = {
    "application limits": (t.in_epoch(app_limited=True), {"app_limited", "alpha"}),
    "a packet sent earlier": (t.packet_sent_earlier, {"delta"}),
    "a wrong zone with a matching story": (t.zone_with_a_matching_story, {"delta", "zone"}),
    "delta hidden with a matching story": (t.delta_with_a_matching_story, {"delta"}),
    "a skipped update": (t.skipped_update, {"rate"}),
    "a gentler decrease": (t.gentle_decrease, {"beta", "rate"}),
    "an increase in spite of delay": (t.increase_in_spite_of_delay, {"zone"}),
    "a trend": (t.in_epoch(trend="increasing"), {"trend"}),
    "a trend that does not exist": (t.in_epoch(trend="falling"), {"trend"}),
    "an epoch dropped without a seam": (t.dropped_without_a_seam, {"timing"}),
    "d1": (t.parameter("d1", 11.0), {"parameters"}),
    "d1 with its option": (t.parameter_with_its_option("d1", 11.0, "d1=11ms"), {"thresholds"}),
    "amax": (t.parameter("amax", 1e5), {"parameters"}),
    "gamma with its option": (t.parameter_with_its_option("gamma", 0.9, "gamma=0.9"), {"pacing_rate"}),
    "bmin with its option": (t.parameter_with_its_option("bmin", 0.2, "bmin=0.2"), {"beta"}),
    "amin": (t.parameter("amin", 2e4), {"parameters"}),
    "bmin": (t.parameter("bmin", 0.1), {"parameters"}),
    "bmax": (t.parameter("bmax", 0.6), {"parameters"}),
    "bmid": (t.parameter("bmid", 0.4), {"parameters"}),
    "d0": (t.parameter("d0", 1.0), {"parameters"}),
    "d2": (t.parameter("d2", 25.0), {"parameters"}),
    "d3": (t.parameter("d3", 50.0), {"parameters"}),
    "gamma": (t.parameter("gamma", 0.9), {"parameters", "pacing_rate"}),
    "amin with its option": (t.parameter_with_its_option("amin", 1e4, "amin=10kbps"), {"alpha"}),
    "amax with its option": (t.parameter_with_its_option("amax", 1e5, "amax=0.1Mbps"), {"alpha"}),
    "the option string of the default profile": (t.option_string("hybrid"), {"parameters"}),
}
CASES = [
    pytest.param(spec, tamper, laws, id=f"{controller}: {name}")
    for controller, spec, table in (("paper", PAPER, BOTH | ONLY_PAPER), ("default", DEFAULT, BOTH | ONLY_DEFAULT))
    for name, (tamper, laws) in table.items()
]


@pytest.mark.parametrize(("spec", "tamper", "laws"), CASES)
def test_a_falsified_trace_fails(tmp_path: FilePath, spec: str, tamper: Tamper, laws: set[str]) -> None:
    assert_refused(tmp_path, lambda: records(FAST, 4.0, spec), tamper, laws)


@pytest.mark.parametrize("spec", [PAPER, DEFAULT])
def test_hidden_losses_fail(tmp_path: FilePath, spec: str) -> None:
    some = records(LOSSY, 6.0, spec)
    assert verdict_of(tmp_path, some).outcome is Outcome.PASS
    t.losses_hidden(some)
    v = verdict_of(tmp_path, some)
    assert {"lost", "bytes_in_flight"} & {f.law for f in v.findings}, v.to_text()


def test_one_wrong_epoch_is_named_with_its_difference_and_does_not_condemn_the_rest(tmp_path: FilePath) -> None:
    some = records(FAST, 4.0)
    t.shifted("delta", 1.0)(some)
    v = verdict_of(tmp_path, some)
    number = t._one(records(FAST, 4.0))["epoch"]
    assert {f.number for f in v.findings} == {number}
    (finding,) = (f for f in v.findings if f.law == "delta")
    apart = re.search(r", (\d+\.\d) us apart$", finding.message)
    assert apart is not None
    assert float(apart[1]) == pytest.approx(1000.0, abs=5.0)
    assert f"epoch {number} at" in v.to_text()


@pytest.mark.parametrize("shift_us", [-4, -2, 2, 4])
def test_a_delta_within_the_rounding_of_times_is_no_disagreement(tmp_path: FilePath, shift_us: int) -> None:
    """alpha and R are those of the shifted delta: what a controller with other rounding would have done."""
    some = records(FAST, 4.0, f"{PAPER},amin=100kbps,amax=100kbps")  # alpha is the same for every delta
    e = t._one(some)
    e["delta"] = max(e["delta"] + shift_us / 1e3, 0.0)
    v = verdict_of(tmp_path, some)
    assert v.outcome is Outcome.PASS, v.to_text()
