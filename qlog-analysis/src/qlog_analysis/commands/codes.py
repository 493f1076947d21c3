"""How a command ends."""

from __future__ import annotations

from enum import IntEnum


class Code(IntEnum):
    """Exit codes; the help and the README list them."""

    OK = 0
    VIOLATIONS = 1
    UNSUITABLE = 2
    NO_LAW = 3
    PARTLY = 4


_WRONG = "wrong usage, a fault of this program, or"
_OTHERS_WERE = "of several traces some could not be used (see the error output); the others were"
_NO_LAW = "there are no equations for the controller, as for quiche's own, and no invariant is broken"

_OF_USE = {
    Code.OK: "done",
    Code.UNSUITABLE: f"{_WRONG} the input cannot be read or is not suitable",
    Code.PARTLY: _OTHERS_WERE,
}
_OF_VERDICTS = {
    Code.OK: "no disagreement",
    Code.VIOLATIONS: "disagreements",
    Code.UNSUITABLE: f"{_WRONG} the input cannot be read, is not suitable, or is too short to say anything",
    Code.PARTLY: _OTHERS_WERE,
}
_OF_COMMAND = {
    "check": {
        **_OF_VERDICTS,
        Code.VIOLATIONS: "disagreements, or an invariant is broken",
        Code.NO_LAW: _NO_LAW,
    },
    "zones": _OF_VERDICTS,
    "fleet": {
        Code.OK: "done, whatever the verdicts are",
        Code.UNSUITABLE: f"{_WRONG} nothing could be used, or the run was stopped; what was done is kept",
        Code.PARTLY: "some traces could not be used, or something could not be searched or read; the others were used",
    },
}
_OF_ALL = {
    Code.OK: "done; for `check` and `zones`: no disagreement",
    Code.VIOLATIONS: "`check` or `zones` found disagreements",
    Code.UNSUITABLE: _OF_VERDICTS[Code.UNSUITABLE],
    Code.NO_LAW: f"`check`: {_NO_LAW}",
    Code.PARTLY: _OTHERS_WERE,
}


def listed(command: str | None = None) -> str:
    """The codes that this command ends with, or those of the program, as the help ends with them."""
    meanings = _OF_ALL if command is None else _OF_COMMAND.get(command, _OF_USE)
    return "exit codes:\n" + "".join(f"  {code.value}  {meanings[code]}\n" for code in sorted(meanings))
