//! Control meshes of cells that are not hexahedra.

use std::collections::HashMap;

use subsolid::mesh::SolidMesh;

/// Polyhedra of these corners and faces; corners at the same place are one vertex, moved by up to
/// 0.07 along each axis.
fn welded(cells: &[Vec<Vec<[f64; 3]>>]) -> SolidMesh {
    let mut mesh = SolidMesh::default();
    let mut known = HashMap::new();
    for faces in cells {
        let faces: Vec<Vec<u32>> = faces
            .iter()
            .map(|face| {
                let vertex = |p: &[f64; 3]| {
                    *known.entry(p.map(|x| (x * 1024.0).round() as i64)).or_insert_with(|| {
                        let phase = p[0] + 1.7 * p[1] + 2.3 * p[2];
                        let moved = |d: usize| p[d] + 0.07 * (phase * (d + 1) as f64).sin();
                        mesh.points.push([0, 1, 2].map(moved));
                        mesh.points.len() as u32 - 1
                    })
                };
                face.iter().map(vertex).collect()
            })
            .collect();
        mesh.cells.push_polyhedron(faces.iter().map(Vec::as_slice));
    }
    mesh
}

/// Two layers of seven prisms of six sides.
pub fn hexagonal_prisms() -> SolidMesh {
    let root = 3.0_f64.sqrt();
    let mut cells = Vec::new();
    for layer in 0..2 {
        let centers = (0..6).map(|k| (root, f64::from(k) * 60.0 + 30.0));
        for (r, angle) in std::iter::once((0.0, 0.0)).chain(centers) {
            let corner = |k: i32, z: i32| {
                let a = f64::from(k) * std::f64::consts::FRAC_PI_3;
                let (x, y) = (r * f64::to_radians(angle).cos(), r * f64::to_radians(angle).sin());
                [x + a.cos(), y + a.sin(), f64::from(layer + z)]
            };
            let ring = |z| (0..6).map(|k| corner(k, z)).collect::<Vec<_>>();
            let side = |k| vec![corner(k, 0), corner(k + 1, 0), corner(k + 1, 1), corner(k, 1)];
            let mut faces = vec![ring(0).into_iter().rev().collect(), ring(1)];
            faces.extend((0..6).map(side));
            cells.push(faces);
        }
    }
    welded(&cells)
}

/// A truncated octahedron and the 14 around it: the Voronoi cells of a body-centered lattice.
pub fn voronoi_cells() -> SolidMesh {
    let mut corners = Vec::new();
    for zero in 0..3 {
        for k in 0..8 {
            let (mut one, mut two) = ((zero + 1) % 3, (zero + 2) % 3);
            if k & 1 == 1 {
                std::mem::swap(&mut one, &mut two);
            }
            let mut p = [0.0; 3];
            p[one] = if k & 2 == 0 { 1.0 } else { -1.0 };
            p[two] = if k & 4 == 0 { 2.0 } else { -2.0 };
            corners.push(p);
        }
    }
    let dot = |a: [f64; 3], b: [f64; 3]| a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
    let signs = [-1.0, 1.0];
    let mut normals: Vec<[f64; 3]> = Vec::new();
    for s in signs {
        normals.extend((0..3).map(|axis| {
            let mut normal = [0.0; 3];
            normal[axis] = s;
            normal
        }));
        normals.extend(signs.iter().flat_map(|&t| signs.map(|u| [s, t, u])));
    }
    // corners of a face around its outward normal
    let face = |normal: &[f64; 3], center: [f64; 3]| -> Vec<[f64; 3]> {
        let most = corners.iter().map(|&p| dot(p, *normal)).fold(0.0, f64::max);
        let mut own: Vec<[f64; 3]> =
            corners.iter().copied().filter(|&p| dot(p, *normal) > most - 1e-9).collect();
        let middle: [f64; 3] =
            std::array::from_fn(|d| own.iter().map(|p| p[d]).sum::<f64>() / own.len() as f64);
        let from = |p: [f64; 3]| -> [f64; 3] { std::array::from_fn(|d| p[d] - middle[d]) };
        let x = from(own[0]);
        let y = [
            normal[1] * x[2] - normal[2] * x[1],
            normal[2] * x[0] - normal[0] * x[2],
            normal[0] * x[1] - normal[1] * x[0],
        ];
        let length = dot(*normal, *normal).sqrt();
        let angle = |p: &[f64; 3]| (dot(from(*p), y) / length).atan2(dot(from(*p), x));
        own.sort_by(|p, q| angle(p).total_cmp(&angle(q)));
        own.into_iter().map(|p| std::array::from_fn(|d| p[d] + center[d])).collect()
    };
    let centers = normals.iter().map(|n| {
        let step = if dot(*n, *n) == 1.0 { 4.0 } else { 2.0 };
        n.map(|x| step * x)
    });
    let cells: Vec<_> = std::iter::once([0.0; 3])
        .chain(centers)
        .map(|center| normals.iter().map(|normal| face(normal, center)).collect())
        .collect();
    welded(&cells)
}
