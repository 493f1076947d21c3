"""Steps of a release: each says what it does, how long it took, and on failure what its program said."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LIMIT_S = 3600.0
TOLD = 3000
"""Characters of a failed program's output that are shown."""


class Failure(Exception):
    """What stops a release, in words for the person who makes it."""


@dataclass
class Report:
    """What was done, for the summary."""

    steps: list[tuple[str, float]] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)

    @contextmanager
    def step(self, what: str) -> Iterator[None]:
        print(f"{what} ...", flush=True)
        start = time.monotonic()
        yield
        seconds = time.monotonic() - start
        self.steps.append((what, seconds))
        print(f"  {seconds:.1f} s", flush=True)

    def fact(self, what: str) -> None:
        self.facts.append(what)
        print(f"  {what}", flush=True)


def run(*command: object, env: Mapping[str, str] | None = None, cwd: Path = ROOT, limit: float = LIMIT_S) -> str:
    """What the program prints on standard output; a Failure with the end of all of it if it does not end with 0."""
    code, said, error = attempt(*command, env=env, cwd=cwd, limit=limit)
    if code != 0:
        words = " ".join(str(word) for word in command)
        raise Failure(f"{words}\nended with {code}:\n{(said + error)[-TOLD:]}")
    return said


def attempt(
    *command: object, env: Mapping[str, str] | None = None, cwd: Path = ROOT, limit: float = LIMIT_S
) -> tuple[int, str, str]:
    """Exit code, standard output and standard error."""
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words,
            env=os.environ | dict(env or {}),
            cwd=cwd,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=limit,
            check=False,
        )
    except FileNotFoundError:
        raise Failure(f"{words[0]} is not installed; docs/guides/release.md says what a release needs") from None
    except subprocess.TimeoutExpired:
        raise Failure(f"{' '.join(words)} was not done after {limit:.0f} s") from None
    return done.returncode, done.stdout, done.stderr


def main_of(error: Failure) -> int:
    """The exit code of a program that failed, which is said."""
    print(f"\nno release: {error}", file=sys.stderr)
    return 1
