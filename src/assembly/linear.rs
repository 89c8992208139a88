//! Matrices of linear elements between the vertices: trilinear hexahedra, and the tetrahedra that
//! other cells are cut into. With points of the limit for vertices they precondition the matrices of
//! the limit ([`crate::solve`]).

use std::sync::Arc;

use nalgebra::{Matrix3, Vector3};
use rayon::prelude::*;

use super::element::{AssemblyWorkspace, LeafMatrices};
use super::matrix::{Matrix, Pattern};
use super::{CellOperators, check_finite};
use crate::error::Result;
use crate::interrupt::stop_point;
use crate::mesh::{CORNERS, CellKind};
use crate::topology::Topology;

/// Cells whose matrices wait together.
const CELLS: usize = 4096;
/// Coordinates of the Gauss points of a hexahedron, ± in [-1, 1].
const GAUSS: f64 = 0.577_350_269_189_625_8;
/// Determinants are taken as at least this part of their mean over the cell, so that folded and flat
/// cells have finite, positive energies.
const LEAST_DETERMINANT: f64 = 0.05;

/// The stiffness of linear elements with these vertices, for heat conduction or elasticity: positive
/// definite but for rigid motions, also of folded cells. Of ghosts there is none.
///
/// # Errors
/// As [`CellOperators::check`]; [`Error::Request`](crate::Error::Request) for numbers that overflow.
pub fn assemble_linear(
    topology: &Topology,
    vertices: &[[f64; 3]],
    operators: &CellOperators,
) -> Result<Matrix> {
    operators.check()?;
    let (width, cells) = (operators.width(), topology.cells());
    let own: Vec<u32> = (0..cells.len() as u32).filter(|&cell| !topology.is_ghost(cell)).collect();
    let nets: Vec<&[u32]> = own.iter().map(|&cell| cells.vertices(cell as usize)).collect();
    let pattern = Arc::new(Pattern::of_nets(&nets, vertices.len()));
    let mut matrix = Matrix::zeros(pattern, width);
    for first in (0..nets.len()).step_by(CELLS) {
        let group = first..(first + CELLS).min(nets.len());
        let numbers = |net: usize| (nets[net].len() * width).pow(2);
        let mut room = vec![0.0; group.clone().map(numbers).sum()];
        let mut rest = room.as_mut_slice();
        let mut rooms = Vec::with_capacity(group.len());
        for net in group.clone() {
            let (own, others) = std::mem::take(&mut rest).split_at_mut(numbers(net));
            rooms.push(own);
            rest = others;
        }
        let element = |work: &mut AssemblyWorkspace, (net, room): (usize, _)| {
            stop_point();
            let cell = own[net];
            let corners: Vec<Vector3<f64>> =
                nets[net].iter().map(|&v| vertices[v as usize].into()).collect();
            let samples = match topology.cells().kind(cell as usize) {
                CellKind::Hexahedron => hexahedron(&corners, work),
                _ => tetrahedra(topology, cell, &corners, work),
            };
            LeafMatrices::of_one(nets[net], samples, *operators.form(cell), work, room)
        };
        let found: Vec<LeafMatrices<'_>> = group
            .into_par_iter()
            .zip(rooms)
            .map_init(AssemblyWorkspace::default, |work, own| element(work, own))
            .collect();
        matrix.add(&[found], 0);
    }
    check_finite(&[operators.of(0)], std::slice::from_ref(&matrix))?;
    Ok(matrix)
}

/// Gradients and measures at the Gauss points of a trilinear cell; returns their number.
fn hexahedron(corners: &[Vector3<f64>], work: &mut AssemblyWorkspace) -> usize {
    let signs = CORNERS.map(|corner| corner.map(|x| 2.0 * x as f64 - 1.0));
    let points: [(Vec<Vector3<f64>>, Matrix3<f64>); 8] = signs.map(|sign| {
        let at = sign.map(|s| s * GAUSS);
        let derivatives: Vec<Vector3<f64>> = signs
            .iter()
            .map(|c| {
                let f: [f64; 3] = std::array::from_fn(|d| 1.0 + c[d] * at[d]);
                Vector3::new(c[0] * f[1] * f[2], c[1] * f[0] * f[2], c[2] * f[0] * f[1]) / 8.0
            })
            .collect();
        let jacobian = corners.iter().zip(&derivatives).map(|(x, d)| x * d.transpose()).sum();
        (derivatives, jacobian)
    });
    let mean = points.iter().map(|(_, jacobian)| jacobian.determinant().abs()).sum::<f64>() / 8.0;
    let least = (LEAST_DETERMINANT * mean).max(f64::MIN_POSITIVE);
    begin(work);
    for (derivatives, jacobian) in points {
        let determinant = jacobian.determinant().abs().max(least);
        // gradients are J⁻ᵀ times derivatives; the adjugate exists where the inverse does not
        let inverse = adjugate(&jacobian) / determinant;
        let gradients: Vec<Vector3<f64>> =
            derivatives.iter().map(|d| inverse.transpose() * d).collect();
        work.mapped.measures.push(determinant);
        (0..3).for_each(|d| work.gradients.extend(gradients.iter().map(|g| g[d])));
    }
    8
}

/// Gradients and measures of the tetrahedra between the least vertex of a cell and the triangles of
/// the faces across, which are fans about their own least vertices: the same from both cells at a
/// face. Returns their number.
fn tetrahedra(
    topology: &Topology,
    cell: u32,
    corners: &[Vector3<f64>],
    work: &mut AssemblyWorkspace,
) -> usize {
    let vertices = topology.cells().vertices(cell as usize);
    let place = |v: u32| vertices.iter().position(|&own| own == v).unwrap_or(0);
    let apex = vertices.iter().copied().min().unwrap_or(0);
    let mut found: Vec<[usize; 4]> = Vec::new();
    for &face in topology.cell_faces(cell) {
        let face = topology.face_vertices(face);
        if face.contains(&apex) {
            continue;
        }
        let start = (0..face.len()).min_by_key(|&i| face[i]).unwrap_or(0);
        let at = |i: usize| place(face[(start + i) % face.len()]);
        found.extend((1..face.len() - 1).map(|i| [place(apex), at(0), at(i), at(i + 1)]));
    }
    let jacobian = |own: &[usize; 4]| {
        Matrix3::from_columns(&[1, 2, 3].map(|k| corners[own[k]] - corners[own[0]]))
    };
    let sum: f64 = found.iter().map(|own| jacobian(own).determinant().abs()).sum();
    let least = (LEAST_DETERMINANT * sum / found.len().max(1) as f64).max(f64::MIN_POSITIVE);
    begin(work);
    for own in &found {
        let jacobian = jacobian(own);
        let determinant = jacobian.determinant().abs().max(least);
        let inverse = adjugate(&jacobian) / determinant;
        let mut gradients = vec![Vector3::zeros(); corners.len()];
        for k in 1..4 {
            let gradient: Vector3<f64> = inverse.row(k - 1).transpose();
            gradients[own[k]] += gradient;
            gradients[own[0]] -= gradient;
        }
        work.mapped.measures.push(determinant / 6.0);
        (0..3).for_each(|d| work.gradients.extend(gradients.iter().map(|g| g[d])));
    }
    found.len()
}

fn begin(work: &mut AssemblyWorkspace) {
    work.mapped.measures.clear();
    work.gradients.clear();
}

/// The inverse times the determinant.
fn adjugate(matrix: &Matrix3<f64>) -> Matrix3<f64> {
    let [a, b, c] = [0, 1, 2].map(|k| Vector3::from(matrix.column(k)));
    Matrix3::from_rows(&[b.cross(&c).transpose(), c.cross(&a).transpose(), a.cross(&b).transpose()])
}
