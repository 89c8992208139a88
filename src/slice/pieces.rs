//! Stacks of layers that several programs make, a run of layers each.
//!
//! Every job has a directory of its own beside the whole stack's, so that no two programs write
//! into one. When all are done their files are moved into it and their manifests become one.

use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::manifest::{LayerEntry, Manifest};
use crate::error::{Error, IdKind, Result, option, option_name};
use crate::io::{JobPart, UnfinishedPath, atomic, check_all_jobs};

/// The directory of a part of a job, beside the whole stack's.
///
/// # Errors
/// [`Error::File`] if the path ends in no name, or the stack is there already.
pub fn job_directory(directory: &Path, part: JobPart) -> Result<PathBuf> {
    if Manifest::read(directory)?.is_some() {
        return Err(Error::file(directory, None, "holds layers: those of all jobs are written")
            .with_help("remove it, or choose another directory"));
    }
    let JobPart { part, of } = part;
    Ok(directory.with_file_name(format!("{}_job_{part:04}_of_{of:04}", name(directory)?)))
}

/// Whether `path` is where layers of jobs belong: a name without an ending, or one with jobs beside
/// it.
pub fn are_layers(path: &Path) -> bool {
    path.extension().is_none() || jobs(path).is_ok()
}

fn name(directory: &Path) -> Result<String> {
    let name = directory.file_name().and_then(|name| name.to_str());
    name.map(str::to_owned).ok_or_else(|| {
        Error::file(directory, None, "is not a valid directory name")
            .with_help("give a directory whose last part is a name")
    })
}

/// What [`merge_layers`] has joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct MergedLayers {
    /// Number of parts that were joined.
    pub jobs: usize,
    /// Number of layers of all parts.
    pub layers: usize,
}

/// Moves the layers of all jobs into `directory`, with one manifest: the files that a single
/// program writes. A merge that was interrupted goes on.
///
/// # Errors
/// [`Error::Io`] or [`Error::File`] if jobs are missing, not complete, or of other parameters than
/// the rest, if a layer or a file is missing, or if a file cannot be moved.
pub fn merge_layers(directory: &Path) -> Result<MergedLayers> {
    if let Some(whole) = Manifest::read(directory)? {
        return clear_jobs(directory, &whole);
    }
    let jobs = jobs(directory)?;
    check_all_jobs(directory, jobs.of, |job| jobs.paths.contains_key(&job))?;
    let (mut manifest, layers) = read_jobs(directory, &jobs)?;
    // nothing is moved before all of it is known to be there
    let moves = moves(directory, &layers)?;
    manifest.layers = layers.values().map(|(entry, _)| entry.clone()).collect();
    let made = UnfinishedPath::folder(directory.to_owned());
    let made = made.map_err(|e| atomic::refused(directory, e))?;
    let whole = manifest.complete_file(directory).inspect_err(|_| {
        if made.is_some() {
            let _ = fs::remove_dir(directory); // the error is the one to report
        }
    })?;
    for [from, to] in moves {
        let folder = to.parent().unwrap_or(directory);
        fs::create_dir_all(folder).map_err(|e| atomic::refused(folder, e))?;
        fs::rename(&from, &to).map_err(|e| atomic::refused(&to, e))?;
    }
    whole.take_name().map_err(|e| atomic::refused(directory, e))?;
    clear_jobs(directory, &manifest)
}

/// Removes the rest of jobs whose layers the manifest of the whole lists: their own manifests
/// and empty folders.
fn clear_jobs(directory: &Path, whole: &Manifest) -> Result<MergedLayers> {
    let merged = || {
        Error::file(directory, None, "is merged already: its layers are all there")
            .with_help("remove it, or name the directory that the jobs were given")
    };
    let mut left = jobs(directory).map_err(|_| merged())?;
    let is_moved = |path: &Path| {
        let own = Manifest::read(path).ok().flatten();
        own.is_none_or(|own| {
            let files = own.layers.iter().flat_map(|layer| &layer.files);
            own.parameters == whole.parameters
                && files.into_iter().all(|file| !path.join(&file.path).exists())
        })
    };
    left.paths.retain(|_, path| is_moved(path));
    if left.paths.is_empty() {
        return Err(merged());
    }
    for path in left.paths.values() {
        let manifest = path.join(super::manifest::FILE_NAME);
        match fs::remove_file(&manifest) {
            Err(e) if e.kind() != ErrorKind::NotFound => {
                return Err(atomic::refused(&manifest, e));
            }
            _ => remove_empty(path),
        }
    }
    Ok(MergedLayers { jobs: left.of, layers: whole.layers.len() })
}

/// The layers of all jobs by their numbers, and the job that has each.
type JobLayers<'j> = BTreeMap<usize, (LayerEntry, &'j Path)>;

/// What all manifests have in common, and their layers, without gaps.
fn read_jobs<'j>(directory: &Path, jobs: &'j Jobs) -> Result<(Manifest, JobLayers<'j>)> {
    let mut first: Option<Manifest> = None;
    let mut layers = JobLayers::new();
    for (&job, path) in &jobs.paths {
        let share = option("pieces", format!("{job}/{}", jobs.of));
        let again = message!("run slice ", share, " again, then merge again");
        let manifest = Manifest::read(path)?.filter(|manifest| manifest.complete);
        let Some(mut manifest) = manifest else {
            return Err(Error::file(path, None, "is not complete").with_help(again));
        };
        let own = std::mem::take(&mut manifest.layers);
        let parameters = manifest.parameters.clone();
        let known = first.get_or_insert(manifest);
        if let Some(difference) = known.parameters.difference(&parameters) {
            return Err(Error::file(
                path,
                None,
                format!("does not belong to the rest: {difference}"),
            )
            .with_help("run all jobs by the same program with the same options"));
        }
        for layer in own {
            let index = layer.index;
            if let Some((_, other)) = layers.insert(index, (layer, path)) {
                let text = message!(
                    IdKind::Layer.id(index),
                    " is in ",
                    other.display().to_string(),
                    " too"
                );
                return Err(Error::file(path, None, text)
                    .with_help("remove both, and run the jobs with the same options"));
            }
        }
    }
    let Some(manifest) = first else { return Err(no_jobs(directory)) };
    let indices: Vec<usize> = layers.keys().copied().collect();
    if let Some(gap) = indices.windows(2).find(|pair| pair[1] != pair[0] + 1) {
        let text = message!("no job has ", IdKind::Layer.id(gap[0] + 1));
        return Err(Error::file(directory, None, text).with_help(message!(
            "run all jobs with the same ",
            option_name("range"),
            ", then merge again"
        )));
    }
    Ok((manifest, layers))
}

/// Files that are still in the folders of jobs, and where they go; the others are there.
fn moves(directory: &Path, layers: &JobLayers<'_>) -> Result<Vec<[PathBuf; 2]>> {
    let mut moves = Vec::new();
    for (entry, job) in layers.values() {
        for file in &entry.files {
            let relative = Path::new(&file.path); // inside, as `Manifest::read` has seen
            let is_whole = |path: &Path| fs::metadata(path).is_ok_and(|m| m.len() == file.bytes);
            let (from, to) = (job.join(relative), directory.join(relative));
            if is_whole(&from) {
                moves.push([from, to]);
            } else if from.exists() || !is_whole(&to) {
                return Err(Error::file(&from, None, "is missing or incomplete")
                    .with_help("run its job again, then merge again"));
            }
        }
    }
    Ok(moves)
}

/// Directories of jobs.
struct Jobs {
    of: usize,
    paths: BTreeMap<usize, PathBuf>,
}

fn no_jobs(directory: &Path) -> Error {
    Error::file(directory, None, "has no layers of jobs beside it").with_help(message!(
        "make them first: slice ",
        option("pieces", "1/N"),
        ", and so on"
    ))
}

/// The jobs beside a directory; some may be missing.
fn jobs(directory: &Path) -> Result<Jobs> {
    let prefix = format!("{}_job_", name(directory)?);
    let folder = match directory.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let entries = match fs::read_dir(folder) {
        Ok(entries) => entries,
        Err(e) if e.kind() == ErrorKind::NotFound => return Err(no_jobs(directory)),
        Err(e) => {
            return Err(Error::file(folder, None, format!("cannot be read: {e}"))
                .with_help("choose another directory"));
        }
    };
    let mut found = Jobs { of: 0, paths: BTreeMap::new() };
    for entry in entries.filter_map(|entry| entry.ok()) {
        let file = entry.file_name();
        let numbers = file.to_str().and_then(|file| file.strip_prefix(&prefix)?.split_once("_of_"));
        let numbers = numbers.and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let Some((job, of)) = numbers.filter(|&(job, of)| JobPart::new(job, of).is_ok()) else {
            continue;
        };
        if found.of != 0 && found.of != of {
            let text = format!("has jobs of {} and of {of} beside it", found.of.min(of));
            return Err(Error::file(directory, None, text)
                .with_help("remove those that do not belong to the rest"));
        }
        found.of = of;
        found.paths.insert(job, directory.with_file_name(file));
    }
    if found.of == 0 {
        return Err(no_jobs(directory));
    }
    Ok(found)
}

/// Removes a directory and those in it, if there are no files.
fn remove_empty(path: &Path) {
    for entry in fs::read_dir(path).into_iter().flatten().filter_map(|entry| entry.ok()) {
        let _ = fs::remove_dir(entry.path()); // a file stays, and the directory with it
    }
    let _ = fs::remove_dir(path);
}
