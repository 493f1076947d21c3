"""The patched tree that cargo builds: written whole, rewritten only where it changed.

`build/quiche/.series.json` records the inputs that the tree was made from (the stamp) and
the hash of every file written, so that a second run does nothing, and edits made by hand are
seen before they would be lost.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path

from common import SeriesError, Tree, read_tree, sha256, write_tree
from patchfile import Patch
from worktree import apply_patch

MANIFEST = ".series.json"


def patched(tree: Tree, patches: Mapping[str, Patch], scratch: Path) -> Tree:
    write_tree(scratch, tree)
    for name, patch in patches.items():
        apply_patch(scratch, name, patch)
    return read_tree(scratch)


def update(target: Path, stamp: str, make: Callable[[], Tree], force: bool) -> str:
    """Bring `target` to what `make` returns, if `stamp` is not what it was made from.

    Returns what was done, in a line.
    """
    manifest = read_manifest(target)
    current = read_tree(target, skip=frozenset({MANIFEST})) if target.is_dir() else {}
    edited = edits(current, manifest)
    if manifest.get("stamp") == stamp and not force:
        note = f"; edited by hand and left so: {', '.join(edited)}" if edited else ""
        return f"{target} is up to date{note}"
    tree = make()
    # An edit that the series says as well is not lost by applying the series.
    lost = {name: what for name, what in edited.items() if current.get(name) != tree.get(name)}
    if lost and not force:
        raise SeriesError(
            f"{target} was changed by hand, and applying the patch series would lose that:\n"
            + "".join(f"  {what} {name}\n" for name, what in lost.items())
            + "Bring the edits into the series (patches/quiche/README.md), or drop them with\n"
            f"  python3 patches/series.py apply --force --to {target}"
        )
    replace(target, tree, current, stamp)
    changed = sorted(name for name in tree.keys() | current.keys() if tree.get(name) != current.get(name))
    return f"{target}: {len(tree)} files, {len(changed)} of them new or changed"


def read_manifest(target: Path) -> dict[str, object]:
    try:
        content = json.loads((target / MANIFEST).read_text())
    except (FileNotFoundError, NotADirectoryError, ValueError):
        return {}
    return content if isinstance(content, dict) else {}


def edits(current: Tree, manifest: Mapping[str, object]) -> dict[str, str]:
    """What somebody did to the tree since it was written: file to added, deleted or changed."""
    files = manifest.get("files")
    written: dict[str, str] = files if isinstance(files, dict) else {}
    now = {name: sha256(data) for name, data in current.items()}
    word = {(True, False): "added", (False, True): "deleted", (True, True): "changed"}
    return {
        name: word[name in now, name in written]
        for name in sorted(now.keys() | written.keys())
        if now.get(name) != written.get(name)
    }


def replace(target: Path, tree: Tree, current: Tree, stamp: str) -> None:
    """Write the tree beside `target` and swap the two: an interrupted run leaves no half tree.

    Files that stay as they are keep their times, so that cargo rebuilds for the others only.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{target.name}-", dir=target.parent) as folder:
        fresh, old = Path(folder) / "new", Path(folder) / "old"
        fresh.mkdir()
        write_tree(fresh, tree)
        for name, data in tree.items():
            if current.get(name) == data:
                shutil.copystat(target / name, fresh / name)
        manifest = {"stamp": stamp, "files": {name: sha256(data) for name, data in sorted(tree.items())}}
        (fresh / MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n")
        if target.exists():
            target.replace(old)
        fresh.replace(target)
