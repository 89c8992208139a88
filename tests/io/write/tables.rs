//! Tables and archives give back the very numbers that were written.

use subsolid::io::{Array, ArrayData, Dataset, DatasetCells, Points, WriteOptions, write};
use tempfile::tempdir;

use crate::npz::array;

use super::models::{box_dataset, mixed_mesh, single_precision};

/// Numbers that shorter texts would change.
const HARD: [f64; 9] = [
    0.1,
    1.0 / 3.0,
    -f64::MIN_POSITIVE,
    5e-324,
    f64::MAX,
    -0.0,
    1.0 + f64::EPSILON,
    9_007_199_254_740_993.0,
    f64::INFINITY,
];

#[test]
fn csv_gives_back_every_bit() {
    let points: Vec<[f64; 3]> =
        (0..20_000).map(|i| [0, 1, 2].map(|d| HARD[(i + d) % 9] / (1 + i / 9) as f64)).collect();
    let ids: Vec<i64> = (0..points.len() as i64).map(|i| i64::MAX - i).collect();
    let singles: Vec<f32> = (0..2 * points.len()).map(|i| (i as f32).sqrt()).collect();
    let mut dataset = Dataset::point_cloud(points.clone());
    dataset.point_arrays =
        vec![Array::new("id, \"long\"", 1, ids.clone()), Array::new("s", 2, singles.clone())];
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.csv");
    write(&path, &dataset, WriteOptions::default()).unwrap();

    let mut reader = csv::Reader::from_path(&path).unwrap();
    assert_eq!(reader.headers().unwrap(), vec!["x", "y", "z", "id, \"long\"", "s_0", "s_1"]);
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), points.len());
    for (i, row) in rows.iter().enumerate() {
        for d in 0..3 {
            assert_eq!(row[d].parse::<f64>().unwrap().to_bits(), points[i][d].to_bits());
        }
        assert_eq!(row[3].parse::<i64>().unwrap(), ids[i]);
        for s in 0..2 {
            assert_eq!(row[4 + s].parse::<f32>().unwrap().to_bits(), singles[2 * i + s].to_bits());
        }
    }
    assert_eq!(&rows[0][0], "1.0000000000000001e-1", "17 significant digits");
}

#[test]
fn npz_gives_back_every_array() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.npz");
    for compress in [false, true] {
        let dataset = box_dataset(3);
        write(&path, &dataset, WriteOptions { compress, format: None }).unwrap();
        let (shape, points) = array::<f64>(&path, "points");
        assert_eq!(shape, [64, 3]);
        assert_eq!(bytemuck::cast_slice::<_, u8>(&points), dataset.points.bytes());
        let (shape, cells) = array::<u32>(&path, "cells");
        assert_eq!(shape, [27, 8]);
        assert_eq!(cells, dataset.cells.connectivity());
        assert_eq!(array::<u8>(&path, "cell_types").1, [12; 27]);
        assert_eq!(array::<f64>(&path, "point/frame").0, [64, 9]);
        assert_eq!(array::<f64>(&path, "point/heat").0, [64]);
        let ids = array::<i64>(&path, "cell/cell_id").1;
        assert_eq!(ArrayData::I64(ids), dataset.cell_arrays[0].data);
        assert_eq!(array::<i64>(&path, "field/crease_edges"), (vec![2, 2], vec![0, 1, 0, 4]));
        let sharpness = array::<f64>(&path, "field/crease_sharpness").1;
        assert_eq!(sharpness, [f64::INFINITY, 1.5]);
        assert_eq!(array::<f32>(&path, "field/none").0, [0, 3]);
    }
}

#[test]
fn npz_holds_single_precision_and_polyhedra() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("a.npz");
    let dataset = single_precision(2);
    write(&path, &dataset, WriteOptions::default()).unwrap();
    let points = array::<f32>(&path, "points").1;
    let points = points.as_chunks::<3>().0.to_vec();
    assert_eq!(Points::F32(points), dataset.points);

    let dataset = Dataset::from(&mixed_mesh());
    write(&path, &dataset, WriteOptions::default()).unwrap();
    let DatasetCells::Mixed(mixed) = &dataset.cells else { panic!("the mesh is mixed") };
    let faces = mixed.faces.as_ref().unwrap();
    assert_eq!(array::<u32>(&path, "cells").1, mixed.connectivity);
    assert_eq!(array::<u8>(&path, "cell_types").1, [12, 42, 10, 13, 42]);
    assert_eq!(array::<i64>(&path, "cell_ends").1, [8, 13, 17, 23, 31]);
    assert_eq!(array::<u32>(&path, "faces").1, faces.stream);
    assert_eq!(array::<i64>(&path, "face_ends").1, [-1, 22, -1, -1, 53]);
}
