//! The limit of the boundary of a solid with ghosts as it is fitted: patches of its cells.

use std::collections::BTreeMap;

use nalgebra::Vector3;
use rayon::prelude::*;

use super::features::Features;
use super::inside::follow_boundary;
use super::skin_limit::{SkinLimit, SkinSamples};
use super::target::Target;
use crate::assembly::BoundaryBasis;
use crate::basis::gauss;
use crate::error::IdKind::Vertex;
use crate::error::{Error, Result};
use crate::limit::Solid;
use crate::mesh::{Creases, SurfaceMesh};
use crate::numbers::Csr;
use crate::numbers::vector::difference;
use crate::quadrature::{FaceTraces, TraceRow};
use crate::scheme::Stencils;
use crate::surface::limit::GridLimit;
use crate::topology::Topology;

/// Gauss points along each axis of a face.
const POINTS: usize = 4;
/// Samples along each side of a face, and along a sharp edge, of the limit as a target.
const GRID: usize = 6;
const LINE: usize = 9;
/// Weights below this are 0 but for rounding.
const ROUNDING: f64 = 1e-12;

/// The limit on the faces that bound a solid, over the values on the boundary and the vertices inside of
/// a [`BoundaryBasis`] whose bends are 0.
pub struct PatchLimit<'a> {
    mesh: &'a SurfaceMesh,
    basis: &'a BoundaryBasis,
    inside: &'a Topology,
    traces: FaceTraces<'a>,
    // [face of the boundary]
    faces: Vec<u32>,
    vertices: Stencils,
    samples: SkinSamples,
    // derivatives of the samples by s and t
    slopes: [Csr; 2],
}

impl<'a> PatchLimit<'a> {
    /// `mesh`: the faces that bound the solid, outward, over all of its vertices, with the vertices before
    /// they move; `vertices`: limits at these; `inside`: the topology of the solid without its ghosts.
    ///
    /// # Errors
    /// [`Error::Mesh`] for a face that is no side of a hexahedron.
    pub fn new(
        (solid, inside): (&'a Solid, &'a Topology),
        basis: &'a BoundaryBasis,
        mesh: &'a SurfaceMesh,
        vertices: Stencils,
    ) -> Result<Self> {
        let rule = gauss::rule(POINTS)?;
        let points = |k: usize| [rule.points[k % POINTS], rule.points[k / POINTS]];
        let points: Vec<[f64; 2]> = (0..POINTS * POINTS).map(points).collect();
        let weight = |k: usize| rule.weights[k % POINTS] * rule.weights[k / POINTS];
        let areas = (0..POINTS * POINTS).map(weight).collect();
        let topology = solid.topology();
        let faces = mesh.faces.iter().map(|face| {
            let missing = || Error::mesh("a face of the boundary is none of the solid");
            topology.face_with(face).ok_or_else(missing)
        });
        let faces = faces.collect::<Result<Vec<u32>>>()?;
        let mut own = Self {
            mesh,
            basis,
            inside,
            traces: FaceTraces::new(solid),
            vertices,
            samples: SkinSamples {
                rows: Stencils::build(0, |_, _| {}),
                faces: (0..faces.len() as u32).collect(),
                areas,
            },
            faces,
            slopes: Default::default(),
        };
        let all = (0..own.faces.len()).into_par_iter();
        let frames = all.map(|face| own.frames(face, &points)).collect::<Result<Vec<_>>>()?;
        let frames: Vec<[TraceRow; 3]> = frames.into_iter().flatten().collect();
        let width = topology.vertex_count();
        own.samples.rows = stencils(frames.iter().map(|[row, ..]| row));
        own.slopes = [1, 2].map(|way| csr(frames.iter().map(|frame| &frame[way]), width));
        Ok(own)
    }

    /// Limits at points of a face of the boundary and their derivatives, over the unknowns.
    fn frames(&self, face: usize, points: &[[f64; 2]]) -> Result<Vec<[TraceRow; 3]>> {
        let vertices = self.mesh.faces.face(face);
        let quad = <[u32; 4]>::try_from(vertices).ok();
        let frames = quad.and_then(|quad| self.traces.frames(self.faces[face], &quad, points));
        let frames = frames.ok_or_else(|| {
            let face = Vertex.ids(vertices.iter().copied());
            Error::mesh(message!("the boundary face of ", face, " is no side of a hexahedron"))
                .with_help("fit to vertices, or refine the mesh once before you extend it")
        })?;
        Ok(frames.into_iter().map(|frame| frame.map(|row| self.natural(&row))).collect())
    }

    fn natural(&self, row: &TraceRow) -> TraceRow {
        let mut own: BTreeMap<u32, f64> = BTreeMap::new();
        for &(control, weight) in row {
            for (unknown, value) in self.basis.natural(control) {
                *own.entry(unknown).or_default() += weight * value;
            }
        }
        own.into_iter().filter(|(_, weight)| weight.abs() > ROUNDING).collect()
    }

    /// Limits at points of faces, `[face][point]`.
    fn limits(&self, points: &[[f64; 3]], at: &[[f64; 2]]) -> Result<Vec<[f64; 3]>> {
        let faces = (0..self.faces.len()).into_par_iter();
        let rows = faces.map(|face| self.frames(face, at)).collect::<Result<Vec<_>>>()?;
        let rows = stencils(rows.iter().flatten().map(|[row, ..]| row));
        Ok(rows.apply(points.as_flattened(), 3).as_chunks::<3>().0.to_vec())
    }

    /// The limit of the sharp edges as lines.
    fn lines(&self, points: &[[f64; 3]]) -> Result<Features> {
        let mut sides: BTreeMap<[u32; 2], [usize; 2]> = BTreeMap::new();
        for (f, face) in self.mesh.faces.iter().enumerate() {
            for (i, &a) in face.iter().enumerate() {
                let b = face[(i + 1) % face.len()];
                sides.entry([a.min(b), a.max(b)]).or_insert([f, i]);
            }
        }
        let sharp = self.mesh.creases.edges.iter().map(|crease| crease.edge().map(|v| v.0));
        let own = sharp.filter_map(|[a, b]| sides.get(&[a.min(b), a.max(b)]).copied());
        let parts: Vec<f64> = (0..LINE).map(|k| k as f64 / (LINE - 1) as f64).collect();
        let rows = self.along(&own.collect::<Vec<_>>(), &parts);
        let on = rows.apply(points.as_flattened(), 3);
        let mut creases = Creases::default();
        for first in (0..rows.len()).step_by(LINE) {
            let ends = (first as u32..).take(LINE - 1);
            ends.for_each(|a| creases.push_edge(a, a + 1, f64::INFINITY));
        }
        Ok(Features::new(on.as_chunks::<3>().0, &creases))
    }
}

impl SkinLimit for PatchLimit<'_> {
    fn vertices(&self) -> &Stencils {
        &self.vertices
    }

    fn samples(&self) -> &SkinSamples {
        &self.samples
    }

    fn evaluate(&self, points: &[[f64; 3]]) -> Result<(GridLimit, f64)> {
        let positions = self.samples.rows.apply(points.as_flattened(), 3);
        // relative to a vertex, for the accuracy of small parts far from the origin
        let origin = positions.first_chunk::<3>().copied().unwrap_or_default();
        let local: Vec<[f64; 3]> = points.iter().map(|&p| difference(p, origin)).collect();
        let derivatives = self.slopes.each_ref().map(|rows| {
            let mut values = vec![0.0; positions.len()];
            rows.apply_wide(local.as_flattened(), 3, &mut values);
            values
        });
        let triples = |values: &[f64]| -> Vec<Vector3<f64>> {
            values.as_chunks::<3>().0.iter().map(|x| Vector3::from(*x)).collect()
        };
        let [d_s, d_t] = derivatives.each_ref().map(|values| triples(values));
        let across: Vec<Vector3<f64>> = d_s.iter().zip(&d_t).map(|(s, t)| s.cross(t)).collect();
        let from = Vector3::from(origin);
        let flux = across.iter().zip(triples(&positions)).zip(self.samples.areas.iter().cycle());
        let volume = flux.map(|((across, x), area)| area * across.dot(&(x - from)) / 3.0).sum();
        let unit = |x: &Vector3<f64>| <[f64; 3]>::from(x / x.norm());
        let normals = across.iter().flat_map(unit).collect();
        Ok((GridLimit { positions, derivatives, normals }, volume))
    }

    fn volume(&self, points: &[[f64; 3]]) -> Result<f64> {
        Ok(self.evaluate(points)?.1)
    }

    fn along(&self, sides: &[[usize; 2]], parts: &[f64]) -> Stencils {
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let rows = |&[face, side]: &[usize; 2]| {
            let [from, to] = [corners[side % 4], corners[(side + 1) % 4]];
            let place = |part: &f64| [0, 1].map(|d| from[d] + part * (to[d] - from[d]));
            // all faces are sides of hexahedra: it was checked
            self.frames(face, &parts.iter().map(place).collect::<Vec<_>>()).unwrap_or_default()
        };
        let rows: Vec<[TraceRow; 3]> = sides.par_iter().flat_map_iter(rows).collect();
        stencils(rows.iter().map(|[row, ..]| row))
    }

    /// Vertices inside follow those of the boundary.
    fn settle(&self, points: &mut [[f64; 3]]) -> Result<()> {
        follow_boundary(self.inside, &self.mesh.points, points)
    }

    fn target(&self, points: &[[f64; 3]]) -> Result<Target> {
        let at = |k: usize| [k % GRID, k / GRID].map(|i| i as f64 / (GRID - 1) as f64);
        let limits = self.limits(points, &(0..GRID * GRID).map(at).collect::<Vec<_>>())?;
        let mut triangles = Vec::new();
        for own in limits.chunks_exact(GRID * GRID) {
            for (i, j) in (0..GRID - 1).flat_map(|j| (0..GRID - 1).map(move |i| (i, j))) {
                let [a, b, c, d] = [0, 1, GRID + 1, GRID].map(|step| own[i + GRID * j + step]);
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
        Ok(Target::of_triangles(triangles, self.lines(points)?))
    }
}

fn stencils<'r>(rows: impl Iterator<Item = &'r TraceRow>) -> Stencils {
    let rows: Vec<&TraceRow> = rows.collect();
    Stencils::build(rows.len(), |r, row| rows[r].iter().for_each(|&(v, weight)| row.add(v, weight)))
}

fn csr<'r>(rows: impl Iterator<Item = &'r TraceRow>, width: usize) -> Csr {
    let mut own = Csr { starts: vec![0], width, ..Csr::default() };
    for row in rows {
        row.iter().for_each(|&(v, weight)| own.push(v, weight));
        own.starts.push(own.columns.len());
    }
    own
}
