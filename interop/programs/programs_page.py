"""docs/results/programs.md, from the table, `page.template` and what the trials recorded."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from table import HERE, REPOSITORY, Program
from trial import BUFFER, DELAY, RATE, SIZE, Result

PAGE = REPOSITORY / "docs/results/programs.md"
FRAME = HERE / "page.template"
PACED = "cc-server"


class Outcome(msgspec.Struct):
    """What became of a program."""

    commit: str
    results: list[Result]
    error: str = ""

    def complete(self) -> bool:
        """Whether every run gave what it should: each controller of ours is proved, and none ran unasked."""
        return not self.error and not any(result.error or _unproved(result) for result in self.results)


def _unproved(result: Result) -> bool:
    """A controller set by configuration is proved by a trace or, where the program writes none, by its delay."""
    if result.way == "configuration":
        return False
    return (result.asked == "hybrid") != bool(result.proof)


def told(result: Result) -> str:
    """One line for the terminal."""
    figures = "" if result.p95_ms is None else f"p95 {result.p95_ms:.1f} ms, loss {100 * (result.loss or 0):.2f} %; "
    return f"{result.run} ({result.way}): {figures}{'; '.join(result.proof)}{result.error}"


def text(programs: Sequence[Program], outcomes: Mapping[str, Outcome]) -> str:
    commits = sorted({outcome.commit for outcome in outcomes.values()})
    parts = {
        "commit": " and ".join(commits),
        "path": f"{_spaced(RATE)} with {_spaced(DELAY)} each way and a drop-tail buffer of {_spaced(BUFFER)}",
        "size": f"{SIZE / 1e6:g} MB",
        "programs": "\n".join(_programs(programs, outcomes)),
        "delays": "\n".join(_delays(programs, outcomes)),
        "reasons": "\n".join(_reasons(programs, outcomes)),
        "commands": "\n".join(_commands(programs, outcomes)),
    }
    page = FRAME.read_text()
    for name, part in parts.items():
        page = page.replace(f"{{{name}}}", part)
    return page


def _spaced(value: str) -> str:
    number = value.rstrip("Mbpsm")
    return f"{number} {value[len(number) :].replace('Mbps', 'Mbit/s')}"


def _programs(programs: Sequence[Program], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    yield "| program | from | selects | runs `hybrid` by | proved by |"
    yield "|---|---|---|---|---|"
    for program in programs:
        outcome = outcomes.get(program.name)
        if program.recipe and outcome and not outcome.error:
            ran = _with_hybrid(outcome)
            ways = list(dict.fromkeys(result.way for result in ran))
            proofs = list(dict.fromkeys(proof for result in ran for proof in _proofs(result)))
            named = f"[{program.name}]({program.homepage}) {program.version}"
            yield f"| {named} | {program.source} | {program.selects} | {', or by '.join(ways)} | {', '.join(proofs)} |"


def _with_hybrid(outcome: Outcome | None) -> list[Result]:
    """What ran with `hybrid`, without the runs that are the same again with packets held back."""
    results = outcome.results if outcome else []
    return [result for result in results if result.asked == "hybrid" and not result.error and "held" not in result.way]


def _proofs(result: Result) -> Iterator[str]:
    for proof in result.proof:
        yield "`cc:parameters_set` in its qlog" if proof.startswith("qlog: ") else "the library's line in its log"
    if not result.proof:
        yield "its delay, by configuration"


def _delays(programs: Sequence[Program], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    yield "| program | controller | chosen by | p95 queueing delay | lost |"
    yield "|---|---|---|---|---|"
    for name in [*(program.name for program in programs), PACED]:
        outcome = outcomes.get(name)
        for result in outcome.results if outcome else ():
            if result.p95_ms is None:
                continue
            lost = 100 * (result.loss or 0.0)
            delay = f"{result.p95_ms:.1f} ms"
            if result.others_ms:
                delay += f" ({' and '.join(f'{other:.1f}' for other in result.others_ms)})"
            yield f"| {name} | {result.asked} | {result.way} | {delay} | {lost:.2f} % |"


def _reasons(programs: Sequence[Program], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    yield "| program | why not |"
    yield "|---|---|"
    for program in programs:
        outcome = outcomes.get(program.name)
        reason = program.reason
        if program.recipe:
            reason = outcome.error if outcome else "it was not tried"
            failed = [f"{result.run}: {result.error}" for result in outcome.results if result.error] if outcome else []
            reason = "; ".join([reason, *failed] if reason else failed)
        if reason:
            yield f"| [{program.name}]({program.homepage}) {program.version} | {' '.join(reason.split())} |"


def _commands(programs: Sequence[Program], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    yield "| program | command |"
    yield "|---|---|"
    for program in programs:
        for result in _with_hybrid(outcomes.get(program.name)):
            yield f"| {program.name} | `{result.command}` |"
