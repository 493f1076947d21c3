"""The pinned upstream release: read the pin, get the crate with cargo, verify it, unpack it."""

from __future__ import annotations

import io
import os
import re
import subprocess
import tarfile
import tempfile
from dataclasses import dataclass
from pathlib import Path

from common import SeriesError, Tree, sha256

# cargo writes its own lock file and marker beside a crate; the workspace has a lock file already.
LEFT_OUT = frozenset({"Cargo.lock", ".cargo-ok"})


@dataclass(frozen=True)
class Upstream:
    name: str
    version: str
    sha256: str

    @property
    def crate(self) -> str:
        return f"{self.name}-{self.version}.crate"


def read_pin(path: Path) -> Upstream:
    """Parse UPSTREAM: `key: value` lines with exactly the keys name, version and sha256."""
    if not path.is_file():
        raise SeriesError(f"{path} is missing: it names the upstream release (name, version, sha256)")
    values: dict[str, str] = {}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        key, separator, value = line.partition(":")
        if not separator or key not in ("name", "version", "sha256") or key in values:
            raise SeriesError(
                f"{path}:{number}: `{line}`: expected one line each of `name: ...`, `version: ...`, `sha256: ...`"
            )
        values[key] = value.strip()
    for key, pattern in (
        ("name", r"[A-Za-z0-9_-]+"),
        ("version", r"[0-9A-Za-z.+-]+"),
        ("sha256", r"[0-9a-f]{64}"),
    ):
        if not re.fullmatch(pattern, values.get(key, "")):
            raise SeriesError(f"{path}: `{key}` is missing or malformed: `{values.get(key, '')}`")
    return Upstream(**values)


def pristine(pin: Upstream, repository: Path) -> Tree:
    """The files of the pinned release, verified, without cargo's own additions."""
    return unpack(pin, verified_crate(pin, repository))


def verified_crate(pin: Upstream, repository: Path) -> bytes:
    """The bytes of the .crate: from cargo's cache, or fetched into it first."""
    found = cached_crates(pin)
    if not found:
        fetch(pin, repository)
        found = cached_crates(pin)
    if not found:
        raise SeriesError(
            f"cargo fetched {pin.name} {pin.version}, but no {pin.crate} lies in {cargo_home() / 'registry/cache'}; "
            "a `directory` or `local-registry` source replacement is not supported here"
        )
    sums = {}
    for path in found:
        data = path.read_bytes()
        sums[path] = sha256(data)
        if sums[path] == pin.sha256:
            return data
    listing = "\n".join(f"  found    {value}  {path}" for path, value in sums.items())
    raise SeriesError(
        f"the checksum of {pin.crate} is not the pinned one:\n  expected {pin.sha256}  (UPSTREAM)\n{listing}\n"
        "If the pin is right, delete the file and run again."
    )


def cargo_home() -> Path:
    return Path(os.environ.get("CARGO_HOME") or Path.home() / ".cargo")


def cached_crates(pin: Upstream) -> list[Path]:
    # One folder per registry; its name depends on the index or mirror that is configured.
    return sorted((cargo_home() / "registry" / "cache").glob(f"*/{pin.crate}"))


def fetch(pin: Upstream, repository: Path) -> None:
    """Let cargo download the crate through a throw-away package that depends on it.

    The workspace itself cannot resolve yet: the patched tree is one of its members. The
    package gets the workspace's Cargo.lock, so that cargo brings the versions that the
    build needs anyhow and no others.
    """
    print(f"fetching {pin.name} {pin.version} from the crate registry with cargo", flush=True)
    cargo = cargo_program()
    with tempfile.TemporaryDirectory(prefix="quiche-cc-fetch-") as folder:
        manifest = throw_away_package(Path(folder), pin.name, f"={pin.version}")
        lock = repository / "Cargo.lock"
        if lock.is_file():
            manifest.with_name("Cargo.lock").write_bytes(lock.read_bytes())
        # Started in the repository, so that its cargo configuration (a mirror, say) counts.
        command = [cargo, "fetch", "--manifest-path", str(manifest), *host_only()]
        try:
            status = subprocess.run(command, cwd=repository, check=False).returncode
        except FileNotFoundError:
            raise SeriesError(f"`{cargo}` was not found; install Rust (https://rustup.rs)") from None
    if status != 0:
        raise SeriesError(f"cargo could not fetch {pin.name} {pin.version} (its message is above)")


def cargo_program() -> str:
    return os.environ.get("CARGO", "cargo")


def throw_away_package(folder: Path, name: str, requirement: str) -> Path:
    """The manifest of a package that depends on the crate, and is nothing else."""
    (folder / "lib.rs").touch()
    manifest = folder / "Cargo.toml"
    manifest.write_text(
        '[package]\nname = "upstream-source"\nversion = "0.0.0"\nedition = "2021"\n'
        f'[lib]\npath = "lib.rs"\n[dependencies]\n{name} = "{requirement}"\n[workspace]\n'
    )
    return manifest


def host_only() -> list[str]:
    """The option that keeps cargo from fetching other platforms' crates as well, tens of megabytes."""
    try:
        answer = subprocess.run(["rustc", "-vV"], capture_output=True, text=True, check=False).stdout
    except FileNotFoundError:
        return []
    host = re.search(r"^host: (\S+)$", answer, re.MULTILINE)
    return ["--target", host.group(1)] if host else []


def unpack(pin: Upstream, crate: bytes) -> Tree:
    root = f"{pin.name}-{pin.version}/"
    tree: Tree = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(crate), mode="r:gz") as archive:
            for member in archive:
                if member.isdir():
                    continue
                content = archive.extractfile(member) if member.isfile() else None
                name = member.name.removeprefix(root)
                if content is None or name == member.name or ".." in name.split("/"):
                    raise SeriesError(f"{pin.crate}: unexpected entry `{member.name}`")
                if name not in LEFT_OUT:
                    tree[name] = content.read()
    except (tarfile.TarError, EOFError, OSError) as error:
        raise SeriesError(f"{pin.crate} cannot be unpacked: {error}") from error
    return tree
