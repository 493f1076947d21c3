"""A requirements file with the hashes of all archives of every version, so that it holds on any platform."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Sequence

INDEX = "https://pypi.org/simple/"
_TIMEOUT = 60.0


def lock(roots: Sequence[str]) -> str:
    """What `pip` chooses today for `roots` and what they need."""
    asked = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--ignore-installed",
        "--quiet",
        "--report",
        "-",
        *roots,
    ]
    report = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
    chosen = sorted((item["metadata"]["name"], item["metadata"]["version"]) for item in report["install"])
    lines = [f"# {' '.join(roots)}; made by `run.py lock`"]
    for name, version in chosen:
        hashes = _hashes(name, version)
        lines.append(f"{name}=={version} " + " ".join(f"--hash=sha256:{sha256}" for sha256 in hashes))
    return "\n".join(lines) + "\n"


def _hashes(name: str, version: str) -> list[str]:
    parts = re.split(r"[-_.]+", name.lower())
    with urllib.request.urlopen(f"{INDEX}{'-'.join(parts)}/", timeout=_TIMEOUT) as answer:
        page = answer.read().decode()
    file = rf"/{'[-_.]'.join(parts)}-{re.escape(version)}(?:-[^/]*\.whl|\.tar\.gz)"
    return sorted(set(re.findall(rf"{file}#sha256=([0-9a-f]{{64}})", page, re.IGNORECASE)))
