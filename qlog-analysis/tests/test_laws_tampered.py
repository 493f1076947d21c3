"""A falsified trace fails, and the finding names what does not hold. One table per controller."""

from __future__ import annotations

from pathlib import Path as FilePath

import pytest

import lab
import law_tampering as t
from qlog_analysis.check.run import check
from qlog_analysis.check.verdict import Outcome
from qlog_analysis.load import load
from traces import Table, Tamper, changed, named, trace_of
from tracewriter import Json

LOSSY = (
    "link.there.rate=4Mbps",
    "link.there.buffer=15p",
    "link.there.loss=1%",
    "link.there.queue=mark:q0=10p",
    "duration=1.6s",
)


def grows(d: Json) -> bool:
    return bool(d["counted"]) and not d["reaction"] and not d["marks"]


def raised(d: Json) -> bool:
    return bool(d["cause"] == "increase" and d["alpha"] > 0.0)


def judged(d: Json) -> bool:
    return d["cause"] == "round" and d["diff"] is not None and d["phase"] == "congestion_avoidance"


def lost(d: Json) -> bool:
    return "loss" in (d.get("cause"), d.get("reaction"))


ALL: Table = {
    "an update dropped and the rest renumbered": (t.dropped(), {"timing"}),
    "an update dropped": (t.left_out, {"numbering", "timing"}),
    "an update twice": (t.twice, {"numbering", "timing"}),
    "the last updates dropped": (t.last_dropped, {"timing"}),
    "an update between feedback": (t.between_feedback, {"timing"}),
    "an ACK removed": (t.ack_removed, {"timing"}),
    "a loss invented": (t.losses_invented, {"lost"}),
    "one packet more of window": (t.shifted("window", 1250), {"window", "congestion_window"}),
    "the window that quiche wrote": (t.in_metrics("congestion_window", 1250), {"congestion_window"}),
    "the pacing rate that quiche wrote": (t.in_metrics("pacing_rate", 500), {"pacing_rate"}),
    "a false state": (t.false_state, {"state"}),
    "full size": (
        lambda some: named(some, "cc:parameters_set")[0]["data"].update(max_datagram_size=1350),
        {"window"},
    ),
    "the peer's ACK delay": (
        lambda some: named(some, "cc:parameters_set")[0]["data"].update(max_ack_delay=99.0),
        {"parameters"},
    ),
}

SMALLQ: Table = {
    "another initial window": (t.another_initial_window, {"window_before"}),
    "window scaled": (t.scaled("window_after", 1.01, grows), {"window_after", "window_before"}),
    "window before": (t.shifted("window_before", -30.0), {"window_before", "window_after"}),
    "more acknowledged": (t.shifted("acked", 1250), {"acked"}),
    "more counted": (t.shifted("counted", 1250, grows), {"counted", "window_after"}),
    "marks that no ACK reported": (t.marks_claimed, {"ecn_counts"}),
    "marks denied": (t.marks_denied, {"ecn_counts"}),
    "a mark that is not answered": (t.told(lambda d: d["marks"] > 0, marks=0), {"marks", "window_after"}),
    "counts of an ACK": (t.counts_of_an_ack, {"ecn_counts"}),
    "a loss that is not answered": (t.told(lost, reaction=None), {"reaction", "window_after"}),
    "losses hidden": (t.losses_hidden, {"bytes_in_flight"}),
    "less used": (t.shifted("used", -1250), {"used"}),
    "a used window that does not grow": (t.told(grows, counted=0), {"counted"}),
    "ssthresh": (t.shifted("ssthresh", 1250.0), {"ssthresh"}),
    "phase": (t.told(phase="slow_start"), {"phase"}),
    "ecn": (t.told(ecn="testing"), {"ecn"}),
    "srtt": (t.shifted("srtt", 0.02), {"srtt"}),
    "no srtt": (t.told(srtt=0.0), {"srtt"}),
    "an ACK earlier": (t.ack_earlier, {"srtt"}),
    "a smaller packet": (t.packet_smaller, {"acked"}),
    "pacing with its option": (t.parameter("pacing", 2.0, "pacing=2"), {"pacing_rate"}),
    "pacing": (t.parameter("pacing", 2.0), {"parameters"}),
    "ssthresh with its option": (t.parameter("ssthresh", 5.0, "ssthresh=5"), {"ssthresh"}),
}

VEGAS: Table = {
    "another initial window": (t.another_initial_window, {"window_before"}),
    "window scaled": (t.scaled("window_after", 1.01, judged), {"window_after", "window_before"}),
    "window before": (t.shifted("window_before", -30.0), {"window_before"}),
    "RTT": (t.shifted("rtt", 0.02, judged), {"rtt", "diff"}),
    "base": (t.shifted("base_rtt", -0.02, judged), {"base_rtt", "diff"}),
    "fewer waiting": (t.shifted("diff", -0.5, judged), {"diff"}),
    "RTT null": (t.told(judged, rtt=None, base_rtt=None, diff=None), {"rtt"}),
    "samples": (t.shifted("samples", 1), {"samples"}),
    "more counted": (t.shifted("counted", 200_000, judged), {"counted"}),
    "a loss dropped": (t.dropped(lost), {"timing"}),
    "a loss called a round trip": (t.told(lost, cause="round"), {"cause", "window_after"}),
    "losses hidden": (t.losses_hidden, {"bytes_in_flight"}),
    "a round trip called a queue": (t.told(judged, cause="queue"), {"cause"}),
    "ssthresh": (t.shifted("ssthresh", 1250.0), {"ssthresh"}),
    "growing": (t.told(growing=False), {"growing"}),
    "srtt": (t.shifted("srtt", 0.02), {"srtt"}),
    "no srtt": (t.told(srtt=0.0), {"srtt"}),
    "an ACK earlier": (t.ack_earlier, {"srtt"}),
    "alpha with its option": (t.parameter("alpha", 0.0, "alpha=0"), {"window_after"}),
    "gamma": (t.parameter("gamma", 3.0), {"parameters"}),
    "rtt with its option": (t.parameter("rtt", "mean", "rtt=mean"), {"rtt"}),
}

RRR: Table = {
    "another initial window": (t.another_initial_window, {"rate_before"}),
    "the rate scaled": (t.scaled("rate_after", 1.001), {"rate", "rate_before", "pacing_rate"}),
    "the rate before": (t.scaled("rate_before", 0.999), {"rate_before"}),
    "X_out scaled": (t.scaled("output", 1.01), {"output", "reduction"}),
    "X_in scaled": (t.scaled("input", 0.99), {"input", "reduction"}),
    "more delivered": (t.shifted("delivered", 1250), {"delivered", "output"}),
    "less sent": (t.shifted("sent", -1250), {"sent", "input"}),
    "fewer packets": (t.shifted("packets", -1), {"packets"}),
    "sending took longer": (t.shifted("sending", 0.05), {"sending"}),
    "arrived sooner": (t.shifted("arriving", -0.05), {"arriving", "output"}),
    "allowed more": (t.scaled("allowed_last", 1.01), {"allowed_last"}),
    "allowed less": (t.scaled("allowed_first", 0.99), {"allowed_first"}),
    "reduction": (t.shifted("reduction", -0.01), {"reduction"}),
    "wanted": (t.shifted("wanted", 0.01), {"wanted"}),
    "XT": (t.scaled("xt", 1.01), {"xt"}),
    "L": (t.shifted("min_rtt", 0.05), {"min_rtt"}),
    "start-up": (t.told(lambda d: d["phase"] == "steady", phase="startup"), {"phase", "wanted"}),
    "source": (t.told(source="ack"), {"source"}),
    "receive timestamps": (t.receive_times_earlier, {"arriving"}),
    "collapse": (t.told(cause="persistent_congestion"), {"cause"}),
    "a smaller packet": (t.packet_smaller, {"delivered", "sent"}),
    "n with its option": (t.parameter("n", 40.0, "n=40"), {"sending"}),
    "qmax with its option": (t.parameter("qmax", 300.0, "qmax=300ms"), {"window"}),
    "growth with its option": (t.parameter("growth", 1.5, "growth=1.5"), {"wanted"}),
    "xt": (t.parameter("xt", 1e6), {"parameters", "xt"}),
}

RAIMD: Table = {
    "another initial window": (t.another_initial_window, {"rate_before"}),
    "the rate scaled": (t.scaled("rate_after", 1.001), {"rate", "rate_before", "pacing_rate"}),
    "the rate before": (t.scaled("rate_before", 0.999), {"rate_before"}),
    "alpha": (t.scaled("alpha", 1.05, raised), {"alpha", "rate"}),
    "target": (t.scaled("target", 1.01, raised), {"target"}),
    "p": (t.scaled("loss", 0.9, lambda d: d["loss"] > 1e-4), {"loss"}),
    "the open interval": (t.shifted("open", 1, raised), {"open"}),
    "the interval": (t.shifted("interval", 1), {"interval", "loss"}),
    "two round trips": (t.shifted("rounds", 1, raised), {"rounds", "rate"}),
    "R": (t.shifted("rtt", 0.05), {"rtt"}),
    "a loss dropped": (t.dropped(lost), {"timing"}),
    "a loss called an increase": (t.told(lost, cause="increase"), {"cause"}),
    "an increase called unused": (t.told(raised, cause="unused"), {"alpha"}),
    "losses hidden": (t.losses_hidden, {"bytes_in_flight"}),
    "an ACK earlier": (t.ack_earlier, {"rtt"}),
    "beta with its option": (t.parameter("beta", 0.8, "beta=0.8"), {"rate", "alpha"}),
    "target with its option": (t.parameter("target", 3e6, "target=3Mbps"), {"target", "alpha"}),
    "history with its option": (t.parameter("history", 3, "history=3"), {"loss"}),
    "wgain with its option": (t.parameter("wgain", 4.0, "wgain=4"), {"window"}),
    "wgain": (t.parameter("wgain", 4.0), {"parameters"}),
}

OWN = {"smallq": SMALLQ, "vegas": VEGAS, "rrr": RRR, "raimd": RAIMD}
CASES = [
    pytest.param(spec, tamper, laws, id=f"{spec}: {name}")
    for spec, own in OWN.items()
    for name, (tamper, laws) in {**ALL, **own}.items()
]


@pytest.mark.parametrize(("spec", "tamper", "laws"), CASES)
def test_a_falsified_trace_fails(tmp_path: FilePath, spec: str, tamper: Tamper, laws: set[str]) -> None:
    some = lab.records(spec, *LOSSY)
    changed(some, lab.records(spec, *LOSSY), tamper)
    v = check(trace_of(tmp_path, some))
    assert v.outcome is Outcome.FAIL
    assert laws <= {f.law for f in v.findings}, v.to_text()


@pytest.mark.parametrize("spec", OWN)
def test_what_is_falsified_passes_as_it_was(tmp_path: FilePath, spec: str) -> None:
    v = check(load(lab.written(tmp_path, spec, *LOSSY)))
    assert v.outcome is Outcome.PASS, v.to_text()
