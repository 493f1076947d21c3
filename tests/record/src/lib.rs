//! What a network did with every packet of a run: one row per packet and link, and where the rows come from.
//!
//! ```text
//!   link.send() ──► Recorder::arrives ──┐ until it leaves
//!   link.receive() ► Recorder::leaves ──┴──► Row ──► Writer ──► Parquet, by row groups
//! ```
//!
//! docs/run-record.md describes the file. The recorder holds a row only while its packet is inside a link, and the writer
//! only the rows of one row group, so that the length of a run does not matter.

#![warn(missing_docs)]

mod provenance;
mod queued;
mod recorder;
mod row;
mod schema;
mod writer;

pub use provenance::{Clock, Provenance, FORMAT, VERSION};
pub use queued::Queued;
pub use recorder::{Recorder, Sink};
pub use row::{Left, Row, Side};
pub use writer::{Ending, Error, Names, Writer};
