"""The compiled reader makes the columns that Python's makes, of every record that it does not leave alone."""

from __future__ import annotations

import random
import re
from dataclasses import fields
from itertools import product
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest

import tracewriter
from agreeing import assert_same_trace
from qlog_analysis import compiled, decoding, read, wire
from qlog_analysis.columns import Columns, Rows
from qlog_analysis.model import SIGNALS
from qlog_analysis.record import SEPARATOR, Block
from test_blocks import MADE, damaged

pytestmark = pytest.mark.skipif(compiled.READER is None, reason="the compiled reader is not installed")

SENT = (
    b'{"time":1,"name":"quic:packet_sent","data":{"header":{"packet_type":"1RTT","packet_number":7},"raw":{"length":99},'
    b'"frames":[{"frame_type":"stream","stream_id":4,"offset":10,"fin":true,"raw":{"payload_length":9}}]}}'
)
RECEIVED = (
    b'{"time":2.5,"name":"quic:packet_received","data":{"header":{"packet_type":"1RTT","packet_number":3},"frames":['
    b'{"frame_type":"ack","ack_delay":0.5,"acked_ranges":[[1,2],[4]],"ect0":1,"ect1":2,"ce":3},{"frame_type":"padding"}]},'
    b'"receive_timestamps":[[2,5],[1,4]]}'
)
METRICS = (
    b'{"time":2.5,"name":"quic:recovery_metrics_updated","data":{"min_rtt":1.5,"latest_rtt":2,"smoothed_rtt":3e1,'
    b'"congestion_window":5,"bytes_in_flight":6,"pacing_rate":7,"cf_lost_packets":{"delta":1}}}'
)
WRITTEN = (
    b'{"time":3,"name":"quic:stream_data_moved","data":{"stream_id":0,"offset":5,"from":"application","to":"transport",'
    b'"raw":{"length":6}}}'
)
USUAL = (SENT, RECEIVED, METRICS, WRITTEN, b'{"time":4,"name":"cc:unheard_of","data":{"a":[1,{"b":null}]}}')
VALUES = (
    b"null", b"true", b"0", b"-0", b"-1", b"1.0", b"1e3", b"01", b"1.", b"4611686018427387903", b"4611686018427387904",
    b"18446744073709551616", b"1e400", b"NaN", b'""', b'"a"', b'"\\u0061ck"', b'"\xc3\xa9"', b'"\xff"', b'"\t"', b"[]",
    b"[[]]", b"[[1]]", b"[[2,1]]", b"[[1,2,3]]", b"{}", b'{"length":1}', b"[1,2]", b"[" * 50 + b"]" * 50, b"",
)  # fmt: skip
ALPHABET = b'{}[],:"\\0123456789.-+eE tfn\n\t\r\x00\x0b\x1f\xc3'


def block(texts: list[bytes]) -> Block:
    return Block.of(2, 100, SEPARATOR.join(texts))


def assert_alike(some: Block, what: str) -> Columns:
    """But for records that are left alone all columns are the same, and nothing is taken that Python leaves alone."""
    got, whole = compiled.columns_of(some), decoding.columns_of(some)
    assert set(whole.single) <= set(got.single), what
    left = set(got.single)
    expected = decoding.columns_of(block([b"" if i in left else text for i, text in enumerate(some.texts)]))
    assert plain(got) == plain(expected), what
    return got


def plain(columns: Columns) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for f in fields(columns):
        value = getattr(columns, f.name)
        if isinstance(value, Rows):
            for column in fields(value):
                values: np.ndarray[Any, Any] = getattr(value, column.name)
                out[f"{f.name}.{column.name}"] = (values.dtype, values.tobytes())
        else:
            out[f.name] = value
    return out


@pytest.mark.parametrize("name", MADE)
def test_of_honest_blocks_nothing_else_is_left_alone(tmp_path: Path, name: str) -> None:
    path = tracewriter.write(tmp_path / "trace.sqlog", MADE[name]())
    blocks = [piece for piece in read.pieces(path) if isinstance(piece, Block)]
    assert blocks
    for some in blocks:
        assert assert_alike(some, name).single == decoding.columns_of(some).single


def test_damaged_blocks() -> None:
    for seed in range(40):
        some = block(damaged(seed).split(SEPARATOR)[1:])
        assert_alike(some, f"seed {seed}")


def test_cut_records() -> None:
    for text in USUAL:
        assert_alike(block([text[:end] for end in range(len(text) + 1)]), "cut")
        assert_alike(block([text[:at] + text[at + 1 :] for at in range(len(text))]), "a byte is missing")


def test_every_value_in_every_place() -> None:
    """Also in the place of objects and lists, and of names that come twice."""
    for text in USUAL:
        places = [at + 1 for at, byte in enumerate(text) if byte in b":[,"]
        for value in VALUES:
            texts = [text[:at] + value + text[end(text, at) :] for at in places]
            texts += [text.replace(name, name + value + b"," + name) for name in names(text)]
            assert_alike(block(texts), repr(value))


def test_every_frame_in_every_packet() -> None:
    """What a frame bears on, alone and beside another one."""
    others = {"stream", "reset_stream", "stop_sending", "unheard_of"}
    kinds = sorted(SIGNALS | wire.QUIET_FRAMES | wire.PROBE_FRAMES | others)
    frames = [b'{"frame_type":"%s"}' % kind.encode() for kind in kinds]
    several = [*frames, *(b",".join(pair) for pair in product(frames, frames))]
    texts = [
        re.sub(rb'"frames":\[.*\]', b'"frames":[' + some + b"]", text).replace(b"1RTT", packet)
        for text in (SENT, RECEIVED)
        for some in several
        for packet in (b"initial", b"handshake", b"0RTT", b"1RTT", b"retry")
    ]
    got = assert_alike(block(texts), "frames")
    assert got.single == decoding.columns_of(block(texts)).single
    assert got.sent.probe.sum() == 4


def end(text: bytes, begin: int) -> int:
    """Of the value that begins there."""
    depth = 0
    for at in range(begin, len(text)):
        if depth == 0 and text[at] in b",}]":
            return at
        depth += (text[at] in b"{[") - (text[at] in b"}]")
    return len(text)


def names(text: bytes) -> list[bytes]:
    return [b'"' + part.rpartition(b'"')[2] + b'":' for part in text.split(b'":')[:-1]]


def test_random_bytes() -> None:
    r = random.Random(1)
    texts = []
    for _ in range(20_000):
        text = bytearray(r.choice(USUAL))
        for _ in range(r.choice([1, 1, 2, 4])):
            at = r.randrange(len(text))
            text[at : at + r.randrange(3)] = bytes(r.choices(ALPHABET, k=r.randrange(3)))
        texts.append(bytes(text))
    got = assert_alike(block(texts), "random bytes")
    assert 0.1 < len(got.single) / len(texts) < 0.9


def test_without_it_the_trace_is_the_same(tmp_path: Path) -> None:
    path = tracewriter.write(tmp_path / "trace.sqlog", MADE["with losses"]())
    with mock.patch.object(compiled, "READER", None):
        assert_same_trace(path, "in Python")


def test_a_reader_of_another_version_is_not_used() -> None:
    with mock.patch.object(compiled.READER, "INTERFACE", compiled.INTERFACE + 1):
        assert compiled._found() is None
