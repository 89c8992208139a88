//! Files for `tests/io/vtk_readback.py`, which reads them with VTK.

use std::fs;
use std::path::{Path, PathBuf};

use subsolid::io::{
    Array, ArrayData, Dataset, DatasetCells, PieceWriter, WriteOptions, hexahedron_order, vtk_type,
    write,
};

use super::models::{box_dataset, mixed_mesh, single_precision};

const PLAIN: WriteOptions = WriteOptions { compress: false };
const COMPRESSED: WriteOptions = WriteOptions { compress: true };

/// `target/readback/name`.
fn output(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let directory = target.join("readback");
    fs::create_dir_all(&directory).unwrap();
    directory.join(name)
}

#[test]
fn boxes() {
    // 40³ cells take several compressed blocks, the last of them partial.
    let dataset = box_dataset(40);
    write(output("box.vtu"), &dataset, PLAIN).unwrap();
    write(output("box_compressed.vtu"), &dataset, COMPRESSED).unwrap();
    write(output("box.vtk"), &dataset, PLAIN).unwrap();
    write(output("box_f32.vtu"), single_precision(40), PLAIN).unwrap();
    write(output("box_f32.vtk"), single_precision(40), PLAIN).unwrap();
    let size = |name| fs::metadata(output(name)).unwrap().len();
    assert!(size("box_compressed.vtu") < size("box.vtu") / 2);
}

#[test]
fn pieces() {
    for (name, options) in [("pieces.pvtu", PLAIN), ("pieces & compressed.pvtu", COMPRESSED)] {
        let mut pieces = PieceWriter::create(output(name), options).unwrap();
        for n in [3, 1, 2] {
            pieces.push(&box_dataset(n)).unwrap();
        }
        pieces.finish().unwrap();
    }
    write(output("one_piece.pvtu"), box_dataset(3), PLAIN).unwrap();
}

#[test]
fn mixed_cells() {
    let mut dataset = Dataset::from(&mixed_mesh());
    dataset.cell_arrays.push(Array::new("cell", 1, vec![0i32, 1, 2, 3, 4]));
    write(output("mixed.vtu"), &dataset, PLAIN).unwrap();
    write(output("mixed_compressed.vtu"), &dataset, COMPRESSED).unwrap();
    write(output("mixed.vtk"), &dataset, PLAIN).unwrap();
}

#[test]
fn clouds_and_nothing() {
    let points: Vec<[f64; 3]> = (0..100).map(|i| [f64::from(i), 0.5, -0.25]).collect();
    let nothing = Dataset::point_cloud(Vec::<[f64; 3]>::new());
    for (name, dataset) in [("cloud", Dataset::point_cloud(points)), ("nothing", nothing)] {
        write(output(&format!("{name}.vtu")), &dataset, PLAIN).unwrap();
        write(output(&format!("{name}_compressed.vtu")), &dataset, COMPRESSED).unwrap();
        write(output(&format!("{name}.vtk")), &dataset, PLAIN).unwrap();
    }
}

/// Values of the n+1 Lagrange polynomials of the nodes i/n.
fn lagrange(n: usize, u: f64) -> Vec<f64> {
    let node = |i: usize| i as f64 / n as f64;
    (0..=n)
        .map(|i| (0..=n).filter(|&j| j != i).map(|j| (u - node(j)) / (node(i) - node(j))).product())
        .collect()
}

/// Values of the n+1 Bernstein polynomials.
fn bernstein(n: usize, u: f64) -> Vec<f64> {
    let choose = |i: usize| (0..i).map(|j| (n - j) as f64 / (j + 1) as f64).product::<f64>();
    (0..=n).map(|i| choose(i) * u.powi(i as i32) * (1.0 - u).powi((n - i) as i32)).collect()
}

/// Repeatable numbers in [0, 1).
struct Random(u64);

impl Random {
    fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// A cell whose every node lies somewhere of its own, and points inside it: VTK
/// finds them only if every node has its place.
fn high_order_cell(name: &str, vtk_type: u8, n: usize, basis: fn(usize, f64) -> Vec<f64>) {
    let mut random = Random(n as u64);
    let nodes = hexahedron_order(n);
    let points: Vec<[f64; 3]> = nodes
        .iter()
        .map(|node| node.map(|i| i as f64 / n as f64 + (random.next() - 0.5) / (2 * n) as f64))
        .collect();
    let parameters: Vec<[f64; 3]> =
        (0..200).map(|_| std::array::from_fn(|_| random.next())).collect();
    let inside: Vec<[f64; 3]> = parameters
        .iter()
        .map(|parameter| {
            let [u, v, w] = parameter.map(|t| basis(n, t));
            nodes.iter().zip(&points).fold([0.0; 3], |sum, (&[i, j, k], point)| {
                std::array::from_fn(|d| sum[d] + u[i] * v[j] * w[k] * point[d])
            })
        })
        .collect();
    let (size, connectivity) = (nodes.len(), (0..nodes.len() as u32).collect());
    let cells = DatasetCells::Uniform { vtk_type, size, connectivity };
    let cell = Dataset::new(points, cells);
    write(output(&format!("{name}_{n}.vtu")), &cell, PLAIN).unwrap();
    write(output(&format!("{name}_{n}_compressed.vtu")), &cell, COMPRESSED).unwrap();
    let mut table = Dataset::point_cloud(inside);
    let parameters = ArrayData::F64(parameters.as_flattened().to_vec());
    table.point_arrays.push(Array::new("parameter", 3, parameters));
    write(output(&format!("{name}_{n}.csv")), &table, PLAIN).unwrap();
}

#[test]
fn high_order_cells() {
    for n in 1..=5 {
        high_order_cell("lagrange", vtk_type::LAGRANGE_HEXAHEDRON, n, lagrange);
        high_order_cell("bezier", vtk_type::BEZIER_HEXAHEDRON, n, bernstein);
    }
}
