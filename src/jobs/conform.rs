//! Makes a mesh conforming, so that its limit can be evaluated.

use serde::{Deserialize, Serialize};

use super::Notes;
use crate::conform::{ConformResult, conform};
use crate::error::{Error, Result, option};
use crate::mesh::SolidMesh;
use crate::numbers::{by_count, counted};

/// A change of the volume beyond this part of it is said.
const VOLUME_TOLERANCE: f64 = 1e-9;

/// Default depth of layers: with 0.5 the limit folds beside their corners, with 0.65 cells of trees are
/// no longer seen whole from their middles.
const LAYER_DEPTH: f64 = 0.6;

/// What is asked of making a mesh conforming.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct ConformRequest {
    /// Part of the smaller cells beside larger ones that the layers between them take, above 0 and
    /// below 1
    #[cfg_attr(feature = "cli", arg(long, value_name = "PART", default_value_t = LAYER_DEPTH))]
    pub layer_depth: f64,
}

impl Default for ConformRequest {
    fn default() -> Self {
        Self { layer_depth: LAYER_DEPTH }
    }
}

/// What was found, what became of it, and the mesh before and after.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ConformReport {
    /// Number of vertices before.
    pub vertices_before: usize,
    /// Number of vertices after.
    pub vertices_after: usize,
    /// Number of cells before.
    pub cells_before: usize,
    /// Number of cells after.
    pub cells_after: usize,
    /// The defects, and what became of them.
    #[serde(flatten)]
    pub done: ConformResult,
}

impl ConformRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for a depth that is not above 0 and below 1.
    pub fn check(&self) -> Result<()> {
        if self.layer_depth > 0.0 && self.layer_depth < 1.0 {
            return Ok(());
        }
        Err(Error::request(message!(option("layer_depth", self.layer_depth), " is out of range"))
            .with_help("give a number above 0 and below 1"))
    }

    /// Makes a mesh conforming.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Mesh`] naming what cannot be resolved. The mesh
    /// is as it was then.
    pub fn run(&self, mesh: &mut SolidMesh, notes: &mut dyn Notes) -> Result<ConformReport> {
        self.check()?;
        notes.begin("Conforming");
        let mut conforming = mesh.clone();
        let done = conform(&mut conforming, self.layer_depth)?;
        let report = ConformReport {
            vertices_before: mesh.points.len(),
            vertices_after: conforming.points.len(),
            cells_before: mesh.cells.len(),
            cells_after: conforming.cells.len(),
            done,
        };
        *mesh = conforming;
        let bad = done.covered_faces + done.bad_cells + done.doubled_vertices;
        let cells = done.collapsed + done.flat + done.repeated;
        let left_out = done.unused + done.lost_faces;
        let what = if bad + cells + left_out == 0 { "nothing to do" } else { "defects resolved" };
        notes.status("Conformed", format!("{}: {what}", mesh.counts()));
        let [before, after] = [done.volume_before, done.volume_after];
        if (after - before).abs() > VOLUME_TOLERANCE * before {
            notes.warn(
                format!(
                    "the volume changed by {:.1e} of it: smaller cells beside larger ones do not lie \
                     where the larger ones split in two would, and the boundary there is curved",
                    (after - before) / before
                )
                .into(),
            );
        }
        Ok(report)
    }
}

impl ConformReport {
    /// The counts of a report, a line for each defect that was found.
    pub fn lines(&self) -> Vec<String> {
        let ConformResult { collapsed, flat, repeated, unused, lost_faces, .. } = self.done;
        let ConformResult { covered_faces, split_cells, layer_cells, .. } = self.done;
        let ConformResult { bad_cells, star_cells, column_cells, doubled_vertices, .. } = self.done;
        let were = |count| by_count(count, "was", "were");
        let mut lines = Vec::new();
        let mut say = |count: usize, line: String| lines.extend((count > 0).then_some(line));
        say(collapsed, format!("{} with repeated corners collapsed", counted(collapsed, "cell")));
        say(flat, format!("{} {} flat and left out", counted(flat, "cell"), were(flat)));
        say(
            repeated,
            format!(
                "{} repeated an earlier one and {} left out",
                counted(repeated, "cell"),
                were(repeated)
            ),
        );
        say(unused, format!("{} of no cell {} left out", counted(unused, "vertex"), were(unused)));
        say(
            lost_faces,
            format!(
                "{} of groups that no cell has {} left out",
                counted(lost_faces, "face"),
                were(lost_faces)
            ),
        );
        say(
            covered_faces,
            format!(
                "{} covered by four smaller ones: {} of layers, and {} split into eight",
                counted(covered_faces, "face"),
                counted(layer_cells, "cell"),
                counted(split_cells, "cell")
            ),
        );
        say(
            bad_cells,
            format!(
                "{} with other corners than of three faces: {} split into tetrahedra, and {} into four \
                 wedges",
                counted(bad_cells, "cell"),
                counted(star_cells, "cell"),
                counted(column_cells, "hexahedron")
            ),
        );
        say(
            doubled_vertices,
            format!("{} doubled where cells touched", counted(doubled_vertices, "vertex")),
        );
        lines
    }
}
