"""The command `fleet`: work what is new, then say what the store has."""

from __future__ import annotations

import json
import shutil
import tempfile
from argparse import Namespace
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path

from ..errors import AnalysisError
from ..nearby import is_trace
from ..output import STANDARD_OUTPUT, keep_apart, replacing, write_text
from ..workers import processors
from . import compare, explanations, schedule
from .chosen import Chosen
from .fetch import is_address
from .gather import gather
from .isolated import Limits
from .outcome import Report, to_json, to_text
from .row import columns
from .schedule import Crew
from .store import Store, quoted
from .summary import Fleet, summarise
from .table import Table

Of = tuple[Table, Chosen]

_FORMULA = r"^[=+\-@\t\r]"
_MARKED = r"'\0"
"""A spreadsheet shows such a text without the apostrophe."""


def run(args: Namespace) -> Fleet:
    """Prints and writes what was asked for."""
    _refuse_wrong(args)
    chosen, others = Chosen.by(args.only), Chosen.by(args.against_only)
    problems: list[str] = []
    if args.traces:
        problems = gather(args.store, args.traces, _workers(args), again=args.retry, outputs=_outputs(args)).problems
    with ExitStack() as open_tables:
        table = open_tables.enter_context(Table(Store(args.store)))
        other: Of | None = None
        if args.against is not None:
            other = open_tables.enter_context(Table(Store(args.against))), others
        elif args.against_only:
            other = table, others
        report = _report(args, (table, chosen), other)
        report.fleet.problems.extend(problems)
        _show(args, report, (table, chosen), other)
    return report.fleet


def _outputs(args: Namespace) -> list[Path]:
    return [out for out in (args.json, args.html, args.table) if out is not None and out != STANDARD_OUTPUT]


def _refuse_wrong(args: Namespace) -> None:
    store = args.store.resolve()
    keep_apart([Path(t) for t in args.traces if not is_address(t)], _outputs(args))
    for out in _outputs(args):
        if is_trace(out.name):
            raise AnalysisError(f"{out} has the name of a trace: choose another name for the output")
        if store == out.resolve() or store in out.resolve().parents:
            raise AnalysisError(
                f"{out} is in the store {args.store}, which has files of its own: choose another folder"
            )
    if args.json == args.html == STANDARD_OUTPUT:
        raise AnalysisError("--json and --html cannot both be written to the standard output")
    if args.table is not None and args.table.suffix not in (".parquet", ".csv"):
        raise AnalysisError(f"cannot write {args.table}: the name must end in .parquet or .csv")
    if args.explain is not None and args.html is None:
        raise AnalysisError("--explain writes pages that the page of --html links to: give --html as well")


def _workers(args: Namespace) -> AbstractContextManager[Crew]:
    limits = Limits(args.time_limit, args.memory_limit)
    if args.scheduler is not None:
        return schedule.cluster(args.scheduler, limits)
    return schedule.local(args.jobs or processors(), limits)


def _report(args: Namespace, this: Of, other: Of | None) -> Report:
    fleet = summarise(*this, args.worst)
    against = None if other is None else summarise(*other, 0)
    for of in (fleet, against):
        if of is not None and not of.traces:
            raise AnalysisError(
                f"the store {of.store} is empty: `qlog-analysis fleet TRACES --store {of.store}` fills it"
            )
        if of is not None and of.chosen and not of.connections:
            raise AnalysisError(f"no connection of {of.store} has {of.chosen}")
    differences = [] if other is None else compare.compare(this, other, args.seed)
    return Report(fleet, against, differences, args.seed)


def _show(args: Namespace, report: Report, this: Of, other: Of | None) -> None:
    if args.explain is not None:
        explanations.write(report.fleet.worst, args.explain, args.html.parent)
    if STANDARD_OUTPUT not in (args.json, args.html):
        print(to_text(report))
    if args.json is not None:
        write_text(args.json, json.dumps(to_json(report), indent=1, allow_nan=False) + "\n")
    if args.html is not None:
        from . import page  # noqa: PLC0415  plotly is slow to import

        write_text(args.html, page.render(report, page.distributions(report, this, other)))
    if args.table is not None:
        _write_table(args.table, *this)


def _write_table(out: Path, table: Table, chosen: Chosen) -> None:
    """The newest rows of all traces, those with an error as well; with conditions those that were chosen."""
    where = chosen.where if chosen.text else "true"
    is_csv = out.suffix == ".csv"
    form = "FORMAT csv, HEADER" if is_csv else "FORMAT parquet, COMPRESSION zstd"
    written = ", ".join(_inert(name, kind) if is_csv else name for name, kind in columns().items())
    with tempfile.TemporaryDirectory(prefix="qlog-analysis-") as folder, replacing(out) as f:
        copy = Path(folder) / "table"
        sql = f"SELECT {written} FROM connections WHERE {where} ORDER BY connections.trace, connection"
        table.copy(sql, chosen.parameters, copy, form)
        with copy.open("rb") as whole:
            shutil.copyfileobj(whole, f)


def _inert(name: str, kind: str) -> str:
    """A column for spreadsheets, which calculate a text that begins as a formula: a trace may say anything."""
    if kind != "VARCHAR":
        return name
    return f"regexp_replace({name}, {quoted(_FORMULA)}, {quoted(_MARKED)}) AS {name}"
