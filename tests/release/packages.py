"""Makes all packages of a release from the commit that is checked out, and their checksums."""

from __future__ import annotations

import hashlib
import os
import shutil
import tarfile
from pathlib import Path

import crates
import versions
from steps import Failure, Report, run

SUMS = "SHA256SUMS"


def check_tree(rehearse: bool) -> list[str]:
    """What stands against a release, but in a rehearsal is only said."""
    changed = run("git", "status", "--porcelain").splitlines()
    found = versions.problems()
    if changed:
        found.insert(0, f"not committed: {', '.join(line[3:] for line in changed[:5])}{' ...' * (len(changed) > 5)}")
    if found and not rehearse:
        raise Failure("\n".join(found))
    return found


def make(build: Path, out: Path, report: Report, rehearse: bool) -> None:
    """All packages, in the folder, with nothing of an earlier release."""
    with report.step("the tree, and versions wherever they are stated"):
        for problem in check_tree(rehearse):
            report.fact(f"REHEARSAL: {problem}")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    # Packages of one commit are the same whenever they are made, as far as their tools can.
    os.environ["SOURCE_DATE_EPOCH"] = run("git", "log", "-1", "--format=%ct").strip()
    work = out / "work"
    with report.step("sources"):
        tree = sources(out, work)
    with report.step("archives and Debian packages of library and server"):
        binaries(build, out, work)
    with report.step("wheel and sources of qlog-analysis"):
        python_packages(build, tree / "qlog-analysis", out)
    with report.step("crates"):
        rust_crates(build, out, report)
    shutil.rmtree(work)
    for path in write_sums(out):
        report.fact(f"{path.name}: {path.stat().st_size / 1e6:.2f} MB")


def sources(out: Path, work: Path) -> Path:
    """The archive of the commit; the tree as it was unpacked."""
    name = f"quiche-cc-{versions.version()}"
    archive = out / f"{name}-source.tar.gz"
    run("git", "archive", f"--prefix={name}/", "--format=tar.gz", f"--output={archive}", "HEAD")
    with tarfile.open(archive) as packed:
        packed.extractall(work, filter="data")
    return work / name


def binaries(build: Path, out: Path, work: Path) -> None:
    """CPack's packages of what was built."""
    run("cpack", "--config", build / "CPackConfig.cmake", "-B", work / "cpack")
    made = [path for path in (work / "cpack").glob("*") if path.name.endswith((".deb", ".tar.gz"))]
    for path in made:
        if versions.version() not in path.name:
            raise Failure(f"{path.name} is not of version {versions.version()}: configure the build anew")
        shutil.move(path, out)
    if not made:
        raise Failure(f"CPack made nothing of {build}")


def python_packages(build: Path, project: Path, out: Path) -> None:
    """In an environment of the backend's own, which is what pip makes of it elsewhere, too."""
    run(build / "venv" / "bin" / "python", "-m", "build", "--outdir", out, project)


def rust_crates(build: Path, out: Path, report: Report) -> None:
    """Those that a registry would take, built from their packages alone; the reasons why the others are kept back."""
    needs = crates.members()
    names = crates.published(needs)
    chosen = [word for name in names for word in ("--package", name)]
    target = build / "package-target"
    run(crates.CARGO, "package", "--locked", "--allow-dirty", "--target-dir", target, *chosen)
    for name in names:
        shutil.copy(target / "package" / f"{name}-{versions.version()}.crate", out)
    crates.check_that_quiche_keeps_it_back()
    for name, reason in sorted(crates.kept_back(needs).items()):
        report.fact(f"not a crate to publish: {name}: {reason}")


def write_sums(out: Path) -> list[Path]:
    """As `sha256sum --check` reads them. All packages."""
    packages = sorted(path for path in out.iterdir() if path.is_file() and path.name != SUMS)
    lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in packages]
    (out / SUMS).write_text("".join(lines), encoding="utf-8")
    return packages
