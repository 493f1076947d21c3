"""The parameters that the controller reported: made usable, and checked against its option string."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from ..check.verdict import Finding
from ..events import HybridEpoch, HybridParameters
from ..model import ParametersEvent, Trace
from ..zones.limits import Limits, auto, limits_of, refusal
from . import spec
from .parameters import Parameters


def parameters_of(event: ParametersEvent) -> Limits[Parameters]:
    """Raises UnsuitableTraceError if they make no sense."""
    p = event.parameters
    assert isinstance(p, HybridParameters)
    if not p.bmin <= p.bmax < 1.0:
        raise refusal(event, f"decreases {p.bmin}, {p.bmax}, expected bmin <= bmax < 1")
    if not (p.owdwin > 0.0 and p.startup > 1.0):
        raise refusal(event, f"owdwin is {p.owdwin} ms and startup {p.startup}, expected owdwin > 0 and startup > 1")
    if not (p.queue > 0.0 and p.period > 0.0):
        raise refusal(event, f"queue is {p.queue} and period {p.period} ms, expected both above 0")
    if not (p.drain > 0.0 and p.grow >= 1.0):
        raise refusal(event, f"drain is {p.drain} and grow {p.grow}, expected drain > 0 and grow >= 1")
    if p.d1 == 0.0:
        raise refusal(event, f"d1 is {p.d1} ms, expected a time above 0 or 'auto'")
    parameters = Parameters(
        bmin=p.bmin,
        bmax=p.bmax,
        d1=auto(event, "d1", 1e-3),
        losscap=p.losscap,
        startup=p.startup,
        capacity=p.capacity,
        skew=p.skew,
        owdwin=p.owdwin / 1e3,
        r0=auto(event, "r0"),
        insist=p.insist,
        queue=p.queue,
        drain=p.drain,
        grow=p.grow,
        period=p.period / 1e3,
        full=p.full,
        compete=p.compete / 1e3,
        dip=p.dip,
        catchup=p.catchup,
    )
    return limits_of(event, parameters)


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
    reported = parameters_of(first).parameters
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
