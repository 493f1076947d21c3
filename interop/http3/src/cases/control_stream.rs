//! The control stream and what is sent on it after SETTINGS.

use h3i::actions::h3::Action;
use h3i::quiche::h3::frame::Frame;

use crate::outcome::code::{
    H3_CLOSED_CRITICAL_STREAM, H3_FRAME_ERROR, H3_FRAME_UNEXPECTED, H3_ID_ERROR,
    H3_MISSING_SETTINGS, H3_STREAM_CREATION_ERROR,
};
use crate::wire::{control, encoded, frame, last_bytes, open, settings, typed, CONTROL, SECOND};
use crate::Case;
use crate::Outcome::{Closed, Tolerated};

pub fn cases() -> Vec<Case> {
    let mut cases = stream_itself();
    cases.extend(misplaced());
    cases.extend(identifiers());
    cases.extend(layout());
    cases
}

fn stream_itself() -> Vec<Case> {
    let closed = [Closed(H3_CLOSED_CRITICAL_STREAM)];
    vec![
        Case::new(
            "GOAWAY before SETTINGS",
            "RFC 9114, 6.2.1",
            vec![open(CONTROL, 0), frame(CONTROL, Frame::GoAway { id: 0 })],
            &[Closed(H3_MISSING_SETTINGS)],
        ),
        Case::new(
            "reserved frame type before SETTINGS",
            "RFC 9114, 6.2.1",
            vec![open(CONTROL, 0), typed(CONTROL, 0x21, b"grease")],
            &[Closed(H3_MISSING_SETTINGS)],
        ),
        Case::new(
            "second control stream",
            "RFC 9114, 6.2.1",
            control(vec![open(SECOND, 0), frame(SECOND, settings(&[]))]),
            &[Closed(H3_STREAM_CREATION_ERROR)],
        ),
        Case::new(
            "end of the control stream",
            "RFC 9114, 6.2.1",
            control(vec![last_bytes(CONTROL, &[])]),
            &closed,
        ),
        Case::new(
            "reset of the control stream",
            "RFC 9114, 6.2.1",
            control(vec![
                Action::FlushPackets,
                Action::ResetStream {
                    stream_id: CONTROL,
                    error_code: 0x100,
                },
            ]),
            &closed,
        ),
    ]
}

fn misplaced() -> Vec<Case> {
    let unexpected = [Closed(H3_FRAME_UNEXPECTED)];
    let on_control =
        |name, rfc, sent| Case::new(name, rfc, control(vec![frame(CONTROL, sent)]), &unexpected);
    vec![
        on_control("SETTINGS twice", "RFC 9114, 7.2.4", settings(&[])),
        on_control(
            "DATA on the control stream",
            "RFC 9114, 7.2.1",
            Frame::Data { payload: vec![1] },
        ),
        on_control(
            "HEADERS on the control stream",
            "RFC 9114, 7.2.2",
            Frame::Headers {
                header_block: vec![0, 0, 0xd1],
            },
        ),
        on_control(
            "PUSH_PROMISE on the control stream",
            "RFC 9114, 7.2.5",
            Frame::PushPromise {
                push_id: 1,
                header_block: vec![0, 0, 0xd1],
            },
        ),
        Case::new(
            "frame type PRIORITY of HTTP/2 on the control stream",
            "RFC 9114, 7.2.8",
            control(vec![typed(CONTROL, 0x2, &[0; 5])]),
            &unexpected,
        )
        .deviates(
            Tolerated,
            "quiche takes the frame types of HTTP/2 for unknown ones and ignores them",
        ),
        Case::new(
            "unknown frame on the control stream",
            "RFC 9114, 9",
            control(vec![typed(CONTROL, 0x21, b"grease")]),
            &[Tolerated],
        ),
    ]
}

fn identifiers() -> Vec<Case> {
    let wrong = [Closed(H3_ID_ERROR)];
    let update = |prioritized_element_id| Frame::PriorityUpdateRequest {
        prioritized_element_id,
        priority_field_value: b"u=1".to_vec(),
    };
    vec![
        Case::new(
            "GOAWAY whose identifier grows",
            "RFC 9114, 5.2",
            control(vec![
                frame(CONTROL, Frame::GoAway { id: 0 }),
                frame(CONTROL, Frame::GoAway { id: 4 }),
            ]),
            &wrong,
        ),
        Case::new(
            "MAX_PUSH_ID that shrinks",
            "RFC 9114, 7.2.7",
            control(vec![
                frame(CONTROL, Frame::MaxPushId { push_id: 5 }),
                frame(CONTROL, Frame::MaxPushId { push_id: 4 }),
            ]),
            &wrong,
        ),
        Case::new(
            "CANCEL_PUSH of what was never promised",
            "RFC 9114, 7.2.3",
            control(vec![frame(CONTROL, Frame::CancelPush { push_id: 7 })]),
            &wrong,
        )
        .deviates(
            Tolerated,
            "quiche has no server push and ignores CANCEL_PUSH",
        ),
        Case::new(
            "PRIORITY_UPDATE beyond the limit of streams",
            "RFC 9218, 7.2",
            control(vec![frame(CONTROL, update(4_000_000))]),
            &wrong,
        ),
        Case::new(
            "PRIORITY_UPDATE of a stream that is no request",
            "RFC 9218, 7.2",
            control(vec![frame(CONTROL, update(2))]),
            &wrong,
        )
        .deviates(
            Closed(H3_FRAME_UNEXPECTED),
            "quiche closes, with another code",
        ),
        Case::new(
            "PRIORITY_UPDATE of a push that was never promised",
            "RFC 9218, 7.2",
            control(vec![frame(
                CONTROL,
                Frame::PriorityUpdatePush {
                    prioritized_element_id: 3,
                    priority_field_value: b"u=1".to_vec(),
                },
            )]),
            &wrong,
        )
        .deviates(Tolerated, "quiche has no server push and ignores the frame"),
    ]
}

fn layout() -> Vec<Case> {
    vec![
        Case::new(
            "GOAWAY without its identifier",
            "RFC 9114, 7.1",
            control(vec![typed(CONTROL, 0x7, &[])]),
            &[Closed(H3_FRAME_ERROR)],
        ),
        Case::new(
            "GOAWAY with more than its identifier",
            "RFC 9114, 7.1",
            control(vec![typed(CONTROL, 0x7, &[0, 1, 2])]),
            &[Closed(H3_FRAME_ERROR)],
        )
        .deviates(
            Tolerated,
            "quiche does not look at what follows the identifier",
        ),
        Case::new(
            "request after an error on the control stream, in the same packet",
            "RFC 9114, 7.2.4",
            [
                control(vec![frame(CONTROL, settings(&[]))]),
                vec![encoded(0, &[0, 0, 0xd1, 0xd7, 0xc1])],
            ]
            .concat(),
            &[Closed(H3_FRAME_UNEXPECTED)],
        ),
    ]
}
