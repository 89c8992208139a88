//! Datasets: their parts, and large arrays in files.

use std::fs;

use subsolid::io::{Array, Dataset, PolylineWriter, WriteOptions, hexahedron_order, write};

use crate::npz::Npz;
use crate::samples::Scratch;
use crate::vtk_files;

#[test]
fn high_order_hexahedra_have_every_grid_position_once() {
    for n in 0..6 {
        let mut nodes = hexahedron_order(n);
        assert_eq!(nodes.len(), (n + 1).pow(3));
        nodes.sort_unstable();
        nodes.dedup();
        assert_eq!(nodes.len(), (n + 1).pow(3), "order {n}");
        assert!(nodes.iter().flatten().all(|&i| i <= n));
    }
}

#[test]
fn nodes_of_order_two_are_as_vtk_lists_them() {
    // Edge nodes 8–19 and face nodes 20–25 of VTK_LAGRANGE_HEXAHEDRON order 2.
    let nodes = hexahedron_order(2);
    assert_eq!(nodes[8..12], [[1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]]);
    assert_eq!(nodes[16..20], [[0, 0, 1], [2, 0, 1], [2, 2, 1], [0, 2, 1]]);
    assert_eq!(nodes[20..22], [[0, 1, 1], [2, 1, 1]]);
    assert_eq!(nodes[26], [1, 1, 1]);
}

fn cloud(values: &[i32]) -> Dataset {
    let points: Vec<[f64; 3]> = values.iter().map(|&x| [x.into(), 0.5, -1.0]).collect();
    let mut dataset = Dataset::point_cloud(points);
    let pairs: Vec<f64> = values.iter().flat_map(|&x| [x.into(), 1.0 / 3.0]).collect();
    dataset.point_arrays = vec![
        Array::new("id", 1, values.to_vec()),
        Array::new("pair", 2, pairs),
        Array::new("byte", 1, values.iter().map(|&x| x as u8).collect::<Vec<u8>>()),
    ];
    dataset
}

#[test]
fn points_are_appended_if_they_have_the_same_arrays() {
    let mut all = cloud(&[4, 5]);
    all.append_points(cloud(&[])).unwrap();
    all.append_points(cloud(&[6, 7, 8])).unwrap();
    assert_eq!(all, cloud(&[4, 5, 6, 7, 8]));
    let mut fewer = cloud(&[1]);
    fewer.point_arrays.pop();
    assert!(fewer.append_points(cloud(&[1, 2])).is_err());
    let mut other = cloud(&[1]);
    other.point_arrays[0] = Array::new("id", 1, vec![1.0]);
    assert!(cloud(&[3]).append_points(other).is_err());
}

#[test]
fn names_of_control_characters_are_refused() {
    let scratch = Scratch::new();
    let path = scratch.file("a.vtp", "");
    for (points, cells) in [(&[("\n", 1)][..], &[][..]), (&[], &["\u{7}"]), (&[], &[""])] {
        assert!(PolylineWriter::create(&path, points, cells).is_err());
    }
    assert!(PolylineWriter::create(&path, &[("a", 1)], &["b"]).is_ok());
}

/// More cells than bytes of a block that is written at once.
#[test]
fn types_of_many_cells_are_repeated() {
    let count = 300_000;
    let scratch = Scratch::new();
    let path = scratch.file("many.vtu", "");
    write(&path, Dataset::point_cloud(vec![[0.5_f64; 3]; count]), WriteOptions::default()).unwrap();
    let types = vtk_files::array(&fs::read(&path).unwrap(), "types");
    assert!(types.len() == count && types.iter().all(|&kind| kind == 1.0));
}

/// Several blocks of compression, an empty array behind them.
#[test]
fn compressed_arrays_are_the_same_for_any_number_of_threads() {
    let bytes: Vec<u8> = (0..5_usize << 19).map(|i| (i / 7 * i / 11) as u8).collect();
    let arrays = [
        Array::new("much", 1, bytes.clone()),
        Array::new("nothing", 1, Vec::<f64>::new()),
        Array::new("ids", 1, vec![7_i64, -1]),
    ];
    let scratch = Scratch::new();
    let paths = [1, 3].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let path = scratch.file(&format!("{threads}.npz"), "");
        let options = WriteOptions { compress: true, ..WriteOptions::default() };
        pool.install(|| subsolid::io::write_arrays(&path, &arrays, options)).unwrap();
        path
    });
    let files = paths.each_ref().map(|path| fs::read(path).unwrap());
    assert!(files[0] == files[1] && files[0].len() < bytes.len());
    let mut found = Npz::open(&paths[1]);
    assert!(found.array::<u8>("much").1 == bytes);
    assert!(found.array::<f64>("nothing").1.is_empty());
    assert_eq!(found.array::<i64>("ids").1, [7, -1]);
}

/// Beyond 65,535 arrays an archive needs records of 64 bits.
#[test]
fn archives_of_many_arrays_are_read_by_the_crate_zip() {
    let count = 70_000;
    let mut arrays: Vec<Array> =
        (0..count).map(|i| Array::new(i.to_string(), 1, vec![i as i32])).collect();
    arrays.push(Array::new("härte", 1, vec![0.25]));
    let scratch = Scratch::new();
    let path = scratch.file("many.npz", "");
    subsolid::io::write_arrays(&path, &arrays, WriteOptions::default()).unwrap();
    let mut found = Npz::open(&path);
    assert_eq!(found.names().len(), count + 1);
    for i in [0, 65_535, 65_536, 69_999] {
        assert_eq!(found.array::<i32>(&i.to_string()).1, [i]);
    }
    assert_eq!(found.array::<f64>("härte").1, [0.25]);
}

#[test]
#[ignore = "compresses 5 GB of zeros"]
fn archives_beyond_four_gigabytes_are_read_by_the_crate_zip() {
    let scratch = Scratch::new();
    let path = scratch.file("large.npz", "");
    let arrays = [Array::new("zeros", 1, vec![0_u8; 5 << 30]), Array::new("one", 1, vec![1_i32])];
    let options = WriteOptions { compress: true, ..WriteOptions::default() };
    subsolid::io::write_arrays(&path, &arrays, options).unwrap();
    let mut archive = zip::ZipArchive::new(fs::File::open(&path).unwrap()).unwrap();
    assert!(archive.by_name("zeros.npy").unwrap().size() > 5 << 30);
    assert_eq!(Npz::open(&path).array::<i32>("one").1, [1]);
}
