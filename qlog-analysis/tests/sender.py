"""What the senders of simulated traces have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

Events = list[tuple[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True)
class Delivered:
    """What one feedback brings."""

    now: float
    sample: tuple[float, int, float] | None
    """Send time, size, reported ACK delay."""
    acked: list[float]
    """Send times of the packets newly acknowledged."""
    acked_bytes: int
    lost: list[float]
    """Send times of the packets declared lost."""
    in_flight: int
    """Bytes in flight before."""


class Sender(Protocol):
    """As the simulation uses it."""

    spec: str
    packet: int
    initial_window: int
    max_ack_delay: float
    state: str
    app_limited: bool
    sent_bytes: int

    @property
    def started(self) -> bool:
        """Whether the first epoch has begun."""

    @property
    def window(self) -> int: ...

    @property
    def pacing(self) -> float | None: ...

    def feedback(self, d: Delivered) -> Events:
        """Takes feedback in; returns the events to log."""


def parameters_set(sender: Sender, parameters: dict[str, Any]) -> tuple[str, dict[str, Any]]:
    """The event with these parameters."""
    data = {
        "controller": "hybrid",
        "spec": sender.spec,
        "max_datagram_size": sender.packet,
        "initial_window": sender.initial_window,
        "max_ack_delay": sender.max_ack_delay * 1e3,
        "parameters": rounded(parameters),
    }
    return "cc:parameters_set", data


def in_ms(of: object, *names: str) -> dict[str, Any]:
    return {name: or_auto(getattr(of, name), 1e3) for name in names}


def or_auto(value: float | None, unit: float = 1.0) -> float | str:
    return "auto" if value is None else value * unit


def rounded(data: dict[str, Any]) -> dict[str, Any]:
    """Six digits after the point, as the controller writes them."""
    return {k: round(v, 6) if isinstance(v, float) else v for k, v in data.items()}
