//! What SETTINGS may contain.

use crate::outcome::code::{H3_EXCESSIVE_LOAD, H3_FRAME_ERROR, H3_SETTINGS_ERROR};
use crate::wire::{bytes, frame, open, settings, typed, CONTROL};
use crate::Case;
use crate::Outcome::{Closed, Tolerated};

pub fn cases() -> Vec<Case> {
    let with = |name, rfc, pairs: &[(u64, u64)], demanded: &[_]| {
        Case::new(
            name,
            rfc,
            vec![open(CONTROL, 0), frame(CONTROL, settings(pairs))],
            demanded,
        )
    };
    let wrong = [Closed(H3_SETTINGS_ERROR)];
    vec![
        with("setting ENABLE_PUSH of HTTP/2", "RFC 9114, 7.2.4.1", &[(0x2, 0)], &wrong),
        with("setting MAX_CONCURRENT_STREAMS of HTTP/2", "RFC 9114, 7.2.4.1", &[(0x3, 1)], &wrong),
        with("setting INITIAL_WINDOW_SIZE of HTTP/2", "RFC 9114, 7.2.4.1", &[(0x4, 1)], &wrong),
        with("setting MAX_FRAME_SIZE of HTTP/2", "RFC 9114, 7.2.4.1", &[(0x5, 1)], &wrong),
        with("ENABLE_CONNECT_PROTOCOL of 2", "RFC 9220, 3 and RFC 8441, 3", &[(0x8, 2)], &wrong),
        with("H3_DATAGRAM of 2", "RFC 9297, 2.1.1", &[(0x33, 2)], &wrong),
        with("H3_DATAGRAM without the transport parameter", "RFC 9297, 2.1.1", &[(0x33, 1)], &wrong),
        with(
            "the same setting twice",
            "RFC 9114, 7.2.4 (an error is allowed, not demanded)",
            &[(0x6, 1000), (0x6, 2000)],
            &[Tolerated, Closed(H3_SETTINGS_ERROR)],
        ),
        with("unknown and reserved settings", "RFC 9114, 7.2.4", &[(0x21, 5), (0x4242, 1)], &[Tolerated]),
        Case::new(
            "SETTINGS that end within a pair",
            "RFC 9114, 7.1",
            vec![open(CONTROL, 0), typed(CONTROL, 0x4, &[0x6])],
            &[Closed(H3_FRAME_ERROR)],
        )
        .deviates(Closed(0x999), "quiche closes, with a number that is none of HTTP/3: its own for a buffer that is too short"),
        Case::new(
            "SETTINGS of 16383 bytes announced",
            "RFC 9114, 8.1 and 10.5",
            vec![open(CONTROL, 0), bytes(CONTROL, &[0x4, 0x7f, 0xff])],
            &[Closed(H3_EXCESSIVE_LOAD)],
        )
        .deviates(Closed(H3_FRAME_ERROR), "quiche takes no SETTINGS of more than 256 bytes, and calls them malformed"),
    ]
}
