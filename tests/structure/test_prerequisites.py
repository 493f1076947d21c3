"""A machine that lacks tools: one message that names all of them, or the package manager does it.

The machine is a folder of links: PATH leads there and nowhere else, and its apt-get is a script.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ALWAYS = ("cmake", "sh", "ln", "id")
APT_GET = """#!/bin/sh
echo "apt-get $*" >> "{log}"
[ "$1" = install ] || exit 0
for tool in git make gcc g++ cc c++ as ld python3; do
  [ -e "{tools}/$tool" ] || ln -s "$(cat "{real}/$tool")" "{tools}/$tool"
done
"""


class Machine:
    def __init__(self, root: Path) -> None:
        self.root = root
        self.tools = root / "tools"
        self.log = root / "apt-get.log"
        self.tools.mkdir()
        for tool in ALWAYS:
            self.link(tool)

    def link(self, tool: str) -> None:
        found = shutil.which(tool)
        assert found, f"this test needs {tool}"
        (self.tools / tool).symlink_to(found)

    def script(self, name: str, text: str) -> None:
        (self.tools / name).unlink(missing_ok=True)
        (self.tools / name).write_text(text)
        (self.tools / name).chmod(0o755)

    def with_apt_get(self) -> None:
        """An apt-get that brings every tool but Rust."""
        real = self.root / "real"
        real.mkdir()
        for tool in ("git", "make", "gcc", "g++", "cc", "c++", "as", "ld", "python3"):
            found = shutil.which(tool)
            assert found, f"this test needs {tool}"
            (real / tool).write_text(found)
        self.link("cat")
        self.script("apt-get", APT_GET.format(log=self.log, tools=self.tools, real=real))

    def configure(self, *options: str, **env: str) -> subprocess.CompletedProcess[str]:
        environment = {name: value for name, value in os.environ.items() if name not in ("CC", "CXX", "CARGO_HOME")}
        environment |= {"PATH": str(self.tools), "HOME": str(self.root), "LIBCLANG_PATH": "/no/such", **env}
        command = ["cmake", "-S", str(ROOT), "-B", str(self.root / "build"), "-G", "Unix Makefiles", *options]
        return subprocess.run(command, env=environment, capture_output=True, text=True, check=False)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


def test_one_message_names_everything_that_is_missing(machine: Machine) -> None:
    result = machine.configure("-DQUICHE_CC_INSTALL_PREREQUISITES=OFF")
    assert result.returncode != 0
    for thing in ("git: ", "make: ", "C compiler: ", "C++ compiler: ", "libclang: ", "Python >= 3.10", "Rust >= 1.88"):
        assert thing in result.stderr
    assert result.stderr.count("CMake Error") == 1
    assert "https://sh.rustup.rs" in result.stderr


def test_the_message_holds_the_command_for_the_packages(machine: Machine) -> None:
    machine.with_apt_get()
    result = machine.configure("-DQUICHE_CC_INSTALL_PREREQUISITES=OFF")
    assert "apt-get install -y --no-install-recommends git make cmake gcc g++ libclang-dev python3 python3-venv" in (
        " ".join(result.stderr.split())
    )
    assert not machine.log.exists()


def test_root_gets_the_packages_installed_and_is_told_before(machine: Machine) -> None:
    machine.with_apt_get()
    machine.script("id", "#!/bin/sh\necho 0\n")
    result = machine.configure()
    assert machine.log.read_text().split("\n")[0] == "apt-get update"
    assert "libclang-dev" in machine.log.read_text()
    assert "Installing with apt-get: git make" in result.stdout
    # This apt-get brought the tools, but neither libclang nor Rust; only those are left to name.
    assert "libclang: " in result.stderr
    assert "Rust >= 1.88" in result.stderr
    assert "git: " not in result.stderr
    assert "compiler: " not in result.stderr


def test_without_root_and_without_sudo_nothing_is_installed(machine: Machine) -> None:
    machine.with_apt_get()
    machine.script("id", "#!/bin/sh\necho 1000\n")
    machine.script("sudo", "#!/bin/sh\nexit 1\n")
    result = machine.configure()
    assert result.returncode != 0
    assert not machine.log.exists()
    assert "sudo apt-get update && sudo apt-get install" in " ".join(result.stderr.split())


def test_an_old_rust_is_told_apart_from_none(machine: Machine) -> None:
    for tool in ("cargo", "rustc"):
        machine.script(tool, f"#!/bin/sh\necho '{tool} 1.70.0 (0000000 2023-06-01)'\n")
    result = machine.configure("-DQUICHE_CC_INSTALL_PREREQUISITES=OFF")
    assert "is 1.70.0" in result.stderr


def test_an_old_python_is_told_apart_from_none(machine: Machine) -> None:
    machine.script("python3", "#!/bin/sh\necho '3.9;/usr/bin/python3'\n")
    result = machine.configure("-DQUICHE_CC_INSTALL_PREREQUISITES=OFF")
    assert "/usr/bin/python3 is 3.9" in result.stderr
