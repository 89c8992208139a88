//! Nodes by the numbers of a file: names with gaps, and those of high-order cells.

use std::fmt::Write;

use subsolid::io::{hexahedron_order, read, read_with_report};
use subsolid::mesh::CORNERS;

use crate::samples::Scratch;

/// A file of Gmsh of one element with `nodes` nodes.
fn element(number: usize, nodes: usize) -> subsolid::Result<subsolid::SolidMesh> {
    let mut text = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{nodes}\n");
    (1..=nodes).for_each(|i| writeln!(text, "{i} {i} {} {}", i * i, i * i * i).unwrap());
    write!(text, "$EndNodes\n$Elements\n1\n1 {number} 2 0 1").unwrap();
    (1..=nodes).for_each(|i| write!(text, " {i}").unwrap());
    read(Scratch::new().file("a.msh", text + "\n$EndElements\n"))
}

#[test]
fn elements_of_gmsh_have_the_nodes_of_their_order() {
    // order n: a hexahedron (n+1)³, a tetrahedron (n+1)(n+2)(n+3)/6
    let hexahedra = [(5, 8), (12, 27), (92, 64), (98, 1000), (17, 20), (99, 32)];
    let tetrahedra = [(4, 4), (11, 10), (29, 20), (31, 56), (71, 84), (75, 286)];
    for (all, corners) in [(hexahedra, 8), (tetrahedra, 4)] {
        for (number, nodes) in all {
            let mesh = element(number, nodes).unwrap();
            assert!(mesh.cells.vertices(0).iter().copied().eq(0..corners), "{number}");
            assert_eq!(mesh.points.len(), corners as usize, "{number}");
            assert!(element(number, nodes - 1).is_err(), "{number}");
        }
    }
    assert!(element(34, 8).is_err() && element(usize::MAX, 8).is_err());
}

#[test]
fn nodes_that_are_no_corners_go_with_their_data() {
    let points: String = (0..13).map(|i| format!("{i} {i} {i}\n")).collect();
    let values: String = (0..26).map(|i| format!("{i} ")).collect();
    let sharp = "0 0 0 0 2 0 0 0 0 0 0 0 0";
    // vertex 3 is in no cell at all, and stays; 2 is a corner
    let text = format!(
        "# vtk DataFile Version 3.0\na\nASCII\nDATASET UNSTRUCTURED_GRID\n\
         FIELD FieldData 2\ncrease_edges 2 2 int\n0 5 0 1\ncrease_sharpness 1 2 double\n1 1\n\
         POINTS 13 double\n{points}CELLS 1 11\n10 6 0 2 5 1 4 7 8 9 10\nCELL_TYPES 1\n24\n\
         POINT_DATA 13\nFIELD FieldData 2\nt 2 13 double\n{values}\n\
         corner_sharpness 1 13 double\n{sharp}\n"
    );
    let scratch = Scratch::new();
    let (mesh, report) = read_with_report(scratch.file("a.vtk", text)).unwrap();
    let left_out = report.left_out().unwrap();
    for what in [
        "6 mid-side nodes of high-order cells, which are read by their corners (VTK type 24: 1)",
        "1 crease at mid-side nodes",
        "1 corner at mid-side nodes",
    ] {
        assert!(left_out.contains(what), "{left_out}");
    }
    let kept = [0.0, 2.0, 3.0, 5.0, 6.0, 11.0, 12.0];
    assert!(mesh.points.iter().map(|p| p[0]).eq(kept));
    assert_eq!(mesh.cells.vertices(0), [4, 0, 1, 3]);
    assert!(
        mesh.attributes[0]
            .values
            .iter()
            .copied()
            .eq(kept.iter().flat_map(|x| [2.0 * x, 2.0 * x + 1.0]))
    );
    assert_eq!(mesh.creases.edges.len(), 1);
    assert_eq!(mesh.creases.edges[0].edge().map(|v| v.0), [0, 3]);
    assert!(mesh.creases.corners.is_empty());
}

fn function([u, v, w]: [f64; 3]) -> [f64; 3] {
    [(u + 2.0 * v).powi(3) - w.powi(3) * u + v, u + 0.2 * v * w, w - 0.3 * u * u * v]
}

fn assert_middles(path: &std::path::Path, at: impl Fn([usize; 2]) -> [f64; 3]) {
    let (_, report) = read_with_report(path).unwrap();
    assert_eq!((report.curved_nodes.len(), report.straight), (19, 0));
    for node in &report.curved_nodes {
        let expected = function(at(node.between.map(usize::from)));
        let close = |d: usize| (node.point[d] - expected[d]).abs() < 1e-12;
        assert!((0..3).all(close), "{}: {node:?}", path.display());
    }
}

/// A polynomial of the order of the cell is reproduced.
#[test]
fn cells_of_higher_orders_are_their_polynomials() {
    let scratch = Scratch::new();
    for order in [4, 5] {
        let mut text =
            String::from("# vtk DataFile Version 5.1\na\nASCII\nDATASET UNSTRUCTURED_GRID\n");
        let nodes = hexahedron_order(order);
        writeln!(text, "POINTS {} double", nodes.len()).unwrap();
        for node in &nodes {
            let [x, y, z] = function(node.map(|i| i as f64 / order as f64));
            writeln!(text, "{x:?} {y:?} {z:?}").unwrap();
        }
        let ids: Vec<String> = (0..nodes.len()).map(|i| i.to_string()).collect();
        let (count, ids) = (nodes.len(), ids.join(" "));
        write!(text, "CELLS 2 {count}\nOFFSETS vtktypeint64\n0 {count}\n").unwrap();
        write!(text, "CONNECTIVITY vtktypeint64\n{ids}\nCELL_TYPES 1\n72\n").unwrap();
        assert_middles(&scratch.file("a.vtk", text), |between| {
            let [a, b] = between.map(|corner| CORNERS[corner]);
            [0, 1, 2].map(|d| 0.5 * (a[d] + b[d]) as f64)
        });
    }
    // those that Gmsh wrote of a box, moved; the corners are those of the box that is read
    for name in ["box_order3.msh", "box_order4.msh"] {
        let path = format!("{}/tests/io/quadratic/{name}", env!("CARGO_MANIFEST_DIR"));
        let straight = read(&path).unwrap();
        let text = std::fs::read_to_string(path).unwrap();
        let (head, rest) = text.split_once("$Nodes").unwrap();
        let (nodes, rest) = rest.split_once("$EndNodes").unwrap();
        let moved = |line: &str| {
            let numbers: Vec<f64> = line.split(' ').filter_map(|x| x.parse().ok()).collect();
            match numbers[..] {
                [x, y, z] => {
                    let [x, y, z] = function([x, y, z]);
                    format!("{x:?} {y:?} {z:?}\n")
                }
                _ => format!("{line}\n"),
            }
        };
        let nodes: String = nodes.trim_start().lines().map(moved).collect();
        let path = scratch.file(name, format!("{head}$Nodes\n{nodes}$EndNodes{rest}"));
        assert_middles(&path, |between| {
            let corners = straight.cells.vertices(0);
            let [a, b] = between.map(|corner| straight.points[corners[corner] as usize]);
            [0, 1, 2].map(|d| 0.5 * (a[d] + b[d]))
        });
    }
}

/// Numbers of nodes are names: without order, with gaps, below 0.
#[test]
fn nodes_may_have_any_numbers() {
    let file = |last: &str, cell: &str| {
        let text = format!(
            "5 1 0 0 0\n7 0 0 0\n8 1 0 0\n9 0 1 0\n-3 0 0 1\n{last} 5 5 5\n1 1 tet {cell}\n"
        );
        read(Scratch::new().file("a.inp", text))
    };
    let mesh = file("40", "7 -3 9 8").unwrap();
    let mut vertices = mesh.cells.vertices(0).to_vec();
    vertices.sort_unstable();
    assert_eq!(vertices, [0, 1, 2, 3]);
    assert!(file("8", "7 -3 9 8").unwrap_err().to_string().contains("node 8 is given twice"));
    assert!(file("-3", "7 -3 9 8").unwrap_err().to_string().contains("node -3 is given twice"));
    for unknown in ["10", "6", "-9223372036854775808"] {
        assert!(file("40", &format!("7 {unknown} 9 8")).is_err(), "{unknown}");
    }
    // in a run
    let run = |number: i64| {
        let text =
            format!("4 1 0 0 0\n7 0 0 0\n8 1 0 0\n9 0 1 0\n10 0 0 1\n1 1 tet 7 8 9 {number}\n");
        read(Scratch::new().file("a.inp", text))
    };
    assert!(run(10).is_ok() && run(11).is_err() && run(6).is_err() && run(i64::MIN).is_err());
}
