"""Runs blocks of commands where they can do no harm: a folder that looks like the repository after a build."""

from __future__ import annotations

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
from contextlib import suppress
from fnmatch import fnmatch
from pathlib import Path

from commands import ROOT, Command, Line, commands
from not_run import NOT_RUN

SERVERS = frozenset({("cc-server",), ("cc-link",), ("cc-encoder", "serve")})
"""Program, and its command if it has several. They run until they are stopped, also if the line ends without `&`."""
REPLACED = {"NAME": "vegas", "TRACE": "traces/one.sqlog", "DIR": "out"}
"""What a reader puts in the place of a word."""
COPIED = frozenset({"patches"})
"""Folders that commands write to; the others are links."""
LIMIT_S = 300


def why_not_run(command: Command) -> str | None:
    """The pattern of NOT_RUN that a command is held back by."""
    text = " ".join(command.words)
    return next((pattern for pattern in NOT_RUN if fnmatch(text, pattern)), None)


def runnable(block: list[Line]) -> list[Line]:
    """The lines of a block that are run; `cd` goes with what it is for."""
    kept = []
    for line, found in by_line(block):
        if not line.is_synopsis and not any(why_not_run(command) for command in found):
            kept.append(line)
    return kept if any(found for line, found in by_line(kept)) else []


def by_line(block: list[Line]) -> list[tuple[Line, list[Command]]]:
    found = list(commands(block))
    return [(line, [command for command in found if command.line is line]) for line in block]


def lay(folder: Path, bin_dir: Path) -> Path:
    """The folder, with the repository's directories, its programs and its Python."""
    root = folder / "repository"
    root.mkdir()
    for path in ROOT.iterdir():
        if path.name in COPIED:
            shutil.copytree(path, root / path.name)
        elif path.name not in ("build", ".git", ".cargo"):
            (root / path.name).symlink_to(path)
    (root / "build" / "venv" / "bin").mkdir(parents=True)
    (root / "build" / "bin").symlink_to(bin_dir)
    python = f'#!/bin/sh\nexec {shlex.quote(sys.executable)} "$@"\n'
    for name in ("python", "python3"):
        path = root / "build" / "venv" / "bin" / name
        path.write_text(python, encoding="utf-8")
        path.chmod(0o755)
    # A recording of a link: when a packet may leave, in ms.
    for name in ("lte.down", "lte.up"):
        (root / name).write_text("".join(f"{ms}\n" for ms in range(1, 1001)), encoding="utf-8")
    (root / "traces").mkdir()
    return root


def serves(command: Command) -> bool:
    words = (command.program, *command.words[1:])
    return any(words[: len(server)] == server for server in SERVERS)


def script(block: list[Line]) -> str:
    """The lines, for bash. A server is waited for until it says that it is ready, and stopped at the end."""
    said = ["set -euo pipefail", "servers=()"]
    for number, (line, found) in enumerate(by_line(block)):
        text = re.sub(r"\b(?:NAME|TRACE|DIR)\b", lambda match: REPLACED[match[0]], line.text)
        programs = {command.program for command in found}
        if any(serves(command) for command in found):
            output = f"server-{number}.txt"
            said.append(f": > {output}  # the block before may have left one that says `ready`")
            said.append(f"{remark_off(text).rstrip('& ')} > {output} & servers+=($!)")
            said.append(f"until grep -q ready {output}; do kill -0 $!; sleep 0.05; done")
        elif "cargo" in programs:
            # Its workspace and what it has compiled are there.
            said.append(f"( cd {shlex.quote(str(ROOT))}; {remark_off(text)} )")
        else:
            said.append(text)
        if "cc-client" in programs:
            said.append("sleep 2  # as long as a person needs for the next line, and the server to end the connection")
    said.append('for server in "${servers[@]}"; do kill -INT $server; wait $server; done')
    return "\n".join(said) + "\n"


def remark_off(text: str) -> str:
    return re.sub(r"\s+#.*", "", text)


def run(block: list[Line], root: Path) -> str:
    """What went wrong; empty if nothing did."""
    path = f"{root}/build/venv/bin:{root}/build/bin:{os.environ['PATH']}"
    process = subprocess.Popen(
        ["bash", "-c", script(block)],
        cwd=root,
        env=os.environ | {"PATH": path},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        output = process.communicate(timeout=LIMIT_S)[0]
    except subprocess.TimeoutExpired as late:
        output = f"not done after {LIMIT_S} s: {late.output!r}"
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    return "" if process.returncode == 0 else f"ended with {process.returncode}\n{output[-3000:]}"
