"""The part of tests/vectors/hybrid.json about single steps that random ones do not reach: the bounds of R and of the
thresholds, interruptions, epochs without samples, and a drain of which jitter explains more than half."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import law_epochs
import vectors_additions
from qlog_analysis.hybrid import jitter, law, spec
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.drain import Drain
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN
from qlog_analysis.hybrid.thresholds import full_delay, thresholds

OPTIONS = vectors_additions.OPTIONS[0]
PACKET = vectors_additions.PACKET
LENGTH = 0.04
LEAST = 62_500.0
"""P / (4 L), bit/s."""
SHARE = 8e5
DRAINED = Drain(0.1, 7e5)
"""More than 64 packets in less time than twice the jitter of the cases."""
MEANWHILE = Drain(0.36, 3e6)
"""With 5 Mbit/s in this epoch the mean is 8 Mbit/s."""
LOSING = 5e6, 4.0
LOSSES = {"lost": True, "ack_jitter": 0.04}

# Rate in bit/s, delay in d1, what the epochs before have left, and what differs of an epoch in which as much arrived as
# was sent.
CASES: tuple[tuple[str, float, float, Course, dict[str, Any]], ...] = (
    ("a decrease ends at the least rate", 64_000.0, 6.0, Course(), {}),
    ("one at the least rate keeps it", LEAST, 6.0, Course(), {}),
    ("an increase at the least rate", LEAST, 0.1, Course(), {}),
    ("an increase ends at the greatest rate", 9.5e9, 0.1, Course(since_decrease=8.0), {}),
    ("d1 is not below its least", 1e9, 0.4, Course(), {}),
    ("a packet takes as long as the greatest d1", 1e5, 0.9, Course(), {}),
    ("a packet takes longer than the greatest d1", 8e4, 0.9, Course(), {}),
    ("the same, congested", 8e4, 2.5, Course(), {}),
    ("an interruption ends at the minimum window", 1e7, 0.1, Course(), {"interrupted": True}),
    ("one below it changes nothing of R", 1e5, 0.1, Course(), {"interrupted": True}),
    ("one while a queue drains", 1e7, 6.0, Course(SHARE), {"interrupted": True}),
    ("one in start-up", 1e7, 0.1, Course(), {"interrupted": True, "startup": True}),
    ("one that the application limits", 1e7, 0.1, Course(), {"interrupted": True, "app_limited": True}),
    ("jitter explains half of a drain at most", 1e6, 1.5, Course(SHARE, drain=DRAINED), {"ack_jitter": 0.3}),
    ("the same, with losses made up for", 1e6, 1.5, Course(1e6, drain=DRAINED), {"ack_jitter": 0.3, "background": 1.0}),
    ("losses in a drain: its mean bears out what jitter held back", *LOSING, Course(9.5e6, drain=MEANWHILE), LOSSES),
    ("no more than jitter can", *LOSING, Course(9.5e6, drain=MEANWHILE), {**LOSSES, "ack_jitter": 8e-3}),
    ("what arrived in any case", *LOSING, Course(9.5e6, drain=Drain(0.36, 1.4e6)), LOSSES),
    ("only that before 64 packets tell a mean", *LOSING, Course(9.5e6, drain=Drain(0.02, 4e5)), LOSSES),
    ("nor if losses are excessive", *LOSING, Course(9.5e6, drain=MEANWHILE), {**LOSSES, "excessive_loss": True}),
    ("a source that limits has shown what it used", 5e5, 2.0, Course(), {"app_limited": True, "largest": 3e5}),
    ("it grows if a train tried R", 5e5, 0.1, Course(since_decrease=1.0), {"app_limited": True, "by_train": True}),
    ("what a train shows ends a start-up", 7e5, 0.1, Course(3e5, 1e6), {"app_limited": True, "train_rate": 9e5}),
    ("one of a source that does not limit shows nothing", 5e5, 0.1, Course(3e5, 1e6), {"train_rate": 9e5}),
    ("and no more in a drain", 5e5, 2.0, Course(SHARE), {"app_limited": True, "largest": 4e5}),
    ("S is returned to while the application limits", 5e5, 0.1, Course(SHARE), {"app_limited": True}),
    ("start-up goes on where it ended too early", 5e5, 0.4, Course(6.67e5, 1e6), {}),
    ("it does not where less arrives", 5e5, 0.4, Course(6.66e5, 1e6), {}),
    ("nor below 5/4 of when it did", 5e5, 0.4, Course(6.87e5, 1e6, resumed_at=5.5e5), {}),
    ("but again from there on", 5e5, 0.4, Course(6.88e5, 1e6, resumed_at=5.5e5), {}),
    ("nor with half of the slowest link", 5e5, 0.4, Course(6.68e5, 1e6), {"transmission": 7.5e-3}),
    ("but with less of it", 5e5, 0.4, Course(6.67e5, 1e6), {"transmission": 7.49e-3}),
    ("it counts what arrives in the epoch", 7e5, 0.4, Course(6.6e5, 1e6), {}),
    ("but no more than was sent", 2e6, 0.4, Course(6.6e5, 1e6), {}),
    ("it goes on while the application limits", 7e5, 0.1, Course(6.6e5, 1e6), {"app_limited": True}),
    ("a later decrease ends that", 7e5, 0.4, Course(6.9e5), {}),
    ("it goes on while the queue drains", 5e5, 0.6, Course(6.67e5, 1e6), {}),
    ("where a decrease would follow", 5e5, 1.1, Course(6.67e5, 1e6), {}),
    ("or a larger one", 5e5, 2.1, Course(6.67e5, 1e6), {}),
    ("if T is known, too", 5e5, 1.1, Course(6.67e5, 1e6), {"transmission": 2e-3}),
    ("not if losses are congestion", 5e5, 1.1, Course(6.67e5, 1e6), {"excessive_loss": True}),
    ("nor where less arrives than was sent", 5e5, 1.1, Course(6.66e5, 1e6), {}),
    ("an interruption comes first", 7e5, 0.1, Course(7e5, 1e6), {"interrupted": True}),
    ("it goes on at the least rate", LEAST, 0.1, Course(5e4, 6e4), {}),
)
# What epochs without samples leave: A in bit/s, whether 16 packets were acknowledged, and what differs.
WITHOUT_SAMPLES: tuple[tuple[Course, float, bool, dict[str, Any]], ...] = (
    (Course(SHARE), 4e5, True, {}),
    (Course(SHARE), 4e5, False, {}),
    (Course(SHARE), 4e5, True, {"app_limited": True}),
    (Course(SHARE), 9e5, True, {}),
    (Course(3e5, 1e6), 6.2e5, False, {}),
    (Course(3e5, 1e6), 6.3e5, False, {}),
    (Course(3e5, 1e6), 6.3e5, False, {"lost": True}),
    (Course(SHARE, 1e6), 9e5, False, {}),
    (Course(SHARE, 1e6), 2e6, True, {"app_limited": True}),
    (Course(SHARE, 1e6), 2e6, True, {"lost": True}),
    (Course(SHARE, 1e6, resumed_at=8e5), 9.99e5, True, {}),
    (Course(SHARE, 1e6), 9e5, True, {"transmission": 5.6e-3}),
    (Course(4e4, 6e4), 4e4, True, {}),
    (Course(), 4e5, True, {}),
)


def build() -> list[dict[str, Any]]:
    steps = [_step(why, rate, delay, course, changes) for why, rate, delay, course, changes in CASES]
    return steps + [_without_samples(*case) for case in WITHOUT_SAMPLES]


def _epoch(rate: float, delay: float, changes: dict[str, Any]) -> Epoch:
    p = spec.parse(f"hybrid:{OPTIONS}")
    d = thresholds(rate, PACKET, p)
    of_path: dict[str, Any] = {
        "lost": False,
        "startup": False,
        "app_limited": False,
        "background": 0.0,
        "usual_losses": NOTHING_KNOWN,
        "ack_jitter": 0.0,
        "interrupted": False,
        "transmission": 0.0,
        "excessive_loss": False,
    } | changes
    return Epoch(
        delta=round(delay * d.d1, 6),
        rate=rate,
        length=LENGTH,
        packet_bytes=PACKET,
        queues=False,
        delivery_rate=rate,
        uncertain=jitter.uncertain(of_path["ack_jitter"], LENGTH),
        thresholds=d,
        full=full_delay(d.d1, 0.0, p),
        arriving=LENGTH,
        **of_path,
    )


def _step(why: str, rate: float, delay: float, course: Course, changes: dict[str, Any]) -> dict[str, Any]:
    p = spec.parse(f"hybrid:{OPTIONS}")
    e = _epoch(rate, delay, changes)
    done = law.update(e, p, course)
    case = vectors_additions.as_json(OPTIONS, e, course, done, e.transmission, 0.0)
    return {"why": why, "interrupted": e.interrupted, "samples": True, "tells_rate": False, **case}


def _without_samples(course: Course, arrived: float, tells: bool, changes: dict[str, Any]) -> dict[str, Any]:
    p = spec.parse(f"hybrid:{OPTIONS}")
    e = replace(_epoch(5e5, 0.0, changes), delivery_rate=arrived)
    left = course.learn(arrived, tells=tells and not e.app_limited)
    stays = law.Update(0, None, None, e.rate, False, left)
    done = law_epochs.resumed(e, left, p, lost=e.lost) or stays
    case = vectors_additions.as_json(OPTIONS, e, course, done, e.transmission, 0.0)
    why = "an epoch without samples"
    return {"why": why, "interrupted": False, "samples": False, "tells_rate": tells, **case, "expect_zone": None}
