//! A directory with files of a layer each, and their manifest.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{KeptLayers, LayerOutput, Output, OutputLayer};
use crate::error::{Error, Result};
use crate::io::{UnfinishedPath, atomic};
use crate::slice::manifest::{FILE_NAME, FileEntry, LayerEntry, Manifest, Parameters};

/// Endings of files of layers.
const ENDINGS: [&str; 3] = ["png", "bmp", "svg"];

/// Makes the files of a layer in a directory.
pub trait LayerFiles: Send + Sync {
    /// Writes the files of a layer.
    ///
    /// # Errors
    /// As [`Output::make`].
    fn write(&self, cut: &OutputLayer, directory: &LayerDirectory) -> Result<Vec<FileEntry>>;
}

/// A directory with files of each layer.
#[derive(Debug)]
pub struct OutputDirectory<F> {
    pub(super) directory: LayerDirectory,
    pub(super) files: F,
}

impl<F: LayerFiles> Output for OutputDirectory<F> {
    fn is_done(&self, layer: usize) -> bool {
        self.directory.is_done(layer)
    }

    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let files = self.files.write(cut, &self.directory)?;
        let (index, height) = (cut.index, cut.stack.middle(cut.index));
        let thickness = cut.stack.own_height(index);
        Ok(LayerOutput::of(LayerEntry { index, height, thickness, files }))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        self.directory.take(layer.get()?);
        Ok(())
    }

    fn checkpoint(&mut self) -> Result<()> {
        self.directory.write(false)
    }

    fn finish(&mut self) -> Result<()> {
        self.directory.write(true)
    }

    fn kept(&self) -> Option<KeptLayers> {
        Some(self.directory.kept())
    }
}

/// Files of layers that are complete, by layer.
#[derive(Debug)]
pub struct LayerDirectory {
    path: PathBuf,
    manifest: Manifest,
    layers: BTreeMap<usize, LayerEntry>,
    resume: bool,
    // what was made here, outer folders first: it goes again if no layer comes
    made: Vec<PathBuf>,
    // that and the manifest, until it lists a layer
    fresh: Vec<UnfinishedPath>,
    // files that the manifest does not list yet, by their names there
    unlisted: Mutex<BTreeMap<String, UnfinishedPath>>,
    // held while this is open; the system frees it however the program ends
    _lock: Option<File>,
}

impl LayerDirectory {
    /// Opens a directory for files of `parameters`, with `folders` in it. What a
    /// manifest lists there stays; if `resume`, it is not made again.
    ///
    /// # Errors
    /// [`Error::Io`] or [`Error::File`] if the directory cannot be written, another program writes
    /// into it, or it holds layers of other parameters.
    pub fn open(
        path: &Path,
        model: Option<String>,
        parameters: Parameters,
        folders: &[String],
        resume: bool,
    ) -> Result<Self> {
        let mut made = Vec::new();
        let opened = Self::open_in(path, model, parameters, folders, resume, &mut made);
        if opened.is_err() {
            remove_empty(&made);
        }
        opened
    }

    /// [`LayerDirectory::open`]; folders that are new are among `made`, unless it succeeds.
    fn open_in(
        path: &Path,
        model: Option<String>,
        parameters: Parameters,
        folders: &[String],
        resume: bool,
        made: &mut Vec<PathBuf>,
    ) -> Result<Self> {
        let mut create = |folder: &Path| -> Result<Option<UnfinishedPath>> {
            let parent = fs::create_dir_all(atomic::directory_of(folder));
            let new = parent.and_then(|()| UnfinishedPath::folder(folder.to_owned()));
            let new = new.map_err(|e| atomic::refused(folder, e))?;
            made.extend(new.iter().map(|new| new.path().to_owned()));
            Ok(new)
        };
        let mut fresh = Vec::from_iter(create(path)?);
        let lock = lock(path)?;
        let mut layers = BTreeMap::new();
        // a manifest without layers is of a job that made none
        let there = Manifest::read(path)?;
        if there.is_none() {
            fresh.push(UnfinishedPath::of(path.join(FILE_NAME)));
        }
        if let Some(there) = there.filter(|there| !there.layers.is_empty()) {
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
        for folder in folders {
            fresh.extend(create(&path.join(folder))?);
        }
        if lock.is_some() {
            let all = folders.iter().map(|folder| path.join(folder)).chain([path.to_owned()]);
            all.for_each(|folder| remove_parts(&folder));
        }
        let manifest = Manifest::new(model, parameters);
        let (path, unlisted, made) = (path.into(), Mutex::default(), std::mem::take(made));
        let mut directory =
            Self { path, manifest, layers, resume, made, fresh, unlisted, _lock: lock };
        directory.write(false)?;
        Ok(directory)
    }

    /// Whether a layer is there and need not be made again.
    pub fn is_done(&self, layer: usize) -> bool {
        self.resume && self.layers.contains_key(&layer)
    }

    /// Writes a file of a layer, `name` with / between its parts; returns its length. It is removed
    /// again unless its layer is listed.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn write_file(&self, layer: usize, name: &str, bytes: &[u8]) -> Result<u64> {
        use std::io::Write;
        let path = self.path.join(name);
        if !self.layers.contains_key(&layer) {
            let unfinished = UnfinishedPath::of(path.clone());
            self.unlisted().insert(name.to_owned(), unfinished);
        }
        atomic::write(&path, |out| out.write_all(bytes).map_err(|e| atomic::refused(&path, e)))?;
        Ok(bytes.len() as u64)
    }

    fn unlisted(&self) -> MutexGuard<'_, BTreeMap<String, UnfinishedPath>> {
        self.unlisted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Lists a layer whose files are complete.
    pub fn take(&mut self, layer: LayerEntry) {
        self.layers.insert(layer.index, layer);
    }

    /// Writes the manifest. Where it does not fit on the disk, files of the last layers that it
    /// does not list make room for the others.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn write(&mut self, complete: bool) -> Result<()> {
        let Err(error) = self.list(complete) else { return Ok(()) };
        self.make_room();
        Err(error)
    }

    /// Writes the manifest with all layers that are complete.
    fn list(&mut self, complete: bool) -> Result<()> {
        self.manifest.complete = complete;
        self.manifest.layers = self.layers.values().cloned().collect();
        let mut unlisted = self.unlisted();
        let listed = self.layers.values().flat_map(|layer| &layer.files);
        let listed = listed.filter(|file| unlisted.contains_key(&file.path));
        let listed: Vec<&str> = listed.map(|file| &*file.path).collect();
        let mut paths: Vec<PathBuf> = listed.iter().map(|file| self.path.join(file)).collect();
        let is_of_use = complete || !self.layers.is_empty();
        if is_of_use {
            paths.extend(self.fresh.iter().map(|made| made.path().to_owned()));
        }
        let manifest = self.manifest.complete_file(&self.path)?;
        let listing = manifest.take_name_with(paths.iter().map(PathBuf::as_path));
        listing.map_err(|e| atomic::refused(self.path.join(FILE_NAME), e))?;
        listed.into_iter().for_each(|file| drop(unlisted.remove(file)));
        drop(unlisted);
        if is_of_use {
            self.fresh.clear();
        }
        Ok(())
    }

    /// Removes files that the manifest does not list, of layers that are not complete and
    /// then layer by layer from the last, until it can be written.
    fn make_room(&mut self) {
        let complete = self.layers.values().flat_map(|layer| &layer.files);
        let complete: HashSet<&str> = complete.map(|file| &*file.path).collect();
        let names: Vec<String> = self.unlisted().keys().cloned().collect();
        let (mut last, incomplete): (Vec<_>, Vec<_>) =
            names.into_iter().partition(|name| complete.contains(&**name));
        incomplete.iter().for_each(|name| self.remove(name));
        while self.list(false).is_err() {
            let is_unlisted = |layer: &LayerEntry| {
                layer.files.iter().any(|file| last.binary_search(&file.path).is_ok())
            };
            let index = self.layers.values().rev().find(|layer| is_unlisted(layer));
            let Some(index) = index.map(|layer| layer.index) else { return };
            for file in self.layers.remove(&index).into_iter().flat_map(|layer| layer.files) {
                self.remove(&file.path);
                last.retain(|name| *name != file.path);
            }
        }
    }

    /// Removes a file that the manifest does not list; it may not have been written.
    fn remove(&self, name: &str) {
        if self.unlisted().remove(name).is_some() {
            let _ = fs::remove_file(self.path.join(name));
        }
    }

    /// The layers that the manifest lists after [`Self::write`].
    pub fn kept(&self) -> KeptLayers {
        KeptLayers { count: self.layers.len(), directory: self.path.clone() }
    }
}

impl Drop for LayerDirectory {
    /// Removes the files that no manifest lists, and of a job that ended without a layer all that
    /// it made.
    fn drop(&mut self) {
        let names: Vec<String> = self.unlisted().keys().cloned().collect();
        names.iter().for_each(|name| self.remove(name));
        if self.layers.is_empty() && !self.manifest.complete {
            let _ = fs::remove_file(self.path.join(FILE_NAME));
            remove_empty(&self.made);
        }
    }
}

/// Removes folders, outer ones first in the list, where nothing is in them.
fn remove_empty(folders: &[PathBuf]) {
    for folder in folders.iter().rev() {
        let _ = fs::remove_dir(folder); // it stays if anything else is there
    }
}

/// Removes parts of files of layers and of their manifest, which a program that was killed left in
/// a folder; nobody else writes such files there now.
fn remove_parts(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let name = entry.file_name();
        let whole = name.to_str().and_then(atomic::name_of_part);
        let ending = |name: &str| {
            Path::new(name).extension().is_some_and(|own| ENDINGS.iter().any(|e| own == *e))
        };
        if whole.is_some_and(|whole| whole == FILE_NAME || ending(whole)) {
            let _ = fs::remove_file(entry.path()); // it takes room and does no harm
        }
    }
}

/// Locks a directory for this program alone, itself rather than by a file in it: no file can
/// outlive the program. `None` where the file system has no such locks.
fn lock(path: &Path) -> Result<Option<File>> {
    let Ok(directory) = File::open(path) else { return Ok(None) };
    match directory.try_lock() {
        Ok(()) => Ok(Some(directory)),
        Err(TryLockError::WouldBlock) => {
            Err(Error::file(path, None, "another program writes layers into it")
                .with_help("wait for its end, or choose another directory"))
        }
        Err(TryLockError::Error(_)) => Ok(None),
    }
}
