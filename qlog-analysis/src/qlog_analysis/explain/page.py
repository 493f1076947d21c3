"""A story and its picture as one HTML page that stands alone."""

from __future__ import annotations

from markupsafe import Markup

from ..pages import environment, shared
from ..plots.interactive import figure_json
from . import words
from .picture import panels
from .story import Story


def render(story: Story) -> str:
    m = story.e.metrics
    drawn = panels(story.e)
    templates = environment("explain")
    templates.filters["percent"] = words.percent
    return templates.get_template("page.html.jinja").render(
        title=f"{m.title}: what happened",
        story=story,
        figures={"picture": Markup(figure_json(drawn))} if drawn else {},
        **shared(),
    )
