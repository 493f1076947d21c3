"""How far a trace has been built, whether records are taken one by one or in blocks."""

from __future__ import annotations

from dataclasses import dataclass, field

from .model import Space, Trace
from .recovery import SpaceReplay


@dataclass(slots=True)
class Progress:
    trace: Trace
    losses_by_threshold: bool
    """Whether losses are found by the packet threshold, as nothing has told of them yet."""
    spaces: dict[Space, SpaceReplay] = field(init=False)
    last_packet_time: float = 0.0
    """s"""
    rtt_known: bool = False
    lost_total: int = 0
    records: int = 1

    def __post_init__(self) -> None:
        self.spaces = {space: SpaceReplay(self.trace.sent) for space in Space}

    def seen(self, record: int) -> None:
        self.records = max(self.records, record)

    def close_group(self, record: int) -> None:
        """What comes from this record on does not belong to the last feedback."""
        self.trace.feedback.close(record)
