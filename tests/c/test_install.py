"""What is installed is found by CMake and pkg-config, wherever it lies, and needs no help from its user."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
from conftest import ROOT, run

SELECT = Path(__file__).parent / "src" / "select.c"
OURS = ("hybrid:target_delay=12ms", "smallq", "vegas", "rrr", "raimd")
SELECTED = [f"{name} 0" for name in (*OURS, "cubic")] + ["hybird -14"]


def select(program: Path, *env: str) -> list[str]:
    return run("env", *env, program, *OURS, "cubic", "hybird").splitlines()


def pkg_config(prefix: Path, *options: str) -> list[str]:
    # pkg-config escapes blanks as a shell would.
    answer = run("pkg-config", *options, "quiche", env={"PKG_CONFIG_PATH": str(prefix / "lib" / "pkgconfig")})
    return run("sh", "-c", f"printf '%s\\n' {answer}").splitlines()


def test_a_program_that_knows_only_quiche_selects_every_controller(outside: Path) -> None:
    assert select(outside / "select") == SELECTED


def test_so_does_a_static_one_without_what_it_does_not_call(outside: Path) -> None:
    assert "libquiche" not in run("readelf", "--dynamic", outside / "select-static")
    assert select(outside / "select-static") == SELECTED


def test_every_function_of_the_headers_works_from_c(outside: Path) -> None:
    listed = run(outside / "api", outside / "libaimd.so", outside / "libbroken.so").split()
    assert listed[:5] == ["hybrid", "smallq", "vegas", "rrr", "raimd"]


@pytest.mark.parametrize("static", [False, True])
def test_pkg_config_finds_it(prefix: Path, tmp_path: Path, static: bool) -> None:
    program = tmp_path / "select"
    flags = pkg_config(prefix, "--cflags", "--libs", *(["--static"] if static else []))
    if static:
        flags = [f"-l:lib{flag[2:]}.a" if flag == "-lquiche" else flag for flag in flags]
    run("cc", SELECT, "-o", program, *flags, "-Wl,--gc-sections")
    assert select(program, f"LD_LIBRARY_PATH={prefix / 'lib'}") == SELECTED
    release = (ROOT / "patches" / "quiche" / "UPSTREAM").read_text().split("version: ")[1].split()[0]
    assert pkg_config(prefix, "--modversion") == [release]


def test_the_static_library_is_taken_on_request(prefix: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES C)\n"
        "find_package(QuicheCC 0.1 REQUIRED)\n"
        f'add_executable(select "{SELECT}")\ntarget_link_libraries(select QuicheCC::quiche)\n'
    )
    run("cmake", "-S", project, "-B", tmp_path / "b", f"-DQuicheCC_ROOT={prefix}", "-DBUILD_SHARED_LIBS=OFF")
    run("cmake", "--build", tmp_path / "b")
    assert "libquiche" not in run("readelf", "--dynamic", tmp_path / "b" / "select")
    assert select(tmp_path / "b" / "select") == SELECTED


def test_headers_are_for_cxx_too(prefix: Path, tmp_path: Path) -> None:
    source = tmp_path / "both.cc"
    source.write_text("#include <quiche.h>\n#include <quiche_cc.h>\nint main() { return quiche_cc_check(nullptr); }\n")
    strict = ("-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsyntax-only")
    run("c++", *strict, f"-I{prefix / 'include'}", source)


def test_another_minor_version_is_not_taken_for_ours(prefix: Path, tmp_path: Path) -> None:
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.16)\nproject(p LANGUAGES NONE)\nfind_package(QuicheCC 0.999 REQUIRED)\n"
    )
    command = ["cmake", "-S", str(tmp_path), "-B", str(tmp_path / "b"), f"-DCMAKE_PREFIX_PATH={prefix}"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    assert result.returncode != 0
    assert "0.999" in result.stderr


def test_nothing_installed_names_the_tree_that_it_was_built_from(prefix: Path) -> None:
    texts = [file for file in prefix.rglob("*") if file.suffix in (".cmake", ".pc", ".h")]
    assert len(texts) == 5
    for file in texts:
        assert str(ROOT) not in file.read_text(), file
