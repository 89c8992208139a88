//! The inside of a solid while its boundary is fitted.

use std::collections::HashSet;

use super::extended::Extended;
use crate::error::Result;
use crate::fit::{InsideMotion, SkinSteps, follow_boundary};
use crate::jobs::Notes;
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::topology::Topology;
use crate::untangle::{
    ElementBounds, LeastDeterminant, LimitFolds, LimitUntangleResult, MAX_LIMIT_ROUNDS,
    OrientedLimit, untangle_limit,
};

/// A solid whose inner vertices moved until its limit is not folded, as far as that was found.
struct Untangled {
    // control points of the boundary
    boundary: Vec<[f64; 3]>,
    // of the solid
    points: Vec<[f64; 3]>,
    result: LimitUntangleResult,
}

/// The inside of a solid, as far as it is not folded.
pub(super) struct Settled {
    /// Control points of the solid.
    pub points: Vec<[f64; 3]>,
    pub bound: LeastDeterminant,
    pub folds: LimitFolds,
}

/// What the inside of a solid follows.
#[derive(Clone, Copy)]
pub(super) enum Follow<'a> {
    /// The control points of its boundary.
    Surface(&'a Topology),
    /// The unknowns of a solid with ghosts.
    Unknowns(&'a Extended),
}

/// A solid, and what becomes of it when its boundary moves.
pub(super) struct Inside<'a> {
    mesh: &'a SolidMesh,
    follow: Follow<'a>,
    bounds: ElementBounds<'a>,
    // vertices of the boundary, and of creases
    boundary: Vec<u32>,
    creased: HashSet<u32>,
    // for boundaries that were asked for
    untangled: Vec<Untangled>,
}

impl<'a> Inside<'a> {
    pub fn new(mesh: &'a SolidMesh, follow: Follow<'a>, bounds: ElementBounds<'a>) -> Self {
        let vertices = 0..mesh.points.len() as u32;
        let boundary = match follow {
            Follow::Surface(topology) => {
                vertices.filter(|&v| topology.is_boundary_vertex(v)).collect()
            }
            Follow::Unknowns(_) => vertices.collect(),
        };
        let creased = mesh.creases.edges.iter().flat_map(|crease| crease.edge().map(|v| v.0));
        let creased = creased.collect();
        Self { mesh, follow, bounds, boundary, creased, untangled: Vec::new() }
    }

    /// All control points, for those of the boundary, which inner ones follow, or for unknowns.
    pub fn points(&self, boundary: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        match self.follow {
            Follow::Unknowns(extended) => Ok(extended.control_points(boundary)),
            Follow::Surface(topology) => {
                let mut points = self.mesh.points.clone();
                self.boundary.iter().zip(boundary).for_each(|(&v, to)| points[v as usize] = *to);
                follow_boundary(topology, &self.mesh.points, &mut points)?;
                Ok(points)
            }
        }
    }

    /// Untangles the limit of control points with these of the boundary.
    fn untangle(
        &self,
        (points, boundary): (Vec<[f64; 3]>, &[[f64; 3]]),
        notes: &mut dyn Notes,
    ) -> Result<Untangled> {
        let mut mesh = self.mesh.clone();
        mesh.points = points;
        let mut round = 0;
        let progress = |_| {
            round += 1;
            notes.progress(round, MAX_LIMIT_ROUNDS)
        };
        let result = match self.follow {
            Follow::Surface(_) => untangle_limit(&mut mesh, progress)?,
            Follow::Unknowns(extended) => extended.untangle(&mut mesh, progress)?,
        };
        Ok(Untangled { boundary: boundary.to_vec(), points: mesh.points, result })
    }

    /// The solid with this boundary, untangled if `untangle` says so and it changes anything: beside
    /// smooth edges, inner vertices do not.
    pub fn settled(
        mut self,
        (limit, untangle): (&OrientedLimit, bool),
        boundary: &[[f64; 3]],
        notes: &mut dyn Notes,
    ) -> Result<Settled> {
        let points = self.points(boundary)?;
        let (bound, folds) = (self.bounds.least(&points), limit.folds(&points)?);
        if !untangle || bound.negative == bound.at_smooth_edges && folds.folded == 0 {
            return Ok(Settled { points, bound, folds });
        }
        let known = self.untangled.iter().position(|found| found.boundary == boundary);
        let Untangled { points, result, .. } = match known {
            Some(at) => self.untangled.swap_remove(at),
            None => self.untangle((points, boundary), notes)?,
        };
        notes.status(
            "Untangled",
            format!(
                "{} of {} that may be folded: {} moved",
                result.before.negative.saturating_sub(result.after.negative),
                counted(result.before.negative, "element"),
                counted(result.moved, "vertex")
            ),
        );
        Ok(Settled { points, bound: result.after, folds: result.folds })
    }

    /// Which vertices of the boundary have cells that may be folded.
    fn folded(&self, points: &[[f64; 3]]) -> Vec<bool> {
        self.at_boundary(&self.bounds.open_cells(points))
    }

    /// Which of them still have some when the limit is untangled, those at creases apart: where these
    /// are concave, they fold wherever vertices go.
    fn left_folded(&mut self, boundary: &[[f64; 3]], notes: &mut dyn Notes) -> Result<Vec<bool>> {
        let is_own = |found: &&Untangled| found.boundary == boundary;
        if let Some(found) = self.untangled.iter().find(is_own) {
            return Ok(self.folded_off_creases(&found.points));
        }
        let points = self.points(boundary)?;
        let folded = self.folded_off_creases(&points);
        if !folded.contains(&true) {
            return Ok(folded);
        }
        let found = self.untangle((points, boundary), notes)?;
        let folded = self.folded_off_creases(&found.points);
        self.untangled.push(found);
        Ok(folded)
    }

    fn folded_off_creases(&self, points: &[[f64; 3]]) -> Vec<bool> {
        let mut cells = self.bounds.open_cells(points);
        let is_creased = |v: &u32| self.creased.contains(v);
        cells.retain(|&cell| !self.mesh.cells.vertices(cell as usize).iter().any(is_creased));
        self.at_boundary(&cells)
    }

    fn at_boundary(&self, cells: &[u32]) -> Vec<bool> {
        let vertices = cells.iter().map(|&cell| self.mesh.cells.vertices(cell as usize));
        let all: HashSet<u32> = vertices.flatten().copied().collect();
        self.boundary.iter().map(|v| all.contains(v)).collect()
    }
}

/// What the fit of a boundary tells the door and asks of the inside.
pub(super) struct Steps<'s, 'a> {
    pub notes: &'s mut dyn Notes,
    /// Rounds at most.
    pub rounds: usize,
    /// None for surfaces, and where nothing shall be done about folded cells.
    pub inside: Option<&'s mut Inside<'a>>,
}

impl SkinSteps for Steps<'_, '_> {
    fn round(&mut self, rounds: usize) -> Result<()> {
        self.notes.progress(rounds, self.rounds)
    }

    fn folded(&mut self, points: &[[f64; 3]], motion: InsideMotion) -> Result<Vec<bool>> {
        match (&mut self.inside, motion) {
            (None, _) => Ok(vec![false; points.len()]),
            (Some(inside), InsideMotion::Follows) => Ok(inside.folded(&inside.points(points)?)),
            (Some(inside), InsideMotion::Untangled) => inside.left_folded(points, self.notes),
        }
    }
}
