"""`explain`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..errors import AnalysisError
from ..explain.as_json import to_json
from ..explain.explanation import explain as explained
from ..explain.story import Story, tell
from ..explain.text import to_text
from ..output import STANDARD_OUTPUT, write_text
from .codes import Code
from .outputs import outputs
from .used import Used, loaded


def explain(args: Namespace) -> Code:
    pages = outputs(args.traces, args.html, ".explain.html", args.json) if args.html is not None else {}
    if STANDARD_OUTPUT in pages.values() and args.json == STANDARD_OUTPUT:
        raise AnalysisError("--json and --html cannot both be written to the standard output")

    def use(path: Path) -> Story:
        story = tell(explained(loaded(args, path)))
        if args.json != STANDARD_OUTPUT and STANDARD_OUTPUT not in pages.values():
            print(to_text(story))
        if path in pages:
            _write_explanation(pages[path], story)
        return story

    used = Used.of(args.traces, use)
    used.write_json(args.json, to_json)
    return used.done()


def _write_explanation(out: Path, story: Story) -> None:
    from ..explain import page  # noqa: PLC0415  plotly is slow to load; the text does without

    write_text(out, page.render(story))
