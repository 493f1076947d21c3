"""What became of each target of the default profile, from the numbers that the stages left."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import msgspec

SUBJECT = "hybrid"
# Of the first target, as `cc-lab compare` names them.
PARTS = ("utilisation", "delay", "loss", "loss_at_start")
NO_CLAIM = "no claim is about it"
MET, MISSED, UNKNOWN = "met", "not met", "not measured"

PATHS = 1
RECORDINGS = 6
TARGETS = {
    PATHS: "alone on a path: utilisation at least bbr2's less 0.5 points, a quarter of its p95 queueing delay, no loss "
    "after start-up and under 0.1 % in it",
    2: "2 to 20 flows that come one after the other share equally, also with RTTs of 10 to 200 ms; newcomers do not "
    "fill the queue",
    3: "pages and requests: within 5 % of the best of cubic and bbr2 on idle paths, better than both beside a bulk "
    "flow",
    4: "beside one cubic or bbr2 flow: at least half of a fair share, and low delay within 5 s after it leaves",
    5: "jitter, aggregation, reordering, route changes, capacity steps, random loss, policers, clock drift",
    RECORDINGS: "cellular recordings: 90 % of cubic's throughput with a quarter of its delay",
    7: "the same with both sources of one-way delays, and on a congested return path with receive timestamps",
    8: "cost per ACK at most cubic's, memory at most bbr2's, goodput over loopback at least cubic's",
}


class Entry(msgspec.Struct, frozen=True, omit_defaults=True):
    """A controller at a point of a suite; what the fields are stands in docs/lab.md."""

    point: tuple[str, ...]
    cc: str
    utilisation: float
    queueing_p95_ms: float
    loss: float
    loss_at_start: float
    reached: dict[str, bool] | None
    earlier: bool = False
    """Measured by an earlier build, and taken from published results."""


class Tally(msgspec.Struct, frozen=True):
    """How many of all hold."""

    hold: int
    of: int

    def __str__(self) -> str:
        return f"{self.hold} of {self.of}"


class Claim(msgspec.Struct, frozen=True):
    """A claim of `cc-lab claims`; what the fields are stands in docs/claims.md."""

    id: str
    title: str
    source: str
    status: str
    checks_that_hold: Tally


@dataclass(frozen=True)
class Verdict:
    """On one target."""

    number: int
    verdict: str
    found: str

    @property
    def target(self) -> str:
        return TARGETS[self.number]


def entries(results: bytes | None) -> list[Entry]:
    """Of a results.json; none without it."""
    return msgspec.json.decode(results, type=list[Entry]) if results else []


def claims(results: bytes | None) -> list[Claim]:
    """Of a claims.json; none without it."""
    return msgspec.json.decode(results, type=list[Claim]) if results else []


def verdicts(
    suites: Mapping[str, Sequence[Entry]], all_claims: Sequence[Claim], cost: str, skipped: bool
) -> list[Verdict]:
    """On all targets: `suites` by their names, `cost` as its table says it, `skipped` if recordings were not given."""
    in_company = [of_claims(number, all_claims, skipped and number == RECORDINGS) for number in range(2, 8)]
    return [of_paths(suites), *in_company, of_cost(cost)]


def of_paths(suites: Mapping[str, Sequence[Entry]]) -> Verdict:
    found, missed, unknown = [], False, False
    for name, given in suites.items():
        points = {entry.point for entry in given}
        own = [entry.reached for entry in given if entry.cc == SUBJECT and entry.reached is not None]
        whole = sum(all(reached.values()) for reached in own)
        each = ", ".join(f"{part.replace('_', ' ')} {sum(reached[part] for reached in own)}" for part in PARTS)
        found.append(f"{name}: all parts on {whole} of {len(own)} paths ({each})" if own else f"{name}: not measured")
        if own and len(own) < len(points):
            found[-1] += f", {len(points) - len(own)} more not measured"
        if earlier := dict.fromkeys(entry.cc for entry in given if entry.earlier):
            found[-1] += f", with results of {', '.join(earlier)} by an earlier build"
        missed = missed or whole < len(own)
        unknown = unknown or not own or len(own) < len(points)
    return Verdict(PATHS, MISSED if missed else UNKNOWN if unknown else MET, "; ".join(found))


def of_claims(number: int, all_claims: Sequence[Claim], skipped: bool = False) -> Verdict:
    """A target is met if all claims that have it as their source are reproduced, and none was skipped."""
    named = re.compile(rf"\btarget {number}\b", re.IGNORECASE)
    own = [claim for claim in all_claims if named.search(claim.source)]
    missed = [claim for claim in own if claim.status != "reproduced"]
    tallies = [claim.checks_that_hold for claim in own]
    checks = Tally(sum(tally.hold for tally in tallies), sum(tally.of for tally in tallies))
    found = f"{len(own) - len(missed)} of {len(own)} claims hold, {checks} checks" if own else NO_CLAIM
    if missed:
        found += "; not: " + ", ".join(f"{claim.id} ({claim.title}, {claim.checks_that_hold})" for claim in missed)
    if skipped:
        found += "; the recordings were not given (--recordings)"
    return Verdict(number, MISSED if missed else MET if own and not skipped else UNKNOWN, found)


def of_cost(table: str) -> Verdict:
    """From the table of tests/cost; memory and loopback goodput are measured elsewhere."""
    numbers: dict[str, dict[str, int]] = {}
    variant = ""
    for line in table.splitlines():
        match line.split():
            case [name, "packets/ACK", *_]:
                variant = name
            case [cc, _, per_ack, _] if variant:
                numbers.setdefault(variant, {})[cc] = int(per_ack)
    both = {name: costs for name, costs in numbers.items() if {SUBJECT, "cubic"} <= costs.keys()}
    if not both:
        return Verdict(8, UNKNOWN, "instructions per ACK were not counted")
    found = ", ".join(f"{costs[SUBJECT]} against {costs['cubic']} ({name})" for name, costs in both.items())
    met = all(costs[SUBJECT] <= costs["cubic"] for costs in both.values())
    note = "; memory and goodput over loopback stand in docs/cost.md"
    return Verdict(
        8, f"{MET} for cost" if met else MISSED, f"instructions per ACK, hybrid against cubic: {found}{note}"
    )
