"""Hands exports to qvis: a page on the loopback interface with a link for each trace, and the exports beside it."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from ..errors import AnalysisError

LOOPBACK = "127.0.0.1"


def serve_on(port: int, exports: Mapping[str, Path], viewer: str) -> ThreadingHTTPServer:
    """A server that is bound; it answers while `serve_forever` runs. Port 0 is any that is free."""
    viewed = urlsplit(viewer)
    if viewed.scheme not in ("http", "https") or not viewed.netloc:
        raise AnalysisError(f"{viewer} is not the address of a qvis: it must begin with http:// or https://")
    origin = f"{viewed.scheme}://{viewed.netloc}"

    class Handler(_Handler):
        files, allowed, address = exports, origin, viewer.rstrip("/") + "/"

    try:
        return ThreadingHTTPServer((LOOPBACK, port), Handler)
    except (OSError, OverflowError) as e:
        raise AnalysisError(f"cannot listen on {LOOPBACK} port {port}: {e}; choose another --port") from None


class _Handler(BaseHTTPRequestHandler):
    files: Mapping[str, Path]
    allowed: str
    """The origin of qvis: a browser lets no other page read the traces."""
    address: str

    def do_GET(self) -> None:
        if not self._asked_for_us():
            return
        name = unquote(urlsplit(self.path).path).removeprefix("/")
        if not name:
            self._send(self._page().encode(), "text/html; charset=utf-8")
        elif name in self.files:
            self._send(self.files[name].read_bytes(), "application/qlog+json-seq")
        else:
            self.send_error(HTTPStatus.NOT_FOUND)

    def do_OPTIONS(self) -> None:
        """Browsers ask before a public page may read from this machine."""
        if self._asked_for_us():
            self._send(b"", "text/plain")

    def _asked_for_us(self) -> bool:
        """A name that somebody made point here is no address of this server."""
        if self.headers.get("Host") in {f"{name}:{self._port}" for name in (LOOPBACK, "localhost")}:
            return True
        self.send_error(HTTPStatus.FORBIDDEN)
        return False

    @property
    def _port(self) -> int:
        return int(self.connection.getsockname()[1])

    def _send(self, content: bytes, kind: str) -> None:
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Access-Control-Allow-Origin", self.allowed)
        self.send_header("Access-Control-Allow-Private-Network", "true")
        self.end_headers()
        self.wfile.write(content)

    def _page(self) -> str:
        rows = "".join(f'<li><a href="{escape(self._link(name))}">{escape(name)}</a></li>' for name in self.files)
        return (
            '<!DOCTYPE html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
            f"<title>Traces for qvis</title><h1>Traces for qvis</h1><p>A link opens {escape(self.address)}, which "
            f"reads the trace from this machine.</p><ul>{rows}</ul></html>"
        )

    def _link(self, name: str) -> str:
        file = f"http://{LOOPBACK}:{self._port}/{quote(name)}"
        return f"{self.address}?file={quote(file, safe='')}"

    def log_message(self, *_: object) -> None:
        """Nothing: what is asked for is known."""
