"""What was perhaps meant by a name that is not known: of a file, or of an event."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path

TRACES = (".sqlog", ".qlog", ".qlogseq")
"""With `.gz` and `.zst` after them as well."""


def instead_of(path: Path) -> str:
    """For a path that cannot be opened; nothing where it may not be looked."""
    try:
        return _instead_of(path)
    except OSError:
        return ""


def _instead_of(path: Path) -> str:
    if path.is_dir():
        names = sorted(p.name for p in path.iterdir() if is_trace(p.name))
        return f": give its files, as {path / names[0]}" if names else ", and no trace is in it"
    if path.exists() or path.is_symlink() or not path.parent.is_dir():
        return ""
    near = get_close_matches(path.name, (p.name for p in path.parent.iterdir()), 1, 0.75)
    return f"; did you mean {path.parent / near[0]}?" if near else ""


def is_folder(path: Path) -> bool:
    """Not known of what may not be looked at, or has too long a name."""
    try:
        return path.is_dir()
    except OSError:
        return False


def similar_events(seen: list[str]) -> str:
    """Of events that are not known, those whose names come near to the ones that everything rests on."""
    known = [f"{category}:packet_{what}" for category in ("quic", "transport") for what in ("sent", "received")]
    for name in seen:
        near = get_close_matches(name.lower(), known, 1, 0.7)
        if near:
            return f"; is `{name}` meant to be `{near[0]}`?"
    return ""


def is_trace(name: str) -> bool:
    return name.removesuffix(".gz").removesuffix(".zst").endswith(TRACES)
