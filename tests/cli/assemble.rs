//! `subsolid assemble` as its users run it: a cantilever solved from the files alone.

use std::fs;
use std::path::Path;

use faer::linalg::solvers::Solve;
use faer::sparse::{SparseColMat, Triplet};
use faer::{Mat, Side};
use serde_json::Value;
use tempfile::tempdir;

use crate::npz::{Npz, array};
use crate::program::{done, refused, run};

/// Entries of a matrix in SciPy's format.
fn entries(path: &Path) -> Vec<(usize, usize, f64)> {
    let mut archive = Npz::open(path);
    let (starts, columns) = (archive.array::<i32>("indptr").1, archive.array::<i32>("indices").1);
    let (values, shape) = (archive.array::<f64>("data").1, archive.array::<i64>("shape").1);
    assert_eq!(starts.len() as i64, shape[0] + 1);
    let mut all = Vec::new();
    for (row, range) in starts.windows(2).enumerate() {
        for at in range[0] as usize..range[1] as usize {
            all.push((row, columns[at] as usize, values[at]));
        }
    }
    all
}

/// Entries of a symmetric Matrix Market file.
fn market(path: &Path) -> Vec<(usize, usize, f64)> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    assert_eq!(lines.next(), Some("%%MatrixMarket matrix coordinate real symmetric"));
    let sizes: Vec<usize> = lines.next().unwrap().split(' ').map(|n| n.parse().unwrap()).collect();
    let mut all = Vec::new();
    for line in lines {
        let words: Vec<&str> = line.split(' ').collect();
        let at = |i: usize| words[i].parse::<usize>().unwrap() - 1;
        let value = words[2].parse().unwrap();
        assert!(at(0) >= at(1));
        all.push((at(0), at(1), value));
    }
    assert_eq!((sizes[0], sizes[2]), (sizes[1], all.len()));
    let upper: Vec<_> = all.iter().filter(|e| e.0 != e.1).map(|&(r, c, x)| (c, r, x)).collect();
    all.extend(upper);
    all.sort_unstable_by_key(|entry| (entry.0, entry.1));
    all
}

/// Mean deflection of the free end of a cantilever, relative to Timoshenko's.
fn deflection(here: &Path, levels: usize) -> f64 {
    let command = format!(
        "assemble beam.vtk --crease-angle 40 --levels {levels} --elasticity 1000,0 \
         --load 5=0,0.01,0 -o beam{levels} --json"
    );
    let report: Value = serde_json::from_str(&done(here, &command)).unwrap();
    assert!((report["force"][1].as_f64().unwrap() - 0.04).abs() < 1e-14);
    let folder = here.join(format!("beam{levels}"));
    let mut model = Npz::open(&folder.join("model.npz"));
    let points = model.array::<f64>("points").1;
    let load = model.array::<f64>("load").1;
    let fixed = model.array::<i32>("side/0").1;
    let free_end = model.array::<i32>("side/5").1;
    assert!(fixed.iter().all(|&v| points[3 * v as usize + 2] == 0.0));
    let mut number: Vec<Option<usize>> = vec![None; points.len()];
    let mut count = 0;
    for (v, number) in number.iter_mut().enumerate() {
        if !fixed.contains(&((v / 3) as i32)) {
            *number = Some(count);
            count += 1;
        }
    }
    let triplets: Vec<Triplet<usize, usize, f64>> = entries(&folder.join("elasticity.npz"))
        .into_iter()
        .filter_map(|(r, c, x)| Some(Triplet::new(number[r]?, number[c]?, x)))
        .filter(|t| t.row >= t.col)
        .collect();
    let matrix = SparseColMat::try_new_from_triplets(count, count, &triplets).unwrap();
    let mut x = Mat::zeros(count, 1);
    for (n, force) in number.iter().zip(&load) {
        if let Some(n) = n {
            x[(*n, 0)] = *force;
        }
    }
    matrix.sp_cholesky(Side::Lower).unwrap().solve_in_place(&mut x);
    // corners of the end: the boundary's control points carry linear fields
    let sum: f64 = free_end.iter().map(|&v| x[(number[3 * v as usize + 1].unwrap(), 0)]).sum();
    let (force, length, modulus, inertia) = (0.04, 20.0_f64, 1000.0, 16.0 / 12.0);
    let bending = force * length.powi(3) / (3.0 * modulus * inertia);
    let shear = force * length / (5.0 / 6.0 * modulus / 2.0 * 4.0);
    sum / free_end.len() as f64 / (bending + shear)
}

#[test]
fn a_cantilever_bends_as_beam_theory_says() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 20 -o beam.vtk");
    let ratios = [0, 1].map(|levels| deflection(here, levels));
    println!("{ratios:?}");
    assert!(ratios.iter().all(|ratio| (ratio - 1.0).abs() < 0.01), "{ratios:?}");
}

#[test]
fn both_formats_hold_the_same_matrix() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape fan 5 2 2 -o fan.vtk");
    let forms = "--gauss 2 --rings 1 --mass=7.5 --stiffness --elasticity 3,0.25";
    done(here, &format!("assemble fan.vtk {forms} -o npz"));
    done(here, &format!("assemble fan.vtk {forms} --compress -o small"));
    done(here, &format!("assemble fan.vtk {forms} --format mtx -o mtx"));
    for name in ["mass", "stiffness", "elasticity"] {
        let of = |folder: &str| entries(&here.join(folder).join(format!("{name}.npz")));
        let all = of("npz");
        assert!(all == of("small") && all == market(&here.join("mtx").join(format!("{name}.mtx"))));
    }
    let names: Vec<String> = ["npz", "mtx"]
        .iter()
        .flat_map(|folder| fs::read_dir(here.join(folder)).unwrap())
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(names.len(), 8, "{names:?}");
}

#[test]
fn bad_constants_names_and_outputs_are_refused() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtk");
    refused(here, "assemble box.vtk -o out", "nothing to assemble");
    refused(
        here,
        "assemble box.vtk --mass -o mass.npz",
        "mass.npz: matrices are files in a folder",
    );
    refused(here, "assemble box.vtk --elasticity 1 -o out", "1 number instead of 2");
    refused(here, "assemble box.vtk --elasticity 1,0.5 -o out", "ratio 0.5");
    refused(here, "assemble box.vtk --elasticity -1,0.3 -o out", "modulus -1");
    let orthotropic = "assemble box.vtk --elasticity 2,1,1,1,1,1,0.1,0.1";
    refused(here, &format!("{orthotropic},3 -o out"), "NU13 of 3: the material is not stable");
    let axes = format!("{orthotropic},0.1 --material-axes fiber,across -o out");
    refused(here, &axes, "no attribute is named \"fiber\"");
    refused(here, "assemble box.vtk --mass=-1 -o out", "a density of -1");
    refused(here, "assemble box.vtk --stiffness=0 -o out", "a conductivity of 0");
    refused(here, "assemble box.vtk --load 1=0,0,1 -o out", "no side 1");
    refused(here, "assemble box.vtk --load x=0,0,1 -o out", "no group x");
    refused(here, "assemble box.vtk --body 0,nan,1 -o out", "3 numbers");
    refused(here, "assemble box.vtk --mass -o box.vtk", "is a file, not a directory");
    refused(here, "assemble box.vtk --mass -o box.vtk/x", "one of its directories is a file");
    refused(here, "assemble box.vtk --mass -o -", "cannot go to standard output");
    refused(here, "assemble box.vtk --mass", "not provided:\n  --output");
    refused(here, "assemble box.vtk --mass --backend gpu -o out", "unknown backend \"gpu\"");
    assert!(!here.join("out").exists());
}

/// Groups whose names differ in signs only have numbers in the archive.
#[test]
fn groups_of_like_names_are_numbered() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    let mut mesh = subsolid::mesh::shape::Shape::Box { cells: [1, 1, 2] }.build().unwrap();
    for (name, z) in [("a,b", 0.0), ("a=b", 2.0)] {
        let ids = 0..mesh.points.len() as u32;
        let mut face: Vec<u32> = ids.filter(|&v| mesh.points[v as usize][2] == z).collect();
        face.swap(2, 3);
        let faces = subsolid::mesh::Polygons::uniform(4, face);
        mesh.face_groups.push(subsolid::mesh::FaceGroup::new(name, faces));
    }
    let file = here.join("groups.vtu");
    subsolid::write(file, subsolid::io::Dataset::from(&mesh), Default::default()).unwrap();
    let (code, _, stderr) = run(here, "assemble groups.vtu --mass --load a=b=0,0,1 -o out");
    assert_eq!(code, 0, "{stderr}");
    assert!(stderr.contains("group `a=b` is group/a_b_2 in model.npz"), "{stderr}");
    let model = here.join("out/model.npz");
    let [low, high] = ["group/a_b", "group/a_b_2"].map(|name| array::<i32>(&model, name));
    assert_eq!((low.0, high.0), (vec![4], vec![4]));
    assert_ne!(low.1, high.1);
}

/// Matrices of two jobs do not stand side by side, and numbers may begin below zero.
#[test]
fn a_folder_holds_the_matrices_of_one_job() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtk");
    for _ in 0..2 {
        done(here, "assemble box.vtk --gauss 2 --mass --body -9.81,0,0 -o out");
    }
    let before = std::fs::read(here.join("out/mass.npz")).unwrap();
    for job in ["--stiffness", "--mass --format mtx"] {
        let job = format!("assemble box.vtk --gauss 2 {job} -o out");
        refused(here, &job, "mass.npz: is a matrix of a different job");
    }
    assert_eq!(std::fs::read(here.join("out/mass.npz")).unwrap(), before);
    assert!(!here.join("out/stiffness.npz").exists() && !here.join("out/mass.mtx").exists());
}

/// Constants and forces whose sums overflow are refused, with nothing written; constants out of
/// range before the model is read.
#[test]
fn numbers_that_overflow_are_refused() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 3 -o box.vtu");
    let mut huge = subsolid::read(here.join("box.vtu")).unwrap();
    huge.points.iter_mut().flatten().for_each(|x| *x *= 1e30);
    subsolid::io::write(here.join("huge.vtu"), &huge, Default::default()).unwrap();
    for (job, fragment) in [
        ("box.vtu --elasticity 1e308,0.4999999999999999 -o o", "Lamé"),
        ("huge.vtu --gauss 2 --mass=1e300 -o o", "numbers of the mass matrix overflow"),
        ("box.vtu --load 0=1e308,2,3 --load 0=1e308,0,0 -o o", "loads overflow"),
        ("box.vtu --load 0=1e308,0,0 --gauss 2 --rings 1 -o o", "the sum of all loads"),
        ("missing.vtu --mass=-1 -o o", "a density of -1"),
        ("missing.vtu --elasticity 1,0.5 -o o", "Poisson's ratio 0.5"),
    ] {
        refused(here, &format!("assemble {job}"), fragment);
    }
    let report = done(here, "assemble box.vtu --mass --gauss 2 --rings 1 --json -o o");
    let report: Value = serde_json::from_str(&report).unwrap();
    for force in report["force"].as_array().unwrap() {
        assert!(force.as_f64().is_some_and(f64::is_sign_positive), "{report}");
    }
}

/// Of a solid with ghosts the folder has values on the boundary as unknowns.
#[test]
fn solids_with_ghosts_have_constraints() {
    let directory = tempdir().unwrap();
    let here = directory.path();
    done(here, "shape box 2 2 2 -o box.vtk");
    done(here, "extend box.vtk -o extended.vtu");
    let text = done(here, "assemble extended.vtu --mass --stiffness -o heat --json");
    let report: Value = serde_json::from_str(&text).unwrap();
    let own = &report["constraints"];
    assert_eq!(own["bends"], 98);
    assert_eq!(own["inexact_vertices"].as_array().unwrap().len(), 0);
    let [plain, scaled] = ["condition", "scaled_condition"].map(|name| own[name].as_f64().unwrap());
    assert!(scaled > 1.0 && scaled < 0.1 * plain, "{plain} {scaled}");
    let mut model = Npz::open(&here.join("heat/model.npz"));
    let starts = model.array::<i64>("constraints/indptr").1;
    let columns = model.array::<i32>("constraints/indices").1;
    let values = model.array::<f64>("constraints/data").1;
    let bends = model.array::<u8>("unknown/bend").1;
    let scales = model.array::<f64>("unknown/scale").1;
    assert_eq!((starts.len(), bends.len(), scales.len()), (126, 125, 125));
    assert!(scales.iter().all(|&scale| scale > 0.0));
    // constants
    for row in starts.windows(2) {
        let entries = row[0] as usize..row[1] as usize;
        let own = entries.filter(|&at| bends[columns[at] as usize] == 0);
        assert!((own.map(|at| values[at]).sum::<f64>() - 1.0).abs() < 1e-14);
    }
    for side in 0..6 {
        assert_eq!(model.array::<i32>(&format!("held/side/{side}")).1.len(), 25);
    }
}
