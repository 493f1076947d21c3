"""What the data files say: peers, cases and paths. docs/matrix.md describes them for people who add one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import msgspec

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parents[1]
PEERS = HERE / "peers"

# The part that the peer plays; ours is the other one.
Role = Literal["client", "server"]
ROLES: tuple[Role, ...] = ("client", "server")
OTHER: Mapping[Role, Role] = {"client": "server", "server": "client"}


class DataError(Exception):
    """A data file says something that cannot be; the message names the file and what is allowed."""


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, rename="kebab"):
    pass


class GoInstall(_Strict, frozen=True, tag_field="kind", tag="go"):
    """`go install PACKAGE@VERSION`; sum.golang.org vouches for what comes."""

    packages: Mapping[str, str]  # name of the program: package@version


class PypiInstall(_Strict, frozen=True, tag_field="kind", tag="pypi"):
    """An environment of its own from NAME.lock, and source distributions to unpack beside it."""

    requirements: Sequence[str]
    sources: Mapping[str, str] = {}  # NAME==VERSION: SHA-256


class CargoInstall(_Strict, frozen=True, tag_field="kind", tag="cargo"):
    """A crate in `peers/`, built from its Cargo.lock."""

    crate: str
    programs: Sequence[str]


class DebianInstall(_Strict, frozen=True, tag_field="kind", tag="debian"):
    """Packages with all that they need, unpacked; nothing is installed into the system. amd64."""

    suites: Sequence[str]  # the first that has a package wins
    packages: Sequence[str]
    programs: Mapping[str, str]  # name: path inside the packages
    without: Sequence[str] = ()  # packages that are named as needed and are not
    # With the C library of the packages or, for programs that start themselves again, with the system's.
    own_loader: bool = True


Install = GoInstall | PypiInstall | CargoInstall | DebianInstall


class End(_Strict, frozen=True):
    """How a peer is started in one role. Words in braces are filled in, see `template.py`."""

    alpn: Sequence[Literal["hq-interop", "h3"]]
    command: Sequence[str] = ()
    driver: Literal["command", "browser"] = "command"
    environment: Mapping[str, str] = {}
    files: Mapping[str, str] = {}  # written into the folder of its logs before the start
    host: Literal["address", "name"] = "address"  # what stands in URLs
    words: Mapping[str, Mapping[str, str]] = {}  # word in braces: case: text for it, otherwise nothing
    origin: bool = False  # needs {origin}, the port of an HTTP/1.1 server that has the files
    root: bool = False  # has to be root, or root in a user namespace
    port: int = 0  # a server's, if it cannot be told another one
    testcases: Mapping[str, str] = {}  # case: what {testcase} is, if not what the runner says
    h3: Sequence[str] = ()  # further arguments with HTTP/3,
    hq: Sequence[str] = ()  # and with HTTP/0.9
    cases: Mapping[str, Sequence[str]] = {}  # further arguments for a case
    first: Mapping[str, Sequence[str]] = {}  # instead of these, for the first of two connections
    both_in_one: bool = False  # one start makes both connections of a case that has two
    unsupported: Mapping[str, str] = {}  # case: reason


class Peer(_Strict, frozen=True):
    about: str
    version: str
    homepage: str
    install: Install
    client: End | None = None
    server: End | None = None
    missing_role: str = ""  # why there is no client, or no server
    tool: bool = False  # not a peer but something that the matrix uses
    name: str = ""

    def end(self, role: Role) -> End | None:
        return self.client if role == "client" else self.server


class Mischief(_Strict, frozen=True):
    """As `simulator.Mischief`."""

    corrupt: float = 0.0
    drop_to_server: Sequence[int] = ()
    own_addresses: bool = False


class Case(_Strict, frozen=True):
    short: str
    asks: str
    files: Sequence[int]  # sizes in bytes
    client: str = ""  # TESTCASE of our endpoint in this role, if it is not the case's name
    server: str = ""
    path: str = "runner"
    link: Mapping[str, str] = {}  # options of cc-link beside the path's
    mischief: Mischief = Mischief()  # in front of the server
    rebind: Sequence[float] = ()  # seconds at which a NAT gives the client another port
    chain: int = 1  # certificates between the root and the end
    family: Literal["ipv4", "ipv6"] = "ipv4"
    repeat: int = 1  # so often
    name_length: int = 10
    timeout: float = 60.0
    handshakes: int = 1
    one_by_one: bool = False  # a connection for each file
    first_alone: bool = False  # the first file on a connection of its own, the rest on one that resumes it
    checks: Sequence[str] = ()
    special: Sequence[Role] = ()  # roles that have to say in `cases` or `unsupported` what they do about it
    alpn: str = ""  # the only one that is allowed
    moves: bool = False  # whether the server prefers a second address
    cc: str = ""  # the controller that the case needs
    quick: bool = False
    name: str = ""


class Known(_Strict, frozen=True):
    """Why a cell is red, with a reference."""

    case: Sequence[str]
    reason: str
    peer: Sequence[str] = ()  # none: every one
    role: Sequence[Role] = ROLES


class _KnownFile(_Strict, frozen=True):
    known: Sequence[Known]


class Controllers(_Strict, frozen=True):
    """Downloads that measure the controllers."""

    path: str
    bytes: int
    timeout: float
    controllers: Sequence[str]


Path_ = Mapping[str, str]
T = TypeVar("T")


def read(path: Path, kind: type[T]) -> T:
    try:
        return msgspec.toml.decode(path.read_bytes(), type=kind)
    except (msgspec.DecodeError, OSError) as error:
        raise DataError(f"{path.name}: {error}") from error


class Data:
    """All data files, checked against each other."""

    def __init__(self) -> None:
        self.cases = {
            name: msgspec.structs.replace(case, name=name)
            for name, case in read(HERE / "cases.toml", dict[str, Case]).items()
        }
        self.paths = read(HERE / "paths.toml", dict[str, dict[str, str]])
        self.known = read(HERE / "known.toml", _KnownFile).known
        self.measurements = read(HERE / "controllers.toml", dict[str, Controllers])
        everything = {
            path.stem: msgspec.structs.replace(read(path, Peer), name=path.stem)
            for path in sorted(PEERS.glob("*.toml"))
        }
        self.peers = {name: peer for name, peer in everything.items() if not peer.tool}
        self.tools = {name: peer for name, peer in everything.items() if peer.tool}
        self._check()

    def _check(self) -> None:
        for case in self.cases.values():
            self._allowed(f"cases.toml: path of {case.name}", case.path, self.paths)
        for name, settings in self.measurements.items():
            self._allowed(f"controllers.toml: path of {name}", settings.path, self.paths)
        for known in self.known:
            for name in known.case:
                self._allowed("known.toml: case", name, self.cases)
            for name in known.peer:
                self._allowed("known.toml: peer", name, self.peers)
        for peer in self.peers.values():
            for role in ROLES:
                if end := peer.end(role):
                    self.check_end(f"{peer.name}.toml: {role}", end, role)
            if not (peer.client and peer.server) and not peer.missing_role:
                raise DataError(f"{peer.name}.toml: missing-role has to say why one of client and server is not there")

    def check_end(self, where: str, end: End, role: Role) -> None:
        for name in (*end.cases, *end.unsupported):
            self._allowed(f"{where}: case", name, self.cases)
        told = {*end.cases, *end.unsupported}
        silent = [case.name for case in self.cases.values() if role in case.special and case.name not in told]
        if silent:
            raise DataError(f"{where}: cases or unsupported has to name {', '.join(silent)}")

    @staticmethod
    def _allowed(what: str, name: str, allowed: Mapping[str, object]) -> None:
        if name not in allowed:
            raise DataError(f"{what} is {name!r}; allowed: {', '.join(allowed)}")

    def why_red(self, peer: str, role: Role, case: str) -> str:
        """The known reason for a failure, or nothing."""
        for known in self.known:
            if case in known.case and role in known.role and (not known.peer or peer in known.peer):
                return known.reason
        return ""
