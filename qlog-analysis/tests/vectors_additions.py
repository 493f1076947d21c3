"""The part of tests/vectors/hybrid.json that goes beyond the paper: thresholds, late losses, and updates with course.

Every case names its options, so that none depends on a default profile. Rates are such that thresholds are whole
nanoseconds, and no case lies within `MARGIN_MS` of a threshold.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import vectors_interruption
import vectors_standing
from qlog_analysis.hybrid import floor, jitter, law, spec
from qlog_analysis.hybrid.course import Course
from qlog_analysis.hybrid.dips import STALLS, Dips, is_dip, stalls
from qlog_analysis.hybrid.drain import Drain
from qlog_analysis.hybrid.ended_epoch import Epoch
from qlog_analysis.hybrid.floor import Taken
from qlog_analysis.hybrid.jitter import Jitter
from qlog_analysis.hybrid.late import LatePackets
from qlog_analysis.hybrid.loss_count import NOTHING_KNOWN
from qlog_analysis.hybrid.thresholds import full_delay, startup_end, thresholds
from qlog_analysis.measure.skew import TICKS, Skew
from qlog_analysis.zones.rate import clamp_rate

PACKET = 1250
OPTIONS = (
    "min_decrease=0.02,target_packets=2,drain_epochs=3,growth=1.5,growth_period=40ms,startup_gain=2",
    "min_decrease=0.05,target_packets=3,drain_epochs=2,growth=1.1,growth_period=40ms,startup_gain=2,"
    "without=insist+full_buffer",
    "target_delay=12ms,drain_epochs=1.5,min_decrease=0.1,growth=2,startup_gain=2,without=catch_up",
)
BELOW_A_PACKET = "target_packets=0.5"
"""For thresholds: d1 is capped after the multiplication, so that it goes on below P / R."""
RATES_BPS = (5e5, 1e6, 2e6, 5e6, 1e7, 4e7, 1e8)
MARGIN_MS = 0.002
CASES = 200
DIP_CASES = 8
SKEW_CASES = 12


def build() -> dict[str, Any]:
    rng = random.Random(0xADD)
    return {
        "thresholds": list(_thresholds()),
        "floor": [_floor(rng, length_ms) for length_ms in (5, 14, 16, 39, 40, 50, 130, 200) for _ in range(4)],
        "jitter": list(_jitter(random.Random(0xBE4D))),
        "late": list(_late(random.Random(0x1A7E))),
        "skew": [_skew(random.Random(seed)) for seed in range(SKEW_CASES)],
        "dips": [_dips(random.Random(seed)) for seed in range(DIP_CASES)],
        "standing": vectors_standing.build(),
        "interruption": vectors_interruption.build(),
        "course": [_case(rng, options, startup=i % 4 == 0) for options in OPTIONS for i in range(CASES)],
    }


def _thresholds() -> Iterator[dict[str, Any]]:
    for options in (*OPTIONS, BELOW_A_PACKET):
        p = spec.parse(f"hybrid:{options}")
        for rate in (1e4, 5e4, 8e4, *RATES_BPS, 1e9):
            for longest_ms in (0.0, 0.8, 4.0, 400.0):
                d = thresholds(rate, PACKET, p)
                yield {
                    "options": options,
                    "rate_bps": rate,
                    "longest_ms": longest_ms,
                    "expect_ms": [x * 1e3 for x in (d.d0, d.d1, d.d2, d.d3)],
                    "expect_full_ms": full_delay(d.d1, longest_ms / 1e3, p) * 1e3,
                }


def _floor(rng: random.Random, length_ms: int) -> dict[str, Any]:
    """Whole milliseconds and no border of spans, so that units of time do not matter; some come after L."""
    spans = max((length_ms + 5) // 10, 1)
    times = sorted(at for at in rng.choices(range(length_ms + 9), k=25) if at * spans % length_ms != 0)
    samples = [(at, rng.randrange(100)) for at in times]
    (least,) = floor.least([Taken(at / 1e3, length_ms / 1e3, above / 1e3) for at, above in samples])
    return {"length_ms": length_ms, "samples_ms": samples, "expect_ms": least * 1e3}


def _jitter(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Minima of spans one after the other: jitter above a queue that grows, stands, drains, with some that jump far."""
    for spread, slope in ((0.0, 0.0), (0.0, 0.7), (2.0, 0.0), (2.0, 0.7), (9.0, -0.3), (400.0, 0.0)):
        seen, steps = Jitter(), list[dict[str, Any]]()
        for number in range(50):
            if rng.random() < 0.03:
                seen = seen.interrupt()
                steps.append({"interrupt": True})
            least_ms = round(max(slope * (number % 40) + 20.0 * (slope < 0.0) + rng.uniform(0.0, spread), 0.0), 3)
            seen = seen.add([least_ms / 1e3])
            steps.append({"least_ms": least_ms, "expect_ms": seen.level * 1e3})
        yield {"steps": steps}


def _late(rng: random.Random) -> Iterator[dict[str, Any]]:
    """Spells with few losses, and with many, some of which come in bursts; after excessive losses all is forgotten."""
    for cap in (0.02, 0.1, 0.5, 1.0):
        late = LatePackets()
        steps = list[dict[str, Any]]()
        for n in range(90):
            least, most = ((0.0, 0.8), (0.8, 3.0), (0.5, 1.5))[n // 5 % 3]
            packets = rng.choice((0, 8, 40, 300))
            lost = round(packets * min(cap * rng.uniform(least, most), 1.0))
            acked, reports = packets - lost, min(lost, rng.choice((1, 5, 9, 30)))
            acks = min(packets, reports + rng.choice((0, 1, 20)))
            competes, sampled = n // 15 % 2 == 0, acked > 0 and rng.random() < 0.8
            if forget := bool(steps) and steps[-1]["expect"]:
                late.forget()
            late.add(lost, acked, acks, reports)
            step: dict[str, Any] = {"lost": lost, "acked": acked, "acks": acks, "reports": reports, "forget": forget}
            expect = sampled and late.are_excessive(cap, competes=competes)
            steps.append({**step, "competes": competes, "sampled": sampled, "expect": expect})
        yield {"losscap": cap, "steps": steps}


def _dips(rng: random.Random) -> dict[str, Any]:
    """Epochs one after the other, some of which last long, and some of which end in a decrease. Where rounding could
    decide, another one is drawn."""
    options = f"growth_period={rng.choice((10, 40, 160))}ms"
    p = spec.parse(f"hybrid:{options}")
    length, state, steps = rng.choice((0.001, 0.01, 0.04, 0.1)), Dips(), list[dict[str, Any]]()
    while len(steps) < 30:
        duration = round(length * rng.choice((1.0, 1.3, 3.0, 9.0)) * rng.uniform(1.0, 1.2), 6)
        delta = rng.choice((0.0, 0.03))
        rate, bits = rng.choice(RATES_BPS), rng.randrange(1, 100) * PACKET * 8
        gap = rng.choice((0.0, 0.005, 0.06))
        usual = state.usual(length, rate, PACKET, gap)
        if abs(duration / usual - STALLS) < 0.01:
            continue
        arriving = usual if stalls(duration, usual, p) else duration
        state = state.add(bits / arriving)._replace(queue=delta)
        decrease, dipped = rng.random() < 0.4, is_dip(bits / arriving, state.believed(p))
        if abs(bits / arriving - state.believed(p)) < 1.0:
            decrease = False
        state = state.learn(dipped) if decrease else state
        steps.append(
            {
                "duration_ms": duration * 1e3,
                "rate_bps": rate,
                "acked_bytes": bits // 8,
                "delta_ms": delta * 1e3,
                "gap_ms": gap * 1e3,
                "decrease": decrease,
                "expect_arriving_ms": arriving * 1e3,
                "expect_believed_bps": state.believed(p),
                "expect_varies": state.variability,
                "expect_head_start_ms": state.head_start(p.period(PACKET, rate, length)) * 1e3,
            }
        )
    return {"options": options, "length_ms": length * 1e3, "steps": steps}


def _case(rng: random.Random, options: str, *, startup: bool) -> dict[str, Any]:
    """One update. Where rounding could decide, another one is drawn."""
    p = spec.parse(f"hybrid:{options}")
    while True:
        rate, length = rng.choice(RATES_BPS), rng.choice((0.001, 0.01, 0.04, 0.1))
        d = thresholds(rate, PACKET, p)
        transmission = rng.choice((0.0, 1e-4, 1e-3, 1e-2))
        longest = round(rng.uniform(0.0, 1.5) * d.d1, 5)
        draining = not startup and rng.random() < 0.6
        share = round(rate * rng.uniform(0.5, 1.6)) if draining else None
        arriving = round(length * rng.uniform(1.0, 1.2), 6)
        uncertain = rng.choice((0.0, 0.1, 0.5))
        its_jitter = 0.0 if startup else round(uncertain * arriving, 6)
        e = Epoch(
            delta=round(rng.choice((0.1, 0.4, 0.9, 1.5, 3.0, 6.0)) * rng.uniform(0.5, 1.2) * d.d1, 6),
            lost=rng.random() < 0.3,
            excessive_loss=rng.random() < 0.1,
            rate=rate,
            length=length,
            packet_bytes=PACKET,
            app_limited=rng.random() < 0.2,
            by_train=rng.random() < 0.3,
            train_rate=float(round(rate * rng.choice((0.0, 0.5, 1.0, 1.4)))),
            startup=startup,
            queues=False,
            delivery_rate=float(round(rate * rng.uniform(0.3, 1.3))),
            uncertain=uncertain if startup else jitter.uncertain(its_jitter, arriving),
            background=rng.choice((0.0, 0.05, 0.4)),
            usual_losses=NOTHING_KNOWN,
            thresholds=d,
            full=full_delay(d.d1, longest, p),
            transmission=transmission,
            arriving=arriving,
            ack_jitter=its_jitter,
            largest=float(round(rate * rng.choice((0.2, 0.6, 1.0)))),
        )
        end = startup_end(rate, length, transmission, PACKET, p)
        e = replace(e, queues=startup and e.delta > end, fills=startup and rng.random() < 0.3)
        since_decrease = 0.0 if startup or draining else rng.choice((0.0, 0.05, 0.4, 8.0))
        learning = share is not None and rng.random() < 0.5
        drain = _drain(rng, e) if share is not None and not learning else Drain()
        sent = round(rate * rng.choice((1.3, 1.7, 2.5))) if learning else None
        resumed_at = float(round(rate * rng.choice((0.0, 0.0, 0.7, 1.1)))) if learning else 0.0
        course = Course(share, sent, since_decrease, drain=drain, resumed_at=resumed_at)
        done = law.update(e, p, course)
        near = [law.update(replace(e, delta=e.delta + s * MARGIN_MS / 1e3), p, course) for s in (-1, 1)]
        met = {startup and e.delta + s * MARGIN_MS / 1e3 > end for s in (-1, 1)}
        bounded = done.rate <= clamp_rate(0.0, PACKET, length)  # which depends on how L was measured
        if not bounded and len(met) == 1 and {_outcome(u) for u in near} == {_outcome(done)}:
            return as_json(options, e, course, done, transmission, longest)


def _drain(rng: random.Random, e: Epoch) -> Drain:
    """What the epochs before have left, if there were any since the decrease: some with more than A, and some less."""
    lasted = rng.choice((0, 1, 8, 30)) * e.arriving
    return Drain(lasted, float(round(e.delivery_rate * rng.choice((0.7, 1.02, 1.05, 2.0)) * lasted)))


def _outcome(u: law.Update) -> tuple[Any, ...]:
    return u.zone, u.alpha is None, u.beta is None, u.startup, u.course.return_rate is None, u.outcome


def as_json(
    options: str, e: Epoch, course: Course, done: law.Update, transmission: float, longest: float
) -> dict[str, Any]:
    drain = course.arrive(e.delivery_rate, e.arriving, e.length).drain
    return {
        "options": options,
        "startup": e.startup,
        "delta_ms": e.delta * 1e3,
        "lost": e.lost,
        "overwhelmed": e.excessive_loss,
        "rate_bps": e.rate,
        "arrived_bps": e.delivery_rate,
        "uncertain": e.uncertain,
        "jitter_ms": e.ack_jitter * 1e3,
        "drain_lasted_ms": drain.lasted * 1e3,
        "drain_arrived_bits": drain.bits,
        "background": e.background,
        "length_ms": e.length * 1e3,
        "transmission_ms": transmission * 1e3,
        "longest_ms": longest * 1e3,
        "app_limited": e.app_limited,
        "by_train": e.by_train,
        "train_bps": e.train_rate,
        "fills": e.fills,
        "used_bps": e.largest,
        "may_queue": e.may_queue,
        "share_bps": course.return_rate,
        "startup_rate_bps": course.startup_rate,
        "resumed_at_bps": course.resumed_at,
        "undisturbed_ms": course.since_decrease * 1e3,
        "expect_zone": done.zone,
        "expect_startup": done.startup,
        "expect_outcome": done.outcome,
        "expect_alpha_bps": done.alpha,
        "expect_beta": done.beta,
        "expect_rate_bps": done.rate,
        "expect_share_bps": done.course.return_rate,
        "expect_undisturbed_ms": done.course.since_decrease * 1e3,
    }


def _skew(rng: random.Random) -> dict[str, Any]:
    """Parts of a second; delays in us."""
    skew, ppm, noise = Skew(part=1.0, origin=0.0), rng.randrange(-400, 400), rng.choice((0, 20, 300))
    forward, back = rng.randrange(10_000_000), rng.randrange(100_000)
    parts: list[dict[str, float]] = []
    for number in range(24):
        if rng.random() < 0.1:
            continue
        if rng.random() < 0.05:
            forward, back = rng.randrange(10_000_000), rng.randrange(100_000)
            skew.restart()
            parts.append({"restart": True})
        if rng.random() < 0.05:
            step = rng.choice((-1, 1)) * rng.randrange(2_000, 4_000)
            forward, back = forward + step, back - step
        seen = [forward + ppm * number + rng.randint(0, noise), back - ppm * number + rng.randint(0, noise)]
        skew.part_over(number, seen[0] * 1e-6, sum(seen) * 1e-6)
        expected = round(skew.gain * TICKS * 1e6, 6)
        parts.append({"number": number, "forward_us": seen[0], "back_us": seen[1], "expect_ppm": expected})
    return {"parts": parts}
