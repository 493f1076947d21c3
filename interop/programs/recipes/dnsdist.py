"""dnsdist from Debian's source, with DNS over QUIC and over HTTP/3 and without nearly all else.

It answers by itself, with as much text as an answer holds; many answers over one connection are a download.
"""

from __future__ import annotations

import base64
import struct
from collections.abc import Mapping, Sequence

from obtain import archives, packages, run, unpack
from table import Place, Program
from trial import FORCED, SIZE, Run

WITHOUT = (
    "libsodium", "libedit", "re2", "ebpf", "xsk", "net-snmp", "libcap", "gnutls", "nghttp2", "cdb", "lmdb",
)  # fmt: skip
# Records of one answer, which has to fit into 4096 bytes.
RECORDS = 15
# Answers under way: 127 kB, five times what the path holds without a queue. dnsdist resets a stream when
# quiche has no room for the beginning of its answer, so some are refused.
IN_FLIGHT = 32
CONFIGURATION = """
setACL('127.0.0.0/8')
setSecurityPollSuffix('')
local answer = {{}}
for record = 1, {records} do
  answer[record] = '\\250' .. string.rep('x', 250)
end
addAction(AllRule(), SpoofRawAction(answer, {{typeForAny=DNSQType.TXT}}))
addDOH3Local('127.0.0.1:{{port}}', '{{certs}}/cert.pem', '{{certs}}/priv.key', {{maxInFlight={in_flight}{options}}})
"""


def build(program: Program, place: Place) -> None:
    home = place.folder(program)
    if (home / "dnsdist").exists():
        return
    packages(program.packages)
    (archive,) = archives(program, place)
    source = unpack(archive, home / "src")
    options = ["--enable-dns-over-quic", "--enable-dns-over-http3", "--with-quiche", "--with-lua=luajit"]
    options += [f"--without-{name}" for name in WITHOUT]
    options += ["--disable-dnstap", "--disable-hardening", "--disable-dependency-tracking"]
    # The build costs a third without optimisation.
    options += ["CXXFLAGS=-O1 -g0", "CFLAGS=-O1 -g0", f"LDFLAGS=-Wl,-rpath,{place.library / 'lib'}"]
    options += [f"PKG_CONFIG_PATH={place.library / 'lib/pkgconfig'}"]
    run(["./configure", *options], source)
    run(["make", "dnsdist"], source)
    (home / "dnsdist").write_bytes((source / "dnsdist").read_bytes())
    (home / "dnsdist").chmod(0o755)


def runs(program: Program, place: Place) -> Sequence[Run]:
    command = [
        str(place.folder(program) / "dnsdist"),
        "--supervised",
        "--disable-syslog",
        "-C",
        "{folder}/dnsdist.conf",
    ]

    def one(name: str, way: str, asked: str, options: str, forced: Mapping[str, str]) -> Run:
        text = CONFIGURATION.format(records=RECORDS, in_flight=IN_FLIGHT, options=options)
        queries = [_query(number) for number in range(SIZE // (RECORDS * 265))]
        return Run(name, way, asked, command, forced, {"dnsdist.conf": text}, queries, ("--parallel",), refuses=True)

    return [
        one("dnsdist", "as it is", "reno", "", {}),
        one("dnsdist, hybrid", "configuration", "hybrid", ", congestionControlAlgo='hybrid'", {}),
        one("dnsdist, hybrid by QUICHE_CC", "environment", "hybrid", "", FORCED),
    ]


def _query(number: int) -> str:
    """A question for TXT over HTTP/3 (RFC 8484, section 4.1.1)."""
    header = struct.pack("!6H", 0, 0x0100, 1, 0, 0, 0)
    name = f"q{number}".encode()
    question = bytes([len(name)]) + name + b"\x07example\x00" + struct.pack("!2H", 16, 1)
    return "/dns-query?dns=" + base64.urlsafe_b64encode(header + question).decode().rstrip("=")
