"""What may be done about an error: the end of a message."""

from __future__ import annotations

from .errors import AnalysisError, NoLawError, TraceError, TruncatedTraceError


def after(error: AnalysisError, *, judges: bool) -> str:
    """What to do next; `judges`: the command gives verdicts."""
    if isinstance(error, NoLawError):
        return "; `qlog-analysis explain` says of any controller what happened"
    if isinstance(error, TruncatedTraceError):
        if not error.has_header:
            return "; not even its header is whole, so that nothing of it can be used"
        return "; --allow-truncated uses it as far as it goes" if judges else "; without --strict it is used so far"
    if judges and isinstance(error, TraceError) and error.can_be_left_out:
        return "; `metrics`, `explain`, `plot` and `report` use the rest of the trace"
    return ""
