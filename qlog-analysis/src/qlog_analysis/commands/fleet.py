"""`fleet`."""

from __future__ import annotations

from argparse import Namespace

from ..fleet.run import run
from .codes import Code


def fleet(args: Namespace) -> Code:
    came = run(args)
    if came.errors or came.problems:
        return Code.PARTLY if came.connections else Code.UNSUITABLE
    return Code.OK
