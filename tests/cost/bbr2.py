"""What the interface costs BBR2: one download over four builds of quiche, instructions counted by callgrind.

    python3 tests/cost/bbr2.py            a table
    python3 tests/cost/bbr2.py --check    fails where the interface costs more than it may

The builds are quiche as published, where the pacer owns a BBRv2; with the one patch that makes it a boxed trait, which
is what dynamic dispatch costs; with all patches of the interface; and with the whole series. All are in one program,
which runs once per build, in virtual time and with the same random numbers. Each run has to send the same packets, so
that all of the difference is in the code. `docs/cost.md` has the figures.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from callgrind import Cost, costs

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = Path(os.environ.get("QUICHE_CC_BUILD_DIR", ROOT / "build"))
sys.path.append(str(ROOT / "patches"))

import applied  # noqa: E402
import upstream  # noqa: E402
from common import sha256  # noqa: E402
from patchfile import Patch, read_patches  # noqa: E402

SERIES = ROOT / "patches" / "quiche"
# Builds with the patches up to the one of this subject.
LAST_PATCH = {
    "boxed": "recovery: box the sender behind the pacer",
    "interface": "qlog: let a congestion controller write events of its own",
}
# Needed for several quiches in one program: without them the C libraries of all would have the same file name.
RUST_ONLY = (
    "ffi: let another crate define the functions that select an algorithm",
    "Build the Rust library only",
)

BUILDS = {
    "published": "as published",
    "boxed": "with a boxed sender",
    "interface": "with the interface",
    "series": "with the whole series",
}
BYTES = 20_000_000

# What loss recovery does where there is a sender behind the pacer; the program's client has another loss recovery.
RECOVERY = "<quiche::recovery::gcongestion::recovery::GRecovery as quiche::recovery::RecoveryOps>::"
PER_ACK = RECOVERY + "on_ack_received"
PER_PACKET = RECOVERY + "on_packet_sent"

# The most that the program may cost with the interface, in what it costs without.
MOST = 1.01
SKIPPED = 77


@dataclass(frozen=True)
class Run:
    """One run of a build; `sent` is what the program prints, the rest is instructions."""

    sent: str
    total: int
    ack: Cost
    packet: Cost


def patches_of(build: str) -> dict[str, Patch]:
    patches = read_patches(SERIES)
    subjects = [patch.subject for patch in patches.values()]
    chosen = {*subjects[: subjects.index(LAST_PATCH[build]) + 1], *RUST_ONLY}
    return {name: patch for name, patch in patches.items() if patch.subject in chosen}


def sources(build: str) -> Path:
    """Lays the tree of one of these builds under the build folder."""
    pin = upstream.read_pin(SERIES / "UPSTREAM")
    patches = patches_of(build)
    target = BUILD / "bbr2" / build

    def make() -> dict[str, bytes]:
        with tempfile.TemporaryDirectory() as scratch:
            tree = applied.patched(upstream.pristine(pin, ROOT), patches, Path(scratch))
        # A lock file holds one package of a name and a version that lies in a folder.
        version = f'version = "{pin.version}"'
        manifest = tree["Cargo.toml"].decode()
        tree["Cargo.toml"] = manifest.replace(version, f'{version[:-1]}+{build}"', 1).encode()
        return tree

    stamp = "".join(patch.render() for patch in patches.values())
    applied.update(target, sha256((pin.sha256 + stamp).encode()), make, force=False)
    return target


def wishes() -> str:
    """What cc/Cargo.toml asks of crates that BoringSSL's build uses, too."""
    section = (ROOT / "cc" / "Cargo.toml").read_text().split("[build-dependencies]\n")[1].split("\n[")[0]
    return re.sub(r",? optional = true", "", section).strip()


def write(file: Path, text: str) -> bool:
    """Whether the file was another before: cargo builds anew what is newer."""
    if file.exists() and file.read_text() == text:
        return False
    file.write_text(text)
    return True


def build() -> Path:
    package = BUILD / "bbr2" / "package"
    (package / "src").mkdir(parents=True, exist_ok=True)
    fills = {
        "@VERSION@": upstream.read_pin(SERIES / "UPSTREAM").version,
        "@BOXED@": str(sources("boxed")),
        "@INTERFACE@": str(sources("interface")),
        "@SERIES@": str(BUILD / "quiche"),
        "@WISHES@": wishes(),
    }
    manifest = (HERE / "bbr2" / "Cargo.toml").read_text()
    for name, value in fills.items():
        manifest = manifest.replace(name, value)
    write(package / "Cargo.toml", manifest)
    for source in (HERE / "bbr2" / "src").iterdir():
        write(package / "src" / source.name, source.read_text())
    lock = (ROOT / "Cargo.lock").read_text()
    if write(package / "workspace.lock", lock):
        (package / "Cargo.lock").write_text(lock)
    cargo = [os.environ.get("CARGO", "cargo"), "rustc", "--release", "--target-dir", str(BUILD / "target")]
    subprocess.run([*cargo, "--", "-C", "link-arg=-Wl,--wrap=RAND_bytes"], cwd=package, check=True)
    return BUILD / "target" / "release" / "bbr2"


def run(program: Path, name: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "profile"
        arguments = [name, str(BUILD / "quiche" / "examples"), str(BYTES)]
        valgrind = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}"]
        result = subprocess.run([*valgrind, str(program), *arguments], capture_output=True, text=True, check=False)
        if result.returncode != 0:
            raise SystemExit(f"{name} under valgrind failed:\n{result.stderr[-2000:]}")
        with out.open() as lines:
            found = costs(lines)
        total = next(int(line.split()[1]) for line in out.read_text().splitlines() if line.startswith("totals:"))
    missing = [function for function in (PER_ACK, PER_PACKET) if function not in found]
    if missing:
        raise SystemExit(f"the profile of {name} has no calls of {missing[0]}: has quiche changed?")
    return Run(result.stdout.strip(), total, found[PER_ACK], found[PER_PACKET])


def table(runs: dict[str, Run]) -> str:
    lines = [f"{'bbr2':<22} {'per ACK':>9} {'per packet':>11} {'all, million':>13} {'by published':>13}"]
    for name, one in runs.items():
        ratio = one.total / runs["published"].total
        lines.append(
            f"{BUILDS[name]:<22} {one.ack.per_call():>9.0f} {one.packet.per_call():>11.0f} "
            f"{one.total / 1e6:>13.1f} {ratio:>13.4f}"
        )
    sent, dropped, seconds = runs["published"].sent.split()
    return "\n".join([*lines, f"each run: {sent} datagrams sent, {dropped} dropped, {seconds} s of virtual time"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help=f"fail where the interface costs more than {MOST}")
    arguments = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return SKIPPED
    program = build()
    runs = {name: run(program, name) for name in BUILDS}
    print(table(runs))
    if len({one.sent for one in runs.values()}) > 1:
        print("the builds sent different packets: " + "; ".join(f"{name} {one.sent}" for name, one in runs.items()))
        return 1
    return int(arguments.check and runs["interface"].total > MOST * runs["published"].total)


if __name__ == "__main__":
    sys.exit(main())
