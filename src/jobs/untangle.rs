//! Untangles a solid: inner vertices move until control cells, or the limit, are not folded.

use serde::{Deserialize, Serialize};

use super::Notes;
use crate::error::{Error, Message, Result, option};
use crate::mesh::SolidMesh;
use crate::numbers::{by_count, counted};
use crate::untangle::{
    BoundaryMotion, LeastDeterminant, LimitFolds, MAX_LIMIT_ROUNDS, MAX_ROUNDS, UntangleResult,
    least_determinant, untangle, untangle_limit,
};

/// What is asked of untangling.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct UntangleRequest {
    /// Move inner vertices until det J of the limit is positive, for cells of all kinds; without
    /// it, until the control cells, hexahedra, are not folded
    #[cfg_attr(feature = "cli", arg(long, conflicts_with = "boundary"))]
    pub limit: bool,
    /// How vertices of the boundary move
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub boundary: BoundaryMotion,
}

/// What untangling did.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct UntangleReport {
    /// Result for the cells of the control mesh; null where the limit is untangled.
    pub control: Option<UntangleResult>,
    /// The limit before untangling.
    pub limit_before: LeastDeterminant,
    /// The limit after untangling.
    pub limit_after: LeastDeterminant,
    /// Folded cells of the limit after untangling.
    pub limit_folds: LimitFolds,
}

impl UntangleRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for a boundary that slides where the limit is untangled.
    pub fn check(&self) -> Result<()> {
        if self.limit && self.boundary == BoundaryMotion::Slide {
            return Err(Error::request("the boundary stays where the limit is untangled")
                .with_help(message!("leave out ", option("boundary", "slide"))));
        }
        Ok(())
    }

    /// Untangles a mesh: moves control points.
    ///
    /// # Errors
    /// As [all jobs](crate::jobs#errors); [`Error::Mesh`] for cells that are not hexahedra. The
    /// mesh is as it was then.
    pub fn run(&self, mesh: &mut SolidMesh, notes: &mut dyn Notes) -> Result<UntangleReport> {
        self.check()?;
        let mut rounds = 0;
        let mut progress = |most| {
            rounds += 1;
            notes.progress(rounds, most)
        };
        if self.limit {
            let done = untangle_limit(mesh, |_| progress(MAX_LIMIT_ROUNDS))?;
            notes.status("Moved", counted(done.moved, "vertex"));
            return Ok(UntangleReport {
                control: None,
                limit_before: done.before,
                limit_after: done.after,
                limit_folds: done.folds,
            });
        }
        let limit_before = least_determinant(mesh)?;
        let control = untangle(mesh, self.boundary, |_| progress(MAX_ROUNDS))?;
        let slid = match self.boundary {
            BoundaryMotion::Fixed => String::new(),
            BoundaryMotion::Slide => {
                let UntangleResult { slid, can_slide, stay, .. } = control;
                format!("; of the boundary {slid} of {can_slide} that can slide, {stay} stay")
            }
        };
        notes.status("Moved", format!("{}{slid}", counted(control.moved, "vertex")));
        control.notices(self.boundary).for_each(|notice| notes.warn(notice.into()));
        let limit_after = if control.moved > 0 { least_determinant(mesh)? } else { limit_before };
        let limit_folds = control.limit_after;
        Ok(UntangleReport { control: Some(control), limit_before, limit_after, limit_folds })
    }
}

impl UntangleReport {
    /// What is still folded, and the likely reason; `None` where nothing is.
    pub fn missed(&self, request: &UntangleRequest) -> Option<Message> {
        let are = |count| by_count(count, "is", "are");
        let Some(UntangleResult { after, fixed, .. }) = self.control else {
            let LeastDeterminant { negative, at_smooth_edges, folded, element, .. } =
                self.limit_after;
            let open = negative - at_smooth_edges;
            let cells = self.limit_folds.folded;
            return (open > 0 || cells > 0).then(|| {
                format!(
                    "{} {} no positive bound of det J, {folded} of them {} folded (the worst: {element}), \
                     and {} at 5³ Gauss points: \
                     refine the mesh for more inner vertices, or look for concave creases between \
                     two cells",
                    counted(open, "element"),
                    by_count(open, "has", "have"),
                    are(folded),
                    counted(cells, "cell")
                )
                .into()
            });
        };
        if after.non_positive == 0 {
            return None;
        }
        let slide = match request.boundary {
            BoundaryMotion::Fixed => message!("; try ", option("boundary", "slide")),
            BoundaryMotion::Slide => message!(""),
        };
        let why = match fixed {
            0 => message!(
                "the boundary may leave no room",
                slide,
                ", or refine it for more inner vertices"
            ),
            _ => message!(
                format!("{fixed} of them {} so at corners whose vertices all stay", are(fixed)),
                slide,
                ", or move them in the model"
            ),
        };
        Some(message!(
            format!(
                "{} {} still folded or flat (the worst: cell {}): ",
                counted(after.non_positive, "cell"),
                are(after.non_positive),
                after.cell
            ),
            why
        ))
    }
}
