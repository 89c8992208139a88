//! Files that are either complete or absent: written under a temporary name next to the final one,
//! then renamed. A file goes to standard output once it is complete.

use std::fs::{self, File, Metadata};
use std::io::{self, BufWriter, ErrorKind, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile, TempPath};

use super::unfinished::{UnfinishedPath, at_once};
use crate::error::{Error, FileAccess, Result};

const BUFFER: usize = 1 << 18; // bytes

/// Writes the file at `path` by `content`. It appears under its name, or replaces
/// what stands there, only when all of it is on the disk; until then, and after
/// any error, the name is untouched. A link is followed. The file has the
/// permissions that any program would give it, or of the file it replaces. A
/// program that is stopped calls [`super::remove_unfinished`].
///
/// The path `-`, or `-` and an ending (`-.csv`), is standard output: it gets all of the file, or
/// nothing. A reader that goes away is not an error.
///
/// # Errors
/// What `content` returns, or [`Error::Io`] or [`Error::File`] with the path and how to fix it.
pub fn write(
    path: impl AsRef<Path>,
    content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let path = path.as_ref();
    if is_standard_output(path) {
        let mut file = filled(path, unnamed(path)?, content)?;
        return print(&mut file).map_err(|e| refused(path, e));
    }
    write_shown(path, path, content)
}

/// Writes a file in a hidden directory; errors name the path `shown` that it will have.
///
/// # Errors
/// As [`write()`].
pub(super) fn write_shown(
    path: &Path,
    shown: &Path,
    content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<()> {
    let complete = CompleteFile::new(path, shown, content)?;
    complete.take_name().map_err(|e| refused(shown, e))
}

/// A file that is on the disk, complete, and lacks its name. Dropped, it leaves nothing.
pub(crate) struct CompleteFile {
    beside: TempPath,
    /// The name, links followed.
    path: PathBuf,
    _unfinished: UnfinishedPath,
}

impl CompleteFile {
    /// The file of `path`; errors name `shown` instead.
    ///
    /// # Errors
    /// As [`write()`].
    pub fn new(
        path: &Path,
        shown: &Path,
        content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
    ) -> Result<Self> {
        let target = FileTarget::find(path, shown)?;
        let (beside, _unfinished) = target.create_beside(shown)?;
        let (file, beside) = beside.into_parts();
        let file = filled(shown, file, content)?;
        if let Some(replaced) = &target.replaced {
            file.set_permissions(replaced.permissions()).map_err(|e| refused(shown, e))?;
        }
        file.sync_all().map_err(|e| refused(shown, e))?;
        Ok(Self { beside, path: target.path, _unfinished })
    }

    /// Renames it.
    ///
    /// # Errors
    /// The error of the system; the file stays as it is.
    pub fn take_name(&self) -> io::Result<()> {
        fs::rename(&self.beside, &self.path)
    }

    /// Renames it, and with it makes files stay that would be removed with a stopped program.
    ///
    /// # Errors
    /// As [`Self::take_name`].
    pub fn take_name_with<'p>(&self, listed: impl Iterator<Item = &'p Path>) -> io::Result<()> {
        at_once(|paths| {
            self.take_name()?;
            listed.for_each(|path| paths.keep(path));
            Ok(())
        })
    }
}

/// Makes the directory `path` where there is none, and `fill`s it. A directory that this made is
/// removed if that fails, directories above it stay; a program that is stopped meanwhile calls
/// [`super::remove_unfinished`].
///
/// # Errors
/// What `fill` returns, or [`Error::Io`] if the directory cannot be made.
pub fn fill_directory(path: impl AsRef<Path>, fill: impl FnOnce() -> Result<()>) -> Result<()> {
    let path = path.as_ref();
    if path.exists() {
        return fill();
    }
    let create = || fs::create_dir_all(path).map(|()| path.to_owned());
    let (_, _unfinished) =
        UnfinishedPath::create(create, PathBuf::as_path).map_err(|e| refused(path, e))?;
    fill().inspect_err(|_| {
        // nobody is left to be told of another failure
        let _ = fs::remove_dir_all(path);
    })
}

/// `file` with its content, on its way to `path`.
fn filled(
    path: &Path,
    file: File,
    content: impl FnOnce(&mut BufWriter<File>) -> Result<()>,
) -> Result<File> {
    let mut writer = BufWriter::with_capacity(BUFFER, file);
    content(&mut writer)?;
    writer.into_inner().map_err(|e| refused(path, e.into_error()))
}

/// Copies a file to standard output.
fn print(file: &mut File) -> io::Result<()> {
    file.rewind()?;
    let mut to = io::stdout().lock();
    match io::copy(file, &mut to).and_then(|_| to.flush()) {
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

/// Whether a path stands for standard output: `-`, or `-` and the ending of a format.
pub fn is_standard_output(path: impl AsRef<Path>) -> bool {
    let path = path.as_ref().as_os_str().as_encoded_bytes();
    path == b"-" || path.starts_with(b"-.") && !path.contains(&b'/')
}

/// A file without a name for parts of the output `path`, on the same disk. It is gone when it is
/// closed.
///
/// # Errors
/// [`Error::Io`] if the directory takes no file.
pub(crate) fn unnamed(path: &Path) -> Result<File> {
    unnamed_file(path).map_err(|e| refused(path, e))
}

/// Like [`unnamed`], with the error as the system gives it.
pub(super) fn unnamed_file(path: &Path) -> io::Result<File> {
    let file = if is_standard_output(path) {
        tempfile::tempfile()
    } else {
        tempfile::tempfile_in(directory_of(path))
    };
    // The kind alone: the error itself names the hidden file.
    file.map_err(|e| e.kind().into())
}

/// Checks, before any work is done for it, that a file can be written at `path`:
/// its directory exists and takes new files, and no directory or device stands
/// under its name.
///
/// # Errors
/// [`Error::Io`] or [`Error::File`] with the path and how to fix it.
pub fn check(path: impl AsRef<Path>) -> Result<()> {
    let path = path.as_ref();
    if is_standard_output(path) {
        Ok(())
    } else {
        FileTarget::find(path, path)?.create_beside(path).map(drop)
    }
}

/// Checks, before any work is done for them, that files can be written into `directory`, or that it
/// can be created.
///
/// # Errors
/// [`Error::Io`] or [`Error::File`] with the path and how to fix it, [`Error::Request`] for
/// standard output.
pub fn check_directory(directory: impl AsRef<Path>) -> Result<()> {
    let directory = directory.as_ref();
    if is_standard_output(directory) {
        return Err(Error::request("a directory of files cannot go to standard output")
            .with_help("give the name of a directory; it is created if necessary"));
    }
    match fs::metadata(directory) {
        // as a file in it, whose name nobody has
        Ok(found) if found.is_dir() => check(directory.join(".subsolid.part")),
        Ok(_) => Err(Error::file(directory, None, "is a file, not a directory")
            .with_help("choose another name")),
        // as if it were a file: its place must take new names
        Err(_) => check(directory),
    }
}

/// A refusal of the operating system to write `path`, or standard output.
pub fn refused(path: impl AsRef<Path>, source: io::Error) -> Error {
    let path = match path.as_ref() {
        path if is_standard_output(path) => Path::new("<standard output>"),
        path => path,
    };
    Error::io(path, FileAccess::Write, source)
}

/// Where a file will stand.
struct FileTarget {
    /// Final name, links followed.
    path: PathBuf,
    directory: PathBuf,
    replaced: Option<Metadata>,
}

impl FileTarget {
    /// The target of `path`; errors name `shown` instead.
    fn find(path: &Path, shown: &Path) -> Result<Self> {
        let resolved = resolved(path).map_err(|e| refused(shown, e))?;
        let replaced = fs::metadata(&resolved).ok();
        if let Some(existing) = &replaced {
            let unfit = |why| Err(Error::file(shown, None, why).with_help("choose another name"));
            if !existing.is_file() {
                return unfit("is a directory or device, not a file");
            }
            // a rename would replace it all the same
            let writable = || fs::OpenOptions::new().write(true).open(&resolved).is_ok();
            if existing.permissions().readonly() || !writable() {
                return unfit("is read-only");
            }
        }
        let directory = directory_of(&resolved).to_owned();
        match fs::metadata(&directory) {
            Ok(found) if found.is_dir() => Ok(Self { path: resolved, directory, replaced }),
            Ok(_) => Err(refused(shown, ErrorKind::NotADirectory.into())),
            Err(e) => Err(refused(shown, e)),
        }
    }

    /// A hidden file in the same directory, so that renaming never copies.
    fn create_beside(&self, path: &Path) -> Result<(NamedTempFile, UnfinishedPath)> {
        let prefix = hidden_prefix(&self.path.file_name().unwrap_or_default().to_string_lossy());
        let mut builder = Builder::new();
        builder.prefix(&prefix).suffix(".part");
        #[cfg(unix)]
        builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666)); // less the umask
        // The kind alone: the error itself names the hidden file.
        UnfinishedPath::create(|| builder.tempfile_in(&self.directory), NamedTempFile::path)
            .map_err(|e| refused(path, e.kind().into()))
    }
}

/// Where a file at `path` stands or will stand, links followed.
pub(super) fn resolved(path: &Path) -> io::Result<PathBuf> {
    if !path.is_symlink() {
        return Ok(path.to_owned());
    }
    match fs::canonicalize(path) {
        Err(e) if e.kind() == ErrorKind::NotFound => match fs::read_link(path) {
            Ok(to) => resolved(&directory_of(path).join(to)),
            Err(_) => Ok(path.to_owned()),
        },
        found => found,
    }
}

/// How hidden files beside the file `name` begin. Of a long name only the end fits.
pub(super) fn hidden_prefix(name: &str) -> String {
    const LONGEST: usize = 255 - "..x7Kq2f.part".len(); // bytes
    let fits = |&(start, _): &(usize, char)| name.len() - start <= LONGEST;
    let start = name.char_indices().find(fits).map_or(0, |(start, _)| start);
    format!(".{}.", &name[start..])
}

/// The name of the file that a hidden file beside it is a part of: `a.png` of `.a.png.x7Kq2f.part`.
pub(crate) fn name_of_part(name: &str) -> Option<&str> {
    let (whole, unique) = name.strip_prefix('.')?.strip_suffix(".part")?.rsplit_once('.')?;
    let is_random = unique.len() == 6 && unique.chars().all(|c| c.is_ascii_alphanumeric());
    is_random.then_some(whole)
}

/// Directory that holds `path`; `.` for a bare name.
pub(crate) fn directory_of(path: &Path) -> &Path {
    match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    }
}
