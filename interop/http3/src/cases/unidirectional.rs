//! Other unidirectional streams: pushes, QPACK, unknown ones.

use h3i::actions::h3::Action;

use crate::outcome::code::{
    H3_CLOSED_CRITICAL_STREAM, H3_STREAM_CREATION_ERROR, QPACK_DECODER_STREAM_ERROR,
    QPACK_ENCODER_STREAM_ERROR,
};
use crate::wire::{bytes, last_bytes, open, SECOND};
use crate::Case;
use crate::Outcome::{Closed, Tolerated};

/// A stream that no case uses as control stream.
const STREAM: u64 = 2;

const PUSH: u64 = 1;
const ENCODER: u64 = 2;
const DECODER: u64 = 3;

pub fn cases() -> Vec<Case> {
    let mut cases = types();
    cases.extend(instructions());
    cases
}

fn types() -> Vec<Case> {
    let refused = [Closed(H3_STREAM_CREATION_ERROR)];
    let closed = [Closed(H3_CLOSED_CRITICAL_STREAM)];
    vec![
        Case::new(
            "push stream from a client",
            "RFC 9114, 6.2.2",
            vec![open(STREAM, PUSH), bytes(STREAM, &[0])],
            &refused,
        ),
        Case::new(
            "second QPACK encoder stream",
            "RFC 9204, 4.2",
            vec![open(STREAM, ENCODER), open(SECOND, ENCODER)],
            &refused,
        ),
        Case::new(
            "second QPACK decoder stream",
            "RFC 9204, 4.2",
            vec![open(STREAM, DECODER), open(SECOND, DECODER)],
            &refused,
        ),
        Case::new(
            "end of the QPACK encoder stream",
            "RFC 9204, 4.2",
            vec![open(STREAM, ENCODER), last_bytes(STREAM, &[])],
            &closed,
        ),
        Case::new(
            "reset of the QPACK decoder stream",
            "RFC 9204, 4.2",
            vec![
                open(STREAM, DECODER),
                Action::FlushPackets,
                Action::ResetStream {
                    stream_id: STREAM,
                    error_code: 0x100,
                },
            ],
            &closed,
        ),
        Case::new(
            "stream of an unknown type",
            "RFC 9114, 6.2.3 and 9",
            vec![open(STREAM, 0x21), bytes(STREAM, &[0xff; 500])],
            &[Tolerated],
        ),
        Case::new(
            "unidirectional stream that ends before its type",
            "RFC 9114, 6.2",
            vec![last_bytes(STREAM, &[])],
            &[Tolerated],
        ),
        Case::new(
            "unidirectional stream that ends within its type",
            "RFC 9114, 6.2",
            vec![last_bytes(STREAM, &[0x40])],
            &[Tolerated],
        ),
    ]
}

fn instructions() -> Vec<Case> {
    let discarded = "quiche has no dynamic table and discards the instructions of both streams";
    let on_encoder = |name, rfc, sent: &[u8]| {
        Case::new(
            name,
            rfc,
            vec![open(STREAM, ENCODER), bytes(STREAM, sent)],
            &[Closed(QPACK_ENCODER_STREAM_ERROR)],
        )
        .deviates(Tolerated, discarded)
    };
    let on_decoder = |name, rfc, sent: &[u8]| {
        Case::new(
            name,
            rfc,
            vec![open(STREAM, DECODER), bytes(STREAM, sent)],
            &[Closed(QPACK_DECODER_STREAM_ERROR)],
        )
        .deviates(Tolerated, discarded)
    };
    vec![
        on_encoder(
            "dynamic table larger than allowed",
            "RFC 9204, 4.3.1",
            &[0x3f, 0xe1, 0x1f],
        ),
        on_encoder(
            "duplicate of an entry that does not exist",
            "RFC 9204, 3.2.2 and 4.3.4",
            &[0x05],
        ),
        on_decoder(
            "acknowledgment of a section that does not exist",
            "RFC 9204, 4.4.1",
            &[0x80],
        ),
        on_decoder("insert count increment of zero", "RFC 9204, 4.4.3", &[0x00]),
    ]
}
