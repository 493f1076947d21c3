//! Field sections that cannot be decoded, or are too large.

use crate::outcome::code::{H3_EXCESSIVE_LOAD, QPACK_DECOMPRESSION_FAILED};
use crate::wire::{bytes, encoded};
use crate::Case;
use crate::Outcome::{Answered, Closed};

pub fn cases() -> Vec<Case> {
    let section = |name, rfc, block: &[u8]| {
        Case::new(
            name,
            rfc,
            vec![encoded(0, block)],
            &[Closed(QPACK_DECOMPRESSION_FAILED)],
        )
    };
    vec![
        section(
            "empty field section without its prefix",
            "RFC 9204, 4.5.1",
            &[],
        ),
        section(
            "reference to the dynamic table, which is empty",
            "RFC 9204, 4.5.2",
            &[0, 0, 0x80],
        ),
        section(
            "post-base reference to the dynamic table",
            "RFC 9204, 4.5.3",
            &[0, 0, 0x10],
        ),
        section(
            "index beyond the static table",
            "RFC 9204, 3.1",
            &[0, 0, 0xff, 0x24],
        ),
        section(
            "name longer than the section",
            "RFC 9204, 4.5.6",
            &[0, 0, 0x27, 0x40, b'a'],
        ),
        section(
            "integer beyond 62 bits",
            "RFC 9204, 4.1.1",
            &[
                0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f,
            ],
        ),
        section(
            "integer that does not end",
            "RFC 9204, 4.1.1",
            &[0, 0, 0xff, 0x80],
        ),
        section(
            "Required Insert Count beyond the dynamic table",
            "RFC 9204, 4.5.1.1",
            // GET https, path /, authority a; only the prefix is wrong.
            &[1, 0, 0xd1, 0xd7, 0xc1, 0x50, 1, b'a'],
        )
        .deviates(
            Answered(404),
            "quiche reads the prefix and makes nothing of it",
        ),
        section(
            "Huffman code that is none",
            "RFC 9204, 4.1.2 and RFC 7541, 5.2",
            &[0, 0, 0x2f, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff],
        )
        .deviates(
            Closed(H3_EXCESSIVE_LOAD),
            "quiche takes any failure of the Huffman decoder for a field that is too long",
        ),
        Case::new(
            "field section of more than the announced 16384 bytes, compressed",
            "RFC 9114, 4.2.2",
            vec![encoded(0, &[&[0, 0][..], &[0xd1; 2000]].concat())],
            &[Answered(431), Closed(H3_EXCESSIVE_LOAD)],
        ),
        Case::new(
            "field section of more than the announced 16384 bytes",
            "RFC 9114, 4.2.2",
            vec![bytes(
                0,
                &[&[0x1, 0x80, 0x00, 0xff, 0xff][..], &[0; 1000]].concat(),
            )],
            &[Answered(431), Closed(H3_EXCESSIVE_LOAD)],
        ),
    ]
}
