"""Runs cells as processes, some at a time, each in a network namespace of its own where the system allows it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from model import HERE, Role

# What a cell may take beyond its case's time: start and end of programs, decoding, checks of traces.
GRACE = 120.0
_END = 15.0


@dataclass(frozen=True)
class Job:
    kind: str  # "case" or "controllers"
    peer: str
    role: Role
    case: str
    cc: str
    timeout: float

    @property
    def name(self) -> str:
        cc = "".join(letter if letter.isalnum() else "-" for letter in self.cc)
        return f"{self.peer}.{self.role}.{self.case}.{cc}"


class Progress:
    """A line per cell; on a terminal also one that is replaced, with what is under way."""

    def __init__(self, total: int) -> None:
        self.total = total
        self.done: Counter[str] = Counter()
        self.running: list[str] = []
        self.began = time.monotonic()
        self.lock = threading.Lock()

    def start(self, name: str) -> None:
        with self.lock:
            self.running.append(name)
            self._status()

    def finish(self, name: str, result: dict[str, Any]) -> None:
        with self.lock:
            self.running.remove(name)
            verdict = result["verdict"]
            self.done[verdict] += 1
            if verdict == "fail" or not sys.stdout.isatty():
                reason = f": {result['reason'].splitlines()[0][:150]}" if result.get("reason") else ""
                number = sum(self.done.values())
                clear = "\r\x1b[K" if sys.stdout.isatty() else ""
                print(
                    f"{clear}[{number}/{self.total}] {verdict:<11} {name} {result.get('seconds', 0)} s{reason}",
                    flush=True,
                )
            self._status()

    def _status(self) -> None:
        if sys.stdout.isatty():
            counts = ", ".join(f"{count} {verdict}" for verdict, count in self.done.items())
            minutes, seconds = divmod(int(time.monotonic() - self.began), 60)
            text = f"{sum(self.done.values())}/{self.total} {minutes}:{seconds:02} {counts} | {' '.join(self.running)}"
            print(f"\r\x1b[K{text[:120]}", end="", flush=True)


@dataclass
class Scheduler:
    out: Path
    build: Path
    isolated: Sequence[str]
    running: set[subprocess.Popen[bytes]] = field(default_factory=set)

    def run(self, jobs: Sequence[Job], at_once: int, progress: Progress) -> list[dict[str, Any]]:
        def one(job: Job) -> dict[str, Any]:
            progress.start(job.name)
            result = self._cell(job)
            progress.finish(job.name, result)
            return result

        # The long ones first, so that none of them is left alone at the end.
        ordered = sorted(jobs, key=lambda job: -job.timeout)
        pool = ThreadPoolExecutor(at_once)
        try:
            return list(pool.map(one, ordered))
        finally:
            # After an interruption nothing is started any more, and what runs is ended.
            pool.shutdown(wait=False, cancel_futures=True)
            for process in list(self.running):
                _end(process)

    def _cell(self, job: Job) -> dict[str, Any]:
        folder = self.out / "cells" / job.name
        if folder.exists():
            shutil.rmtree(folder)
        folder.mkdir(parents=True)
        specification = folder / "cell.json"
        peers = self.build / "peers"
        what = {
            "kind": job.kind,
            "peer": job.peer,
            "role": job.role,
            "case": job.case,
            "cc": job.cc,
            "folder": str(folder),
            "home": str(peers / job.peer),
            "programs": str(self.build / "bin"),
            "tshark": str(peers / "tshark/bin/tshark"),
            "own_network": bool(self.isolated),
        }
        specification.write_text(json.dumps(what, indent=1) + "\n")
        self._process(folder, specification, job.timeout + GRACE)
        _tidy(folder)
        result = folder / "result.json"
        outcome: dict[str, Any] = (
            json.loads(result.read_text())
            if result.exists()
            else {"verdict": "fail", "reason": f"the cell itself failed: {_last_line(folder / 'cell.log')}"}
        )
        outcome |= {
            "kind": job.kind,
            "peer": job.peer,
            "role": job.role,
            "case": job.case,
            "cc": job.cc,
            "name": job.name,
        }
        result.write_text(json.dumps(outcome, indent=1) + "\n")
        return outcome

    def _process(self, folder: Path, specification: Path, timeout: float) -> None:
        command = [*self.isolated, sys.executable, str(HERE / "cell.py"), str(specification)]
        with (folder / "cell.log").open("wb") as log:
            process = subprocess.Popen(command, stdout=log, stderr=log, start_new_session=True)
            self.running.add(process)
            try:
                process.wait(timeout)
            except subprocess.TimeoutExpired:
                log.write(f"not done within {timeout:.0f} s".encode())
                _end(process)
            finally:
                self.running.discard(process)


def _last_line(log: Path) -> str:
    return (log.read_text(errors="replace").strip().splitlines() or ["it said nothing"])[-1]


def _end(process: subprocess.Popen[bytes]) -> None:
    """A cell stops what it started when it is terminated."""
    for name in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(process.pid, name)
            process.wait(_END)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            continue
    process.wait()


def _tidy(folder: Path) -> None:
    """Leaves what the page links to; files, profiles of browsers and copies of programs go."""
    for name in ("www", "downloads", "client", "server"):
        target = folder / name
        if target.is_dir():
            shutil.rmtree(target)
        else:
            target.unlink(missing_ok=True)
    for name in ("profile", "data", "config"):
        for role in ("client", "server"):
            shutil.rmtree(folder / "logs" / role / name, ignore_errors=True)
