"""Servers and clients as processes, and what the kernel says of them."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "interop" / "testbed"))

from percentiles import percentile as percentile
from testbed import STOP_TIMEOUT as STOP_TIMEOUT
from testbed import Program as Program
from testbed import TestbedError as TestbedError

ROOT = Path(__file__).resolve().parents[2]
PROGRAMS = Path(os.environ.get("QUICHE_CC_BIN_DIR", ROOT / "build" / "bin"))
_TICKS = os.sysconf("SC_CLK_TCK")


class Machine:
    """How much of its processors other programs took from now on."""

    def __init__(self) -> None:
        self._begin = self._now()

    @staticmethod
    def _now() -> tuple[float, float, float]:
        """Seconds that all processors were busy, that they had in all, and those that ours took."""
        words = Path("/proc/stat").read_text(encoding="ascii").splitlines()[0].split()[1:9]
        user, nice, system, idle, waiting, *interrupts = (int(word) / _TICKS for word in words)
        busy = user + nice + system + sum(interrupts)
        used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return busy, busy + idle + waiting, sum(one.ru_utime + one.ru_stime for one in used)

    def sentence(self) -> str:
        busy, there, ours = (now - then for now, then in zip(self._now(), self._begin, strict=True))
        others = max(busy - ours, 0) / there
        share = f"{others:.0%}".replace("%", " %")
        return f"{os.cpu_count()} processors; other programs took {share} of them meanwhile."


def memory(pid: int, field: str = "VmHWM") -> int:
    """In bytes: the most that it has had so far, or with `VmRSS` what it has now."""
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    line = next(line for line in status.splitlines() if line.startswith(f"{field}:"))
    return int(line.split()[1]) * 1024


def processor_s(pid: int) -> float:
    """Processor time that it has used so far, in seconds, of all its threads."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii", errors="replace").rpartition(") ")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


def stopped(server: Program) -> list[dict[str, Any]]:
    """Ends a cc-server in good order; the lines that it printed which nobody has read yet."""
    server.process.terminate()
    lines: list[dict[str, Any]] = []
    while (line := server.lines.get(timeout=STOP_TIMEOUT)) is not None:
        lines.append(json.loads(line))
    if code := server.process.wait(STOP_TIMEOUT):
        raise TestbedError(f"{server.name} ended with {code}:\n{server.errors()}")
    return lines


def client(programs: Path, timeout: float, port: str, path: str) -> Sequence[str]:
    """A download whose content nobody keeps."""
    words = ["--json", "--null", "--no-progress", "--insecure", "--connect-timeout", "60"]
    return [str(programs / "cc-client"), *words, "--timeout", f"{timeout:.0f}", f"https://127.0.0.1:{port}{path}"]


def all_fetched(commands: Sequence[Sequence[str]], timeout: float) -> list[dict[str, Any]]:
    """The downloads of clients that run at the same time; they are ended where one takes too long or fails."""
    clients = [subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) for words in commands]
    try:
        return [_fetched(one, timeout + 30) for one in clients]
    except subprocess.TimeoutExpired as error:
        raise TestbedError(f"a client took more than {timeout:g} s (--timeout)") from error
    finally:
        for one in clients:
            if one.poll() is None:
                one.kill()
            one.wait()


def _fetched(process: subprocess.Popen[bytes], timeout: float) -> dict[str, Any]:
    out, _ = process.communicate(timeout=timeout)
    if process.returncode != 0:
        raise TestbedError(f"a client ended with {process.returncode}: {out[-500:].decode(errors='replace')}")
    download: dict[str, Any] = json.loads(out)["connections"][0]["downloads"][0]
    return download
