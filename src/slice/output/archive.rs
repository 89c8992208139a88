//! One zip of the files of a stack, for printers that take a job as one file.

use std::fs::File;
use std::io::{self, BufReader, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use crate::io::{ZipTarget, atomic};
use crate::slice::manifest::{FILE_NAME, Manifest};
use crate::{Error, Result};

/// Packs the manifest of `directory` and all files that it lists into the zip `path`,
/// the manifest first, then layer by layer; images as they are, since they are
/// compressed already. Equal files give equal bytes.
///
/// # Errors
/// [`Error::File`] if a file cannot be read, has changed since it was listed, or the
/// zip cannot be written.
pub fn archive(path: impl AsRef<Path>, directory: impl AsRef<Path>) -> Result<()> {
    let (path, directory) = (path.as_ref(), directory.as_ref());
    let Some(manifest) = Manifest::read(directory)? else {
        return Err(Error::file(directory, None, "holds no manifest of layers")
            .with_help("slice into it first"));
    };
    let refused = |e: io::Error| atomic::refused(path, e);
    atomic::write(path, |out| {
        let mut zip = ZipWriter::new(ZipTarget::new(out));
        push(&mut zip, path, directory, FILE_NAME, CompressionMethod::Deflated)?;
        for file in manifest.layers.iter().flat_map(|layer| &layer.files) {
            let method = match file.path.ends_with(".png") {
                true => CompressionMethod::Stored,
                false => CompressionMethod::Deflated,
            };
            let length = push(&mut zip, path, directory, &file.path, method)?;
            if length != file.bytes {
                return Err(Error::file(directory.join(&file.path), None, "has changed")
                    .with_help("slice again"));
            }
        }
        zip.finish().map_err(|e| refused(e.into()))?.complete().map_err(refused)
    })
}

/// Adds a file under its name in the directory; returns its length.
fn push<W: Write + io::Seek>(
    zip: &mut ZipWriter<W>,
    path: &Path,
    directory: &Path,
    name: &str,
    method: CompressionMethod,
) -> Result<u64> {
    let from = directory.join(name);
    let unreadable = |e: io::Error| {
        Error::file(&from, None, format!("cannot be read: {e}")).with_help("slice again")
    };
    let file = File::open(&from).map_err(unreadable)?;
    let large = file.metadata().map_err(unreadable)?.len() > u64::from(u32::MAX / 2);
    let options = SimpleFileOptions::default().compression_method(method).large_file(large);
    zip.start_file(name, options).map_err(|e| atomic::refused(path, e.into()))?;
    io::copy(&mut BufReader::new(file), zip).map_err(|e| atomic::refused(path, e))
}
