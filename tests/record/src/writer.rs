//! Writes rows to a file, a row group at a time.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Encoding;
use parquet::data_type::{ByteArray, ByteArrayType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterVersion};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::schema::{columns, Column, DELTAS, SCHEMA};
use crate::{Provenance, Row, Sink};

/// Rows that are held in memory until they are written.
const ROW_GROUP: usize = 1 << 16;

/// A record that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{path} cannot be written: {why}")]
pub struct Error {
    path: PathBuf,
    why: Why,
}

#[derive(Debug, thiserror::Error)]
enum Why {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Parquet(#[from] ParquetError),
}

/// What the file calls links and flows.
#[derive(Debug, Clone, Default)]
pub struct Names {
    links: Vec<ByteArray>,
    flows: Vec<ByteArray>,
}

impl Names {
    /// By their numbers, from 0. Flows and links without a name are called by their number.
    pub fn new<'a>(
        links: impl IntoIterator<Item = &'a str>,
        flows: impl IntoIterator<Item = &'a str>,
    ) -> Self {
        Self {
            links: links.into_iter().map(ByteArray::from).collect(),
            flows: flows.into_iter().map(ByteArray::from).collect(),
        }
    }

    pub(crate) fn link(&mut self, number: usize) -> ByteArray {
        name(&mut self.links, number)
    }

    pub(crate) fn flow(&mut self, number: usize) -> ByteArray {
        name(&mut self.flows, number)
    }
}

/// A copy shares its bytes.
fn name(names: &mut Vec<ByteArray>, number: usize) -> ByteArray {
    while names.len() <= number {
        names.push(ByteArray::from(names.len().to_string().as_str()));
    }
    names[number].clone()
}

/// How a run ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Ending {
    /// How long it lasted.
    pub duration_ns: u64,
    /// Rows that are missing.
    pub dropped_rows: u64,
    /// Packets that were lost on their way to a link.
    pub unseen_packets: u64,
}

/// The file.
pub struct Writer {
    path: PathBuf,
    file: SerializedFileWriter<File>,
    names: Names,
    rows: Vec<Row>,
    failed: Option<Why>,
}

impl Writer {
    /// A new file (an old one is replaced) that says where its rows come from.
    ///
    /// # Errors
    /// It cannot be written.
    pub fn create(path: &Path, provenance: &Provenance, names: Names) -> Result<Self, Error> {
        match open(path, provenance) {
            Ok(file) => Ok(Self {
                path: path.to_owned(),
                file,
                names,
                rows: Vec::with_capacity(ROW_GROUP),
                failed: None,
            }),
            Err(why) => Err(Error {
                path: path.to_owned(),
                why,
            }),
        }
    }

    /// Writes what is left, and how the run ended. Without this the file cannot be read: its index stands at its end.
    ///
    /// # Errors
    /// Those of writing any of the rows.
    pub fn finish(mut self, ending: Ending) -> Result<(), Error> {
        let path = self.path.clone();
        self.close(ending).map_err(|why| Error { path, why })
    }

    fn close(&mut self, ending: Ending) -> Result<(), Why> {
        self.flush();
        if let Some(why) = self.failed.take() {
            return Err(why);
        }
        let told = [
            ("duration_ns", ending.duration_ns),
            ("dropped_rows", ending.dropped_rows),
            ("unseen_packets", ending.unseen_packets),
        ];
        for (key, value) in told {
            let entry = KeyValue::new(key.to_owned(), value.to_string());
            self.file.append_key_value_metadata(entry);
        }
        self.file.finish()?;
        Ok(())
    }

    fn flush(&mut self) {
        if !self.rows.is_empty() && self.failed.is_none() {
            self.failed = self.write_group().err();
        }
        self.rows.clear();
    }

    fn write_group(&mut self) -> Result<(), Why> {
        let mut columns = columns(&self.rows, &mut self.names).into_iter();
        let mut group = self.file.next_row_group()?;
        while let Some(mut writer) = group.next_column()? {
            let column = columns.next().expect("the schema names every column");
            write(&mut writer, &column)?;
            writer.close()?;
        }
        group.close()?;
        Ok(())
    }
}

impl Sink for Writer {
    fn take(&mut self, row: Row) {
        self.rows.push(row);
        if self.rows.len() == ROW_GROUP {
            self.flush();
        }
    }
}

fn open(path: &Path, provenance: &Provenance) -> Result<SerializedFileWriter<File>, Why> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let entries = provenance.entries().into_iter();
    let entries = entries.map(|(key, value)| KeyValue::new(key, value));
    let mut properties = WriterProperties::builder()
        .set_writer_version(WriterVersion::PARQUET_2_0)
        .set_key_value_metadata(Some(entries.collect()));
    for name in DELTAS {
        let column = ColumnPath::from(name);
        properties = properties
            .set_column_dictionary_enabled(column.clone(), false)
            .set_column_encoding(column, Encoding::DELTA_BINARY_PACKED);
    }
    let file = File::create(path)?;
    Ok(SerializedFileWriter::new(
        file,
        schema,
        Arc::new(properties.build()),
    )?)
}

fn write(writer: &mut SerializedColumnWriter<'_>, column: &Column) -> Result<(), ParquetError> {
    match column {
        Column::Long(values) => writer.typed::<Int64Type>().write_batch(values, None, None),
        Column::Maybe(values, there) => {
            writer
                .typed::<Int64Type>()
                .write_batch(values, Some(there), None)
        }
        Column::Short(values) => writer.typed::<Int32Type>().write_batch(values, None, None),
        Column::Text(values) => writer
            .typed::<ByteArrayType>()
            .write_batch(values, None, None),
    }
    .map(drop)
}
