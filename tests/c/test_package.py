"""The packages hold what `cmake --install` installs, and work from where they are unpacked."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from conftest import BUILD, build_outside, run

CONFIG = BUILD / "CPackConfig.cmake"


def pack(generator: str, folder: Path) -> Path:
    run("cpack", "--config", CONFIG, "-G", generator, "-B", folder)
    suffix = {"TGZ": "*.tar.gz", "DEB": "*.deb"}[generator]
    (package,) = folder.glob(suffix)
    return package


def files(folder: Path) -> set[str]:
    return {str(file.relative_to(folder)) for file in folder.rglob("*") if not file.is_dir()}


@pytest.fixture(scope="session")
def deb(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("dpkg-deb") is None:
        pytest.skip("dpkg is not installed")
    return pack("DEB", tmp_path_factory.mktemp("deb"))


def test_the_archive_is_the_installation(prefix: Path, tmp_path: Path) -> None:
    archive = pack("TGZ", tmp_path)
    run("tar", "-xzf", archive, "-C", tmp_path)
    (unpacked,) = (path for path in tmp_path.iterdir() if path.is_dir() and path.name.startswith("libquiche-cc-"))
    assert files(unpacked) == files(prefix)


def test_the_debian_package_works_where_it_is_unpacked(deb: Path, prefix: Path, tmp_path: Path) -> None:
    run("dpkg-deb", "--extract", deb, tmp_path / "root")
    unpacked = tmp_path / "root" / "usr"
    assert files(unpacked) >= files(prefix)
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
