"""What the commands do, and how it ends."""

from __future__ import annotations

import contextlib
import json
import sys
import tempfile
from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Any, Generic, TypeVar

from . import hints, junit, qvis
from .check.run import check as judge
from .check.verdict import Outcome, Verdict
from .check.whole import Checked
from .check.whole import check as check_all
from .errors import AnalysisError
from .explain.as_json import to_json as story_json
from .explain.explanation import explain as explained
from .explain.story import Story, tell
from .explain.text import to_text as story_text
from .linklog import LinkLog, read_link_log
from .load import Choice, load
from .metrics import Flow, TraceMetrics, fairness, fairness_text, flow_of, measure_alone
from .metrics import to_text as metrics_text
from .model import Trace
from .nearby import is_folder
from .output import STANDARD_OUTPUT, keep_apart, write_text
from .plots.panels import panels


class Code(IntEnum):
    """Exit codes; the help and the README list them."""

    OK = 0
    VIOLATIONS = 1
    UNSUITABLE = 2
    NO_LAW = 3
    PARTLY = 4


_OF_OUTCOME = {Outcome.PASS: Code.OK, Outcome.FAIL: Code.VIOLATIONS, Outcome.INCONCLUSIVE: Code.UNSUITABLE}
_GRAVEST_FIRST = (Code.VIOLATIONS, Code.UNSUITABLE, Code.NO_LAW, Code.OK)

MANY_EVENTS, FEWER = 200_000, 100_000
"""More than that qvis draws slowly (README, "Export for qvis"); what is proposed instead."""

T = TypeVar("T")
J = TypeVar("J", Verdict, Checked)


@dataclass(frozen=True, slots=True)
class Tried(Generic[T]):
    """One of the traces that were given: what came of it, or why it could not be used."""

    path: Path
    result: T | None
    error: AnalysisError | None


@dataclass(frozen=True, slots=True)
class Used(Generic[T]):
    """What came of several traces, each for itself: an unusable one is named and does not keep the others back."""

    tried: list[Tried[T]]

    @classmethod
    def of(cls, paths: list[Path], use: Callable[[Path], T], *, judges: bool = False) -> Used[T]:
        return cls([cls._try(path, use, judges) for path in paths])

    @staticmethod
    def _try(path: Path, use: Callable[[Path], T], judges: bool) -> Tried[T]:
        try:
            return Tried(path, use(path), None)
        except AnalysisError as e:
            print(f"qlog-analysis: {e}{hints.after(e, judges=judges)}", file=sys.stderr)
            return Tried(path, None, e)

    @property
    def results(self) -> list[T]:
        return [t.result for t in self.tried if t.result is not None]

    @property
    def errors(self) -> list[AnalysisError]:
        return [t.error for t in self.tried if t.error is not None]

    def code(self, verdicts: list[Code]) -> Code:
        """The exit code of all; `verdicts` are those of the traces that could be used."""
        if self.errors:
            return Code.PARTLY if self.results else Code.UNSUITABLE
        return next(code for code in _GRAVEST_FIRST if code in verdicts)

    def done(self) -> Code:
        """The exit code of commands that give no verdict."""
        return self.code([Code.OK] * len(self.results))

    def write_json(self, path: Path | None, to_json: Callable[[T], dict[str, Any]]) -> None:
        """One object for one trace, a list for several; of a trace that could not be used the reason."""
        if path is None:
            return
        rows = [
            to_json(t.result) if t.result is not None else {"trace": str(t.path), "error": str(t.error)}
            for t in self.tried
        ]
        write_text(path, json.dumps(rows[0] if len(rows) == 1 else rows, indent=1, allow_nan=False) + "\n")


def _choice(args: Namespace) -> Choice:
    """A verdict holds only if every record was read; figures are of use without one or the other."""
    skip = not args.judges and not args.strict
    return Choice(args.allow_truncated or skip, skip, args.connection)


def _load(args: Namespace, path: Path) -> Trace:
    return _told(path, _choice(args))


def _told(path: Path, choice: Choice) -> Trace:
    """Reads a trace and says what of it is not used."""
    trace = load(path, choice)
    for note in trace.unused:
        print(f"qlog-analysis: {path}: {note}", file=sys.stderr)
    return trace


def check(args: Namespace) -> Code:
    records = _beside(args.record, args.traces, "--record", "records")

    def use(path: Path) -> Checked:
        checked = check_all(_load(args, path), records.get(path))
        if checked.without_law is not None:
            why = checked.without_law
            print(f"qlog-analysis: {why}{hints.after(why, judges=True)}", file=sys.stderr)
        return checked

    used = _judge(args, "check", use)
    return used.code([Code.NO_LAW if c.outcome is None else _OF_OUTCOME[c.outcome] for c in used.results])


def _beside(given: list[Path], traces: list[Path], option: str, what: str) -> dict[Path, Path]:
    """What was given of each trace; of all the same if it was given once."""
    if len(given) == 1:
        given *= len(traces)
    if given and len(given) != len(traces):
        raise AnalysisError(
            f"{len(given)} {what} for {len(traces)} traces: give {option} once for all, or as often as there are "
            "traces, in the same order"
        )
    return dict(zip(traces, given, strict=False))


def zones(args: Namespace) -> Code:
    def use(path: Path) -> Verdict:
        return judge(_load(args, path), "hybrid")

    used = _judge(args, "zones", use)
    # A trace of another controller is not what was asked for.
    return used.code([_OF_OUTCOME[v.outcome] for v in used.results])


def _judge(args: Namespace, command: str, use: Callable[[Path], J]) -> Used[J]:
    """Judges, prints and writes."""
    if args.json == args.junit == STANDARD_OUTPUT:
        raise AnalysisError("--json and --junit cannot both be written to the standard output")

    def shown(path: Path) -> J:
        judged = use(path)
        if STANDARD_OUTPUT not in (args.json, args.junit):
            print(judged.to_text())
        return judged

    used = Used.of(args.traces, shown, judges=True)
    used.write_json(args.json, lambda j: j.to_json())
    if args.junit is not None:
        came = ((t.path, t.result or t.error) for t in used.tried)
        write_text(args.junit, junit.to_xml(command, ((path, result) for path, result in came if result is not None)))
    return used


def metrics(args: Namespace) -> Code:
    several = len(args.traces) > 1
    flows: list[Flow] = []

    def use(path: Path) -> TraceMetrics:
        trace = _load(args, path)
        if several:
            flows.append(flow_of(trace))
        return measure_alone(trace)

    used = Used.of(args.traces, use)
    shares = fairness(flows)
    results = [m.beside(shares if isinstance(shares, str) else shares[i]) for i, m in enumerate(used.results)]
    if args.json != STANDARD_OUTPUT:
        for m in results:
            print(metrics_text(m))
        if several and results:
            print(fairness_text([m.trace for m in results], shares))
    with_shares = iter(results)
    used.write_json(args.json, lambda _: next(with_shares).to_json())
    return used.done()


def explain(args: Namespace) -> Code:
    pages = _outputs(args.traces, args.html, ".explain.html", args.json) if args.html is not None else {}
    if STANDARD_OUTPUT in pages.values() and args.json == STANDARD_OUTPUT:
        raise AnalysisError("--json and --html cannot both be written to the standard output")

    def use(path: Path) -> Story:
        story = tell(explained(_load(args, path)))
        if args.json != STANDARD_OUTPUT and STANDARD_OUTPUT not in pages.values():
            print(story_text(story))
        if path in pages:
            _write_explanation(pages[path], story)
        return story

    used = Used.of(args.traces, use)
    used.write_json(args.json, story_json)
    return used.done()


def _write_explanation(out: Path, story: Story) -> None:
    from .explain import page  # noqa: PLC0415  plotly is slow to import, and most commands do without

    write_text(out, page.render(story))


def plot(args: Namespace) -> Code:
    from .plots import static  # noqa: PLC0415  matplotlib is slow to import, and most commands do without

    if len(args.traces) > 1 and not is_folder(args.out):
        return _plot_together(args)
    pictures = _outputs(args.traces, args.out, ".svg", args.json)
    links = dict(zip(args.traces, _links(args), strict=False))
    for picture in pictures.values():
        _drawable(picture)

    def draw(path: Path) -> Path:
        link = links.get(path)
        trace = _load(args, path)
        title = args.title or f"{trace.title}: {trace.controller_label}"
        if pictures[path].suffix == ".html":
            _write_report(pictures[path], title, [trace], [link] if link is not None else [], [])
        else:
            shown = panels(explained(trace), None if link is None else link.shifted(trace.reference))
            static.draw(title, shown, pictures[path])
        return path

    used = Used.of(list(pictures), draw)
    used.write_json(args.json, lambda path: {"trace": str(path), "out": str(pictures[path])})
    return used.done()


def _drawable(picture: Path) -> None:
    if picture.suffix not in (".svg", ".png", ".html"):
        raise AnalysisError(
            f"cannot draw {picture.name}: the name must end in .svg, .png or .html, or it must be a folder that exists"
        )


def _plot_together(args: Namespace) -> Code:
    """Several traces over one another, in one file."""
    from .plots import compare, static  # noqa: PLC0415  as above

    _drawable(args.out)
    if args.out.suffix == ".html":
        args.title = args.title or "Traces compared"
        return report(args)
    links = dict(zip(args.traces, _links(args), strict=False))

    def compared(path: Path) -> compare.Compared:
        trace, link = _load(args, path), links.get(path)
        return compare.Compared(explained(trace), None if link is None else link.shifted(trace.reference))

    used = Used.of(args.traces, compared)
    if used.results:
        static.draw(args.title or "Traces compared", compare.overlaid(used.results), args.out)
    used.write_json(args.json, lambda c: {"trace": str(c.e.trace.path), "out": str(args.out)})
    return used.done()


def _links(args: Namespace) -> list[LinkLog]:
    """The logs of the traces' bottlenecks, in the order of the traces; or none."""
    if args.link and len(args.link) != len(args.traces):
        raise AnalysisError(
            f"{len(args.link)} link logs for {len(args.traces)} traces: give --link as often as there are traces, "
            "in the same order, or not at all"
        )
    return [read_link_log(link) for link in args.link]


def _outputs(traces: list[Path], out: Path, suffix: str, json: Path | None = None) -> dict[Path, Path]:
    """Where what is made of each trace goes: the file that was named, or one in that folder with the trace's name. The
    JSON beside it is another file."""
    if not is_folder(out):
        if len(traces) > 1:
            raise AnalysisError(f"several traces cannot become one file: {out} must be a folder that exists")
        return {traces[0]: out}
    outputs: dict[Path, Path] = {}
    for trace in traces:
        if trace in outputs:
            raise AnalysisError(f"{trace} is given twice")
        outputs[trace] = out / (Path(trace.name.removesuffix(".gz").removesuffix(".zst")).stem + suffix)
        if list(outputs.values()).count(outputs[trace]) > 1:
            raise AnalysisError(f"two traces would become {outputs[trace]}: give them one by one")
    keep_apart(traces, [*outputs.values(), *([] if json is None else [json])])
    return outputs


def report(args: Namespace) -> Code:
    links = _links(args)
    used = Used.of(args.traces, lambda path: _load(args, path))
    if used.results:
        of_used = [link for link, t in zip(links, used.tried, strict=False) if t.result is not None]
        _write_report(args.out, args.title, used.results, of_used, [str(e) for e in used.errors])
    used.write_json(args.json, lambda trace: {"trace": str(trace.path), "out": str(args.out)})
    return used.done()


def _write_report(out: Path, title: str, traces: list[Trace], links: list[LinkLog], unusable: list[str]) -> None:
    from .report import build  # noqa: PLC0415  plotly is slow to import, and most commands do without

    write_text(out, build.render(title, build.sections(traces, links), unusable))


def to_qvis(args: Namespace) -> Code:
    copies = _outputs(args.traces, args.out, ".qvis.sqlog", args.json)

    def export(path: Path) -> tuple[Path, qvis.Exported]:
        written = _exported(args, path, copies[path])
        if args.json != STANDARD_OUTPUT:
            of = f" of {written.of_events}" if written.events < written.of_events else ""
            print(f"{copies[path]}: {written.events}{of} events")
        return path, written

    used = Used.of(list(copies), export)
    used.write_json(args.json, lambda done: {"trace": str(done[0]), "out": str(copies[done[0]]), **done[1]._asdict()})
    return used.done()


def _exported(args: Namespace, path: Path, copy: Path) -> qvis.Exported:
    part = qvis.Part(args.events, args.begin, args.end)
    written = qvis.export(path, copy, _choice(args), _told, part)
    if written.events > MANY_EVENTS and args.events is None:
        print(
            f"qlog-analysis: {copy.name}: qvis is slow with {written.events} events; --from and --to choose a shorter "
            f"time, and `--events {FEWER}` thins them",
            file=sys.stderr,
        )
    return written


def qvis_serve(args: Namespace) -> Code:
    from .qvis.serve import serve_on  # noqa: PLC0415  no other command needs a server

    with tempfile.TemporaryDirectory(prefix="qlog-analysis-") as folder:
        copies = _outputs(args.traces, Path(folder), ".qvis.sqlog")

        def export(path: Path) -> Path:
            _exported(args, path, copies[path])
            return copies[path]

        used = Used.of(list(copies), export)
        if not used.results:
            return used.done()
        with serve_on(args.port, {copy.name: copy for copy in used.results}, args.qvis) as server:
            linked = f"{len(used.results)} of {len(args.traces)}"
            print(f"http://127.0.0.1:{server.server_port}/ links to qvis for {linked}; Ctrl-C ends it", flush=True)
            with contextlib.suppress(KeyboardInterrupt):
                server.serve_forever()
        return used.done()


def fleet(args: Namespace) -> Code:
    from .fleet.run import run  # noqa: PLC0415  its libraries are not always installed

    came = run(args)
    if came.errors or came.problems:
        return Code.PARTLY if came.connections else Code.UNSUITABLE
    return Code.OK
