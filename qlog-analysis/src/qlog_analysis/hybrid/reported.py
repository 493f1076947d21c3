"""The parameters that the controller reported: made usable, and checked against its option string."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from ..check.verdict import Finding
from ..errors import UnsuitableTraceError
from ..events import HybridEpoch, HybridParameters
from ..model import ParametersEvent, Trace
from . import spec
from .measured import Limits
from .parameters import Parameters
from .thresholds import thresholds

SOME_RATE, SOME_SIZE = 1e6, 1250
"""bit/s and bytes; whether thresholds are in order does not depend on them."""


def limits_of(event: ParametersEvent) -> Limits:
    assert isinstance(event.parameters, HybridParameters)
    return Limits(
        parameters=_parameters(event.parameters, event.record),
        max_datagram_size=event.data.max_datagram_size,
        initial_window=event.data.initial_window,
        max_ack_delay=event.data.max_ack_delay / 1e3,
    )


def _parameters(p: HybridParameters, record: int) -> Parameters:
    def refuse(what: str) -> UnsuitableTraceError:
        return UnsuitableTraceError(f"record {record}: cc:parameters_set: {what}")

    def auto(name: str, unit: float = 1.0) -> float | None:
        value: float | str = getattr(p, name)
        if isinstance(value, str):
            if value != "auto":
                raise refuse(f"{name} is {value!r}, expected a number or 'auto'")
            return None
        return value * unit

    if not p.bmin <= p.bmid <= p.bmax < 1.0:
        raise refuse(f"decreases {p.bmin}, {p.bmid}, {p.bmax}, expected bmin <= bmid <= bmax < 1")
    if p.react not in ("once", "epoch"):
        raise refuse(f"react is {p.react!r}, expected 'once' or 'epoch'")
    if p.delay not in ("mean", "least"):
        raise refuse(f"delay is {p.delay!r}, expected 'mean' or 'least'")
    if not (p.owdwin > 0.0 and p.startup >= 1.0):
        raise refuse(f"owdwin is {p.owdwin} ms and startup {p.startup}, expected owdwin > 0 and startup >= 1")
    if not (p.queue > 0.0 and p.period > 0.0):
        raise refuse(f"queue is {p.queue} and period {p.period} ms, expected both above 0")
    if p.amin == 0.0 or p.amax == 0.0:
        raise refuse("amin and amax must not be 0")
    out = Parameters(
        **{name: auto(name) for name in ("amin", "amax", "r0")},
        **{name: auto(name, 1e-3) for name in ("d0", "d1", "d2", "d3", "wextra")},
        bmin=p.bmin,
        bmid=p.bmid,
        bmax=p.bmax,
        gamma=p.gamma,
        losscap=p.losscap,
        startup=p.startup,
        capacity=p.capacity,
        react_once=p.react == "once",
        trend=p.trend,
        least=p.delay == "least",
        packet=p.packet,
        owdwin=p.owdwin / 1e3,
        insist=p.insist,
        queue=p.queue,
        drain=p.drain,
        grow=p.grow,
        period=p.period / 1e3,
        full=p.full,
        compete=p.compete / 1e3,
        dip=p.dip,
        catchup=p.catchup,
        skew=p.skew,
    )
    if out.d1 is None and (out.d0, out.d2, out.d3) != (None, None, None):
        raise refuse(f"thresholds {p.d0}, {p.d1}, {p.d2}, {p.d3} ms: d0, d2 and d3 follow d1 where it is auto")
    d = thresholds(SOME_RATE, SOME_SIZE, out)
    if not d.d0 <= d.d1 < d.d2 < d.d3:
        raise refuse(f"thresholds {p.d0}, {p.d1}, {p.d2}, {p.d3} ms, expected d0 <= d1 < d2 < d3")
    return out


def check_parameters(trace: Trace) -> Iterator[Finding]:
    """The parameters are those of the option string, and stay the same as long as the connection lives."""
    first = trace.parameters[0]
    for event in trace.parameters:
        if not isinstance(event.parameters, HybridParameters):
            yield Finding(None, event.time, "parameters", f"the controller became {event.data.controller!r}")
        elif event.parameters != first.parameters or event.data.spec != first.data.spec:
            yield Finding(None, event.time, "parameters", "the parameters changed during the connection")
        elif event.data.initial_window != first.data.initial_window:
            yield Finding(None, event.time, "parameters", "initial_window changed during the connection")
    reported = limits_of(first).parameters
    try:
        meant = spec.parse(first.data.spec)
    except spec.SpecError as e:
        yield Finding(None, first.time, "parameters", str(e))
        return
    for f in fields(Parameters):
        a, b = getattr(reported, f.name), getattr(meant, f.name)
        if a != b and not (a is not None and b is not None and abs(a - b) <= 1e-6 * abs(b) + 1e-9):
            yield Finding(
                None,
                first.time,
                "parameters",
                f"{f.name} is {a!r}, but {first.data.spec!r} stands for {b!r} (SI units)",
            )
    epochs = trace.updates_of(HybridEpoch)
    if epochs and first.record > epochs[0].record:
        yield Finding(None, first.time, "parameters", "the parameters were reported after the first epoch")
