"""Columns of a trace as it is kept: packed without loss, because a trace of gigabytes has hundreds of millions of
numbers. They hardly differ from those before them, and times and rates are whole multiples of a unit, so that most
take a byte or two, and less where zstd finds that they repeat."""

from __future__ import annotations

import bisect
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, Generic, Literal, SupportsIndex, TypeVar, overload

import numpy as np
import numpy.typing as npt
import zstandard

from .arrays import Floats, Ints

_SHIFT = 13
PIECE = 1 << _SHIFT
"""Numbers that are packed together: few, so that one that is far from the others makes few of them wide."""
_WITHIN = PIECE - 1
LEVEL = 1
"""Of zstd, the fastest; higher ones find hardly anything more."""
NEAR = 8
"""Pieces of a column that are kept as they are where single numbers are looked at, which are near one another."""

N = TypeVar("N", int, float)

_UNITS: tuple[tuple[float, Callable[[Any], Any]], ...] = (
    (1.0, lambda n: n),
    (1e3, lambda n: n / 1e3),
    (1e6, lambda n: n / 1e3 / 1e3),
    (1e6, lambda n: n * 1e-6),
    (1e10, lambda n: n / 1e7 * 1e-3),
)
"""How many of a unit are 1, and how whole numbers of it become the numbers of a trace: bytes and rates; delays of
ACKs in ms; times; receive timestamps, and delays of ACKs; round trips, of which quiche writes the ms with eight digits.
The order of operations is that of the reader, as another one rounds otherwise."""
_BITS = -1
"""In place of a unit: the whole numbers are the bits of the numbers, which are no multiples of any."""


@dataclass(frozen=True, slots=True)
class Piece:
    """So many whole numbers, as differences from the smallest, or from the one before and the smallest step."""

    count: int
    unit: int
    steps: bool
    first: int
    """Of steps."""
    smallest: int
    kind: str
    """The type of the differences; none if all are 0."""
    differences: bytes
    """Compressed."""

    def write(self, out: npt.NDArray[Any]) -> None:
        """Into a place that has this many numbers."""
        whole: Ints = out if out.dtype == np.int64 else np.empty(self.count, dtype=np.int64)
        rest = whole[1:] if self.steps else whole
        rest[:] = self.smallest
        if self.kind:
            rest += np.frombuffer(zstandard.ZstdDecompressor().decompress(self.differences), dtype=self.kind)
        if self.steps:
            whole[0] = self.first
            np.cumsum(whole, out=whole)
        if out is not whole:
            out[:] = whole.view(np.float64) if self.unit == _BITS else _UNITS[self.unit][1](whole)


def _packed_whole(whole: Ints, unit: int) -> Piece:
    step = np.diff(whole)  # wraps around where numbers are far apart, as does what is made of it
    by_step = _width(step) < _width(whole)
    chosen = step if by_step else whole
    smallest = int(chosen.min())
    width = _width(chosen)
    kind = "i8" if width == 8 else f"u{width}" if width else ""
    differences = (chosen - smallest).astype(kind).tobytes() if kind else b""
    compressed = zstandard.ZstdCompressor(level=LEVEL).compress(differences) if kind else b""
    compressed = bytes(memoryview(compressed))  # a copy, as the original keeps the memory that it might have needed
    return Piece(len(whole), unit, by_step, int(whole[0]), smallest, kind, compressed)


def _width(whole: Ints) -> int:
    """Bytes of a difference from the smallest."""
    span = int(whole.max()) - int(whole.min())
    return next(width for width in (0, 1, 2, 4, 8) if span < 1 << 8 * width)


def _packed(values: Floats, guess: int) -> Piece:
    """`guess`: the unit that is tried first."""
    bits = values.view(np.int64)
    if (bits[1:] == bits[:-1]).all():
        return _packed_whole(bits, _BITS)
    for unit in (guess, *range(len(_UNITS))):
        if unit == _BITS:
            continue
        per_one, of_whole = _UNITS[unit]
        with np.errstate(all="ignore"):  # infinities and NaNs are bits
            whole = np.rint(values * per_one)
        if not (np.abs(whole) < 1 << 53).all():  # nor is it so of NaN
            break
        numbers = whole.astype(np.int64)
        if (np.asarray(of_whole(numbers), dtype=np.float64).view(np.int64) == bits).all():
            return _packed_whole(numbers, unit)
    return _packed_whole(bits, _BITS)


class Column(Sequence[N], Generic[N]):
    """Numbers of one kind. `np.asarray` makes an array of all."""

    __slots__ = ("_firsts", "_near", "_packed", "_pieces", "_read", "_unit", "append", "dtype", "open")

    def __init__(self, kind: Literal["q", "d"], values: Sequence[N] | npt.NDArray[Any] = ()) -> None:
        self.open: array[Any] = array(kind)
        """What is not packed yet. The last number always is among it, and may change."""
        self.dtype = np.dtype(np.int64 if kind == "q" else np.float64)
        self._pieces: list[Piece] = []
        self._firsts: list[N] = []
        """The first number of each."""
        self._near: dict[int, array[Any]] = {0: self.open}
        """By piece what single numbers are looked up in; what is not packed takes the place of the piece after all."""
        self._packed = 0
        """How many numbers they have."""
        self._unit = 0
        self._read: tuple[int, npt.NDArray[Any]] = (-1, np.empty(0))
        """The piece that was read last, of all its numbers."""
        self.append: Callable[[N], None] = self.open.append  # as fast as that of an array: events call it one by one
        if len(values):
            self.extend(values)
            self.pack()

    def extend(self, values: Sequence[N] | npt.NDArray[Any]) -> None:
        self.open.frombytes(np.asarray(values, dtype=self.dtype).tobytes())

    def pack(self) -> None:
        end = (len(self.open) - 1) // PIECE * PIECE
        for begin in range(0, end, PIECE):
            self._firsts.append(self.open[begin])
            self._pieces.append(self._piece(np.array(self.open[begin : begin + PIECE], dtype=self.dtype)))
        if end > 0:
            del self._near[self._packed >> _SHIFT]
            del self.open[:end]
            self._packed += end
            self._near[self._packed >> _SHIFT] = self.open

    def _piece(self, values: npt.NDArray[Any]) -> Piece:
        if self.dtype == np.int64:
            return _packed_whole(values, 0)
        piece = _packed(values, self._unit)
        if piece.unit != _BITS:
            self._unit = piece.unit
        return piece

    # -- as a sequence ------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return self._packed + len(self.open)

    @overload
    def __getitem__(self, at: SupportsIndex) -> N: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[N]: ...
    def __getitem__(self, at: SupportsIndex | slice) -> N | Sequence[N]:
        if at.__class__ is int:  # nearly always, and equations look at many numbers
            near = self._near.get(at >> _SHIFT)
            if near is not None:
                found: N = near[at & _WITHIN]
                return found
        if isinstance(at, slice):
            return self.some(*at.indices(len(self))[:2])
        place = range(len(self))[at]
        in_piece = place < self._packed
        number: N = self._at(place >> _SHIFT)[place & _WITHIN] if in_piece else self.open[place - self._packed]
        return number

    def some(self, begin: int, end: int) -> list[N]:
        """Those from `begin` up to, and without, `end`."""
        if end <= begin:
            return []
        if begin >= self._packed:
            return self.open[begin - self._packed : end - self._packed].tolist()
        piece, first = begin >> _SHIFT, begin & _WITHIN
        if piece != (end - 1) >> _SHIFT:
            found: list[N] = self.part(begin, end).tolist()
            return found
        near = self._near[piece] if piece in self._near else self._at(piece)
        return near[first : first + end - begin].tolist()

    def _at(self, piece: int) -> array[Any]:
        """A piece that is packed, for looks at single numbers."""
        near = self._near.get(piece)
        if near is None:
            if len(self._near) > NEAR:
                oldest = next(kept for kept in self._near if kept != self._packed >> _SHIFT)
                del self._near[oldest]
            near = self._near[piece] = array(self.open.typecode, self._of(piece).tobytes())
        return near

    def left(self, x: N) -> int:
        """How many numbers are less, of a column whose numbers rise: as `bisect.bisect_left`, but fewer pieces are
        looked at."""
        return self._found(bisect.bisect_left, x)

    def right(self, x: N) -> int:
        """How many are no more, likewise."""
        return self._found(bisect.bisect_right, x)

    def _found(self, search: Callable[[Sequence[N], N], int], x: N) -> int:
        if self.open and (within := search(self.open, x)):
            return self._packed + within
        piece = search(self._firsts, x) - 1
        return (piece << _SHIFT) + search(self._at(piece), x) if piece >= 0 else 0

    def __iter__(self) -> Iterator[N]:
        for begin in range(0, len(self), PIECE):
            yield from self.part(begin, min(begin + PIECE, len(self))).tolist()

    # -- as arrays ----------------------------------------------------------------------------------------------

    def _of(self, piece: int) -> npt.NDArray[Any]:
        if self._read[0] != piece:
            values = np.empty(PIECE, dtype=self.dtype)
            self._pieces[piece].write(values)
            self._read = piece, values
        return self._read[1]

    def part(self, begin: int, end: int) -> npt.NDArray[Any]:
        """A copy of those from `begin` up to, and without, `end`."""
        out = np.empty(end - begin, dtype=self.dtype)
        packed, at = self._packed, begin
        while at < min(end, packed):
            piece, skipped = divmod(at, PIECE)
            until = min(end, (piece + 1) * PIECE)
            if until - at == PIECE:
                self._pieces[piece].write(out[at - begin : until - begin])
            else:
                out[at - begin : until - begin] = self._of(piece)[skipped : skipped + until - at]
            at = until
        if end > at:
            out[at - begin :] = np.frombuffer(self.open[at - packed : end - packed], dtype=self.dtype)
        return out

    def take(self, places: Ints) -> npt.NDArray[Any]:
        """Those at these places, of which neighbours are near one another, or else it is slow."""
        out = np.empty(len(places), dtype=self.dtype)
        for first in range(0, len(places), PIECE):
            some = places[first : first + PIECE]
            begin, end = int(some.min()), int(some.max()) + 1
            if end - begin <= 2 * PIECE:
                out[first : first + PIECE] = self.part(begin, end)[some - begin]
                continue
            of = some // PIECE
            for piece in np.unique(of).tolist():
                own, begin = of == piece, piece * PIECE
                out[first : first + PIECE][own] = self.part(begin, min(begin + PIECE, len(self)))[some[own] - begin]
        return out

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        out = self.part(0, len(self))
        return out if dtype is None else out.astype(dtype, copy=False)

    def mapped(self, change: Callable[[npt.NDArray[Any]], npt.NDArray[Any]]) -> Column[N]:
        """What becomes of each number."""
        out: Column[N] = Column("q" if self.open.typecode == "q" else "d")
        for begin in range(0, len(self), PIECE):
            out.extend(change(self.part(begin, min(begin + PIECE, len(self)))))
            out.pack()
        return out


def opened(column: Column[N]) -> Any:
    """For who looks at single numbers of all of it again and again, which is several times as fast: not packed, but no
    wider than the largest needs."""
    kinds: tuple[tuple[str, int], ...] = ()
    if column.dtype == np.int64 and len(column):
        least, largest = min(int(x.min()) for x in parts(column)), max(int(x.max()) for x in parts(column))
        kinds = (("B", 1 << 8), ("H", 1 << 16), ("I", 1 << 32)) if least >= 0 else ()
        kinds = tuple(kind for kind in kinds if largest < kind[1])
    out = array(kinds[0][0] if kinds else column.open.typecode)
    for some in parts(column):
        out.frombytes(some.astype(out.typecode).tobytes())
    return out


def part(column: Column[Any] | array[Any], begin: int, end: int) -> npt.NDArray[Any]:
    """Of a column, packed or not."""
    return column.part(begin, end) if isinstance(column, Column) else _widened(np.asarray(column)[begin:end])


def take(column: Column[Any] | array[Any], places: Ints) -> npt.NDArray[Any]:
    """Likewise."""
    return column.take(places) if isinstance(column, Column) else _widened(np.asarray(column)[places])


def _widened(numbers: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Of the type that columns have: differences of narrow ones would wrap around."""
    return numbers.astype(np.int64, copy=False) if numbers.dtype.kind in "iu" else numbers


def parts(column: Column[Any] | array[Any], size: int = 4 * PIECE) -> Iterator[npt.NDArray[Any]]:
    """All of it, one part after the other."""
    for begin in range(0, len(column), size):
        yield part(column, begin, min(begin + size, len(column)))


def differences(column: Column[Any], size: int = 4 * PIECE) -> Iterator[npt.NDArray[Any]]:
    """Of each number from the one before, one part after the other."""
    for begin in range(0, len(column) - 1, size):
        yield np.diff(column.part(begin, min(begin + size + 1, len(column))))


def ints() -> Column[int]:
    return Column("q")


def floats() -> Column[float]:
    return Column("d")


def pack(columns: Any) -> None:
    """All in this dataclass, and in those that it holds."""
    for holder, name in _columns_in(columns):
        getattr(holder, name).pack()


def running(numbers: Iterator[npt.NDArray[Any]]) -> Column[int]:
    """Of whole numbers, in parts: the sums of those before each, and of all."""
    out, total = Column[int]("q", [0]), 0
    for some in numbers:
        sums = np.cumsum(some, dtype=np.int64) + total
        if len(sums):
            total = int(sums[-1])
        out.extend(sums)
        out.pack()
    return out


def _columns_in(holder: Any) -> Iterator[tuple[Any, str]]:
    for f in fields(holder):
        value = getattr(holder, f.name)
        if isinstance(value, Column):
            yield holder, f.name
        elif is_dataclass(value):
            yield from _columns_in(value)
