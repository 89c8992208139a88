//! Mean curvature flow.

use super::products::CotangentProducts;
use super::{cotangent, triangles};
use crate::error::{Error, Result};
use crate::mesh::{SurfaceMesh, marked_vertices};
use crate::query::{Op, Query, QueryStrategy};

/// Where the cotangent weights of a solve come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cotangents {
    /// Stored weights: a CPU solves by Cholesky factors, a GPU by conjugate gradients.
    #[default]
    Stored,
    /// Conjugate gradients, which find them from the points in every product and store no matrix,
    /// as RXMesh (Mahmoud et al. 2021) has it: slower, and of little memory.
    Recomputed,
}

/// Points after one implicit step of mean curvature flow for a `time` in squared length units:
/// (M + time L) x' = M x, Desbrun et al., "Implicit fairing of irregular meshes using diffusion
/// and curvature flow" (1999), eq. (8), with cotangent weights.
///
/// Points move at twice the mean curvature along the normal. The flow takes a sphere of radius r to
/// √(r² − 4 time); one implicit step, of first order in time, takes it to r / (1 + 2 time / r²).
/// Vertices where the surface ends, at holes too, and vertices of no face, stay. Conjugate
/// gradients end when the residual has fallen by 10¹².
///
/// # Errors
/// [`Error::Mesh`] for a face that is not a triangle or has no area, or if iterations do not end;
/// [`Error::Request`] for a time that is not positive, or above 10⁶ squared sizes of the surface.
pub fn curvature_flow(
    mesh: &SurfaceMesh,
    time: f64,
    cotangents: Cotangents,
) -> Result<Vec<[f64; 3]>> {
    check_time(time, mesh)?;
    let faces = triangles(mesh)?;
    let query = Query::of_surface(&mesh.without_holes(), QueryStrategy::Unordered)?;
    let mut free = marked_vertices(mesh.points.len(), faces.as_flattened());
    let (sides, ends) = (query.rows(Op::EF)?, query.rows(Op::EV)?);
    for e in (0..sides.len()).filter(|&e| sides.row(e).len() != 2) {
        ends.row(e).iter().for_each(|&v| free[v as usize] = false);
    }
    match cotangents {
        Cotangents::Stored => by_factors(mesh, &faces, time, &free),
        Cotangents::Recomputed => {
            let products = CotangentProducts::new(&mesh.points, &faces, query.rows(Op::VF)?);
            products.flow(time, &free)
        }
    }
}

fn by_factors(
    mesh: &SurfaceMesh,
    faces: &[[u32; 3]],
    time: f64,
    free: &[bool],
) -> Result<Vec<[f64; 3]>> {
    let mut size = 0;
    let number: Vec<Option<usize>> = free
        .iter()
        .map(|&free| {
            size += usize::from(free);
            free.then(|| size - 1)
        })
        .collect();
    if size == 0 {
        return Ok(mesh.points.clone());
    }
    let mut rhs = vec![[0.0; 3]; size];
    let number_of = |v: u32| number[v as usize];
    let matrix = cotangent::matrix(
        &mesh.points,
        faces,
        1.0,
        |_: &[u32; 3]| time,
        number_of,
        |row, v, weight| {
            (0..3).for_each(|d| rhs[row][d] -= weight * mesh.points[v as usize][d]);
        },
    );
    for face in faces {
        let (_, area) = cotangent::triangle(&mesh.points, face);
        for &v in face {
            let Some(row) = number[v as usize] else { continue };
            (0..3).for_each(|d| rhs[row][d] += area / 3.0 * mesh.points[v as usize][d]);
        }
    }
    let factor = matrix.factor(size)?;
    let columns = [0, 1, 2].map(|d| {
        let column: Vec<f64> = rhs.iter().map(|row| row[d]).collect();
        factor.solve(&column)
    });
    let moved = |(v, p): (usize, &[f64; 3])| match number[v] {
        Some(row) => [columns[0][row], columns[1][row], columns[2][row]],
        None => *p,
    };
    Ok(mesh.points.iter().enumerate().map(moved).collect())
}

/// Longest time, in squared sizes of the surface: closed surfaces are points by then, and beyond it
/// rounding takes them elsewhere.
const MAX_TIME: f64 = 1e6;

/// Refuses times that are not positive, and those at which masses are lost beside time L.
pub(crate) fn check_time(time: f64, mesh: &SurfaceMesh) -> Result<()> {
    let sizes = mesh.bounds().map(|(low, high)| [0, 1, 2].map(|d| high[d] - low[d]));
    let size = sizes.map_or(0.0, |sizes| sizes.into_iter().fold(0.0, f64::max));
    let longest = MAX_TIME * size * size;
    if time > 0.0 && time <= longest {
        return Ok(());
    }
    let help = format!("give a positive time in squared length units, up to {longest:.1e}");
    // not hundreds of digits
    let time = if time.abs() < 1e9 { format!("{time}") } else { format!("{time:e}") };
    Err(Error::request(format!("a curvature flow time of {time}: out of range")).with_help(help))
}
