"""What every HTML page of ours has in common: it stands alone, makes no request, and shows figures of plotly."""

from __future__ import annotations

import json
from typing import Any

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, select_autoescape
from markupsafe import Markup

from ..plots.interactive import CONFIG, library, script_safe

POLICY = (
    "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:; "
    "form-action 'none'; base-uri 'none'"
)
"""Content Security Policy: browsers refuse every request of the page, whatever its scripts try."""


def environment(package: str) -> Environment:
    """Templates of a package, beside those that all pages share. What traces carry is escaped."""
    return Environment(
        loader=ChoiceLoader([PackageLoader("qlog_analysis", package), PackageLoader("qlog_analysis", "pages")]),
        autoescape=select_autoescape(default=True),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def shared() -> dict[str, Any]:
    """What the shared templates need."""
    return {"library": Markup(library()), "config": Markup(script_safe(json.dumps(CONFIG))), "policy": POLICY}
