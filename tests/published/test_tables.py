"""The tables, from results as the programs leave them."""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path

import pytest

from . import beside_others, costs, hunts, mechanisms, mutants_page, overview, real_paths, tuning, wandering
from .claims import ms, number, read, table
from .publication import Place, PublishedError, document_parts, revision
from .test_published import Checks, claim, claims

T = ("false", "true")


def points(value: float, **axes: tuple[str, ...]) -> list[tuple[dict[str, str], float]]:
    return [(dict(zip(axes, values, strict=True)), value) for values in product(*axes.values())]


def test_numbers_have_the_digits_that_say_something() -> None:
    assert [ms(value) for value in (0.0003, 0.0123, 1.2345)] == ["0.30", "12.3", "1,234"]
    assert [number(text) for text in ("10Mbps", "1.3bdp", "4ms")] == ["10", "1.3", "4"]
    assert table(("a", "b"), [["1", "2"]]) == "| a | b |\n|---|---|\n| 1 | 2 |\n"


def test_a_table_without_its_measurements_says_what_is_missing(tmp_path: Path) -> None:
    with pytest.raises(PublishedError, match=r"claims\.json"):
        read(tmp_path)
    found = read(claims(tmp_path, claim("P2", {"used": points(1.0, rate=("10Mbps",))})))
    with pytest.raises(PublishedError, match="P2 has no check 'hybrid, used'"):
        real_paths.cell(found["P2"], "hybrid, ", rate="10Mbps")
    with pytest.raises(PublishedError, match="0 points with"):
        found["P2"].check("used").values(rate="20Mbps")


def test_jitter_has_a_row_for_each_rate_and_width(tmp_path: Path) -> None:
    axes = {"rate": ("10Mbps", "50Mbps"), "most": ("1ms", "20ms")}
    checks = {
        f"{who}, {what}": points(value, **axes, **more)
        for who, more in (("hybrid", {"timestamps": T}), ("bbr2", {}))
        for what, value in (("used", 0.985), ("p95 delay", 0.0123))
    }
    lines = real_paths.jitter(read(claims(tmp_path, claim("P2", checks)))["P2"]).splitlines()
    assert len(lines) == 2 + 4
    assert lines[-1] == "| 50 | 20 | 98 %, 12.3 ms | 98 %, 12.3 ms | 98 %, 12.3 ms |"


def test_recordings_are_named_and_held_against_cubic(tmp_path: Path) -> None:
    link = ("Verizon-EVDO-driving.up",)
    own = {"cc": ("hybrid", "hybrid:without=contention"), "link": link, "timestamps": T}
    others = {"cc": ("cubic", "bbr2"), "link": link}
    checks = {
        "throughput": points(4e6, **own),
        "p95 delay": points(0.2, **own),
        "loss": points(0.02, **own),
        "others, throughput": points(5e6, **others),
        "others, p95 delay": points(2.0, **others),
        "others, loss": points(0.0, **others),
    }
    found = read(claims(tmp_path, claim("R1", checks)))["R1"]
    assert "| Verizon EVDO, up | no | 80, 200, 2 % | 80, 200, 2 % | 2,000 |" in real_paths.recorded(found)
    rows = real_paths.wandering(found).splitlines()
    assert rows[2] == "| `hybrid` | 4.00 | 200 | 200 | 2 % |"
    assert rows[-1] == "| cubic | 5.00 | 2,000 | 2,000 | 0 % |"


def test_shares_are_counted_by_who_came(tmp_path: Path) -> None:
    axes = {"neighbour": ("cubic", "bbr2"), "timestamps": T, "buffer": ("1bdp", "4bdp")}
    shares = points(0.5, **axes)
    shares[0] = (shares[0][0], 0.25)
    found = read(
        claims(
            tmp_path, claim("C6", {"share of the path, at least": shares}), claim("C4", {"share of the path": shares})
        )
    )
    later = beside_others.later(found)
    assert "| cubic | without | 1 of 2 | 0.38 | 0.25 |" in later
    assert "On 1 of the 8 paths the share is below 0.30; on 0 it is above 0.60." in later
    before = beside_others.before(found)
    assert "| cubic | 1 | 50 to 50 % | 25 to 25 % |" in before
    assert "1 of 8 shares are below 30 %." in before
    assert "C4: title of C4 | 8 | 8 |" in beside_others.targets(found)


def test_clocks_have_a_column_for_each_rate_with_the_mechanism_and_without(tmp_path: Path) -> None:
    axes = {
        "rate": ("20Mbps",),
        "skew": ("{ drift_ppm = -50 }",),
        "cc": (mechanisms.HYBRID, mechanisms.UNAWARE),
    }
    found = read(claims(tmp_path, claim("M1", {"used": points(0.998, **axes), "p95 delay": points(0.0026, **axes)})))
    assert mechanisms.skew(found["M1"]).splitlines()[-1] == "| -50 | 99.8 %, 2.6 ms | 99.8 %, 2.6 ms |"


def test_the_readme_says_what_the_picture_shows(tmp_path: Path) -> None:
    checks: Checks = {
        "p95 delay while it is alone, against bbr2": [({}, 0.0035)],
        "throughput while it is alone": [({}, 19.9e6)],
        "throughput beside the other one": [({}, 11e6)],
    }
    said = overview.text(claims(tmp_path, claim("O1", checks, compared=0.0483 / 4))).replace("\n", " ")
    assert (
        "`hybrid` uses 99.5 % of the path with a 95th percentile of the queueing delay of 3.5 ms (bbr2: 48.3 ms)"
        in said
    )
    assert "`hybrid` has 55 % of the path" in said


def test_mutants_that_nobody_found_are_named() -> None:
    one = {"controller": "hybrid", "outcome": "found", "path": "p", "checks": ["c"]}
    two = {"controller": "vegas", "outcome": "behaves the same"}
    told = {
        "outcomes": {"found": 1, "behaves the same": 1},
        "controllers": {"found": 1, "behaves the same": 2},
        "found": "1 of 1",
        "found_by_controller": "1 of 1",
        "mutants": [
            {"mutant": "a", "changes": "A.", "controllers": [one, two]},
            {"mutant": "b", "changes": "B.", "controllers": [two]},
        ],
    }
    assert "| mutants | 1 | 0 | 0 | 1 |" in mutants_page.counts(told)
    assert mutants_page.rest(told).splitlines()[2:] == ["| `b` | B. | `vegas`: behaves the same |"]


def test_mutants_that_no_test_finds_are_named() -> None:
    name = "cc/src/measure/rtt.rs:7:9: replace || with && in Rtt::a"
    one = {"name": name, "file": "cc/src/measure/rtt.rs", "outcome": "MissedMutant"}
    said = mutants_page.tested(
        {"shard": "11/24", "tests": "all tests", "mutants": [one, {**one, "outcome": "CaughtMutant"}]}
    )
    assert said.startswith("Every 24th mutant of the list, from number 12 on, by all tests.")
    assert "| all | 2 | 1 | 0 | 1 | 0 | 1 of 2, 50.0 % (9.5 to 90.5 %) |" in said
    assert "| `measure/rtt.rs:7` | `replace \\|\\| with && in Rtt::a` |" in said


def test_honest_runs_that_are_accused_are_counted_with_their_seeds() -> None:
    rows = [
        {"seed": seed, "spec": "rrr", "verdict": {"outcome": outcome, "laws": laws}}
        for seed, outcome, laws in (
            (1, "pass", []),
            (2, "fail", ["sent"]),
            (3, "not judged", []),
            (4, "fail", ["sent"]),
        )
    ]
    said = mutants_page.honest(rows)
    assert said.startswith("Seeds 1 to 4. Alarms: 2 of 4, 50.0 %")
    assert "| 2 | `rrr` | sent | 2, 4 |" in said


def test_the_harms_of_random_paths_come_from_the_report_of_the_sweep() -> None:
    report = "# hybrid\n\n| harm | bad | worst |\n|---|---|---|\n| loss | 36 | 3.20 |\n| queue | 1 | -0.08 |\n\n"
    report += "## The ten worst\n\n| seed | harm | octaves | path |\n| 3 | 4 | 5 |\n"
    assert hunts.harms(report) == {"loss": ("36", "3.20"), "queue": ("1", "-0.08")}
    with pytest.raises(PublishedError, match="no table of harms"):
        hunts.harms("nothing")


def test_a_link_that_wanders_is_the_same_for_the_same_number(tmp_path: Path) -> None:
    times = wandering.deliveries(1)
    assert times == wandering.deliveries(1) != wandering.deliveries(2)
    assert times == sorted(times)
    assert times[-1] == wandering.LENGTH_MS
    # 0.3 Mbit/s and at most seven times less or more.
    packets = 0.3e6 * wandering.LENGTH_MS / 1e3 / wandering.PACKET_BITS
    assert packets / 7 < len(times) < 7 * packets


def test_what_the_interface_costs_comes_from_what_its_program_prints(tmp_path: Path) -> None:
    page = tmp_path / costs.PAGE
    page.parent.mkdir()
    page.write_text(f"{costs.INTERFACE.begin}\n{document_parts.END}\n")
    lines = ["bbr2   per ACK  per packet  all, million  by published", "as published   3741   768   840.3   1.0000"]
    (tmp_path / "interface.txt").write_text("\n".join([*lines, "each run: 10 datagrams sent", ""]))
    costs.write_interface(Place(tmp_path, tmp_path, tmp_path), tmp_path, "1234567")
    assert "| as published | 3,741 | 768 | 840.3 | 1.0000 |\n\nEach run: 10 datagrams sent." in page.read_text()
    assert revision.stated(page.read_text()) == ["1234567"]


def test_options_have_a_row_each_and_what_was_not_measured_says_so(tmp_path: Path) -> None:
    page = tmp_path / tuning.PART.page
    page.parent.mkdir(parents=True)
    page.write_text(f"{tuning.PART.begin}\n{document_parts.END}\n")
    for suite, (_, rates) in tuning.SUITES.items():
        entries = [
            {"point": [rate, "false"], "cc": cc, "utilisation": 0.995, "queueing_p95_ms": 1.44, "loss": 0.0002}
            for rate in rates
            for cc in tuning.controllers()[1:]
        ]
        (tmp_path / suite).mkdir()
        (tmp_path / suite / "results.json").write_text(json.dumps(entries))
    tuning.write(Place(tmp_path, tmp_path, tmp_path), tmp_path, "1234567")
    rows = page.read_text().splitlines()[3:]
    assert rows[0] == "| `hybrid` |" + " not measured |" * 5
    assert rows[1] == "| `target_packets=1` |" + " 99.5 %, 1.4 ms, 0.02 % |" * 5
    assert rows[len(tuning.OPTIONS) + 1].startswith("| bbr2 |")
