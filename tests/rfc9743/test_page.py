"""The page about RFC 9743, from claims as `cc-lab claims` writes them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from criteria import GROUPS, Criterion
from page import ALL, Incomplete, amount, answered, bullet, kept, rows, threshold, worst
from paths import beside_newreno, described, runs, varied

ROOT = Path(__file__).parents[2]
SECTIONS = {
    *("5.1.1", "5.1.2", "5.1.3", "5.1.4", "5.1.5", "5.2", "5.2.1", "5.2.2", "5.2.3", "5.3.1", "5.3.2"),
    *("6.1", "6.2", "6.3", "6.4"),
    *("7.1", "7.2", "7.3", "7.4", "7.5", "7.6", "7.7", "7.8", "7.9", "7.10", "7.11"),
}
CRITERIA = [criterion for group in GROUPS for criterion in group.criteria]


def point(cc: str, values: list[float | None], holds: bool = True, **parameters: str) -> dict[str, Any]:
    return {"parameters": {"cc": cc, **parameters}, "bound": "≥ 1 Mbit/s", "measured": values, "holds": holds}


def claim(points: list[dict[str, Any]], reason: str | None = None, claim_id: str = "I1") -> dict[str, Any]:
    check = {"what": "goodput", "unit": "bit/s", "reason": reason, "points": points}
    return {"id": claim_id, "seeds": 2, "runs": ["some"], "checks": [check]}


def everybody(**of: dict[str, Any]) -> list[dict[str, Any]]:
    return [of.get(cc, point(cc, [2e6, 3e6])) for cc in ALL]


def test_a_cell_is_the_worst_of_all_seeds_and_windows_and_bold_beyond_the_bound() -> None:
    points = [*everybody(rrr=point("rrr", [4e6, 5e5], holds=False)), point("rrr", [1.5e6, 1.5e6])]
    (row,) = rows(claim(points), None)
    assert str(row) == "| goodput | ≥ 1 Mbit/s | I1, 2 seeds | 2.00 Mbit/s | 2.00 Mbit/s | **500.0 kbit/s** |" + (
        " 2.00 Mbit/s |" * 5
    )
    assert (kept([row], "rrr"), kept([row], "vegas"), kept([], "vegas")) == ("**0 of 1**", "yes", "")


def test_the_worst_of_an_upper_bound_is_the_largest() -> None:
    points = [point("rrr", [0.01, 0.03]), point("rrr", [0.02, 0.02])]
    assert worst([{**each, "bound": "≤ 40 ms"} for each in points], "s").text == "30.0 ms"


def test_a_seed_without_a_number_shows() -> None:
    assert str(worst([point("rrr", [1e6, None], holds=False)], "bit/s")) == "**nothing arrived**"


def test_what_varies_besides_the_controller_makes_a_row_each_or_one_for_chosen_checks() -> None:
    points = [point(cc, [2e6], queue=queue) for queue in ("codel", "pie") for cc in ALL]
    assert [row.what for row in rows(claim(points), None)] == ["goodput, queue codel", "goodput, queue pie"]
    assert [row.what for row in rows(claim(points), ["goodput"])] == ["goodput"]


def test_no_cell_is_empty() -> None:
    with pytest.raises(Incomplete, match="I1, goodput: nothing of vegas"):
        list(rows(claim([each for each in everybody() if each["parameters"]["cc"] != "vegas"]), None))
    criterion = next(criterion for criterion in CRITERIA if criterion.claims == ["I1"])
    with pytest.raises(Incomplete, match=r"section 5.1.1: no claim I1"):
        answered(criterion, {})


def test_who_fails_needs_a_reason_that_names_it() -> None:
    criterion = next(criterion for criterion in CRITERIA if criterion.claims == ["I1"])
    points = everybody(rrr=point("rrr", [0.0], holds=False), raimd=point("raimd", [0.0], holds=False))
    with pytest.raises(Incomplete, match="I1: no reason why raimd fails"):
        answered(criterion, {"I1": claim(points, "rrr, cubic: it waits.")})
    _, said = answered(criterion, {"I1": claim(points, "rrr, raimd: they wait.\ncubic: it is not ours.")})
    assert said == ["rrr, raimd fail, because they wait."]


def test_a_check_about_one_controller_has_a_reason_without_a_name() -> None:
    entry = Criterion("5.2", "feedback", ["U3"], ["goodput"])
    some = claim([each for each in everybody() if each["parameters"]["cc"] != "rrr"], claim_id="U3")
    other = {"what": "goodput, rrr", "unit": "bit/s", "reason": "it\nwaits", "points": [point("rrr", [0.0], False)]}
    _, said = answered(entry, {"U3": {**some, "checks": [*some["checks"], other]}})
    assert said[0] == "rrr fails, because it waits"


def test_bounds_that_differ_from_point_to_point_are_a_span() -> None:
    bounds = ["< 1.2 s (1 s to 2 s)", "< 900 ms", "< 1.5 s"]
    assert threshold([{"bound": bound} for bound in bounds]) == "< 900 ms to 1.5 s, by run"
    assert threshold([{"bound": "≥ 0.9"}] * 2) == "≥ 0.9"


def test_amounts_have_units_that_people_read() -> None:
    texts = [amount(0.0125, "s"), amount(2, "s"), amount(1e3, "bit/s"), amount(0.5, "share"), amount(0.5, "1")]
    assert texts == ["12.5 ms", "2.00 s", "1.0 kbit/s", "50.0 %", "0.500"]


def test_a_run_says_its_path_with_what_the_claim_set_changes_of_the_scenario() -> None:
    assert described("gone") == (
        "Run `gone`: link `bottleneck` rate 10Mbps, delay 20ms, buffer 40ms, outages 15s..17s; "
        "flow `main` traffic unlimited; 40s, counted from 5s on "
        "([disturbed-path.toml](../../tests/scenarios/disturbed-path.toml))"
    )
    assert "cc reno or cubic or bbr2, start 10s, stop 30s" in described("beside")
    assert "traffic cbr (rate 4Mbps) or on_off (on 2s, off 1s, rate 6Mbps) or unlimited" in described("unheard")
    assert varied("p={share},extra={extra}", {"share": ["1%"], "extra": ["5ms", "9ms"]}) == (
        "p=1%,extra=5ms or p=1%,extra=9ms"
    )


def test_a_bound_beside_newreno_says_what_it_is_made_of() -> None:
    assert beside_newreno("I3", "loss of four flows behind half a bandwidth-delay product") == (
        "2 times NewReno's and 0.5%"
    )
    assert beside_newreno("U3", "longest silence") == "NewReno's and 1s"
    assert beside_newreno("U3", "packets lost") == "2 times NewReno's and 60 packets"
    assert beside_newreno("I4", "Jain's index of four flows that arrived 6 s apart") == ""


def test_the_published_page_says_the_paths_that_are_run_now() -> None:
    text = (ROOT / "docs" / "results" / "rfc9743.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^- Run `([\w-]+)`", text, re.MULTILINE))
    assert named == {name for name, run in runs().items() if run["folder"].name == "rfc9743" or "unheard" in name}
    assert not [name for name in sorted(named) if bullet(described(name)) not in text]


def declared() -> Mapping[str, list[str]]:
    """The claims of each file."""
    files = (ROOT / "tests" / "rfc9743").glob("*.toml")
    return {file.name: re.findall(r'^id = "(\w+)"', file.read_text(encoding="utf-8"), re.MULTILINE) for file in files}


def test_every_section_is_answered_and_every_claim_is_an_answer() -> None:
    assert {criterion.section for criterion in CRITERIA} == SECTIONS
    assert all(criterion.claims or (criterion.answer and criterion.verdict) for criterion in CRITERIA)
    ids = sorted(name for names in declared().values() for name in names)
    assert len(ids) > 20
    assert sorted(name for criterion in CRITERIA for name in criterion.claims if name != "U3") == ids


def test_the_published_page_has_every_section_and_no_empty_cell() -> None:
    text = (ROOT / "docs" / "results" / "rfc9743.md").read_text(encoding="utf-8")
    for section in SECTIONS:
        assert f"(section {section})" in text
    tables = [line for line in text.splitlines() if line.startswith("| ")]
    assert len(tables) > 2 * len(SECTIONS)
    assert not [line for line in tables if "|  |" in line or "| |" in line]


def test_what_is_said_has_lines_as_long_as_those_of_documents() -> None:
    lines = bullet("hybrid fails, because " + "words and more words " * 12).splitlines()
    assert len(lines) > 1
    assert lines[0].startswith("- hybrid fails")
    assert all(line.startswith("  ") for line in lines[1:])
    assert max(map(len, lines)) <= 120
