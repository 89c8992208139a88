//! Joins the parts of a job that several programs wrote.

use std::path::PathBuf;
use std::time::Instant;

use serde::{Deserialize, Serialize};

use super::Notes;
use super::output::{check_ending, written};
use crate::error::Result;
use crate::io::{MergedPieces, check_output, merge};
use crate::numbers::counted;
use crate::slice::{MergedLayers, are_layers, merge_layers};

/// What is joined.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct MergeRequest {
    /// The .pvtu to write, whose pieces lie in the directory of the same name, or the directory of
    /// layers
    pub output: PathBuf,
}

/// What was joined.
#[derive(Clone, Debug, PartialEq)]
pub enum MergeReport {
    /// Pieces of a `.pvtu`.
    Pieces(MergedPieces),
    /// Layers in a directory.
    Layers(MergedLayers),
}

impl MergeRequest {
    /// Checks that the output is a `.pvtu` that can be written, or a directory of layers.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for an ending other than .pvtu;
    /// [`Error::Io`](crate::Error::Io) or [`Error::File`](crate::Error::File) for a directory that
    /// does not take the file.
    pub fn check(&self) -> Result<()> {
        if are_layers(&self.output) {
            return Ok(());
        }
        check_ending(&self.output, &["pvtu"], "is not a .pvtu, nor a directory of layers")?;
        check_output(&self.output).map(drop)
    }

    /// Joins parts that were made from the same model with the same options, all of them.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Io`](crate::Error::Io) or
    /// [`Error::File`](crate::Error::File) if jobs, pieces or layers are missing, not complete, or
    /// of other parameters than the rest.
    pub fn run(&self, notes: &mut dyn Notes) -> Result<MergeReport> {
        let start = Instant::now();
        self.check()?;
        let (report, what, jobs) = if are_layers(&self.output) {
            let merged = merge_layers(&self.output)?;
            let (layers, jobs) = (counted(merged.layers, "layer"), merged.jobs);
            (MergeReport::Layers(merged), layers, jobs)
        } else {
            let merged = merge(&self.output)?;
            let (pieces, jobs) = (counted(merged.pieces, "piece"), merged.jobs);
            (MergeReport::Pieces(merged), pieces, jobs)
        };
        let what = format!("{what} of {}", counted(jobs, "job"));
        notes.status("Wrote", written(self.output.display(), what, start));
        Ok(report)
    }
}
