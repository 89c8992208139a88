//! The limit of a surface as it is fitted.

use std::sync::OnceLock;

use super::skin_limit::{SkinLimit, SkinSamples};
use super::target::Target;
use super::volume_rule::VolumeRule;
use crate::error::Result;
use crate::mesh::SurfaceMesh;
use crate::scheme::{FaceShape, Stencils};
use crate::surface::limit::{GridLimit, LimitSurface, SurfaceGrid, SurfaceLocation};

/// Samples along each axis of a quad.
const SAMPLES: usize = 3;

/// The limit of the control points of a surface.
pub(super) struct ControlledLimit<'a> {
    mesh: &'a SurfaceMesh,
    surface: &'a LimitSurface,
    vertices: Stencils,
    // made when a target asks for them
    samples: OnceLock<SkinSamples>,
    grid: OnceLock<SurfaceGrid<'a>>,
    volume: VolumeRule<'a>,
}

impl<'a> ControlledLimit<'a> {
    pub fn new(mesh: &'a SurfaceMesh, surface: &'a LimitSurface) -> Result<Self> {
        let vertices = surface.vertex_masks().positions().clone();
        let volume = VolumeRule::new(surface, mesh)?;
        let (samples, grid) = Default::default();
        Ok(Self { mesh, surface, vertices, samples, grid, volume })
    }

    fn make_samples(&self) -> SkinSamples {
        let shape = self.surface.scheme().shape();
        let parameters = samples_of(shape);
        let whole = if shape == FaceShape::Triangle { 0.5 } else { 1.0 };
        let areas = vec![whole / parameters.len() as f64; parameters.len()];
        let elements = 0..self.surface.elements().len() as u32;
        let places: Vec<SurfaceLocation> = elements
            .flat_map(|element| parameters.iter().map(move |&p| (element, p)))
            .map(|(element, parameters)| SurfaceLocation { element, parameters })
            .collect();
        let faces = self.surface.elements().iter().map(|element| element.face).collect();
        SkinSamples { rows: self.surface.basis_rows(&places), faces, areas }
    }
}

impl SkinLimit for ControlledLimit<'_> {
    fn vertices(&self) -> &Stencils {
        &self.vertices
    }

    fn samples(&self) -> &SkinSamples {
        self.samples.get_or_init(|| self.make_samples())
    }

    fn evaluate(&self, points: &[[f64; 3]]) -> Result<(GridLimit, f64)> {
        let refined = self.surface.refined_points(points)?;
        let mut limit = GridLimit::default();
        let shape = self.surface.scheme().shape();
        let grid = self.grid.get_or_init(|| self.surface.grid_at(samples_of(shape), true));
        grid.evaluate(&refined, 0..self.surface.elements().len(), &mut limit)?;
        Ok((limit, self.volume.inside(&refined)?))
    }

    fn volume(&self, points: &[[f64; 3]]) -> Result<f64> {
        self.volume.inside(&self.surface.refined_points(points)?)
    }

    fn along(&self, sides: &[[usize; 2]], parts: &[f64]) -> Stencils {
        let place = |&[face, side]: &[usize; 2]| {
            let sides = self.mesh.faces.face(face).len();
            parts.iter().map(move |&part| place_on_edge(self.surface, [face, side, sides], part))
        };
        self.surface.basis_rows(&sides.iter().flat_map(place).collect::<Vec<_>>())
    }

    fn settle(&self, _points: &mut [[f64; 3]]) -> Result<()> {
        Ok(())
    }

    fn target(&self, points: &[[f64; 3]]) -> Result<Target> {
        let mut fitted = self.mesh.clone();
        fitted.points.copy_from_slice(points);
        Ok(Target::of_limit(&fitted, self.surface.scheme())?.0)
    }
}

/// Parameters of the samples of an element.
fn samples_of(shape: FaceShape) -> Vec<[f64; 2]> {
    match shape {
        FaceShape::Quad => {
            let at = |i: usize| (i as f64 + 0.5) / SAMPLES as f64;
            (0..SAMPLES * SAMPLES).map(|k| [at(k % SAMPLES), at(k / SAMPLES)]).collect()
        }
        FaceShape::Triangle => {
            let [a, b, c] = [1.0 / 6.0, 2.0 / 3.0, 1.0 / 3.0];
            vec![[a, a], [b, a], [a, b], [c, c]]
        }
    }
}

/// The place a part `s` of the way along side `i` of face `f` of `n` sides.
fn place_on_edge(surface: &LimitSurface, [f, i, n]: [usize; 3], s: f64) -> SurfaceLocation {
    let elements = surface.face_elements(f);
    let corners = surface.scheme().shape().corners();
    if elements.len() == 1 {
        let [a, b] = [corners[i], corners[(i + 1) % n]];
        let parameters = std::array::from_fn(|d| a[d] + s * (b[d] - a[d]));
        return SurfaceLocation { element: elements.start as u32, parameters };
    }
    let (corner, parameters) =
        if s <= 0.5 { (i, [2.0 * s, 0.0]) } else { ((i + 1) % n, [0.0, 2.0 - 2.0 * s]) };
    SurfaceLocation { element: (elements.start + corner) as u32, parameters }
}
