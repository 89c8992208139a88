//! Meshes that the tests go through: procedural shapes, models, creased blocks.

use std::path::Path;

use subsolid::mesh::shape::{Shape, VertexLink};
use subsolid::mesh::{CellKind, SolidMesh};

use super::size;
use crate::oracle::incidence::Incidence;
use crate::oracle::random::{Random, perturb};
use crate::oracle::surface::Stars;
use crate::oracle::{convert, medit};

/// Infinitely sharp.
pub const INF: f64 = f64::INFINITY;

pub fn block(cells: [usize; 3]) -> SolidMesh {
    Shape::Box { cells }.build().expect("a block")
}

/// A block of 3 × 3 × 3 cells whose limit folds over along y = 1, although every single
/// cell is the right way round at its center.
pub fn folded_block() -> SolidMesh {
    let mut mesh = block([3, 3, 3]);
    for p in &mut mesh.points {
        p[0] = match (p[0] as usize, p[1] as usize) {
            (1, 1) => 2.95,
            (2, 1) => 0.05,
            (1, _) => 0.01,
            (2, _) => 2.99,
            _ => p[0],
        };
    }
    mesh
}

/// The 8 cubes on the boundary of the 4-cube, which close in themselves.
pub fn hypercube() -> SolidMesh {
    // vertices by their bits; the fourth makes the outer cube smaller
    let point = |v: u32| {
        [0, 1, 2]
            .map(|d| f64::from(v >> d & 1) * 2.0 - 1.0)
            .map(|x| x * if v >> 3 & 1 == 1 { 0.5 } else { 1.0 })
    };
    let points: Vec<[f64; 3]> = (0..16).map(point).collect();
    let cube = |axis: usize, side: u32| {
        let others: Vec<usize> = (0..4).filter(|&d| d != axis).collect();
        [0, 1, 3, 2, 4, 5, 7, 6]
            .map(|bits: u32| (0..3).fold(side << axis, |v, d| v | (bits >> d & 1) << others[d]))
    };
    let cells: Vec<[u32; 8]> = (0..8).map(|i| cube(i / 2, i as u32 % 2)).collect();
    SolidMesh::from_hexahedra(points, &cells)
}

pub fn fan(valence: usize, layers: usize, rings: usize) -> SolidMesh {
    Shape::Fan { valence, layers, rings }.build().expect("a fan")
}

pub fn link(link: VertexLink, rings: usize) -> SolidMesh {
    Shape::Link { link, rings }.build().expect("a link")
}

/// `n` triangles around one vertex: a boundary vertex with an inner edge of
/// valence n.
pub fn cone(n: u32) -> VertexLink {
    VertexLink::new((0..n).map(|v| [n, v, (v + 1) % n]).collect()).expect("a disk")
}

/// Small meshes of every procedural shape, by name.
pub fn shapes() -> Vec<(String, SolidMesh)> {
    let mut all = Vec::new();
    for cells in [[1, 1, 1], [2, 2, 6], [3, 1, 3], [4, 3, 3]] {
        all.push((format!("box {cells:?}"), block(cells)));
    }
    for (valence, layers, rings) in [(3, 3, 2), (5, 1, 1), (5, 2, 2), (6, 3, 1), (8, 1, 2)] {
        let name = format!("fan of valence {valence}, {layers} layers, {rings} rings");
        all.push((name, fan(valence, layers, rings)));
    }
    let links = [
        ("tetrahedron", VertexLink::tetrahedron()),
        ("bipyramid3", VertexLink::bipyramid(3).expect("a sphere")),
        ("3444555", VertexLink::stacked_octahedron()),
        ("bipyramid5", VertexLink::bipyramid(5).expect("a sphere")),
        ("icosahedron", VertexLink::icosahedron()),
        ("cone3", cone(3)),
        ("cone6", cone(6)),
    ];
    for (name, kind) in links {
        for rings in [1, 2] {
            all.push((format!("link {name}, {rings} rings"), link(kind.clone(), rings)));
        }
    }
    let octahedron = Shape::Link { link: VertexLink::octahedron(), rings: 2 };
    let torus = Shape::Torus { major: 6, core: 2, rings: 1 };
    let cylinder = Shape::Cylinder { core: 2, rings: 1, layers: 2 };
    for shape in [octahedron, torus, cylinder, Shape::Tripod, Shape::Bracket] {
        all.push((format!("{shape:?}"), shape.build().expect("a shape")));
    }
    all
}

/// The models of the repository's `models` folder, by name.
pub fn models() -> Vec<(String, SolidMesh)> {
    let names = [
        "car_box_2x2x6.mesh",
        "cad9.mesh",
        "rocket.mesh",
        "rod_hex.vtk",
        "micro/hole.mesh",
        "micro/twisting.mesh",
        "micro/val3.mesh",
        "micro/val5.mesh",
        "micro/val11.mesh",
    ];
    names.map(|name| (name.to_string(), model(name))).into()
}

/// A model of `models/solids`, read by code that shares nothing with the library.
pub fn model(name: &str) -> SolidMesh {
    let (points, hexahedra) = if name.ends_with(".vtk") {
        legacy_vtk(name)
    } else {
        let solid = medit::model(&format!("solids/{name}"));
        let corners = solid.cells.iter().map(|cell| cell.hexahedron().map(|v| v as u32));
        (solid.points, corners.collect())
    };
    SolidMesh::from_hexahedra(points, &hexahedra)
}

/// Points and hexahedra of a legacy ASCII VTK file that holds nothing else.
fn legacy_vtk(name: &str) -> (Vec<[f64; 3]>, Vec<[u32; 8]>) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("models/solids").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers = |title: &str, skip: usize, count: usize| -> Vec<f64> {
        let words = words.iter().skip_while(|&&word| word != title).skip(1 + skip);
        words.take(count).map(|word| word.parse().expect("a number")).collect()
    };
    let count = |title: &str| numbers(title, 0, 1)[0] as usize;
    let points = numbers("POINTS", 2, 3 * count("POINTS"));
    let cells = numbers("CELLS", 2, 9 * count("CELLS"));
    let corner = |row: &[f64]| std::array::from_fn(|i| row[i + 1] as u32);
    (
        points.chunks_exact(3).map(|p| [p[0], p[1], p[2]]).collect(),
        cells.chunks_exact(9).map(corner).collect(),
    )
}

/// The mesh's points, each moved at random by up to `amount` of the box's size.
pub fn perturbed(mesh: &SolidMesh, amount: f64, seed: u64) -> SolidMesh {
    let mut mesh = mesh.clone();
    let amount = amount * size(&mesh.points);
    perturb(&mut mesh.points, amount, seed);
    mesh
}

/// Gives about one in `rarity` boundary edges, and fewer corners, a sharpness of
/// those listed.
pub fn crease_at_random(mesh: &mut SolidMesh, sharpness: &[f64], rarity: usize, seed: u64) {
    let mut random = Random::new(seed);
    let skin = convert::solid(mesh).skin();
    for (a, b) in Stars::of(&skin).edges {
        if random.below(rarity) == 0 {
            let s = sharpness[random.below(sharpness.len())];
            mesh.creases.push_edge(a as u32, b as u32, s);
        }
        if random.below(4 * rarity) == 0
            && mesh.creases.corners.iter().all(|c| c.vertex.0 != a as u32)
        {
            mesh.creases.push_corner(a as u32, sharpness[random.below(sharpness.len())]);
        }
    }
}

/// Makes the boundary edges of a single cell sharp: the edges of a box.
pub fn crease_box_edges(mesh: &mut SolidMesh, sharpness: f64) {
    let incidence = Incidence::of(&convert::solid(mesh));
    for (&(a, b), cells) in incidence.edges.iter().zip(&incidence.edge_cells) {
        if cells.len() == 1 {
            mesh.creases.push_edge(a as u32, b as u32, sharpness);
        }
    }
}

/// Cells of no hexahedral kind: a hexahedron, a wedge on it, a tetrahedron on the
/// wedge, and a pentagonal prism beside the hexahedron's opposite face.
pub fn mixed() -> SolidMesh {
    let mut mesh = SolidMesh {
        points: vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.1, 0.0],
            [1.1, 1.0, 0.0],
            [0.0, 1.0, 0.1],
            [0.0, 0.0, 1.0],
            [1.0, 0.0, 1.1],
            [1.0, 1.0, 1.0],
            [0.0, 1.1, 1.0],
            [0.5, 0.0, 2.0], // 8, 9: ridge of the wedge
            [0.5, 1.0, 2.1],
            [0.5, -1.0, 1.5], // 10: apex of the tetrahedron
            [0.0, 0.5, -0.8], // 11..: the prism below
            [1.0, 0.5, -0.8],
            [0.0, 1.3, -0.5],
            [1.0, 1.3, -0.5],
            [0.0, -0.3, -0.5],
            [1.0, -0.3, -0.5],
        ],
        ..SolidMesh::default()
    };
    mesh.cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
    // the wedge's triangles are (4, 5, 8) in front and (7, 6, 9) behind
    mesh.cells.push(CellKind::Wedge, &[4, 8, 5, 7, 9, 6]);
    mesh.cells.push(CellKind::Tetrahedron, &[4, 5, 8, 10]);
    let prism: [&[u32]; 7] = [
        &[0, 3, 13, 11, 15],
        &[1, 16, 12, 14, 2],
        &[0, 1, 2, 3],
        &[3, 2, 14, 13],
        &[13, 14, 12, 11],
        &[11, 12, 16, 15],
        &[15, 16, 1, 0],
    ];
    mesh.cells.push_polyhedron(prism);
    mesh
}

/// A block of cubes, each in six tetrahedra around its diagonal.
pub fn tetrahedra([nx, ny, nz]: [usize; 3]) -> SolidMesh {
    let mut mesh = SolidMesh { points: block([nx, ny, nz]).points, ..SolidMesh::default() };
    let steps = [1, nx + 1, (nx + 1) * (ny + 1)];
    // the last two of odd orders change places, so that all are right-handed
    let orders = [[0, 1, 2], [1, 2, 0], [2, 0, 1], [1, 0, 2], [0, 2, 1], [2, 1, 0]];
    for cube in 0..nx * ny * nz {
        let [i, j, k] = [cube % nx, cube / nx % ny, cube / (nx * ny)];
        let a = i * steps[0] + j * steps[1] + k * steps[2];
        for (order, axes) in orders.into_iter().enumerate() {
            let b = a + steps[axes[0]];
            let (c, d) = (b + steps[axes[1]], a + steps.iter().sum::<usize>());
            let [c, d] = if order < 3 { [c, d] } else { [d, c] };
            mesh.cells.push(CellKind::Tetrahedron, &[a, b, c, d].map(|v| v as u32));
        }
    }
    mesh
}
