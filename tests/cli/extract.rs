//! `subsolid extract` as its users run it: the files give back the limit from what stands in them
//! alone.

use std::fs;
use std::path::Path;

use subsolid::mesh::SolidMesh;
use tempfile::tempdir;

use crate::npz::Npz;
use crate::oracle::random::Random;
use crate::oracle::vector::{Point, distance};
use crate::program::{refused, run};
use crate::support::bezier::bezier;
use crate::support::{Limits, size};

const MODELS: [&str; 3] = ["solids/car_box_2x2x6.mesh", "solids/micro/val5.mesh", "bracket.vtk"];

fn model(name: &str) -> String {
    format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// One piece as a reader sees it.
struct Element {
    cell: usize,
    origin: Point,
    size: Point,
    bound: f64,
    /// `[w][v][u]`
    points: Vec<Point>,
}

/// Bézier points from the arrays of an archive, as its documentation says.
fn from_npz(path: &Path) -> Vec<Element> {
    let mut archive = Npz::open(path);
    let mut points: Vec<Point> = archive.array::<f64>("points").1.as_chunks().0.to_vec();
    let vertices = points.len();
    let rows = archive.array::<i64>("refined_offsets").1;
    let (ids, weights) =
        (archive.array::<i32>("refined_vertices").1, archive.array::<f64>("refined_weights").1);
    for row in rows.windows(2) {
        let mut point = [0.0; 3];
        for entry in row[0] as usize..row[1] as usize {
            assert!((ids[entry] as usize) < vertices);
            (0..3).for_each(|d| point[d] += weights[entry] * points[ids[entry] as usize][d]);
        }
        points.push(point);
    }
    let operators = archive.array::<f64>("operators").1;
    let operator_offsets = archive.array::<i64>("operator_offsets").1;
    let controls = archive.array::<i32>("controls").1;
    let net_offsets = archive.array::<i64>("net_offsets").1;
    let (operator, net) = (archive.array::<i32>("operator").1, archive.array::<i32>("net").1);
    let (cell, corner) = (archive.array::<i32>("cell").1, archive.array::<i32>("corner").1);
    assert!(corner.iter().all(|&corner| corner == -1), "all cells are hexahedra");
    let origin = archive.array::<f64>("origin").1;
    let size = archive.array::<f64>("size").1;
    let (exact, bound) = (archive.array::<u8>("exact").1, archive.array::<f64>("error_bound").1);
    let part =
        |offsets: &[i64], i: i32| offsets[i as usize] as usize..offsets[i as usize + 1] as usize;
    (0..operator.len())
        .map(|p| {
            let weights = &operators[part(&operator_offsets, operator[p])];
            let net = &controls[part(&net_offsets, net[p])];
            assert_eq!(weights.len(), 64 * net.len());
            assert_eq!(exact[p] == 1, bound[p] == 0.0);
            let mut bezier_points = vec![[0.0; 3]; 64];
            for (row, point) in weights.chunks_exact(net.len()).zip(&mut bezier_points) {
                for (weight, &id) in row.iter().zip(net) {
                    (0..3).for_each(|d| point[d] += weight * points[id as usize][d]);
                }
            }
            Element {
                cell: cell[p] as usize,
                origin: std::array::from_fn(|d| origin[3 * p + d]),
                size: std::array::from_fn(|d| size[3 * p + d]),
                bound: bound[p],
                points: bezier_points,
            }
        })
        .collect()
}

fn check_limit(mesh: &SolidMesh, elements: &[Element], what: &str) {
    let limits = Limits::new(mesh);
    let tolerance = 1e-13 * size(&mesh.points).max(1.0);
    let mut random = Random::new(7);
    for element in elements.iter().step_by(elements.len().div_ceil(500)) {
        let t = random.parameters();
        let p = std::array::from_fn(|d| element.origin[d] + element.size[d] * t[d]);
        let d = distance(bezier(&element.points, t), limits.position(element.cell, p));
        assert!(d <= tolerance + element.bound, "{what}: {d:e} in cell {}", element.cell);
    }
}

#[test]
fn an_archive_gives_back_the_limit() {
    let directory = tempdir().unwrap();
    for name in MODELS {
        let mesh = subsolid::read(model(name)).unwrap();
        for options in ["-o a.npz", "--refined-points --rings 1 --compress -o a.npz"] {
            let (code, report, stderr) =
                run(directory.path(), &format!("extract {} {options} --json", model(name)));
            assert_eq!(code, 0, "{name} {options}: {stderr}");
            assert!(stderr.contains("exact"), "{stderr}");
            let path = directory.path().join("a.npz");
            let elements = from_npz(&path);
            check_limit(&mesh, &elements, &format!("{name} {options}"));
            let report: serde_json::Value = serde_json::from_str(&report).unwrap();
            assert_eq!(report["pieces"], elements.len());
            let refined = Npz::open(&path).array::<i64>("refined_offsets").1.len() - 1;
            assert_eq!(report["refined_points"], refined);
            assert!(options.starts_with("--refined") || refined == 0);
        }
    }
}

/// What a reader of Bézier extraction text expects, line by line.
struct Lines<'t>(std::str::Lines<'t>);

impl<'t> Lines<'t> {
    /// Numbers of a list of `count`, broken after `a_line`.
    fn list<T: std::str::FromStr>(&mut self, count: usize, a_line: usize) -> Vec<T> {
        let mut values = Vec::with_capacity(count);
        while values.len() < count {
            let line = self.0.next().expect("another line");
            let words: Vec<&str> = line.split_whitespace().collect();
            assert_eq!(words.len(), a_line.min(count - values.len()), "{line}");
            let number = |word: &&'t str| word.parse().ok().expect("a number");
            values.extend(words.iter().map(number));
        }
        values
    }

    fn integers(&mut self, count: usize) -> Vec<usize> {
        self.list(count, 10)
    }
}

/// Bézier points of all elements of a file, in its order.
fn from_bext(text: &str, mesh: &SolidMesh) -> Vec<Vec<Point>> {
    let mut lines = Lines(text.lines());
    assert_eq!(lines.0.next(), Some("B E X T 2.0"));
    let header = lines.integers(5);
    let [patch, nodes, count, vectors, rational] = header[..] else { panic!("{header:?}") };
    assert_eq!([patch, nodes, rational], [1, mesh.points.len(), 0]);
    for point in &mesh.points {
        let node = lines.list::<f64>(4, 5);
        assert_eq!((&node[..3], node[3]), (&point[..], 1.0), "every bit");
    }
    let block_count = lines.integers(1)[0];
    let blocks: Vec<Vec<usize>> = (0..block_count).map(|_| lines.integers(7)).collect();
    let mut elements = Vec::new();
    for block in &blocks {
        assert_eq!([block[0], block[4], block[5], block[6]], [1, 3, 3, 3]);
        for _ in 0..block[1] {
            let (nodes, vectors) = (lines.integers(block[2]), lines.integers(block[3]));
            assert!(nodes.is_sorted_by(|a, b| a < b), "nodes ascend");
            elements.push((nodes, vectors));
        }
    }
    assert_eq!(elements.len(), count);
    assert_eq!(lines.integers(2), [1, 0]);
    assert_eq!(lines.integers(2), [vectors, 64]);
    let vectors: Vec<Vec<f64>> = (0..vectors).map(|_| lines.list(64, 5)).collect();
    assert_eq!(lines.0.next(), None);
    let points = |(nodes, ids): &(Vec<usize>, Vec<usize>)| {
        let mut points = vec![[0.0; 3]; 64];
        for (&node, &id) in nodes.iter().zip(ids) {
            for (point, weight) in points.iter_mut().zip(&vectors[id - 1]) {
                (0..3).for_each(|d| point[d] += weight * mesh.points[node - 1][d]);
            }
        }
        points
    };
    elements.iter().map(points).collect()
}

#[test]
fn extraction_text_holds_the_pieces_of_the_archive() {
    let directory = tempdir().unwrap();
    for name in MODELS {
        let mesh = subsolid::read(model(name)).unwrap();
        for output in ["a.npz", "a.bext"] {
            let arguments = format!("extract {} --rings 1 -o {output} -q", model(name));
            let (code, _, stderr) = run(directory.path(), &arguments);
            assert_eq!((code, stderr.as_str()), (0, ""));
        }
        let expected = from_npz(&directory.path().join("a.npz"));
        let text = fs::read_to_string(directory.path().join("a.bext")).unwrap();
        assert!(text.lines().all(|line| line.len() <= 120), "no field is wider than it may be");
        let found = from_bext(&text, &mesh);
        assert_eq!(found.len(), expected.len());
        // blocks reorder the elements
        let tolerance = 1e-13 * size(&mesh.points).max(1.0);
        for element in expected.iter().step_by(expected.len().div_ceil(200)) {
            let equal = |points: &&Vec<Point>| {
                points.iter().zip(&element.points).all(|(a, b)| distance(*a, *b) <= tolerance)
            };
            assert!(found.iter().any(|points| equal(&points)), "{name}: a piece is missing");
        }
    }
}

#[test]
fn other_requests_are_refused() {
    let directory = tempdir().unwrap();
    let car = model(MODELS[0]);
    for (arguments, fragment) in [
        (format!("extract {car} -o a.txt"), ".npz or .bext"),
        (format!("extract {car} -o a.bext --refined-points"), "a .bext file has no rows"),
        (format!("extract {car} -o a.bext --compress"), "plain text"),
        (format!("extract {car} -o a.npz --rings 9"), "0 to 8 rings"),
        (format!("extract {car} -o nowhere/a.npz"), "create its directory first"),
        ("extract nothing.vtk -o a.npz".into(), "nothing.vtk: cannot be read"),
    ] {
        refused(directory.path(), &arguments, fragment);
    }
}
