//! Small datasets whose every number can be told from its index.

use subsolid::io::{Array, Dataset, DatasetCells, vtk_type};
use subsolid::mesh::{Attribute, CellKind, SolidMesh};

/// Point (i, j, k) of the bent grid; exact in single precision too.
fn bent([i, j, k]: [u32; 3]) -> [f64; 3] {
    let [x, y, z] = [i, j, k].map(f64::from);
    [x + y * z / 64.0, y - x * z / 128.0, z + x * y / 32.0]
}

/// A bent box of n³ hexahedra, points numbered with i fastest, with attributes
/// `heat` (x/10) and `frame` (width 9, with NaN and infinity), creases and a corner.
pub fn box_mesh(n: u32) -> SolidMesh {
    let side = n + 1;
    let id = |[i, j, k]: [u32; 3]| i + side * (j + side * k);
    let positions = |count: u32| {
        (0..count)
            .flat_map(move |k| (0..count).flat_map(move |j| (0..count).map(move |i| [i, j, k])))
    };
    let points: Vec<[f64; 3]> = positions(side).map(bent).collect();
    let hexahedra: Vec<[u32; 8]> = positions(n)
        .map(|[i, j, k]| {
            let at = |di, dj, dk| id([i + di, j + dj, k + dk]);
            let layer = |dk| [at(0, 0, dk), at(1, 0, dk), at(1, 1, dk), at(0, 1, dk)];
            [layer(0), layer(1)].concat().try_into().unwrap()
        })
        .collect();
    let heat = points.iter().map(|p| p[0] / 10.0).collect();
    let mut frame: Vec<f64> = (0..points.len() * 9).map(|i| i as f64 / 3.0).collect();
    frame[4] = f64::NAN;
    frame[5] = f64::NEG_INFINITY;
    let mut mesh = SolidMesh::from_hexahedra(points, &hexahedra);
    mesh.attributes = vec![
        Attribute { name: "heat".into(), width: 1, values: heat },
        Attribute { name: "frame".into(), width: 9, values: frame },
    ];
    mesh.creases.push_edge(1, 0, f64::INFINITY);
    mesh.creases.push_edge(0, side, 1.5);
    mesh.creases.push_corner(0, f64::INFINITY);
    mesh
}

/// The box as a dataset with arrays of all kinds and awkward sizes and names.
pub fn box_dataset(n: u32) -> Dataset {
    let mut dataset = Dataset::from(&box_mesh(n));
    let cells = dataset.cells.len();
    dataset.cell_arrays = vec![
        Array::new("cell id", 1, (0..cells as i64).map(|c| c << 33).collect::<Vec<_>>()),
        Array::new("class", 1, (0..cells).map(|c| (c % 251) as u8).collect::<Vec<_>>()),
    ];
    dataset.field_arrays.extend([
        Array::new("<a & \"b\">", 1, vec![-7i32]),
        Array::new("none", 3, Vec::<f32>::new()),
        // Exactly one compressed block.
        Array::new("block", 1, vec![9u8; 1 << 18]),
    ]);
    dataset
}

/// The box in single precision.
pub fn single_precision(n: u32) -> Dataset {
    let mesh = box_mesh(n);
    let points: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
    let heat: Vec<f32> = mesh.attributes[0].values.iter().map(|&v| v as f32).collect();
    let DatasetCells::Uniform { connectivity, .. } = Dataset::from(&mesh).cells else {
        unreachable!("a box has hexahedra only")
    };
    let cells = DatasetCells::Uniform { vtk_type: vtk_type::HEXAHEDRON, size: 8, connectivity };
    let mut dataset = Dataset::new(points, cells);
    dataset.point_arrays.push(Array::new("heat", 1, heat));
    dataset
}

/// A cube, and on its faces: a wedge on top, a pyramid given by its faces at +x, a
/// tetrahedron touching the pyramid, and a cube given by its faces below.
pub fn mixed_mesh() -> SolidMesh {
    let mut mesh = SolidMesh {
        points: [
            [0, 0, 0],
            [2, 0, 0],
            [2, 2, 0],
            [0, 2, 0],
            [0, 0, 2],
            [2, 0, 2],
            [2, 2, 2],
            [0, 2, 2],
            [0, 1, 3],
            [2, 1, 3],
            [3, 1, 1],
            [3, 0, 3],
            [0, 0, -2],
            [2, 0, -2],
            [2, 2, -2],
            [0, 2, -2],
        ]
        .map(|p| p.map(f64::from))
        .into(),
        ..SolidMesh::default()
    };
    let cells = &mut mesh.cells;
    cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
    let pyramid: [&[u32]; 5] = [&[1, 2, 6, 5], &[1, 10, 2], &[2, 10, 6], &[6, 10, 5], &[5, 10, 1]];
    cells.push_polyhedron(pyramid);
    cells.push(CellKind::Tetrahedron, &[5, 10, 6, 11]);
    cells.push(CellKind::Wedge, &[4, 7, 8, 5, 6, 9]);
    let cube: [&[u32]; 6] = [
        &[12, 15, 14, 13],
        &[0, 1, 2, 3],
        &[12, 13, 1, 0],
        &[13, 14, 2, 1],
        &[14, 15, 3, 2],
        &[15, 12, 0, 3],
    ];
    cells.push_polyhedron(cube);
    mesh
}
