//! `subsolid quadrature` as its users run it.

use std::fs;
use std::path::Path;

use serde_json::Value;
use subsolid::io::WriteOptions;
use tempfile::{TempDir, tempdir};

use crate::npz::{Npz, Shaped, array};
use crate::program::{done, refused, run};
use crate::support::meshes::mixed;
use crate::vtk_files;

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

/// The range of table `t` in an array.
fn range(offsets: &[i64], t: usize) -> std::ops::Range<usize> {
    offsets[t] as usize..offsets[t + 1] as usize
}

/// The arrays of an archive with everything in it.
struct Archive {
    // control points, then those that refinement makes
    points: Vec<[f64; 3]>,
    // [table]: where its part of an array begins
    leaf_of: Vec<i64>,
    control_of: Vec<i64>,
    sample_of: Vec<i64>,
    basis_of: Vec<i64>,
    point_of: Vec<i64>,
    physical_of: Vec<i64>,
    // [table]
    controls: Vec<i32>,
    kinds: Vec<u8>,
    exact: Vec<i32>,
    parameters: Shaped<f64>,
    weights: Shaped<f64>,
    basis: Shaped<f64>,
    gradients: Shaped<f64>,
    second: Shaped<f64>,
    leaf_controls: Vec<u32>,
    leaf_cells: Vec<u32>,
    leaf_corners: Vec<i32>,
    origins: Shaped<f64>,
    frames: Shaped<f64>,
    position: Shaped<f64>,
    measure: Shaped<f64>,
    inverse: Shaped<f64>,
    physical: Shaped<f64>,
    physical_second: Shaped<f64>,
}

impl Archive {
    fn read(path: &Path) -> Self {
        let mut archive = Npz::open(path);
        Self {
            points: all_points(path),
            leaf_of: archive.array("table/leaf_offsets").1,
            control_of: archive.array("table/control_offsets").1,
            sample_of: archive.array("table/sample_offsets").1,
            basis_of: archive.array("table/basis_offsets").1,
            point_of: archive.array("table/point_offsets").1,
            physical_of: archive.array("physical/offsets").1,
            controls: archive.array("table/controls").1,
            kinds: archive.array("table/kind").1,
            exact: archive.array("table/exact_samples").1,
            parameters: archive.array("table/parameters"),
            weights: archive.array("table/weights"),
            basis: archive.array("table/basis"),
            gradients: archive.array("table/gradients"),
            second: archive.array("table/second"),
            leaf_controls: archive.array("leaf/controls").1,
            leaf_cells: archive.array("leaf/cell").1,
            leaf_corners: archive.array("leaf/corner").1,
            origins: archive.array("leaf/origin"),
            frames: archive.array("leaf/frame"),
            position: archive.array("point/position"),
            measure: archive.array("point/measure"),
            inverse: archive.array("point/inverse_jacobian"),
            physical: archive.array("physical/gradients"),
            physical_second: archive.array("physical/second"),
        }
    }

    /// The shapes of all arrays, of so many points.
    fn check_shapes(&self, samples: u64) {
        let leaves = self.leaf_cells.len() as u64;
        let physical = self.physical_of[self.controls.len()] as u64;
        for (array, shape) in [
            (&self.parameters, vec![self.weights.0[0], 3]),
            (&self.gradients, vec![self.basis.0[0], 3]),
            (&self.second, vec![self.basis.0[0], 6]),
            (&self.origins, vec![leaves, 3]),
            (&self.frames, vec![leaves, 3, 3]),
            (&self.position, vec![samples, 3]),
            (&self.measure, vec![samples]),
            (&self.inverse, vec![samples, 3, 3]),
            (&self.physical, vec![physical, 3]),
            (&self.physical_second, vec![physical, 6]),
        ] {
            assert_eq!(array.0, shape);
        }
        assert!(self.leaf_corners.iter().all(|&corner| corner == -1));
        assert!(self.kinds.iter().all(|&kind| kind <= 2));
    }

    /// The parts of a table are as long as its leaves, samples and control points say.
    fn check_lengths(&self, t: usize) {
        let (c, s) = (self.controls[t] as usize, range(&self.sample_of, t).len());
        let n = range(&self.leaf_of, t).len();
        assert!(self.exact[t] as usize <= s && n > 0);
        assert_eq!(range(&self.control_of, t).len(), n * c);
        assert_eq!(range(&self.basis_of, t).len(), s * c);
        assert_eq!(range(&self.point_of, t).len(), n * s);
        assert_eq!(range(&self.physical_of, t).len(), n * s * c);
        let weights = &self.weights.1[range(&self.sample_of, t)];
        assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-13);
    }

    /// The frame of a leaf, `[u v w][local axis]`.
    fn frame(&self, leaf: usize) -> &[f64] {
        &self.frames.1[9 * leaf..][..9]
    }

    /// The first, a middle and the last sample of leaf `leaf` of table `t`: its place in the cell,
    /// position, Jacobian and derivatives in space are those of the table's basis functions.
    fn check_leaf(&self, t: usize, leaf: usize) {
        let (c, s) = (self.controls[t] as usize, range(&self.sample_of, t).len());
        let own = range(&self.leaf_of, t).start + leaf;
        let net = &self.leaf_controls[range(&self.control_of, t)][leaf * c..][..c];
        for q in [0, s / 2, s - 1] {
            self.check_place(own, range(&self.sample_of, t).start + q);
            let at = self.point_of[t] as usize + leaf * s + q;
            let functions = self.basis_of[t] as usize + q * c;
            self.check_point(at, net, functions);
            let first = self.physical_of[t] as usize + (leaf * s + q) * c;
            for k in [0, c / 2, c - 1] {
                self.check_gradient(at, functions + k, first + k);
            }
        }
    }

    /// A sample of a table lies in the cell of the leaf.
    fn check_place(&self, leaf: usize, sample: usize) {
        let frame = self.frame(leaf);
        for x in 0..3 {
            let place = (0..3).map(|d| frame[3 * x + d] * self.parameters.1[3 * sample + d]);
            let u = self.origins.1[3 * leaf + x] + place.sum::<f64>();
            assert!((0.0..=1.0).contains(&u), "{u} in the cell");
        }
    }

    /// Position and inverse Jacobian of a point follow from its net and the basis functions, which
    /// begin at `first`.
    fn check_point(&self, at: usize, net: &[u32], first: usize) {
        let mut jacobian = [[0.0; 3]; 3];
        for (x, row) in jacobian.iter_mut().enumerate() {
            let place = |k: usize| self.points[net[k] as usize][x];
            let terms = (0..net.len()).map(|k| self.basis.1[first + k] * place(k));
            assert!((terms.sum::<f64>() - self.position.1[3 * at + x]).abs() < 1e-13);
            for (d, sum) in row.iter_mut().enumerate() {
                let gradient = |k: usize| self.gradients.1[3 * (first + k) + d];
                *sum = (0..net.len()).map(|k| gradient(k) * place(k)).sum();
            }
        }
        for (x, row) in jacobian.iter().enumerate() {
            for y in 0..3 {
                let product: f64 =
                    (0..3).map(|d| row[d] * self.inverse.1[9 * at + 3 * d + y]).sum();
                let expected = f64::from(u8::from(x == y));
                assert!((product - expected).abs() < 1e-11, "{product}");
            }
        }
    }

    /// The derivatives in space of a basis function at a point follow from those by the parameters.
    fn check_gradient(&self, at: usize, function: usize, physical: usize) {
        for x in 0..3 {
            let term = |d| self.gradients.1[3 * function + d] * self.inverse.1[9 * at + 3 * d + x];
            let expected: f64 = (0..3).map(term).sum();
            let found = self.physical.1[3 * physical + x];
            assert!((found - expected).abs() <= 1e-13 * (1.0 + expected.abs()));
        }
    }
}

/// The control points of an archive, and those that refinement makes.
fn all_points(path: &Path) -> Vec<[f64; 3]> {
    let points = array::<f64>(path, "control_points").1.as_chunks::<3>().0.to_vec();
    let starts = array::<i64>(path, "refined_offsets").1;
    let vertices = array::<u32>(path, "refined_vertices").1;
    let weights = array::<f64>(path, "refined_weights").1;
    let mut all = points.clone();
    for r in 0..starts.len() - 1 {
        let entries = range(&starts, r);
        assert!((weights[entries.clone()].iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let term = |at: usize, d: usize| weights[at] * points[vertices[at] as usize][d];
        all.push([0, 1, 2].map(|d| entries.clone().map(|at| term(at, d)).sum()));
    }
    assert!(all.len() > points.len(), "cells that are refined first");
    all
}

#[test]
fn an_archive_holds_what_the_table_says() {
    let directory = with_fan();
    let here = directory.path();
    // cells that are refined first
    done(here, "shape fan 5 1 1 -o short.vtu");
    let report = done(
        here,
        "quadrature short.vtu --gauss 3 --rings 2 --second --physical-gradients --store all -o q.npz \
         --json",
    );
    let report: Value = serde_json::from_str(&report).unwrap();
    let path = here.join("q.npz");
    for (name, expected) in [("version", 1), ("gauss", 3), ("rings", 2)] {
        assert_eq!(array::<i32>(&path, name), (vec![], vec![expected]));
    }
    let (cells, volumes) = array::<f64>(&path, "cell/volume");
    assert_eq!(cells, [5]);
    let volume = report["volume"].as_f64().unwrap();
    assert!((volumes.iter().sum::<f64>() / volume - 1.0).abs() < 1e-13);

    let archive = Archive::read(&path);
    archive.check_shapes(report["samples"].as_u64().unwrap());
    assert!((archive.measure.1.iter().sum::<f64>() / volume - 1.0).abs() < 1e-13);
    let mut covered = [0.0; 5];
    for t in 0..archive.controls.len() {
        archive.check_lengths(t);
        let leaves = range(&archive.leaf_of, t);
        for (leaf, own) in leaves.enumerate() {
            let size = archive.frame(own).iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            covered[archive.leaf_cells[own] as usize] += size.powi(3);
            archive.check_leaf(t, leaf);
        }
    }
    assert!(covered.iter().all(|&part| part == 1.0), "all cells, each once");
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
    let names = |options: &str| -> Vec<String> {
        done(here, &format!("quadrature fan.vtu --gauss 2 {options} -o q.npz"));
        Npz::open(&here.join("q.npz")).names()
    };
    let has = |names: &[String], word: &str| names.iter().any(|name| name.contains(word));
    let plain = names("");
    assert!(!has(&plain, "physical") && !has(&plain, "second") && !has(&plain, "point/"));
    assert!(plain.iter().any(|name| name == "table/basis") && plain.len() < 40, "{plain:?}");
    let geometry = names("--store geometry");
    assert!(has(&geometry, "point/measure") && has(&geometry, "leaf/controls"));
    assert!(geometry.iter().all(|name| name != "table/basis"));
    assert!(!has(&geometry, "table/gradients"));
    done(here, "quadrature fan.vtu --gauss 2 -o plain.npz");
    assert_eq!(array::<i32>(&here.join("plain.npz"), "rings").1, [-1], "as many as needed");
    done(here, "quadrature fan.vtu --gauss 2 --compress -o small.npz");
    let size = |name: &str| fs::metadata(here.join(name)).unwrap().len();
    assert!(size("small.npz") < size("plain.npz"));
    let [a, b] = ["plain.npz", "small.npz"].map(|n| array::<f64>(&here.join(n), "table/basis"));
    assert_eq!(a, b);
}

/// Leaves of all sizes and directions share tables, and few arrays hold all of them.
#[test]
fn octree_meshes_have_few_tables() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let mesh = crate::support::meshes::mixed();
    subsolid::write(here.join("mixed.vtu"), &mesh, WriteOptions::default()).unwrap();
    let command = "quadrature mixed.vtu --gauss 2 --rings 1 -o q.npz --json";
    let report: Value = serde_json::from_str(&done(here, command)).unwrap();
    let path = here.join("q.npz");
    let tables = array::<i32>(&path, "table/controls").1.len() as u64;
    assert!(tables < report["batches"].as_u64().unwrap(), "{tables} tables");
    assert_eq!(array::<u32>(&path, "leaf/cell").0, [report["leaves"].as_u64().unwrap()]);
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
    assert!(!head.contains("Name=\"corner\""));
}

/// Children of cells that are not hexahedra are told apart: evaluation finds each point from what
/// is written.
#[test]
fn points_of_mixed_cells_name_their_corners() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    subsolid::write(here.join("mixed.vtu"), &mixed(), WriteOptions::default()).unwrap();
    for boundary in ["", " --boundary"] {
        done(here, &format!("quadrature mixed.vtu --gauss 2 --rings 1{boundary} -o q.vtu"));
        let file = fs::read(here.join("q.vtu")).unwrap();
        let [cells, corners, u, v, w, points] =
            ["cell", "corner", "u", "v", "w", "Points"].map(|name| vtk_files::array(&file, name));
        let mut rows = "cell,corner,u,v,w\n".to_string();
        for (i, cell) in cells.iter().enumerate() {
            rows += &format!("{cell},{},{:e},{:e},{:e}\n", corners[i], u[i], v[i], w[i]);
        }
        fs::write(here.join("at.csv"), rows).unwrap();
        done(here, "evaluate mixed.vtu --at at.csv -o found.csv");
        let text = fs::read_to_string(here.join("found.csv")).unwrap();
        for (row, point) in text.lines().skip(1).zip(points.as_chunks::<3>().0) {
            let found: Vec<f64> = row.split(',').skip(5).map(|x| x.parse().unwrap()).collect();
            assert!((0..3).all(|d| (found[d] - point[d]).abs() < 1e-13), "{row} {point:?}");
        }
        assert_eq!(text.lines().count(), cells.len() + 1);
    }
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
    let (code, _, stderr) =
        run(here, "quadrature fold.vtu --gauss 3 --force --store geometry -o q.npz");
    assert_eq!(code, 1, "{stderr}");
    assert!(stderr.contains("determinant is not positive"), "{stderr}");
    let measures = array::<f64>(&here.join("q.npz"), "point/measure").1;
    assert!(measures.iter().any(|&measure| measure < 0.0));
}

#[test]
fn bad_rules_outputs_and_contents_are_refused() {
    let directory = with_fan();
    let here = directory.path();
    refused(here, "quadrature fan.vtu --gauss 0 -o q.npz", "no Gauss rule with 0 points");
    refused(here, "quadrature fan.vtu --gauss 3 --rings 30 -o q.npz", "30 rings");
    refused(here, "quadrature fan.vtu --gauss 3 -o q.csv", "holds no quadrature");
    refused(here, "quadrature fan.vtu --gauss 3 --second -o q.vtu", ".npz only");
    refused(here, "quadrature fan.vtu --gauss 3 --store all -o q.vtu", ".npz only");
    refused(here, "quadrature fan.vtu --gauss 3 --store some -o q.npz", "invalid value 'some'");
    let nothing = "quadrature fan.vtu --gauss 3 --store geometry --second -o q.npz";
    refused(here, nothing, "which --store geometry does not store");
    done(here, &nothing.replace("q.npz", "p.npz --physical-gradients"));
    refused(here, "quadrature fan.vtu --gauss 3 -o missing/q.npz", "create its directory first");
    refused(here, "quadrature fan.vtu --gauss 3", "not provided:\n  --output");
    refused(here, "quadrature fan.vtu --gauss 3 -o fan.vtu", "is an input");
    refused(here, "quadrature none.vtu --gauss 3 -o q.npz", "none.vtu: cannot be read");
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
        "quadrature box.vtu --gauss 3 --crease-angle 40 --boundary=1,4 --store all \
         --physical-gradients -o two.npz --json",
    );
    assert_eq!(two, [all[1], all[4]]);
    let text = done(here, "quadrature box.vtu --gauss 3 --crease-angle 40 --boundary=1,4");
    assert!(text.starts_with("only the faces of 1, 4\n"), "{text}");
    let path = here.join("two.npz");
    assert_eq!(array::<u32>(&path, "side/ids"), (vec![2], vec![1, 4]));
    assert_eq!(array::<f64>(&path, "side/centroid").0, [2, 3]);
    let samples = array::<f64>(&path, "point/measure").0[0];
    let (shape, normals) = array::<f64>(&path, "point/normal");
    assert_eq!(shape, [samples, 3]);
    let sides = array::<u32>(&path, "leaf/side").1;
    assert!(sides.iter().all(|side| [1, 4].contains(side)));
    assert_eq!(array::<u32>(&path, "leaf/face").0, [sides.len() as u64]);
    let offsets = array::<i64>(&path, "table/sample_offsets").1;
    let (parameters, weights) =
        (array::<f64>(&path, "table/parameters").1, array::<f64>(&path, "table/weights").1);
    let (axes, ends) = (array::<u8>(&path, "table/axis").1, array::<u8>(&path, "table/end").1);
    for t in 0..axes.len() {
        let rows = range(&offsets, t);
        assert!((weights[rows.clone()].iter().sum::<f64>() - 1.0).abs() < 1e-14);
        let place = |row: usize| parameters[3 * row + usize::from(axes[t])];
        assert!(rows.clone().all(|row| place(row) == f64::from(ends[t])));
    }
    let area: f64 = array::<f64>(&path, "point/measure").1.iter().sum();
    assert!(
        normals
            .as_chunks::<3>()
            .0
            .iter()
            .all(|n| { (n.iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14 })
    );
    assert!((area - all[1].1 - all[4].1).abs() < 1e-12);
    done(here, "quadrature box.vtu --gauss 2 --boundary -o skin.vtu");
    done(here, "quadrature box.vtu --gauss 2 --boundary -o skin.pvtu");
    let skin = fs::read(here.join("skin.vtu")).unwrap();
    assert!(skin.windows(13).any(|bytes| bytes == b"Name=\"normal\""));
    refused(here, "quadrature box.vtu --gauss 2 --boundary=1 -o q.npz", "no side 1");
    refused(here, "quadrature box.vtu --gauss 2 --boundary=x -o q.npz", "no group x");
    refused(
        here,
        "quadrature box.vtu --gauss 2 --boundary --quality",
        "cannot be used with '--quality'",
    );
    two_boxes(&here.join("hands.vtk"));
    let job = "quadrature hands.vtk --crease-angle 40 --gauss 2 --boundary";
    let (code, _, stderr) = run(here, job);
    assert!(code == 1 && stderr.contains("is not positive: cell 1"), "{code} {stderr}");
    refused(here, &format!("{job} -o h.vtu"), "is not positive: cell 1");
    refused(
        here,
        "quadrature box.vtu --gauss 2 --boundary --backend cuda -o q.npz",
        "boundary quadrature runs on the CPU only",
    );
}

/// Two cubes apart, the second left-handed, with cell arrays and attributes that an archive would
/// not keep apart.
fn two_boxes(path: &Path) {
    let corner = |x: u32, k: u32| format!("{} {} {}\n", x + (k & 1), k >> 1 & 1, k >> 2);
    let points: String = [0, 3].iter().flat_map(|&x| (0..8).map(move |k| corner(x, k))).collect();
    let arrays = |of: &str, values: &str| {
        format!(
            "{of}\nSCALARS a.b double\nLOOKUP_TABLE default\n{values}\n\
             SCALARS a_b double\nLOOKUP_TABLE default\n{values}\n"
        )
    };
    let text = format!(
        "# vtk DataFile Version 3.0\nboxes\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 16 double\n\
         {points}CELLS 2 18\n8 0 1 3 2 4 5 7 6\n8 12 13 15 14 8 9 11 10\nCELL_TYPES 2\n12\n12\n{}{}",
        arrays("CELL_DATA 2", "1 2"),
        arrays("POINT_DATA 16", "0 0 0 0 0 0 0 0 1 1 1 1 1 1 1 1"),
    );
    fs::write(path, text).unwrap();
}

#[test]
fn names_that_an_archive_does_not_keep_apart_are_refused_before_the_work() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    two_boxes(&here.join("boxes.vtk"));
    for job in ["quadrature boxes.vtk --gauss 2 --force -o q.npz", "extract boxes.vtk -o q.npz"] {
        let (code, _, stderr) = run(here, job);
        assert!(code == 2 && stderr.contains("a_b") && !stderr.contains("disk"), "{stderr}");
        assert!(!stderr.contains("Prepared") && !here.join("q.npz").exists(), "{stderr}");
    }
}

/// The size that is announced is that of the arrays, up to a few numbers; a larger one than asked
/// for is refused.
#[test]
fn sizes_are_announced_and_limited() {
    let directory = with_fan();
    let here = directory.path();
    for options in [
        "",
        "--store geometry",
        "--second",
        "--store all --physical-gradients",
        "--second --physical-gradients",
    ] {
        for boundary in ["", "--boundary"] {
            let command = format!("quadrature fan.vtu --gauss 3 --rings 1 {options} {boundary}");
            let report = done(here, &format!("{command} -o size.npz --json"));
            let report: Value = serde_json::from_str(&report).unwrap();
            let announced = report["output_bytes"].as_u64().unwrap();
            let mut archive = Npz::open(&here.join("size.npz"));
            let sizes = archive.names().into_iter().map(|name| {
                let bytes = archive.bytes(&name);
                bytes.len() as u64 - 10 - u64::from(u16::from_le_bytes([bytes[8], bytes[9]]))
            });
            let written: u64 = sizes.sum();
            let slack = 1000;
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
