"""Where what is made of traces goes."""

from __future__ import annotations

from pathlib import Path

from ..errors import AnalysisError
from ..nearby import is_folder
from ..output import keep_apart


def outputs(traces: list[Path], out: Path, suffix: str, json: Path | None = None) -> dict[Path, Path]:
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
