"""Tries the packages of a release in an empty Debian, as somebody has them who has nothing else of this project."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from debian import Root
from packages import SUMS
from steps import ROOT, Failure, Report, run

HERE = "/trial"
NEEDS = ("mmdebstrap", "unshare", "chroot", "ip")
# Through cc-link as a network, because on a bare loopback the machine is the bottleneck, and not always the same one.
DOWNLOAD = f"""
cd {HERE}
mkdir -p www got traces
head -c 5000000 /dev/urandom >www/file
cc-server --cc hybrid --root www --save-cert ca.pem --qlog traces >server.jsonl 2>server.log &
server=$!
./cc-link --listen 127.0.0.1:5000 --to 127.0.0.1:4433 --rate 20Mbps --delay 10ms --buffer 100ms >link.jsonl &
link=$!
until grep -q ready server.jsonl && grep -q ready link.jsonl; do kill -0 $server $link; sleep 0.1; done
cc-client --cc hybrid --ca ca.pem --connect-to 127.0.0.1:5000 --out got --no-progress https://localhost/file
cmp www/file got/file
kill -INT $server $link
wait $server
wait $link
ls traces/*.sqlog
"""
ARCHIVES = f"""
cd {HERE}
(cd packages && sha256sum --quiet --check {SUMS})
for name in libquiche-cc quiche-cc-server; do
  mkdir $name
  tar -xzf packages/$name-[0-9]*.tar.gz --strip-components 1 -C $name
done
quiche-cc-server/bin/cc-server --version
quiche-cc-server/bin/cc-client --list-cc | grep -q hybrid
"""
# A program, and a controller of one's own, against what the Debian package installed.
COMPILE = f"""
cd {HERE}
cc -Wall -Werror select.c -o select $(pkg-config --cflags --libs quiche)
test "$(./select hybrid hybird | tr '\\n' ' ')" = "hybrid 0 hybird -14 "
cc -shared -fPIC /usr/share/doc/quiche-cc/aimd.c -o libaimd.so $(pkg-config --cflags quiche)
cc-client --plugin ./libaimd.so --list-cc | grep -q '^ *aimd'
"""
# The archive's static library, which wants the C++ library to link with.
COMPILE_STATIC = f"""
cd {HERE}
export PKG_CONFIG_PATH={HERE}/libquiche-cc/lib/pkgconfig
flags=$(pkg-config --cflags --libs --static quiche | sed 's/-lquiche /-l:libquiche.a /')
cc -Wall -Werror select.c -o select-archive $flags
test "$(./select-archive hybrid)" = "hybrid 0"
"""
ANALYSE = f"""
cd {HERE}
if command -v cargo rustc; then exit 1; fi
python3 -m venv venv
venv/bin/pip install --quiet --no-index --find-links wheels packages/qlog_analysis-*.whl
venv/bin/qlog-analysis --version
venv/bin/qlog-analysis check traces/*.sqlog
venv/bin/qlog-analysis metrics traces/*.sqlog
venv/bin/qlog-analysis report traces/*.sqlog --out report.html
# The sources give the same, without a network as well.
venv/bin/pip install --quiet --no-index --find-links wheels --force-reinstall --no-deps packages/qlog_analysis-*.tar.gz
venv/bin/qlog-analysis check traces/*.sqlog
"""
REMOVE = "apt-get -qq -y purge libquiche-cc quiche-cc-server && apt-get -qq -y autoremove --purge"
BACKEND = "setuptools>=77"
"""What pip makes the wheel with from the sources."""


def lacking() -> str:
    """What of the machine is not there, for a person; empty if nothing is."""
    missing = [name for name in NEEDS if shutil.which(name) is None]
    if missing:
        return f"not installed: {', '.join(missing)} (Debian: mmdebstrap, iproute2)"
    return "" if os.getuid() == 0 else "a root of its own takes the rights of root; this is another user"


def try_packages(packages: Path, build: Path, report: Report) -> None:
    """All of them, in a root below the build folder, which is removed again."""
    folder = build / "release-root"
    if not (packages / SUMS).exists():
        raise Failure(f"{packages} has no packages; make them first")
    with report.step("an empty Debian"):
        root = Root(folder)
    try:
        shutil.copytree(packages, folder / HERE[1:] / "packages")
        for helper in (ROOT / "tests" / "c" / "src" / "select.c", build / "bin" / "cc-link"):
            shutil.copy(helper, folder / HERE[1:])
        try_programs(root, report)
        try_development(root, report)
        try_python(root, build / "venv" / "bin" / "python", report)
    finally:
        root.remove()


def try_programs(root: Root, report: Report) -> None:
    before = root.files(HERE)
    with report.step("checksums; the archives, where nothing was installed"):
        report.fact(root.run(ARCHIVES).strip())
    with report.step("the Debian packages, with what they need"):
        root.install(f"{HERE}/packages/*.deb")
        report.fact(f"installed: {', '.join(added(root))}")
    with report.step("a download with hybrid over loopback"):
        report.fact(root.run(DOWNLOAD).strip().splitlines()[-1])
    with report.step("without the Debian packages again"):
        root.run(REMOVE)
    left = sorted(root.files(HERE) ^ before)
    if left:
        raise Failure(f"after their removal there are, or are no more: {', '.join(left[:20])}")
    report.fact("their removal leaves nothing behind")


def added(root: Root) -> list[str]:
    """Packages that apt installed last, as it noted them."""
    history = (root.folder / "var" / "log" / "apt" / "history.log").read_text(encoding="utf-8")
    line = next(line for line in reversed(history.splitlines()) if line.startswith("Install: "))
    return line.removeprefix("Install: ").replace("), ", ")\n").splitlines()


def try_development(root: Root, report: Report) -> None:
    with report.step("a compiler and both packages"):
        root.install("gcc", "libc6-dev", "pkg-config", f"{HERE}/packages/*.deb")
    with report.step("a program and a controller in C by pkg-config"):
        root.run(COMPILE)
    with report.step("a program in C on the static library of the archive, with the C++ library"):
        root.install("g++")
        root.run(COMPILE_STATIC)


def try_python(root: Root, python: Path, report: Report) -> None:
    with report.step("Python, and what the wheel needs"):
        root.install("python3-venv")
        version = root.run("python3 -c 'import sys; print(\"%d.%d\" % sys.version_info[:2])'").strip()
        (wheel,) = (root.folder / HERE[1:] / "packages").glob("*.whl")
        # Fetched out here, with this machine's settings; wheels alone, as nothing compiles in there.
        pip = (python, "-m", "pip", "download", "--quiet")
        to = ("--dest", root.folder / HERE[1:] / "wheels", "--only-binary=:all:", "--python-version", version)
        run(*pip, *to, wheel, BACKEND)
    with report.step("the wheel without a network, on the trace of the download"):
        said = root.run(ANALYSE).splitlines()
        report.fact(f"qlog-analysis {said[0]}: {said[1].rpartition('/')[2]}")
