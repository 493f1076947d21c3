"""A browser as a client: a page that the server offers fetches the files and hands them to a collector on loopback."""

from __future__ import annotations

import http.server
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from ends import CellError, OutOfTime, stop

PAGE = "matrix.html"
# The collector's origin is a loopback address, which a secure page may talk to. Its answers are not read, so it needs
# no permission of the browser to be read. The page asks for all files at once.
_SCRIPT = """<!doctype html><title>matrix</title><script>
const [collector, ...names] = decodeURIComponent(location.hash.slice(1)).split(",");
const hand = (name, body) => fetch(`http://127.0.0.1:${collector}/${name}`, {method: "POST", mode: "no-cors", body});
Promise.all(names.map(async name => {
  const answer = await fetch(name, {cache: "no-store"});
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  await hand(name, await answer.blob());
})).then(() => hand("-done", ""), error => hand("-failed", String(error)));
</script>
"""


def write_page(www: Path) -> None:
    (www / PAGE).write_text(_SCRIPT)


class _Collector(http.server.ThreadingHTTPServer):
    def __init__(self, folder: Path, allowed: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.allowed = frozenset(allowed)
        self.end = threading.Event()
        self.error = ""


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Collector

    def do_POST(self) -> None:
        name = self.path.lstrip("/")
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        if name in self.server.allowed:
            (self.server.folder / name).write_bytes(content)
        elif name == "-failed":
            self.server.error = content.decode(errors="replace")
        if name.startswith("-"):
            self.server.end.set()
        self.send_response(204)
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


def fetch(
    command: Sequence[str],
    environment: Mapping[str, str],
    page: str,
    files: Sequence[str],
    downloads: Path,
    logs: Path,
    timeout: float,
) -> None:
    """Starts the browser on the page and waits until it has delivered `files`."""
    with _Collector(downloads, files) as collector, (logs / "output.log").open("ab") as output:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        address = f"{page}#{quote(','.join([str(collector.server_port), *files]))}"
        browser = subprocess.Popen(
            [*command, address],
            env={**os.environ, **environment},
            cwd=logs,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            _wait(collector, browser, time.monotonic() + timeout)
        finally:
            stop(browser)
            collector.shutdown()


def _wait(collector: _Collector, browser: subprocess.Popen[bytes], deadline: float) -> None:
    while not collector.end.wait(0.1):
        if browser.poll() is not None:
            raise CellError(f"the browser ended with {browser.returncode}")
        if time.monotonic() > deadline:
            raise OutOfTime("the browser did not deliver the files in time")
    if collector.error:
        raise CellError(f"the page failed: {collector.error}")
