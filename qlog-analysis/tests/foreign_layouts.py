"""The trace of one connection as other implementations would have written it: their framing, names, fields and units,
each read from the writer's source or a trace of it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import tracewriter
from qlog_analysis.load import load
from tracewriter import Json

BEGAN_MS = 1795245376720.0
EXPONENT = 3


def events(folder: Path, records: list[Json]) -> list[Json]:
    """The events that every writer has, with the losses that quiche only counts as events; times in ms."""
    trace = load(tracewriter.write(folder / "original.sqlog", records))
    lost = {f.record: f.lost for f in trace.feedback if f.lost}
    out: list[Json] = []
    for number, record in enumerate(records[1:], start=2):
        name, data = record["name"].removeprefix("quic:"), record["data"]
        if name in ("packet_sent", "packet_received"):
            out.append({"time": record["time"], "kind": name, "data": data})
        elif name == "recovery_metrics_updated":
            out.append({"time": record["time"], "kind": "metrics_updated", "data": data})
        elif name == "parameters_set":
            out.append({"time": record["time"], "kind": name, "data": data})
        for p in lost.get(number, ()):
            header = {"packet_type": "1RTT", "packet_number": trace.sent.number[p]}
            out.append({"time": record["time"], "kind": "packet_lost", "data": {"header": header}})
    return out


def _frames(data: Json, delay: Callable[[float], float], raw_length: bool = False) -> list[Json]:
    """Frames with `length` beside their type, as all but the newest draft have it."""
    out = []
    for f in data["frames"]:
        frame = {k: v for k, v in f.items() if k != "raw"}
        if "ack_delay" in frame:
            frame["ack_delay"] = delay(f["ack_delay"])
        if "raw" in f:
            length = f["raw"]["payload_length"]
            frame.update({"raw": {"length": length}} if raw_length else {"length": length})
        out.append(frame)
    return out


def _in_ms(encoded: float) -> float:
    """What quiche writes is the field of the frame; the drafts want the delay."""
    return round(encoded * 1e3) * 2.0**EXPONENT / 1e3


def _modern(folder: Path, records: list[Json], *, owner: str = "owner", raw_length: bool = False) -> list[Json]:
    """Names with categories and data as of draft-02 and 0.3, times relative."""
    out = []
    for e in events(folder, records):
        data = dict(e["data"])
        category = "recovery" if e["kind"] in ("metrics_updated", "packet_lost") else "transport"
        if "frames" in data:
            data["frames"] = _frames(data, _in_ms, raw_length)
        if e["kind"] == "parameters_set":
            data[owner] = data.pop("initiator")
            data["max_udp_payload_size"] = None
        if e["kind"] == "metrics_updated":
            data = {k: v for k, v in data.items() if not k.startswith("cf_")}
            data.update({"pacing_rate": data["pacing_rate"] * 8} if "pacing_rate" in data else {})
        out.append({"time": e["time"], "name": f"{category}:{e['kind']}", "data": data})
    return out


def _sequence(header: Json, rows: list[Json]) -> bytes:
    return tracewriter.encode([header, *rows])


def _lines(header: Json, rows: list[Json]) -> bytes:
    return "\n".join(json.dumps(r) for r in (header, *rows)).encode()


def quic_go(folder: Path, records: list[Json]) -> bytes:
    """Today's: schema of the newest drafts, names of the older ones."""
    reference = {"clock_type": "monotonic", "epoch": "unknown", "wall_clock_time": "2026-11-21T07:16:16.720Z"}
    trace: Json = {"vantage_point": {"type": "server"}, "common_fields": {"reference_time": reference}}
    header = {
        "file_schema": "urn:ietf:params:qlog:file:sequential",
        "serialization_format": "application/qlog+json-seq",
        "title": "quic-go qlog",
        "code_version": "(devel)",
        "trace": trace,
        "qlog_format": "JSON-SEQ",
        "qlog_version": "0.3",
    }
    return _sequence(header, _modern(folder, records, owner="initiator"))


def quic_go_lines(folder: Path, records: list[Json]) -> bytes:
    """v0.42 and around: draft-02 as JSON lines, reference time as a number."""
    common = {"ODCID": "00", "group_id": "00", "reference_time": BEGAN_MS, "time_format": "relative"}
    trace = {"vantage_point": {"type": "server"}, "common_fields": common}
    header = {"qlog_format": "NDJSON", "qlog_version": "draft-02", "title": "quic-go qlog", "trace": trace}
    return _lines(header, _modern(folder, records))


def ngtcp2(folder: Path, records: list[Json]) -> bytes:
    common = {"protocol_type": ["QUIC"], "time_format": "relative", "reference_time": 0, "group_id": "00"}
    trace = {"vantage_point": {"name": "ngtcp2", "type": "server"}, "common_fields": common}
    rows = _modern(folder, records)
    for r in rows:  # before the first sample it writes an RTT of 0
        if r["name"] == "recovery:metrics_updated" and r["data"].get("min_rtt") == 333.0:
            r["data"].update(latest_rtt=0)
    return _sequence({"qlog_format": "JSON-SEQ", "qlog_version": "0.3", "trace": trace}, rows)


def aioquic(folder: Path, records: list[Json]) -> bytes:
    """One JSON document, absolute times, the data before the name."""
    rows = []
    for r in _modern(folder, records):
        data = r["data"]
        if r["name"] == "recovery:packet_lost":
            data = {"type": data["header"]["packet_type"], "packet_number": data["header"]["packet_number"]}
        if r["name"] == "recovery:metrics_updated" and "congestion_window" in data:
            data = {**data, "cwnd": data["congestion_window"]}
            del data["congestion_window"]
        rows.append({"data": data, "name": r["name"], "time": BEGAN_MS + r["time"]})
    trace = {
        "common_fields": {"ODCID": "00"},
        "events": rows,
        "vantage_point": {"name": "aioquic", "type": "server"},
    }
    return json.dumps({"qlog_format": "JSON", "qlog_version": "0.3", "traces": [trace]}).encode()


UP_MS = 9e7
"""mvfst's times count from the start of the machine: here since a day."""


def mvfst(folder: Path, records: list[Json]) -> bytes:
    """One JSON document of the newest schema; times of the machine's clock, stream ids as text, `ack_ecn`, losses by
    number and not by name, and states that are none."""
    rows: list[Json] = [{"time": 0.0, "name": "quic:congestion_state_updated", "data": {"app_limited": "app limited"}}]
    for r in _modern(folder, records, raw_length=True):
        if r["name"] == "recovery:packet_lost":
            number = r["data"]["header"]["packet_number"]
            r["data"] = {"largest_lost_packet_num": number, "lost_bytes": 1250, "lost_packets": 1}
            r["name"] = "recovery:packets_lost"
        for f in r["data"].get("frames", ()):
            if f["frame_type"] == "stream":
                f["stream_id"] = str(f["stream_id"])
            if f["frame_type"] == "ack":
                f["frame_type"] = "ack_receive_timestamps"
        rows.append({**r, "name": r["name"].replace("transport:", "quic:")})
    rows = [{**r, "time": UP_MS + r["time"]} for r in rows]
    trace = {"vantage_point": {"name": "mvfst", "type": "server"}, "common_fields": {}, "events": rows}
    header = {"file_schema": "urn:ietf:params:qlog:file:contained", "serialization_format": "application/qlog+json"}
    return json.dumps({**header, "traces": [trace]}, indent=1).encode()


def mvfst_old(folder: Path, records: list[Json]) -> bytes:
    """Its draft-00: arrays with times of the machine's clock in us as text, and categories of its own."""
    rows: list[list[object]] = []
    for r in _modern(folder, records):
        category, name = r["name"].split(":")
        data = dict(r["data"])
        if name.startswith("packet_"):
            header = {"packet_number": data["header"]["packet_number"]}
            header |= {"packet_size": data["raw"]["length"]} if "raw" in data else {}
            for f in data.get("frames", ()):
                f.update({"stream_id": str(f["stream_id"])} if f["frame_type"] == "stream" else {})
                f.update({"ack_delay": round(1e3 * f["ack_delay"])} if "ack_delay" in f else {})
            data = {**data, "header": header, "packet_type": data["header"]["packet_type"]}
        if name == "packet_lost":
            data = {"largest_lost_packet_num": data["header"]["packet_number"], "lost_bytes": 1250, "lost_packets": 1}
            category, name = "loss", "packets_lost"
        at = str(round(1e3 * (UP_MS + r["time"])))
        if name != "metrics_updated":
            rows.append([at, category, name, data])
            continue
        rtts = {k: round(1e3 * v) for k, v in data.items() if k in ("min_rtt", "smoothed_rtt", "latest_rtt")}
        if rtts:
            rows.append([at, "recovery", "metric_update", rtts])
        flight = {"bytes_in_flight": data.get("bytes_in_flight"), "current_cwnd": data.get("congestion_window")}
        flight = {k: v for k, v in flight.items() if v is not None}
        flight |= {"pacing_rate": data["pacing_rate"]} if "pacing_rate" in data else {}
        if flight:
            rows.append([at, "metric_update", "congestion_metric_update", flight])
    trace = {
        "common_fields": {"dcid": "", "protocol_type": "QUIC_HTTP3", "reference_time": "0", "scid": ""},
        "configuration": {"time_offset": 0, "time_units": "us"},
        "event_fields": ["relative_time", "category", "event", "data"],
        "events": rows,
        "title": "mvfst qlog from single connection",
        "vantage_point": {"name": "server", "type": "server"},
    }
    return json.dumps({"qlog_version": "draft-00", "title": "mvfst qlog", "traces": [trace]}).encode()


def picoquic(folder: Path, records: list[Json]) -> bytes:
    """draft-00: arrays, times in us, sizes in the header, delays of ACKs as they stand in the frame."""
    rows = []
    for e in events(folder, records):
        data = dict(e["data"])
        category = "recovery" if e["kind"] in ("metrics_updated", "packet_lost") else "transport"
        if "frames" in data:
            frames = _frames(data, lambda encoded: round(encoded * 1e3))
            for f in frames:
                if f["frame_type"] == "stream":
                    f["id"] = f.pop("stream_id")
            size = {"packet_size": data["raw"]["length"], "packet_number": data["header"]["packet_number"]}
            data = {"packet_type": data["header"]["packet_type"], "header": size, "frames": frames}
        elif e["kind"] == "metrics_updated":
            rtts = ("min_rtt", "smoothed_rtt", "latest_rtt")
            data = {k: round(v * 1e3) if k in rtts else v for k, v in data.items() if not k.startswith("cf_")}
            data.update({"cwnd": data.pop("congestion_window")} if "congestion_window" in data else {})
            data.update({"pacing_rate": data["pacing_rate"] * 8} if "pacing_rate" in data else {})
        elif e["kind"] == "packet_lost":
            data = dict(data["header"])
        else:
            data["owner"] = data.pop("initiator")
        rows.append([round(e["time"] * 1e3), category, e["kind"], data])
    trace = {
        "vantage_point": {"name": "backend-67", "type": "server"},
        "title": "picoquic",
        "event_fields": ["relative_time", "category", "event", "data"],
        "configuration": {"time_units": "us"},
        "common_fields": {"protocol_type": "QUIC_HTTP3", "reference_time": "0"},
        "events": rows,
    }
    return json.dumps({"qlog_version": "draft-00", "title": "picoquic", "traces": [trace]}, indent=0).encode()


def neqo(folder: Path, records: list[Json]) -> bytes:
    """The same crate as quiche and so nearly the same trace; it tells its losses as events, and rates in bit/s."""
    header = tracewriter.header("x")
    header["trace"].update(title="neqo-Server trace", description="neqo-Server trace", event_schemas=[])
    header.update(title="", description="")
    rows = []
    for e in events(folder, records):
        data = dict(e["data"])
        if e["kind"] == "metrics_updated":
            data = {k: v for k, v in data.items() if not k.startswith("cf_")}
            data.update({"pacing_rate": data["pacing_rate"] * 8} if "pacing_rate" in data else {})
        name = f"quic:{e['kind']}".replace("quic:metrics", "quic:recovery_metrics")
        rows.append({"time": e["time"], "name": name, "data": data})
    return _sequence(header, rows)


def x_net(folder: Path, records: list[Json]) -> bytes:
    """golang.org/x/net/quic: 0.3, its name only as that of the vantage point; no delay where it is 0."""
    common = {"protocol_type": ["QUIC"], "time_format": "relative", "reference_time": BEGAN_MS, "group_id": "00"}
    trace = {"common_fields": common, "vantage_point": {"name": "go quic", "type": "server"}}
    rows = _modern(folder, records)
    for r in rows:
        for f in r["data"].get("frames", ()):
            if f.get("ack_delay") == 0:
                del f["ack_delay"]
    return _sequence({"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": trace}, rows)


def quinn(folder: Path, records: list[Json], *, group: str = "99c5") -> bytes:
    """0.11: no name, no side, no frames; sizes in the header, RTTs in s, a guess as the latest RTT."""
    trace = {"vantage_point": {"type": "unknown"}, "configuration": {"time_offset": 0.0}}
    rows = []
    for e in events(folder, records):
        data = dict(e["data"])
        category = "recovery" if e["kind"] in ("metrics_updated", "packet_lost") else "transport"
        if e["kind"] == "parameters_set":
            continue
        if e["kind"] in ("packet_sent", "packet_received"):
            header = dict(data["header"])
            data = {"header": header | ({"length": data["raw"]["length"]} if e["kind"] == "packet_sent" else {})}
        elif e["kind"] == "metrics_updated":
            kept = ("min_rtt", "smoothed_rtt", "latest_rtt", "congestion_window", "bytes_in_flight")
            data = {k: data[k] / 1e3 if k.endswith("rtt") else data[k] for k in kept if k in data}
            if data.get("min_rtt") == 0.333:
                data["latest_rtt"] = 0.333
        rows.append({"time": e["time"], "name": f"{category}:{e['kind']}", "data": data, "group_id": group})
    return _sequence({"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "trace": trace}, rows)


def quiche_0_24(folder: Path, records: list[Json]) -> bytes:
    """Names of draft-02; delays of ACKs as today's quiche, and no event or counter of losses."""
    rows = _modern(folder, records)
    originals = [r for r in records[1:] if r["name"] in ("quic:packet_sent", "quic:packet_received")]
    packets = [r for r in rows if "frames" in r["data"]]
    for row, original in zip(packets, originals, strict=True):
        for f, before in zip(row["data"]["frames"], original["data"]["frames"], strict=True):
            f.update({"ack_delay": before["ack_delay"]} if "ack_delay" in before else {})
    rows = [r for r in rows if r["name"] != "recovery:packet_lost"]
    title = "quiche-server qlog"
    trace = {"vantage_point": {"type": "server"}, "title": title, "configuration": {"time_offset": 0.0}}
    return _sequence({"qlog_version": "0.3", "qlog_format": "JSON-SEQ", "title": title, "trace": trace}, rows)


LAYOUTS: dict[str, Callable[[Path, list[Json]], bytes]] = {
    f.__name__: f for f in (quic_go, quic_go_lines, ngtcp2, aioquic, mvfst, mvfst_old, picoquic, neqo, x_net)
}
