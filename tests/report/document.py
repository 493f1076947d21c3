"""The report as one document in Markdown."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from stages import Settings, Stage, digest, state_of
from verdicts import Verdict, claims, entries, verdicts

TITLE = "The default profile of hybrid, beside cubic and bbr2"
ABOUT = """Made by `cmake --build build --target report`: whole quiche connections in virtual time, the same on every
machine, and the controllers alone where it says so. How the lab works stands in docs/lab.md, what `hybrid` does in
docs/papers/hybrid.md."""


def document(settings: Settings, stages: Sequence[Stage]) -> str:
    """Of what all stages left, in this call or before."""
    program = digest([settings.lab])
    parts = [f"# {TITLE}", ABOUT, f"cc-lab: sha256 {program[:16]}.", "## Targets", table(_verdicts(settings, stages))]
    remarks = [_remark(settings, stage, program) for stage in stages]
    parts.append(
        "\n".join(f"- {stage.title}: {remark}" for stage, remark in zip(stages, remarks, strict=True) if remark)
    )
    for stage, remark in zip(stages, remarks, strict=True):
        parts += [f"## {stage.title}", remark, _report(settings, stage)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _verdicts(settings: Settings, stages: Sequence[Stage]) -> list[Verdict]:
    """Of the results of stages that have a report: others may have left some that are older."""
    reported = {stage.name for stage in stages if (settings.out / stage.name / stage.report).is_file()}

    def left(stage: str, name: str) -> bytes | None:
        return (settings.out / stage / name).read_bytes() if stage in reported else None

    suites = {name: entries(left(name, "results.json")) for name in ("paths", "held-out")}
    skipped = b"| skipped: " in (left("targets", "report.md") or b"")
    cost = (left("cost", "report.md") or b"").decode()
    return verdicts(suites, claims(left("targets", "claims.json")), cost, skipped)


def table(found: Sequence[Verdict]) -> str:
    rows = [f"| {v.number} | {v.target} | **{v.verdict}** | {v.found.replace('|', '/')} |" for v in found]
    return "\n".join(["| | target | verdict | found |", "|---|---|---|---|", *rows])


def _report(settings: Settings, stage: Stage) -> str:
    folder = settings.out / stage.name
    if not (folder / stage.report).is_file():
        return ""
    text = (folder / stage.report).read_text(encoding="utf-8")
    if stage.figure and (folder / stage.figure).is_file():
        text += f"\n\n![{stage.figure}]({stage.figure})"
    return embedded(text, stage.name)


def _remark(settings: Settings, stage: Stage, program: str) -> str:
    """What a reader has to know about the stage; nothing if it is whole and of today."""
    if stage.needs and not stage.needs.exists():
        return f"Left out: there is no `{stage.needs.name}`."
    state = state_of(settings, stage)
    if state is None:
        return f"**Not run yet**, or interrupted: `--only {stage.name}` runs it alone."
    if not state.done:
        return f"**Did not finish**: {state.message}."
    if state.lab != program:
        return "**Made with another build of cc-lab** than the one above."
    return ""


def embedded(markdown: str, folder: str) -> str:
    """A report as a section: without its title, headings one level down, figures in its folder. Code stays as it is."""
    lines, code = [], False
    for line in markdown.strip().splitlines():
        code ^= line.startswith("```")
        if not code:
            if line.startswith("# "):
                continue
            line = re.sub(r"^(#+) ", r"#\1 ", line)
            line = re.sub(r"(!\[[^\]]*\])\(([^)]+)\)", rf"\1({folder}/\2)", line)
        lines.append(line)
    return "\n".join(lines).strip()


def write(settings: Settings, stages: Sequence[Stage]) -> Path:
    """Writes index.md, of which `cc-lab page` makes the page."""
    path = settings.out / "index.md"
    settings.out.mkdir(parents=True, exist_ok=True)
    path.write_text(document(settings, stages), encoding="utf-8")
    return path
