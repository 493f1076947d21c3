"""What a command names has to exist: presets, targets, labels, packages, scripts, options, files."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from commands import OWN, ROOT, Command

BUILT = OWN - {"qlog-analysis"}
"""Programs that have to be built before they can say which options they have."""
OTHERS = frozenset({"cc", "cpack", "dask", "docker", "git", "mypy", "openssl", "pip", "ruff"})
"""Programs of others. Only the files in their commands are looked at."""
PLACEHOLDER = re.compile(r"[A-Z][A-Z_.]*|\{\w+\}|\$\w+")
"""A word that the reader replaces: DIR, TRACE, HERE, or a variable."""

_DIRECTORIES = tuple(path.name for path in ROOT.iterdir() if path.is_dir() and path.name not in ("build", ".git"))
_CMAKE = "\n".join(path.read_text(encoding="utf-8") for path in [ROOT / "CMakeLists.txt", *ROOT.glob("cmake/*.cmake")])
_PRESETS = json.loads((ROOT / "CMakePresets.json").read_text(encoding="utf-8"))


def problems(command: Command, bin_dir: Path | None = None) -> list[str]:
    """What is wrong with a command. Without `bin_dir` nothing is said of the options of built programs."""
    check = CHECKS.get(command.program)
    found = list(files(command))
    if check:
        found += check(command)
    elif command.program in OWN:
        if command.program not in BUILT:
            found += of_program(command, (sys.executable, "-m", "qlog_analysis"))
        elif bin_dir:
            found += of_program(command, (str(bin_dir / command.program),))
    elif (
        Path(command.program).name not in OTHERS
        and not PLACEHOLDER.fullmatch(command.program)
        and not made(command.words[0])
    ):
        found.append(f"there is no program {command.program}")
    return found


def made(path: str) -> bool:
    """What only a build for long makes; tests/docs/not_run.py says which."""
    return path.startswith(("build/fuzz/", "build/tokio-quiche/"))


def files(command: Command) -> Iterator[str]:
    """Every word that begins like a path of the repository."""
    for word in command.words:
        path = word.rpartition("=")[2]
        top = path.removeprefix("./").partition("/")[0]
        # In the root of the repository; elsewhere a folder may have the same name.
        if "/" in path and top in _DIRECTORIES and command.folder == "." and not (ROOT / path).exists():
            yield f"there is no {path}"


def value(words: tuple[str, ...], *names: str) -> str | None:
    for name, following in zip(words, [*words[1:], ""], strict=True):
        if name in names:
            return following
    return None


def cmake(command: Command) -> Iterator[str]:
    words = command.words
    if "--install" in words:
        part = value(words, "--component")
        if part not in re.findall(r"CMAKE_INSTALL_DEFAULT_COMPONENT_NAME ([\w-]+)", _CMAKE):
            yield f"there is no component {part}"
        return
    kind = "workflow" if "--workflow" in words else "build" if "--build" in words else "configure"
    preset = value(words, "--preset")
    if preset and preset not in [entry["name"] for entry in _PRESETS[f"{kind}Presets"]]:
        yield f"there is no preset {preset} to {kind}"
    target = value(words, "--target")
    if target and target not in re.findall(r"add_custom_target\(([\w-]+)", _CMAKE):
        yield f"there is no target {target}"
    option = value(words, "-D")
    if option and not re.search(rf"(?:option|set)\({option.partition('=')[0]}\b", _CMAKE):
        yield f"there is no option {option}"


def ctest(command: Command) -> Iterator[str]:
    words = command.words
    label = value(words, "-L")
    labels = re.findall(r"\b(?:LABEL|TIER) ([a-z][\w-]*)", _CMAKE)
    if label and not PLACEHOLDER.fullmatch(label) and label not in labels:
        yield f"no test has the label {label}"
    name = value(words, "-R")
    if name and not any(re.search(name, test) for test in ctests()):
        yield f"no test is called {name}"
    preset = value(words, "--preset")
    if preset and preset not in [entry["name"] for entry in _PRESETS["testPresets"]]:
        yield f"there is no preset {preset} to test"


def ctests() -> list[str]:
    return re.findall(r"quiche_cc_(?:cargo_)?(?:test|lint)\(([\w-]+)", _CMAKE)


@cache
def packages() -> dict[str, Path]:
    """The workspace's packages, and quiche, which is patched."""
    named = {}
    for manifest in [*ROOT.glob("*/Cargo.toml"), *ROOT.glob("*/*/Cargo.toml")]:
        name = re.search(r'^\[package\]\nname = "([^"]+)"', manifest.read_text(encoding="utf-8"), re.MULTILINE)
        if name and "build" not in manifest.relative_to(ROOT).parts:
            named[name[1]] = manifest.parent
    return named


def cargo(command: Command) -> Iterator[str]:
    words = command.words
    yield from unknown(words[2:], options((os.environ.get("CARGO", "cargo"), words[1]), "--help"))
    package = value(words, "-p", "--package")
    if package and package not in {*packages(), "quiche"}:
        yield f"there is no package {package}"
        return
    folder = packages().get(package or "")
    if folder is None:
        return
    for option, place in (("--example", "examples"), ("--test", "tests"), ("--bin", "src/bin")):
        name = value(words, option)
        if name and not any((folder / place / path).exists() for path in (f"{name}.rs", f"{name}/main.rs")):
            yield f"{package} has no {name} in {place}"
    for feature in filter(None, (value(words, "--features") or "").split(",")):
        if not re.search(rf"^{feature} = \[", (folder / "Cargo.toml").read_text("utf-8"), re.MULTILINE):
            yield f"{package} has no feature {feature}"


def python(command: Command) -> Iterator[str]:
    words, folder = command.words, ROOT / command.folder
    if words[1] == "-c":
        compile(words[2], str(command.line), "exec")
        return
    module = words[1] == "-m"
    start = words[1:3] if module else words[1:2]
    if not module and not (folder / start[0]).is_file():
        yield f"there is no script {start[0]} in {command.folder}"
    elif module or "argparse" in (folder / start[0]).read_text(encoding="utf-8"):
        path = re.findall(r"\bPYTHONPATH=\S+", command.line.text)[:1]
        yield from of_program(command, ("env", *path, sys.executable, *start), 1 + len(start), folder)


def of_program(command: Command, start: tuple[str, ...], skip: int = 1, folder: Path = ROOT) -> Iterator[str]:
    """A program that has --help, and may have subcommands with a --help of their own."""
    words = command.words[skip:]
    said = text_of((*start, "--help"), folder)
    known, named = named_options(said), subcommands(said)
    if named:
        chosen = next((word for word in words if word in named), None)
        # Options of the program's own, as `--version`, need no command.
        if chosen is None and not known & set(words):
            yield f"{' '.join(command.words[:skip])} has no such command; there are {', '.join(sorted(named))}"
            return
        if chosen:
            known |= options((*start, chosen), "--help", folder)
    yield from unknown(words, known)


def subcommands(said: str) -> set[str]:
    """As clap lists them, and argparse."""
    listed = re.search(r"^Commands:\n((?:  .*\n)+)", said, re.MULTILINE)
    if listed:
        return set(re.findall(r"^  ([a-z][\w-]*)", listed[1], re.MULTILINE))
    braces = re.search(r"^(?:positional arguments:\n)?  \{([\w,-]+)\}", said, re.MULTILINE)
    if braces:
        return set(braces[1].split(","))
    metavar = re.search(r"^(?:positional arguments|commands):\n  [A-Z]+\n((?:    .*\n)+)", said, re.MULTILINE)
    return set(re.findall(r"^    ([a-z][\w-]*)", metavar[1], re.MULTILINE)) if metavar else set()


def unknown(words: tuple[str, ...], known: set[str]) -> Iterator[str]:
    for word in words:
        if word == "--":
            return
        name = word.partition("=")[0]
        if re.fullmatch(r"--?[a-zA-Z][\w-]*", name) and name not in known:
            yield f"there is no option {name}"


def options(start: tuple[str, ...], ask: str, folder: Path = ROOT) -> set[str]:
    return named_options(text_of((*start, ask), folder))


def named_options(said: str) -> set[str]:
    return {"--help", *re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", said)}


@cache
def text_of(command: tuple[str, ...], folder: Path) -> str:
    environment = os.environ | {"COLUMNS": "100", "CARGO_TERM_COLOR": "never", "PAGER": "cat", "MANPAGER": "cat"}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}: {done.stderr}"
    return done.stdout


CHECKS: dict[str, Callable[[Command], Iterator[str]]] = {
    "cmake": cmake,
    "ctest": ctest,
    "cargo": cargo,
    "python": python,
}
