"""The packages hold what `cmake --install` installs, and work where they are unpacked."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path

import pytest
from conftest import BUILD, build_outside, run

CONFIG = BUILD / "CPackConfig.cmake"


COMPONENTS = {"libquiche-cc": "library", "quiche-cc-server": "server"}


def pack(generator: str, folder: Path) -> dict[str, Path]:
    """The packages by name."""
    run("cpack", "--config", CONFIG, "-G", generator, "-B", folder)
    suffix, end = {"TGZ": (".tar.gz", "-"), "DEB": (".deb", "_")}[generator]
    packages = {path.name.partition(f"{end}0")[0]: path for path in folder.glob(f"*{suffix}")}
    assert set(packages) == set(COMPONENTS), sorted(folder.iterdir())
    return packages


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir()}


def installed(component: str, folder: Path) -> set[str]:
    run("cmake", "--install", BUILD, "--prefix", folder, "--component", component)
    return files(folder)


@pytest.fixture(scope="session")
def debs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg is not installed")
    return pack("DEB", tmp_path_factory.mktemp("deb"))


@pytest.fixture(scope="session")
def deb(debs: dict[str, Path]) -> Path:
    return debs["libquiche-cc"]


@pytest.fixture(scope="session")
def server(debs: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the package of the server is unpacked."""
    root = tmp_path_factory.mktemp("server")
    run("dpkg-deb", "--extract", debs["quiche-cc-server"], root)
    return root


def test_each_archive_is_the_installation_of_its_component(tmp_path: Path) -> None:
    for name, archive in pack("TGZ", tmp_path / "packages").items():
        unpacked = tmp_path / name
        unpacked.mkdir()
        run("tar", "-xzf", archive, "-C", unpacked, "--strip-components=1")
        assert files(unpacked) == installed(COMPONENTS[name], tmp_path / COMPONENTS[name])


def test_the_programs_of_the_server_package_run(server: Path) -> None:
    for program in ("cc-server", "cc-client"):
        assert run(server / "usr" / "bin" / program, "--version").startswith(f"{program} ")
        page = (server / "usr/share/man/man1" / f"{program}.1").read_text()
        assert f".TH {program} 1" in page
        assert "congestion" in page


def test_the_completions_of_the_server_package_complete(server: Path) -> None:
    file = server / "usr/share/bash-completion/completions/cc-server"
    function = re.search(r"complete -F (\S+)", file.read_text())
    assert function is not None
    words = f"COMP_WORDS=(cc-server --max-per-) COMP_CWORD=1; {function[1]} cc-server --max-per- cc-server"
    completed = run("bash", "-c", f"source '{file}'; {words}; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
    assert completed.split() == ["--max-per-address", "--max-per-network"]
    assert (server / "usr/share/fish/vendor_completions.d/cc-server.fish").stat().st_size > 0
    assert (server / "usr/share/zsh/vendor-completions/_cc-server").read_text().startswith("#compdef cc-server")


def test_the_unit_of_the_server_package_is_one(server: Path, tmp_path: Path) -> None:
    (unit,) = server.rglob("cc-server.service")
    assert unit.parent == server / "usr/lib/systemd/system"
    text = unit.read_text()
    assert "ExecStart=/usr/bin/cc-server" in text
    assert "/usr/local" not in text
    if shutil.which("systemd-analyze") is not None:
        here = tmp_path / unit.name
        here.write_text(text.replace("=/usr/bin/", f"={server}/usr/bin/"))
        run("systemd-analyze", "verify", "--man=no", here)


def test_an_installed_unit_names_the_program_where_it_was_installed(tmp_path: Path) -> None:
    installed("server", tmp_path / "local")
    (unit,) = tmp_path.rglob("cc-server.service")
    (program,) = re.findall(r"^ExecStart=(\S+)", unit.read_text(), re.MULTILINE)
    assert program == f"{tmp_path}/local/bin/cc-server"
    assert os.access(program, os.X_OK)


def test_the_debian_package_works_where_it_is_unpacked(deb: Path, tmp_path: Path) -> None:
    run("dpkg-deb", "--extract", deb, tmp_path / "root")
    unpacked = tmp_path / "root" / "usr"
    assert files(unpacked) >= installed("library", tmp_path / "library")
    programs = build_outside(unpacked, tmp_path / "outside")
    assert run(programs / "select", "hybrid").split() == ["hybrid", "0"]


def test_the_debian_package_says_what_it_needs(deb: Path) -> None:
    depends = run("dpkg-deb", "--field", deb, "Depends")
    for library in ("libc6", "libgcc-s1", "libstdc++6"):
        assert library in depends
    assert run("dpkg-deb", "--field", deb, "Package").strip() == "libquiche-cc"


@pytest.mark.skipif(os.getuid() != 0, reason="dpkg installs as root only")
def test_the_debian_package_installs_and_leaves_nothing_behind(deb: Path, tmp_path: Path) -> None:
    """Into a root of its own. It holds nothing else, so what the package needs is not asked for, and not configured."""
    root = tmp_path / "root"
    (root / "var" / "lib" / "dpkg" / "info").mkdir(parents=True)
    (root / "var" / "lib" / "dpkg" / "status").touch()
    before = files(root)
    dpkg = ("dpkg", f"--root={root}", "--force-depends", "--force-script-chrootless", "--log=/dev/null")
    run(*dpkg, "--unpack", deb)
    program = root / "usr" / "lib" / "libquiche.so.0"
    assert program.exists()
    query = ("dpkg-query", f"--admindir={root}/var/lib/dpkg", "--show", "--showformat=${Status}")
    assert run(*query, "libquiche-cc") == "install ok unpacked"
    run(*dpkg, "--purge", "libquiche-cc")
    assert {file for file in files(root) - before if file.startswith("usr/")} == set()
