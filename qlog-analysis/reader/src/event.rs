//! What is used of an event; `qlog_analysis.decoding` and `qlog_analysis.wire` say which fields there are.

use std::ops::Range;

use crate::json::{Json, Result, Unsure};

/// What every event may say. What one of them alone has is never of another type in the others. One is read after the
/// other into the same place, so that nothing is allocated for each.
#[derive(Default)]
pub struct Event<'a> {
    pub time: f64,
    pub name: &'a [u8],
    has_data: bool,
    data: Data<'a>,
    /// Packet number, and time in us.
    pub receive_timestamps: Vec<(i64, i64)>,
}

#[derive(Default)]
pub struct Data<'a> {
    pub header: Option<Header<'a>>,
    pub raw: Option<Raw>,
    pub frames: Vec<Frame<'a>>,
    /// Of all frames, by first and last number.
    pub ranges: Vec<(i64, i64)>,
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
    /// Which of `Data::ranges`.
    pub ranges: Range<usize>,
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
    pub fn data(&self) -> Option<&Data<'a>> {
        self.has_data.then_some(&self.data)
    }

    pub fn read(&mut self, json: &mut Json<'a>) -> Result<()> {
        let (mut time, mut name) = (None, None);
        self.has_data = false;
        self.receive_timestamps.clear();
        json.object(|json, field| {
            match field {
                b"time" => time = Some(json.milliseconds()?),
                b"name" => name = Some(json.string()?),
                b"data" => self.has_data = json.optional(|json| self.data.read(json))?.is_some(),
                b"receive_timestamps" => {
                    self.receive_timestamps.clear();
                    json.optional(|json| pairs(json, &mut self.receive_timestamps))?;
                }
                _ => json.skip()?,
            }
            Ok(())
        })?;
        self.time = time.ok_or(Unsure)?;
        self.name = name.ok_or(Unsure)?;
        Ok(())
    }
}

impl<'a> Data<'a> {
    fn clear(&mut self) {
        let (mut frames, mut ranges) = (
            std::mem::take(&mut self.frames),
            std::mem::take(&mut self.ranges),
        );
        frames.clear();
        ranges.clear();
        *self = Self {
            frames,
            ranges,
            ..Self::default()
        };
    }

    fn read(&mut self, json: &mut Json<'a>) -> Result<()> {
        self.clear();
        json.object(|json, field| {
            match field {
                b"header" => self.header = json.optional(Header::read)?,
                b"raw" => self.raw = json.optional(Raw::read)?,
                b"frames" => {
                    self.frames.clear();
                    json.array(|json| {
                        let frame = Frame::read(json, &mut self.ranges)?;
                        self.frames.push(frame);
                        Ok(())
                    })?;
                }
                b"stream_id" => self.stream = json.optional(Json::whole)?,
                b"offset" => self.offset = json.optional(Json::whole)?,
                b"from" => self.source = json.optional(Json::string)?,
                b"to" => self.to = json.optional(Json::string)?,
                b"min_rtt" => self.min_rtt = json.optional(Json::milliseconds)?,
                b"smoothed_rtt" => self.smoothed_rtt = json.optional(Json::milliseconds)?,
                b"latest_rtt" => self.latest_rtt = json.optional(Json::milliseconds)?,
                b"congestion_window" => self.congestion_window = json.optional(Json::whole)?,
                b"bytes_in_flight" => self.bytes_in_flight = json.optional(Json::whole)?,
                b"pacing_rate" => self.pacing_rate = json.optional(Json::whole)?,
                b"cf_lost_packets" => self.counts_losses = json.optional(counts)?.unwrap_or(false),
                _ => json.skip()?,
            }
            Ok(())
        })
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
    fn read(json: &mut Json<'a>, ranges: &mut Vec<(i64, i64)>) -> Result<Self> {
        let (mut frame, mut kind) = (Self::default(), None);
        json.object(|json, field| {
            match field {
                b"frame_type" => kind = Some(json.string()?),
                b"raw" => frame.raw = json.optional(Raw::read)?,
                b"ack_delay" => frame.ack_delay = json.optional(Json::milliseconds)?,
                b"acked_ranges" => {
                    let begin = ranges.len();
                    frame.odd_range = json
                        .optional(|json| any_odd(json, ranges))?
                        .unwrap_or(false);
                    frame.ranges = begin..ranges.len();
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

fn pairs(json: &mut Json, out: &mut Vec<(i64, i64)>) -> Result<()> {
    json.array(|json| match numbers(json)? {
        (2, first, last) => {
            out.push((first, last));
            Ok(())
        }
        _ => Err(Unsure),
    })
}

/// Adds ranges by their first and last number; whether there are some that are not one number, or two in order.
fn any_odd(json: &mut Json, out: &mut Vec<(i64, i64)>) -> Result<bool> {
    let mut odd = false;
    json.array(|json| {
        let (count, first, last) = numbers(json)?;
        odd |= !(1..=2).contains(&count) || first > last;
        out.push((first, last));
        Ok(())
    })?;
    Ok(odd)
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
