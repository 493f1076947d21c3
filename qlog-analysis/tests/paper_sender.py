"""A sender with the paper's controller, on exact times. For generating traces in tests."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from typing import Any

from qlog_analysis.check.options import meant
from qlog_analysis.hybrid_paper import law, trend
from qlog_analysis.hybrid_paper.parameters import PROFILES, Parameters
from qlog_analysis.measure.sliding import PathMinima, Source, size_class
from qlog_analysis.zones import rate as rates
from qlog_analysis.zones.names import ZONE_NAMES
from sender import Delivered, Events, in_ms, or_auto, parameters_set, rounded

SHORTEST = 1e-6
"""s. An epoch that began with the feedback that ends it lasts as long."""
IN_MS = ("d0", "d1", "d2", "d3", "base_delay_window")


def parameters(spec: str) -> Parameters:
    """What an option string stands for."""
    given = meant(spec, PROFILES)
    units = dict.fromkeys(IN_MS, 0.001)
    return Parameters(**{f.name: _si(given[f.name], units.get(f.name, 1.0)) for f in fields(Parameters)})


def _si(value: float | str, unit: float) -> Any:
    return None if isinstance(value, str) else value * unit


@dataclass(slots=True)
class PaperSender:
    p: Parameters
    spec: str
    packet: int
    initial_window: int = 10
    max_ack_delay: float = 0.025
    rate: float = 1e6
    state: str = "initial"
    app_limited: bool = False
    sent_bytes: int = 0
    _epoch: int = 0
    _start: float | None = None
    _minima: PathMinima | None = None
    _owds: list[tuple[float, int]] = field(default_factory=list)
    _lost: int = 0
    _acked: int = 0
    _window_full: bool = False
    """Whether it was in this epoch."""

    @property
    def started(self) -> bool:
        return self._start is not None

    @property
    def length(self) -> float:
        return (self._minima.length() if self._minima is not None else None) or 0.1

    @property
    def window(self) -> int:
        return law.window(self.rate, self.length, self.packet)

    @property
    def pacing(self) -> float | None:
        return self.rate / self.p.gamma if self.p.gamma > 0.0 else None

    def feedback(self, d: Delivered) -> Events:
        if self._start is None and d.sample is None:
            return []
        self._window_full |= d.in_flight + self.packet > self.window
        first = self._start is None
        if self._minima is None or self._start is None:
            self._start, self._minima = d.now, PathMinima(self.p.base_delay_window, d.now)
        self._minima.advance(d.now)
        if d.sample is not None:
            self._take(self._minima, d.now, *d.sample)
        if first:
            self.rate = rates.initial_rate(self.initial_window, self.packet, self.length, self.p.initial_rate)
        self._lost += len(d.lost)
        self._acked += len(d.acked)
        duration = d.now - self._start
        return self._end(d.now, max(duration, SHORTEST)) if not first and duration >= self.length else []

    def _take(self, minima: PathMinima, now: float, sent: float, size: int, ack_delay: float) -> None:
        rtt = now - sent
        in_class = size_class(size, self.packet)
        minima.insert_rtt(in_class, rtt)
        owd = minima.without_ack_delay(rtt, min(ack_delay, self.max_ack_delay))
        minima.insert_owd(Source.ACK, in_class, owd)
        self._owds.append((owd, in_class))

    def _end(self, now: float, duration: float) -> Events:
        assert self._minima is not None
        minima = self._minima.owd_minima(Source.ACK)
        rowds = [owd - minima[c - 1] for owd, c in self._owds]
        delta = sum(rowds) / len(rowds) if rowds else None
        its_trend, app_limited, before = trend.trend(rowds, self.p.d1), self._is_app_limited(duration), self.rate
        done = law.without_samples(self.rate, self.length, self.packet, interrupted=False)
        if delta is not None:
            seen = (max(delta, 0.0), self._lost > 0, its_trend)
            done = law.update(law.Epoch(*seen, self.rate, self.length, self.packet, app_limited), self.p)
        if done.zone is not None:
            self.state = ZONE_NAMES[done.zone]
        self.rate = done.rate
        report = {
            "epoch": self._epoch,
            "duration": duration * 1e3,
            "length": self.length * 1e3,
            "source": "ack",
            "samples": len(rowds),
            "lost": self._lost,
            "lost_total": self._lost,
            "acked": self._acked,
            "delta": None if delta is None else delta * 1e3,
            "trend": its_trend.value,
            **in_ms(self.p, "d0", "d1", "d2", "d3"),
            "zone": done.zone,
            "app_limited": app_limited,
            "alpha": done.alpha,
            "beta": done.beta,
            "rate_before": before,
            "rate_after": self.rate,
            "outcome": None,
            "window": self.window,
        }
        told = [] if self._epoch else [self._parameters()]
        self._next_epoch(now)
        return [*told, ("cc:hybrid_epoch_updated", rounded(report))]

    def _is_app_limited(self, duration: float) -> bool:
        used = 0.8 * self.rate * duration
        if self.app_limited:
            return 8.0 * self.sent_bytes < used
        return not self._window_full and 8.0 * (self.sent_bytes + self.packet) < used

    def _next_epoch(self, now: float) -> None:
        self._epoch += 1
        self._start = now
        self._owds, self._lost, self._acked = [], 0, 0
        self.sent_bytes, self.app_limited, self._window_full = 0, False, False

    def _parameters(self) -> tuple[str, dict[str, Any]]:
        p = self.p
        others = ("amin", "amax", "bmin", "bmid", "bmax", "gamma")
        values = {name: getattr(p, name) for name in others}
        return parameters_set(self, {**values, **in_ms(p, *IN_MS), "initial_rate": or_auto(p.initial_rate)})
