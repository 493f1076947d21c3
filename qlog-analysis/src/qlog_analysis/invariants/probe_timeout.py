"""The probe timeout at every moment (RFC 9002 sections 5.3 and 6.2.1), in the bounds that a trace leaves open."""

from __future__ import annotations

import math

import numpy as np

from ..arrays import Floats, Ints
from ..measure.rtt import GRANULARITY
from ..model import TIME_RESOLUTION, Space, Trace
from ..packed import part, take

SLACK = 8.0 * TIME_RESOLUTION
"""Of the samples in the mean, and four times in the variation."""


class ProbeTimeouts:
    """Until the handshake is confirmed a sender may take the peer's ACK delay as it is told, cap it, or ignore it in
    Initial packets (section 5.3), and the trace does not say which it did."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._confirmed = min((s.record for s in trace.signals if s.kind == "handshake_done"), default=0)
        self._smallest = math.inf
        self._capped, self._told = _Estimate(), _Estimate()
        self._newest = math.nan, math.nan

    def after(self, first: int, end: int) -> tuple[Floats, Floats]:
        """Before the first and after each feedback at these places, the shortest and the longest, s; NaN before the
        first round trip is known. To be asked of all feedback in order."""
        sampled = np.flatnonzero(part(self._trace.feedback.sample, first, end) >= 0)
        capped, told = self._less_delay(first, end, sampled)
        most = self._trace.peer_max_ack_delay
        same = self._capped.like(self._told) and bool((capped == told).all())
        a = self._capped.timeouts(capped, most)
        b = a if same else self._told.timeouts(told, most)
        if same:
            self._told.follow(self._capped)
        newest = np.searchsorted(sampled, np.arange(end - first + 1))
        before_low, before_high = self._newest
        low, high = (
            np.concatenate(([before], bound(a, b) + slack))[newest]
            for before, bound, slack in ((before_low, np.minimum, -SLACK), (before_high, np.maximum, SLACK))
        )
        self._newest = float(low[-1]), float(high[-1])
        return low, high

    def _less_delay(self, first: int, end: int, sampled: Ints) -> tuple[Floats, Floats]:
        """The round trips that feedback at these places measures, less the peer's delay: capped, and as it is told."""
        feedback = self._trace.feedback
        left = take(self._trace.sent.time, part(feedback.sample, first, end)[sampled])
        latest = part(feedback.time, first, end)[sampled] - left
        told = part(feedback.ack_delay, first, end)[sampled]
        cut = np.minimum(told, self._trace.peer_max_ack_delay)
        space = np.frombuffer(feedback.space[first:end], dtype=np.uint8)[sampled]
        sure = part(feedback.record, first, end)[sampled] > self._confirmed
        smallest = np.minimum.accumulate(np.concatenate(([self._smallest], latest)))
        self._smallest = float(smallest[-1])
        less = (latest - np.where(sure, cut, before) for before in (np.where(space == Space.INITIAL, 0.0, cut), told))
        capped, as_told = (np.where(x >= smallest[1:], x, latest) for x in less)
        return capped, as_told


class _Estimate:
    """Of the round trip (section 5.3)."""

    def __init__(self) -> None:
        self._mean = self._deviation = math.nan

    def like(self, other: _Estimate) -> bool:
        mine, others = (self._mean, self._deviation), (other._mean, other._deviation)
        return mine == others or (math.isnan(self._mean) and math.isnan(other._mean))

    def follow(self, other: _Estimate) -> None:
        self._mean, self._deviation = other._mean, other._deviation

    def timeouts(self, samples: Floats, most: float) -> Floats:
        """After each of the samples that come next."""
        smoothed, variation = [], []
        mean, deviation = self._mean, self._deviation
        for latest in samples.tolist():
            if math.isnan(mean):
                mean, deviation = latest, latest / 2.0
            else:
                deviation = 0.75 * deviation + 0.25 * abs(mean - latest)
                mean = 0.875 * mean + 0.125 * latest
            smoothed.append(mean)
            variation.append(deviation)
        self._mean, self._deviation = mean, deviation
        out: Floats = np.array(smoothed) + np.maximum(4.0 * np.array(variation), GRANULARITY) + most
        return out
