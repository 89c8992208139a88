//! Balls and cylinders whose shape is known.

use std::collections::HashMap;

use subsolid::SolidMesh;
use subsolid::refine::reorient;

/// Points of blocks, joined where they are in one place.
#[derive(Default)]
struct Blocks {
    points: Vec<[f64; 3]>,
    ids: HashMap<[i64; 3], u32>,
    hexes: Vec<[u32; 8]>,
}

impl Blocks {
    fn add(&mut self, [a, b, c]: [usize; 3], place: impl Fn([f64; 3]) -> [f64; 3]) {
        let mut id = |i: usize, j: usize, k: usize| {
            let point = place([(i, a), (j, b), (k, c)].map(|(i, n)| i as f64 / n as f64));
            let key = point.map(|x| (x * 1e9).round() as i64);
            *self.ids.entry(key).or_insert_with(|| {
                self.points.push(point);
                self.points.len() as u32 - 1
            })
        };
        for i in 0..a {
            for j in 0..b {
                for k in 0..c {
                    let corners = [[0, 0], [1, 0], [1, 1], [0, 1]];
                    let at = |c: usize| id(i + corners[c % 4][0], j + corners[c % 4][1], k + c / 4);
                    let hex: Vec<u32> = (0..8).map(at).collect();
                    self.hexes.push(hex.try_into().unwrap());
                }
            }
        }
    }

    fn mesh(self) -> SolidMesh {
        let mut mesh = SolidMesh::from_hexahedra(self.points, &self.hexes);
        reorient(&mut mesh).unwrap();
        mesh
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// The point of the unit sphere of x that a point of the cube around it is drawn to.
fn out(x: &[f64]) -> Vec<f64> {
    let bent: Vec<f64> = x.iter().map(|x| (std::f64::consts::FRAC_PI_4 * x).tan()).collect();
    bent.iter().map(|y| y / norm(&bent).max(f64::MIN_POSITIVE)).collect()
}

/// A point of a cube, half way to the ball around it.
fn bulged(x: &[f64]) -> Vec<f64> {
    let most = x.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
    x.iter().zip(out(x)).map(|(x, y)| 0.55 * (0.5 * x + 0.625 * most * y)).collect()
}

/// A shell from the cube to the ball: `side` of an axis, at `t` across and `s` out.
fn shell(axis: usize, side: f64, t: &[f64], s: f64) -> Vec<f64> {
    let mut x: Vec<f64> = t.iter().map(|t| 2.0 * t - 1.0).collect();
    x.insert(axis, side);
    bulged(&x).iter().zip(out(&x)).map(|(a, b)| a + s * (b - a)).collect()
}

/// The unit ball, of 7 n³ cells.
pub fn ball(n: usize) -> SolidMesh {
    let mut blocks = Blocks::default();
    let point = |x: Vec<f64>| x.try_into().unwrap();
    blocks.add([n; 3], |t| point(bulged(&t.map(|t| 2.0 * t - 1.0))));
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            blocks.add([n; 3], |[a, b, s]| point(shell(axis, side, &[a, b], s)));
        }
    }
    blocks.mesh()
}

/// The cylinder of radius 1 and height 2, of 10 n³ cells.
pub fn cylinder(n: usize) -> SolidMesh {
    let mut blocks = Blocks::default();
    let point = |x: Vec<f64>, w: f64| [x[0], x[1], 2.0 * w];
    let cells = [n, n, 2 * n];
    blocks.add(cells, |[a, b, w]| point(bulged(&[2.0 * a - 1.0, 2.0 * b - 1.0]), w));
    for axis in 0..2 {
        for side in [-1.0, 1.0] {
            blocks.add(cells, |[a, s, w]| point(shell(axis, side, &[a], s), w));
        }
    }
    blocks.mesh()
}

/// Facets of the unit sphere, 12 n² triangles, as far inside as outside.
pub fn sphere(n: usize) -> subsolid::SurfaceMesh {
    let mut ids = HashMap::new();
    let mut points: Vec<[f64; 3]> = Vec::new();
    let mut triangles: Vec<u32> = Vec::new();
    for axis in 0..3 {
        for side in [-1.0, 1.0] {
            let mut id = |i: usize, j: usize| {
                let mut x: Vec<f64> = [i, j].map(|i| 2.0 * i as f64 / n as f64 - 1.0).to_vec();
                x.insert(axis, side);
                let point: [f64; 3] = out(&x).try_into().unwrap();
                *ids.entry(point.map(|x| (x * 1e9).round() as i64)).or_insert_with(|| {
                    points.push(point);
                    points.len() as u32 - 1
                })
            };
            for i in 0..n {
                for j in 0..n {
                    let mut quad = [id(i, j), id(i + 1, j), id(i + 1, j + 1), id(i, j + 1)];
                    if (side > 0.0) == (axis == 1) {
                        quad.reverse();
                    }
                    let [a, b, c, d] = quad;
                    triangles.extend([a, b, c, a, c, d]);
                }
            }
        }
    }
    let middle = |t: &[u32]| {
        let sum = |d: usize| t.iter().map(|&v| points[v as usize][d]).sum::<f64>() / 3.0;
        norm(&[sum(0), sum(1), sum(2)])
    };
    let mean = triangles.chunks(3).map(middle).sum::<f64>() / (triangles.len() / 3) as f64;
    points.iter_mut().flatten().for_each(|x| *x *= 2.0 / (1.0 + mean));
    let faces = subsolid::mesh::Polygons::uniform(3, triangles);
    subsolid::SurfaceMesh { points, faces, ..Default::default() }
}
