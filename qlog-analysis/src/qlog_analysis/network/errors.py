"""What is wrong with a record."""

from __future__ import annotations

from ..errors import UnsuitableTraceError


class RecordError(UnsuitableTraceError):
    """A record cannot be read, or does not belong to the trace; the message names it."""
