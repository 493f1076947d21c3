//! Words for what goes over the wire: actions of h3i.

use h3i::actions::h3::{send_headers_frame_literal, Action};
use h3i::quiche::h3::frame::Frame;
use h3i::quiche::h3::Header;

/// The client's unidirectional streams, in the order in which cases use them.
pub const CONTROL: u64 = 2;
pub const SECOND: u64 = 6;

/// A frame on a stream.
pub fn frame(stream_id: u64, frame: Frame) -> Action {
    Action::SendFrame {
        stream_id,
        fin_stream: false,
        frame,
        expected_result: Default::default(),
    }
}

/// Bytes on a stream, which stays open.
pub fn bytes(stream_id: u64, bytes: &[u8]) -> Action {
    raw(stream_id, bytes, false)
}

/// Bytes on a stream, which ends with them.
pub fn last_bytes(stream_id: u64, bytes: &[u8]) -> Action {
    raw(stream_id, bytes, true)
}

fn raw(stream_id: u64, bytes: &[u8], fin_stream: bool) -> Action {
    Action::StreamBytes {
        stream_id,
        fin_stream,
        bytes: bytes.to_vec(),
        expected_result: Default::default(),
    }
}

/// A frame of any type (below 64) and payload (below 64 bytes).
pub fn typed(stream_id: u64, frame_type: u8, payload: &[u8]) -> Action {
    assert!(frame_type < 64 && payload.len() < 64);
    bytes(
        stream_id,
        &[&[frame_type, payload.len() as u8], payload].concat(),
    )
}

/// The beginning of a unidirectional stream.
pub fn open(stream_id: u64, stream_type: u64) -> Action {
    Action::OpenUniStream {
        stream_id,
        fin_stream: false,
        stream_type,
        expected_result: Default::default(),
    }
}

/// A SETTINGS frame with these pairs only.
pub fn settings(pairs: &[(u64, u64)]) -> Frame {
    Frame::Settings {
        max_field_section_size: None,
        qpack_max_table_capacity: None,
        qpack_blocked_streams: None,
        connect_protocol_enabled: None,
        h3_datagram: None,
        grease: None,
        additional_settings: Some(pairs.to_vec()),
        raw: None,
    }
}

/// The control stream with empty SETTINGS, and what comes after them.
pub fn control(rest: Vec<Action>) -> Vec<Action> {
    let mut actions = vec![open(CONTROL, 0), frame(CONTROL, settings(&[]))];
    actions.extend(rest);
    actions
}

/// The fields of a request for `path` that nothing is wrong with.
pub fn fields(path: &'static str) -> Vec<(&'static str, &'static str)> {
    vec![
        (":method", "GET"),
        (":scheme", "https"),
        (":authority", "localhost"),
        (":path", path),
    ]
}

/// A HEADERS frame with these fields just as they are.
pub fn headers(stream_id: u64, fin: bool, fields: &[(&str, &str)]) -> Action {
    let list = fields
        .iter()
        .map(|(name, value)| Header::new(name.as_bytes(), value.as_bytes()));
    send_headers_frame_literal(stream_id, fin, list.collect())
}

/// A whole request that nothing is wrong with.
pub fn request(stream_id: u64, path: &'static str) -> Action {
    headers(stream_id, true, &fields(path))
}

/// A HEADERS frame with this encoded field section, after which the stream ends.
pub fn encoded(stream_id: u64, header_block: &[u8]) -> Action {
    Action::SendFrame {
        stream_id,
        fin_stream: true,
        frame: Frame::Headers {
            header_block: header_block.to_vec(),
        },
        expected_result: Default::default(),
    }
}
