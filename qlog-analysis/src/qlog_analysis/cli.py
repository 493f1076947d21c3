"""The command `qlog-analysis`: what it is called with. What the commands do is in `commands`."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
import traceback
from collections.abc import Callable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from difflib import get_close_matches
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn, TextIO, cast

from . import __version__, documents
from .commands.codes import Code, listed
from .errors import AnalysisError
from .fleet import arguments
from .output import keep_apart
from .visible import Visible, in_a_line

QVIS = "https://qvis.quictools.info"


def main(argv: Sequence[str] | None = None) -> int:
    args = _parser().parse_args(argv)
    out, err = cast(TextIO, Visible(sys.stdout)), cast(TextIO, Visible(sys.stderr))
    with redirect_stdout(out), redirect_stderr(err):
        return _run(args)


def _run(args: argparse.Namespace) -> Code:
    """What goes wrong must not end with 1, which says that a trace disagrees."""
    try:
        keep_apart(_named(args, args.reads), _named(args, args.writes))
        code = _command(args.runs)(args)
        sys.stdout.flush()
    except AnalysisError as e:
        print(f"qlog-analysis: {e}", file=sys.stderr)
    except BrokenPipeError:
        _leave_unwritten()
    except OSError as e:
        _leave_unwritten()
        print(f"qlog-analysis: {in_a_line(str(e))}", file=sys.stderr)
    except Exception as e:
        read = ", ".join(str(path) for path in _named(args, args.reads))
        print(
            f"qlog-analysis: {in_a_line(read)}: a fault of this program, please report it: {_told(e)}", file=sys.stderr
        )
    else:
        return code
    return Code.UNSUITABLE


def _command(runs: str) -> Callable[[argparse.Namespace], Code]:
    """A module and a function of `commands`."""
    module, function = runs.split(".")
    loaded = import_module(f".commands.{module}", __package__)
    return cast(Callable[[argparse.Namespace], Code], getattr(loaded, function))


def _leave_unwritten() -> None:
    """What could not be written to the standard output would be tried again as Python ends."""
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _told(e: Exception) -> str:
    """An exception and where it was raised."""
    last = traceback.extract_tb(e.__traceback__)[-1]
    return in_a_line(f"{type(e).__name__} in {Path(last.filename).name}, line {last.lineno}: {e}")


def _named(args: argparse.Namespace, options: list[str]) -> list[Path]:
    """The files that are named by some options."""
    values = (getattr(args, option) for option in options)
    return [path for value in values for path in (value if isinstance(value, list) else [value]) if path is not None]


class _Parser(argparse.ArgumentParser):
    """Says which command or option was perhaps meant."""

    def error(self, message: str) -> NoReturn:
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)$", message)
        if wrong is not None:
            near = get_close_matches(wrong[1], re.findall(r"[\w-]+", wrong[2]), 1, 0.5)
        else:
            unknown = re.search(r"unrecognized arguments: (--[\w-]+)", message)
            known = [name for action in documents.actions(self) for name in action.option_strings]
            near = get_close_matches(unknown[1], known, 1, 0.5) if unknown is not None else []
        super().error(message + (f"; did you mean {near[0]}?" if near else ""))


class _Command:
    """A command under construction. Every file that it reads or writes is declared as one or the other, because an
    output must never be an input."""

    def __init__(
        self,
        commands: Any,
        name: str,
        about: str,
        runs: str,
        *,
        judges: bool = False,
        of_each: bool = True,
    ) -> None:
        """`of_each`: for each trace its own options say what of it is used."""
        self.parser: argparse.ArgumentParser = commands.add_parser(
            name,
            help=about,
            description=about[0].upper() + about[1:] + ".",
            epilog=listed(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        self._reads: list[str] = []
        self._writes: list[str] = []
        self.parser.set_defaults(runs=runs, reads=self._reads, writes=self._writes, judges=judges)
        if of_each:
            self._choices(judges)

    def _choices(self, judges: bool) -> None:
        self.parser.add_argument(
            "--connection", metavar="N", help="of a file with several connections: its number, or how its name begins"
        )
        if judges:
            self.parser.add_argument(
                "--allow-truncated", action="store_true", help="use a trace whose last record is cut, as far as it goes"
            )
        else:
            self.parser.add_argument(
                "--strict", action="store_true", help="refuse a trace with a record that is cut or cannot be used"
            )
            self.parser.add_argument("--allow-truncated", action="store_true", help=argparse.SUPPRESS)

    def reads(self, *names: str, **how: Any) -> None:
        self._reads.append(self.parser.add_argument(*names, type=Path, **how).dest)

    def writes(self, *names: str, **how: Any) -> None:
        self._writes.append(self.parser.add_argument(*names, type=Path, **how).dest)

    def traces(self) -> None:
        self.reads("traces", metavar="TRACE", nargs="+")

    def links(self) -> None:
        about = "log of the bottleneck (JSON lines); once per trace, in the order of the traces"
        self.reads("--link", metavar="FILE", action="append", default=[], help=about)

    def writes_list(self) -> None:
        self.writes("--json", metavar="FILE", help="list what was written of which trace; - for the standard output")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="qlog-analysis",
        description="Checks, measures, explains and draws qlog traces of QUIC connections.",
        epilog=listed(),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--version", nargs=0, action=documents.Print, printed=lambda _: _version(), help="print the version, and exit"
    )
    documents.add(parser, listed())
    subparsers = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_checkers(subparsers)
    metrics = _Command(
        subparsers, "metrics", "rates, delays, losses, ACKs and pacing of traces, whatever sent them", "measure.metrics"
    )
    metrics.traces()
    metrics.writes("--json", metavar="FILE", help="write them as JSON; - for the standard output")
    about = "say in plain English what happened on a connection, with the figures that it rests on"
    explain = _Command(subparsers, "explain", about, "explain.explain")
    explain.traces()
    explain.writes("--json", metavar="FILE", help="write it as JSON; - for the standard output")
    explain.writes(
        "--html",
        metavar="FILE",
        help="write one page with text and picture; or a folder that exists, for one TRACE.explain.html per trace",
    )
    _add_writers(subparsers)
    _add_fleet(subparsers)
    return parser


def _version() -> str:
    from . import compiled  # noqa: PLC0415  with numpy, which no help needs

    return f"{__version__} ({compiled.told()})\n"


def _add_checkers(subparsers: Any) -> None:
    about = "compare traces with invariants and the equations of their controllers, recomputed from packets and ACKs"
    any_law = _Command(subparsers, "check", about, "judge.check", judges=True)
    hybrid = _Command(
        subparsers, "zones", "the equations of hybrid alone; any other trace is refused", "judge.zones", judges=True
    )
    any_law.reads(
        "--record",
        metavar="FILE",
        action="append",
        default=[],
        help="what the network did with every packet (`cc-lab run --record`, `cc-link --record`), by which the "
        "trace is judged as well; once for all traces, or once per trace in their order",
    )
    for command in (any_law, hybrid):
        command.traces()
        command.writes("--json", metavar="FILE", help="write the verdicts in full; - for the standard output")
        command.writes("--junit", metavar="FILE", help="write them as JUnit's XML, a test case per trace; - as well")


def _add_fleet(subparsers: Any) -> None:
    about = "turn many traces into a table of connections, and report on them, or on two such fleets side by side"
    command = _Command(subparsers, "fleet", about, "fleet.fleet", of_each=False)
    arguments.add(command.parser)
    command.writes("--json", metavar="FILE", help="write the report as JSON; - for the standard output")
    command.writes("--html", metavar="FILE", help="write the report as one page that needs no network")
    command.writes("--table", metavar="FILE", help="write one row per connection: .parquet or .csv")


def _add_writers(subparsers: Any) -> None:
    """Commands that write a file to look at."""
    plot = _Command(subparsers, "plot", "draw rate, queueing delay, window and RTT of traces", "draw.plot")
    plot.traces()
    plot.writes(
        "--out",
        metavar="FILE",
        required=True,
        help="picture: .svg, .png or .html; or a folder that exists, for one .svg per trace",
    )
    plot.links()
    plot.writes_list()
    plot.parser.add_argument("--title", help="heading of the picture")

    report = _Command(
        subparsers, "report", "write one HTML file with table, verdicts and plots of traces", "draw.report"
    )
    report.traces()
    report.writes("--out", metavar="FILE", required=True, help="the HTML file")
    report.links()
    report.writes_list()
    report.parser.add_argument("--title", default="Congestion control traces", help="heading of the report")

    export = _Command(subparsers, "to-qvis", "write copies that the viewer qvis opens", "qvis.to_qvis")
    export.traces()
    export.writes(
        "--out",
        metavar="FILE",
        required=True,
        help="the copy: .sqlog or .qlogseq; or a folder that exists, for one .qvis.sqlog per trace",
    )
    export.writes_list()
    _add_part(export.parser)

    viewer = _Command(subparsers, "qvis", "hand traces over to the viewer qvis, from a page on loopback", "qvis.serve")
    viewer.parser.add_argument("action", choices=["serve"])
    viewer.traces()
    viewer.parser.add_argument("--port", type=int, default=0, help="of the page (default: any that is free)")
    viewer.parser.add_argument(
        "--qvis", metavar="ADDRESS", default=QVIS, help="a qvis of your own (default: %(default)s)"
    )
    _add_part(viewer.parser)


def _add_part(parser: argparse.ArgumentParser) -> None:
    """What of a trace qvis gets."""
    parser.add_argument("--events", type=int, metavar="N", help="so many at most: the export is thinned to them")
    parser.add_argument(
        "--from", dest="begin", type=float, metavar="S", default=-math.inf, help="from this second of it on"
    )
    parser.add_argument("--to", dest="end", type=float, metavar="S", default=math.inf, help="until this second of it")
