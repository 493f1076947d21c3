"""The page of the matrix, in HTML with links to what each cell left, and in Markdown and SVG for the documentation."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
from model import HERE, ROLES, Case, Controllers, Data, Peer, Role

RED, KNOWN = "fail", "known"
_SYMBOLS = {"pass": "✓", RED: "✗", KNOWN: "✗", "unsupported": "·", "not installed": "?"}
_COLOURS = {"pass": "#2e7d32", RED: "#c62828", KNOWN: "#e08a00", "unsupported": "#9e9e9e", "not installed": "#cfd8dc"}
# What a cell may have left, in the order of the links.
_LEFT = (
    ("capture", "capture.pcapng"),
    ("link", "link.jsonl"),
    ("record", "link.parquet"),
    ("our keys", "logs/{ours}/keys.log"),
    ("our qlog", "logs/{ours}/qlog/*.sqlog"),
    ("check", "logs/{ours}/qlog/*.check.json"),
    ("client's log", "logs/client/client.log"),
    ("server's log", "logs/server/server.log"),
    ("client's output", "logs/client/output.log"),
    ("server's output", "logs/server/output.log"),
    ("peer's qlog", "logs/{theirs}/qlog/*"),
)


@dataclass(frozen=True)
class Field:
    """One field of the page."""

    verdict: str
    reason: str
    check: str
    links: Sequence[tuple[str, str]]
    result: Mapping[str, Any]

    @property
    def symbol(self) -> str:
        return _SYMBOLS[self.verdict]

    @property
    def colour(self) -> str:
        return _COLOURS[self.verdict]


@dataclass(frozen=True)
class Row:
    peer: Peer
    role: Role
    fields: Mapping[str, Field]


@dataclass(frozen=True)
class Table:
    """What one of the measurements found."""

    name: str
    settings: Controllers
    path: Mapping[str, str]
    controllers: Sequence[str]
    rows: Sequence[Row]


def write(out: Path, data: Data, markdown: Path) -> int:
    """Writes all pages; 1 if there is a red cell that nothing explains, or nothing passed."""
    results = json.loads((out / "results.json").read_text())
    fields = {(r["kind"], r["peer"], r["role"], r["case"], r["cc"]): field(out, data, r) for r in results}
    cases = [case for case in data.cases.values() if any(key[3] == case.name for key in fields)]
    rows = [
        row for role in ROLES for peer in data.peers.values() if (row := case_row(peer, role, cases, fields)).fields
    ]
    measured = [table for what in data.measurements if (table := measurement(data, what, fields)).rows]
    absent = [peer for peer in data.peers.values() if not any(key[1] == peer.name for key in fields)]
    counts = count(row for row in rows)
    values = {
        "data": data,
        "cases": cases,
        "rows": rows,
        "roles": ROLES,
        "everything": list(fields.values()),
        "measured": measured,
        "absent": absent,
        "counts": counts,
        "reasons": {role: reasons([row for row in rows if row.role == role]) for role in ROLES},
        "symbols": _SYMBOLS,
        "colours": _COLOURS,
        "used": sorted({key[4] for key in fields if key[0] == "case" and key[4]}),
    }
    markdown.parent.mkdir(parents=True, exist_ok=True)
    render("page.html", values, out / "index.html")
    render("page.md", values, markdown)
    render("matrix.svg", values, markdown.parent / "matrix.svg")
    print("\n" + ", ".join(f"{number} {verdict}" for verdict, number in counts.items()) + f"; {out / 'index.html'}")
    red = [one for one in fields.values() if one.verdict == RED]
    passed = [one for one in fields.values() if one.verdict == "pass"]
    return 1 if red or not passed else 0


def field(out: Path, data: Data, result: Mapping[str, Any]) -> Field:
    verdict, reason = result["verdict"], result.get("reason", "")
    if verdict == RED and (known := data.why_red(result["peer"], result["role"], result["case"])):
        verdict, reason = KNOWN, f"{known} (seen: {reason.splitlines()[0]})"
    ours = "server" if result["role"] == "client" else "client"
    folder = out / "cells" / result["name"]
    links = [
        (name if number == 0 else str(number + 1), str(path.relative_to(out)))
        for name, pattern in _LEFT
        for number, path in enumerate(sorted(folder.glob(pattern.format(ours=ours, theirs=result["role"])))[:3])
        if path.is_file() and path.stat().st_size
    ]
    verdicts: Mapping[str, int] = result.get("check", {})
    check = ", ".join(name if number == 1 else f"{number} {name}" for name, number in verdicts.items())
    return Field(verdict, reason, check, links, result)


Fields = Mapping[tuple[str, str, str, str, str], Field]


def case_row(peer: Peer, role: Role, cases: Sequence[Case], fields: Fields) -> Row:
    """With several controllers, the worst of their fields."""
    order = [RED, KNOWN, "not installed", "unsupported", "pass"]
    mine = [value for key, value in fields.items() if key[:3] == ("case", peer.name, role)]
    found = {one.result["case"]: one for one in sorted(mine, key=lambda one: -order.index(one.verdict))}
    return Row(peer, role, {case.name: found[case.name] for case in cases if case.name in found})


def controller_row(peer: Peer, what: str, controllers: Sequence[str], fields: Fields) -> Row:
    found = {key[4]: value for key, value in fields.items() if key[:4] == ("controllers", peer.name, "client", what)}
    return Row(peer, "client", {name: found[name] for name in controllers if name in found})


def measurement(data: Data, what: str, fields: Fields) -> Table:
    controllers = [name for name in data.measurements[what].controllers if any(k[3:] == (what, name) for k in fields)]
    rows = [row for peer in data.peers.values() if (row := controller_row(peer, what, controllers, fields)).fields]
    return Table(what, data.measurements[what], data.paths[data.measurements[what].path], controllers, rows)


def count(rows: Any) -> dict[str, int]:
    counts = dict.fromkeys(_SYMBOLS, 0)
    for row in rows:
        for one in row.fields.values():
            counts[one.verdict] += 1
    return {verdict: number for verdict, number in counts.items() if number}


def reasons(rows: Sequence[Row]) -> list[tuple[str, str, str]]:
    """Verdict, reason, and whose cells have it; everything but what passed."""
    grouped: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in rows:
        for case, one in row.fields.items():
            if one.verdict != "pass":
                reason = " ".join(one.reason.split("(seen:")[0].split())
                grouped.setdefault((one.verdict, reason), {}).setdefault(row.peer.name, []).append(case)
    order = list(_SYMBOLS)
    found = []
    for (verdict, reason), whose in sorted(grouped.items(), key=lambda item: order.index(item[0][0])):
        sets = {tuple(cases) for cases in whose.values()}
        if len(sets) == 1:
            names = f"{', '.join(whose)}: {', '.join(sets.pop())}"
        else:
            names = "; ".join(f"{peer}: {', '.join(cases)}" for peer, cases in whose.items())
        found.append((verdict, reason, names))
    return found


def render(template: str, values: Mapping[str, Any], target: Path) -> None:
    loader = jinja2.FileSystemLoader(HERE / "templates")
    escape = jinja2.select_autoescape(("html", "svg"))
    environment = jinja2.Environment(loader=loader, autoescape=escape, undefined=jinja2.StrictUndefined)
    environment.trim_blocks = environment.lstrip_blocks = True
    target.write_text(environment.get_template(template).render(**values))
