"""The examples in C of the quiche crate, linked with our libquiche and not changed.

The server answers with five bytes, so there is no delay to measure.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from obtain import packages, run
from table import Place, Program
from trial import FORCED, Run

NAMES = ("http3-server", "http3-client")


def build(program: Program, place: Place) -> None:
    packages(program.packages)
    home = place.folder(program)
    home.mkdir(parents=True, exist_ok=True)
    prefix = place.library
    for name in NAMES:
        source = _examples(place) / f"{name}.c"
        options: list[str | Path] = ["-O2", f"-I{prefix / 'include'}", source, "-o", home / name]
        run(["cc", *options, f"-L{prefix / 'lib'}", f"-Wl,-rpath,{prefix / 'lib'}", "-lquiche", "-lev", "-lm"])


def runs(program: Program, place: Place) -> Sequence[Run]:
    home = place.folder(program)
    key = _examples(place) / "cert.key"
    # The server reads ./cert.crt and ./cert.key.
    files = {f"server/cert.{kind}": (key.with_suffix(f".{kind}")).read_text() for kind in ("crt", "key")}
    server = [str(home / "http3-server"), "127.0.0.1", "{port}"]
    if program.role == "server":
        return [
            Run("http3-server", "as it is", "reno", server, files=files, urls=("/",), bulk=None),
            Run("http3-server, hybrid", "environment", "hybrid", server, FORCED, files=files, urls=("/",), bulk=None),
        ]
    client = [str(home / "http3-client"), "127.0.0.1", "{peer}"]
    serve = [str(home / "http3-server"), "127.0.0.1", "{port}"]
    return [Run("http3-client, hybrid", "environment", "hybrid", client, FORCED, files, peer=serve, bulk=None)]


def _examples(place: Place) -> Path:
    return place.build / "quiche" / "examples"
