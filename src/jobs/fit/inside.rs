//! The inside of a solid while its boundary is fitted.

use std::collections::HashSet;

use crate::error::Result;
use crate::fit::{InsideMotion, SkinSteps, move_inside};
use crate::jobs::Notes;
use crate::mesh::SolidMesh;
use crate::topology::Topology;
use crate::untangle::{
    ElementBounds, LeastDeterminant, LimitUntangleResult, MAX_LIMIT_ROUNDS, untangle_limit,
};

/// A solid whose inner vertices moved until its limit is not folded, as far as that was found.
pub(super) struct Untangled {
    // control points of the boundary
    boundary: Vec<[f64; 3]>,
    /// Control points of the solid.
    pub points: Vec<[f64; 3]>,
    pub result: LimitUntangleResult,
}

impl Untangled {
    /// Untangles the limit of a mesh with these control points.
    pub fn new(
        mesh: &SolidMesh,
        (points, boundary): (Vec<[f64; 3]>, &[[f64; 3]]),
        notes: &mut dyn Notes,
    ) -> Result<Self> {
        let mut mesh = mesh.clone();
        mesh.points = points;
        let mut round = 0;
        let result = untangle_limit(&mut mesh, |_| {
            round += 1;
            notes.progress(round, MAX_LIMIT_ROUNDS)
        })?;
        Ok(Self { boundary: boundary.to_vec(), points: mesh.points, result })
    }
}

/// A solid, and what becomes of it when its boundary moves.
pub(super) struct Inside<'a> {
    mesh: &'a SolidMesh,
    topology: &'a Topology,
    bounds: ElementBounds<'a>,
    // vertices of the boundary, and of creases
    boundary: Vec<u32>,
    creased: HashSet<u32>,
    // for boundaries that were asked for
    untangled: Vec<Untangled>,
}

impl<'a> Inside<'a> {
    pub fn new(mesh: &'a SolidMesh, topology: &'a Topology, bounds: ElementBounds<'a>) -> Self {
        let vertices = 0..mesh.points.len() as u32;
        let boundary = vertices.filter(|&v| topology.is_boundary_vertex(v)).collect();
        let creased = mesh.creases.edges.iter().flat_map(|crease| crease.edge().map(|v| v.0));
        let creased = creased.collect();
        Self { mesh, topology, bounds, boundary, creased, untangled: Vec::new() }
    }

    /// All control points, for those of the boundary: inner ones follow.
    pub fn points(&self, boundary: &[[f64; 3]]) -> Result<Vec<[f64; 3]>> {
        let points = &self.mesh.points;
        let mut moves = vec![[0.0; 3]; points.len()];
        for (&v, to) in self.boundary.iter().zip(boundary) {
            let from = points[v as usize];
            moves[v as usize] = std::array::from_fn(|d| to[d] - from[d]);
        }
        move_inside(self.topology, points, &mut moves)?;
        let sum = |(p, m): (&[f64; 3], &[f64; 3])| std::array::from_fn(|d| p[d] + m[d]);
        Ok(points.iter().zip(&moves).map(sum).collect())
    }

    /// The least bound of det J over control points.
    pub fn least(&self, points: &[[f64; 3]]) -> LeastDeterminant {
        self.bounds.least(points)
    }

    /// The solid that was untangled with this boundary, if it was.
    pub fn untangled(self, boundary: &[[f64; 3]]) -> Option<Untangled> {
        self.untangled.into_iter().find(|found| found.boundary == boundary)
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
        let found = Untangled::new(self.mesh, (points, boundary), notes)?;
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
