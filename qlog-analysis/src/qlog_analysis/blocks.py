"""Builds a `Trace` from blocks of records: what `Builder` does record by record, with columns.

A part of a block in which anything is not as it should be is left to `Builder`, from its first record on, so that
there is one word on what is wrong with a record. What comes out does not depend on which of the two took a record."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable
from itertools import pairwise

from .block_part import BlockPart, Whole
from .broken import Broken
from .builder import Builder
from .compiled import columns_of
from .dialect.native import Native
from .record import Block, Record

MOST_SINGLE = 0.05
"""Share of the records of a block that may be no rows of its columns; with more of them a block is not worth it."""


class BlockBuilder:
    def __init__(self, builder: Builder, dialect: Native, broken: Broken) -> None:
        self._builder = builder
        self._dialect = dialect
        self._broken = broken

    def add(self, piece: Block | Record) -> None:
        if isinstance(piece, Record):
            self._one_by_one([piece])
            return
        columns, length = columns_of(piece), len(piece)
        if len(columns.single) > MOST_SINGLE * length:
            self._one_by_one(piece.records())
            return
        self._builder.trace.end = max(self._builder.trace.end, columns.end / 1e3)
        others = piece.some(sorted(columns.single + columns.apart))
        whole = Whole.of(columns)
        for before, end in pairwise([-1, *columns.single, length]):
            if before >= 0:
                self._one_by_one([others[before]])
            if before + 1 < end:
                self._part(piece, whole, others, before + 1, end)

    def _part(self, block: Block, whole: Whole, others: dict[int, Record], first: int, end: int) -> None:
        part = BlockPart(self._builder.progress, whole, block.number, first, end)
        if not part.usual:
            self._one_by_one(block.records(first, end))
            return
        part.take()
        apart = whole.columns.apart
        self._one_by_one(others[at] for at in apart[bisect_left(apart, first) : bisect_left(apart, end)])
        self._builder.progress.seen(block.number + end - 1)

    def _one_by_one(self, records: Iterable[Record]) -> None:
        for record, event in self._dialect.events(iter(records), self._broken):
            self._builder.add(record, event, self._broken)
