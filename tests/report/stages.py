"""What the report is made of: programs that are called, and what each of them leaves."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from verdicts import SUBJECT

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Settings:
    """Where things are, and how much may be used."""

    build: Path
    out: Path
    suites: Mapping[str, Path]
    """By the stage."""
    targets: Path
    jobs: int
    again: bool
    measured: str | None
    """Controllers whose runs of suites are made: those of hybrid where there are known results, else all, if none."""
    stored: bool
    """Whether no run of a suite is made."""
    known: Mapping[str, Path]
    """By the stage, results of suites that stand in for runs that are not made."""
    recordings: Path | None

    @property
    def lab(self) -> Path:
        return self.build / "bin" / "cc-lab"


@dataclass(frozen=True)
class Stage:
    """A part of the report. Its report in Markdown is the file `report` of its folder."""

    name: str
    title: str
    commands: Sequence[Sequence[str | Path]]
    report: str = "report.md"
    figure: str = ""
    """A figure of its folder that the report does not show."""
    prints_report: bool = False
    """Whether the last command prints the report instead of writing it."""
    finished: frozenset[int] = frozenset({0})
    """Exit codes with which the last command is done."""
    inputs: Sequence[Path] = ()
    """For a program that does not keep its results itself: what they depend on."""
    needs: Path | None = None
    """What has to be there; without it the stage is left out and the page says so."""
    environment: Mapping[str, str] = field(default_factory=dict)


class State(msgspec.Struct, frozen=True):
    """How a stage ended, kept beside its report."""

    lab: str
    inputs: str
    done: bool
    message: str = ""


def all_stages(settings: Settings) -> list[Stage]:
    return [*_of_the_lab(settings), *_of_the_controllers(settings)]


def _of_the_lab(settings: Settings) -> list[Stage]:
    lab = settings.lab
    again = ("--again",) if settings.again else ()
    jobs = ("--jobs", str(settings.jobs))
    stored = ("--stored",) if settings.stored else again

    def compare(name: str, title: str) -> Stage:
        known = settings.known.get(name)
        measured = settings.measured or (SUBJECT if known else None)
        some = ("--measure", measured) if measured else ()
        others = ("--known", from_root(known)) if known else ()
        return Stage(name, title, [(*command(name), *some, *others)])

    def command(name: str) -> tuple[str | Path, ...]:
        return (lab, "compare", settings.suites[name], "--out", settings.out / name, *jobs, *stored)

    def of_one_build(name: str, title: str) -> Stage:
        """Of all its controllers, and neither known results nor runs of other builds: the README says so."""
        return Stage(name, title, [command(name)])

    recordings = ("--recordings", settings.recordings) if settings.recordings else ()
    claims = (
        lab,
        "claims",
        "--claims",
        settings.targets,
        "--out",
        settings.out / "targets",
        *jobs,
        *again,
        *recordings,
    )
    cost = (sys.executable, ROOT / "tests" / "cost" / "cost.py", "--cc", "cubic,bbr2,hybrid")
    return [
        of_one_build("headline", "One flow over a wired access link"),
        of_one_build("headline-wifi", "One flow over an access link that is Wi-Fi"),
        compare("paths", "One flow over the paths that the profile is for"),
        compare("held-out", "One flow over paths between them"),
        # With code 1 it says that a claim does otherwise than its file expects; the report has the verdicts.
        Stage(
            "targets",
            "Targets beside competing flows and under disturbance",
            [claims],
            finished=frozenset({0, 1}),
            needs=settings.targets,
        ),
        Stage(
            "cost",
            "Instructions per ACK",
            [cost],
            prints_report=True,
            inputs=[lab, *sorted((ROOT / "tests" / "cost").glob("*.*"))],
        ),
    ]


def _of_the_controllers(settings: Settings) -> list[Stage]:
    """Programs on the controllers alone, without quiche."""
    cargo = os.environ.get("CARGO", "cargo")
    examples = settings.build / "target" / "release" / "examples"

    def build(example: str) -> tuple[str, ...]:
        return (
            cargo,
            "build",
            "--release",
            "--locked",
            "-p",
            "quiche-cc",
            "--no-default-features",
            "--example",
            example,
        )

    search = ROOT / "tests" / "search"
    environment = {"PYTHONPATH": str(search.parent), "QUICHE_CC_BUILD_DIR": str(settings.build)}

    def searching(stage: str, command: str) -> tuple[str | Path, ...]:
        return (sys.executable, "-m", "search", command, "--out", settings.out / stage, "--jobs", str(settings.jobs))

    return [
        Stage(
            "ablation",
            "What each mechanism earns",
            [build("ablation"), (examples / "ablation",)],
            prints_report=True,
            inputs=[examples / "ablation"],
        ),
        Stage(
            "search",
            "What a search finds, on the training set and on the validation set",
            [build("evaluate"), searching("search", "run"), searching("search", "judge")],
            report="judge.md",
            figure="trade-off.svg",
            inputs=[examples / "evaluate", *sorted(search.glob("*.*"))],
            needs=search,
            environment=environment,
        ),
        Stage(
            "sensitivity",
            "Sensitivity of the constants",
            [build("evaluate"), searching("sensitivity", "sensitivity")],
            report="search.md",
            inputs=[examples / "evaluate", *sorted(search.glob("*.*"))],
            needs=search,
            environment=environment,
        ),
    ]


def from_root(path: Path) -> Path:
    """As the report names it: what is in the repository by its place there, from where programs are called."""
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def digest(files: Iterable[Path]) -> str:
    """Of the files' contents; those that are missing count as such."""
    whole = hashlib.sha256()
    for file in files:
        content = file.read_bytes() if file.is_file() else b""
        whole.update(hashlib.sha256(content).digest())
    return whole.hexdigest()


def state_of(settings: Settings, stage: Stage) -> State | None:
    """How the stage ended when it was last run."""
    try:
        return msgspec.json.decode((settings.out / stage.name / "state.json").read_bytes(), type=State)
    except (OSError, msgspec.DecodeError):
        return None


def run(settings: Settings, stage: Stage) -> State:
    """Runs the stage, unless what it depends on is as it was, and keeps how it ended."""
    folder = settings.out / stage.name
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / stage.report
    *preparing, last = stage.commands
    message = ""
    for command in preparing:
        message = message or _call(stage, command, frozenset({0}))
    inputs = digest(stage.inputs)
    before = state_of(settings, stage)
    if not settings.again and stage.inputs and before and before.done and before.inputs == inputs and report.is_file():
        print(f"{stage.name}: nothing changed", file=sys.stderr, flush=True)
        return before
    # What an earlier call left is not taken for this one's, also if this one is interrupted.
    for left in (report, folder / "state.json"):
        left.unlink(missing_ok=True)
    message = message or _call(stage, last, stage.finished, report if stage.prints_report else None)
    if not message and not report.is_file():
        message = f"{report.name} was not written"
    elif message and report.is_file():
        message += ", and its report says what is missing"
    state = State(digest([settings.lab]), inputs, not message, message)
    (folder / "state.json").write_bytes(msgspec.json.format(msgspec.json.encode(state), indent=1))
    return state


def _call(stage: Stage, command: Sequence[str | Path], finished: frozenset[int], prints_to: Path | None = None) -> str:
    """Why the command is not done; nothing if it is. What it says of its progress is seen."""
    words = [str(word) for word in command]
    out = subprocess.PIPE if prints_to else subprocess.DEVNULL
    try:
        result = subprocess.run(
            words, stdout=out, cwd=ROOT, env={**os.environ, **stage.environment}, text=True, check=False
        )
    except OSError as error:
        return f"{words[0]} cannot be called: {error.strerror}"
    if result.returncode not in finished:
        return f"`{' '.join(Path(word).name for word in words[:2])}` ended with code {result.returncode}"
    if prints_to:
        prints_to.write_text(as_markdown(result.stdout), encoding="utf-8")
    return ""


def as_markdown(text: str) -> str:
    """A table in Markdown stays one; other text keeps its columns."""
    return text if text.lstrip().startswith("|") else f"```text\n{text.rstrip()}\n```\n"
