"""What claim sets say of their runs and bounds, in words: a scenario, with what the claim set changes of it; and what a
bound is beside NewReno."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).parents[2]
CLAIM_SETS = (ROOT / "tests" / "rfc9743", ROOT / "tests" / "safety")
OF_A_LINK = ("rate", "delay", "buffer", "queue", "loss", "outages", "jitter", "aggregate", "reorder")
OF_A_FLOW = ("count", "every", "rtt", "cc", "start", "stop", "traffic", "ecn")
IN_BDP = "1bdp"
"""The buffer of a link whose scenario does not name one."""


@cache
def claim_sets() -> list[tuple[Path, dict[str, Any]]]:
    """With the folder that scenarios are named from."""
    return [
        (folder, msgspec.toml.decode(file.read_bytes()))
        for folder in CLAIM_SETS
        for file in sorted(folder.glob("*.toml"))
    ]


@cache
def runs() -> dict[str, dict[str, Any]]:
    """Of all claim sets by name, each with its folder."""
    found: dict[str, dict[str, Any]] = {}
    for folder, given in claim_sets():
        found |= {name: {**run, "folder": folder} for name, run in given.get("run", {}).items() if name not in found}
    return found


def beside_newreno(claim_id: str, what: str) -> str:
    """What the bound of this check is made of; empty if it is a number of its own."""
    for _, given in claim_sets():
        for claim in given.get("claim", []):
            for check in claim["check"] if claim["id"] == claim_id else ():
                if check["what"] == what and check.get("less_than", {}).get("where") == {"cc": "reno"}:
                    factor = check.get("factor", 1.0)
                    plus = re.sub(r"(?<=\d)p$", " packets", check.get("plus", ""))
                    times = "NewReno's" if factor == 1 else f"{factor:g} times NewReno's"
                    return f"{times} and {plus}" if plus else times
    return ""


def described(name: str) -> str:
    """The run of this name."""
    run = runs()[name]
    file = (run["folder"] / run["scenario"]).resolve()
    scenario = msgspec.toml.decode(file.read_bytes())
    given = {key: varied(str(value), run.get("vary", {})) for key, value in run.get("set", {}).items()}
    time = f"{given.get('duration', scenario['duration'])}"
    warmup = given.get("warmup", scenario.get("warmup"))
    parts = [
        *links(scenario, given),
        *flows(scenario, given),
        f"{time}{f', counted from {warmup} on' if warmup else ''}",
    ]
    where = file.relative_to(ROOT).as_posix()
    return f"Run `{name}`: {'; '.join(parts)} ([{file.name}](../../{where}))"


def links(scenario: Mapping[str, Any], given: Mapping[str, str]) -> Iterator[str]:
    for link in scenario["link"]:
        values = {"buffer": IN_BDP, **link} if "rate" in link else link
        yield said(f"link `{link['name']}`", values, f"link.{link['name']}.", OF_A_LINK, given)


def flows(scenario: Mapping[str, Any], given: Mapping[str, str]) -> Iterator[str]:
    for flow in scenario["flow"]:
        yield said(f"flow `{flow['name']}`", flow, f"flow.{flow['name']}.", OF_A_FLOW, given)


def said(what: str, values: Mapping[str, Any], prefix: str, keys: tuple[str, ...], given: Mapping[str, str]) -> str:
    """Those of these keys that the scenario or the claim set gives."""
    found = {key: given.get(prefix + key) or (shown(values[key]) if key in values else "") for key in keys}
    return " ".join([what, ", ".join(f"{key} {value}" for key, value in found.items() if value)]).strip()


def shown(value: Any) -> str:
    """A table, of traffic, by its kind."""
    if not isinstance(value, dict):
        return str(value)
    rest = ", ".join(f"{key} {number}" for key, number in value.items() if key != "kind")
    return f"{value['kind']} ({rest})" if rest else str(value["kind"])


def varied(value: str, vary: Mapping[str, list[str]]) -> str:
    """With every value of the parameters in it, one after the other."""
    names = re.findall(r"{(\w+)}", value)
    texts = []
    for chosen in itertools.product(*(vary[name] for name in names)):
        text = value
        for name, one in zip(names, chosen, strict=True):
            text = text.replace(f"{{{name}}}", one)
        texts.append(shown(msgspec.toml.decode(f"it = {text}")["it"]) if text.startswith("{") else text)
    return " or ".join(texts)
