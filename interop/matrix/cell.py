"""Plays and judges one cell, as a process of its own: `cell.py SPECIFICATION`, a JSON file.

Its folder gets `result.json`. In a network namespace of its own it can have any port, and nothing leaves it.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import shared_modules  # noqa: F401  (makes the shared modules importable)
from checks import CHECKS, WITH_KEYS, CheckFailed, Evidence, every_case
from decode import Decoder
from ends import CellError, Place, Unsupported
from measure import beside_tcp, measure
from model import OTHER, Data, DataError, Role
from play import RECORD, Cell, play
from testbed import TestbedError
from tunnel import bring_up_loopback

PASS, FAIL, UNSUPPORTED, NOT_INSTALLED = "pass", "fail", "unsupported", "not installed"
_FAILURES = (CellError, CheckFailed, TestbedError, DataError, OSError, subprocess.SubprocessError)
# `qlog-analysis check`, see its help.
_VERDICTS = {0: "pass", 1: "FAIL", 2: "no verdict", 3: "none: a controller of quiche's"}


def main() -> int:
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # through the contexts that end what was started
    specification = json.loads(Path(sys.argv[1]).read_text())
    folder = Path(specification["folder"])
    if specification["own_network"]:
        bring_up_loopback()
    began = time.monotonic()
    result = judge(specification, folder)
    result["seconds"] = round(time.monotonic() - began, 1)
    (folder / "result.json").write_text(json.dumps(result, indent=1) + "\n")
    return 0


def judge(specification: dict[str, Any], folder: Path) -> dict[str, Any]:
    data = Data()
    peer, role = data.peers[specification["peer"]], specification["role"]
    place = Place(folder, Path(specification["home"]), Path(specification["programs"]))
    if specification["kind"] == "controllers":
        try:
            if specification["case"] == "crosstraffic":
                measured = beside_tcp(data, peer, specification["cc"], place, specification["own_network"])
                return {"verdict": PASS, **measured, **traces(place, role)}
            measured = measure(data, peer, specification["cc"], place)
            # Here alone nothing but the link delays, drops or changes packets.
            return {"verdict": PASS, **measured, **traces(place, role, ["--record", str(place.folder / RECORD)])}
        except Unsupported as error:
            return {"verdict": UNSUPPORTED, "reason": str(error)}
        except _FAILURES as error:
            return {"verdict": FAIL, "reason": str(error)}
    cell = Cell(peer, role, data.cases[specification["case"]], specification["cc"])
    decoder = Decoder(Path(specification["tshark"]))
    return {**_judge_case(cell, place, data, decoder, specification["own_network"]), **traces(place, role)}


def _judge_case(cell: Cell, place: Place, data: Data, decoder: Decoder, own_network: bool) -> dict[str, Any]:
    lacking = [name for name in cell.case.checks if name in WITH_KEYS] if not decoder.program.exists() else []
    try:
        if lacking:
            return {"verdict": NOT_INSTALLED, "reason": f"tshark, which {', '.join(lacking)} needs"}
        played = play(cell, place, data.paths[cell.case.path], own_network)
        evidence = Evidence(played, decoder)
        for check in (every_case, *(CHECKS[name] for name in cell.case.checks)):
            check(evidence)
    except Unsupported as error:
        return {"verdict": UNSUPPORTED, "reason": str(error)}
    except _FAILURES as error:
        return {"verdict": FAIL, "reason": str(error)}
    took = round(played.seconds, 2)
    return {"verdict": PASS, "alpn": played.alpn, "took": took, "datagrams": len(played.captured)}


def traces(place: Place, peer_role: Role, more: Sequence[str] = ()) -> dict[str, Any]:
    """What `qlog-analysis check` says of our traces, with `more` options."""
    verdicts: dict[str, int] = {}
    found = sorted((place.logs(OTHER[peer_role]) / "qlog").glob("*.sqlog"))
    for trace in found:
        done = subprocess.run(
            [place.programs / "qlog-analysis", "check", trace, *more, "--json", trace.with_suffix(".check.json")],
            capture_output=True,
            check=False,
        )
        verdict = _VERDICTS.get(done.returncode, f"ended with {done.returncode}")
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
    return {"check": verdicts}


if __name__ == "__main__":
    sys.exit(main())
