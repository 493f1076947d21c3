"""The command `qlog-analysis`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import __version__, qvis
from .check.run import NoLawError, check
from .check.verdict import Outcome
from .errors import AnalysisError
from .linklog import LinkLog, read_link_log
from .load import load
from .metrics import measure
from .metrics import to_text as metrics_text
from .model import Trace
from .plots.panels import panels

EXIT_OK = 0
EXIT_VIOLATIONS = 1
EXIT_UNSUITABLE = 2
EXIT_NO_LAW = 3

_EXIT_CODES = """\
exit codes:
  0  done; for `check` and `zones`: no disagreement
  1  `check` or `zones` found disagreements
  2  wrong usage, or the input cannot be read, is not suitable, or is too short to say anything
  3  `check`: the controller has no law here, as quiche's own
"""


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    try:
        code: int = args.run(args)
    except AnalysisError as e:
        print(f"qlog-analysis: {e}", file=sys.stderr)
        return EXIT_UNSUITABLE
    except BrokenPipeError:
        sys.stderr.close()
        return EXIT_UNSUITABLE
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="qlog-analysis",
        description="Checks and draws qlog traces of quiche (.sqlog, also gzip-compressed).",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    _add_checkers(commands)
    metrics = _command(commands, "metrics", "goodput, delay and loss of a trace, whatever controller sent it", _metrics)
    metrics.add_argument("trace", type=Path, metavar="TRACE")
    metrics.add_argument("--json", type=Path, metavar="FILE", help="write them as JSON; - for stdout")
    _add_writers(commands)
    return parser


def _add_checkers(commands: Any) -> None:
    about = "hold a trace against the law of its controller, recomputed from packets and ACKs"
    any_law = _command(commands, "check", about, _check)
    hybrid = _command(commands, "zones", "the same for hybrid alone; any other trace is refused", _zones)
    for command in (any_law, hybrid):
        command.add_argument("trace", type=Path, metavar="TRACE")
        command.add_argument("--json", type=Path, metavar="FILE", help="write the verdict in full; - for stdout")


def _add_writers(commands: Any) -> None:
    """Commands that write a file to look at."""
    plot = _command(commands, "plot", "draw rate, queueing delay, window and RTT of a trace", _plot)
    plot.add_argument("trace", type=Path, metavar="TRACE")
    plot.add_argument("--out", type=Path, metavar="FILE", required=True, help="picture: .svg, .png or .html")
    plot.add_argument("--link", type=Path, metavar="FILE", help="log of the bottleneck (JSON lines)")
    plot.add_argument("--title", help="heading of the picture")

    report = _command(
        commands, "report", "write one HTML file with table, verdicts and plots of several traces", _report
    )
    report.add_argument("traces", type=Path, metavar="TRACE", nargs="+")
    report.add_argument("--out", type=Path, metavar="FILE", required=True, help="the HTML file")
    report.add_argument(
        "--link",
        type=Path,
        metavar="FILE",
        action="append",
        default=[],
        help="log of the bottleneck (JSON lines); once per trace, in the order of the traces",
    )
    report.add_argument("--title", default="Congestion control traces", help="heading of the report")

    export = _command(commands, "to-qvis", "write a copy that the viewer qvis opens", _to_qvis)
    export.add_argument("trace", type=Path, metavar="TRACE")
    export.add_argument("--out", type=Path, metavar="FILE", required=True, help="the copy: .sqlog or .qlogseq")


def _command(commands: Any, name: str, about: str, run: Any) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(
        name,
        help=about,
        description=about[0].upper() + about[1:] + ".",
        epilog=_EXIT_CODES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--allow-truncated", action="store_true", help="use a trace whose last record is cut, as far as it goes"
    )
    parser.set_defaults(run=run)
    return parser


def _check(args: argparse.Namespace) -> int:
    try:
        return _judge(args, None)
    except NoLawError as e:
        print(f"qlog-analysis: {e}", file=sys.stderr)
        return EXIT_NO_LAW


def _zones(args: argparse.Namespace) -> int:
    return _judge(args, "hybrid")


def _judge(args: argparse.Namespace, only: str | None) -> int:
    verdict = check(load(args.trace, allow_truncated=args.allow_truncated), only)
    if args.json is not None:
        _write_json(args.json, verdict.to_json())
    if args.json != Path("-"):
        print(verdict.to_text())
    codes = {Outcome.PASS: EXIT_OK, Outcome.FAIL: EXIT_VIOLATIONS, Outcome.INCONCLUSIVE: EXIT_UNSUITABLE}
    return codes[verdict.outcome]


def _metrics(args: argparse.Namespace) -> int:
    result = measure(load(args.trace, allow_truncated=args.allow_truncated))
    if args.json is not None:
        _write_json(args.json, result.to_json())
    if args.json != Path("-"):
        print(metrics_text(result))
    return EXIT_OK


def _plot(args: argparse.Namespace) -> int:
    from .plots import static  # noqa: PLC0415  matplotlib is slow to import, and most commands do without

    suffix = args.out.suffix
    if suffix not in (*static.FORMATS, ".html"):
        raise AnalysisError(f"cannot draw {args.out.name}: the name must end in .svg, .png or .html")
    trace = load(args.trace, allow_truncated=args.allow_truncated)
    link = read_link_log(args.link) if args.link is not None else None
    title = args.title or f"{trace.title}: {trace.controller_label}"
    if suffix == ".html":
        _write_report(args.out, title, [trace], [link] if link is not None else [])
        return EXIT_OK
    shown = panels(trace, None if link is None else link.shifted(trace.began))
    if not shown:
        raise AnalysisError(f"{args.trace}: nothing to draw: no packets, metrics or epochs in the trace")
    static.draw(title, shown, args.out)
    return EXIT_OK


def _report(args: argparse.Namespace) -> int:
    traces = [load(t, allow_truncated=args.allow_truncated) for t in args.traces]
    _write_report(args.out, args.title, traces, [read_link_log(x) for x in args.link])
    return EXIT_OK


def _write_report(out: Path, title: str, traces: list[Trace], links: list[LinkLog]) -> None:
    from .report import build  # noqa: PLC0415  plotly is slow to import, and most commands do without

    build.write(out, build.render(title, build.sections(traces, links)))


def _to_qvis(args: argparse.Namespace) -> int:
    written = qvis.export(args.trace, args.out, allow_truncated=args.allow_truncated)
    print(f"{args.out}: {written} events")
    return EXIT_OK


def _write_json(path: Path, data: dict[str, Any]) -> None:
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise AnalysisError(f"cannot write {path}: {e.strerror or e}") from e
