//! Parquet: needs the feature `parquet`.

use std::io;
use std::sync::Arc;

use acedrex_engine::game::FenWriter;
use bytes::Bytes;
use parquet::basic::{Compression, Encoding};
use parquet::data_type::{BoolType, ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use super::export::Sink;
use crate::output::Output;
use crate::selfplay::{Record, Step};

/// The columns of the CSV, in its order.
const SCHEMA: &str = "message positions {
    required int64 game (INTEGER(64, false));
    required int32 ply (INTEGER(16, false));
    required binary fen (STRING);
    required binary move (STRING);
    optional int32 score_white_cp (INTEGER(16, true));
    required binary result (STRING);
    required boolean in_check;
    required boolean capture;
    required boolean opening;
    optional int32 die (INTEGER(8, false));
    required binary end (STRING);
    required int32 stream (INTEGER(16, false));
    required int32 openings_tried (INTEGER(16, false));
}";

/// Rows that are written together, and held in memory until then.
const ROWS: usize = 1 << 16;

/// Writes positions as a table.
pub(super) struct Table {
    writer: SerializedFileWriter<Output>,
    columns: Columns,
    fens: FenWriter,
}

#[derive(Default)]
struct Columns {
    game: Vec<i64>,
    ply: Vec<i32>,
    fen: Texts,
    mv: Texts,
    score: Optional,
    result: Vec<ByteArray>,
    in_check: Vec<bool>,
    capture: Vec<bool>,
    opening: Vec<bool>,
    die: Optional,
    end: Vec<ByteArray>,
    stream: Vec<i32>,
    openings_tried: Vec<i32>,
}

/// A column of which cells may be empty: the numbers there are, and for each cell 1 if it has one.
#[derive(Default)]
struct Optional {
    values: Vec<i32>,
    there: Vec<i16>,
}

impl Optional {
    fn push(&mut self, value: Option<i32>) {
        self.values.extend(value);
        self.there.push(i16::from(value.is_some()));
    }
}

/// A column of texts, one after another.
#[derive(Default)]
struct Texts {
    text: String,
    /// Where each of them ends.
    ends: Vec<usize>,
}

impl Texts {
    fn push(&mut self, write: impl FnOnce(&mut String)) {
        write(&mut self.text);
        self.ends.push(self.text.len());
    }

    /// Takes the texts, which share one piece of memory.
    fn take(&mut self) -> Vec<ByteArray> {
        let room = String::with_capacity(self.text.capacity());
        let (bytes, mut start) = (Bytes::from(std::mem::replace(&mut self.text, room)), 0);
        let cut = |end| ByteArray::from(bytes.slice(std::mem::replace(&mut start, end)..end));
        self.ends.drain(..).map(cut).collect()
    }
}

impl Table {
    pub(super) fn new(output: Output) -> io::Result<Table> {
        let schema = Arc::new(parse_message_type(SCHEMA)?);
        let properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            // Hardly a position occurs twice, but most of it stood there a ply before.
            .set_column_dictionary_enabled(ColumnPath::from("fen"), false)
            .set_column_encoding(ColumnPath::from("fen"), Encoding::DELTA_BYTE_ARRAY)
            .set_statistics_enabled(EnabledStatistics::None)
            .build();
        let writer = SerializedFileWriter::new(output, schema, Arc::new(properties))?;
        Ok(Table { writer, columns: Columns::default(), fens: FenWriter::new() })
    }

    fn flush(&mut self) -> Result<(), ParquetError> {
        let columns = &mut self.columns;
        let mut group = self.writer.next_row_group()?;
        write::<Int64Type>(&mut group, &mut columns.game)?;
        write::<Int32Type>(&mut group, &mut columns.ply)?;
        write::<ByteArrayType>(&mut group, &mut columns.fen.take())?;
        write::<ByteArrayType>(&mut group, &mut columns.mv.take())?;
        write_some(&mut group, &mut columns.score)?;
        write::<ByteArrayType>(&mut group, &mut columns.result)?;
        write::<BoolType>(&mut group, &mut columns.in_check)?;
        write::<BoolType>(&mut group, &mut columns.capture)?;
        write::<BoolType>(&mut group, &mut columns.opening)?;
        write_some(&mut group, &mut columns.die)?;
        write::<ByteArrayType>(&mut group, &mut columns.end)?;
        write::<Int32Type>(&mut group, &mut columns.stream)?;
        write::<Int32Type>(&mut group, &mut columns.openings_tried)?;
        group.close()?;
        Ok(())
    }
}

/// Writes the next column of a group, and clears it.
fn write<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    values: &mut Vec<T::T>,
) -> Result<(), ParquetError> {
    write_cells::<T>(group, values, None)?;
    values.clear();
    Ok(())
}

/// The same for a column of which cells may be empty.
fn write_some(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    column: &mut Optional,
) -> Result<(), ParquetError> {
    write_cells::<Int32Type>(group, &column.values, Some(&column.there))?;
    column.values.clear();
    column.there.clear();
    Ok(())
}

fn write_cells<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, Output>,
    values: &[T::T],
    there: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let Some(mut column) = group.next_column()? else {
        return Err(ParquetError::General("more columns than the schema has".into()));
    };
    column.typed::<T>().write_batch(values, there, None)?;
    column.close()
}

fn word(word: &'static str) -> ByteArray {
    Bytes::from_static(word.as_bytes()).into()
}

impl Sink for Table {
    fn row(&mut self, record: &Record, step: &Step<'_>) -> io::Result<bool> {
        let columns = &mut self.columns;
        columns.game.push(record.game.cast_signed());
        columns.ply.push(i32::try_from(step.ply).unwrap_or(i32::MAX));
        let fen = self.fens.fen(step.position);
        columns.fen.push(|text| text.push_str(fen));
        columns.mv.push(|text| step.position.write_move(step.mv, text));
        columns.score.push(step.score_white_cp.map(i32::from));
        columns.result.push(word(record.result.name()));
        columns.in_check.push(step.in_check);
        columns.capture.push(step.capture);
        columns.opening.push(step.opening);
        columns.die.push(step.die.map(i32::from));
        columns.end.push(word(record.end.name()));
        columns.stream.push(record.stream.into());
        columns.openings_tried.push(record.openings_tried.into());
        if columns.game.len() >= ROWS {
            self.flush()?;
        }
        Ok(true)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        if !self.columns.game.is_empty() {
            self.flush()?;
        }
        self.writer.into_inner()?.commit()
    }
}
