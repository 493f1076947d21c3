"""The parameters that the controller reported: made usable, and checked against its option string."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from ..check.options import check_unchanged
from ..check.verdict import Finding
from ..events import SMALLEST, HybridParameters
from ..model import ParametersEvent, Trace
from ..zones.limits import Limits, auto, limits_of, refusal
from . import spec
from .constants import MAX_DECREASE
from .mechanism import Mechanism, as_text, left_out
from .parameters import Parameters


def parameters_of(event: ParametersEvent) -> Limits[Parameters]:
    """Raises UnsuitableTraceError if they make no sense."""
    p = event.parameters
    assert isinstance(p, HybridParameters)
    if p.min_decrease > MAX_DECREASE:
        raise refusal(event, f"min_decrease is {p.min_decrease}, expected at most {MAX_DECREASE}")
    for name in ("target_delay", "target_packets", "base_delay_window", "growth_period", "drain_epochs"):
        value = getattr(p, name)
        if isinstance(value, float) and value < SMALLEST:
            raise refusal(event, f"{name} is {value:g}, expected more: at least {SMALLEST:g}")
    if p.startup_gain <= 1.0:
        raise refusal(event, f"startup_gain is {p.startup_gain}, expected more than 1")
    if p.growth < 1.0:
        raise refusal(event, f"growth is {p.growth}, expected at least 1")
    parameters = Parameters(
        target_delay=auto(event, "target_delay", 1e-3),
        target_packets=p.target_packets,
        initial_rate=auto(event, "initial_rate"),
        base_delay_window=p.base_delay_window / 1e3,
        growth=p.growth,
        growth_period=p.growth_period / 1e3,
        drain_epochs=p.drain_epochs,
        min_decrease=p.min_decrease,
        startup_gain=p.startup_gain,
        without=_left_out(event, p.without),
    )
    return limits_of(event, parameters)


def _left_out(event: ParametersEvent, without: str) -> frozenset[Mechanism]:
    try:
        some = left_out(without)
    except ValueError as e:
        raise refusal(event, f"without is {without!r}: {e}") from e
    if without != as_text(some):
        raise refusal(event, f"without is {without!r}, expected the same in this order: {as_text(some)!r}")
    return some


def check_parameters(trace: Trace) -> Iterator[Finding]:
    """The parameters are those of the option string, and stay the same as long as the connection lives."""
    first = trace.parameters[0]
    yield from check_unchanged(trace)
    reported = parameters_of(first).parameters
    try:
        meant = spec.parse(first.data.spec)
    except spec.SpecError as e:
        yield Finding(None, first.time, "parameters", str(e))
        return
    for f in fields(Parameters):
        a, b = getattr(reported, f.name), getattr(meant, f.name)
        if not _same(a, b):
            message = f"{f.name} is {_shown(a)}, but {first.data.spec!r} stands for {_shown(b)} (SI units)"
            yield Finding(None, first.time, "parameters", message)


def _same(a: object, b: object) -> bool:
    """Whether both are the same parameter, but for the digits that a trace has."""
    if isinstance(a, float) and isinstance(b, float):
        return abs(a - b) <= 1e-6 * abs(b) + 1e-9
    return a == b


def _shown(value: object) -> str:
    return as_text(value) if isinstance(value, frozenset) else "auto" if value is None else f"{value!r}"
