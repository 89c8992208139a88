//! `subsolid distance`, `smooth`, `denoise` and `untangle` as their users run them.

use std::fs;

use crate::json;
use crate::oracle::vector::Greatest;
use crate::program::{done, refused, run};

/// The corner of a cube: three triangles.
const CORNER: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\n";

#[test]
fn solids_are_graded_and_smoothed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 4 4 4 -o box.vtu");
    let report = json(path, "distance box.vtu --name depth --json -o depth.vtu");
    assert_eq!((&report["name"], &report["targets"]), (&"depth".into(), &98.into()));
    let greatest = report["greatest"].as_f64().unwrap();
    assert_eq!(greatest, 2.0);
    // what is stored is evaluated, smoothed and measured from
    done(path, "evaluate depth.vtu --samples 3 -o limit.vtu");
    assert!(fs::read(path.join("limit.vtu")).unwrap().windows(5).any(|w| w == b"depth"));
    done(path, "smooth depth.vtu --attribute depth --steps 2 --fix-boundary -o soft.vtu");
    let marked = json(path, "distance soft.vtu --to attribute:depth --json -o again.vtu");
    assert_eq!(marked["targets"], 27);
    // marks are those of the control mesh: refinement spreads them over what lies between them
    let mut mesh = subsolid::read(path.join("box.vtu")).unwrap();
    let on_side = |p: &[f64; 3]| f64::from(u8::from(p[0] == 0.0 && p[1] <= 1.0));
    let values = mesh.points.iter().map(on_side).collect();
    mesh.attributes.push(subsolid::mesh::Attribute { name: "side".into(), width: 1, values });
    subsolid::write(path.join("side.vtu"), &mesh, Default::default()).unwrap();
    for (levels, targets) in [(0, 2 * 5), (1, 3 * 9), (2, 5 * 17)] {
        let job =
            format!("distance side.vtu --to attribute:side --levels {levels} --json -o o.vtu");
        assert_eq!(json(path, &job)["targets"], targets);
    }
    done(path, "distance box.vtu --crease-angle 40 --to creases -o edges.vtu");
    // creases that refinement uses up are targets, and end patches, all the same
    let mut mesh = subsolid::read(path.join("box.vtu")).unwrap();
    subsolid::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
    let on_top = |v: u32| mesh.points[v as usize][2] == 4.0;
    for edge in &mut mesh.creases.edges {
        edge.sharpness = if edge.edge().iter().all(|v| on_top(v.0)) { 1.0 } else { edge.sharpness };
    }
    subsolid::write(path.join("soft_top.vtu"), &mesh, Default::default()).unwrap();
    for (target, counts) in [("patch:112", [25, 81, 289]), ("creases", [44, 92, 188])] {
        for (levels, targets) in counts.into_iter().enumerate() {
            let job =
                format!("distance soft_top.vtu --to {target} --levels {levels} --json -o o.vtu");
            assert_eq!(json(path, &job)["targets"], targets, "{target}, {levels}");
        }
    }
    done(path, "distance box.vtu --to point:2,2,2 --levels 1 -o point.vtu");
}

/// A box of 2 × 2 × 2 cells, its middle vertex outside.
fn folded_box() -> String {
    let grid = |n: usize| (0..n * n * n).map(move |i| [i % n, i / n % n, i / n / n]);
    let mut text =
        "# vtk DataFile Version 3.0\nbox\nASCII\nDATASET UNSTRUCTURED_GRID\n".to_string();
    text += "POINTS 27 double\n";
    for p in grid(3) {
        let x = if p == [1, 1, 1] { "3.5".into() } else { p[0].to_string() };
        text += &format!("{x} {} {}\n", p[1], p[2]);
    }
    text += "CELLS 8 72\n";
    for [x, y, z] in grid(2) {
        let at = |i: usize, j: usize, k: usize| 9 * (z + k) + 3 * (y + j) + x + i;
        let ring = |k| [at(0, 0, k), at(1, 0, k), at(1, 1, k), at(0, 1, k)];
        let corners = [ring(0), ring(1)].concat();
        let corners: Vec<String> = corners.iter().map(usize::to_string).collect();
        text += &format!("8 {}\n", corners.join(" "));
    }
    text + "CELL_TYPES 8\n" + &"12\n".repeat(8)
}

#[test]
fn folded_solids_are_untangled() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("folded.vtk"), folded_box()).unwrap();
    refused(path, "distance folded.vtk -o depth.vtu", "flat or folded");
    let cells = "4 cells are folded or flat at a corner: cells 1, 3, 5 and 7";
    refused(path, "evaluate folded.vtk --strict --samples 2 -o limit.vtu", cells);
    let (code, _, warned) = run(path, "evaluate folded.vtk --samples 2 -o limit.vtu");
    assert!(code == 0 && warned.contains(cells), "{warned}");
    let report = json(path, "untangle folded.vtk --json -o good.vtk");
    assert!(report["control"]["before"]["non_positive"].as_u64().unwrap() > 0);
    assert_eq!(report["control"]["after"]["non_positive"], 0);
    assert_eq!(report["control"]["moved"], 1);
    done(path, "distance good.vtk -o depth.vtu");
    let slide = "untangle folded.vtk --crease-angle 40 --boundary slide";
    let report = json(path, &format!("{slide} --json -o slid.vtk"));
    assert_eq!(report["control"]["after"]["non_positive"], 0);
    assert!(report["control"]["deviation"].as_f64().unwrap() < 1e-10);
    // 8 corners of the box stay; the middles of its edges and sides can slide
    let control = &report["control"];
    assert_eq!((&control["can_slide"], &control["stay"]), (&18.into(), &8.into()));
    let (_, _, said) = run(path, &format!("{slide} -o slid.vtk"));
    assert!(said.contains("of 18 that can slide, 8 stay"), "{said}");
    refused(path, "untangle folded.vtk --boundary free -o x.vtk", "fixed, slide");
}

/// A cell all of whose vertices are corners: there is a warning that nothing slides.
#[test]
fn a_boundary_of_corners_does_not_slide_and_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    done(path, "shape box 1 1 1 -o cell.vtu");
    let sharp = "untangle cell.vtu --crease-angle 40 -o same.vtu --boundary";
    let (code, _, said) = run(path, &format!("{sharp} slide"));
    assert!(code == 0 && said.contains("nothing slides: of the 8 vertices"), "{said}");
    let report = json(path, &format!("{sharp} slide --json"));
    let control = &report["control"];
    assert_eq!((&control["can_slide"], &control["stay"]), (&0.into(), &8.into()));
    let (_, _, said) = run(path, &format!("{sharp} fixed"));
    assert!(!said.contains("slide"), "{said}");
}

/// A cell whose eight vertices are of the boundary and fold it: nothing can move.
#[test]
fn solids_that_stay_folded_have_exit_code_1() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    let folded = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n\
        POINTS 8 double\n0 0 0 1 0 0 0.2 0.2 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\n\
        CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n";
    fs::write(path.join("folded.vtk"), folded).unwrap();
    let (code, _, said) = run(path, "untangle folded.vtk -o good.vtk");
    assert_eq!(code, 1, "{said}");
    assert!(said.contains("1 cell is still folded or flat (the worst: cell 0)"), "{said}");
    assert!(said.contains("--boundary slide") && path.join("good.vtk").exists(), "{said}");
    // on the smooth edges of a box det J is 0: all cells but those in the middles of sides and the
    // inner one have no positive bound, whatever the size and the place of the box
    for (name, size, shift) in [("a", 1.0, 0.0), ("b", 1e-9, 0.0), ("c", 1.0 / 3.0, 1e5)] {
        done(path, "shape box 3 3 3 -o box.vtu");
        let mut mesh = subsolid::read(path.join("box.vtu")).unwrap();
        mesh.points.iter_mut().for_each(|p| *p = p.map(|x| shift + size * x));
        let file = path.join(format!("{name}.vtu"));
        subsolid::io::write(&file, &mesh, subsolid::io::WriteOptions::default()).unwrap();
        let report = json(path, &format!("untangle {name}.vtu --json -o out.vtu"));
        for limit in ["limit_before", "limit_after"] {
            assert_eq!(report[limit]["non_positive"], 20, "{name}: {report}");
        }
    }
}

#[test]
fn surfaces_are_processed() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("corner.obj"), CORNER).unwrap();
    for method in ["heat", "toplesets"] {
        let command = format!("distance corner.obj --to vertex:0 --method {method} -o far.vtp");
        done(path, &command);
    }
    done(path, "smooth corner.obj --time 0.1 --steps 2 -o flat.obj");
    done(path, "smooth corner.obj --time 0.1 --matrix-free -o flat.obj");
    done(path, "denoise corner.obj --sweeps 1 -o clean.obj");
    done(path, "denoise corner.obj --backend cpu -o clean.obj");
    // what has no form on a GPU says so, whether there is one or not
    done(path, "shape box 2 2 2 -o box.vtu");
    for (command, words) in [
        ("distance box.vtu --backend cuda:0 -o far.vtu", "found on the CPU alone"),
        ("smooth box.vtu --attribute a --backend cuda:0 -o a.vtu", "smoothed on the CPU alone"),
    ] {
        refused(path, command, words);
    }
}

#[test]
fn requests_without_an_answer_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("corner.obj"), CORNER).unwrap();
    fs::write(path.join("quad.obj"), "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n").unwrap();
    done(path, "shape box 2 2 2 -o box.vtu");
    let head = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\n";
    let pyramid = "POINTS 5 double\n0 0 0 1 0 0 1 1 0 0 1 0 0.5 0.5 1\n\
                   CELLS 1 6\n5 0 1 2 3 4\nCELL_TYPES 1\n14\n";
    fs::write(path.join("pyramid.vtk"), format!("{head}{pyramid}")).unwrap();
    let gap = "POINTS 8 double\n0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\n\
               CELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\nPOINT_DATA 8\n\
               SCALARS t double 1\nLOOKUP_TABLE default\n1 0 0 0 0 nan 0 0\n";
    fs::write(path.join("gap.vtk"), format!("{head}{gap}")).unwrap();
    for (command, fragment) in [
        ("distance corner.obj -o far.vtp", "measured to vertices"),
        ("distance corner.obj --to vertex:4 -o far.vtp", "no vertex 4"),
        ("distance quad.obj --to vertex:0 -o far.vtp", "face 0 is not a triangle"),
        ("distance corner.obj --to vertex:0 --levels 1 -o far.vtp", "--levels is for solids"),
        ("distance box.vtu --to vertex:27 -o far.vtu", "no vertex 27"),
        ("distance box.vtu --to nowhere -o far.vtu", "vertex:IDS"),
        ("distance box.vtu --to creases -o far.vtu", "no creases"),
        ("distance box.vtu --to attribute:hot -o far.vtu", "no attribute is named \"hot\""),
        ("distance box.vtu --method toplesets -o far.vtu", "for surfaces of triangles"),
        ("distance box.vtu -o box.vtu", "is an input"),
        ("distance corner.obj --to vertex:0 -o far.obj", "holds no distances"),
        ("distance corner.obj --to vertex:0 -o far.stl", "holds no distances"),
        ("distance corner.obj --to vertex:0 --compress -o far.vtp", "--compress is for solids"),
        ("distance box.vtu --name corner_sharpness -o far.vtu", "creases and corners"),
        ("distance box.vtu --name crease_edges -o far.vtu", "creases and corners"),
        ("distance corner.obj --to vertex:0 --name corner_sharpness -o far.vtp", "creases and"),
        ("distance pyramid.vtk -o far.vtu", "split it into tetrahedra"),
        ("untangle pyramid.vtk -o out.vtu", "cell 0 is not a hexahedron"),
        ("distance gap.vtk --to attribute:t -o far.vtu", "NaN at vertex 5"),
        ("smooth corner.obj --time 1 --factor 0.2 -o out.obj", "--factor is for solids"),
        ("smooth corner.obj --attribute a --fix-boundary -o out.obj", "--attribute is for solids"),
        ("smooth corner.obj --time 1 --compress -o out.obj", "--compress is for solids"),
        ("smooth corner.obj -o out.obj", "curvature flow needs a time step"),
        ("smooth corner.obj --time -1 -o out.obj", "time of -1"),
        ("smooth box.vtu -o out.vtu", "curvature flow does not apply to solids"),
        ("denoise corner.obj --rings 0 -o out.obj", "denoising needs at least 1 ring"),
    ] {
        refused(path, command, fragment);
    }
}

/// Normals of a file are those of the points that are written.
#[test]
fn normals_move_with_a_surface() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("corner.obj"), CORNER).unwrap();
    done(path, "surface corner.obj --scheme loop --levels 2 --normals -q -o plain.ply");
    let first = subsolid::read_surface(path.join("plain.ply")).unwrap();
    for job in ["smooth plain.ply --time 0.05", "denoise plain.ply"] {
        done(path, &format!("{job} -q -o moved.vtp"));
        let moved = subsolid::read_surface(path.join("moved.vtp")).unwrap();
        assert!(moved.points != first.points, "{job}");
        let expected = subsolid::process::surface::vertex_normals(&moved).unwrap();
        assert_eq!(moved.normals().unwrap(), expected, "{job}");
        assert!(moved.normals() != first.normals(), "{job}");
        assert_eq!(moved.attributes.len(), 1);
    }
    done(path, "denoise plain.ply --sweeps 0 -q -o same.ply");
    let same = subsolid::read_surface(path.join("same.ply")).unwrap();
    assert_eq!((same.points, same.attributes), (first.points, first.attributes));
}

/// Normals of refined vertices are not sums of those of the control mesh.
#[test]
fn refined_surfaces_leave_out_normals() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path();
    fs::write(path.join("corner.obj"), CORNER).unwrap();
    done(path, "surface corner.obj --scheme loop --levels 2 --normals -q -o plain.ply");
    for moved in ["--levels 1", "--levels 0 --limit"] {
        let (_, _, said) =
            run(path, &format!("surface plain.ply --scheme loop {moved} -o fine.ply"));
        assert!(said.contains("plain.ply: left out the normals"), "{said}");
        assert!(subsolid::read_surface(path.join("fine.ply")).unwrap().attributes.is_empty());
    }
    done(path, "surface plain.ply --scheme loop --normals -q -o fine.ply");
    let fine = subsolid::read_surface(path.join("fine.ply")).unwrap();
    let lengths = fine.normals().unwrap().iter().map(|n| n.iter().map(|x| x * x).sum::<f64>());
    assert!(lengths.map(|square| (square - 1.0).abs()).greatest() < 1e-12);
    let (_, _, said) = run(path, "surface plain.ply --scheme loop --levels 0 -o same.ply");
    assert!(!said.contains("left out"), "{said}");
    let same = subsolid::read_surface(path.join("same.ply")).unwrap();
    assert!(same.normals().is_some());
}
