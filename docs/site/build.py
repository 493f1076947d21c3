"""Builds the site: the documents by MkDocs, the crate's API by rustdoc (rust/), the Python API by pdoc (python/).

`cmake --build build --target docs` calls it.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

try:
    from lay_out import ROOT, lay_out
except ModuleNotFoundError as missing:
    sys.exit(f"error: this Python has no {missing.name}; cmake --workflow --preset docs brings a Python that has it")

HERE = Path(__file__).resolve().parent


class Failed(Exception):
    """A step did not work; the text says what to do."""


def step(what: str, command: list[str | Path], quiet: bool = False, **variables: str) -> None:
    """Run a program. One that is `quiet` is heard only if it fails."""
    print(f"{what} ...", flush=True)
    environment: Mapping[str, str] = os.environ | variables
    try:
        done = subprocess.run(
            command,
            cwd=ROOT,
            env=environment,
            check=False,
            text=True,
            stdout=subprocess.PIPE if quiet else None,
            stderr=subprocess.STDOUT if quiet else None,
        )
    except FileNotFoundError:
        raise Failed(f"{what}: there is no program {command[0]}") from None
    if done.returncode:
        raise Failed(f"{what}: {command[0]} ended with {done.returncode}\n{done.stdout or ''}")


def rust(build: Path, cargo: str, source: Path) -> None:
    if not (build / "quiche" / "Cargo.toml").exists():
        raise Failed(
            f"there is no patched quiche in {build}/quiche, which cargo's workspace names; "
            "run python3 patches/series.py apply --to build/quiche"
        )
    # Without quiche, and so without BoringSSL; in a folder of its own, so that cargo's lock holds up no test.
    made = build / "site-rust"
    what: list[str | Path] = ["--no-deps", "--locked", "-p", "quiche-cc", "--no-default-features", "--target-dir", made]
    # Without quiche there are no items of the adapter that a link could lead to.
    allowed = "-A rustdoc::broken-intra-doc-links -A rustdoc::private-intra-doc-links"
    step("Rust API", [cargo, "doc", *what], RUSTDOCFLAGS=f"-D warnings {allowed}")
    shutil.copytree(made / "doc", source / "rust", ignore=shutil.ignore_patterns(".*"))
    for page in (source / "rust").rglob("*.md"):
        page.rename(page.with_suffix(".txt"))  # the licence of a font is no page


def python(source: Path) -> None:
    # Quiet: pdoc warns of annotations that it shows as they are written.
    command: list[str | Path] = [
        sys.executable,
        "-m",
        "pdoc",
        "--no-show-source",
        "-o",
        source / "python",
        "qlog_analysis",
    ]
    step("Python API", command, quiet=True, PYTHONPATH=str(ROOT / "qlog-analysis" / "src"))


def site(build: Path, out: Path, cargo: str) -> None:
    source = out.with_name(f"{out.name}-source")
    print("Documents ...", flush=True)
    lay_out(source)
    rust(build, cargo, source)
    python(source)
    command: list[str | Path] = [sys.executable, "-m", "mkdocs", "build", "--strict", "--clean"]
    command += ["--config-file", HERE / "mkdocs.yml", "--site-dir", out]
    # Not with its own --quiet, with which no warning is counted, so that --strict lets broken links pass.
    step("Site", command, quiet=True, QUICHE_CC_SITE_SOURCE=str(source))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=ROOT / "build", help="where the patched quiche lies")
    parser.add_argument("--out", type=Path, help="default: the folder `site` of --build-dir")
    parser.add_argument("--cargo", default=os.environ.get("CARGO", "cargo"))
    arguments = parser.parse_args()
    build = arguments.build_dir.resolve()
    out = (arguments.out or build / "site").resolve()
    try:
        site(build, out, arguments.cargo)
    except Failed as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    print(f"{out}/index.html\nWith search: python3 -m http.server --directory {out} --bind 127.0.0.1 8000")
    return 0


if __name__ == "__main__":
    sys.exit(main())
