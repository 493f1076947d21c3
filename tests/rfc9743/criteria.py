"""What RFC 9743 asks, and by which claims or words it is answered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Criterion:
    """A section of the RFC."""

    section: str
    title: str
    claims: Sequence[str] = ()
    """Of `tests/rfc9743`, or of other files in the same format."""
    checks: Sequence[str] | None = None
    """Which checks of them, over all that varies together; all, each at every value, if not given."""
    answer: str = ""
    verdict: str = ""
    """In the overview, where nothing is measured."""


HEAD = """
# RFC 9743, criterion by criterion

RFC 9743 (*Specifying New Congestion Control Algorithms*) lists what an evaluation has to look at. It gives no
numbers: the bounds are ours. All is measured in the [lab](../lab.md), with the controllers' default profiles and
without receive timestamps, as on today's paths; only the runs of U3 have them. NewReno, CUBIC and BBRv2, quiche's
`reno`, `cubic` and `bbr2`, have columns for comparison. This measures all in eight minutes of a core, and writes this
page:

```sh
PYTHONPATH=tests build/venv/bin/python -m published run rfc9743
```

**How to read the tables.** Above each stand the runs, with the path of each; `bdp` is the bandwidth-delay product. A
row is one measurement, with its bound. *Claim, seeds* names the claim in `tests/rfc9743` (U3: `tests/safety`), which
says what part of the run counts, and the number of runs that differ in their random numbers alone. A cell is the worst
of all seeds and windows, with its unit, or without one for Jain's index. Bold is beyond the bound; for our five the
reason stands below the table.

| word | what is measured ([metrics](../claims.md#files)) |
|---|---|
| goodput | rate of what the client's application got |
| throughput | rate of the UDP payload that reached the client |
| sending rate | rate of the UDP payload that the server sent |
| utilisation | share of the time in which the slowest link was sending |
| loss | share of the packets that was lost |
| queueing delay | of each packet, in the queue of the slowest link |
| page, median | from the request of a page to its last byte |
| silence | the longest time in which nothing arrived |

In the overview *yes* is a criterion of which every row holds, *1 of 3* one with so many rows that hold. Paths with
changes, more flows and other rates are in [targets](../targets.md) for `hybrid`, and in the
[papers' claims](../papers/README.md) for each controller.
"""

PRINCIPLES = """
RFC 2914 asks for an end to congestion collapse and for flows that share; it takes slow start and halving as the
measure. `hybrid` reduces its rate by the delay that it sees, by less than half, and does not answer losses without a
queue up to a bound ([equations](../papers/hybrid.md)). `smallq` gives one packet per mark instead of half of its
window, which is right only where marks come early and in proportion; losses are NewReno's
([equations](../papers/smallq.md)). `rrr` follows the rate of arrival, and may double per round trip at any time
([equations](../papers/rrr.md)). `raimd` keeps 70 % of its rate at a loss and increases towards TCP's throughput by
formula ([equations](../papers/raimd.md)). `vegas` differs by reducing before a loss ([equations](../papers/vegas.md)).
RFC 7141: none of them answers a small packet's loss or mark by less than a large one's; `smallq` takes a full packet
off its window for each mark.
"""

DEPLOYMENT = """
All five change the sender alone, and need no support of peers, routers or middleboxes. `smallq` sends ECT(1): where
no router marks, or marks are cleared, it is NewReno. Routers with a single queue that treats ECT(1) as ECT(0) mark it
as rarely as a Classic flow, to which it answers by less (RFC 9331, section 4.3, calls for a response to that): behind
CoDel or PIE it leaves a flow of CUBIC 1.4 to 1.9 of 10 Mbit/s (Y2). Do not select it outside of networks whose queues
are known. The other four send Not-ECT. Rollout and rollback: [guide](../guides/rollout.md).
"""

MISBEHAVING = """
A receiver that reports times that are not true gets at most a tenth more than an honest one, on 1 Mbit/s alone, with
any of the five (`a_liar_alone_gets_no_more_than_a_tenth_above_an_honest_receiver` in
`tests/contract/tests/lying_receiver.rs`), and takes at most a quarter of an honest neighbour's share; excused from
the second are `hybrid:paper` and `rrr`, whose shares are unequal with honest receivers as well
(`tests/contract/src/expectation.rs`). One lie is left out of the second: a receiver that hides a part of the queue by
receive timestamps takes most of the path from an honest flow of `hybrid`
([receivers that lie](hybrid.md#receivers-that-lie)). A receiver that hides marks makes `smallq`
NewReno until something is lost. A receiver can lengthen every delay, and slows down its own download only. ACKs of
packets that were never sent end the connection (RFC 9000, section 21.4; quiche). A policer, which loses without a
queue: target D of [targets](../targets.md).
"""

MULTIPATH = """
quiche 0.30 uses one path of a connection at a time. A path has a controller of its own, and a new path begins as a
first one does (rule `Migration` in `tests/contract`). Paths in parallel, and a coupling of their controllers, do not
exist here.
"""


@dataclass(frozen=True)
class Group:
    """A part of the RFC."""

    title: str
    criteria: Sequence[Criterion]


GROUPS = (
    Group(
        "One algorithm on its own",
        (
            Criterion("5.1.1", "Congestion collapse and full backoff", ["I1"]),
            Criterion("5.1.2", "Bufferbloat", ["I2"]),
            Criterion("5.1.3", "High packet loss", ["I3"]),
            Criterion("5.1.4", "Fairness within the algorithm", ["I4"]),
            Criterion("5.1.5", "Short flows", ["I5"]),
        ),
    ),
    Group(
        "Beside other algorithms",
        (
            Criterion("5.2", "Loss of all feedback", ["U3"], ["packets lost", "longest silence"]),
            Criterion("5.2", "Starvation by those in wide use", ["J2"]),
            Criterion("5.2.1", "Harm to those in wide use", ["J1"]),
            Criterion("5.2.2", "Real-time neighbours", ["J3"]),
            Criterion("5.2.3", "Short and long flows of others", ["J4"]),
        ),
    ),
    Group(
        "Other criteria",
        (
            Criterion(
                "5.3.1",
                "Differences with congestion control principles",
                answer=PRINCIPLES,
                verdict="differences stated",
            ),
            Criterion("5.3.2", "Incremental deployment", answer=DEPLOYMENT, verdict="see text"),
        ),
    ),
    Group(
        "General use",
        (
            Criterion("6.1", "Paths with tail-drop queues", ["E1"]),
            Criterion("6.2", "Tunnels", ["E2"]),
            Criterion("6.3", "Wired paths", ["E3"]),
            Criterion("6.4", "Wireless paths", ["E4"]),
        ),
    ),
    Group(
        "Special cases",
        (
            Criterion("7.1", "Active queue management, alone", ["Y1"]),
            Criterion("7.1", "Active queue management, beside CUBIC", ["Y2"]),
            Criterion("7.2", "Circuit breakers", ["Y3"]),
            Criterion("7.3", "Varying delay", ["Y4"]),
            Criterion("7.4", "Internet of Things", ["Y5"]),
            Criterion("7.5", "High delay", ["Y6"]),
            Criterion("7.6", "Misbehaving nodes", answer=MISBEHAVING, verdict="see text"),
            Criterion("7.7", "Reordering", ["Y7"]),
            Criterion("7.8", "Transient events", ["Y8"]),
            Criterion("7.9", "Sudden changes of the path", ["Y9"]),
            Criterion("7.10", "Multipath", answer=MULTIPATH, verdict="not applicable"),
            Criterion("7.11", "Data centres", ["Y10"]),
        ),
    ),
)
