"""What is said of a fleet: groups of connections, the worst ones, and what could not be used."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

from ..check.verdict import Outcome
from ..explain.limits import Limit
from .analyse import NO_LAW, NOT_JUDGED
from .chosen import Chosen
from .fetch import is_address
from .row import LIMITED_BY
from .table import Table

NO_RULE = "none"
GROUPED_BY = {
    "controller": "controller",
    "options": "controller || ': ' || options",
    "rule": f"coalesce(rule, '{NO_RULE}')",
    "peer": "coalesce(peer, 'not in the trace')",
    "ROWD source": "coalesce(rowd_source, 'no ACKs')",
}
MOST_GROUPS = 200
"""Peers choose their parameters, and so could make a group each."""
MOST_ERRORS = 100
FEWEST_SAMPLES = 20
"""With fewer round trips a 95th percentile means nothing; such a connection is not among the worst."""
OF_SEVERAL = "EXISTS (FROM connections o WHERE o.key = c.key AND o.connection > 1)"
"""Whether a row of `connections c` is of a file with more than one."""
VERDICTS = (*(o.value for o in Outcome), NO_LAW, NOT_JUDGED)


@dataclass(frozen=True, slots=True)
class Group:
    name: str
    connections: int
    queueing_delay_p95_ms: tuple[float | None, float | None]
    """Median and 95th percentile over connections of the 95th percentile of each."""
    goodput_bps: float | None
    """Median."""
    loss_percent: float | None
    """Of all packets of the group."""
    verdicts: dict[str, int]
    limited_by: dict[str, float]
    """Share of the time of its senders."""


@dataclass(slots=True)
class One:
    """A connection to look at."""

    trace: str
    connection: int
    of_several: bool
    controller: str
    options: str
    queueing_delay_p95_ms: float | None
    goodput_bps: float | None
    limited_by: str | None
    disagreements: list[str]
    explanation: str | None = None
    """The page that explains it."""

    def command(self, name: str) -> str:
        """That says more about it."""
        trace = PurePosixPath(self.trace).name if is_address(self.trace) else self.trace
        which = f" --connection {self.connection}" if self.of_several else ""
        return f"qlog-analysis {name} {shlex.quote(trace)}{which}"

    @property
    def is_remote(self) -> bool:
        """Whether it has to be copied before."""
        return is_address(self.trace)


@dataclass(frozen=True, slots=True)
class NotUsed:
    """A trace with an error, or a connection of one."""

    trace: str
    connection: int
    of_several: bool
    error: str

    @property
    def name(self) -> str:
        return f"{self.trace}, connection {self.connection}" if self.of_several else self.trace


@dataclass(frozen=True, slots=True)
class Fleet:
    store: str
    chosen: str
    traces: int
    """All of the store, also those with an error."""
    connections: int
    """That were chosen."""
    made_by: list[str]
    errors: int
    """Traces, or connections of one, that could not be used."""
    error_kinds: dict[str, int]
    first_errors: list[NotUsed]
    groups: dict[str, list[Group]]
    more_groups: dict[str, int]
    worst: list[One]
    failing: int
    first_failing: list[One] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """What could not be searched or read where traces were looked for."""


def summarise(table: Table, chosen: Chosen, worst: int) -> Fleet:
    ((traces, errors),) = table.ask("SELECT count(DISTINCT key), count(*) FILTER (error IS NOT NULL) FROM connections")
    ((connections, failing),) = table.ask(
        f"SELECT count(*), count(*) FILTER (verdict = 'FAIL') FROM connections WHERE {chosen.where}", chosen.parameters
    )
    by = {name: _groups(table, expression, chosen) for name, expression in GROUPED_BY.items()}
    if [group.name for group in by["rule"][0]] == [NO_RULE]:
        del by["rule"]
    return Fleet(
        store=str(table.store.path),
        chosen=chosen.text,
        traces=traces,
        connections=connections,
        made_by=[v for (v,) in table.ask("SELECT DISTINCT made_by FROM connections ORDER BY 1")],
        errors=errors,
        error_kinds=dict(
            _pairs(table, "SELECT error_kind, count(*) FROM connections WHERE error IS NOT NULL GROUP BY 1")
        ),
        first_errors=_not_used(table),
        groups={name: groups for name, (groups, _) in by.items()},
        more_groups={name: more for name, (_, more) in by.items() if more},
        worst=_some(
            table, chosen, f"delay_samples >= {FEWEST_SAMPLES}", "queueing_delay_p95_ms DESC NULLS LAST", worst
        ),
        failing=failing,
        first_failing=_some(table, chosen, "verdict = 'FAIL'", "trace", worst),
    )


def _pairs(table: Table, sql: str) -> list[tuple[Any, Any]]:
    return [(a, b) for a, b in table.ask(sql)]


def _not_used(table: Table) -> list[NotUsed]:
    rows = table.ask(
        f"SELECT trace, connection, {OF_SEVERAL}, error FROM connections c WHERE error IS NOT NULL "
        f"ORDER BY trace, connection LIMIT {MOST_ERRORS}"
    )
    return [NotUsed(*row) for row in rows]


def _groups(table: Table, expression: str, chosen: Chosen) -> tuple[list[Group], int]:
    """The largest, and how many more there are."""
    verdicts = ", ".join(f"count(*) FILTER (verdict = '{v}')" for v in VERDICTS)
    timed = "FILTER (limited_by IS NOT NULL)"
    shares = ", ".join(
        f"sum({column} * duration_s) {timed} / nullif(sum(duration_s) {timed}, 0)" for column in LIMITED_BY.values()
    )
    rows = table.ask(
        f"SELECT {expression} AS name, count(*) AS n, quantile_disc(queueing_delay_p95_ms, 0.5), "
        "quantile_disc(queueing_delay_p95_ms, 0.95), quantile_disc(goodput_bps, 0.5), 100.0 * sum(packets_lost) / "
        "nullif(sum(packets_sent) FILTER (packets_lost IS NOT NULL), 0), count(*) OVER () AS all_groups, "
        f"{verdicts}, {shares} FROM connections WHERE {chosen.where} GROUP BY name ORDER BY n DESC, name "
        f"LIMIT {MOST_GROUPS}",
        chosen.parameters,
    )
    return [_group(row) for row in rows], max(rows[0][6] - len(rows), 0) if rows else 0


def _group(row: tuple[Any, ...]) -> Group:
    verdicts, shares = row[7 : 7 + len(VERDICTS)], row[7 + len(VERDICTS) :]
    return Group(
        name=row[0],
        connections=row[1],
        queueing_delay_p95_ms=(row[2], row[3]),
        goodput_bps=row[4],
        loss_percent=row[5],
        verdicts={v: n for v, n in zip(VERDICTS, verdicts, strict=True) if n},
        limited_by={limit.value: s for limit, s in zip(Limit, shares, strict=True) if s},
    )


def _some(table: Table, chosen: Chosen, condition: str, order: str, most: int) -> list[One]:
    rows = table.ask(
        f"SELECT trace, connection, {OF_SEVERAL}, controller, options, queueing_delay_p95_ms, goodput_bps, limited_by, "
        "coalesce(disagreements, []) FROM ("
        f"FROM connections WHERE {chosen.where} AND {condition} ORDER BY {order}, trace, connection LIMIT {most}) c "
        f"ORDER BY {order}, trace, connection",
        chosen.parameters,
    )
    return [One(*row) for row in rows]
