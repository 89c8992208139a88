//! Nodes of quadratic hexahedra, from files that Gmsh and meshio wrote (`write.py`).

use subsolid::io::read_with_report;

/// In a box of edges 1, 2 and 3 a node in the wrong order is somewhere else.
#[test]
fn nodes_lie_at_their_parameters() {
    let files = ["box2_20.msh", "box4_20.msh", "box_20.inp", "box_20.vtu"];
    let more = ["box2_27.msh", "box4_27.msh", "box_27.vtu"];
    let all = files.map(|file| (file, 12)).into_iter().chain(more.map(|file| (file, 19)));
    for (file, count) in all {
        let path = format!("{}/tests/io/quadratic/{file}", env!("CARGO_MANIFEST_DIR"));
        let (mesh, report) = read_with_report(path).unwrap();
        assert_eq!(mesh.points.len(), 8, "{file}");
        assert_eq!(report.curved_nodes.len(), count, "{file}");
        for node in &report.curved_nodes {
            let corners = mesh.cells.hexahedron(node.cell.0 as usize).unwrap();
            let [p, u, v, w] = [0, 1, 3, 4].map(|i| mesh.points[corners[i] as usize]);
            for axis in 0..3 {
                let along = [u, v, w].map(|end| end[axis] - p[axis]);
                let moved: f64 = (0..3).map(|i| along[i] * node.parameters[i]).sum();
                let error = node.point[axis] - p[axis] - moved;
                assert!(error.abs() < 1e-9, "{file}: {node:?}");
            }
        }
    }
}
