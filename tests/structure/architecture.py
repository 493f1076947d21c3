"""The maps of ARCHITECTURE.md, held against the tree: folders of the repository, modules of `hybrid`."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "ARCHITECTURE.md"
DIRECTORIES, MODULES = "## Directories", "### Inside `controllers/hybrid`"
WHOLE = ("tests", "interop")
"""Every folder of these has a line."""
HYBRID = "cc/src/controllers/hybrid/"
CODE = re.compile(r"`([^`]+)`")


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.splitlines()


def rows(text: str, heading: str) -> list[tuple[list[str], list[str]]]:
    """What the first two columns of the tables below a heading name."""
    _, _, rest = text.partition(f"\n{heading}\n")
    level = heading.split(" ")[0]
    section = re.split(rf"\n#{{1,{len(level)}}} ", rest)[0]
    cells = [line.split(" | ") for line in section.splitlines() if line.startswith("| ")]
    return [(CODE.findall(row[0]), CODE.findall(row[1])) for row in cells]


def folders(files: Iterable[str]) -> set[str]:
    """Of these files, with those above them; each ends with a slash."""
    return {f"{parent.as_posix()}/" for file in files for parent in Path(file).parents if parent != Path()}


def differences(named: set[str], needed: set[str], there: set[str]) -> list[str]:
    gone = [f"{name} is on the map and not in the tree" for name in sorted(named - there)]
    return gone + [f"{name} has no line on the map" for name in sorted(needed - named)]


def wrong_folders(text: str, files: Iterable[str]) -> list[str]:
    there = folders(files)
    named = {name for first, _ in rows(text, DIRECTORIES) for name in first if name.endswith("/")}
    top = {name for name in there if name.count("/") == 1 and not name.startswith(".")}
    inside = {name for name in there if name.count("/") == 2 and name.startswith(tuple(f"{one}/" for one in WHOLE))}
    return differences(named, (top - {f"{one}/" for one in WHOLE}) | inside, there)


def wrong_modules(text: str, files: Iterable[str]) -> list[str]:
    """A folder's modules stand in the second column."""
    own = {file.removeprefix(HYBRID).removesuffix(".rs") for file in files if file.startswith(HYBRID)}
    own = {name for name in own if not name.startswith("tests") and not name.endswith("/mod")}
    named: set[str] = set()
    for first, second in rows(text, MODULES):
        named |= {name.removesuffix(".rs") for name in first if name.endswith(".rs")}
        named |= {f"{folder}{name}" for folder in first if folder.endswith("/") for name in second}
    return differences(named, own, own)
