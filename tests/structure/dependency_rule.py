"""The dependency rule of ARCHITECTURE.md, as a table and a function that reports who breaks it.

`units <- measure <- controllers <- catalogue <- plugin <- (capi, endpoint, lab)`
"""

from __future__ import annotations

from pathlib import Path

from rust_paths import paths

# What each module of cc/src may use besides itself. A new module needs a line here.
MAY_USE: dict[str, frozenset[str]] = {
    "units": frozenset(),
    "feedback": frozenset({"units"}),
    "measure": frozenset({"units", "feedback"}),
    "models": frozenset({"units"}),
    "spec": frozenset({"units"}),
    "estimate": frozenset({"units"}),
    "controller": frozenset({"units", "feedback", "measure", "spec", "estimate"}),
    "controllers": frozenset({"units", "feedback", "measure", "models", "spec", "controller", "estimate"}),
    "catalogue": frozenset({"units", "measure", "spec", "controller", "controllers"}),
}
# These may use everything: the adapter to quiche, and the front page that names all modules.
TOP = frozenset({"plugin", "lib"})

# Only the adapter knows quiche and what comes with it.
QUICHE = frozenset({"quiche", "qlog", "boring"})

# Below the adapter nothing reads a clock, draws randomness that is not seeded, or does I/O.
FORBIDDEN_BELOW_PLUGIN = (
    ("Instant", "now"),
    ("SystemTime",),
    ("thread_rng",),
    ("from_entropy",),
    ("from_os_rng",),
    ("rand", "random"),
    ("rand", "rng"),
    ("getrandom",),
    ("std", "env"),
    ("std", "fs"),
    ("std", "io"),
    ("std", "net"),
    ("std", "process"),
    ("std", "thread"),
)


def module_of(file: Path) -> tuple[str, ...]:
    """`measure/owd.rs` is the module measure::owd; `measure/mod.rs` is measure; `lib.rs` the root."""
    parts = list(file.with_suffix("").parts)
    if parts[-1] == "mod" or parts == ["lib"]:
        parts.pop()
    return tuple(parts)


def violations(file: Path, source: str) -> list[str]:
    """What `source`, at `file` below cc/src, does against the rule; empty if nothing."""
    module = module_of(file)
    top = module[0] if module else "lib"
    if top not in MAY_USE and top not in TOP:
        return [f"{file}: module `{top}` has no line in MAY_USE (tests/structure/dependency_rule.py): state its layer"]
    found = []
    for path in sorted(paths(source, module)):
        shown = "::".join(path)
        inside = path[1] if path[0] == "crate" and len(path) > 1 else top
        if top in MAY_USE and inside != top and inside not in MAY_USE[top]:
            allowed = ", ".join(sorted(MAY_USE[top])) or "nothing"
            found.append(f"{file}: uses {shown}; `{top}` may use {allowed}")
        if top != "plugin" and path[0] in QUICHE:
            found.append(f"{file}: names {shown}; only `plugin` knows {path[0]}")
        if top in MAY_USE:
            found += [
                f"{file}: uses {shown}; below `plugin` there is no clock, no unseeded randomness and no I/O"
                for forbidden in FORBIDDEN_BELOW_PLUGIN
                if contains(path, forbidden)
            ]
    return found


def contains(path: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(path[i : i + len(part)] == part for i in range(len(path)))
