//! The arrays of a `.vtu` file: raw appended ones without compression, and ASCII ones.

use std::path::Path;

use super::super::encoding::APPENDED;
use super::super::outline::{ArrayElement, ArraySection, ArrayStorage, XmlOutline};
use super::super::values::Scalar;
use super::columns::{Column, Contents, StoredArray};
use super::scan::{FileScan, ScannedWords};
use crate::io::read::lines::shown;

/// An outline of more bytes is left to the reader of whole files.
pub(super) const MAX_OUTLINE_BYTES: usize = 1 << 24;

/// The contents of a file of one piece.
pub(super) fn contents(path: &Path, scan: FileScan) -> Option<Contents> {
    let mut skeleton = Skeleton { scan, xml: Vec::new(), texts: Vec::new() };
    let appended = skeleton.read()?;
    let Skeleton { mut scan, xml, mut texts } = skeleton;
    let outline = XmlOutline::read(path, &xml).ok()?;
    let is_plain = outline.kind.is_none() && !outline.is_surface;
    if !is_plain || outline.pieces.len() != 1 {
        return None;
    }
    let raw = outline.appended.as_ref().is_some_and(|appended| !appended.base64)
        && outline.layout.compressor.is_none();
    let mut columns = Vec::new();
    for array in &outline.arrays {
        let stored = match (array.scalar, array.storage) {
            (None, _) => StoredArray::LeftOut(left_out(array)),
            (Some(scalar), ArrayStorage::Appended(offset)) if raw => {
                stored(&mut scan, &outline, scalar, appended.checked_add(offset as u64)?)?
            }
            (_, ArrayStorage::Ascii) => match array.text.trim() {
                "" => StoredArray::Words(ScannedWords::default()),
                number => StoredArray::Words(std::mem::take(
                    texts.get_mut(number.parse::<usize>().ok()?)?,
                )),
            },
            _ => StoredArray::Elsewhere,
        };
        columns.push(Column {
            section: array.section,
            name: array.name.clone(),
            width: array.width,
            is_integer: array.scalar.is_some_and(Scalar::is_integer),
            is_single: array.scalar == Some(Scalar::F32),
            stored,
        });
    }
    let [points, cells] = [outline.pieces[0].points, outline.pieces[0].cells];
    Some(Contents { columns, rows: None, has_faces_in_cells: false, cells, points })
}

/// What the report says of an array without numbers.
fn left_out(array: &ArrayElement) -> String {
    let what = match array.section {
        ArraySection::PointData => "point array",
        ArraySection::CellData => "cell array",
        _ => "field array",
    };
    format!("{what} `{}`", shown(array.name.as_bytes()))
}

/// Numbers behind their size in bytes.
fn stored(
    scan: &mut FileScan,
    outline: &XmlOutline,
    scalar: Scalar,
    at: u64,
) -> Option<StoredArray> {
    let big_endian = outline.layout.big_endian;
    let header = if outline.layout.wide_header { Scalar::U64 } else { Scalar::U32 };
    scan.seek(at)?;
    let size = scan.bytes(header.size())?;
    let size = usize::try_from(*header.integers(&size, big_endian).first()?).ok()?;
    let start = at + header.size() as u64;
    let count = size / scalar.size();
    (size % scalar.size() == 0).then_some(StoredArray::Raw { start, count, scalar, big_endian })
}

/// The XML of a file without the numbers of ASCII arrays.
struct Skeleton {
    scan: FileScan,
    // of every text the number in `texts`
    xml: Vec<u8>,
    texts: Vec<ScannedWords>,
}

impl Skeleton {
    /// Reads up to the appended data, whose place this is, or the end of the file.
    fn read(&mut self) -> Option<u64> {
        while self.scan.blanks()? {
            let start = self.xml.len();
            if self.scan.buffer()?.first() == Some(&b'<') {
                self.tag()?;
            } else {
                let mut words = ScannedWords::default();
                self.scan.words(|at, _| {
                    words.push(at);
                    Some(true)
                })?;
                self.xml.extend(format!(" {} ", self.texts.len()).as_bytes());
                self.texts.push(words);
            }
            if self.xml.len() > MAX_OUTLINE_BYTES {
                return None;
            }
            if self.xml[start..].starts_with(APPENDED) {
                self.scan.blanks()?;
                let underscore = self.scan.bytes(1).filter(|byte| byte == b"_")?;
                self.xml.extend(underscore);
                break;
            }
        }
        Some(self.scan.at())
    }

    /// A tag; comments are left out.
    fn tag(&mut self) -> Option<()> {
        let mut tag = self.scan.until(b'>')?;
        if tag.starts_with(b"<!--") {
            while !tag.ends_with(b"-->") || tag.len() < b"<!---->".len() {
                let more = self.scan.until(b'>').filter(|more| !more.is_empty())?;
                tag.extend(more);
                if tag.len() > MAX_OUTLINE_BYTES {
                    return None;
                }
            }
            return Some(());
        }
        // of an attribute with this byte
        while tag.iter().filter(|&&byte| byte == b'"').count() % 2 == 1 {
            tag.extend(self.scan.until(b'>').filter(|more| !more.is_empty())?);
            if tag.len() > MAX_OUTLINE_BYTES {
                return None;
            }
        }
        // other declarations, and numbers in base64
        let is_unusual = tag.starts_with(b"<!") || tag.windows(8).any(|part| part == b"\"binary\"");
        self.xml.extend(tag);
        (!is_unusual).then_some(())
    }
}
