"""A story as text, 100 columns wide."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable

from .controller import Share
from .story import Story
from .words import percent

WIDTH = 100


def to_text(story: Story) -> str:
    m = story.e.metrics
    lines = [m.trace, "", *_wrapped(story.summary)]
    lines += ["", "What happened when (s)"]
    for moment in story.timeline:
        when = (
            f"{moment.begin:9.3f} {moment.end:9.3f}" if moment.end > moment.begin else f"{moment.begin:9.3f}" + 10 * " "
        )
        lines += _wrapped(f"{moment.what}: {moment.text}", f"{when}  ", 21 * " ")
    if len(story.findings) > 1:
        lines += ["", "Also found"]
        for f in story.findings[1:]:
            lines += _wrapped(f.text, "  - ", "    ")
    lines += ["", "Queueing delay"]
    for line in story.delay:
        lines += _wrapped(line, "  ", "  ")
    for title, shares in (("Zones of hybrid", story.zones), ("States of the controller", story.states)):
        lines += ["", title, *_shares(shares)] if shares else []
    if story.unknown:
        lines += ["", "What the trace does not tell"]
        for line in story.unknown:
            lines += _wrapped(line, "  - ", "    ")
    if story.advice:
        lines += ["", "What to try next"]
        for number, s in enumerate(story.advice, start=1):
            lines += _wrapped(f"{s.text} ({s.finding.replace('_', ' ')})", f"  {number}. ", "     ")
    return "\n".join(lines) + "\n"


def _shares(shares: Iterable[Share]) -> list[str]:
    lines: list[str] = []
    for s in shares:
        lines += _wrapped(s.name + (f": {s.meaning}" if s.meaning else ""), f"  {percent(s.share):>6}  ", 10 * " ")
    return lines


def _wrapped(text: str, first: str = "", rest: str = "") -> list[str]:
    return textwrap.wrap(text, WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
