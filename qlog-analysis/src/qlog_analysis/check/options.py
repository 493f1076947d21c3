"""Option strings, `name:profile,key=value,...`, held against the parameters that a controller reported."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from ..errors import UnsuitableTraceError
from ..model import Space, Trace
from .numbers import close, show
from .verdict import Finding

_NUMBER = re.compile(r"^(\d+\.?\d*|\.\d+) ?([A-Za-z]*)$", re.ASCII)
_UNITS = {"": 1.0, "us": 1e-3, "ms": 1.0, "s": 1e3, "min": 6e4, "h": 3.6e6}
_UNITS |= {"bps": 1.0, "kbps": 1e3, "Mbps": 1e6, "Gbps": 1e9}
"""To the units of traces: ms and bit/s."""

Profiles = Mapping[str, Mapping[str, Any]]
"""By name: values as traces have them. Others may leave out what is that of `default`."""


def meant(spec: str, profiles: Profiles) -> dict[str, Any]:
    """The parameters that an option string stands for. Raises ValueError if it cannot be read."""
    _, _, options = spec.partition(":")
    items = [i.strip() for i in options.split(",")] if options else []
    profile = "default"
    if items and "=" not in items[0]:
        profile = items.pop(0)
    if profile not in profiles:
        raise ValueError(f"{spec!r}: profile {profile!r} is none of {', '.join(profiles)}")
    out = {**profiles.get("default", {}), **profiles[profile]}
    for item in items:
        name, _, text = (part.strip() for part in item.partition("="))
        if name not in out:
            raise ValueError(f"{spec!r}: {name!r} is none of {', '.join(out)}")
        out[name] = _value(text)
    return out


def _value(text: str) -> float | str:
    match = _NUMBER.match(text)
    return text if match is None or match[2] not in _UNITS else float(match[1]) * _UNITS[match[2]]


Ranges = Mapping[str, tuple[float, float]]
"""Least and largest values, as traces have them."""


def refuse_nonsense(trace: Trace, ranges: Ranges) -> None:
    """Raises UnsuitableTraceError for numbers that the controller does not take: nothing can be computed from them."""
    for event in trace.parameters:
        for name, (low, high) in ranges.items():
            value = getattr(event.parameters, name, None)
            if isinstance(value, float | int) and not low <= value <= high:
                what = f"cc:parameters_set: {name} is {value:g}, expected {low:g} to {high:g}"
                raise UnsuitableTraceError(what, record=event.record)


def check_options(trace: Trace, profiles: Profiles) -> Iterator[Finding]:
    """The parameters are those of the option string, and stay the same as long as the connection lives."""
    first = trace.parameters[0]
    yield from check_unchanged(trace)
    try:
        expected = meant(first.data.spec, profiles)
    except ValueError as e:
        yield Finding(None, first.time, "parameters", str(e))
        return
    for name, value in msgspec.structs.asdict(first.parameters).items():
        if not _same(value, expected[name]):
            stands = f"{first.data.spec!r} stands for {show(expected[name])}"
            yield Finding(None, first.time, "parameters", f"{name} is {show(value)}, but {stands}")


def check_unchanged(trace: Trace) -> Iterator[Finding]:
    """What a controller works with stays the same as long as the connection lives, and is told before it is used."""
    first = trace.parameters[0]
    for event in trace.parameters:
        if (event.data.controller, type(event.parameters)) != (first.data.controller, type(first.parameters)):
            yield Finding(None, event.time, "parameters", f"the controller became {event.data.controller!r}")
        elif event.parameters != first.parameters or event.data.spec != first.data.spec:
            yield Finding(None, event.time, "parameters", "the parameters changed during the connection")
        elif event.data.initial_window != first.data.initial_window:
            yield Finding(None, event.time, "parameters", "initial_window changed during the connection")
    yield from _ack_delays(trace)
    if trace.updates and first.record > trace.updates[0].record:
        yield Finding(None, first.time, "parameters", "the parameters were reported after the first update")


def _ack_delays(trace: Trace) -> Iterator[Finding]:
    """`max_ack_delay` is the peer's, and 0 only until the handshake has told it: application data is acknowledged
    later, and the controller hears of it with an ACK."""
    peers, last = round(trace.peer_max_ack_delay * 1e3, 6), trace.parameters[-1]
    for event in trace.parameters:
        told = event.data.max_ack_delay
        if told not in (0.0, peers) or (told != peers and event is last and _hears_on(trace, event.record)):
            message = f"max_ack_delay is {told:g} ms, the peer's is {peers:g} ms"
            yield Finding(None, event.time, "parameters", message)


def _hears_on(trace: Trace, record: int) -> bool:
    """Whether application data is acknowledged more than once after this record."""
    heard = (f for f in reversed(trace.feedback) if f.space is Space.APPLICATION and f.acked)
    return sum(1 for f in itertools.islice(heard, 2) if f.record > record) == 2


def _same(reported: Any, expected: Any) -> bool:
    words = {"on": True, "off": False}
    if isinstance(reported, bool):
        return reported is words.get(expected, expected)
    if reported is None:  # a threshold or target of none
        return expected in (None, "off", 0.0)
    if isinstance(reported, str):
        return reported in (expected, f"{expected:g}" if isinstance(expected, float) else expected)
    return isinstance(expected, (int, float)) and close(float(reported), float(expected))
