//! Tables of comma-separated values under a fixed header, read row by row, so that any
//! number of rows fits. Lines that begin with `#` are comments.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};
use crate::mesh::Attribute;

/// What a table holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableForm {
    /// Names of the columns, as the first line has them.
    pub header: &'static [&'static str],
    /// What a row is, in words: the mend of a malformed one.
    pub row: &'static str,
}

/// A table being read.
#[derive(Debug)]
pub(crate) struct Table {
    path: PathBuf,
    form: TableForm,
    reader: csv::Reader<File>,
}

/// A row of a table.
pub(crate) struct Row<'t> {
    path: &'t Path,
    form: TableForm,
    record: csv::ByteRecord,
}

impl Table {
    /// Opens a table and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>, form: TableForm) -> Result<Self> {
        let path = path.as_ref().to_owned();
        let mut reader = csv::ReaderBuilder::new()
            .trim(csv::Trim::All)
            .comment(Some(b'#'))
            .from_path(&path)
            .map_err(|e| malformed(&path, form, e))?;
        let header = reader.byte_headers().map_err(|e| malformed(&path, form, e))?;
        if header.iter().ne(form.header.iter().map(|name| name.as_bytes())) {
            let found = String::from_utf8_lossy(header.as_slice()).into_owned();
            let expected = form.header.join(",");
            return Err(Error::file(&path, Some(1), format!("the header is {found:?}"))
                .with_mend(format!("begin the table with the line `{expected}`")));
        }
        Ok(Self { path, form, reader })
    }

    /// What `value` makes of the next rows, at most `most`; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`] with the line of a row of another number of columns; those of
    /// `value`.
    pub fn read<T>(
        &mut self,
        most: usize,
        mut value: impl FnMut(&Row<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let mut row = Row { path: &self.path, form: self.form, record: csv::ByteRecord::new() };
        while values.len() < most {
            match self.reader.read_byte_record(&mut row.record) {
                Ok(true) => values.push(value(&row)?),
                Ok(false) => break,
                Err(e) => return Err(malformed(&self.path, self.form, e)),
            }
        }
        Ok(values)
    }
}

impl Row<'_> {
    /// The text of a column.
    pub fn text(&self, column: usize) -> &str {
        std::str::from_utf8(&self.record[column]).unwrap_or("\u{fffd}")
    }

    /// An error in this row.
    pub fn error(&self, message: String) -> Error {
        let line = self.record.position().and_then(|p| usize::try_from(p.line()).ok());
        Error::file(self.path, line, message)
    }

    /// The error of a column that does not hold what is `expected`.
    pub fn unexpected(&self, column: usize, expected: &str) -> Error {
        let found = self.text(column).escape_debug();
        self.error(format!("{expected} expected, found `{found}`")).with_mend(self.form.row)
    }
}

fn malformed(path: &Path, form: TableForm, error: csv::Error) -> Error {
    let line = error.position().and_then(|p| usize::try_from(p.line()).ok());
    match error.into_kind() {
        csv::ErrorKind::Io(source) => Error::io(path, source),
        csv::ErrorKind::UnequalLengths { len, .. } => {
            let expected = form.header.len();
            Error::file(path, line, format!("{len} columns instead of {expected}"))
                .with_mend(form.row)
        }
        _ => Error::file(path, line, "not a table of comma-separated values"),
    }
}

/// Writes the header of a table: `names`, then attributes by name, components numbered from
/// 0.
///
/// # Errors
/// Those of `out`.
pub(crate) fn write_table_header(
    out: &mut impl Write,
    mut names: Vec<String>,
    attributes: &[Attribute],
) -> io::Result<()> {
    for attribute in attributes {
        match attribute.width {
            1 => names.push(attribute.name.clone()),
            width => names.extend((0..width).map(|i| format!("{}_{i}", attribute.name))),
        }
    }
    let mut header =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    header.write_record(&names)?;
    header.flush()
}
