//! `subsolid quadrature` as its users run it.

use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

use npyz::{Deserialize, NpyFile};
use serde_json::Value;
use subsolid::io::WriteOptions;
use tempfile::{TempDir, tempdir};

use crate::program::{done, refused, run};

fn with_fan() -> TempDir {
    let directory = tempdir().unwrap();
    done(directory.path(), "shape fan 5 2 2 -o fan.vtu");
    directory
}

fn with_fold() -> TempDir {
    let directory = tempdir().unwrap();
    let path = directory.path().join("fold.vtu");
    subsolid::write(path, &crate::support::meshes::folded_block(), WriteOptions::default())
        .unwrap();
    directory
}

pub fn array<T: Deserialize>(path: &Path, name: &str) -> (Vec<u64>, Vec<T>) {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    let mut entry =
        archive.by_name(&format!("{name}.npy")).unwrap_or_else(|e| panic!("{name}: {e}"));
    entry.read_to_end(&mut bytes).unwrap();
    let array = NpyFile::new(Cursor::new(bytes)).unwrap();
    (array.shape().to_vec(), array.into_vec().unwrap())
}

#[test]
fn an_archive_holds_what_the_table_says() {
    let directory = with_fan();
    let here = directory.path();
    let report = done(
        here,
        "quadrature fan.vtu --gauss 3 --rings 2 --second --physical-gradients -o q.npz --json",
    );
    let report: Value = serde_json::from_str(&report).unwrap();
    let path = here.join("q.npz");
    let batches = array::<i32>(&path, "batches").1[0];
    assert_eq!(report["batches"], batches);
    assert_eq!(array::<i32>(&path, "gauss"), (vec![], vec![3]));
    assert_eq!(array::<i32>(&path, "rings"), (vec![], vec![2]));
    let vertices = array::<f64>(&path, "control_points").0[0];
    let (cells, volumes) = array::<f64>(&path, "cell/volume");
    assert_eq!(cells, [40]);
    let volume = report["volume"].as_f64().unwrap();
    assert!((volumes.iter().sum::<f64>() / volume - 1.0).abs() < 1e-13);
    let (mut measure, mut parameter, mut samples) = (0.0, 0.0, 0);
    for b in 0..batches {
        let name = |array: &str| format!("batch/{b}/{array}");
        let real = |a: &str| array::<f64>(&path, &name(a));
        let (shape, ids) = array::<u32>(&path, &name("control_ids"));
        let [l, c] = shape[..] else { panic!("{shape:?}") };
        assert!(ids.iter().all(|&id| u64::from(id) < vertices));
        let (shape, weights) = real("weights");
        let s = shape[0];
        for (array, expected) in [
            ("origins", vec![l, 3]),
            ("parameters", vec![s, 3]),
            ("basis", vec![s, c]),
            ("gradients", vec![s, 3, c]),
            ("second", vec![s, 6, c]),
            ("points", vec![l, s, 3]),
            ("determinants", vec![l, s]),
            ("measures", vec![l, s]),
            ("inverse_jacobians", vec![l, s, 3, 3]),
            ("physical_gradients", vec![l, s, 3, c]),
            ("physical_second", vec![l, s, 6, c]),
        ] {
            assert_eq!(real(array).0, expected, "{array}");
        }
        // einsum("sjc,lsji->lsic", gradients, inverse_jacobians), of the last leaf
        let (gradients, inverses) = (real("gradients").1, real("inverse_jacobians").1);
        let physical = real("physical_gradients").1;
        let [s, c, last] = [s, c, l - 1].map(|n| n as usize);
        for (q, i, k) in [(0, 0, 0), (s - 1, 1, c - 1), (s / 2, 2, c / 2)] {
            let term =
                |j| gradients[(q * 3 + j) * c + k] * inverses[(last * s + q) * 9 + 3 * j + i];
            let found = physical[((last * s + q) * 3 + i) * c + k];
            let expected: f64 = (0..3).map(term).sum();
            assert!((found - expected).abs() <= 1e-13 * (1.0 + expected.abs()));
        }
        let size = real("size").1[0];
        assert!((weights.iter().sum::<f64>() - size.powi(3)).abs() < 1e-13);
        assert_eq!(array::<u32>(&path, &name("cells")).0, [l]);
        assert!(array::<i32>(&path, &name("corners")).1.iter().all(|&corner| corner == -1));
        assert!(array::<u8>(&path, &name("kind")).1[0] <= 2);
        assert!(array::<i32>(&path, &name("exact_samples")).1[0] <= s as i32);
        measure += real("measures").1.iter().sum::<f64>();
        parameter += l as f64 * size.powi(3);
        samples += l as usize * s;
    }
    assert!((measure / volume - 1.0).abs() < 1e-13);
    assert!((parameter - 40.0).abs() < 1e-12, "all cells, each once");
    assert_eq!(report["samples"], samples);
    let with_remainder = report["cells_with_remainder"].as_object().unwrap();
    assert!(!with_remainder.is_empty());
    let (_, remainders) = array::<f64>(&path, "cell/remainder_volume");
    for (cell, found) in with_remainder {
        let expected = remainders[cell.parse::<usize>().unwrap()];
        assert_eq!(found["remainder_volume"].as_f64().unwrap(), expected);
    }
}

#[test]
fn options_that_ask_for_nothing_more_write_nothing_more() {
    let directory = with_fan();
    let here = directory.path();
    done(here, "quadrature fan.vtu --gauss 2 -o plain.npz");
    assert_eq!(array::<i32>(&here.join("plain.npz"), "rings").1, [-1], "as many as needed");
    done(here, "quadrature fan.vtu --gauss 2 --compress -o small.npz");
    let archive = zip::ZipArchive::new(fs::File::open(here.join("plain.npz")).unwrap()).unwrap();
    for name in archive.file_names() {
        let name = name.unwrap();
        assert!(!name.contains("physical") && !name.contains("second"), "{name}");
    }
    let size = |name: &str| fs::metadata(here.join(name)).unwrap().len();
    assert!(size("small.npz") < size("plain.npz"));
    let [a, b] = ["plain.npz", "small.npz"].map(|n| array::<f64>(&here.join(n), "batch/0/points"));
    assert_eq!(a, b);
}

#[test]
fn points_open_as_vtu_and_in_pieces() {
    let directory = with_fan();
    let here = directory.path();
    done(here, "quadrature fan.vtu --gauss 2 --rings 1 -o points.vtu");
    done(here, "quadrature fan.vtu --gauss 2 --rings 1 -o points.pvtu");
    let text = fs::read(here.join("points.vtu")).unwrap();
    let head = String::from_utf8_lossy(&text[..4000.min(text.len())]).into_owned();
    for name in ["measure", "weight", "det_j", "inverse_jacobian", "remainder", "class"] {
        assert!(head.contains(&format!("Name=\"{name}\"")), "{name}: {head}");
    }
    assert!(here.join("points.pvtu").exists());
}

#[test]
fn invalid_geometry_is_refused_unless_forced() {
    let directory = with_fold();
    let here = directory.path();
    let refusal = "Jacobian determinant is not positive";
    refused(here, "quadrature fold.vtu --gauss 3 -o q.npz", refusal);
    let (code, stdout, _) = run(here, "quadrature fold.vtu --gauss 3 --quality --json");
    assert_eq!(code, 1);
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let quality = &report["quality"];
    assert!(quality["least_determinant"]["value"].as_f64().unwrap() < 0.0);
    assert!(!quality["non_positive"].as_object().unwrap().is_empty());
    let (code, _, stderr) = run(here, "quadrature fold.vtu --gauss 3 --force -o q.npz");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("warning") && here.join("q.npz").exists(), "{stderr}");
}

#[test]
fn bad_requests_are_refused() {
    let directory = with_fan();
    let here = directory.path();
    refused(here, "quadrature fan.vtu --gauss 0 -o q.npz", "no Gauss rule of 0 points");
    refused(here, "quadrature fan.vtu --gauss 3 --rings 30 -o q.npz", "30 rings");
    refused(here, "quadrature fan.vtu --gauss 3 -o q.csv", "holds no quadrature");
    refused(here, "quadrature fan.vtu --gauss 3 --second -o q.vtu", ".npz only");
    refused(here, "quadrature fan.vtu --gauss 3 -o missing/q.npz", "missing");
    refused(here, "quadrature fan.vtu -o q.npz", "--gauss");
    refused(here, "quadrature fan.vtu --gauss 3", "--output");
    refused(here, "quadrature fan.vtu --gauss 3 -o fan.vtu", "is an input");
    refused(here, "quadrature none.vtu --gauss 3 -o q.npz", "none.vtu");
}

/// Sides have numbers that select them, and the archive what the table says.
#[test]
fn boundaries_have_sides_normals_and_areas() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 3 4 -o box.vtu");
    let sides = |command: &str| -> Vec<(u64, f64)> {
        let report: Value = serde_json::from_str(&done(here, command)).unwrap();
        let of = |side: &Value| (side["side"].as_u64().unwrap(), side["area"].as_f64().unwrap());
        report["sides"].as_array().unwrap().iter().map(of).collect()
    };
    let all = sides("quadrature box.vtu --gauss 3 --crease-angle 40 --boundary --json");
    let mut areas: Vec<f64> = all.iter().map(|side| side.1.round()).collect();
    areas.sort_unstable_by(f64::total_cmp);
    assert_eq!(areas, [6.0, 6.0, 8.0, 8.0, 12.0, 12.0]);
    let two = sides(
        "quadrature box.vtu --gauss 3 --crease-angle 40 --boundary=1,4 --physical-gradients \
         -o two.npz --json",
    );
    assert_eq!(two, [all[1], all[4]]);
    let path = here.join("two.npz");
    assert_eq!(array::<u32>(&path, "side/ids"), (vec![2], vec![1, 4]));
    assert_eq!(array::<f64>(&path, "side/centroid").0, [2, 3]);
    let (mut area, mut normal) = (0.0, [0.0; 3]);
    for b in 0..array::<i32>(&path, "batches").1[0] {
        let name = |array: &str| format!("batch/{b}/{array}");
        let (shape, measures) = array::<f64>(&path, &name("measures"));
        let (leaves, samples) = (shape[0], shape[1]);
        let (shape, normals) = array::<f64>(&path, &name("normals"));
        assert_eq!(shape, [leaves, samples, 3]);
        let (_, weights) = array::<f64>(&path, &name("weights"));
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let (_, parameters) = array::<f64>(&path, &name("parameters"));
        let axis = usize::from(array::<u8>(&path, &name("axis")).1[0]);
        let end = f64::from(array::<u8>(&path, &name("end")).1[0]);
        assert!(parameters.chunks_exact(3).all(|p| p[axis] == end));
        assert!(array::<u32>(&path, &name("sides")).1.iter().all(|side| [1, 4].contains(side)));
        assert_eq!(array::<u32>(&path, &name("faces")).0, [leaves]);
        let controls = array::<u32>(&path, &name("control_ids")).0[1];
        let shape = array::<f64>(&path, &name("physical_gradients")).0;
        assert_eq!(shape, [leaves, samples, 3, controls]);
        for (measure, n) in measures.iter().zip(normals.as_chunks::<3>().0) {
            area += measure;
            (0..3).for_each(|d| normal[d] += measure * n[d]);
        }
    }
    assert!((area - all[1].1 - all[4].1).abs() < 1e-12);
    done(here, "quadrature box.vtu --gauss 2 --boundary -o skin.vtu");
    done(here, "quadrature box.vtu --gauss 2 --boundary -o skin.pvtu");
    let skin = fs::read(here.join("skin.vtu")).unwrap();
    assert!(skin.windows(13).any(|bytes| bytes == b"Name=\"normal\""));
    refused(here, "quadrature box.vtu --gauss 2 --boundary=1 -o q.npz", "no side 1");
    refused(here, "quadrature box.vtu --gauss 2 --boundary=x -o q.npz", "x");
    refused(here, "quadrature box.vtu --gauss 2 --boundary --quality", "--quality");
    refused(
        here,
        "quadrature box.vtu --gauss 2 --boundary --backend cuda -o q.npz",
        "no quadrature of the boundary",
    );
}

/// The size that is announced is that of the arrays, up to a few numbers a batch; a larger one than
/// asked for is refused.
#[test]
fn sizes_are_announced_and_limited() {
    let directory = with_fan();
    let here = directory.path();
    for options in ["", "--second", "--physical-gradients", "--second --physical-gradients"] {
        for boundary in ["", "--boundary"] {
            let command = format!("quadrature fan.vtu --gauss 3 --rings 1 {options} {boundary}");
            let report = done(here, &format!("{command} -o size.npz --json"));
            let report: Value = serde_json::from_str(&report).unwrap();
            let announced = report["output_bytes"].as_u64().unwrap();
            let file = fs::File::open(here.join("size.npz")).unwrap();
            let mut archive = zip::ZipArchive::new(file).unwrap();
            let sizes = (0..archive.len()).map(|i| {
                let mut entry = archive.by_index(i).unwrap();
                let mut start = [0; 10];
                entry.read_exact(&mut start).unwrap();
                entry.size() - 10 - u64::from(u16::from_le_bytes([start[8], start[9]]))
            });
            let written: u64 = sizes.sum();
            let slack = 1000 + 32 * report["batches"].as_u64().unwrap();
            assert!(announced.abs_diff(written) <= slack, "{command}: {announced}, {written}");
        }
    }
    fs::remove_file(here.join("size.npz")).unwrap();
    for command in [
        "quadrature fan.vtu --gauss 3 --max-size 0.00001 -o q.npz",
        "quadrature fan.vtu --gauss 3 --boundary --max-size 0.00001 -o q.npz",
        "quadrature fan.vtu --gauss 3 --max-size 0.00001 -o q.pvtu",
    ] {
        refused(here, command, "more than --max-size 0.00001");
    }
    refused(here, "quadrature fan.vtu --gauss 3 --max-size nan -o q.npz", "--max-size NaN");
}
