"""A browser as a client: a page that the server offers fetches the files and hands them to a collector on loopback."""

from __future__ import annotations

import http.server
import json
import os
import subprocess
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from ends import CellError, OutOfTime, start, stop

PAGE = "matrix.html"
# The collector's origin is a loopback address, which a secure page may talk to. Its answers are not read, so it needs
# no permission of the browser to be read. The page asks for all files at once, and hands them over at once: a line of
# JSON with the sizes, then the contents.
_SCRIPT = """<!doctype html><title>matrix</title><script>
const [collector, ...names] = decodeURIComponent(location.hash.slice(1)).split(",");
const hand = (what, body) => fetch(`http://127.0.0.1:${collector}/${what}`, {method: "POST", mode: "no-cors", body});
Promise.all(names.map(async name => {
  const answer = await fetch(name, {cache: "no-store"});
  if (!answer.ok) throw new Error(`${name}: ${answer.status}`);
  return answer.blob();
})).then(blobs => hand("done", new Blob([JSON.stringify(blobs.map(blob => blob.size)), "\\n", ...blobs])))
  .catch(error => hand("failed", String(error)));
</script>
"""


def write_page(www: Path) -> None:
    (www / PAGE).write_text(_SCRIPT)


class _Collector(http.server.ThreadingHTTPServer):
    def __init__(self, folder: Path, names: Sequence[str]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.folder = folder
        self.names = names
        self.end = threading.Event()
        self.error = ""

    def take(self, content: bytes) -> None:
        """Cuts what was handed over into files."""
        head, _, rest = content.partition(b"\n")
        for name, size in zip(self.names, json.loads(head), strict=True):
            (self.folder / name).write_bytes(rest[:size])
            rest = rest[size:]


class _Handler(http.server.BaseHTTPRequestHandler):
    server: _Collector

    def do_POST(self) -> None:
        content = self.rfile.read(int(self.headers.get("content-length", 0)))
        if self.path == "/done":
            self.server.take(content)
        else:
            self.server.error = content.decode(errors="replace")
        self.send_response(204)
        self.end_headers()
        self.server.end.set()

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
        browser = start([*command, address], {**os.environ, **environment}, logs, output)
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
