"""What the program prints about itself, out of its own options: completions for shells, and the manual page.

The libraries for it are loaded only here: no other command needs them.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from . import __version__

SHELLS = ("bash", "fish", "zsh")


def add(parser: argparse.ArgumentParser, exit_codes: str) -> None:
    """Adds the options to the program's own parser, `exit_codes` being the end of its help."""
    parser.add_argument(
        "--completions",
        metavar="SHELL",
        choices=SHELLS,
        action=Print,
        printed=lambda shell: completions(parser, shell),
        help=f"print the completions of this program for a shell ({', '.join(SHELLS)}), and exit",
    )
    parser.add_argument(
        "--man",
        nargs=0,
        action=Print,
        printed=lambda _: manual_page(parser, exit_codes),
        help="print the manual page of this program (roff), and exit",
    )


class Print(argparse.Action):
    """As `--version`: whatever else is on the command line does not matter."""

    def __init__(self, option_strings: Sequence[str], dest: str, printed: Callable[[Any], str], **how: Any) -> None:
        super().__init__(option_strings, dest, default=argparse.SUPPRESS, **how)
        self._printed = printed

    def __call__(self, parser: argparse.ArgumentParser, _: Any, value: Any, __: str | None = None) -> None:
        print(self._printed(value), end="")
        parser.exit()


def actions(parser: argparse.ArgumentParser) -> Iterator[argparse.Action]:
    """Of a parser and its commands."""
    for action in parser._actions:
        yield action
        if isinstance(action, argparse._SubParsersAction):
            for of_command in action.choices.values():
                yield from actions(of_command)


def completions(parser: argparse.ArgumentParser, shell: str) -> str:
    import shtab  # noqa: PLC0415

    for action in actions(parser):
        if action.type is Path:
            action.complete = shtab.FILE  # type: ignore[attr-defined]
        elif action.metavar in ("FOLDER", "TRACES"):
            action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]
    return shtab.complete(parser, shell)


def manual_page(parser: argparse.ArgumentParser, exit_codes: str) -> str:
    from argparse_manpage.manpage import Manpage  # noqa: PLC0415

    for one in _parsers(parser):
        one.epilog = None  # the exit codes, once for all commands
    page = Manpage(parser)
    about = str(parser.description).rstrip(".")
    page.description = about[0].lower() + about[1:]
    page.source, page.manual = f"qlog-analysis {__version__}", "User Commands"
    page.add_section("exit status", "=", "\n".join(_in_roff(exit_codes)))
    return str(page)


def _parsers(parser: argparse.ArgumentParser) -> Sequence[argparse.ArgumentParser]:
    of_commands = (a.choices.values() for a in parser._actions if isinstance(a, argparse._SubParsersAction))
    return [parser, *(one for those in of_commands for one in those)]


def _in_roff(exit_codes: str) -> Iterator[str]:
    for code, meaning in re.findall(r"^ +(\d) +(.+)$", exit_codes, re.MULTILINE):
        yield f".TP\n\\fB{code}\\fR\n{meaning.replace('`', '')}"
