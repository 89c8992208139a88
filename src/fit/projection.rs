//! Point arrays of a part's mesh as the nearest fields of its solid.

use crate::assembly::project;
use crate::error::Result;
use crate::limit::{Solid, VTK_CORNER};
use crate::mesh::{Attribute, Cells, SolidMesh};
use crate::plan::Want;
use crate::quadrature::{Mapping, Quadrature, QuadratureScheme};
use crate::refine::{refine_mesh, reorient};
use crate::scheme::VertexRule;

use super::nodes::refined_values;

/// Points of the projection: as many along an axis make the mass matrix definite.
const SCHEME: QuadratureScheme = QuadratureScheme { gauss: 4, rings: Some(2) };

/// Control values, `[vertex][width]` of each attribute, of the fields over the limit of `mesh` that
/// are nearest in the L2 norm to values at vertices, interpolated on cells by their parameters:
/// trilinearly on hexahedra, and on others by the linear functions of their shapes, which
/// interpolate trilinearly on each of their elements.
///
/// # Errors
/// As [`project`]; [`Error::Mesh`](crate::Error::Mesh) for cells without a common orientation.
pub fn project_attributes(mesh: &SolidMesh, values: &[Attribute]) -> Result<Vec<Vec<f64>>> {
    let width: usize = values.iter().map(|attribute| attribute.width).sum();
    if width == 0 {
        return Ok(vec![Vec::new(); values.len()]);
    }
    let mut oriented = mesh.clone();
    reorient(&mut oriented)?;
    let solid = Solid::new(&oriented)?;
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST)?;
    let at_corners = ElementCorners::new(&solid, &oriented, values)?;
    let mut points = Vec::with_capacity(quadrature.sample_count() * width);
    for (b, batch) in quadrature.batches().iter().enumerate() {
        let parameters = quadrature.parameters(b);
        let size = f64::from(quadrature.kind(b).1).exp2().recip();
        for &leaf in &batch.leaves {
            let origin = quadrature.origin(leaf);
            let element = solid.leaves()[leaf as usize].element as usize;
            for local in &parameters {
                let at = std::array::from_fn(|d| origin[d] + size * local[d]);
                at_corners.interpolate(element, at, &mut points);
            }
        }
    }
    let controls = project(&Mapping::new(&quadrature, mesh.controls())?, &points, width)?;
    let mut first = 0;
    let own = |attribute: &Attribute| {
        let components = first..first + attribute.width;
        first = components.end;
        let rows = controls.chunks_exact(width);
        rows.flat_map(|row| &row[components.clone()]).copied().collect()
    };
    Ok(values.iter().map(own).collect())
}

/// Values of all attributes at the corners of elements.
struct ElementCorners {
    // rows of the corners of each element, in binary order
    rows: Vec<[u32; 8]>,
    // [row][width]
    values: Vec<f64>,
    width: usize,
}

impl ElementCorners {
    /// `values` are at the vertices. Those at middles of edges, faces and cells, where cells are no
    /// hexahedra, are means.
    fn new(solid: &Solid, mesh: &SolidMesh, values: &[Attribute]) -> Result<Self> {
        let width = values.iter().map(|attribute| attribute.width).sum();
        let mut all = joined(values.iter().map(|own| (&own.values[..], own.width)), width);
        let first = mesh.points.len() as u32;
        let fine = if solid.has_corners() {
            let topology = solid.topology();
            let own: Vec<_> =
                values.iter().map(|own| (refined_values(topology, own), own.width)).collect();
            all.extend(joined(own.iter().map(|(values, width)| (&values[..], *width)), width));
            refine_mesh(mesh, 1, VertexRule::default())?.cells
        } else {
            Cells::default()
        };
        let mut child = 0;
        let rows = solid.elements().iter().map(|element| {
            let corners = match element.corner {
                None => element.corners,
                Some(_) => std::array::from_fn(|i| first + fine.vertices(child)[i]),
            };
            child += if element.corner.is_some() { 1 } else { 8 };
            VTK_CORNER.map(|i| corners[i])
        });
        Ok(Self { rows: rows.collect(), values: all, width })
    }

    /// Appends the values at a place of an element.
    fn interpolate(&self, element: usize, at: [f64; 3], to: &mut Vec<f64>) {
        let start = to.len();
        to.resize(start + self.width, 0.0);
        for (bits, &row) in self.rows[element].iter().enumerate() {
            let along = |d: usize| if bits >> d & 1 == 1 { at[d] } else { 1.0 - at[d] };
            let weight: f64 = (0..3).map(along).product();
            let own = &self.values[row as usize * self.width..][..self.width];
            to[start..].iter_mut().zip(own).for_each(|(sum, x)| *sum += weight * x);
        }
    }
}

/// Columns of several arrays side by side, `[row][width]`.
fn joined<'a>(arrays: impl Iterator<Item = (&'a [f64], usize)> + Clone, width: usize) -> Vec<f64> {
    let rows = arrays.clone().next().map_or(0, |(values, width)| values.len() / width);
    let mut all = Vec::with_capacity(rows * width);
    for row in 0..rows {
        arrays.clone().for_each(|(values, own)| all.extend(&values[row * own..][..own]));
    }
    all
}
