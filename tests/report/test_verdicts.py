"""What the report makes of numbers."""

from __future__ import annotations

import in_words
import msgspec
import pytest
from document import embedded
from publish import cell, headline, replaced, rounded
from verdicts import MET, MISSED, PARTS, UNKNOWN, Claim, Entry, Tally, of_claims, of_cost, of_paths


def entry(cc: str, point: str, *missed: str) -> Entry:
    reached = {part: part not in missed for part in PARTS}
    return Entry((point,), cc, 0.98765, 1.23456, 0.000123456, 0.0, reached)


def claim(name: str, source: str, status: str) -> Claim:
    return Claim(name, "a title", source, status, Tally(4 if status == "reproduced" else 3, 4))


def test_a_target_of_paths_is_met_only_if_all_of_all_suites_is_reached() -> None:
    good = [entry("bbr2", "a"), entry("hybrid", "a")]
    assert of_paths({"one": good, "two": good}).verdict == MET
    assert of_paths({"one": good, "two": []}).verdict == UNKNOWN
    assert of_paths({"one": [*good, entry("bbr2", "b")]}).verdict == UNKNOWN
    found = of_paths({"one": good, "two": [*good, entry("hybrid", "b", "delay")]})
    assert (found.verdict, found.found) == (
        MISSED,
        "one: all parts on 1 of 1 paths (utilisation 1, delay 1, loss 1, loss at start 1); "
        "two: all parts on 1 of 2 paths (utilisation 2, delay 1, loss 2, loss at start 2)",
    )


def test_a_target_is_met_if_every_claim_about_it_holds() -> None:
    claims = [claim("F1", "Target 2, flows", "reproduced"), claim("F2", "target 2", "deviates")]
    assert of_claims(2, claims[:1]).verdict == MET
    found = of_claims(2, claims)
    assert (found.verdict, found.found) == (MISSED, "1 of 2 claims hold, 7 of 8 checks; not: F2 (a title, 3 of 4)")
    assert of_claims(3, claims).verdict == UNKNOWN
    found = of_claims(2, claims[:1], skipped=True)
    assert (found.verdict, "recordings were not given" in found.found) == (UNKNOWN, True)
    assert of_claims(2, [claim("X", "target 20", "deviates")]).verdict == UNKNOWN


def test_the_cost_is_held_against_cubics_in_every_variant() -> None:
    head = "pairs          packets/ACK  instructions/ACK and/packet sent\n"
    table = head + "cubic 2.00 967 100\nhybrid 2.00 {} 90\n"
    assert of_cost(table.format(967)).verdict.startswith(MET)
    assert of_cost(table.format(968)).verdict == MISSED
    assert of_cost("skipped: valgrind is not installed").verdict == UNKNOWN


def test_a_report_becomes_a_section() -> None:
    report = "# Title\n\n## Part\n\n![f](figures/f.svg)\n\n```sh\n# a comment\n```\n"
    assert embedded(report, "x") == "### Part\n\n![f](x/figures/f.svg)\n\n```sh\n# a comment\n```"


def test_numbers_are_rounded_and_written_for_people() -> None:
    small = rounded(msgspec.structs.replace(entry("hybrid", "a"), queueing_p95_ms=1.23456789))
    assert (small.utilisation, small.queueing_p95_ms) == (0.98765, 1.23457)
    assert cell(small) == "98.8 %, 1.2 ms, 0.01 %"
    assert cell(None) == "not measured"
    assert [in_words.value(rate) for rate in ("1Mbps", "1000Mbps")] == ["1 Mbit/s", "1 Gbit/s"]


def test_the_headline_has_a_row_per_path_and_hybrid_twice() -> None:
    def at(cc: str, timestamps: str, used: float) -> Entry:
        return msgspec.structs.replace(entry(cc, "a"), point=("1000Mbps", timestamps), utilisation=used)

    given = [at("hybrid", "true", 0.3), at("hybrid", "false", 0.2), at("bbr2", "true", 0.9), at("bbr2", "false", 0.1)]
    lines = headline({"wired": given, "Wi-Fi": given[:1]}).splitlines()
    assert lines[0] == "| path | bbr2 | `hybrid` | `hybrid`, with receive timestamps |"
    assert [cell.split(",")[0] for cell in lines[2].strip("| ").split(" | ")[1:]] == ["10.0 %", "20.0 %", "30.0 %"]
    assert lines[3].startswith("| Wi-Fi, 1 Gbit/s | not measured | not measured | 30.0 %, ")


def test_results_of_an_earlier_build_are_no_headline() -> None:
    old = msgspec.structs.replace(entry("bbr2", "a"), point=("1Mbps", "false"), earlier=True)
    with pytest.raises(SystemExit, match="bbr2 at 1Mbps, false was measured by an earlier build"):
        headline({"wired": [old]})


def test_a_text_without_the_comments_is_refused() -> None:
    with pytest.raises(SystemExit, match="there is no '<!-- paths"):
        replaced("no comments", "paths", "x")
