//! A solid with ghosts and what its control points follow from.

use crate::assembly::BoundaryBasis;
use crate::backend::Backend;
use crate::error::{Error, Result, option};
use crate::fit::{
    Deviation, LimitSystem, PatchLimit, SkinFit, SkinSteps, Target, fit_limit, follow_boundary,
};
use crate::limit::Solid;
use crate::mesh::{Attribute, Polygons, SolidMesh, SurfaceMesh};
use crate::numbers::vector::distance;
use crate::plan::Want;
use crate::quadrature::{Mapping, Quadrature, QuadratureScheme, Regions, Report, turns_at_ghosts};
use crate::scheme::Stencils;
use crate::surface::boundary_with_topology;
use crate::topology::Topology;
use crate::untangle::{LimitUntangleResult, UnknownMotion, untangle_unknowns};

/// Times that the boundary and the inside follow each other.
const PASSES: usize = 3;
/// Quadrature of volumes.
const VOLUMES: QuadratureScheme = QuadratureScheme { gauss: 4, rings: Some(2) };

/// Unknowns are values on the boundary and bends across it ([`BoundaryBasis`]). Bends stay 0, which is
/// the natural extrapolation, unless cells are folded: then they move with the vertices inside.
pub(super) struct Extended {
    solid: Solid,
    basis: BoundaryBasis,
    limit: Stencils,
    // limits over values where all bends are 0
    natural: Stencils,
    // [vertex] on the boundary of the solid
    is_boundary: Vec<bool>,
    // the vertices of the part
    vertices: Vec<[f64; 3]>,
    // the topology without ghosts
    inside: Topology,
}

impl Extended {
    /// Of a mesh whose points are the vertices of the part.
    pub fn new(mesh: &SolidMesh) -> Result<Self> {
        let solid = Solid::new(mesh)?;
        let topology = solid.topology();
        let basis = BoundaryBasis::new(&Regions::new(&solid, mesh)?)?;
        let limit = solid.limit_matrix();
        let natural = basis.natural_limits(&limit);
        let vertices = 0..mesh.points.len() as u32;
        let is_boundary = vertices.map(|v| topology.is_on_solid_boundary(v)).collect();
        let inside = Topology::of_mesh(&mesh.without_ghosts())?;
        let vertices = mesh.points.clone();
        Ok(Self { basis, limit, natural, is_boundary, vertices, inside, solid })
    }

    /// The faces that bound the solid, of a mesh of its topology.
    pub fn skin(&self, mesh: &SolidMesh) -> Result<SurfaceMesh> {
        boundary_with_topology(&mesh.without_ghosts(), &self.inside)
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

    /// Control points of unknowns.
    pub fn control_points(&self, unknowns: &[[f64; 3]]) -> Vec<[f64; 3]> {
        self.natural_points(unknowns.as_flattened(), 3).as_chunks::<3>().0.to_vec()
    }

    /// Unknowns whose limit passes through the vertices of the boundary; inner ones follow.
    pub fn through_vertices(&self, backend: &dyn Backend) -> Result<Vec<[f64; 3]>> {
        let system = LimitSystem::new(self.boundary_rows());
        let mut solver = system.solver(backend)?;
        let mut values = self.vertices.clone();
        for _ in 0..PASSES {
            let found = solver.solve(values.as_flattened(), 3)?;
            let found = found.as_chunks::<3>().0;
            let mut moved = self.vertices.clone();
            for v in (0..moved.len()).filter(|&v| self.is_boundary[v]) {
                // where groups of cells meet both sides move alike
                let image = self.basis.images().map_or(v, |images| images[v] as usize);
                let from = self.vertices[image];
                moved[v] = [0, 1, 2].map(|d| moved[v][d] + (found[image][d] - from[d]));
            }
            follow_boundary(&self.inside, &self.vertices, &mut moved)?;
            for (v, value) in values.iter_mut().enumerate().filter(|(v, _)| !self.is_boundary[*v]) {
                *value = moved[v];
            }
        }
        let found = solver.solve(values.as_flattened(), 3)?;
        Ok(found.as_chunks::<3>().0.to_vec())
    }

    /// Refuses what has other faces than those of its surface: where groups of cells meet, or images.
    pub fn check_target(&self) -> Result<()> {
        if self.basis.images().is_none() {
            return Ok(());
        }
        Err(Error::request(
            "fitting a solid with ghost cells at periods or between groups of cells to a target",
        )
        .with_help(message!(
            "give ",
            option("to", "vertices"),
            ", or fit before you extend"
        )))
    }

    /// Unknowns whose limit is near a target, from those whose limit passes through the vertices.
    pub fn fit(
        &self,
        (mesh, unknowns): (&SolidMesh, Vec<[f64; 3]>),
        (target, rounds): (&Target, usize),
        steps: &mut dyn SkinSteps,
    ) -> Result<SkinFit> {
        let skin = self.sharp_skin(&self.skin(mesh)?);
        let rows = self.boundary_rows();
        let limit = PatchLimit::new((&self.solid, &self.inside), &self.basis, &skin, rows)?;
        fit_limit(&skin, &limit, (self.vertices.clone(), unknowns), (Some(target), rounds), steps)
    }

    /// The faces of a [`Extended::skin`] over all vertices, with creases where ghosts make edges sharp.
    fn sharp_skin(&self, skin: &SurfaceMesh) -> SurfaceMesh {
        let topology = self.solid.topology();
        let kept: Vec<u32> =
            (0..).zip(&self.is_boundary).filter(|(_, kept)| **kept).map(|(v, _)| v).collect();
        let mut faces = Polygons::default();
        for face in skin.faces.iter() {
            faces.push(&face.iter().map(|&v| kept[v as usize]).collect::<Vec<u32>>());
        }
        let mut skin = SurfaceMesh::new(self.vertices.clone(), faces);
        for edge in (0..topology.edge_count() as u32).filter(|&e| turns_at_ghosts(topology, e)) {
            let [a, b] = topology.edge_vertices(edge);
            if topology.edge_faces(edge).iter().any(|&face| topology.bounds_solid(face)) {
                skin.creases.push_edge(a, b, f64::INFINITY);
            }
        }
        skin
    }

    /// Moves vertices inside and bends, as far as the boundary does not depend on them, until no cell is
    /// folded or nothing helps.
    pub fn untangle(
        &self,
        mesh: &mut SolidMesh,
        progress: impl FnMut(usize) -> Result<()>,
    ) -> Result<LimitUntangleResult> {
        let topology = self.solid.topology();
        let faces = 0..topology.face_count() as u32;
        let faces: Vec<u32> = faces.filter(|&face| topology.bounds_solid(face)).collect();
        let mut is_held = self.is_boundary.clone();
        for unknown in self.basis.held(&self.solid, &faces)?.unknowns {
            is_held[unknown as usize] = true;
        }
        let motion = UnknownMotion { controls: self.basis.matrix(), is_held: &is_held };
        untangle_unknowns(mesh, motion, progress)
    }

    /// A system of limits over values where all bends are 0.
    pub fn system(&self) -> LimitSystem {
        LimitSystem::new(self.natural.clone())
    }

    /// Makes the values of an array control values: its bends are 0.
    pub fn set_natural(&self, attribute: &mut Attribute) {
        attribute.values = self.natural_points(&attribute.values, attribute.width);
    }

    /// Values whose limit at the vertices of the boundary are these, and 0 inside.
    pub fn boundary_values(&self, values: &[f64], backend: &dyn Backend) -> Result<Vec<f64>> {
        let own = values.iter().zip(&self.is_boundary);
        let own: Vec<f64> = own.map(|(x, kept)| if *kept { *x } else { 0.0 }).collect();
        let found = LimitSystem::new(self.boundary_rows()).solver(backend)?.solve(&own, 1)?;
        Ok(self.natural_points(&found, 1))
    }

    /// Distances of limits from the vertices of the boundary.
    pub fn missed(&self, points: &[[f64; 3]]) -> Deviation {
        let limits = self.limits(points);
        let found = limits.iter().zip(&self.vertices).zip(&self.is_boundary);
        let found = found.filter(|(_, is_boundary)| **is_boundary);
        Deviation::new(found.map(|((limit, v), _)| (*limit, distance(*limit, *v), 1.0)))
    }

    /// Limits at vertices.
    pub fn limits(&self, points: &[[f64; 3]]) -> Vec<[f64; 3]> {
        self.limit.apply(points.as_flattened(), 3).as_chunks::<3>().0.to_vec()
    }

    pub fn volume(&self, mesh: &SolidMesh) -> Result<f64> {
        let quadrature = Quadrature::new(&self.solid, VOLUMES, Want::FIRST)?;
        Ok(Report::new(&Mapping::new(&quadrature, mesh.controls())?)?.volume)
    }
}
