"""Network namespaces of one's own, as root or as root of a user namespace."""

from __future__ import annotations

import shutil
import subprocess


def isolation() -> list[str]:
    """The command that puts another one into new namespaces of network and processes, or nothing.

    With its first process everything ends that it started.
    """
    unshare = shutil.which("unshare")
    spaces = ["--net", "--pid", "--fork", "--kill-child"]
    for options in (spaces, ["--map-root-user", *spaces]):
        if unshare and subprocess.run([unshare, *options, "true"], capture_output=True, check=False).returncode == 0:
            return [unshare, *options]
    return []
