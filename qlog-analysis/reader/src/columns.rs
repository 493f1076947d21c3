//! The columns of a block, as `qlog_analysis.columns` has them, and which records become rows of them, as
//! `qlog_analysis.decoding` decides it. A record that this reader is not sure of stands alone.

use crate::event::{Data, Event, Frame};
use crate::json::{Json, Result, Unsure};

const MAX_SIZE: i64 = 65_535;
const SEPARATOR: u8 = 0x1e;
const APPLICATION: u8 = 2;

/// A column as bytes, in the order of this machine.
pub enum Column {
    Numbers(Vec<i64>),
    Reals(Vec<f64>),
    Bytes(Vec<u8>),
}

impl From<Vec<i64>> for Column {
    fn from(values: Vec<i64>) -> Self {
        Self::Numbers(values)
    }
}

impl From<Vec<f64>> for Column {
    fn from(values: Vec<f64>) -> Self {
        Self::Reals(values)
    }
}

impl From<Vec<u8>> for Column {
    fn from(values: Vec<u8>) -> Self {
        Self::Bytes(values)
    }
}

type Named = Vec<(&'static str, Column)>;

/// Structs of columns, with their names.
macro_rules! columns {
    ($($name:ident { $($field:ident: $kind:ty),* $(,)? })*) => {
        $(
            #[derive(Default)]
            pub struct $name { $(pub $field: Vec<$kind>),* }

            impl $name {
                fn named(self) -> Named {
                    vec![$((stringify!($field), self.$field.into())),*]
                }
            }
        )*
    };
}

columns! {
    Sent {
        at: i64, time: f64, space: u8, number: i64, size: i64, ack_eliciting: u8, probe: u8, ack: u8,
        stream_frames: i64, stream: i64, offset: i64, length: i64,
    }
    Received {
        at: i64, time: f64, space: u8, number: i64, size: i64,
        stream_frames: i64, stream: i64, offset: i64, length: i64,
    }
    Acks {
        at: i64, time: f64, space: u8, ack_delay: f64, ranges: i64, low: i64, high: i64, ect: i64, ce: i64,
        told: i64, told_number: i64, told_time: i64,
    }
    Metrics {
        at: i64, time: f64, congestion_window: f64, bytes_in_flight: f64, pacing_rate: f64,
        latest_rtt: f64, smoothed_rtt: f64, min_rtt: f64,
    }
    Written { at: i64, time: f64, stream: i64, end: i64 }
    Finished { at: i64, stream: i64 }
    Others { apart: i64, single: i64 }
}

#[derive(Default)]
pub struct Columns {
    sent: Sent,
    received: Received,
    acks: Acks,
    metrics: Metrics,
    written: Written,
    finished: Finished,
    others: Others,
    end: f64,
}

/// Of the records of a block, with a separator between two.
pub fn read(block: &[u8]) -> Columns {
    let (mut columns, mut event, mut json) =
        (Columns::default(), Event::default(), Json::new(block));
    for at in 0.. {
        json.begin_record();
        let whole = event
            .read(&mut json)
            .and_then(|()| json.record_ends(SEPARATOR));
        if whole.and_then(|()| columns.take(at, &event)).is_err() {
            columns.others.single.push(at);
        }
        if !json.skip_past(SEPARATOR) {
            return columns;
        }
    }
    columns
}

impl Columns {
    /// By group and name; and the latest time.
    pub fn named(self) -> (Vec<(&'static str, Named)>, f64) {
        let groups = vec![
            ("sent", self.sent.named()),
            ("received", self.received.named()),
            ("acks", self.acks.named()),
            ("metrics", self.metrics.named()),
            ("written", self.written.named()),
            ("finished", self.finished.named()),
            ("others", self.others.named()),
        ];
        (groups, self.end)
    }

    /// Fails, and leaves all as it was, if it is no row.
    fn take(&mut self, at: i64, event: &Event) -> Result<()> {
        let data = event.data().ok_or(Unsure);
        match event.name {
            b"quic:packet_sent" => self.take_sent(at, event.time, data?)?,
            b"quic:packet_received" => self.take_received(at, event, data?)?,
            b"quic:recovery_metrics_updated" => self.take_metrics(at, event.time, data?)?,
            b"quic:stream_data_moved" => self.take_written(at, event.time, data?),
            b"transport:packet_sent" | b"transport:packet_received" => return Err(Unsure),
            _ => {
                self.others.apart.push(at);
                return Ok(());
            }
        }
        self.end = self.end.max(event.time);
        Ok(())
    }

    fn take_sent(&mut self, at: i64, time: f64, data: &Data) -> Result<()> {
        let (space, number) = numbered(data)?;
        let size = data.raw.as_ref().and_then(|raw| raw.length).ok_or(Unsure)?;
        let frames = &data.frames;
        if !(1..=MAX_SIZE).contains(&size)
            || !fit(frames)
            || frames
                .iter()
                .any(|f| is_signal(f) || f.kind == b"reset_stream")
        {
            return Err(Unsure);
        }
        let has = |kind: &[u8]| frames.iter().any(|f| f.kind == kind);
        let quiet = |f: &Frame| matches!(f.kind, b"ack" | b"padding" | b"connection_close");
        let of_probe = frames
            .iter()
            .all(|f| matches!(f.kind, b"ping" | b"padding"));
        let sent = &mut self.sent;
        let (stream, offset, length) = (&mut sent.stream, &mut sent.offset, &mut sent.length);
        sent.stream_frames
            .push(take_streams(frames, stream, offset, length));
        sent.at.push(at);
        sent.time.push(time);
        sent.space.push(space);
        sent.number.push(number);
        sent.size.push(size);
        sent.ack_eliciting.push(u8::from(!frames.iter().all(quiet)));
        let probe = of_probe && has(b"ping") && has(b"padding") && space == APPLICATION;
        sent.probe.push(u8::from(probe));
        sent.ack.push(u8::from(has(b"ack")));
        for f in frames.iter().filter(|f| f.fin && f.kind == b"stream") {
            self.finished.at.push(at);
            self.finished.stream.push(f.stream.unwrap_or(0));
        }
        Ok(())
    }

    fn take_received(&mut self, at: i64, event: &Event, data: &Data) -> Result<()> {
        let ((space, number), frames) = (numbered(data)?, &data.frames);
        let size = data.raw.as_ref().and_then(|raw| raw.length).unwrap_or(0);
        let mut acks = frames.iter().filter(|f| f.kind == b"ack");
        let ack = acks.next();
        if acks.next().is_some()
            || size > MAX_SIZE
            || !fit(frames)
            || frames
                .iter()
                .any(|f| is_signal(f) || f.kind == b"stop_sending")
        {
            return Err(Unsure);
        }
        if let Some(ack) = ack {
            self.take_ack(at, event, space, ack, &data.ranges[ack.ranges.clone()])?;
        }
        let received = &mut self.received;
        let (stream, offset, length) = (
            &mut received.stream,
            &mut received.offset,
            &mut received.length,
        );
        received
            .stream_frames
            .push(take_streams(frames, stream, offset, length));
        received.at.push(at);
        received.time.push(event.time);
        received.space.push(space);
        received.number.push(number);
        received.size.push(size);
        Ok(())
    }

    fn take_ack(
        &mut self,
        at: i64,
        event: &Event,
        space: u8,
        ack: &Frame,
        ranges: &[(i64, i64)],
    ) -> Result<()> {
        if ack.odd_range {
            return Err(Unsure);
        }
        let acks = &mut self.acks;
        acks.low.extend(ranges.iter().map(|r| r.0));
        acks.high.extend(ranges.iter().map(|r| r.1));
        let told: &[_] = if space == APPLICATION {
            &event.receive_timestamps
        } else {
            &[]
        };
        acks.told_number.extend(told.iter().map(|t| t.0));
        acks.told_time.extend(told.iter().map(|t| t.1));
        acks.at.push(at);
        acks.time.push(event.time);
        acks.space.push(space);
        acks.ack_delay.push(ack.ack_delay.unwrap_or(0.0));
        acks.ranges.push(count(ranges.len()));
        acks.ect.push(ack.ect0.unwrap_or(0) + ack.ect1.unwrap_or(0));
        acks.ce.push(ack.ce.unwrap_or(-1));
        acks.told.push(count(told.len()));
        Ok(())
    }

    fn take_metrics(&mut self, at: i64, time: f64, data: &Data) -> Result<()> {
        let guess = data.latest_rtt.is_none()
            && data.min_rtt.is_some()
            && data.min_rtt == data.smoothed_rtt;
        if guess || data.counts_losses {
            return Err(Unsure);
        }
        let (metrics, bytes) = (&mut self.metrics, |value: Option<i64>| {
            value.map_or(f64::NAN, |v| v as f64)
        });
        metrics.at.push(at);
        metrics.time.push(time);
        metrics
            .congestion_window
            .push(bytes(data.congestion_window));
        metrics.bytes_in_flight.push(bytes(data.bytes_in_flight));
        metrics.pacing_rate.push(bytes(data.pacing_rate));
        metrics.latest_rtt.push(data.latest_rtt.unwrap_or(f64::NAN));
        metrics
            .smoothed_rtt
            .push(data.smoothed_rtt.unwrap_or(f64::NAN));
        metrics.min_rtt.push(data.min_rtt.unwrap_or(f64::NAN));
        Ok(())
    }

    fn take_written(&mut self, at: i64, time: f64, data: &Data) {
        if data.source != Some(b"application") || data.to != Some(b"transport") {
            return;
        }
        let length = data.raw.as_ref().and_then(|raw| raw.length);
        if let (Some(stream), Some(offset), Some(length)) = (data.stream, data.offset, length) {
            self.written.at.push(at);
            self.written.time.push(time);
            self.written.stream.push(stream);
            self.written.end.push(offset + length);
        }
    }
}

/// Whether a packet can hold what its frames carry.
fn fit(frames: &[Frame]) -> bool {
    let carried = |f: &Frame| f.raw.as_ref().and_then(|raw| raw.payload).unwrap_or(0);
    frames.iter().all(|f| carried(f) <= MAX_SIZE)
}

/// Packet number space, and packet number.
fn numbered(data: &Data) -> Result<(u8, i64)> {
    let header = data.header.as_ref().ok_or(Unsure)?;
    let space = match header.packet_type {
        b"initial" => 0,
        b"handshake" => 1,
        b"0RTT" | b"1RTT" => APPLICATION,
        _ => return Err(Unsure),
    };
    Ok((space, header.number.ok_or(Unsure)?))
}

/// A frame about the connection itself.
fn is_signal(frame: &Frame) -> bool {
    matches!(
        frame.kind,
        b"max_data"
            | b"max_stream_data"
            | b"data_blocked"
            | b"stream_data_blocked"
            | b"path_challenge"
            | b"path_response"
            | b"handshake_done"
            | b"connection_close"
    )
}

/// How many there are.
fn take_streams(
    frames: &[Frame],
    stream: &mut Vec<i64>,
    offset: &mut Vec<i64>,
    length: &mut Vec<i64>,
) -> i64 {
    let known = stream.len();
    for f in frames.iter().filter(|f| f.kind == b"stream") {
        stream.push(f.stream.unwrap_or(0));
        offset.push(f.offset.unwrap_or(0));
        length.push(f.raw.as_ref().and_then(|raw| raw.payload).unwrap_or(0));
    }
    count(stream.len() - known)
}

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SENT: &str = r#"{"time":1.5,"name":"quic:packet_sent","data":{"header":{"packet_type":"1RTT",
        "packet_number":7},"raw":{"length":1200},"frames":[{"frame_type":"stream","stream_id":4,"offset":10,
        "fin":true,"raw":{"payload_length":99}}]}}"#;

    fn block(records: &[&str]) -> Columns {
        read(records.join("\n\u{1e}").as_bytes())
    }

    #[test]
    fn a_packet_is_a_row() {
        let columns = block(&[SENT, SENT]);
        assert_eq!(columns.sent.at, [0, 1]);
        assert_eq!(columns.sent.number, [7, 7]);
        assert_eq!(columns.sent.offset, [10, 10]);
        assert_eq!(columns.finished.stream, [4, 4]);
        assert_eq!(columns.end, 1.5);
    }

    #[test]
    fn what_is_damaged_stands_alone_and_harms_nothing_after_it() {
        let cut = &SENT[..SENT.len() - 5];
        let columns = block(&[
            "",
            SENT,
            cut,
            "[]",
            r#"{"time":9,"name":"a:b"} {}"#,
            SENT,
            r#"{"time":3,"name":"a:b"}"#,
        ]);
        assert_eq!(columns.sent.at, [1, 5]);
        assert_eq!(columns.others.single, [0, 2, 3, 4]);
        assert_eq!(columns.others.apart, [6]);
    }

    #[test]
    fn a_field_of_another_type_is_not_overlooked() {
        for (right, wrong) in [
            ("\"raw\":{\"length\":1200}", "\"raw\":[1200]"),
            ("\"payload_length\":99", "\"payload_length\":65536"),
            (":10", ":\"10\""),
            ("true", "1"),
        ] {
            let columns = block(&[&SENT.replace(right, wrong)]);
            assert_eq!(columns.others.single, [0], "{wrong}");
        }
    }
}
