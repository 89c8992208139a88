//! A directory with files of a layer each, and their manifest.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Content, Part};
use crate::io::atomic;
use crate::slice::manifest::{FILE_NAME, LayerEntry, Manifest, Parameters};
use crate::{Error, Result};

/// Checks, before any work is done for them, that files can be written into `directory`,
/// or that it can be created.
///
/// # Errors
/// [`Error::File`] with the path and how to fix it.
pub fn check_directory(directory: impl AsRef<Path>) -> Result<()> {
    let directory = directory.as_ref();
    match fs::metadata(directory) {
        Ok(found) if found.is_dir() => atomic::check(directory.join(FILE_NAME)),
        Ok(_) => Err(Error::file(directory, None, "is a file, not a directory")
            .with_help("choose another name")),
        // as if it were a file: its place must take new names
        Err(_) => atomic::check(directory),
    }
}

/// Files of layers that are complete, by layer.
#[derive(Debug)]
pub struct LayerDirectory {
    path: PathBuf,
    manifest: Manifest,
    layers: BTreeMap<usize, LayerEntry>,
    resume: bool,
}

impl LayerDirectory {
    /// Opens a directory for files of `parameters`, with `folders` in it. What a
    /// manifest lists there stays; if `resume`, it is not made again.
    ///
    /// # Errors
    /// [`Error::File`] if the directory cannot be written, or holds layers of other
    /// parameters.
    pub fn open(
        path: &Path,
        model: Option<String>,
        parameters: Parameters,
        folders: &[String],
        resume: bool,
    ) -> Result<Self> {
        let mut layers = BTreeMap::new();
        if let Some(there) = Manifest::read(path)? {
            if let Some(difference) = parameters.difference(&there.parameters) {
                return Err(Error::file(
                    path,
                    None,
                    format!("holds layers of other parameters: {difference}"),
                )
                .with_help("choose another directory, or remove this one"));
            }
            let whole = |entry: &LayerEntry| {
                let length = |file: &str| fs::metadata(path.join(file)).map(|found| found.len());
                entry.files.iter().all(|file| length(&file.path).ok() == Some(file.bytes))
            };
            let kept = there.layers.into_iter().filter(|entry| whole(entry));
            layers.extend(kept.map(|entry| (entry.index, entry)));
        }
        let create = |directory: &Path| {
            fs::create_dir_all(directory).map_err(|e| atomic::refused(directory, e))
        };
        create(path)?;
        folders.iter().try_for_each(|folder| create(&path.join(folder)))?;
        let manifest = Manifest::new(model, parameters);
        let mut directory = Self { path: path.into(), manifest, layers, resume };
        directory.write(false)?;
        Ok(directory)
    }

    /// Whether a layer is there and need not be made again.
    pub fn is_done(&self, layer: usize) -> bool {
        self.resume && self.layers.contains_key(&layer)
    }

    /// Writes a file, `name` with / between its parts; returns its length.
    pub fn write_file(&self, name: &str, bytes: &[u8]) -> Result<u64> {
        use std::io::Write;
        let path = self.path.join(name);
        atomic::write(&path, |out| out.write_all(bytes).map_err(|e| atomic::refused(&path, e)))?;
        Ok(bytes.len() as u64)
    }

    /// Lists a layer whose files are complete.
    pub fn take(&mut self, part: Part) {
        if let Content::Files(files) = part.content {
            let Part { index, height, .. } = part;
            self.layers.insert(index, LayerEntry { index, height, files });
        }
    }

    /// Writes the manifest.
    pub fn write(&mut self, complete: bool) -> Result<()> {
        self.manifest.complete = complete;
        self.manifest.layers = self.layers.values().cloned().collect();
        self.manifest.write(&self.path)
    }
}
