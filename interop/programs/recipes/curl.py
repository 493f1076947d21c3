"""curl from Debian's source, with its quiche backend: an upload, which is where its controller matters.

It is linked as curl's documents say: with the shared libquiche, and with the BoringSSL that is in it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from obtain import archives, boringssl, run, unpack
from table import REPOSITORY, Place, Program
from trial import FORCED, HELD, SIZE, Run

WITHOUT = ("libpsl", "zlib", "brotli", "zstd", "nghttp2", "libidn2")
DISABLED = (
    "shared", "ldap", "manual", "docs", "ftp", "file", "rtsp", "dict", "telnet", "tftp", "pop3", "imap", "smb", "smtp",
    "gopher", "mqtt", "dependency-tracking",
)  # fmt: skip


def build(program: Program, place: Place) -> None:
    # The server at the other end is the matrix's.
    matrix = REPOSITORY / "interop/matrix/run.py"
    run([sys.executable, matrix, "--build-dir", place.build, "install", "aioquic"])
    home = place.folder(program)
    if (home / "curl").exists():
        return
    (archive,) = archives(program, place)
    source = unpack(archive, home / "src")
    options = [f"--with-openssl={boringssl(place)}", f"--with-quiche={place.library / 'lib/pkgconfig'}"]
    options += [f"--without-{name}" for name in WITHOUT] + [f"--disable-{name}" for name in DISABLED]
    run(["./configure", *options, "LIBS=-lstdc++ -lpthread -lm", f"LDFLAGS=-Wl,-rpath,{place.library / 'lib'}"], source)
    run(["make", "-C", "lib"], source)
    run(["make", "-C", "src", "curl"], source)
    (home / "curl").write_bytes((source / "src/curl").read_bytes())
    (home / "curl").chmod(0o755)


def runs(program: Program, place: Place) -> Sequence[Run]:
    peer = place.build / "peers/aioquic"
    example = peer / "src/aioquic/examples/http3_server.py"
    serve = [str(peer / "venv/bin/python"), str(example), "--host", "127.0.0.1", "--port", "{port}"]
    serve += ["--certificate", "{certs}/cert.pem", "--private-key", "{certs}/priv.key"]
    send = [str(place.folder(program) / "curl"), "--silent", "--show-error", "--http3-only", "--insecure"]
    send += ["--data-binary", "@{folder}/body", "--output", "/dev/null", "https://127.0.0.1:{peer}/echo"]
    traced = {"QLOGDIR": "{folder}/qlog"}
    body = {"body": "0" * SIZE}
    return [
        Run("curl", "as it is", "cubic", send, traced, body, peer=serve, bulk="up"),
        Run("curl, hybrid", "environment", "hybrid", send, traced | dict(FORCED), body, peer=serve, bulk="up"),
        Run("curl, held", "environment, held", "hybrid", send, traced | dict(HELD), body, peer=serve, bulk="up"),
    ]
