//! A client that loads pages: objects on streams of their own, some at a time, then a pause.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use quiche_cc_bottleneck::{Stream, Time};

use super::{exponential, normal, Application};
use crate::host::Connection;
use crate::scenario::LARGEST_REQUEST;

const BLOCK: usize = LARGEST_REQUEST as usize;
static ZEROS: [u8; BLOCK] = [0; BLOCK];
/// Objects are at least and at most so large, whatever the distribution says.
const SIZES: (f64, f64) = (1.0, 1e9);

/// What pages are like.
#[derive(Debug, Clone, PartialEq)]
pub struct PageShape {
    /// Objects of a page.
    pub objects: u32,
    /// Objects requested at once.
    pub parallel: u32,
    /// Median size of an object in bytes.
    pub size: u64,
    /// Standard deviation of the logarithm of the size.
    pub spread: f64,
    /// Mean time between the end of a page and the next.
    pub think: Duration,
    /// Bytes of a request.
    pub request: u64,
}

/// Client and server of such pages.
pub struct Pages {
    shape: PageShape,
    rng: Stream,
    /// The client's part: when the next page begins, and of the present one since when, how many objects are not yet
    /// asked for, and the streams that are open.
    next_page: Option<Time>,
    began: Time,
    left: u32,
    open: Vec<u64>,
    next_stream: u64,
    /// The server's part: what is still to be written, by stream.
    sizes: BTreeMap<u64, u64>,
    responses: BTreeMap<u64, u64>,
    completions: Vec<(Time, Time)>,
}

impl Pages {
    /// The first page begins at `start`.
    pub fn new(shape: PageShape, start: Time, rng: Stream) -> Self {
        Self {
            shape,
            rng,
            next_page: Some(start),
            began: start,
            left: 0,
            open: Vec::new(),
            next_stream: 0,
            sizes: BTreeMap::new(),
            responses: BTreeMap::new(),
            completions: Vec::new(),
        }
    }

    fn draw_size(&mut self) -> u64 {
        let factor = libm::exp(self.shape.spread * normal(&mut self.rng));
        (self.shape.size as f64 * factor).clamp(SIZES.0, SIZES.1) as u64
    }

    fn begin(&mut self, now: Time) {
        if let Some(at) = self.next_page.filter(|at| *at <= now) {
            // The first page waits for the handshake; that is part of its time.
            self.began = at;
            self.next_page = None;
            self.left = self.shape.objects;
        }
    }

    /// Asks for objects as long as fewer than `parallel` are on their way.
    fn ask(&mut self, conn: &mut Connection) {
        while self.left > 0 && self.open.len() < self.shape.parallel as usize {
            let request = Bytes::from_static(&ZEROS[..self.shape.request as usize]);
            let Ok((_, None)) = conn.stream_send_zc(self.next_stream, request, true) else {
                return;
            };
            let size = self.draw_size();
            self.sizes.insert(self.next_stream, size);
            self.open.push(self.next_stream);
            self.next_stream += 4;
            self.left -= 1;
        }
    }

    fn end(&mut self, now: Time) {
        if self.next_page.is_none() && self.left == 0 && self.open.is_empty() {
            self.completions.push((self.began, now));
            let pause = exponential(&mut self.rng, self.shape.think);
            self.next_page = Some(now + pause);
        }
    }

    fn accept(&mut self, conn: &mut Connection) {
        for stream in conn.readable().collect::<Vec<_>>() {
            while let Ok((_, fin)) = conn.stream_discard(stream, usize::MAX) {
                if fin {
                    if let Some(size) = self.sizes.remove(&stream) {
                        self.responses.insert(stream, size);
                    }
                }
            }
        }
    }

    fn respond(&mut self, conn: &mut Connection) {
        self.responses.retain(|&stream, left| loop {
            let len = (*left).min(BLOCK as u64);
            let block = Bytes::from_static(&ZEROS[..len as usize]);
            let last = len == *left;
            let Ok((taken, rest)) = conn.stream_send_zc(stream, block, last) else {
                return true;
            };
            *left -= taken as u64;
            if rest.is_some() {
                return true;
            }
            if last {
                return false;
            }
        });
    }
}

impl Application for Pages {
    fn serve(&mut self, _now: Time, conn: &mut Connection, _acked: u64) {
        self.accept(conn);
        self.respond(conn);
    }

    fn consume(&mut self, now: Time, conn: &mut Connection) -> u64 {
        let mut read = 0;
        self.open.retain(|&stream| loop {
            match conn.stream_discard(stream, usize::MAX) {
                Ok((len, fin)) => {
                    read += len as u64;
                    if fin {
                        return false;
                    }
                }
                Err(_) => return true,
            }
        });
        if conn.is_established() {
            self.end_or_go_on(now, conn);
        }
        read
    }

    fn next_serve(&self) -> Option<Time> {
        None
    }

    fn next_consume(&self) -> Option<Time> {
        self.next_page
    }

    fn take_completions(&mut self) -> Vec<(Time, Time)> {
        std::mem::take(&mut self.completions)
    }
}

impl Pages {
    fn end_or_go_on(&mut self, now: Time, conn: &mut Connection) {
        self.end(now);
        self.begin(now);
        self.ask(conn);
    }
}
