//! What is served: bytes that tell where they belong, so that a client's hash of them says something.

use bytes::Bytes;
use futures::SinkExt;
use tokio_quiche::http3::driver::{OutboundFrame, OutboundFrameSender};
use tokio_quiche::quiche::h3::Header;

/// Byte `i` of every body is `i` modulo this. A prime, so that nothing that QUIC cuts has the same period.
const PERIOD: usize = 251;

/// As many whole periods as tokio-quiche takes at once (64 KiB).
static BLOCK: [u8; 65_536 / PERIOD * PERIOD] = {
    let mut block = [0; 65_536 / PERIOD * PERIOD];
    let mut i = 0;
    while i < block.len() {
        block[i] = (i % PERIOD) as u8;
        i += 1;
    }
    block
};

/// Sends a response with a body of `size` bytes. `None` if the stream ended before.
pub async fn send(stream: &mut OutboundFrameSender, status: &str, mut size: usize) -> Option<()> {
    let headers = vec![
        Header::new(b":status", status.as_bytes()),
        Header::new(b"content-length", size.to_string().as_bytes()),
    ];
    stream
        .send(OutboundFrame::Headers(headers, None))
        .await
        .ok()?;
    while size > 0 {
        let block = Bytes::from_static(&BLOCK[..size.min(BLOCK.len())]);
        size -= block.len();
        stream.send(OutboundFrame::Body(block, false)).await.ok()?;
    }
    stream
        .send(OutboundFrame::Body(Bytes::new(), true))
        .await
        .ok()
}
