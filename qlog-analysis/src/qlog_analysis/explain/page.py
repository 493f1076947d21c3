"""A story and its picture as one HTML page that stands alone."""

from __future__ import annotations

from markupsafe import Markup

from ..linklog import LinkLog
from ..pages import environment, shared
from ..plots.interactive import figure_json
from ..plots.panels import panels
from . import words
from .story import Story


def render(story: Story, link: LinkLog | None = None) -> str:
    m = story.e.metrics
    drawn = panels(story.e, link)
    templates = environment("explain")
    templates.filters["percent"] = words.percent
    return templates.get_template("page.html.jinja").render(
        title=f"{m.title}: what happened",
        story=story,
        figures={"picture": Markup(figure_json(drawn))} if drawn else {},
        **shared(),
    )
