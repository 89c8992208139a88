//! Tables of comma-separated values under a fixed header, read row by row, so that any number of
//! rows fits. Lines that begin with `#` are comments. Semicolons or tabs may stand for the commas,
//! and capitals for the letters of the header.

use std::collections::HashSet;
use std::io::{self, BufReader, Chain, Cursor, Read, Write};
use std::path::{Path, PathBuf};

use super::dataset::name_beside_result;
use super::lines::Lines;
use super::source::{self, Stream};
use crate::error::{Error, FileAccess, Message, Result};
use crate::mesh::Attribute;
use crate::numbers::counted;

/// Separators of columns; a table has the first with which a form fits its header.
const SEPARATORS: [u8; 3] = *b",;\t";

/// Maximum number of bytes of a header: of a file without lines not all is read.
const MAX_HEADER_BYTES: usize = 1 << 20;

/// A table's header, and the lines after it.
type TableStream = Chain<Cursor<Vec<u8>>, Lines<BufReader<Stream>>>;

/// What a table holds.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TableForm {
    /// Names of the columns, as the first line has them.
    pub header: &'static [&'static str],
    /// What a row is, in words; the help for a malformed one.
    pub row: &'static str,
}

impl TableForm {
    /// Whether its columns are among these.
    fn fits(&self, names: &[String]) -> bool {
        self.header.iter().all(|wanted| columns_of(names, wanted).next().is_some())
    }
}

/// The columns of a name; where none has it in these letters, of other capitals.
fn columns_of<'n>(names: &'n [String], wanted: &'n str) -> impl Iterator<Item = usize> + 'n {
    let is_exact = names.iter().any(|name| name == wanted);
    let is_it =
        move |name: &str| if is_exact { name == wanted } else { name.eq_ignore_ascii_case(wanted) };
    names.iter().enumerate().filter(move |(_, name)| is_it(name)).map(|(column, _)| column)
}

/// The separator of a header line: the first with which a form fits; if there is none, the most
/// frequent.
fn separator(header: &[u8], forms: &[TableForm]) -> u8 {
    let fits = |&separator: &u8| {
        let mut builder = csv::ReaderBuilder::new();
        let mut reader = builder.trim(csv::Trim::All).delimiter(separator).from_reader(header);
        reader.byte_headers().is_ok_and(|names| {
            let name = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
            let names: Vec<String> = names.iter().map(name).collect();
            forms.iter().any(|form| form.fits(&names))
        })
    };
    let count = |sign: &u8| header.iter().filter(|byte| *byte == sign).count();
    let most = || SEPARATORS.into_iter().rev().max_by_key(count);
    SEPARATORS.into_iter().find(fits).or_else(most).unwrap_or(b',')
}

/// A table being read.
#[derive(Debug)]
pub(crate) struct TableReader {
    path: PathBuf,
    form: TableForm,
    // of every column of the form
    columns: Vec<usize>,
    // names of all columns
    names: Vec<String>,
    reader: csv::Reader<TableStream>,
}

/// A row of a table.
pub(crate) struct TableRow<'t> {
    path: &'t Path,
    form: TableForm,
    columns: &'t [usize],
    line: usize,
    record: csv::ByteRecord,
}

impl TableReader {
    /// Opens a table, standard input where the path is `-`, and checks its header.
    ///
    /// # Errors
    /// If the file cannot be read or its header is another.
    pub fn open(path: impl AsRef<Path>, form: TableForm) -> Result<Self> {
        Self::open_any(path, &[form])
    }

    /// Opens a table of any of these forms, the widest whose columns are all there, in any order
    /// and among others, which are not read; errors before the header is known are of the first
    /// form.
    pub fn open_any(path: impl AsRef<Path>, forms: &[TableForm]) -> Result<Self> {
        let stream = Stream::open(path.as_ref())?;
        let path = source::shown(path.as_ref()).to_owned();
        // hands on a line at a time, so that its number belongs to the row read last
        let mut lines = Lines::new(BufReader::new(stream));
        let header = first_line(&mut lines).map_err(|e| Error::io(&path, FileAccess::Read, e))?;
        source::check_encoding(&path, &header)?;
        let mut builder = csv::ReaderBuilder::new();
        builder.trim(csv::Trim::All).delimiter(separator(&header, forms));
        let mut reader = builder.from_reader(Cursor::new(header).chain(lines));
        let header = reader.byte_headers().cloned();
        let line = reader.get_ref().get_ref().1.number().max(1);
        let header =
            header.map_err(|e| malformed(&path, forms[0], forms[0].header.len(), line, e))?;
        let names: Vec<String> =
            header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
        let fits = |form: &&TableForm| form.fits(&names);
        let Some(&form) = forms.iter().filter(fits).max_by_key(|form| form.header.len()) else {
            let found = names.join(",");
            let expected: Vec<_> =
                forms.iter().map(|form| format!("`{}`", form.header.join(","))).collect();
            return Err(Error::file(&path, Some(line), format!("the header is {found:?}"))
                .with_help(format!("begin the table with the line {}", expected.join(" or "))));
        };
        let columns: Vec<usize> =
            form.header.iter().filter_map(|wanted| columns_of(&names, wanted).next()).collect();
        let is_twice = |wanted: &&&str| columns_of(&names, wanted).nth(1).is_some();
        if let Some(name) = form.header.iter().find(is_twice) {
            return Err(Error::file(&path, Some(line), format!("two columns are named `{name}`"))
                .with_help("remove or rename one of them"));
        }
        Ok(Self { path, form, columns, names, reader })
    }

    /// Name of the file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Names of the columns that are not read.
    pub fn ignored(&self) -> Vec<&str> {
        let ignored = self.names.iter().enumerate().filter(|(i, _)| !self.columns.contains(i));
        ignored.map(|(_, name)| name.as_str()).collect()
    }

    /// The form of the table.
    pub fn form(&self) -> TableForm {
        self.form
    }

    /// What `value` makes of the next rows, at most `most`; none at the end of the table.
    ///
    /// # Errors
    /// [`Error::File`] with the line of a row of another number of columns; the error of `value`.
    pub fn read<T>(
        &mut self,
        most: usize,
        mut value: impl FnMut(&TableRow<'_>) -> Result<T>,
    ) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let record = csv::ByteRecord::new();
        let mut row =
            TableRow { path: &self.path, form: self.form, columns: &self.columns, line: 0, record };
        while values.len() < most {
            self.reader.get_mut().get_mut().1.begin_row();
            let read = self.reader.read_byte_record(&mut row.record);
            row.line = self.reader.get_ref().get_ref().1.number();
            match read {
                Ok(true) => values.push(value(&row)?),
                Ok(false) => break,
                Err(e) => {
                    let expected = self.names.len();
                    return Err(malformed(&self.path, self.form, expected, row.line, e));
                }
            }
        }
        Ok(values)
    }
}

impl TableRow<'_> {
    /// The text of a column.
    pub fn text(&self, column: usize) -> &str {
        std::str::from_utf8(&self.record[self.columns[column]]).unwrap_or("\u{fffd}")
    }

    /// The file, and the line of the row.
    pub fn place(&self) -> (&Path, usize) {
        (self.path, self.line)
    }

    /// An error in this row.
    pub fn error(&self, message: impl Into<Message>) -> Error {
        Error::file(self.path, Some(self.line), message)
    }

    /// The error of a column that does not hold the `expected` values.
    pub fn unexpected(&self, column: usize, expected: &str) -> Error {
        let text = self.text(column);
        let has_comma = text.contains(',') && text.replace(',', ".").parse::<f64>().is_ok();
        let help = if has_comma { "write decimals with a point, as 0.5" } else { self.form.row };
        self.error(format!("{expected} expected, found `{}`", text.escape_debug())).with_help(help)
    }
}

/// The first line of a table.
fn first_line(lines: &mut impl Read) -> io::Result<Vec<u8>> {
    let (mut line, mut part) = (Vec::new(), [0; 4096]);
    while !line.ends_with(b"\n") && line.len() < MAX_HEADER_BYTES {
        match lines.read(&mut part)? {
            0 => break,
            count => line.extend_from_slice(&part[..count]),
        }
    }
    Ok(line)
}

fn malformed(
    path: &Path,
    form: TableForm,
    expected: usize,
    line: usize,
    error: csv::Error,
) -> Error {
    let line = Some(line);
    match error.into_kind() {
        csv::ErrorKind::Io(source) if source.kind() == io::ErrorKind::InvalidData => {
            Error::file(path, line, "a row of more than a mebibyte").with_help(form.row)
        }
        csv::ErrorKind::Io(source) => Error::io(path, FileAccess::Read, source),
        csv::ErrorKind::UnequalLengths { len, .. } => Error::file(
            path,
            line,
            format!("{} instead of {expected}", counted(len as usize, "column")),
        )
        .with_help(form.row),
        _ => Error::file(path, line, "not a table of comma-separated values").with_help(form.row),
    }
}

/// Writes the header of a table.
///
/// # Errors
/// The error of `out`.
pub fn write_table_header(out: &mut impl Write, names: &[String]) -> io::Result<()> {
    let mut header =
        csv::WriterBuilder::new().terminator(csv::Terminator::Any(b'\n')).from_writer(out);
    header.write_record(names)?;
    header.flush()
}

/// Checks, before any work is done for it, that the columns of a table have different names.
///
/// # Errors
/// [`Error::Request`] naming the first two that are equal.
pub(crate) fn check_columns(names: &[String]) -> Result<()> {
    let mut known = HashSet::new();
    match names.iter().find(|name| !known.insert(*name)) {
        Some(name) => Err(Error::request(format!("two columns of the table are named `{name}`"))
            .with_help(
                "rename the attribute of the model; components of an attribute NAME are NAME_0, \
                 NAME_1, …",
            )),
        None => Ok(()),
    }
}

/// Appends the columns of attributes, each by its name and width, to those that a table has for
/// itself. A column of one of these names, or of `reserved` ones, which other tables have for
/// themselves, is `attribute:NAME`.
///
/// # Errors
/// [`Error::Request`] naming the first two columns that are equal.
pub(crate) fn add_attribute_columns<'a>(
    names: &mut Vec<String>,
    reserved: &[&str],
    attributes: impl IntoIterator<Item = (&'a str, usize)>,
) -> Result<()> {
    let own = names.clone();
    // readers take a column in capitals where there is no other
    let is_reserved = |name: &str| reserved.iter().any(|known| known.eq_ignore_ascii_case(name));
    let is_taken = |name: &String| own.contains(name) || is_reserved(name);
    let column = |name: String| if is_taken(&name) { name_beside_result(&name) } else { name };
    let columns = attributes.into_iter().flat_map(|(name, width)| column_names(name, width));
    names.extend(columns.map(column));
    check_columns(names)
}

/// Checks, before any work is done for it, that a table of points keeps these attributes apart from
/// one another.
///
/// # Errors
/// [`Error::Request`] naming the first two columns that are equal.
pub fn check_table_attributes(attributes: &[Attribute]) -> Result<()> {
    point_columns(attributes.iter().map(Attribute::name_and_width)).map(drop)
}

/// The columns of a table of points: `x,y,z` and columns of the arrays, each by its name and width.
///
/// # Errors
/// [`Error::Request`] naming the first two columns that are equal.
pub(super) fn point_columns<'a>(
    arrays: impl IntoIterator<Item = (&'a str, usize)>,
) -> Result<Vec<String>> {
    let mut names: Vec<String> = ["x", "y", "z"].map(String::from).into();
    add_attribute_columns(&mut names, &[], arrays)?;
    Ok(names)
}

/// Names of an attribute's columns: its own, or `NAME_0`, `NAME_1`… of several components.
pub(crate) fn column_names(name: &str, width: usize) -> Vec<String> {
    match width {
        1 => vec![name.into()],
        width => (0..width).map(|i| format!("{name}_{i}")).collect(),
    }
}
