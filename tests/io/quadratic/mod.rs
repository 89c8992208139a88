//! Points of curved cells, from files that Gmsh, meshio and VTK wrote (`write.py`).

use subsolid::io::read_with_report;

/// In straight cells of edges of different lengths a node in the wrong order is somewhere else.
#[test]
fn points_lie_in_the_middles() {
    let quadratic = [
        ("box2_20.msh", 12),
        ("box4_20.msh", 12),
        ("box_20.inp", 12),
        ("box_20.vtu", 12),
        ("box2_27.msh", 19),
        ("box4_27.msh", 19),
        ("box_27.vtu", 19),
        ("tetra_10.msh", 6),
        ("tetra_10.inp", 6),
        ("wedge_15.msh", 9),
        ("wedge_15.inp", 9),
        ("wedge_18.msh", 12),
    ];
    let more = [("box_order3.msh", 19), ("box_order4.msh", 19), ("cells.vtu", 93)];
    for (file, count) in quadratic.into_iter().chain(more) {
        let path = format!("{}/tests/io/quadratic/{file}", env!("CARGO_MANIFEST_DIR"));
        let (mesh, report) = read_with_report(path).unwrap();
        assert_eq!(report.curved_nodes.len(), count, "{file}");
        assert_eq!(report.straight, 0, "{file}");
        for node in &report.curved_nodes {
            let corners = mesh.cells.vertices(node.cell.0 as usize);
            let [a, b] = node.between.map(|corner| mesh.points[corners[corner as usize] as usize]);
            for axis in 0..3 {
                let error = node.point[axis] - 0.5 * (a[axis] + b[axis]);
                assert!(error.abs() < 1e-9, "{file}: {node:?}");
            }
        }
    }
}

/// VTK before version 9.1 lists nodes on two edges of Lagrange hexahedra the other way round.
#[test]
fn old_lagrange_hexahedra_are_read_as_they_are_meant() {
    let name = "box_27.vtu";
    let path = format!("{}/tests/io/quadratic/{name}", env!("CARGO_MANIFEST_DIR"));
    let (_, new) = read_with_report(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    // nodes 18 and 19 change places, in the list of the only cell
    let start = text.find("Name=\"connectivity\"").unwrap();
    let row = start + text[start..].find('>').unwrap() + 1;
    let end = row + text[row..].find('<').unwrap();
    let mut nodes: Vec<&str> = text[row..end].split_whitespace().collect();
    assert_eq!(nodes.len(), 27);
    nodes.swap(18, 19);
    let old = format!("{}{}{}", &text[..row], nodes.join(" "), &text[end..]);
    let file = std::env::temp_dir().join(format!("subsolid_old_{}.vtu", std::process::id()));
    std::fs::write(&file, old).unwrap();
    let (_, found) = read_with_report(&file).unwrap();
    std::fs::remove_file(&file).unwrap();
    let sorted = |report: subsolid::io::ReadReport| {
        let mut points: Vec<_> = report.curved_nodes.iter().map(|n| (n.between, n.point)).collect();
        points.sort_by(|a, b| a.partial_cmp(b).unwrap());
        points
    };
    assert_eq!(sorted(found), sorted(new));
}
