"""The parts of a release that need neither a build nor the rights of root."""

from __future__ import annotations

import hashlib
import re
import subprocess
from pathlib import Path

import contract
import crates
import debian
import image
import packages
import pytest
import trial
from steps import ROOT, Failure


def test_a_tree_with_changes_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "run", lambda *_: " M README.md\n?? notes.txt\n")
    with pytest.raises(Failure, match=r"not committed: README.md, notes.txt$"):
        packages.check_tree(rehearse=False)
    assert packages.check_tree(rehearse=True) == ["not committed: README.md, notes.txt"]


def test_a_clean_tree_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(packages, "run", lambda *_: "")
    assert packages.check_tree(rehearse=False) == []


def test_every_crate_is_published_or_has_a_reason() -> None:
    needs = crates.members()
    published = ["quiche-cc-bottleneck", "quiche-cc-link", "quiche-cc-record"]
    assert crates.published(needs) == crates.permitted() == published
    reasons = crates.kept_back(needs)
    assert set(reasons) | set(crates.published(needs)) == set(needs)
    assert "patched quiche" in reasons["quiche-cc"]
    assert reasons["quiche-cc-foreign"] == "needs quiche-cc"


@pytest.mark.parametrize("project", ["interop/link", "tests/bottleneck", "tests/record", "qlog-analysis"])
def test_what_is_published_brings_its_licence(project: str) -> None:
    assert (ROOT / project / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_checksums_are_what_sha256sum_checks(tmp_path: Path) -> None:
    (tmp_path / "a.deb").write_bytes(b"a")
    (tmp_path / "b.whl").write_bytes(b"b")
    (tmp_path / "work").mkdir()
    assert [path.name for path in packages.write_sums(tmp_path)] == ["a.deb", "b.whl"]
    assert hashlib.sha256(b"a").hexdigest() in (tmp_path / packages.SUMS).read_text(encoding="utf-8")
    subprocess.run(["sha256sum", "--quiet", "--check", packages.SUMS], cwd=tmp_path, check=True)
    packages.write_sums(tmp_path)
    assert packages.SUMS not in (tmp_path / packages.SUMS).read_text(encoding="utf-8")


def test_archives_of_others_are_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "sources.list.d"
    folder.mkdir()
    (folder / "debian.sources").write_text("Types: deb\nURIs: http://a.test/debian\nSuites: trixie trixie-updates\n")
    (folder / "other.list").write_text("deb https://other.test/apt other-trixie main\n")
    (folder / "node.sources").write_text("Types: deb\nURIs: https://node.test\nSuites: nodistro\n")
    assert debian.archives("trixie", tmp_path) == [folder / "debian.sources"]
    (tmp_path / "sources.list").write_text("deb http://archive.test/debian trixie main\n")
    assert debian.archives("trixie", tmp_path) == [tmp_path / "sources.list", folder / "debian.sources"]
    with pytest.raises(Failure, match="no list of archives"):
        debian.archives("sid", tmp_path)


@pytest.mark.parametrize("script", [trial.ARCHIVES, trial.DOWNLOAD, trial.COMPILE, trial.COMPILE_STATIC, trial.ANALYSE])
def test_the_scripts_of_the_trial_are_ones(script: str) -> None:
    subprocess.run(["bash", "-n"], input=script, text=True, check=True)


def test_nothing_is_deleted_below_a_mount(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "root"
    (folder / "proc").mkdir(parents=True)
    monkeypatch.setattr(debian, "MOUNTS", tmp_path / "mounts")
    debian.MOUNTS.write_text(f"proc {folder}/proc proc rw 0 0\n", encoding="utf-8")
    with pytest.raises(Failure, match="is kept"):
        debian.delete(folder)
    debian.MOUNTS.write_text(f"disk {tmp_path} ext4 rw 0 0\n", encoding="utf-8")
    debian.delete(folder)
    assert not folder.exists()


def test_something_stands_in_for_every_image_of_others() -> None:
    names = image.bases(image.DOCKERFILE.read_text(encoding="utf-8"))
    assert {name.rpartition(":")[0] for name in names} == set(image.STAND_INS)


def test_the_image_is_built_with_the_oldest_rust_that_is_promised() -> None:
    promised = re.search(r'^rust-version = "([^"]+)"', (ROOT / "Cargo.toml").read_text(encoding="utf-8"), re.MULTILINE)
    assert promised
    assert f"FROM rust:{promised[1]}-" in image.DOCKERFILE.read_text(encoding="utf-8")


def test_every_case_of_the_script_is_run_in_the_image() -> None:
    script = (ROOT / "interop" / "runner" / "run_endpoint.sh").read_text(encoding="utf-8")
    serve = script.partition("\nserve() {")[2].partition("\n}")[0]
    fetch = script.partition("\ndownload() {")[2].partition("\n}")[0]
    known = {
        role: {name for names in re.findall(r"^ +([\w |]+)\)", text, re.MULTILINE) for name in names.split(" | ")}
        for role, text in (("server", serve), ("client", fetch))
    }
    tried = {("server", case.server or case.client) for case in contract.CASES}
    tried |= {("client", case.client) for case in contract.CASES} | set(contract.REFUSED)
    assert known["server"] | known["client"] > {"transfer", "zerortt"}
    assert {(role, name) for role, names in known.items() for name in names} <= tried
