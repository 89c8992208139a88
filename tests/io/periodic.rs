//! Periods that files name: periodic links of Gmsh, and meshes of MFEM whose nodes are discontinuous.

use subsolid::extend::extend_periodic;
use subsolid::io::{read, read_with_report};
use subsolid::mesh::{CORNERS, Lattice};

use crate::samples::{self, Scratch};

/// Boxes of unit cells, `n` along each axis, whose ends are identified along the first `axes` axes, as
/// MFEM writes them: with nodes of an order.
pub fn mfem(n: usize, axes: usize, order: usize, by_node: bool) -> String {
    let count = |axis: usize| if axis < axes { n } else { n + 1 };
    let id = |p: [usize; 3]| {
        let [i, j, k] = [0, 1, 2].map(|d| if d < axes { p[d] % n } else { p[d] });
        i + count(0) * (j + count(1) * k)
    };
    let (mut elements, mut nodes) = (String::new(), Vec::new());
    for cell in 0..n.pow(3) {
        let first = [cell % n, cell / n % n, cell / n / n];
        let ids = CORNERS.map(|offset| id([0, 1, 2].map(|d| first[d] + offset[d])).to_string());
        elements += &format!("1 5 {}\n", ids.join(" "));
        for node in 0..(order + 1).pow(3) {
            let place =
                [node % (order + 1), node / (order + 1) % (order + 1), node / (order + 1).pow(2)];
            nodes.push([0, 1, 2].map(|d| first[d] as f64 + place[d] as f64 / order as f64));
        }
    }
    let row = |row: &[f64]| row.iter().map(|x| format!("{x} ")).collect::<String>() + "\n";
    let values: String = if by_node {
        nodes.iter().map(|p| row(p)).collect()
    } else {
        (0..3).map(|d| row(&nodes.iter().map(|p| p[d]).collect::<Vec<_>>())).collect()
    };
    format!(
        "MFEM mesh v1.0\n\ndimension\n3\n\nelements\n{}\n{elements}\nboundary\n1\n3 3 0 1 2 3\n\nvertices\n{}\n\n\
         nodes\nFiniteElementSpace\nFiniteElementCollection: L2_T1_3D_P{order}\nVDim: 3\nOrdering: {}\n\n{values}",
        n.pow(3),
        count(0) * count(1) * count(2),
        u8::from(by_node),
    )
}

/// Two cubes of which the face at x = 2 is a copy of that at x = 0, in version 2 or 4.1, with the matrix
/// of the motion or by its nodes alone.
pub fn gmsh(version: u32, has_matrix: bool) -> String {
    let matrix = if has_matrix { "1 0 0 2 0 1 0 0 0 0 1 0 0 0 0 1" } else { "" };
    let pairs = [(3, 1), (6, 4), (9, 7), (12, 10)].map(|(a, b)| format!("{a} {b}\n")).concat();
    if version == 2 {
        let matrix = if has_matrix { format!("Affine {matrix}\n") } else { String::new() };
        let links = format!("2\n1 5 6\n{matrix}1\n3 1\n2 7 8\n{matrix}4\n");
        return samples::gmsh2() + &format!("$Periodic\n{links}{pairs}$EndPeriodic\n");
    }
    let count = if has_matrix { 16 } else { 0 };
    let links = format!("2\n1 5 6\n0\n1\n3 1\n2 7 8\n{count} {matrix}\n4\n");
    samples::gmsh4() + &format!("$Periodic\n{links}{pairs}$EndPeriodic\n")
}

#[test]
fn links_of_gmsh_are_periods() {
    let scratch = Scratch::new();
    for (version, has_matrix) in [(2, true), (2, false), (4, true), (4, false)] {
        let text = gmsh(version, has_matrix);
        let mesh = read(scratch.file("a.msh", &text)).unwrap();
        assert_eq!(mesh.periods, [[2.0, 0.0, 0.0]], "{version} {has_matrix}");
        let (extended, report) =
            extend_periodic(&mesh, &Lattice::new(&mesh.periods).unwrap()).unwrap();
        assert_eq!((report.ghosts, extended.cells.len()), (2, 4));
        let of_matrix = ["1 0 0 2 0 1", "0 1 0 2 1 0"];
        let of_nodes = ["12 10\n$EndPeriodic", "12 7\n$EndPeriodic"];
        let [from, to] = if has_matrix { of_matrix } else { of_nodes };
        let broken = text.replace(from, to);
        assert_ne!(broken, text);
        let (mesh, report) = read_with_report(scratch.file("b.msh", broken)).unwrap();
        assert!(mesh.periods.is_empty());
        let said = report.left_out().unwrap();
        assert!(said.contains("periodic link of surface 7, which is no translation"), "{said}");
    }
}

#[test]
fn periodic_meshes_of_mfem_are_unwrapped() {
    let scratch = Scratch::new();
    for (axes, order, by_node) in [(1, 1, true), (2, 2, false), (3, 1, true), (3, 3, false)] {
        let (mesh, report) =
            read_with_report(scratch.file("a.mesh", mfem(3, axes, order, by_node))).unwrap();
        let periods: Vec<[f64; 3]> =
            (0..axes).map(|axis| [0, 1, 2].map(|d| if d == axis { 3.0 } else { 0.0 })).collect();
        let mut found = mesh.periods.clone();
        found.iter_mut().flatten().for_each(|x| *x = x.abs());
        found.sort_by(|a, b| b.partial_cmp(a).unwrap());
        assert_eq!(found, periods, "{axes} {order}");
        assert_eq!((mesh.points.len(), mesh.cells.len()), (64, 27));
        let said = report.left_out().unwrap();
        assert!(said.contains("1 boundary element of a mesh with discontinuous nodes"), "{said}");
        let lattice = Lattice::new(&mesh.periods).unwrap();
        let (extended, report) = extend_periodic(&mesh, &lattice).unwrap();
        assert_eq!(report.ghosts, 5_usize.pow(axes as u32) * 3_usize.pow(3 - axes as u32) - 27);
        assert_eq!(extended.periods, mesh.periods);
    }
    // without copies it is a plain mesh
    let mesh = read(scratch.file("a.mesh", mfem(2, 0, 2, true))).unwrap();
    assert!(mesh.periods.is_empty() && mesh.points.len() == 27);
    for (change, with, said) in [
        ("P1\n", "P2\n", "27 of each element are needed"),
        ("L2_T1", "L2_T0", "PrintVTU"),
        ("1 5 0 ", "1 5 900 ", "vertex 900 of 36 vertices"),
        // the end of the first cell, at another place
        ("3 0 0 \n", "3.5 0 0 \n", "a period apart"),
    ] {
        let text = mfem(3, 2, 1, true);
        let broken = text.replacen(change, with, 1);
        assert_ne!(broken, text, "{change}");
        let error = read(scratch.file("b.mesh", broken)).unwrap_err();
        let whole =
            format!("{error} {}", error.help().map(ToString::to_string).unwrap_or_default());
        assert!(whole.contains(said), "{whole}");
    }
}
