//! Where fronts from several sides meet.

use subsolid::SolidMesh;
use subsolid::process::solid::{boundary_seeds, volume_distance};

use crate::oracle::random::Random;

const FACES: [[usize; 4]; 6] =
    [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

/// A cube of side 2 in three shells of cells with sides 4, 6 and 8, whose vertices are moved by
/// `jitter` at most; all vertices but those inside are on edges where the distances to three sides
/// are equal.
pub fn shells(jitter: f64, seed: u64) -> SolidMesh {
    let mut random = Random::new(seed);
    let mut points = Vec::new();
    for size in 1..=4 {
        for i in 0..8 {
            let corner = [[1, 2, 5, 6].contains(&i), [2, 3, 6, 7].contains(&i), i >= 4];
            let size = f64::from(size);
            let at = corner.map(|high| if high { size } else { -size });
            points.push(at.map(|x| x + random.between(-jitter, jitter)));
        }
    }
    let mut hexes = vec![[0, 1, 2, 3, 4, 5, 6, 7]];
    for shell in 0..3 {
        for [a, b, c, d] in FACES {
            let face = [a, d, c, b].map(|i| (8 * shell + i) as u32);
            let [e, f, g, h] = face.map(|v| v + 8);
            let [a, b, c, d] = face;
            hexes.push([d, c, b, a, h, g, f, e]);
        }
    }
    SolidMesh::from_hexahedra(points, &hexes)
}

/// The same with vertices and cells in another order, and cells listed from other corners; and the
/// new number of each vertex.
fn renumbered(mesh: &SolidMesh, random: &mut Random) -> (SolidMesh, Vec<usize>) {
    let mut shuffled = |count: usize| {
        let mut order: Vec<usize> = (0..count).collect();
        (1..count).for_each(|i| order.swap(i, random.below(i + 1)));
        order
    };
    let (places, cells) = (shuffled(mesh.points.len()), shuffled(mesh.cells.len()));
    let mut points = mesh.points.clone();
    mesh.points.iter().zip(&places).for_each(|(&p, &to)| points[to] = p);
    let old = mesh.cells.hexahedra().unwrap();
    let hexes: Vec<[u32; 8]> = cells
        .iter()
        .map(|&c| {
            let mut hex = old[c].map(|v| places[v as usize] as u32);
            for _ in 0..random.below(4) {
                hex = [1, 2, 3, 0, 5, 6, 7, 4].map(|i: usize| hex[i]);
            }
            for _ in 0..random.below(4) {
                hex = [3, 2, 6, 7, 0, 1, 5, 4].map(|i: usize| hex[i]);
            }
            hex
        })
        .collect();
    (SolidMesh::from_hexahedra(points, &hexes), places)
}

fn to_boundary(mesh: &SolidMesh) -> Vec<f64> {
    volume_distance(mesh, &boundary_seeds(mesh).unwrap()).unwrap()
}

/// Three sides are equally near to every vertex: distances are exact in every order of vertices.
#[test]
fn distances_in_concentric_cubes_are_exact() {
    let mesh = shells(0.0, 3);
    let mut random = Random::new(7);
    for _ in 0..20 {
        let (other, _) = renumbered(&mesh, &mut random);
        for (p, d) in other.points.iter().zip(to_boundary(&other)) {
            assert!((d - (4.0 - p[0].abs())).abs() < 1e-12, "{p:?}: {d}");
        }
    }
}

/// Nor does the order matter where sides are nearly equally near; there they are off by little more
/// than vertices are.
#[test]
fn distances_do_not_depend_on_the_order_of_vertices() {
    let mut random = Random::new(9);
    for jitter in [0.02, 0.1, 0.2] {
        let mesh = shells(jitter, 3);
        let found = to_boundary(&mesh);
        for _ in 0..10 {
            let (other, places) = renumbered(&mesh, &mut random);
            let others = to_boundary(&other);
            for (d, &place) in found.iter().zip(&places) {
                assert!((d - others[place]).abs() < 1e-12, "{jitter}: {d} and {}", others[place]);
            }
        }
        for (p, d) in mesh.points.iter().zip(&found) {
            let exact = 4.0 - p.iter().fold(0.0f64, |most, x| most.max(x.abs()));
            assert!((d - exact).abs() < 2.5 * jitter, "{jitter}, {p:?}: {d} for {exact}");
        }
    }
}
