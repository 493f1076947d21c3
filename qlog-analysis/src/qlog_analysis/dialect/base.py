"""What every dialect can do, and how records are decoded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol, TypeVar

import msgspec

from .. import wire
from ..record import Record
from .writers import Writer

T = TypeVar("T")

Located = tuple[Record, wire.Event]


class OtherLayoutError(Exception):
    """The header looks like quiche's, the events do not."""


class Dialect(Protocol):
    header: wire.Header
    writer: Writer
    strict: bool
    """Whether a field that is missing is an error."""

    @property
    def reference(self) -> float | None:
        """Unix time of the trace's time 0, in s, if it is known."""

    def events(self, records: Iterator[Record]) -> Iterator[Located]:
        """The events with quiche's names and times in ms since the trace's time 0."""

    def decode(self, text: bytes | msgspec.Raw, as_type: type[T], record: Record, what: str) -> T: ...
    def packet(self, record: Record, event: wire.Event) -> wire.Packet: ...
    def metrics(self, record: Record, event: wire.Event) -> wire.MetricsUpdated: ...
    def state(self, record: Record, event: wire.Event) -> wire.StateUpdated: ...
    def lost(self, record: Record, event: wire.Event) -> wire.PacketLost: ...
    def parameters(self, record: Record, event: wire.Event) -> wire.TransportParameters: ...


class Decoder:
    """Decodes records; one msgspec decoder per type, built once. A field of the wrong type is an error that names the
    record, the field and what was expected; where not `strict`, numbers may be written as text."""

    def __init__(self, *, strict: bool = True) -> None:
        self.strict = strict
        self._decoders: dict[Any, msgspec.json.Decoder[Any]] = {}

    def decode(self, text: bytes | msgspec.Raw, as_type: type[T], record: Record, what: str) -> T:
        decoder = self._decoders.get(as_type)
        if decoder is None:
            decoder = self._decoders[as_type] = msgspec.json.Decoder(as_type, strict=self.strict)
        try:
            out: T = decoder.decode(text)
        except msgspec.ValidationError as e:
            raise record.error(f"{what}: {e}") from None
        except msgspec.DecodeError as e:
            raise record.error(f"{what}: not valid JSON: {e}") from None
        except RecursionError:
            raise record.error(f"{what}: nested too deeply") from None
        except UnicodeDecodeError:
            raise record.error(f"{what}: text is not UTF-8") from None
        return out
