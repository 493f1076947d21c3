"""Builds the C library of the quiche release that the patches apply to, without them: build.py CARGO TARGET_DIR OUT.

OUT gets `lib/libquiche.so.0`, `lib/libquiche.a` and `include/quiche.h`, as links. BoringSSL comes from what is
already in TARGET_DIR.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parents[2]


def release() -> str:
    pin = (ROOT / "patches" / "quiche" / "UPSTREAM").read_text()
    return next(line.split()[1] for line in pin.splitlines() if line.startswith("version: "))


def wishes() -> str:
    manifest = (ROOT / "cc" / "Cargo.toml").read_text()
    section = manifest.split("[build-dependencies]\n")[1].split("\n[")[0]
    return re.sub(r",? optional = true", "", section).strip()


def project(folder: Path) -> None:
    """A package of its own, with the versions of the workspace's lock file."""
    folder.mkdir(parents=True, exist_ok=True)
    manifest = (HERE / "Cargo.toml").read_text().replace("@VERSION@", release()).replace("@WISHES@", wishes())
    write(folder / "Cargo.toml", manifest)
    write(folder / "lib.rs", (HERE / "lib.rs").read_text())
    # cargo completes the lock file, for which it asks the registry: only after a change.
    lock = (ROOT / "Cargo.lock").read_text()
    if write(folder / "workspace.lock", lock):
        (folder / "Cargo.lock").write_text(lock)


def write(file: Path, text: str) -> bool:
    """Whether the file was another before: cargo builds anew what is newer."""
    if file.exists() and file.read_text() == text:
        return False
    file.write_text(text)
    return True


def build(cargo: str, target: Path, folder: Path) -> dict[str, Path]:
    """What was built, by the place where it belongs."""
    command = [cargo, "build", "--release", "--target-dir", str(target), "--message-format=json-render-diagnostics"]
    output = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True).stdout
    for line in output.splitlines():
        message = json.loads(line)
        if message["reason"] == "compiler-artifact" and message["target"]["name"] == "quiche":
            manifest = Path(message["manifest_path"])
            if target in manifest.parents or ROOT in manifest.parents:
                raise SystemExit(f"{manifest} is not the published quiche")
            built = {Path(file).suffix: Path(file) for file in message["filenames"]}
            header = manifest.parent / "include" / "quiche.h"
            return {"lib/libquiche.so.0": built[".so"], "lib/libquiche.a": built[".a"], "include/quiche.h": header}
    raise SystemExit("cargo built no libquiche")


def main() -> None:
    cargo, target, out = sys.argv[1], Path(sys.argv[2]).resolve(), Path(sys.argv[3]).resolve()
    project(out / "package")
    for name, source in build(cargo, target, out / "package").items():
        place = out / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.unlink(missing_ok=True)
        place.symlink_to(source)


if __name__ == "__main__":
    main()
