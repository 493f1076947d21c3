"""An empty Debian: a root made of nothing but packages, of the release and from the archives that this machine uses."""

from __future__ import annotations

import re
import shutil
from collections.abc import Sequence
from pathlib import Path

from steps import TOLD, Failure, attempt, run

SOURCES = Path("/etc/apt")
MOUNTS = Path("/proc/self/mounts")


def delete(folder: Path) -> None:
    """A folder that had mounts of namespaces in it. One that is still there would have what it shows deleted."""
    mounted = [line.split()[1] for line in MOUNTS.read_text(encoding="utf-8").splitlines()]
    if below := [place for place in mounted if place.startswith(f"{folder}/")]:
        raise Failure(f"{folder} is kept, because something is mounted below it: {', '.join(below)}")
    if folder.exists():
        shutil.rmtree(folder)


def codename(os_release: Path = Path("/etc/os-release")) -> str:
    found = re.search(r"^VERSION_CODENAME=(\S+)$", os_release.read_text(encoding="utf-8"), re.MULTILINE)
    if not found:
        raise Failure("this system's release has no name in /etc/os-release; packages are tried on Debian and the like")
    return found[1]


def archives(release: str, folder: Path = SOURCES) -> list[Path]:
    """This machine's lists of archives that have the release itself; not those of others for single programs."""
    lists = [folder / "sources.list", *sorted((folder / "sources.list.d").glob("*.list"))]
    lists += sorted((folder / "sources.list.d").glob("*.sources"))
    named = re.compile(rf"^(?:Suites:|deb\s)(?:.*\s)?{re.escape(release)}(?:\s|$)", re.MULTILINE)
    found = [path for path in lists if path.exists() and named.search(path.read_text(encoding="utf-8"))]
    if not found:
        raise Failure(f"no list of archives in {folder} has {release}")
    return found


def make_root(to: Path, packages: Sequence[str] = ()) -> None:
    """A folder, or an archive if its name ends so. apt is in it, with the same archives."""
    if shutil.which("mmdebstrap") is None:
        raise Failure("mmdebstrap is not installed; docs/guides/release.md says what a release needs")
    release = codename()
    include = [f"--include={','.join(packages)}"] if packages else []
    # The root is gone soon, so nothing waits for the disk.
    fast = "--dpkgopt=force-unsafe-io"
    run("mmdebstrap", "--quiet", "--variant=apt", fast, *include, release, to, *archives(release))


# Mounts go with the namespace, and processes with its first one. The root sees no network but its own loopback unless
# packages are fetched.
ENTER = """
set -e
root=$1 script=$2 network=$3
[ "$network" = host ] || ip link set lo up
mount --bind /etc/resolv.conf "$root/etc/resolv.conf"
mount -t proc proc "$root/proc"
mount --rbind /dev "$root/dev"
exec chroot "$root" env -i HOME=/root LANG=C.UTF-8 DEBIAN_FRONTEND=noninteractive \
  PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin bash -euo pipefail -c "$script"
"""
# Notes of apt and dpkg, and what programs of Debian make for themselves.
NOTES = ("/etc/ld.so.cache", "/var/cache/", "/var/lib/apt/", "/var/lib/dpkg/", "/var/log/")


class Root:
    """An empty Debian in a folder, and commands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.remove()
        folder.parent.mkdir(parents=True, exist_ok=True)
        make_root(folder)
        (folder / "etc" / "resolv.conf").touch()

    def remove(self) -> None:
        delete(self.folder)

    def run(self, script: str, network: str = "none", limit: float = 600) -> str:
        spaces = ["unshare", "--mount", "--pid", "--fork", "--kill-child"] + (["--net"] if network != "host" else [])
        code, said, error = attempt(*spaces, "sh", "-c", ENTER, "enter", self.folder, script, network, limit=limit)
        if code != 0:
            raise Failure(f"in the empty Debian this ended with {code}:\n{script}\n{(said + error)[-TOLD:]}")
        return said

    def install(self, *packages: str) -> None:
        """With what they need, and nothing that they recommend."""
        self.run(f"apt-get -qq update && apt-get -qq -y --no-install-recommends install {' '.join(packages)}", "host")

    def files(self, without: str) -> set[str]:
        """All files and folders but notes and the folder `without`."""
        listed = self.run("find / -xdev -path /proc -prune -o -path /dev -prune -o -print").splitlines()
        return {path for path in listed if not path.startswith((*NOTES, without))}
