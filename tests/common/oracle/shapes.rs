//! Small control meshes for tests.

use std::f64::consts::TAU;

use super::incidence::Incidence;
use super::solid::{Cell, Solid};
use super::surface::{Stars, Surface};
use super::vector::Point;

/// A block of unit hexahedra. Cell and vertex ids grow along x first, z last.
pub fn block([nx, ny, nz]: [usize; 3]) -> Solid {
    let (px, py) = (nx + 1, ny + 1);
    let id = |i: usize, j: usize, k: usize| (k * py + j) * px + i;
    let mut points = Vec::new();
    for k in 0..=nz {
        for j in 0..=ny {
            points.extend((0..=nx).map(|i| [i as f64, j as f64, k as f64]));
        }
    }
    let mut hexahedra = Vec::new();
    for k in 0..nz {
        for j in 0..ny {
            for i in 0..nx {
                let layer =
                    |k| [id(i, j, k), id(i + 1, j, k), id(i + 1, j + 1, k), id(i, j + 1, k)];
                hexahedra.push([layer(k), layer(k + 1)].concat().try_into().expect("8 corners"));
            }
        }
    }
    Solid::hexahedra(points, &hexahedra)
}

/// Quads around a vertex of the given valence (vertex 0, corner 0 of face i in
/// 0..valence), with as many rings around it as wanted.
pub fn disk(valence: usize, rings: usize) -> Surface {
    // Sector s is a grid of (rings + 1)² points; its row i = 0 is the next
    // sector's column j = 0.
    let id = |s: usize, i: usize, j: usize| match (i, j) {
        (0, 0) => 0,
        (0, j) => 1 + (((s + 1) % valence) * rings + j - 1) * (rings + 1),
        (i, j) => 1 + (s * rings + i - 1) * (rings + 1) + j,
    };
    let mut points = vec![[0.0; 3]; 1 + valence * rings * (rings + 1)];
    let spoke = |s: usize| {
        let angle = TAU * s as f64 / valence as f64;
        [angle.cos(), angle.sin()]
    };
    let mut faces = Vec::new();
    for s in 0..valence {
        let (a, b) = (spoke(s), spoke(s + 1));
        for i in 1..=rings {
            for j in 0..=rings {
                let [x, y] = [0, 1].map(|d| a[d] * i as f64 + b[d] * j as f64);
                points[id(s, i, j)] = [x, y, 0.0];
            }
        }
        for i in 0..rings {
            for j in 0..rings {
                faces.push(vec![
                    id(s, i, j),
                    id(s, i + 1, j),
                    id(s, i + 1, j + 1),
                    id(s, i, j + 1),
                ]);
            }
        }
    }
    faces.sort_by_key(|face| face[0] != 0); // the faces at the center come first
    Surface::new(points, faces)
}

/// A quad surface swept into `layers` layers of hexahedra along z. Vertex v of
/// layer k is k · vertices + v, the cell on face f above layer k is
/// k · faces + f, and w runs along the sweep.
pub fn sweep(surface: &Surface, layers: usize) -> Solid {
    let count = surface.points.len();
    let mut points: Vec<Point> = Vec::new();
    for k in 0..=layers {
        points.extend(surface.points.iter().map(|&[x, y, z]| [x, y, z + k as f64]));
    }
    let mut hexahedra = Vec::new();
    for k in 0..layers {
        for face in &surface.faces {
            let corner = |i: usize| (k + i / 4) * count + face[i % 4];
            hexahedra.push(std::array::from_fn(corner));
        }
    }
    Solid::hexahedra(points, &hexahedra)
}

/// Hexahedra around a straight interior edge.
pub fn fan(valence: usize, rings: usize, layers: usize) -> Solid {
    sweep(&disk(valence, rings), layers)
}

/// Makes the rims of a sweep's two ends infinitely sharp, so that it stays the
/// tensor product of its section and a spline with natural ends.
pub fn sharpen_rims(solid: &mut Solid, section: &Surface) {
    let end = solid.points.len() - section.points.len();
    for &(a, b) in &section.open {
        solid.creases.insert((a, b), f64::INFINITY);
        solid.creases.insert((end + a, end + b), f64::INFINITY);
    }
}

/// Makes every boundary edge sharp where the cells meet at a right angle, that
/// is, where one cell alone has it.
pub fn sharpen_box_edges(solid: &mut Solid, sharpness: f64) {
    let skin = solid.skin();
    let incidence = Incidence::of(solid);
    for e in Stars::of(&skin).edges {
        if incidence.edge_cells[incidence.edge_of[&e]].len() == 1 {
            solid.creases.insert(e, sharpness);
        }
    }
}

/// A tetrahedron on a wedge.
pub fn wedge_and_tetrahedron() -> Solid {
    let points = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.1, 0.0],
        [0.2, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.1],
        [0.0, 1.0, 1.0],
        [0.3, 0.3, 2.0],
    ];
    let cell = |corners: &[usize], faces: &[&[usize]]| Cell::Polyhedron {
        corners: corners.to_vec(),
        faces: faces.iter().map(|face| face.to_vec()).collect(),
    };
    let wedge: [&[usize]; 5] =
        [&[0, 2, 1], &[3, 4, 5], &[0, 1, 4, 3], &[1, 2, 5, 4], &[2, 0, 3, 5]];
    let tetrahedron: [&[usize]; 4] = [&[3, 5, 4], &[3, 4, 6], &[4, 5, 6], &[5, 3, 6]];
    let cells = vec![cell(&[0, 1, 2, 3, 4, 5], &wedge), cell(&[3, 4, 5, 6], &tetrahedron)];
    Solid::new(points, cells)
}
