"""The example `cc-encoder`: live video over a path whose capacity falls and comes back, with three choices at once."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from conftest import REPOSITORY
from percentiles import percentile
from testbed import READY_TIMEOUT, Program

FILM = REPOSITORY / "interop" / "encoder" / "frames" / "ladder.txt"
WATCHED_S = 21
FALL_S, RISE_S = 8, 13
RATE = f"10Mbps@0s,3Mbps@{FALL_S}s,10Mbps@{RISE_S}s"
PATH = ("--rate", RATE, "--delay", "20ms", "--buffer", "250000B")
WIFI = ("--jitter", "wifi:median=4ms,stall=50ms..100ms,every=5s")


@dataclass(frozen=True)
class Watched:
    """What the viewer's and the server's summaries say."""

    viewer: dict[str, Any]
    server: dict[str, Any]

    def seconds(self, begin: float = 0, end: float = WATCHED_S) -> list[dict[str, Any]]:
        """The seconds between two times of the link, or a little later, in which pictures came."""
        return [s for s in self.viewer["seconds"] if begin < s["time_s"] <= end and s["rung"] is not None]

    def rungs(self, begin: float, end: float) -> list[float]:
        """Their mean rungs, from 1."""
        return [float(second["rung"]) for second in self.seconds(begin, end)]

    def delay(self, what: str, begin: float = 0, end: float = WATCHED_S, of_second: str = "p95") -> float:
        """That of a usual second, in ms: the median of all, which the fall and a busy machine leave alone."""
        known = [second[f"{what}_ms"] for second in self.seconds(begin, end)]
        return percentile((float(delay[of_second]) for delay in known if delay is not None), 50)


def watch(programs: Path, folder: Path, cc: str, *options: str, duration: int = WATCHED_S) -> Watched:
    """Server, link and viewer, as a user starts them."""
    folder.mkdir()
    certificate = folder / "server.pem"
    serve: list[str | Path] = [
        programs / "cc-encoder",
        "serve",
        "--frames",
        FILM,
        "--listen",
        "127.0.0.1:0",
        "--cc",
        cc,
    ]
    with Program([*serve, "--save-cert", certificate], folder / "server.log") as server:
        to = server.next(READY_TIMEOUT)["listen"]
        relay: list[str | Path] = [programs / "cc-link", "--quiet", "--listen", "127.0.0.1:0", "--to", to, *PATH, *WIFI]
        with Program(relay, folder / "link.log") as link:
            entrance = link.next(READY_TIMEOUT)["listen"]
            receive = [programs / "cc-encoder", "receive", entrance, "--ca", certificate, "--json", *options]
            done = run([*receive, "--duration", str(duration)], timeout=duration + 30)
            assert done.returncode == 0, done.stderr
            # The packet that closes the connection is still on its way.
            left = server.next(READY_TIMEOUT)
            link.stop()
        server.stop()
    return Watched(json.loads(done.stdout), left)


def run(command: Sequence[str | Path], timeout: float = 20) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, check=False)


@pytest.fixture(scope="module")
def watched(programs: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Watched]:
    room = tmp_path_factory.mktemp("encoder")
    choices: dict[str, tuple[str, ...]] = {
        "hybrid": ("hybrid",),
        "cubic": ("cubic",),
        "audio last": ("hybrid", "--audio-urgency", "6"),
    }
    with ThreadPoolExecutor(len(choices)) as pool:
        begun = {name: pool.submit(watch, programs, room / name, *choice) for name, choice in choices.items()}
        return {name: started.result() for name, started in begun.items()}


def test_the_encoder_goes_down_when_the_capacity_falls_and_up_again(watched: dict[str, Watched]) -> None:
    flow = watched["hybrid"]
    before = max(flow.rungs(FALL_S - 4, FALL_S - 1))
    fallen = flow.rungs(FALL_S + 1, RISE_S)
    after = max(flow.rungs(WATCHED_S - 4, WATCHED_S))
    # By the film's rates the fifth rung does not fit into 85 % of 3 Mbit/s, and the sixth fits into those of 10.
    assert min(fallen) < 5 < before, flow.viewer["seconds"]
    assert min(fallen) < 5 < after, flow.viewer["seconds"]
    assert flow.server["rung_changes"] >= 3


@pytest.mark.parametrize("what", ["frame", "audio"])
def test_frames_wait_less_with_hybrid_than_with_cubic(what: str, watched: dict[str, Watched]) -> None:
    # Where other programs hold up both ends, they delay the slowest frames of both controllers alike.
    for of_second, share in (("p50", 0.6), ("p95", 1)):
        delays = {cc: watched[cc].delay(what, FALL_S + 1, RISE_S, of_second) for cc in ("hybrid", "cubic")}
        assert delays["hybrid"] < share * delays["cubic"], (of_second, delays)


def test_audio_is_as_urgent_as_the_viewer_says(watched: dict[str, Watched]) -> None:
    first, last = watched["hybrid"], watched["audio last"]
    assert first.delay("audio") < 0.8 * first.delay("frame")
    assert last.delay("audio") > 1.4 * first.delay("audio")


def test_groups_that_are_out_of_date_are_given_up(watched: dict[str, Watched]) -> None:
    flow = watched["cubic"]
    assert flow.server["groups_reset"] >= 1
    assert flow.viewer["groups_reset"] >= 1


@contextmanager
def watching(programs: Path, folder: Path) -> Iterator[tuple[Program, subprocess.Popen[str], str]]:
    """Server and viewer, without a link, and the first line that the viewer shows."""
    certificate = folder / "server.pem"
    serve: list[str | Path] = [programs / "cc-encoder", "serve", "--frames", FILM, "--listen", "127.0.0.1:0"]
    with Program([*serve, "--save-cert", certificate], folder / "server.log") as server:
        address = server.next(READY_TIMEOUT)["listen"]
        receive = [str(programs / "cc-encoder"), "receive", address, "--ca", str(certificate), "--duration", "30"]
        with subprocess.Popen(receive, stdout=subprocess.PIPE, text=True) as viewer:
            assert viewer.stdout is not None
            yield server, viewer, viewer.stdout.readline()


def test_a_signal_ends_both_with_a_summary(programs: Path, tmp_path: Path) -> None:
    with watching(programs, tmp_path) as (server, viewer, line):
        assert "target" in line, line
        began = time.monotonic()
        server.process.send_signal(signal.SIGINT)
        said = viewer.communicate(timeout=20)[0]
        assert time.monotonic() - began < 10
        assert viewer.returncode == 1, "the server has left before the time was over"
        assert "by the server" in said
        left = server.next(READY_TIMEOUT)
        assert left["event"] == "viewer_left"


def test_the_viewer_ends_well_at_a_signal(programs: Path, tmp_path: Path) -> None:
    with watching(programs, tmp_path) as (server, viewer, _):
        viewer.send_signal(signal.SIGINT)
        said = viewer.communicate(timeout=20)[0]
        assert viewer.returncode == 0
        assert "Mbit/s of video" in said
        left = server.next(READY_TIMEOUT)
        assert left["reason"] == "closed by the client: no error"


def test_a_viewer_that_nobody_answers_fails(programs: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as silent:
        silent.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{silent.getsockname()[1]}"
        done = run([programs / "cc-encoder", "receive", "--insecure", "--duration", "1", address])
    assert done.returncode == 1
    assert f"no connection to {address}" in done.stderr


@pytest.mark.parametrize(
    ("line", "text", "part"),
    [
        (3, "X 100 200", "is not understood"),
        (3, "P 100", "allowed: 2, as in line 2"),
        (3, "P 100 much", '"much"'),
    ],
)
def test_a_wrong_file_is_refused_with_file_and_line(
    line: int, text: str, part: str, programs: Path, tmp_path: Path
) -> None:
    film = tmp_path / "film.txt"
    film.write_text(f"frames-per-second 30\nI 400 800\n{text}\n", encoding="utf-8")
    done = run([programs / "cc-encoder", "serve", "--frames", film])
    assert done.returncode == 2
    assert f"{film}:{line}: " in done.stderr
    assert part in done.stderr


def test_other_addresses_than_loopback_are_refused(programs: Path) -> None:
    for words in (["serve", "--frames", FILM, "--listen", "0.0.0.0:4433"], ["receive", "--insecure", "192.0.2.1:4433"]):
        done = run([programs / "cc-encoder", *words])
        assert done.returncode == 2
        assert "allowed: a loopback address" in done.stderr
