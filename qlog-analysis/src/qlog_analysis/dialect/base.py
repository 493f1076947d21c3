"""What every dialect can do, and how records are decoded."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Protocol, TypeVar

import msgspec

from .. import wire
from ..broken import Broken
from ..errors import TraceError
from ..record import Record, is_json
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

    def events(self, records: Iterator[Record], broken: Broken) -> Iterator[Located]:
        """The events with quiche's names and times in ms since the trace's time 0; `broken` is told what is none."""

    def decode(self, text: bytes | msgspec.Raw, as_type: type[T], record: Record, what: str) -> T: ...
    def packet(self, record: Record, event: wire.Event) -> wire.Packet: ...
    def metrics(self, record: Record, event: wire.Event) -> wire.MetricsUpdated: ...
    def state(self, record: Record, event: wire.Event) -> wire.StateUpdated | None: ...
    def lost(self, record: Record, event: wire.Event) -> wire.PacketLost: ...
    def parameters(self, record: Record, event: wire.Event) -> wire.TransportParameters: ...


def each(records: Iterator[Record], broken: Broken, read: Callable[[Record], wire.Event | None]) -> Iterator[Located]:
    """What `read` makes of the records, without those that it makes nothing of."""
    for record in records:
        try:
            if record.problem is not None and not is_json(record.text):
                raise record.error(record.problem)
            event = read(record)
        except TraceError as e:
            broken(e)
            continue
        if event is not None:
            yield record, event


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
