"""Packed columns give back every number as it was, bit by bit."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from qlog_analysis import packed
from qlog_analysis.packed import PIECE, Column, opened, part, parts, running, take

LENGTHS = (0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE + 5)
MANY = 3 * PIECE + 5
R = np.random.default_rng(1)
WHOLE = {
    "one number": np.full(MANY, 7),
    "counting": np.arange(MANY) * 3 + 5,
    "bytes": R.integers(0, 256, MANY),
    "falling": 10**12 - np.cumsum(R.integers(0, 70_000, MANY)),
    "large": R.integers(-(1 << 62), 1 << 62, MANY),
    "of all sizes": R.integers(-(1 << 62), 1 << 62, MANY) >> R.integers(0, 62, MANY),
    "ends of the range": np.where(np.arange(MANY) % 2, np.iinfo(np.int64).min, np.iinfo(np.int64).max),
}
US = np.cumsum(R.integers(0, 3000, MANY))
REAL = {
    "times": US / 1e3 / 1e3,
    "receive timestamps": US * 1e-6,
    "delays in ms": US / 1e3,
    "round trips": np.round(R.uniform(30.0, 90.0, MANY), 6) * 1e-3,
    "bytes": R.integers(0, 1 << 40, MANY).astype(np.float64),
    "any": R.normal(size=MANY),
    "any bits": R.integers(0, 1 << 63, MANY).view(np.float64),
    "special": R.choice([0.0, -0.0, math.nan, math.inf, -math.inf, 1.0, 5e-324, 1e300], MANY),
    "unknown at first": np.where(np.arange(MANY) < PIECE + 9, math.nan, US / 1e3 / 1e3),
    "negative zeros": np.where(np.arange(MANY) % 2, -0.0, 1.0),
}
CASES = [pytest.param("q", v, id=f"whole, {k}") for k, v in WHOLE.items()] + [
    pytest.param("d", v, id=f"real, {k}") for k, v in REAL.items()
]


def same(got: Any, expected: npt.NDArray[Any]) -> bool:
    return np.asarray(got, dtype=expected.dtype).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("kind", "values"), CASES)
def test_every_number_comes_back(kind: Any, values: npt.NDArray[Any]) -> None:
    for length in LENGTHS:
        some = values[:length]
        column: Column[Any] = Column(kind, some)
        assert len(column) == length
        assert same(column, some)
        assert same(list(column), some)
        assert same(opened(column), some)
        assert same(np.concatenate([*parts(column, 1000), some[:0]]), some)
        for at in {0, PIECE - 1, PIECE, length - 1} & set(range(length)):
            assert same([column[at], column[at - length]], some[[at, at - length]])


def test_parts_of_a_column() -> None:
    values = REAL["times"]
    column: Column[float] = Column("d", values)
    for begin, end in ((0, 0), (5, 9), (PIECE - 3, PIECE + 3), (0, 2 * PIECE), (100, MANY), (MANY - 2, MANY)):
        assert same(column[begin:end], values[begin:end])
        assert same(part(column, begin, end), values[begin:end])
        assert same(part(opened(column), begin, end), values[begin:end])
    places = R.integers(0, MANY, 2 * PIECE)
    assert same(take(column, places), values[places])
    assert same(take(opened(column), places), values[places])
    with pytest.raises(IndexError):
        column[MANY]


def test_parts_of_what_is_not_packed_yet() -> None:
    values = REAL["times"][:20_000]
    for packed_first in (0, 5, 2 * PIECE):
        column: Column[float] = Column("d", values[:packed_first])
        column.extend(values[packed_first:])
        for begin, end in ((0, 3), (PIECE - 3, PIECE + 3), (9000, 9003), (2 * PIECE - 1, 20_000), (19_999, 20_000)):
            assert same(column[begin:end], values[begin:end])
            assert same(part(column, begin, end), values[begin:end])


def test_opened_columns_give_numbers_of_the_same_type() -> None:
    places = np.array([2, 0])
    for largest in (7, 300, 70_000, 1 << 40):
        column: Column[int] = Column("q", [5, largest, 0])
        for some in (column, opened(column)):
            assert part(some, 0, 3).dtype == take(some, places).dtype == np.int64
            assert np.diff(part(some, 1, 3)).tolist() == [-largest]
    assert part(opened(Column[float]("d", [0.5])), 0, 1).dtype == np.float64


def test_what_is_appended_one_by_one_is_packed_as_well() -> None:
    column = packed.ints()
    for at, value in enumerate(WHOLE["falling"].tolist()):
        column.append(value)
        if at % 3000 == 0:
            column.pack()
    assert len(column.open) <= PIECE + 3000
    assert same(column, WHOLE["falling"])
    column.open[-1] = 3  # the last number may change at any time
    column.pack()
    assert column[-1] == 3


def test_usual_columns_take_a_byte_or_two_per_number() -> None:
    for name, most in (("times", 2), ("receive timestamps", 2), ("delays in ms", 2), ("round trips", 4), ("any", 8)):
        assert _bytes(Column("d", REAL[name])) <= most * MANY, name
    assert _bytes(Column("q", WHOLE["counting"])) < 100


def _bytes(column: Column[Any]) -> int:
    """Of whole pieces."""
    return sum(len(p.differences) for p in column._pieces)


def test_single_numbers_wherever_they_are() -> None:
    values = WHOLE["falling"]
    column: Column[int] = Column("q", np.tile(values, 5))
    for at in R.integers(0, len(column), 300).tolist():
        assert column[at] == values[at % MANY]
    assert column.some(PIECE - 2, PIECE + 2) == values[PIECE - 2 : PIECE + 2].tolist()


def test_places_in_a_column_that_rises() -> None:
    values = np.repeat(np.cumsum(R.integers(0, 3, 3 * PIECE)), 3)
    for length in (0, 1, PIECE, 2 * PIECE + 7, len(values)):
        some = values[:length]
        column: Column[int] = Column("q", some)
        for x in [-1, *R.integers(0, values[-1] + 2, 200).tolist(), *values[PIECE - 2 : PIECE + 2].tolist()]:
            assert column.left(x) == np.searchsorted(some, x)
            assert column.right(x) == np.searchsorted(some, x, side="right")


def test_sums_in_parts() -> None:
    values = WHOLE["bytes"]
    assert same(running(iter(np.split(values, [7, 7, 9000]))), np.concatenate(([0], np.cumsum(values))))


def test_opened_columns_are_as_wide_as_they_must_be() -> None:
    for largest, size in ((255, 1), (256, 2), (65535, 2), (65536, 4), ((1 << 32) - 1, 4), (1 << 32, 8)):
        assert opened(Column[int]("q", [0, largest])).itemsize == size
    assert opened(Column[int]("q", [-1, 5])).itemsize == 8
