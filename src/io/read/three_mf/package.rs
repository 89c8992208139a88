//! The zip archive of a 3MF file, and the relationship that names its model (Open Packaging
//! Conventions).

use std::cell::Cell;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};

use zip::read::{ZipArchive, ZipFile};

use super::events::{Events, Lines};
use crate::error::{Error, Result};
use crate::memory;

/// Where the archive says which part is the model.
const RELATIONSHIPS: &str = "_rels/.rels";
/// End of the type of the model's relationship.
const MODEL: &str = "/3dmodel";

/// The parts of a file.
pub(super) struct Package<'a> {
    path: &'a Path,
    archive: ZipArchive<Cursor<&'a [u8]>>,
    most: u64,
    // bytes that may still be unpacked
    left: Cell<u64>,
}

/// The bytes of a part, unpacked as they are read.
pub(super) type Part<'r, 'a> = Lines<Bounded<'r, ZipFile<'r, Cursor<&'a [u8]>>>>;

impl<'a> Package<'a> {
    /// A file of at most `most` bytes unpacked.
    pub fn open(path: &'a Path, bytes: &'a [u8], most: u64) -> Result<Self> {
        let archive = ZipArchive::new(Cursor::new(bytes)).map_err(|e| {
            Error::file(path, None, format!("no zip archive, as .3mf files are: {e}"))
                .with_help("the file is cut short or damaged; export it again")
        })?;
        Ok(Self { path, archive, most, left: Cell::new(most) })
    }

    /// Name of the part that holds the model.
    pub fn model_part(&mut self) -> Result<String> {
        let path = self.path;
        let mut events = self.part(RELATIONSHIPS)?;
        let mut buffer = String::new();
        events.root("Relationships")?;
        while let Some(tag) = events.child(&mut buffer)? {
            let kind = events.attribute(&tag, "Type")?.unwrap_or_default();
            let target = events.attribute(&tag, "Target")?;
            if let (true, Some(target)) = (kind.ends_with(MODEL), target) {
                return Ok(target);
            }
            events.skip()?;
        }
        Err(Error::file(path, None, "the archive names no 3D model in _rels/.rels")
            .with_help("a .3mf of another kind, or damaged; export it again"))
    }

    /// The XML of a part, by its name.
    pub fn part<'r>(&'r mut self, name: &str) -> Result<Events<Part<'r, 'a>>> {
        let plain = name.trim_start_matches('/');
        let shown = self.path.join(super::super::lines::shown(plain.as_bytes()));
        let index = self.archive.index_for_name(plain).or_else(|| {
            // names of parts are the same whatever the case
            let mut names = self.archive.file_names();
            names.position(|other| other.is_ok_and(|other| other.eq_ignore_ascii_case(plain)))
        });
        let index = index.ok_or_else(|| {
            Error::file(self.path, None, format!("the archive has no part `{plain}`"))
                .with_help("the file is cut short, or no .3mf; export it again")
        })?;
        let file = self.archive.by_index(index).map_err(|e| {
            Error::file(&shown, None, format!("the part cannot be unpacked: {e}"))
                .with_help("export the model again, without encryption")
        })?;
        let bounded = Bounded { inner: file, most: self.most, left: &self.left };
        Ok(Events::new(shown, Lines::new(bounded)))
    }

    /// The file.
    pub fn path(&self) -> &'a Path {
        self.path
    }
}

/// Stops where more is unpacked than may be.
pub(super) struct Bounded<'r, R> {
    inner: R,
    most: u64,
    left: &'r Cell<u64>,
}

impl<R: Read> Read for Bounded<'_, R> {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(to)?;
        match self.left.get().checked_sub(read as u64) {
            Some(left) => self.left.set(left),
            None => {
                let most = memory::decimal_bytes(self.most.into());
                return Err(io::Error::new(
                    io::ErrorKind::OutOfMemory,
                    format!("the parts of the file have more than {most}"),
                ));
            }
        }
        Ok(read)
    }
}

/// The part of a name, which may be relative to the root.
pub(super) fn part_name(path: &str) -> PathBuf {
    PathBuf::from(path.trim_start_matches('/').to_ascii_lowercase())
}
