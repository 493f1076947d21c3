"""A headless Chromium that is told what to do by its DevTools protocol: what a page draws, says and asks for."""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tornado.websocket import WebSocketClientConnection, websocket_connect

PROGRAM = shutil.which("chromium")
needs_browser = pytest.mark.skipif(PROGRAM is None, reason="Chromium is not installed")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run")
PATIENCE = 60.0
"""s of real time until a page is loaded or a script has run."""
LARGEST = 1 << 30
DESKTOP, PHONE = (1280, 900), (390, 844)


@dataclass
class Tab:
    """An open page."""

    socket: WebSocketClientConnection
    complaints: list[str] = field(default_factory=list)
    """Errors and warnings of the console, and what was thrown."""
    requests: list[str] = field(default_factory=list)
    _answers: dict[int, asyncio.Future[Any]] = field(default_factory=dict)
    _events: dict[str, asyncio.Event] = field(default_factory=dict)
    _last: int = 0

    async def call(self, method: str, **parameters: Any) -> Any:
        self._last += 1
        answer = self._answers[self._last] = asyncio.get_running_loop().create_future()
        await self.socket.write_message(json.dumps({"id": self._last, "method": method, "params": parameters}))
        return await asyncio.wait_for(answer, PATIENCE)

    async def listen(self) -> None:
        while (text := await self.socket.read_message()) is not None:
            message = json.loads(text)
            if "id" in message:
                self._answers.pop(message["id"]).set_result(message.get("result"))
            else:
                self._event(message["method"], message["params"])

    def _event(self, method: str, data: Any) -> None:
        if method == "Runtime.exceptionThrown":
            self.complaints.append(json.dumps(data["exceptionDetails"])[:500])
        elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.complaints.append(json.dumps(data["args"])[:500])
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.complaints.append(data["entry"]["text"])
        elif method == "Network.requestWillBeSent" and not data["request"]["url"].startswith(("data:", "blob:")):
            self.requests.append(data["request"]["url"])
        self._events.setdefault(method, asyncio.Event()).set()

    async def open(self, address: str, size: tuple[int, int] = DESKTOP) -> None:
        """Until it is loaded and its scripts have run."""
        width, height = size
        mobile = {"deviceScaleFactor": 1, "mobile": size == PHONE}
        await self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, **mobile)
        loaded = self._events["Page.loadEventFired"] = asyncio.Event()
        await self.call("Page.navigate", url=address)
        await asyncio.wait_for(loaded.wait(), PATIENCE)

    async def value(self, script: str) -> Any:
        """Of an expression, or of a promise."""
        came = await self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in came, came["exceptionDetails"]
        return came["result"].get("value")

    async def picture(self, out: Path) -> None:
        """Of the whole page, as PNG."""
        shot = await self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)
        out.write_bytes(base64.b64decode(shot["data"]))


def browse(use: Callable[[Tab], Coroutine[Any, Any, None]]) -> None:
    """Starts the browser, lets `use` have a tab of it, and stops it."""
    asyncio.run(_browse(use))


async def _browse(use: Callable[[Tab], Coroutine[Any, Any, None]]) -> None:
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [str(PROGRAM), *FLAGS, "--remote-debugging-port=0", f"--user-data-dir={profile}", "about:blank"]
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            socket = await websocket_connect(await _address(Path(profile)), max_message_size=LARGEST)
            tab = Tab(socket)
            listening = asyncio.create_task(tab.listen())
            for domain in ("Page", "Runtime", "Network", "Log"):
                await tab.call(f"{domain}.enable")
            await use(tab)
            listening.cancel()
            socket.close()
        finally:
            process.terminate()
            process.wait(30)


async def _address(profile: Path) -> str:
    """Of the first tab; the browser writes its port into its profile."""
    from tornado.httpclient import AsyncHTTPClient  # noqa: PLC0415  only here

    for _ in range(int(PATIENCE * 10)):
        await asyncio.sleep(0.1)
        told = profile / "DevToolsActivePort"
        if not told.exists() or not (lines := told.read_text().split()):
            continue
        answer = await AsyncHTTPClient().fetch(f"http://127.0.0.1:{lines[0]}/json")
        for target in json.loads(answer.body):
            if target["type"] == "page":
                return str(target["webSocketDebuggerUrl"])
    raise TimeoutError("the browser did not start")
