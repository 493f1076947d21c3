"""What a header says of times and names is believed, and refused where it is not known; nothing is guessed."""

from __future__ import annotations

import json
from pathlib import Path as FilePath
from typing import Any

import numpy as np
import pytest

import tracewriter
from foreign_layouts import neqo, picoquic, quic_go
from qlog_analysis.errors import TraceError
from qlog_analysis.load import load
from qlog_analysis.metrics import measure
from test_foreign import LOSSY, written
from traces import records, trace_of


@pytest.mark.parametrize("unit", ["ns", "s", "US", 1000, ["us"]])
def test_a_unit_of_time_that_is_not_known_is_refused(tmp_path: FilePath, unit: object) -> None:
    path = written(tmp_path, picoquic, records(LOSSY, 0.5))
    document = json.loads(path.read_bytes())
    document["traces"][0]["configuration"]["time_units"] = unit
    path.write_text(json.dumps(document))
    with pytest.raises(TraceError) as error:
        load(path)
    assert str(error.value).startswith(f"{path}: record 1 ")
    assert f"time unit {unit!r} is not supported; supported are ms, us" in str(error.value)


@pytest.mark.parametrize("written_as", ["bogus", "Relative", 1, ["delta"]])
def test_a_time_format_that_is_not_known_is_refused(tmp_path: FilePath, written_as: object) -> None:
    some = records(LOSSY, 0.5)
    ours = tracewriter.write(tmp_path / "ours.sqlog", with_format(some, written_as))
    theirs = written(tmp_path, quic_go, records(LOSSY, 0.5))
    header, _, rest = theirs.read_bytes()[1:].partition(b"\n")
    theirs.write_bytes(b"\x1e" + json.dumps(with_format([json.loads(header)], written_as)[0]).encode() + b"\n" + rest)
    for path in (ours, theirs):
        with pytest.raises(TraceError) as error:
            load(path)
        assert str(error.value).startswith(f"{path}: record 1 ")
        assert f"time format {written_as!r} is not supported; supported are absolute, relative, " in str(error.value)


def with_format(some: list[dict[str, Any]], written_as: object) -> list[dict[str, Any]]:
    some[0]["trace"]["common_fields"]["time_format"] = written_as
    return some


def test_a_writer_without_a_name_that_tells_its_losses_is_not_taken_for_quiche(tmp_path: FilePath) -> None:
    some = records(LOSSY, 4.0)
    path = written(tmp_path, neqo, some)
    path.write_bytes(path.read_bytes().replace(b"neqo-Server trace", b"download test"))
    unnamed, named = load(path), load(written(tmp_path, neqo, some))
    assert not unnamed.native
    ours = measure(trace_of(tmp_path, some))
    m = measure(unnamed)
    assert (m.packets_lost, m.losses_from) == (ours.packets_lost, "events packet_lost")
    assert (m.packets_lost or 0) > 5
    np.testing.assert_array_equal(unnamed.metrics.pacing_rate, named.metrics.pacing_rate)
    assert not unnamed.notes


def test_todays_schema_may_have_times_as_differences(tmp_path: FilePath) -> None:
    some = records(LOSSY, 2.0)
    ours = trace_of(tmp_path, some)
    before = 0.0
    for record in some[1:]:
        record["time"], before = record["time"] - before, record["time"]
    theirs = load(tracewriter.write(tmp_path / "b.sqlog", with_format(some, "relative_to_previous_event")))
    assert list(theirs.sent.time) == pytest.approx(list(ours.sent.time), abs=1e-5)
    assert measure(theirs).packets_sent == measure(ours).packets_sent
