//! Lines for others to read, written by a thread of their own: whoever reads slowly, or not at all,
//! stops no connection.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, Write};
use std::os::fd::AsFd;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bytes that may wait for the reader. Lines beyond are dropped and counted.
const MOST_WAITING: usize = 1 << 20;

/// What is written at once, so that a slow reader is told from none.
const PIECE: usize = 4096;

/// How long the end of a program waits for readers.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// For one who takes nothing at all.
    pub with_none: Duration,
    /// For one who takes a little now and then.
    pub in_all: Duration,
}

/// A stream of lines; clones write to the same.
#[derive(Clone)]
pub struct Output(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
}

/// What the thread is given, in this order.
enum Item {
    Line(Vec<u8>),
    /// Where all further lines go.
    File(File),
}

struct State {
    waiting: VecDeque<Item>,
    waiting_bytes: usize,
    /// The thread has something in its hands.
    writing: bool,
    /// Bytes written so far, which tells whether anybody reads.
    written: u64,
    /// Lines dropped since the stream was last told.
    dropped: u64,
    dropped_in_all: u64,
    /// Why a line could not be written; of several the last.
    trouble: Option<io::ErrorKind>,
    /// The reader went away, so there is nobody to write for until there is another file.
    closed: bool,
    /// The line that tells how many are missing.
    notice: fn(u64) -> String,
}

impl Output {
    /// Writes to standard output. `notice` makes the line that tells how many were dropped.
    pub fn stdout(notice: fn(u64) -> String) -> io::Result<Self> {
        Self::to(duplicate(&io::stdout())?, notice)
    }

    /// Writes to standard error.
    pub fn stderr(notice: fn(u64) -> String) -> io::Result<Self> {
        Self::to(duplicate(&io::stderr())?, notice)
    }

    /// Writes to `file`.
    pub fn to(file: File, notice: fn(u64) -> String) -> io::Result<Self> {
        let shared = Arc::new(Shared {
            state: Mutex::new(State::new(notice)),
            changed: Condvar::new(),
        });
        let worker = shared.clone();
        std::thread::Builder::new()
            .name("output".to_owned())
            .spawn(move || worker.write_to(file))?;
        Ok(Self(shared))
    }

    /// Hands over a line, which ends with its line feed. Never waits.
    pub fn line(&self, line: impl Into<Vec<u8>>) {
        let mut state = self.0.lock();
        state.push(line.into());
        self.0.changed.notify_all();
    }

    /// Lines that are handed over from now on go to `file`, those before to where they were meant for.
    pub fn redirect(&self, file: File) {
        let mut state = self.0.lock();
        state.closed = false;
        state.waiting.push_back(Item::File(file));
        self.0.changed.notify_all();
    }

    /// Waits until all is written. Fails with what could not be.
    pub fn finish(&self, patience: Patience) -> io::Result<()> {
        let end = Instant::now() + patience.in_all;
        let mut state = self.0.lock();
        let mut seen = (state.written, Instant::now());
        while state.is_busy() {
            let now = Instant::now();
            if state.written != seen.0 {
                seen = (state.written, now);
            }
            let give_up = end.min(seen.1 + patience.with_none);
            let Some(left) = give_up.checked_duration_since(now) else {
                break;
            };
            let woken = self.0.changed.wait_timeout(state, left);
            state = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        state.verdict()
    }
}

/// Whole lines, as the log makes them.
impl Write for Output {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.line(line);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl State {
    fn new(notice: fn(u64) -> String) -> Self {
        Self {
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            writing: false,
            written: 0,
            dropped: 0,
            dropped_in_all: 0,
            trouble: None,
            closed: false,
            notice,
        }
    }

    fn push(&mut self, line: Vec<u8>) {
        // A line that is larger than all the room there is has it to itself.
        let room = self.waiting_bytes == 0 || self.waiting_bytes + line.len() <= MOST_WAITING;
        if self.closed || !room {
            return self.drop_one();
        }
        if self.dropped > 0 {
            let notice = (self.notice)(std::mem::take(&mut self.dropped));
            self.keep(notice.into_bytes());
        }
        self.keep(line);
    }

    fn drop_one(&mut self) {
        self.dropped += 1;
        self.dropped_in_all += 1;
    }

    fn keep(&mut self, line: Vec<u8>) {
        self.waiting_bytes += line.len();
        self.waiting.push_back(Item::Line(line));
    }

    /// There is nobody to write for: drops what waits, up to the next file.
    fn close(&mut self) {
        while let Some(Item::Line(line)) = self.waiting.front() {
            self.waiting_bytes -= line.len();
            self.waiting.pop_front();
            self.drop_one();
        }
        self.closed = self.waiting.is_empty();
    }

    fn is_busy(&self) -> bool {
        !self.closed && (self.writing || !self.waiting.is_empty())
    }

    fn verdict(&self) -> io::Result<()> {
        let missing = self.dropped_in_all + self.waiting.len() as u64 + u64::from(self.writing);
        match self.trouble {
            Some(kind) => Err(kind.into()),
            None if missing > 0 => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("{missing} lines were not written, because nobody read them"),
            )),
            None => Ok(()),
        }
    }
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn write_to(&self, mut file: File) {
        loop {
            let line = match self.next() {
                Item::Line(line) => line,
                Item::File(other) => {
                    file = other;
                    continue;
                }
            };
            for piece in line.chunks(PIECE) {
                let result = file.write_all(piece);
                let mut state = self.lock();
                state.written += piece.len() as u64;
                self.changed.notify_all();
                let Err(e) = result else { continue };
                state.trouble = Some(e.kind());
                state.drop_one();
                if e.kind() == io::ErrorKind::BrokenPipe {
                    state.close();
                }
                break;
            }
        }
    }

    fn next(&self) -> Item {
        let mut state = self.lock();
        state.writing = false;
        self.changed.notify_all();
        loop {
            if let Some(item) = state.waiting.pop_front() {
                if let Item::Line(line) = &item {
                    state.waiting_bytes -= line.len();
                }
                state.writing = true;
                return item;
            }
            let woken = self.changed.wait(state);
            state = woken.unwrap_or_else(PoisonError::into_inner);
        }
    }
}

fn duplicate(stream: &impl AsFd) -> io::Result<File> {
    Ok(stream.as_fd().try_clone_to_owned()?.into())
}

#[cfg(test)]
mod tests;
