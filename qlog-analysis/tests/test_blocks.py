"""Blocks of records make the same trace as records one by one, also where records are damaged, missing, or contradict
each other."""

from __future__ import annotations

import gc
import random
import re
from collections.abc import Callable
from pathlib import Path

import pytest

import tracewriter
from agreeing import assert_same_trace
from made import made
from qlog_analysis import decoding, read
from qlog_analysis.decoding import columns_of
from qlog_analysis.load import load
from qlog_analysis.record import Block
from traces import FAST, SLOW, records
from tracewriter import Json

SEEDS = range(25)
CHUNK = 20_000
"""Bytes; so that a trace is many blocks."""
GUESS = b'"quic:recovery_metrics_updated","data":{"min_rtt":333.0,"smoothed_rtt":333.0}}\n'
"""As quiche writes it of a path that it has no sample of."""


def paced() -> list[Json]:
    return made(duration=2.0, pacing=8e6, loses=lambda number: number % 97 == 5)


MADE: dict[str, Callable[[], list[Json]]] = {
    "hybrid": lambda: records(FAST, 1.0),
    "with losses": lambda: records(SLOW, 3.0),
    "paced": paced,
}


def damage(r: random.Random, parts: list[bytes]) -> None:
    """Of a record to which one of the ways in which a record may be wrong applies."""
    what = None
    for _ in range(200):
        i = r.randrange(1, len(parts))
        ways = ways_for(r, parts, i)
        what = what or r.choice(list(ways))
        after = ways[what]()
        if after != [parts[i]]:
            parts[i : i + 1] = after
            return
    raise AssertionError(f"no record for {what!r}")


def ways_for(r: random.Random, parts: list[bytes], i: int) -> dict[str, Callable[[], list[bytes]]]:
    text = parts[i]
    place = r.randrange(len(text))
    return {
        "missing": lambda: [],
        "cut": lambda: [text[:place]],
        "a byte": lambda: [text[:place] + bytes([r.randrange(1, 256)]) + text[place + 1 :]],
        "one from elsewhere": lambda: [parts[r.randrange(1, len(parts))], text],
        "no size": lambda: [text.replace(b'"length":', b'"len":')],
        "ranges": lambda: [_larger(r, rb"\[\[(\d+)", b"[[%d", text)],
        "a range reversed": lambda: [text.replace(b'"acked_ranges":[', b'"acked_ranges":[[9,3],')],
        "numbers": lambda: [_larger(r, rb'"packet_number":(\d+)', b'"packet_number":%d', text)],
        "time": lambda: [re.sub(rb'"time":[0-9.]+', b'"time":%d' % r.choice([0, 10**6, -1, 10**13]), text)],
        "space": lambda: [text.replace(b"1RTT", r.choice([b"initial", b"retry", b"0RTT", b"unheard of"]))],
        "a signal": lambda: [text.replace(b'"frames":[', b'"frames":[{"frame_type":"max_data","maximum":9},')],
        "a guess of the RTT": lambda: [text, re.sub(rb'("name":).*', rb"\1" + GUESS, text, flags=re.DOTALL)],
        "another frame": lambda: [text.replace(b'"stream"', r.choice([b'"ack"', b'"ping"', b'"reset_stream"', b"7"]))],
        "a name twice": lambda: [text.replace(b'"data":{', b'"data":{"offset":1,"offset":2,"raw":null,')],
        "spaces": lambda: [text.replace(b":", b" : ").replace(b",", b" ,\t")],
        "escapes": lambda: [text.replace(b"quic", b"\\u0071uic")],
        "fractions": lambda: [
            re.sub(rb":(\d+)([,}])", r.choice([rb":\1.0\2", rb":0\1\2", rb":-\1\2", rb":\1e3\2"]), text)
        ],
    }


def _larger(r: random.Random, pattern: bytes, form: bytes, text: bytes) -> bytes:
    by = r.choice([10**6, 5, 1, -1, -3])
    return re.sub(pattern, lambda m: form % max(int(m[1]) + by, 0), text)


def damaged(seed: int) -> bytes:
    r = random.Random(seed)
    whole = tracewriter.encode(MADE[r.choice(list(MADE))]())
    parts = whole.split(b"\x1e")[1:]
    for _ in range(r.choice([1, 3, 20])):
        damage(r, parts)
    return b"".join(b"\x1e" + part for part in parts)


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read, "CHUNK", CHUNK)


@pytest.mark.parametrize("name", MADE)
def test_blocks_and_records_make_the_same_trace(tmp_path: Path, name: str) -> None:
    assert_same_trace(tracewriter.write(tmp_path / "trace.sqlog", MADE[name]()), name)


def test_damage_is_found_and_named_alike(tmp_path: Path) -> None:
    path = tmp_path / "trace.sqlog"
    for seed in SEEDS:
        path.write_bytes(damaged(seed))
        assert_same_trace(path, f"seed {seed}")


def test_most_records_are_rows(tmp_path: Path) -> None:
    """Otherwise blocks would be slower than records one by one, and nothing else would tell."""
    path = tracewriter.write(tmp_path / "trace.sqlog", records(FAST, 2.0))
    columns = [columns_of(piece) for piece in read.pieces(path) if isinstance(piece, Block)]
    assert sum(len(c.sent.at) + len(c.received.at) + len(c.metrics.at) for c in columns) > 1000
    assert sum(len(c.single) for c in columns) < 20


def test_rows_of_a_block_are_freed_without_the_collector(tmp_path: Path) -> None:
    """It is off while a trace is read."""
    path = tracewriter.write(tmp_path / "trace.sqlog", records(FAST, 1.0))
    gc.collect()
    gc.disable()
    try:
        load(path)
        left = [o for o in gc.get_objects() if type(o).__module__ == decoding.__name__]
    finally:
        gc.enable()
    assert not left
