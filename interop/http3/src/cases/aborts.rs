//! Streams that are given up in the middle.

use h3i::actions::h3::{Action, StreamEvent, StreamEventType, WaitType};

use crate::outcome::code::H3_REQUEST_CANCELLED;
use crate::wire::{bytes, fields, headers, request};
use crate::Case;
use crate::Outcome::{Answered, Reset, Tolerated};

pub fn cases() -> Vec<Case> {
    let cancel = |stream_id| Action::ResetStream {
        stream_id,
        error_code: H3_REQUEST_CANCELLED,
    };
    let stop = Action::StopSending {
        stream_id: 0,
        error_code: H3_REQUEST_CANCELLED,
    };
    let first_data = StreamEvent {
        stream_id: 0,
        event_type: StreamEventType::Data,
    };
    vec![
        Case::new(
            "reset in the middle of HEADERS",
            "RFC 9114, 4.1.1",
            vec![bytes(0, &[0x1, 20, 0, 0]), Action::FlushPackets, cancel(0)],
            &[Tolerated, Reset(H3_REQUEST_CANCELLED)],
        ),
        Case::new(
            "reset in the middle of a request's body",
            "RFC 9114, 4.1.1",
            vec![
                headers(0, false, &fields("/1000")),
                Action::FlushPackets,
                cancel(0),
            ],
            &[Answered(200), Reset(H3_REQUEST_CANCELLED)],
        ),
        Case::new(
            "reset of a stream on which nothing was sent",
            "RFC 9000, 3.1 and RFC 9114, 4.1.1",
            vec![bytes(0, &[]), cancel(0)],
            &[Tolerated, Reset(H3_REQUEST_CANCELLED)],
        ),
        Case::new(
            "STOP_SENDING in the middle of a response",
            "RFC 9000, 3.5 and RFC 9114, 4.1.1",
            vec![
                request(0, "/50000000"),
                WaitType::StreamEvent(first_data).into(),
                stop,
            ],
            // The reset is not seen by a client that stopped reading.
            &[Answered(200)],
        ),
    ]
}
