//! What is used of an event; `qlog_analysis.decoding` and `qlog_analysis.wire` say which fields there are.

use crate::json::{Json, Result, Unsure};

/// What every event may say. What one of them alone has is never of another type in the others.
#[derive(Default)]
pub struct Event<'a> {
    pub time: f64,
    pub name: &'a [u8],
    pub data: Option<Data<'a>>,
    /// Packet number, and time in us.
    pub receive_timestamps: Vec<(i64, i64)>,
}

#[derive(Default)]
pub struct Data<'a> {
    pub header: Option<Header<'a>>,
    pub raw: Option<Raw>,
    pub frames: Vec<Frame<'a>>,
    pub stream: Option<i64>,
    pub offset: Option<i64>,
    pub source: Option<&'a [u8]>,
    pub to: Option<&'a [u8]>,
    pub min_rtt: Option<f64>,
    pub smoothed_rtt: Option<f64>,
    pub latest_rtt: Option<f64>,
    pub congestion_window: Option<i64>,
    pub bytes_in_flight: Option<i64>,
    pub pacing_rate: Option<i64>,
    /// Whether the counter of lost packets has a total.
    pub counts_losses: bool,
}

pub struct Header<'a> {
    pub packet_type: &'a [u8],
    pub number: Option<i64>,
}

#[derive(Default)]
pub struct Raw {
    pub length: Option<i64>,
    pub payload: Option<i64>,
}

#[derive(Default)]
pub struct Frame<'a> {
    pub kind: &'a [u8],
    pub raw: Option<Raw>,
    pub ack_delay: Option<f64>,
    pub ranges: Vec<(i64, i64)>,
    /// Whether a range is not one number, or two in order.
    pub odd_range: bool,
    pub ect0: Option<i64>,
    pub ect1: Option<i64>,
    pub ce: Option<i64>,
    pub stream: Option<i64>,
    pub offset: Option<i64>,
    pub fin: bool,
}

impl<'a> Event<'a> {
    pub fn read(json: &mut Json<'a>) -> Result<Self> {
        let (mut event, mut time, mut name) = (Self::default(), None, None);
        json.object(|json, field| {
            match field {
                b"time" => time = Some(json.number()?),
                b"name" => name = Some(json.string()?),
                b"data" => event.data = json.optional(Data::read)?,
                b"receive_timestamps" => {
                    event.receive_timestamps = json.optional(pairs)?.unwrap_or_default()
                }
                _ => json.skip()?,
            }
            Ok(())
        })?;
        event.time = time.ok_or(Unsure)?;
        event.name = name.ok_or(Unsure)?;
        Ok(event)
    }
}

impl<'a> Data<'a> {
    fn read(json: &mut Json<'a>) -> Result<Self> {
        let mut data = Self::default();
        json.object(|json, field| {
            match field {
                b"header" => data.header = json.optional(Header::read)?,
                b"raw" => data.raw = json.optional(Raw::read)?,
                b"frames" => data.frames = list(json, Frame::read)?,
                b"stream_id" => data.stream = json.optional(Json::whole)?,
                b"offset" => data.offset = json.optional(Json::whole)?,
                b"from" => data.source = json.optional(Json::string)?,
                b"to" => data.to = json.optional(Json::string)?,
                b"min_rtt" => data.min_rtt = json.optional(Json::number)?,
                b"smoothed_rtt" => data.smoothed_rtt = json.optional(Json::number)?,
                b"latest_rtt" => data.latest_rtt = json.optional(Json::number)?,
                b"congestion_window" => data.congestion_window = json.optional(Json::whole)?,
                b"bytes_in_flight" => data.bytes_in_flight = json.optional(Json::whole)?,
                b"pacing_rate" => data.pacing_rate = json.optional(Json::whole)?,
                b"cf_lost_packets" => data.counts_losses = json.optional(counts)?.unwrap_or(false),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(data)
    }
}

impl<'a> Header<'a> {
    fn read(json: &mut Json<'a>) -> Result<Self> {
        let (mut kind, mut number) = (None, None);
        json.object(|json, field| {
            match field {
                b"packet_type" => kind = Some(json.string()?),
                b"packet_number" => number = json.optional(Json::whole)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        kind.map(|packet_type| Self {
            packet_type,
            number,
        })
        .ok_or(Unsure)
    }
}

impl Raw {
    fn read(json: &mut Json) -> Result<Self> {
        let mut raw = Self::default();
        json.object(|json, field| {
            match field {
                b"length" => raw.length = json.optional(Json::whole)?,
                b"payload_length" => raw.payload = json.optional(Json::whole)?,
                _ => json.skip()?,
            }
            Ok(())
        })?;
        Ok(raw)
    }
}

impl<'a> Frame<'a> {
    fn read(json: &mut Json<'a>) -> Result<Self> {
        let (mut frame, mut kind) = (Self::default(), None);
        json.object(|json, field| {
            match field {
                b"frame_type" => kind = Some(json.string()?),
                b"raw" => frame.raw = json.optional(Raw::read)?,
                b"ack_delay" => frame.ack_delay = json.optional(Json::number)?,
                b"acked_ranges" => {
                    (frame.ranges, frame.odd_range) = json.optional(ranges)?.unwrap_or_default()
                }
                b"ect0" => frame.ect0 = json.optional(Json::whole)?,
                b"ect1" => frame.ect1 = json.optional(Json::whole)?,
                b"ce" => frame.ce = json.optional(Json::whole)?,
                b"stream_id" => frame.stream = json.optional(Json::whole)?,
                b"offset" => frame.offset = json.optional(Json::whole)?,
                b"fin" => frame.fin = json.optional(Json::boolean)?.unwrap_or(false),
                b"maximum" | b"limit" => drop(json.optional(Json::whole)?),
                b"reason" => drop(json.optional(Json::string)?),
                _ => json.skip()?,
            }
            Ok(())
        })?;
        frame.kind = kind.ok_or(Unsure)?;
        Ok(frame)
    }
}

fn list<'a, T>(
    json: &mut Json<'a>,
    mut read: impl FnMut(&mut Json<'a>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut out = Vec::new();
    json.array(|json| {
        out.push(read(json)?);
        Ok(())
    })?;
    Ok(out)
}

fn pairs(json: &mut Json) -> Result<Vec<(i64, i64)>> {
    list(json, |json| match numbers(json)? {
        (2, first, last) => Ok((first, last)),
        _ => Err(Unsure),
    })
}

/// Ranges by their first and last number, and whether there are some that are not one number, or two in order.
fn ranges(json: &mut Json) -> Result<(Vec<(i64, i64)>, bool)> {
    let mut odd = false;
    let some = list(json, |json| {
        let (count, first, last) = numbers(json)?;
        odd |= !(1..=2).contains(&count) || first > last;
        Ok((first, last))
    })?;
    Ok((some, odd))
}

/// How many there are in an array, the first and the last.
fn numbers(json: &mut Json) -> Result<(usize, i64, i64)> {
    let (mut count, mut first, mut last) = (0, 0, 0);
    json.array(|json| {
        last = json.whole()?;
        first = if count == 0 { last } else { first };
        count += 1;
        Ok(())
    })?;
    Ok((count, first, last))
}

fn counts(json: &mut Json) -> Result<bool> {
    let mut total = None;
    json.object(|json, field| {
        match field {
            b"total" => total = json.optional(Json::whole)?,
            b"delta" => drop(json.optional(Json::whole)?),
            _ => json.skip()?,
        }
        Ok(())
    })?;
    Ok(total.is_some())
}
