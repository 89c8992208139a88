//! Pieces of a `.pvtu` that several programs write, each its share of them, and their index.
//!
//! Every program writes its pieces into the directory `NAME/` beside `NAME.pvtu`, each under its
//! name once it is complete, and last a record of its job, `NAME_job_0002_of_0005.json`. [`merge`]
//! checks that the records of all jobs are there and agree, writes `NAME.pvtu`, and removes them.

use std::fmt;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write as _};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::layout::PieceLayout;
use super::pvtu::{check_replaceable, checked, index, is_record, piece_name, pieces_name};
use super::single::write_whole;
use super::{Format, WriteOptions, xml};
use crate::cluster::block;
use crate::error::{Error, Result, option};
use crate::io::atomic::{self, CompleteFile};
use crate::io::dataset::Dataset;
use crate::io::unfinished::UnfinishedPath;
use crate::numbers::counted;

/// What [`JobRecord::format`] says.
const FORMAT: &str = "subsolid pieces 1";
/// Maximum number of parts of a job.
const MAX_PARTS: usize = 9999;
/// How every piece ends.
const END: &[u8] = b"</VTKFile>";

/// A job's record.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct JobRecord {
    format: String,
    // from 1 to `of`
    job: usize,
    of: usize,
    // everything that the bytes of the pieces depend on
    parameters: serde_json::Value,
    // of all jobs
    pieces: usize,
    compressed: bool,
    high_order: bool,
    // none if the job has no piece
    layout: Option<PieceLayout>,
}

impl JobRecord {
    fn part(&self) -> JobPart {
        JobPart { part: self.job, of: self.of }
    }
}

/// Part `part` of the `of` parts of a job, from 1 on, for as many programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobPart {
    /// Which, 1 to `of`.
    pub part: usize,
    /// How many parts the job has.
    pub of: usize,
}

impl JobPart {
    /// A part of a job; the same limits hold for every interface.
    ///
    /// # Errors
    /// [`Error::Request`] unless `part` is from 1 to `of`, and that at most 9999.
    pub fn new(part: usize, of: usize) -> Result<Self> {
        if (1..=of).contains(&part) && of <= MAX_PARTS {
            return Ok(Self { part, of });
        }
        Err(Error::request(format!("part {part} of {of}: no such part"))
            .with_help(format!("count parts from 1, to {MAX_PARTS} at most")))
    }

    /// Its share of some items, in their order.
    pub fn share(self, items: &Range<usize>) -> Range<usize> {
        let own = block(items.len(), self.part - 1, self.of);
        items.start + own.start..items.start + own.end
    }
}

impl FromStr for JobPart {
    type Err = String;

    /// `part/of`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let numbers =
            text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
        let part = numbers.and_then(|(i, n)| Self::new(i, n).ok());
        part.ok_or_else(|| format!("give I/N, with I from 1 to N and N at most {MAX_PARTS}"))
    }
}

/// `part/of`, as the program's option takes it.
impl fmt::Display for JobPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

/// Writes the pieces of one job among several into `NAME/`, and at its end a record of the job,
/// which [`merge`] reads. Dropped before, it leaves none of its pieces.
#[derive(Debug)]
pub struct PieceJob {
    path: PathBuf,
    name: String,
    record: JobRecord,
    next: usize,
    // the directory, if it is new, and pieces that no record lists yet
    unlisted: Vec<UnfinishedPath>,
}

impl PieceJob {
    /// Starts one of the jobs that together write `pieces` pieces of `path`, which ends in
    /// `.pvtu`. `parameters`: everything that the bytes of the pieces depend on, the same for all
    /// jobs. `None` if the job has been done.
    ///
    /// # Errors
    /// [`Error::Request`] for a part that is not among 1 to `of`; [`Error::Io`] or [`Error::File`]
    /// if the file cannot be written or is there, or if its directory of pieces holds anything but
    /// pieces, or pieces of other parameters.
    pub fn create(
        path: impl AsRef<Path>,
        part: JobPart,
        pieces: usize,
        parameters: serde_json::Value,
        options: WriteOptions,
    ) -> Result<Option<Self>> {
        let JobPart { part: job, of } = JobPart::new(part.part, part.of)?;
        let path = checked(path.as_ref())?;
        let name = pieces_name(&path, |name| record_name(name, job, of))?;
        if path.symlink_metadata().is_ok() {
            return Err(Error::file(&path, None, "is there: its pieces are all written")
                .with_help("remove it and its directory of pieces, or choose another name"));
        }
        let directory = path.with_extension("");
        check_replaceable(&directory, &name)?;
        let record = JobRecord {
            format: FORMAT.into(),
            job,
            of,
            parameters,
            pieces,
            compressed: options.compress,
            high_order: false,
            layout: None,
        };
        for other in records(&directory, &name)? {
            agree(&path, &record, &other)?;
            if other.job == job && complete(&directory, &name, &part.share(&(0..pieces))).is_ok() {
                return Ok(None);
            }
        }
        let made = UnfinishedPath::folder(directory).map_err(|e| atomic::refused(&path, e))?;
        let unlisted = Vec::from_iter(made);
        let next = part.share(&(0..pieces)).start;
        Ok(Some(Self { path, name, record, next, unlisted }))
    }

    /// The pieces of this job, in the order in which they are pushed.
    pub fn pieces(&self) -> Range<usize> {
        self.record.part().share(&(0..self.record.pieces))
    }

    /// Writes the next piece of the job. All pieces must have the same arrays.
    ///
    /// # Errors
    /// [`Error::Request`] if the dataset is inconsistent or differs from the first
    /// in its arrays; [`Error::Io`] if it cannot be written.
    pub fn push(&mut self, piece: &Dataset) -> Result<()> {
        piece.check()?;
        let layout = PieceLayout::of(piece);
        if self.record.layout.as_ref().is_some_and(|first| *first != layout) {
            return Err(Error::request(format!(
                "piece {} of {} has other arrays than those before",
                self.next,
                self.path.display()
            ))
            .with_help("give all pieces the same arrays, in name, width, type and order"));
        }
        self.record.layout.get_or_insert(layout);
        self.record.high_order |= xml::Version::of(&piece.cells) == xml::Version::HighOrder;
        let path = self.path.with_extension("").join(piece_name(&self.name, self.next));
        let (format, compress) = (Format::Vtu, self.record.compressed);
        self.unlisted.push(UnfinishedPath::of(path.clone()));
        atomic::write(&path, |out| write_whole(out, &self.path, format, compress, piece))?;
        self.next += 1;
        Ok(())
    }

    /// Writes the record of the job.
    ///
    /// # Errors
    /// [`Error::Io`] if it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        let JobRecord { job, of, .. } = self.record;
        let path = self.path.with_extension("").join(record_name(&self.name, job, of));
        let record = CompleteFile::new(&path, &path, |out| {
            serde_json::to_writer_pretty(&mut *out, &self.record)
                .map_err(std::io::Error::from)
                .and_then(|()| out.write_all(b"\n"))
                .map_err(|e| atomic::refused(&path, e))
        })?;
        let listed = record.take_name_with(self.unlisted.iter().map(UnfinishedPath::path));
        listed.map_err(|e| atomic::refused(&path, e))?;
        self.unlisted.clear();
        Ok(())
    }
}

impl Drop for PieceJob {
    fn drop(&mut self) {
        // nobody is left to be told of failures; the pieces of other jobs stay
        for made in self.unlisted.drain(..).rev() {
            let _ = fs::remove_file(made.path()).or_else(|_| fs::remove_dir(made.path()));
        }
    }
}

/// What [`merge`] has joined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema), schemars(rename = "Merged"))]
pub struct MergedPieces {
    /// Number of parts that were joined.
    pub jobs: usize,
    /// Number of pieces of all parts.
    pub pieces: usize,
}

/// Writes `path`, the index of the pieces that all jobs have written, and removes their records. A
/// merge that was interrupted goes on.
///
/// # Errors
/// [`Error::Io`] or [`Error::File`] if jobs are missing or have other parameters than the rest, if
/// a piece is missing or not complete, or if the file cannot be written.
pub fn merge(path: impl AsRef<Path>) -> Result<MergedPieces> {
    let path = &checked(path.as_ref())?;
    let name = pieces_name(path, |name| piece_name(name, 0))?;
    let directory = path.with_extension("");
    let records = records(&directory, &name)?;
    let Some(first) = records.first() else {
        if path.is_file() {
            return Err(Error::file(path, None, "is merged already: its pieces are all written")
                .with_help("use it as it is; to write it again, remove it and its directory"));
        }
        return Err(Error::file(&directory, None, "holds no records of jobs").with_help(message!(
            "write the pieces first: ",
            option("pieces", "1/N"),
            ", and so on"
        )));
    };
    records.iter().try_for_each(|other| agree(path, first, other))?;
    // records go once the index is there, and jobs do not start while it is
    let is_indexed = path.is_file() && records.len() < first.of;
    if !is_indexed {
        check_all_jobs(&directory, first.of, |job| records.iter().any(|other| other.job == job))?;
    }
    for job in 1..=first.of {
        let part = JobPart { part: job, of: first.of };
        complete(&directory, &name, &part.share(&(0..first.pieces))).map_err(|piece| {
            Error::file(&piece, None, "is missing or incomplete").with_help(message!(
                "run ",
                option("pieces", part),
                " again, then merge again"
            ))
        })?;
    }
    if !is_indexed {
        let layouts: Vec<&PieceLayout> = records.iter().filter_map(|r| r.layout.as_ref()).collect();
        if layouts.windows(2).any(|pair| pair[0] != pair[1]) {
            return Err(Error::file(
                &directory,
                None,
                "holds pieces of other arrays than the rest",
            )
            .with_help("remove it, and run all jobs with the same options"));
        }
        let version = if records.iter().any(|record| record.high_order) {
            xml::Version::HighOrder
        } else {
            xml::Version::Linear
        };
        let layout = layouts.first().copied();
        index(path, &name, first.pieces, layout, version, first.compressed)?
            .take_name()
            .map_err(|e| atomic::refused(path, e))?;
    }
    for record in &records {
        let record = directory.join(record_name(&name, record.job, record.of));
        fs::remove_file(&record).map_err(|e| atomic::refused(&record, e))?;
    }
    Ok(MergedPieces { jobs: first.of, pieces: first.pieces })
}

/// Refuses to merge unless all jobs of a directory are there.
pub(crate) fn check_all_jobs(
    directory: &Path,
    of: usize,
    is_there: impl Fn(usize) -> bool,
) -> Result<()> {
    const MAX_LISTED_JOBS: usize = 8;
    let missing = (1..=of).filter(|&job| !is_there(job)).map(|job| format!("{job}/{of}"));
    let mut missing: Vec<String> = missing.take(MAX_LISTED_JOBS + 1).collect();
    if missing.is_empty() {
        return Ok(());
    }
    if missing.len() > MAX_LISTED_JOBS {
        missing[MAX_LISTED_JOBS] = "…".into();
    }
    Err(Error::file(directory, None, format!("lacks the jobs {}", missing.join(", ")))
        .with_help("run them with the same options, then merge again"))
}

fn record_name(name: &str, job: usize, of: usize) -> String {
    format!("{name}_job_{job:04}_of_{of:04}.json")
}

/// The records in a directory of pieces, by job; none if there is no directory.
fn records(directory: &Path, name: &str) -> Result<Vec<JobRecord>> {
    let files = match fs::read_dir(directory) {
        Ok(files) => files,
        Err(e) if e.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(e) => {
            return Err(Error::file(directory, None, format!("cannot be read: {e}"))
                .with_help("choose another name for the output"));
        }
    };
    let mut records = Vec::new();
    for file in files.filter_map(|file| file.ok()) {
        if !file.file_name().to_str().is_some_and(|file| is_record(file, name)) {
            continue;
        }
        let path = file.path();
        let unknown = |line: Option<usize>, message: String| {
            Error::file(&path, line, message).with_help("remove it, and run its job again")
        };
        let text =
            fs::read_to_string(&path).map_err(|e| unknown(None, format!("cannot be read: {e}")))?;
        let record: JobRecord = serde_json::from_str(&text)
            .map_err(|e| unknown(Some(e.line()), format!("is not the record of a part: {e}")))?;
        if record.format != FORMAT {
            return Err(unknown(None, format!("is of format {:?}", record.format)));
        }
        JobPart::new(record.job, record.of).map_err(|e| unknown(None, e.to_string()))?;
        records.push(record);
    }
    records.sort_by_key(|record| record.job);
    Ok(records)
}

/// Refuses records of jobs that do not belong together.
fn agree(path: &Path, one: &JobRecord, other: &JobRecord) -> Result<()> {
    let of = |record: &JobRecord| (record.of, record.pieces, record.compressed);
    if of(one) == of(other) && one.parameters == other.parameters {
        return Ok(());
    }
    let what = match (&one.parameters, &other.parameters) {
        (serde_json::Value::Object(here), serde_json::Value::Object(there)) => {
            let differs = here.keys().find(|key| here.get(*key) != there.get(*key));
            differs.map(|key| format!("{key} differs"))
        }
        _ => None,
    };
    let differs = (one.compressed != other.compressed).then(|| "compress differs".to_owned());
    let what = what.or(differs).unwrap_or_else(|| {
        format!(
            "one of {} and {}, one of {} and {}",
            counted(one.of, "job"),
            counted(one.pieces, "piece"),
            counted(other.of, "job"),
            counted(other.pieces, "piece")
        )
    });
    let directory = path.with_extension("");
    let (a, b) = (one.job, other.job);
    Err(Error::file(directory, None, format!("jobs {a} and {b} do not belong together: {what}"))
        .with_help(
            "run all jobs by the same program with the same options, or choose another name",
        ))
}

/// Whether all these pieces are there to their end; else the first that is not.
fn complete(
    directory: &Path,
    name: &str,
    pieces: &Range<usize>,
) -> std::result::Result<(), PathBuf> {
    let ends = |path: &Path| -> std::io::Result<bool> {
        let mut file = File::open(path)?;
        let from = file.metadata()?.len().saturating_sub(END.len() as u64 + 2);
        file.seek(SeekFrom::Start(from))?;
        let mut last = Vec::new();
        file.read_to_end(&mut last)?;
        Ok(last.trim_ascii_end().ends_with(END))
    };
    for piece in pieces.clone() {
        let path = directory.join(piece_name(name, piece));
        if !ends(&path).unwrap_or(false) {
            return Err(path);
        }
    }
    Ok(())
}
