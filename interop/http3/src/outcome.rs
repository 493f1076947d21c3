//! What a server may do about malformed HTTP/3.

use std::fmt;

/// The error codes of RFC 9114, section 8.1, and RFC 9204, section 6.
pub mod code {
    pub const H3_STREAM_CREATION_ERROR: u64 = 0x103;
    pub const H3_CLOSED_CRITICAL_STREAM: u64 = 0x104;
    pub const H3_FRAME_UNEXPECTED: u64 = 0x105;
    pub const H3_FRAME_ERROR: u64 = 0x106;
    pub const H3_EXCESSIVE_LOAD: u64 = 0x107;
    pub const H3_ID_ERROR: u64 = 0x108;
    pub const H3_SETTINGS_ERROR: u64 = 0x109;
    pub const H3_MISSING_SETTINGS: u64 = 0x10a;
    pub const H3_REQUEST_CANCELLED: u64 = 0x10c;
    pub const H3_REQUEST_INCOMPLETE: u64 = 0x10d;
    pub const H3_MESSAGE_ERROR: u64 = 0x10e;
    pub const QPACK_DECOMPRESSION_FAILED: u64 = 0x200;
    pub const QPACK_ENCODER_STREAM_ERROR: u64 = 0x201;
    pub const QPACK_DECODER_STREAM_ERROR: u64 = 0x202;
}

/// What became of a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The server closed the connection with this error of the application.
    Closed(u64),
    /// The server closed the connection with this error of QUIC.
    ClosedByTransport(u64),
    /// The server reset stream 0 with this code, and served the next request of the connection.
    Reset(u64),
    /// The server answered on stream 0 with this status, and served the next request of the connection.
    Answered(u16),
    /// Nothing came back on stream 0, and the server served the next request of the connection.
    Tolerated,
    /// Within the idle timeout neither an error nor an answer came.
    Silent,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Closed(code) => write!(f, "connection closed with {}", Name(*code)),
            Self::ClosedByTransport(code) => {
                write!(f, "connection closed with QUIC error {code:#x}")
            }
            Self::Reset(code) => write!(f, "stream reset with {}", Name(*code)),
            Self::Answered(status) => write!(f, "answered with {status}"),
            Self::Tolerated => f.write_str("tolerated"),
            Self::Silent => f.write_str("no reaction"),
        }
    }
}

/// A code in words.
struct Name(u64);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.0 {
            code::H3_STREAM_CREATION_ERROR => "H3_STREAM_CREATION_ERROR",
            code::H3_CLOSED_CRITICAL_STREAM => "H3_CLOSED_CRITICAL_STREAM",
            code::H3_FRAME_UNEXPECTED => "H3_FRAME_UNEXPECTED",
            code::H3_FRAME_ERROR => "H3_FRAME_ERROR",
            code::H3_EXCESSIVE_LOAD => "H3_EXCESSIVE_LOAD",
            code::H3_ID_ERROR => "H3_ID_ERROR",
            code::H3_SETTINGS_ERROR => "H3_SETTINGS_ERROR",
            code::H3_MISSING_SETTINGS => "H3_MISSING_SETTINGS",
            code::H3_REQUEST_CANCELLED => "H3_REQUEST_CANCELLED",
            code::H3_REQUEST_INCOMPLETE => "H3_REQUEST_INCOMPLETE",
            code::H3_MESSAGE_ERROR => "H3_MESSAGE_ERROR",
            code::QPACK_DECOMPRESSION_FAILED => "QPACK_DECOMPRESSION_FAILED",
            code::QPACK_ENCODER_STREAM_ERROR => "QPACK_ENCODER_STREAM_ERROR",
            code::QPACK_DECODER_STREAM_ERROR => "QPACK_DECODER_STREAM_ERROR",
            other => return write!(f, "{other:#x}"),
        };
        f.write_str(name)
    }
}
