//! The files give back the limit from what stands in them alone.

use std::fs;
use std::io::{Cursor, Read};
use std::path::Path;

use assert_cmd::Command;
use npyz::{Deserialize, NpyFile};
use subsolid::mesh::SolidMesh;
use tempfile::tempdir;

use super::bezier;
use crate::oracle::random::Random;
use crate::oracle::vector::{Point, distance};
use crate::support::{Limits, size};

const MODELS: [&str; 3] = ["solids/car_box_2x2x6.mesh", "solids/micro/val5.mesh", "bracket.vtk"];

fn model(name: &str) -> String {
    format!("{}/models/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs the program; returns exit code, stdout and stderr.
fn run(directory: &Path, arguments: &str) -> (i32, String, String) {
    let mut command = Command::cargo_bin("subsolid").unwrap();
    let output =
        command.current_dir(directory).args(arguments.split_whitespace()).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn array<T: Deserialize>(path: &Path, name: &str) -> Vec<T> {
    let mut archive = zip::ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(&format!("{name}.npy")).unwrap().read_to_end(&mut bytes).unwrap();
    NpyFile::new(Cursor::new(bytes)).unwrap().into_vec().unwrap()
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
    let mut points: Vec<Point> = array::<f64>(path, "points").as_chunks().0.to_vec();
    let vertices = points.len();
    let rows = array::<i64>(path, "refined_offsets");
    let (ids, weights) =
        (array::<i32>(path, "refined_vertices"), array::<f64>(path, "refined_weights"));
    for row in rows.windows(2) {
        let mut point = [0.0; 3];
        for entry in row[0] as usize..row[1] as usize {
            assert!((ids[entry] as usize) < vertices);
            (0..3).for_each(|d| point[d] += weights[entry] * points[ids[entry] as usize][d]);
        }
        points.push(point);
    }
    let operators = array::<f64>(path, "operators");
    let operator_offsets = array::<i64>(path, "operator_offsets");
    let controls = array::<i32>(path, "controls");
    let net_offsets = array::<i64>(path, "net_offsets");
    let (operator, net) = (array::<i32>(path, "operator"), array::<i32>(path, "net"));
    let (cell, corner) = (array::<i32>(path, "cell"), array::<i32>(path, "corner"));
    assert!(corner.iter().all(|&corner| corner == -1), "all cells are hexahedra");
    let origin = array::<f64>(path, "origin");
    let size = array::<f64>(path, "size");
    let (exact, bound) = (array::<u8>(path, "exact"), array::<f64>(path, "error_bound"));
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
            let refined = array::<i64>(&path, "refined_offsets").len() - 1;
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
        (format!("extract {car} -o a.bext --refined-points"), "--refined-points"),
        (format!("extract {car} -o a.bext --compress"), "plain text"),
        (format!("extract {car} -o a.npz --rings 9"), "0 to 8 rings"),
        (format!("extract {car} -o nowhere/a.npz"), "directory"),
        ("extract nothing.vtk -o a.npz".into(), "nothing.vtk"),
    ] {
        let (code, _, stderr) = run(directory.path(), &arguments);
        assert_eq!(code, 2, "{arguments}: {stderr}");
        assert!(stderr.contains(fragment), "{arguments}: {stderr}");
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 0, "{arguments}");
    }
}
