"""The matrix: installs peers, runs cells, writes the page. docs/matrix.md has its meaning."""

from __future__ import annotations

import argparse
import datetime
import json
import os
import signal
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import debian
import page
import pypi
import shared_modules  # noqa: F401  (makes the shared modules importable)
from debian import InstallError
from installer import Installer
from model import PEERS, REPOSITORY, ROLES, Case, Data, DataError, DebianInstall, Peer, PypiInstall
from namespaces import isolation
from schedule import Job, Progress, Scheduler


def main() -> int:
    options = parse_arguments()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        return int(options.action(options, Data()))
    except KeyboardInterrupt:
        print("\nmatrix: interrupted; the page is that of the last complete run", file=sys.stderr)
        return 130
    except (DataError, InstallError) as error:
        print(f"matrix: {error}", file=sys.stderr)
        return 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="run.py", description=__doc__)
    parser.add_argument("--build-dir", type=Path, default=REPOSITORY / "build", help="default: %(default)s")
    actions = parser.add_subparsers(required=True, metavar="ACTION")
    install = actions.add_parser("install", help="put peers under build/peers")
    install.add_argument("peers", nargs="*", help="default: all")
    install.set_defaults(action=install_peers)
    lock = actions.add_parser("lock", help="choose the archives of a peer anew, and write their hashes")
    lock.add_argument("peers", nargs="+")
    lock.set_defaults(action=lock_peers)
    run = actions.add_parser("run", help="run cells and write the page")
    run.add_argument("--peers", nargs="+", default=[], help="default: all")
    run.add_argument("--cases", nargs="*", help="default: all, and with nothing none")
    run.add_argument("--roles", nargs="+", choices=ROLES, default=list(ROLES), help="of the peer; default: both")
    run.add_argument(
        "--cc", nargs="+", default=["hybrid"], metavar="NAME[:OPTIONS]", help="our controllers; default: hybrid"
    )
    run.add_argument(
        "--controllers", nargs="*", help="of those in controllers.toml; default: all, and with nothing none"
    )
    run.add_argument(
        "--red", action="store_true", help="of these cells, only those that failed when they were last run"
    )
    run.add_argument("--quick", action="store_true", help="the quick cases alone, no controllers, nothing installed")
    run.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="cells at a time; default: %(default)s")
    run.add_argument("--out", type=Path, help="default: matrix/ in the build folder")
    run.set_defaults(action=run_cells)
    write = actions.add_parser("page", help="write the page again from the results of `run`")
    write.add_argument("--out", type=Path, help="default: matrix/ in the build folder")
    write.add_argument("--markdown", type=Path, help="another place for the Markdown page")
    write.set_defaults(action=write_page)
    return parser.parse_args()


def chosen(data: Data, names: list[str]) -> list[Peer]:
    """The peers and tools of these names, or all."""
    everything = {**data.tools, **data.peers}
    unknown = [name for name in names if name not in everything]
    if unknown:
        raise DataError(f"unknown peer {', '.join(unknown)}; allowed: {', '.join(everything)}")
    return [everything[name] for name in names or everything]


def install_peers(options: argparse.Namespace, data: Data) -> int:
    failed = 0
    for peer in chosen(data, options.peers):
        installer = Installer(options.build_dir / "peers", partial(said, peer.name))
        try:
            installer.install(peer)
        except InstallError as error:
            say(f"{peer.name}: not installed: {error}", end="\n")
            failed += 1
        else:
            say(f"{peer.name}: installed", end="\n")
    return 1 if failed else 0


def said(name: str, text: str) -> None:
    say(f"{name}: {text}")


def lock_peers(options: argparse.Namespace, data: Data) -> int:
    for peer in chosen(data, options.peers):
        match peer.install:
            case DebianInstall(suites=suites, packages=packages, without=without):
                date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y%m%dT000000Z")
                text = debian.lock(suites, packages, without, date)
            case PypiInstall(requirements=requirements):
                text = pypi.lock(requirements)
            case _:
                raise DataError(f"{peer.name}: only Debian and PyPI peers have a lock")
        (PEERS / f"{peer.name}.lock").write_text(text)
        say(f"{peer.name}: {len(text.splitlines()) - 1} lines", end="\n")
    return 0


def run_cells(options: argparse.Namespace, data: Data) -> int:
    out = options.out or options.build_dir / "matrix"
    peers = [peer for peer in chosen(data, options.peers) if not peer.tool]
    cases = selected(options, data)
    installer = Installer(options.build_dir / "peers", lambda _: None)
    there = [peer for peer in peers if installer.installed(peer)]
    absent = [result for peer in peers if peer not in there for result in not_installed(peer, cases)]
    if not there:
        raise DataError(f"none of {', '.join(peer.name for peer in peers)} is installed; `run.py install` does it")
    isolated = isolation()
    if not isolated:
        say("no network namespaces here (they need root, or user namespaces): cells share the loopback", end="\n")
    scheduler = Scheduler(out, options.build_dir, isolated)
    jobs = case_jobs(there, cases, options)
    measured = [] if options.quick else controller_jobs(there, data, options.controllers)
    if options.red:
        failed = {one["name"] for one in stored(out / "results.json") if one["verdict"] == "fail"}
        jobs, measured = ([job for job in some if job.name in failed] for some in (jobs, measured))
    progress = Progress(len(jobs) + len(measured))
    results = scheduler.run(jobs, options.jobs, progress) + scheduler.run(measured, 1, progress) + absent
    keep(out / "results.json", results)
    return page.write(out, data, out / "matrix.md")


def stored(target: Path) -> list[dict[str, Any]]:
    """The results of earlier runs."""
    found: list[dict[str, Any]] = json.loads(target.read_text()) if target.exists() else []
    return found


def keep(target: Path, results: list[dict[str, Any]]) -> None:
    """Adds to what other runs into the same folder found; a cell that was run again is replaced."""
    before = stored(target)
    merged = {(one["kind"], one["peer"], one["role"], one["case"], one["cc"]): one for one in [*before, *results]}
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(json.dumps(list(merged.values()), indent=1) + "\n")


def selected(options: argparse.Namespace, data: Data) -> list[Case]:
    names = data.cases if options.cases is None else options.cases
    unknown = [name for name in names if name not in data.cases]
    if unknown:
        raise DataError(f"unknown case {', '.join(unknown)}; allowed: {', '.join(data.cases)}")
    every = [data.cases[name] for name in names]
    return [case for case in every if case.quick] if options.quick else every


def case_jobs(peers: list[Peer], cases: list[Case], options: argparse.Namespace) -> list[Job]:
    return [
        Job("case", peer.name, role, case.name, cc, case.timeout)
        for peer in peers
        for role in options.roles
        if peer.end(role)
        for case in cases
        for cc in ([case.cc] if case.cc else options.cc)
    ]


def controller_jobs(peers: list[Peer], data: Data, names: Sequence[str] | None) -> list[Job]:
    return [
        Job("controllers", peer.name, "client", what, cc, settings.timeout)
        for what, settings in data.measurements.items()
        for peer in peers
        if peer.client
        for cc in settings.controllers
        if names is None or cc in names
    ]


def not_installed(peer: Peer, cases: list[Case]) -> list[dict[str, Any]]:
    verdict = {"kind": "case", "peer": peer.name, "verdict": "not installed", "reason": f"`run.py install {peer.name}`"}
    return [
        {**verdict, "role": role, "case": case.name, "cc": "", "name": f"{peer.name}.{role}.{case.name}"}
        for role in ROLES
        if peer.end(role)
        for case in cases
    ]


def write_page(options: argparse.Namespace, data: Data) -> int:
    out = options.out or options.build_dir / "matrix"
    return page.write(out, data, options.markdown or out / "matrix.md")


def say(text: str, end: str = "") -> None:
    """A line that the next one replaces, on a terminal."""
    if sys.stdout.isatty():
        print(f"\r\x1b[K{text[:110]}", end=end, flush=True)
    elif end:
        print(text, end=end, flush=True)


if __name__ == "__main__":
    sys.exit(main())
