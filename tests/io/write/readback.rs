//! Files of all kinds of cells, read back, and left for `tests/io/vtk_readback.py`, which reads
//! them with VTK.

use std::fs;
use std::path::{Path, PathBuf};

use subsolid::io::{
    Array, ArrayData, Dataset, DatasetCells, PieceWriter, WriteOptions, files_of, hexahedron_order,
    read, read_with_report, vtk_type, write,
};
use subsolid::mesh::{Attribute, CellArray, SolidMesh};

use super::models::{box_dataset, box_mesh, mixed_mesh, single_precision};
use crate::vtk_files::{array, folder, legacy_points};

const PLAIN: WriteOptions = WriteOptions { compress: false, format: None };
const COMPRESSED: WriteOptions = WriteOptions { compress: true, format: None };

/// `target/readback/name`.
fn output(name: &str) -> PathBuf {
    folder("readback").join(name)
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|x| x.to_bits()).collect()
}

/// The mesh in a file is the expected one, bit by bit; arrays may come in any order.
#[track_caller]
fn reads_back(path: &Path, expected: &SolidMesh) {
    let found = read(path).unwrap();
    let name = path.display();
    assert_eq!(found.points.len(), expected.points.len(), "{name}");
    assert!(bits(found.points.as_flattened()) == bits(expected.points.as_flattened()), "{name}");
    assert!(found.cells == expected.cells, "{name}: other cells");
    assert_eq!(found.creases, expected.creases, "{name}");
    let of_points = |mesh: &SolidMesh| {
        let one = |a: &Attribute| (a.name.clone(), a.width, bits(&a.values));
        let mut all: Vec<_> = mesh.attributes.iter().map(one).collect();
        all.sort();
        all
    };
    assert!(of_points(&found) == of_points(expected), "{name}: other point arrays");
    let of_cells = |mesh: &SolidMesh| {
        let one = |a: &CellArray| (a.name.clone(), a.width, a.integers, bits(&a.values));
        let mut all: Vec<_> = mesh.cell_data.iter().map(one).collect();
        all.sort();
        all
    };
    assert!(of_cells(&found) == of_cells(expected), "{name}: other cell arrays");
}

fn whole_numbers(name: &str, values: impl Iterator<Item = f64>) -> CellArray {
    CellArray { name: name.into(), width: 1, values: values.collect(), integers: true }
}

/// What stands in a file of [`box_dataset`].
fn whole_box(n: u32) -> SolidMesh {
    let mut mesh = box_mesh(n);
    let cells = mesh.cells.len() as u64;
    mesh.cell_data = vec![
        whole_numbers("cell id", (0..cells).map(|cell| (cell << 33) as f64)),
        whole_numbers("class", (0..cells).map(|cell| (cell % 251) as f64)),
    ];
    mesh
}

#[test]
fn boxes_read_back() {
    // 41³ cells take several blocks, compressed or not, the last of them partial.
    let dataset = box_dataset(41);
    let expected = whole_box(41);
    for (name, options) in
        [("box.vtu", PLAIN), ("box_compressed.vtu", COMPRESSED), ("box.vtk", PLAIN)]
    {
        write(output(name), &dataset, options).unwrap();
        reads_back(&output(name), &expected);
    }
    // every coordinate is exact in single precision
    let mut single = box_mesh(41);
    single.attributes.truncate(1);
    single.attributes[0].values.iter_mut().for_each(|x| *x = f64::from(*x as f32));
    single.creases = Default::default();
    for name in ["box_f32.vtu", "box_f32.vtk"] {
        write(output(name), single_precision(41), PLAIN).unwrap();
        reads_back(&output(name), &single);
    }
    let size = |name| fs::metadata(output(name)).unwrap().len();
    assert!(size("box_compressed.vtu") < size("box.vtu") / 2);
}

#[test]
fn every_piece_of_a_pvtu_reads_back() {
    let check = |name: &str, sizes: &[u32]| {
        let files = files_of(output(name));
        assert_eq!(files.len(), 1 + sizes.len());
        for (file, &n) in files[1..].iter().zip(sizes) {
            // creases name vertices of the whole, which pieces do not have
            let expected = SolidMesh { creases: read(file).unwrap().creases, ..whole_box(n) };
            reads_back(file, &expected);
        }
        let cells: u32 = sizes.iter().map(|n| n.pow(3)).sum();
        assert_eq!(read(output(name)).unwrap().cells.len(), cells as usize);
    };
    for (name, options) in [("pieces.pvtu", PLAIN), ("pieces & compressed.pvtu", COMPRESSED)] {
        let mut pieces = PieceWriter::create(output(name), options).unwrap();
        for n in [3, 1, 2] {
            pieces.push(&box_dataset(n)).unwrap();
        }
        pieces.finish().unwrap();
        check(name, &[3, 1, 2]);
    }
    write(output("one_piece.pvtu"), box_dataset(3), PLAIN).unwrap();
    check("one_piece.pvtu", &[3]);
}

#[test]
fn polyhedra_among_other_cells_read_back() {
    let mut expected = mixed_mesh();
    let mut dataset = Dataset::from(&expected);
    dataset.cell_arrays.push(Array::new("cell", 1, vec![0i32, 1, 2, 3, 4]));
    expected.cell_data.push(whole_numbers("cell", (0..5).map(f64::from)));
    for (name, options) in
        [("mixed.vtu", PLAIN), ("mixed_compressed.vtu", COMPRESSED), ("mixed.vtk", PLAIN)]
    {
        write(output(name), &dataset, options).unwrap();
        reads_back(&output(name), &expected);
    }
}

/// No control cells: the reader counts what it finds, and the points are those in the file.
#[test]
fn point_clouds_and_empty_datasets_read_back() {
    let points: Vec<[f64; 3]> = (0..100).map(|i| [f64::from(i), 0.5, -0.25]).collect();
    for (stem, points, found) in [
        ("cloud", points, "no volume cells (found: 100 vert"),
        ("nothing", Vec::new(), "the file has no vertices"),
    ] {
        let dataset = Dataset::point_cloud(points.clone());
        for (ending, options) in [(".vtu", PLAIN), ("_compressed.vtu", COMPRESSED), (".vtk", PLAIN)]
        {
            let path = output(&format!("{stem}{ending}"));
            write(&path, &dataset, options).unwrap();
            let refusal = super::atomic::report(read(&path).map(drop));
            assert!(refusal.contains(found), "{stem}{ending}: {refusal}");
            let bytes = fs::read(&path).unwrap();
            let written = match ending {
                ".vtk" => legacy_points(&bytes),
                _ => array(&bytes, "Points"),
            };
            assert_eq!(bits(&written), bits(points.as_flattened()), "{stem}{ending}");
        }
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
    let cell = Dataset::new(points.clone(), cells);
    for (ending, options) in [(".vtu", PLAIN), ("_compressed.vtu", COMPRESSED)] {
        let path = output(&format!("{name}_{n}{ending}"));
        write(&path, &cell, options).unwrap();
        // control cells are read by their corners, which come first
        let (mesh, report) = read_with_report(&path).unwrap();
        assert_eq!(mesh.cells.hexahedra(), Some(&[[0, 1, 2, 3, 4, 5, 6, 7]][..]));
        let corners = points[..8].as_flattened();
        assert_eq!(bits(mesh.points.as_flattened()), bits(corners), "{name}_{n}{ending}");
        let left_out = format!("{} mid-side nodes", size - 8);
        match &report.skipped[..] {
            [] => assert_eq!(n, 1),
            said => assert!(n > 1 && said[0].starts_with(&left_out), "{report:?}"),
        }
        let bytes = fs::read(&path).unwrap();
        assert_eq!(bits(&array(&bytes, "Points")), bits(points.as_flattened()));
        assert_eq!(array(&bytes, "types"), [f64::from(vtk_type)]);
        let all: Vec<f64> = (0..size).map(|node| node as f64).collect();
        assert_eq!(array(&bytes, "connectivity"), all);
    }
    let mut table = Dataset::point_cloud(inside.clone());
    let flat = ArrayData::F64(parameters.as_flattened().to_vec());
    table.point_arrays.push(Array::new("parameter", 3, flat));
    let path = output(&format!("{name}_{n}.csv"));
    write(&path, &table, PLAIN).unwrap();
    let mut rows = csv::Reader::from_path(&path).unwrap();
    for (row, expected) in rows.records().zip(inside.iter().zip(&parameters)) {
        let row: Vec<f64> = row.unwrap().iter().map(|word| word.parse().unwrap()).collect();
        assert_eq!(bits(&row), bits([*expected.0, *expected.1].as_flattened()));
    }
    assert_eq!(rows.position().line(), 202, "a header and 200 rows");
}

#[test]
fn high_order_cells_read_back() {
    for n in 1..=5 {
        high_order_cell("lagrange", vtk_type::LAGRANGE_HEXAHEDRON, n, lagrange);
        high_order_cell("bezier", vtk_type::BEZIER_HEXAHEDRON, n, bernstein);
    }
}
