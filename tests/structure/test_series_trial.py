"""The series on a release that it was not made for: fabricated ones, out of cargo's cache or a folder."""

from __future__ import annotations

import pytest
from conftest import NUMBERS, RELEASE, Bench, make_crate

FIRST, SECOND = "0001-say-five.patch", "0002-second-seven-7.patch"
NOTHING_TO_DO = 77


def publish(bench: Bench, lib: str, **others: str) -> None:
    """Puts release 1.1.0 into cargo's cache, without pinning it."""
    files = {**RELEASE, "src/lib.rs": lib, **others}
    (bench.cache / "toy-1.1.0.crate").write_bytes(make_crate("1.1.0", files))


def trial(bench: Bench, *arguments: str, code: int) -> list[str]:
    before = bench.files()
    result = bench.run("try-release", *arguments)
    assert result.returncode == code, result.stdout + result.stderr
    assert bench.files() == before
    return [line.strip() for line in result.stdout.splitlines()]


def test_a_release_with_changes_elsewhere_takes_every_patch(two_patches: Bench) -> None:
    publish(two_patches, NUMBERS.replace("line 20\n", "line twenty\n"))
    lines = trial(two_patches, "1.1.0", code=0)
    assert lines[0] == "toy: the series for 1.0.0 on 1.1.0"
    assert lines[1:3] == [f"applies   {FIRST}", f"applies   {SECOND}"]


def test_a_conflict_names_the_patch_and_the_file_and_is_counted_once(two_patches: Bench) -> None:
    publish(two_patches, NUMBERS.replace("line 5\n", "line V\n"))
    lines = trial(two_patches, "1.1.0", code=1)
    assert lines[1:4] == [f"CONFLICT  {FIRST}", "src/lib.rs: 1 place", f"applies   {SECOND}"]
    assert lines[-1].endswith("1 conflict in 1 places of 1 files")


def test_a_file_that_the_release_has_dropped_is_said_to_be_gone(two_patches: Bench) -> None:
    files = {name: text for name, text in RELEASE.items() if name != "src/lib.rs"}
    (two_patches.cache / "toy-1.1.0.crate").write_bytes(make_crate("1.1.0", files))
    lines = trial(two_patches, "1.1.0", code=1)
    assert lines[1:4] == [
        f"CONFLICT  {FIRST}",
        "src/lib.rs: deleted or moved",
        "left out: what follows may conflict because of that",
    ]


def test_a_patch_that_the_release_has_is_empty(bench: Bench) -> None:
    bench.edit("src/lib.rs", "line 5\n", "line five\n")
    bench.commit("Say five")
    bench.succeed("export", bench.work)
    publish(bench, NUMBERS.replace("line 5\n", "line five\n"))
    assert trial(bench, "1.1.0", code=0)[1] == f"empty     {FIRST}"


def test_sources_in_a_folder_are_tried_as_well(two_patches: Bench) -> None:
    folder = two_patches.root / "commit"
    for name, text in RELEASE.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text.replace("line 7\n", "line VII\n"))
    lines = trial(two_patches, "abc123", "--tree", str(folder), code=1)
    assert lines[1:4] == [f"applies   {FIRST}", f"CONFLICT  {SECOND}", "src/lib.rs: 1 place"]


@pytest.mark.parametrize(("newest", "code"), [("1.0.0", NOTHING_TO_DO), ("1.1.0", 0)])
def test_without_a_version_the_newest_is_tried_if_there_is_a_newer_one(
    two_patches: Bench, newest: str, code: int
) -> None:
    publish(two_patches, NUMBERS + "line 31\n")
    cargo = two_patches.root / "fake-cargo"
    cargo.write_text(
        '#!/bin/sh\ntest "$1 $2" = "generate-lockfile --manifest-path" && grep -q \'^toy = "\\*"$\' "$3" && '
        f'printf \'[[package]]\\nname = "toy"\\nversion = "{newest}"\\n\' > "$(dirname "$3")/Cargo.lock"\n'
    )
    cargo.chmod(0o755)
    result = two_patches.run("try-release", env={"CARGO": str(cargo)})
    assert result.returncode == code, result.stdout + result.stderr
    assert ("skipped" in result.stdout) == (code == NOTHING_TO_DO)


def test_a_registry_that_does_not_answer_is_an_error(two_patches: Bench) -> None:
    assert "`/no/cargo` was not found" in two_patches.fail("try-release")
