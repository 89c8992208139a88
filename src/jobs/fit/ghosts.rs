//! Fits a solid with ghost cells: the limit of its boundary passes through the vertices, ghosts follow.
//!
//! Unknowns are values on the boundary and bends across it ([`BoundaryBasis`]). Bends stay 0, which is
//! the natural extrapolation, unless cells are folded: then they move with the vertices inside.

use std::time::Instant;

use super::super::Notes;
use super::report::FitReport;
use super::request::{FitAttributes, FitRequest, FitTarget};
use super::{SOLID_ENTRIES, interpolate};
use crate::assembly::BoundaryBasis;
use crate::backend::Backend;
use crate::error::{Error, IdKind, Result, option};
use crate::fit::{Deviation, LimitSolver, LimitSystem, move_inside};
use crate::limit::Solid;
use crate::mesh::SolidMesh;
use crate::numbers::counted;
use crate::numbers::vector::distance;
use crate::plan::Want;
use crate::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions, Report};
use crate::scheme::Stencils;
use crate::topology::Topology;
use crate::untangle::{MAX_LIMIT_ROUNDS, OrientedLimit, UnknownMotion, untangle_unknowns};

/// Times that the boundary and the inside follow each other.
const PASSES: usize = 3;
/// Quadrature of volumes.
const VOLUMES: QuadratureScheme = QuadratureScheme { gauss: 4, rings: Some(2) };

/// A solid with ghosts and what its control points follow from.
struct Extended {
    solid: Solid,
    basis: BoundaryBasis,
    limit: Stencils,
    // limits over values where all bends are 0
    natural: Stencils,
    // [vertex] on the boundary of the solid
    is_boundary: Vec<bool>,
    // the vertices of the part
    vertices: Vec<[f64; 3]>,
}

impl FitRequest {
    /// [`FitRequest::run_solid`] of a solid with ghosts.
    pub(super) fn run_extended(
        &self,
        mesh: &mut SolidMesh,
        notes: &mut dyn Notes,
    ) -> Result<FitReport> {
        let started = Instant::now();
        self.check_extended()?;
        let own = Extended::new(mesh)?;
        let attributes = self.interpolated(&mesh.attributes);
        let products = SOLID_ENTRIES * (3 * mesh.points.len() + attributes);
        let backend = self.processor(products, notes)?;
        if attributes > 0 {
            own.fit_attributes(mesh, &*backend)?;
        }
        let limit = OrientedLimit::new(mesh)?;
        let bounds = limit.bounds()?;
        let before = bounds.least(&mesh.points);
        let (missed, volume) = (own.missed(&mesh.points), own.volume(mesh)?);
        let system = LimitSystem::new(own.boundary_rows());
        let mut solver = system.solver(&*backend)?;
        mesh.points = own.through_vertices(&mut solver, mesh)?;
        let mut bound = bounds.least(&mesh.points);
        if bound.negative > 0 && !self.no_untangle {
            own.untangle(mesh, notes)?;
            let after = bounds.least(&mesh.points);
            let counts = [bound, after].map(|bound| bound.negative);
            notes.status(
                "Untangled",
                format!(
                    "{} of {} that may be folded",
                    counts[0].saturating_sub(counts[1]),
                    counted(counts[0], "element")
                ),
            );
            bound = after;
        }
        let open = bounds.open_cells(&mesh.points);
        if !open.is_empty() {
            let cells = IdKind::Cell.ids(open.iter().copied());
            notes.warn(message!(counted(open.len(), "cell"), " may be folded: ", cells));
        }
        mesh.is_fitted = true;
        Ok(FitReport {
            vertices: [missed, own.missed(&mesh.points)],
            target: None,
            target_from_limit: None,
            rounds: Vec::new(),
            volume: [volume, own.volume(mesh)?],
            target_volume: None,
            drift: 0.0,
            unmatched_length: 0.0,
            levels: 0,
            determinant_before: Some(before),
            determinant: Some(bound),
            folds: Some(limit.folds(&mesh.points)?),
            within_tolerance: None,
            seconds: started.elapsed().as_secs_f64(),
        })
    }

    fn check_extended(&self) -> Result<()> {
        let (name, value, instead) = match (&self.to, self.attributes) {
            (FitTarget::Facets, _) => ("to", "facets".to_owned(), "vertices"),
            (FitTarget::File(path), _) => ("to", path.display().to_string(), "vertices"),
            (_, FitAttributes::Project) => ("attributes", "project".to_owned(), "interpolate"),
            _ => return Ok(()),
        };
        Err(Error::request(message!("fitting a solid with ghost cells: no ", option(name, value)))
            .with_help(message!("give ", option(name, instead), ", or fit before you extend")))
    }
}

impl Extended {
    fn new(mesh: &SolidMesh) -> Result<Self> {
        let solid = Solid::new(mesh)?;
        let topology = solid.topology();
        let basis = BoundaryBasis::new(&Regions::new(&solid, mesh)?)?;
        let limit = solid.limit_matrix();
        let natural = basis.natural_limits(&limit);
        let vertices = 0..mesh.points.len() as u32;
        let is_boundary = vertices.map(|v| topology.is_on_solid_boundary(v)).collect();
        Ok(Self { basis, limit, natural, is_boundary, vertices: mesh.points.clone(), solid })
    }

    /// Limits of the vertices of the boundary; others are as they are.
    fn boundary_rows(&self) -> Stencils {
        Stencils::build(self.natural.len(), |v, row| {
            if self.is_boundary[v] {
                self.natural.row(v).for_each(|(column, weight)| row.add(column, weight));
            } else {
                row.add(v as u32, 1.0);
            }
        })
    }

    /// Control points of unknowns, of which bends are taken as 0.
    fn natural_points(&self, unknowns: &[f64], width: usize) -> Vec<f64> {
        let mut unknowns = unknowns.to_vec();
        let rows = unknowns.chunks_exact_mut(width).zip(self.basis.is_bend());
        rows.filter(|(_, is_bend)| **is_bend).for_each(|(row, _)| row.fill(0.0));
        self.basis.control_values(&unknowns, width)
    }

    /// Control points whose limit passes through the vertices of the boundary; inner ones follow.
    fn through_vertices(
        &self,
        solver: &mut LimitSolver<'_>,
        mesh: &SolidMesh,
    ) -> Result<Vec<[f64; 3]>> {
        let inside = Topology::of_mesh(&mesh.without_ghosts())?;
        let mut values = self.vertices.clone();
        for _ in 0..PASSES {
            let found = solver.solve(values.as_flattened(), 3)?;
            let found = found.as_chunks::<3>().0;
            let mut moves = vec![[0.0; 3]; values.len()];
            for (v, to) in found.iter().enumerate().filter(|(v, _)| self.is_boundary[*v]) {
                moves[v] = [0, 1, 2].map(|d| to[d] - self.vertices[v][d]);
            }
            // where groups of cells meet both sides move alike
            for (v, &image) in self.basis.images().unwrap_or_default().iter().enumerate() {
                moves[v] = moves[image as usize];
            }
            move_inside(&inside, &self.vertices, &mut moves)?;
            for (v, value) in values.iter_mut().enumerate().filter(|(v, _)| !self.is_boundary[*v]) {
                *value = [0, 1, 2].map(|d| self.vertices[v][d] + moves[v][d]);
            }
        }
        let found = solver.solve(values.as_flattened(), 3)?;
        Ok(self.natural_points(&found, 3).as_chunks::<3>().0.to_vec())
    }

    /// Moves vertices inside and bends, as far as the boundary does not depend on them, until no cell is
    /// folded or nothing helps.
    fn untangle(&self, mesh: &mut SolidMesh, notes: &mut dyn Notes) -> Result<()> {
        let topology = self.solid.topology();
        let faces = 0..topology.face_count() as u32;
        let faces: Vec<u32> = faces.filter(|&face| topology.bounds_solid(face)).collect();
        let mut is_held = self.is_boundary.clone();
        for unknown in self.basis.held(&self.solid, &faces)?.unknowns {
            is_held[unknown as usize] = true;
        }
        let motion = UnknownMotion { controls: self.basis.matrix(), is_held: &is_held };
        let mut round = 0;
        untangle_unknowns(mesh, motion, |_| {
            round += 1;
            notes.progress(round, MAX_LIMIT_ROUNDS)
        })?;
        Ok(())
    }

    /// Gives attributes the control values of their values at vertices.
    fn fit_attributes(&self, mesh: &mut SolidMesh, backend: &dyn Backend) -> Result<()> {
        let system = LimitSystem::new(self.natural.clone());
        interpolate(&system, backend, &mut mesh.attributes)?;
        for attribute in mesh.attributes.iter_mut().filter(|attribute| !attribute.is_normals()) {
            attribute.values = self.natural_points(&attribute.values, attribute.width);
        }
        Ok(())
    }

    /// Distances of limits from the vertices of the boundary.
    fn missed(&self, points: &[[f64; 3]]) -> Deviation {
        let limits = self.limit.apply(points.as_flattened(), 3);
        let found = limits.as_chunks::<3>().0.iter().zip(&self.vertices).zip(&self.is_boundary);
        let found = found.filter(|(_, is_boundary)| **is_boundary);
        Deviation::new(found.map(|((limit, v), _)| (*limit, distance(*limit, *v), 1.0)))
    }

    fn volume(&self, mesh: &SolidMesh) -> Result<f64> {
        let quadrature = Quadrature::new(&self.solid, VOLUMES, Want::FIRST)?;
        Ok(Report::new(&Mapping::new(&quadrature, mesh.controls())?)?.volume)
    }
}
