"""What a writer calls its events and how it lays them out, turned into the types of `wire`.

`native` is quiche 0.30, decoded strictly; `foreign` is every other implementation and every older draft.
"""

from __future__ import annotations

from ..record import Record
from . import foreign, header, native
from .base import Dialect, OtherLayoutError

__all__ = ["Dialect", "OtherLayoutError", "dialect_of"]


def dialect_of(first: Record, *, foreign_for_certain: bool = False, connection: str | None = None) -> Dialect:
    """The dialect that a header announces. `connection` names one of several in the file."""
    known = header.read(first)
    if known.is_native and not foreign_for_certain:
        return native.Native(first)
    return foreign.Foreign(known, connection)
