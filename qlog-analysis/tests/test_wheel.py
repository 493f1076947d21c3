"""The wheel works alone: with what it says that it needs, without Rust, and without what else this machine has."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import venv
import zipfile
from importlib.metadata import Distribution, distribution
from pathlib import Path as FilePath

import tracewriter
from made import made

PROJECT = FilePath(__file__).parents[1]


def run(*command: object, **more: str) -> str:
    words = [str(word) for word in command]
    # Only these variables: no PYTHONPATH, and no cargo in the PATH.
    done = subprocess.run(words, env={"PATH": "/usr/bin:/bin", **more}, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(words)}: {done.stderr}"
    return done.stdout


def needed(requirements: list[str], found: dict[str, Distribution]) -> dict[str, Distribution]:
    """Distributions that these are, without extras, and those that they need."""
    for line in requirements:
        name = re.split(r"[^\w.-]", line, maxsplit=1)[0].lower()
        if name not in found and not re.search(r"extra ==|python_version|sys_platform", line):
            found[name] = distribution(name)
            needed(found[name].requires or [], found)
    return found


def lend(wheel: FilePath, to: FilePath) -> None:
    """Links what the wheel says that it needs into a folder of packages: nothing is fetched."""
    with zipfile.ZipFile(wheel) as packed:
        (metadata,) = (name for name in packed.namelist() if name.endswith(".dist-info/METADATA"))
        told = re.findall(r"^Requires-Dist: (.*)$", packed.read(metadata).decode(), re.MULTILINE)
    for one in needed(told, {}).values():
        for top in {f.parts[0] for f in one.files or []} - {"..", "__pycache__"}:
            (to / top).symlink_to(str(one.locate_file(top)))


def test_the_wheel_is_made_without_a_network_and_measures_a_trace_without_rust(tmp_path: FilePath) -> None:
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check")
    copy = tmp_path / "source"
    run("cp", "-r", PROJECT, copy, "--dereference")  # setuptools writes beside the sources
    offline = ("--no-index", "--no-deps", "--quiet")
    run(*pip, "wheel", *offline, "--no-build-isolation", "--wheel-dir", tmp_path, copy, HOME=str(tmp_path))
    (wheel,) = tmp_path.glob("qlog_analysis-*.whl")
    assert wheel.name.endswith("-py3-none-any.whl")

    venv.create(tmp_path / "fresh", with_pip=False, symlinks=True)
    python = tmp_path / "fresh" / "bin" / "python"
    packages = FilePath(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip())
    lend(wheel, packages)
    run(*pip, "--python", python, "install", *offline, wheel, HOME=str(tmp_path))
    program = tmp_path / "fresh" / "bin" / "qlog-analysis"
    assert "in Python alone" in run(program, "--version")
    trace = tracewriter.write(tmp_path / "one.sqlog", made(duration=1.0))
    assert json.loads(run(program, "metrics", trace, "--json", "-"))["packets_sent"] > 100
    page = tmp_path / "one.html"
    run(program, "explain", trace, "--html", page)  # with the templates, which the wheel has to have
    assert "plotly" in page.read_text()
