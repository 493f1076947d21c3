"""Proofs out of logs and traces, and the page."""

from __future__ import annotations

from pathlib import Path

import programs_page as page
from programs_page import Outcome
from table import read
from trial import Result, median, proof

SAID = "libquiche: QUICHE_CC=hybrid has every connection's congestion control"


def result(way: str, asked: str, proofs: list[str], p95: float | None = 20.0, error: str = "") -> Result:
    return Result("curl, hybrid", way, asked, proofs, "QUICHE_CC=hybrid curl", p95, [], 0.0, error)


def test_the_trace_and_the_log_name_the_controller(tmp_path: Path) -> None:
    (tmp_path / "qlog").mkdir()
    (tmp_path / "server").mkdir()
    (tmp_path / "server/output.log").write_text(f"starting\n{SAID}\n{SAID}\n")
    (tmp_path / "qlog/a.sqlog").write_text(
        '\x1e{"time":0,"name":"cc:parameters_set","data":{"controller":"hybrid","spec":"hybrid"}}\n'
    )
    assert proof(tmp_path) == ["qlog: hybrid", f"log: {SAID}"]


def test_a_trace_of_a_controller_of_quiche_proves_nothing(tmp_path: Path) -> None:
    (tmp_path / "qlog").mkdir()
    (tmp_path / "qlog/a.sqlog").write_text('\x1e{"time":0,"name":"recovery:parameters_set","data":{}}\n')
    assert proof(tmp_path) == []


def test_an_outcome_is_complete_if_what_was_asked_for_ran() -> None:
    assert Outcome("abc", [result("environment", "hybrid", ["qlog: hybrid"])]).complete()
    assert not Outcome("abc", [result("environment", "hybrid", [])]).complete()
    assert not Outcome("abc", [result("as it is", "cubic", ["qlog: hybrid"])]).complete()
    assert not Outcome("abc", [result("environment", "hybrid", ["qlog: hybrid"], error="ended with 1")]).complete()
    assert not Outcome("abc", [], "make ended with 2").complete()


def test_the_page_has_what_ran_and_why_the_rest_did_not() -> None:
    ran = {"curl": Outcome("abc1234", [result("environment", "hybrid", ["qlog: hybrid", f"log: {SAID}"])])}
    text = page.text(read(), ran | {"dnsdist": Outcome("abc1234", [], "make ended\nwith 2")})
    assert "| environment | `cc:parameters_set` in its qlog, the library's line in its log |" in text
    assert "| curl | hybrid | environment | 20.0 ms | 0.00 % |" in text
    assert "| [dnsdist](https://dnsdist.org) 1.9.16 | make ended with 2 |" in text
    assert "it was not tried" in text
    assert "Commit abc1234 measured" in text


def test_the_median_of_several_runs_counts_and_a_failed_one_is_told() -> None:
    delays = [result("environment", "hybrid", ["qlog: hybrid"], p95) for p95 in (30.0, 10.0, 20.0)]
    middle = median(delays)
    assert middle.p95_ms == 20.0
    assert middle.others_ms == [10.0, 30.0]
    failed = result("environment", "hybrid", [], None, "ended with 1")
    assert median([delays[0], failed, delays[1]]).error == "ended with 1"
