"""`plot` and `report`."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from ..errors import AnalysisError
from ..explain.explanation import explain as explained
from ..linklog import LinkLog, read_link_log
from ..model import Trace
from ..nearby import is_folder
from ..output import write_text
from ..plots.panels import panels
from .codes import Code
from .outputs import outputs
from .used import Used, loaded


def plot(args: Namespace) -> Code:
    from ..plots import static  # noqa: PLC0415  matplotlib is slow to load; pictures in HTML do without

    if len(args.traces) > 1 and not is_folder(args.out):
        return _plot_together(args)
    pictures = outputs(args.traces, args.out, ".svg", args.json)
    links = dict(zip(args.traces, _links(args), strict=False))
    for picture in pictures.values():
        _drawable(picture)

    def draw(path: Path) -> Path:
        link = links.get(path)
        trace = loaded(args, path)
        title = args.title or f"{trace.title}: {trace.controller_label}"
        if pictures[path].suffix == ".html":
            _write_report(pictures[path], title, [trace], [link] if link is not None else [], [])
        else:
            shown = panels(explained(trace), None if link is None else link.shifted(trace.reference))
            static.draw(title, shown, pictures[path])
        return path

    used = Used.of(list(pictures), draw)
    used.write_json(args.json, lambda path: {"trace": str(path), "out": str(pictures[path])})
    return used.done()


def _drawable(picture: Path) -> None:
    if picture.suffix not in (".svg", ".png", ".html"):
        raise AnalysisError(
            f"cannot draw {picture.name}: the name must end in .svg, .png or .html, or it must be a folder that exists"
        )


def _plot_together(args: Namespace) -> Code:
    """Several traces over one another, in one file."""
    from ..plots import compare, static  # noqa: PLC0415  as above

    _drawable(args.out)
    if args.out.suffix == ".html":
        args.title = args.title or "Traces compared"
        return report(args)
    links = dict(zip(args.traces, _links(args), strict=False))

    def compared(path: Path) -> compare.Compared:
        trace, link = loaded(args, path), links.get(path)
        return compare.Compared(explained(trace), None if link is None else link.shifted(trace.reference))

    used = Used.of(args.traces, compared)
    if used.results:
        static.draw(args.title or "Traces compared", compare.overlaid(used.results), args.out)
    used.write_json(args.json, lambda c: {"trace": str(c.e.trace.path), "out": str(args.out)})
    return used.done()


def _links(args: Namespace) -> list[LinkLog]:
    """The logs of the traces' bottlenecks, in the order of the traces; or none."""
    if args.link and len(args.link) != len(args.traces):
        raise AnalysisError(
            f"{len(args.link)} link logs for {len(args.traces)} traces: give --link as often as there are traces, "
            "in the same order, or not at all"
        )
    return [read_link_log(link) for link in args.link]


def report(args: Namespace) -> Code:
    links = _links(args)
    used = Used.of(args.traces, lambda path: loaded(args, path))
    if used.results:
        of_used = [link for link, t in zip(links, used.tried, strict=False) if t.result is not None]
        _write_report(args.out, args.title, used.results, of_used, [str(e) for e in used.errors])
    used.write_json(args.json, lambda trace: {"trace": str(trace.path), "out": str(args.out)})
    return used.done()


def _write_report(out: Path, title: str, traces: list[Trace], links: list[LinkLog], unusable: list[str]) -> None:
    from ..report import build  # noqa: PLC0415  plotly is slow to load; still pictures do without

    write_text(out, build.render(title, build.sections(traces, links), unusable))
