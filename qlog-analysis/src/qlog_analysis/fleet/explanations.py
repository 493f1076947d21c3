"""The explanations that a report links to: one page per connection, in a folder."""

from __future__ import annotations

import os
import sys
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from ..errors import AnalysisError
from ..explain.explanation import explain
from ..explain.story import tell
from ..load import Choice, load
from ..output import write_text
from .fetch import local
from .summary import One


def write(ones: list[One], folder: Path, seen_from: Path) -> None:
    """`seen_from`: the folder of the page that links to them. A trace that is gone since is said, and has no link."""
    from ..explain import page  # noqa: PLC0415  plotly is slow to import

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as e:
        raise AnalysisError(f"cannot make the folder {folder} for explanations: {e.strerror or e}") from e
    for number, one in enumerate(ones, start=1):
        out = folder / f"{number:03}-{PurePosixPath(one.trace).name}.explain.html"
        choice = Choice(True, True, str(one.connection) if one.of_several else None)
        try:
            with local(one.trace) as path:
                write_text(out, page.render(tell(explain(load(path, choice)))))
        except AnalysisError as e:
            print(f"qlog-analysis: no explanation: {e}", file=sys.stderr)
            continue
        one.explanation = quote(os.path.relpath(out.resolve(), seen_from.resolve()))
