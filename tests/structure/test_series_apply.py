"""The patched tree under build/: verified, rewritten only where it changed, never over somebody's edits."""

from __future__ import annotations

import os
from pathlib import Path

from conftest import RELEASE, Bench, make_crate

LONG_AGO = 1_000_000_000


def age(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (LONG_AGO, LONG_AGO))


def touched(folder: Path) -> set[str]:
    return {
        path.relative_to(folder).as_posix()
        for path in folder.rglob("*")
        if path.is_file() and path.name != ".series.json" and path.stat().st_mtime != LONG_AGO
    }


def test_the_tree_is_release_plus_patches(two_patches: Bench) -> None:
    two_patches.succeed("apply", "--to", two_patches.target)
    assert "line five\nline 6\nline seven\n" in (two_patches.target / "src/lib.rs").read_text()
    assert (two_patches.target / "src/new.rs").is_file()
    assert not (two_patches.target / "README.md").exists()


def test_a_second_run_does_nothing(two_patches: Bench) -> None:
    two_patches.succeed("apply", "--to", two_patches.target)
    age(two_patches.target)
    (two_patches.cache / "toy-1.0.0.crate").unlink()
    assert "up to date" in two_patches.succeed("apply", "--to", two_patches.target)
    assert touched(two_patches.target) == set()


def test_a_changed_patch_applies_again_and_touches_only_its_files(two_patches: Bench) -> None:
    two_patches.succeed("apply", "--to", two_patches.target)
    age(two_patches.target)
    (two_patches.work / "src/new.rs").write_text("fn newer() {}\n")
    two_patches.commit("Newer")
    two_patches.succeed("export", two_patches.work)
    two_patches.succeed("apply", "--to", two_patches.target)
    assert touched(two_patches.target) == {"src/new.rs"}
    assert (two_patches.target / "src/new.rs").read_text() == "fn newer() {}\n"


def test_a_patch_taken_out_is_undone(two_patches: Bench) -> None:
    two_patches.succeed("apply", "--to", two_patches.target)
    two_patches.git("reset", "--quiet", "--hard", "upstream")
    two_patches.succeed("export", two_patches.work)
    two_patches.succeed("apply", "--to", two_patches.target)
    assert {path.name for path in two_patches.target.rglob("*") if path.is_file()} == {
        "lib.rs", "other.rs", "README.md", ".series.json",
    }  # fmt: skip


def test_edits_by_hand_are_kept_until_forced(two_patches: Bench) -> None:
    two_patches.succeed("apply", "--to", two_patches.target)
    mine = two_patches.target / "src/other.rs"
    mine.write_text("my experiment\n")
    assert "left so: src/other.rs" in two_patches.succeed("apply", "--to", two_patches.target)
    two_patches.edit("src/lib.rs", "line 20\n", "line twenty\n")
    two_patches.commit("Twenty")
    two_patches.succeed("export", two_patches.work)
    error = two_patches.fail("apply", "--to", two_patches.target)
    assert "changed src/other.rs" in error
    assert "--force" in error
    assert mine.read_text() == "my experiment\n"
    two_patches.succeed("apply", "--force", "--to", two_patches.target)
    assert mine.read_text() == RELEASE["src/other.rs"]


def test_an_edit_that_became_a_patch_is_no_obstacle(two_patches: Bench) -> None:
    two_patches.succeed("apply", "--to", two_patches.target)
    text = (two_patches.target / "src/other.rs").read_text().replace("line 9\n", "line nine\n")
    for folder in (two_patches.target, two_patches.work):
        (folder / "src/other.rs").write_text(text)
    two_patches.commit("Nine")
    two_patches.succeed("export", two_patches.work)
    two_patches.succeed("apply", "--to", two_patches.target)
    assert (two_patches.target / "src/other.rs").read_text() == text


def test_a_folder_of_somebody_else_is_not_overwritten(two_patches: Bench) -> None:
    two_patches.target.mkdir()
    (two_patches.target / "thesis.txt").write_text("years of work\n")
    assert "thesis.txt" in two_patches.fail("apply", "--to", two_patches.target)
    assert (two_patches.target / "thesis.txt").is_file()


def test_a_tampered_crate_is_refused_with_both_sums(two_patches: Bench) -> None:
    crate = two_patches.cache / "toy-1.0.0.crate"
    crate.write_bytes(make_crate("1.0.0", {**RELEASE, "src/lib.rs": "backdoor\n"}))
    error = two_patches.fail("apply", "--to", two_patches.target)
    assert "expected " in error
    assert "found " in error
    assert str(crate) in error
    assert not two_patches.target.exists()


def test_an_entry_that_leaves_the_folder_is_refused(bench: Bench) -> None:
    bench.release(files={"../../escape.txt": "x"})
    assert "unexpected entry" in bench.fail("apply", "--to", bench.target)


def test_a_patch_that_does_not_fit_names_itself_and_the_file(two_patches: Bench) -> None:
    path = two_patches.series / "0002-second-seven-7.patch"
    # One context line differs: fuzz would let it pass.
    path.write_text(path.read_text().replace(" line 6\n", " line 6 \n"))
    error = two_patches.fail("apply", "--to", two_patches.target)
    assert "0002-second-seven-7.patch does not apply" in error
    assert "src/lib.rs" in error
    assert not two_patches.target.exists()


def test_a_crate_that_is_not_cached_is_fetched_with_cargo(two_patches: Bench) -> None:
    crate = two_patches.cache / "toy-1.0.0.crate"
    elsewhere = two_patches.root / "registry.crate"
    crate.rename(elsewhere)
    cargo = two_patches.root / "fake-cargo"
    cargo.write_text(
        '#!/bin/sh\ntest "$1 $2" = "fetch --manifest-path" && grep -q \'^toy = "=1.0.0"$\' "$3" && '
        f"cp {elsewhere} {crate}\n"
    )
    cargo.chmod(0o755)
    two_patches.succeed("apply", "--to", two_patches.target, env={"CARGO": str(cargo)})
    assert (two_patches.target / "src/new.rs").is_file()


def test_without_cargo_the_message_says_so(two_patches: Bench) -> None:
    (two_patches.cache / "toy-1.0.0.crate").unlink()
    assert "`/no/cargo` was not found" in two_patches.fail("apply", "--to", two_patches.target)
