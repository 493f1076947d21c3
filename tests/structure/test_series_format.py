"""The series as commits and back: byte-stable, and errors that say what to mend."""

from __future__ import annotations

import pytest
from conftest import TOOL, Bench


def test_an_empty_series_gives_the_release_itself(bench: Bench) -> None:
    assert "total of 0 patches" in bench.succeed("check")
    bench.succeed("apply", "--to", bench.target)
    assert (bench.target / "README.md").read_text() == "A toy.\n"
    assert not (bench.target / "Cargo.lock").exists()


def test_a_patch_file_has_header_and_diff_and_nothing_that_varies(two_patches: Bench) -> None:
    assert two_patches.files()["0001-say-five.patch"].decode() == (
        "Subject: Say five\n"
        "Description: It cannot live outside: reasons.\n .\n A second paragraph.\n"
        "Forwarded: no\n\n"
        "diff --git a/src/lib.rs b/src/lib.rs\n--- a/src/lib.rs\n+++ b/src/lib.rs\n@@ -2,7 +2,7 @@\n"
        " line 2\n line 3\n line 4\n-line 5\n+line five\n line 6\n line 7\n line 8\n"
        "diff --git a/src/new.rs b/src/new.rs\nnew file mode 100644\n--- /dev/null\n+++ b/src/new.rs\n@@ -0,0 +1 @@\n"
        "+fn new() {}\n"
    )
    assert two_patches.files()["series"].decode().split("\n")[1:] == [
        "0001-say-five.patch",
        "0002-second-seven-7.patch",
        "",
    ]


def test_import_and_export_are_byte_stable_whoever_exports(two_patches: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    before = two_patches.files()
    config = two_patches.root / "gitconfig"
    config.write_text("[diff]\n\tnoprefix = true\n\tcontext = 9\n\tmnemonicPrefix = true\n[core]\n\tautocrlf = true\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", "/nowhere")
    again = two_patches.root / "again"
    two_patches.succeed("checkout", again)
    assert "0 files changed" in two_patches.succeed("export", again)
    assert two_patches.files() == before
    assert "same bytes" in two_patches.succeed("check")


def test_two_checkouts_are_the_same_commits(two_patches: Bench) -> None:
    heads = set()
    for name in ("one", "two"):
        two_patches.succeed("checkout", two_patches.root / name)
        heads.add(two_patches.git("-C", str(two_patches.root / name), "rev-parse", "HEAD"))
    assert len(heads) == 1


def test_export_renumbers_and_removes_what_is_gone(two_patches: Bench) -> None:
    two_patches.git("reset", "--quiet", "--hard", "upstream")
    two_patches.edit("src/other.rs", "line 9\n", "")
    two_patches.commit("Only this")
    two_patches.succeed("export", two_patches.work)
    assert set(two_patches.files()) == {"UPSTREAM", "series", "0001-only-this.patch"}


def test_sizes_are_counted(two_patches: Bench) -> None:
    rows = [line.split() for line in two_patches.succeed("sizes").splitlines()]
    assert rows[1:] == [
        ["2", "2", "1", "0001-say-five.patch"],
        ["2", "1", "2", "0002-second-seven-7.patch"],
        ["3", "3", "3", "total", "of", "2", "patches"],
    ]


def test_check_refuses_a_patch_written_by_hand_in_another_form(two_patches: Bench) -> None:
    path = two_patches.series / "0001-say-five.patch"
    path.write_text(path.read_text().replace("@@ -2,7 +2,7 @@", "@@ -2,7 +2,7 @@ fn context()"))
    assert "changes 0001-say-five.patch" in two_patches.fail("check")


@pytest.mark.parametrize(
    ("message", "expected"),
    [
        ("Subject only", "Forwarded"),
        ("Subject\n\nBecause.\n\nForwarded: maybe", "allowed are `no`, `not-needed`"),
        ("Subject\n\nForwarded: no", "why the change cannot live outside"),
    ],
)
def test_a_commit_without_its_header_is_named(bench: Bench, message: str, expected: str) -> None:
    bench.edit("src/lib.rs", "line 5\n", "line five\n")
    bench.git("commit", "--quiet", "--all", "-m", message)
    error = bench.fail("export", bench.work)
    assert expected in error
    assert "Subject" in error


def test_uncommitted_changes_are_not_dropped_silently(bench: Bench) -> None:
    bench.edit("src/lib.rs", "line 5\n", "line five\n")
    assert "src/lib.rs" in bench.fail("export", bench.work)


def test_series_and_files_have_to_agree(two_patches: Bench) -> None:
    series = two_patches.series / "series"
    text = series.read_text()
    series.write_text(text + "0003-absent.patch\n")
    assert "0003-absent.patch, but there is no such file" in two_patches.fail("check")
    series.write_text(text.replace("0002-second-seven-7.patch\n", ""))
    assert "does not list 0002-second-seven-7.patch" in two_patches.fail("apply", "--to", two_patches.target)


def test_moving_to_a_new_release_rebases_the_commits(two_patches: Bench) -> None:
    moved = {"src/lib.rs": "fresh\n" * 3 + "".join(f"line {n}\n" for n in range(1, 31)), "README.md": "A toy.\n"}
    two_patches.release("1.1.0", moved)
    assert "toy 1.0.0" in two_patches.fail("export", two_patches.work)
    two_patches.succeed("upgrade", two_patches.work)
    assert "finish the rebase" in two_patches.fail("export", two_patches.work)
    two_patches.git("rebase", "--quiet", "--onto", "upstream", "upstream-old", "series")
    two_patches.succeed("export", two_patches.work)
    assert "@@ -5,7 +5,7 @@" in two_patches.files()["0001-say-five.patch"].decode()
    assert "same bytes" in two_patches.succeed("check")


def test_every_text_of_a_pull_request_names_alternatives_tests_and_cost() -> None:
    patches = sorted((TOOL.parent / "quiche").glob("*.patch"))
    assert patches
    for patch in patches:
        header = patch.read_text(encoding="utf-8").split("\ndiff --git", 1)[0]
        paragraphs = [paragraph.strip() for paragraph in header.split("\n .\n")]
        for part in ("Alternatives:", "Tests:", "Cost:"):
            assert any(paragraph.startswith(part) for paragraph in paragraphs), f"{patch.name} has no paragraph {part}"
