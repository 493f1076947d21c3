//! Frames where they do not belong on a request stream, and frames that are no frames.

use h3i::quiche::h3::frame::Frame;

use crate::outcome::code::{
    H3_EXCESSIVE_LOAD, H3_FRAME_ERROR, H3_FRAME_UNEXPECTED, H3_REQUEST_INCOMPLETE,
};
use crate::wire::{bytes, fields, frame, headers, last_bytes, request, settings, typed};
use crate::Case;
use crate::Outcome::{Answered, Closed, Reset};

pub fn cases() -> Vec<Case> {
    let mut cases = misplaced();
    cases.extend(broken());
    cases
}

fn misplaced() -> Vec<Case> {
    let unexpected = [Closed(H3_FRAME_UNEXPECTED)];
    let on_request = |name, rfc, sent| Case::new(name, rfc, vec![frame(0, sent)], &unexpected);
    vec![
        on_request(
            "DATA before HEADERS",
            "RFC 9114, 4.1",
            Frame::Data {
                payload: b"body".to_vec(),
            },
        ),
        on_request(
            "SETTINGS on a request stream",
            "RFC 9114, 7.2.4",
            settings(&[]),
        ),
        on_request(
            "GOAWAY on a request stream",
            "RFC 9114, 7.2.6",
            Frame::GoAway { id: 0 },
        ),
        on_request(
            "MAX_PUSH_ID on a request stream",
            "RFC 9114, 7.2.7",
            Frame::MaxPushId { push_id: 1 },
        ),
        on_request(
            "CANCEL_PUSH on a request stream",
            "RFC 9114, 7.2.3",
            Frame::CancelPush { push_id: 1 },
        ),
        on_request(
            "PRIORITY_UPDATE on a request stream",
            "RFC 9218, 7.2",
            Frame::PriorityUpdateRequest {
                prioritized_element_id: 0,
                priority_field_value: b"u=1".to_vec(),
            },
        ),
        on_request(
            "PUSH_PROMISE from a client",
            "RFC 9114, 7.2.5",
            Frame::PushPromise {
                push_id: 1,
                header_block: vec![0, 0, 0xd1],
            },
        ),
        Case::new(
            "frame type PING of HTTP/2 on a request stream",
            "RFC 9114, 7.2.8",
            vec![typed(0, 0x6, &[0; 8]), request(0, "/1000")],
            &unexpected,
        )
        .deviates(
            Answered(200),
            "quiche takes the frame types of HTTP/2 for unknown ones and ignores them",
        ),
        Case::new(
            "reserved frame type before HEADERS",
            "RFC 9114, 7.2.8 and 9",
            vec![typed(0, 0x21, b"grease"), request(0, "/1000")],
            &[Answered(200)],
        ),
        Case::new(
            "DATA after the trailers of a request whose body is not read",
            "RFC 9114, 4.1 (a server need not read the rest of a request)",
            vec![
                headers(0, false, &fields("/1000")),
                frame(
                    0,
                    Frame::Data {
                        payload: b"body".to_vec(),
                    },
                ),
                headers(0, false, &[("trailer", "1")]),
                frame(
                    0,
                    Frame::Data {
                        payload: b"more".to_vec(),
                    },
                ),
            ],
            &[Answered(200), Closed(H3_FRAME_UNEXPECTED)],
        ),
    ]
}

fn broken() -> Vec<Case> {
    const ENDED: &str = "quiche says that the stream ended, and not that it ended within a frame";
    vec![
        Case::new(
            "HEADERS cut short by the end of the stream",
            "RFC 9114, 7.1",
            vec![last_bytes(0, &[0x1, 20, 0, 0, 0xd1])],
            &[Closed(H3_FRAME_ERROR)],
        )
        .deviates(Reset(H3_REQUEST_INCOMPLETE), ENDED),
        Case::new(
            "frame header cut short by the end of the stream",
            "RFC 9114, 7.1",
            vec![last_bytes(0, &[0x1])],
            &[Closed(H3_FRAME_ERROR)],
        )
        .deviates(Reset(H3_REQUEST_INCOMPLETE), ENDED),
        Case::new(
            "DATA cut short by the end of the stream",
            "RFC 9114, 7.1",
            vec![headers(0, false, &fields("/1000")), last_bytes(0, &[0x0, 20, 1, 2])],
            &[Closed(H3_FRAME_ERROR)],
        )
        .deviates(Answered(200), "the server answers at once and does not read the body, so neither it nor quiche sees the end"),
        Case::new(
            "stream that ends without a request",
            "RFC 9114, 4.1",
            vec![last_bytes(0, &[])],
            &[Reset(H3_REQUEST_INCOMPLETE)],
        ),
        Case::new(
            "unknown frame, and the end of the stream without a request",
            "RFC 9114, 4.1",
            vec![last_bytes(0, &[0x21, 1, 7])],
            &[Reset(H3_REQUEST_INCOMPLETE)],
        ),
        Case::new(
            "HEADERS of 2^62-1 bytes announced",
            "RFC 9114, 8.1 and 10.5",
            vec![bytes(0, &[0x1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff])],
            &[Closed(H3_EXCESSIVE_LOAD)],
        ),
        Case::new(
            "unknown frame of 2^62-1 bytes announced",
            "RFC 9114, 9 and 10.5",
            vec![bytes(0, &[0x21, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 2, 3])],
            &[crate::Outcome::Tolerated, Closed(H3_EXCESSIVE_LOAD)],
        ),
    ]
}
