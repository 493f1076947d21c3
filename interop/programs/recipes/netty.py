"""Netty's QUIC codec: the published native library, and its sources linked with our libquiche.

Netty makes SSL objects with a BoringSSL of its own and hands them to quiche. Both have to be one BoringSSL, so it
is linked with libquiche.a, which contains it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from obtain import InstallError, archives, boringssl, link, run, unpack
from table import HERE, Place, Program
from trial import FORCED, HELD, Run

SOURCES = ("netty_quic_quiche.c", "netty_quic_boringssl.c", "netty_jni_util.c")
NATIVE = "libnetty_quiche42_linux_x86_64.so"


def build(program: Program, place: Place) -> None:
    home = place.folder(program)
    jars = archives(program, place)
    javac = shutil.which("javac")
    if javac is None:
        raise InstallError("javac is not installed; your system's package openjdk-17-jdk-headless has it")
    classes = [jar for jar in jars if "sources" not in jar.name]
    (home / "jars").mkdir(parents=True, exist_ok=True)
    for jar in classes:
        link(home / "jars" / jar.name, jar)
    run([javac, "-cp", os.pathsep.join(map(str, classes)), "-d", home / "classes", HERE / "NettyServer.java"])
    sources = home / "src"
    for jar in jars:
        if "sources" in jar.name:
            folder = unpack(jar, sources / jar.stem)
            for name in SOURCES:
                if (folder / name).exists():
                    (home / name).write_bytes((folder / name).read_bytes())
            for header in folder.glob("*.h"):
                (home / header.name).write_bytes(header.read_bytes())
    java = Path(javac).resolve().parents[1] / "include"
    includes = [home, place.library / "include", boringssl(place) / "include", java, java / "linux"]
    options: list[str | Path] = ["-O2", "-fPIC", "-fvisibility=hidden", *(f"-I{folder}" for folder in includes)]
    native = home / "native" / NATIVE
    shared: list[str | Path] = ["-shared", "-Wl,--no-undefined", "-Wl,--exclude-libs,ALL", "-o", native]
    native.parent.mkdir(exist_ok=True)
    libraries: list[str | Path] = [place.library / "lib/libquiche.a", "-lstdc++", "-lpthread", "-ldl", "-lm"]
    run(["cc", *options, *shared, *(home / name for name in SOURCES), *libraries])


def runs(program: Program, place: Place) -> Sequence[Run]:
    home = place.folder(program)
    path = f"{home / 'classes'}{os.pathsep}{home / 'jars'}/*"
    start = ["NettyServer", "{port}", "{certs}/cert.pem", "{certs}/priv.key", "{folder}/qlog"]
    relinked = ["java", f"-Djava.library.path={home / 'native'}", "-cp", path, *start]
    options = ("--http09",)
    return [
        Run("Netty, as published", "as it is", "cubic", ["java", "-cp", path, *start], options=options),
        Run("Netty, relinked", "relink", "cubic", relinked, options=options),
        Run("Netty, hybrid", "relink and environment", "hybrid", relinked, FORCED, options=options),
        Run("Netty, held", "relink and environment, held", "hybrid", relinked, HELD, options=options),
    ]
