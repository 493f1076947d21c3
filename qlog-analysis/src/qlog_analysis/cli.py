"""The command `qlog-analysis`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from . import __version__
from .errors import AnalysisError
from .load import load
from .zones.check import check
from .zones.verdict import Outcome

EXIT_OK = 0
EXIT_VIOLATIONS = 1
EXIT_UNSUITABLE = 2

_EXIT_CODES = """\
exit codes:
  0  done; for `zones`: no disagreement
  1  `zones` found disagreements
  2  wrong usage, or the input cannot be read, is not suitable, or is too short to say anything
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

    zones = _command(commands, "zones", "check the zones of the hybrid controller against the packets and the paper", _zones)
    zones.add_argument("trace", type=Path, metavar="TRACE")
    zones.add_argument("--json", type=Path, metavar="FILE", help="write the verdict with all epochs; - for stdout")
    return parser


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


def _zones(args: argparse.Namespace) -> int:
    verdict = check(load(args.trace, allow_truncated=args.allow_truncated))
    if args.json is not None:
        _write_json(args.json, verdict.to_json())
    if args.json != Path("-"):
        print(verdict.to_text())
    codes = {Outcome.PASS: EXIT_OK, Outcome.FAIL: EXIT_VIOLATIONS, Outcome.INCONCLUSIVE: EXIT_UNSUITABLE}
    return codes[verdict.outcome]


def _write_json(path: Path, data: dict[str, Any]) -> None:
    text = json.dumps(data, indent=1, allow_nan=False) + "\n"
    if path == Path("-"):
        sys.stdout.write(text)
        return
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as e:
        raise AnalysisError(f"cannot write {path}: {e.strerror or e}") from e
