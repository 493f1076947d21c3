"""What `cc:parameters_set` says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from ..errors import UnsuitableTraceError
from ..model import ParametersEvent

P = TypeVar("P")


@dataclass(frozen=True, slots=True)
class Limits(Generic[P]):
    """The parameters, and what it says besides."""

    parameters: P
    max_datagram_size: int
    initial_window: int
    """Packets."""
    max_ack_delay: float
    """s."""


def limits_of(event: ParametersEvent, parameters: P) -> Limits[P]:
    """With the parameters in the units of this package."""
    return Limits(
        parameters=parameters,
        max_datagram_size=event.data.max_datagram_size,
        initial_window=event.data.initial_window,
        max_ack_delay=event.data.max_ack_delay / 1e3,
    )


def refusal(event: ParametersEvent, what: str) -> UnsuitableTraceError:
    """For parameters that make no sense."""
    return UnsuitableTraceError(f"cc:parameters_set: {what}", record=event.record)


def auto(event: ParametersEvent, name: str, unit: float = 1.0) -> float | None:
    """A parameter that may be `auto`, which None stands for."""
    value: float | str = getattr(event.parameters, name)
    if isinstance(value, str):
        if value != "auto":
            raise refusal(event, f"{name} is {value!r}, expected a number or 'auto'")
        return None
    return value * unit
