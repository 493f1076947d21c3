"""The server on unmodified tokio-quiche (interop/tokio-quiche)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from obtain import InstallError
from table import Place, Program
from trial import Run


def build(program: Program, place: Place) -> None:
    if not _server(place).exists():
        build_it = "cmake --preset default -D QUICHE_CC_TOKIO=ON && cmake --build build"
        raise InstallError(f"its server was not built here; `{build_it}` does it, in eight minutes of a core")


def runs(program: Program, place: Place) -> Sequence[Run]:
    def one(name: str, way: str, cc: str) -> Run:
        server = [str(_server(place)), "--listen", "127.0.0.1:{port}", "--cert", "{certs}/cert.pem"]
        server += ["--key", "{certs}/priv.key", "--cc-algorithm", cc, "--qlog-dir", "{folder}/qlog"]
        return Run(name, way, cc, server)

    return [
        one("tokio-quiche", "as it is", "cubic"),
        one("tokio-quiche, hybrid", "configuration", "hybrid"),
    ]


def _server(place: Place) -> Path:
    return place.build / "tokio-quiche/release/tokio-server"
