//! Elements by their shape, and files whose sections, names and ghosts come in any form.

use subsolid::io::{read, read_with_report};
use subsolid::mesh::CellKind;

use crate::samples::Scratch;

/// A cube, whose corners are numbered from 1 in VTK's order, in a group with a padded name.
fn gmsh_sections() -> [String; 3] {
    let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]];
    let corner = |i: usize| {
        let [x, y, _] = corners[i % 4];
        format!("{} {x} {y} {}\n", i + 1, i / 4)
    };
    let nodes: String = (0..8).map(corner).collect();
    [
        "$PhysicalNames\n1\n3 7 \"core   \"\n$EndPhysicalNames\n".into(),
        format!("$Nodes\n8\n{nodes}$EndNodes\n"),
        "$Elements\n1\n1 5 2 7 1 1 2 3 4 5 6 7 8\n$EndElements\n".into(),
    ]
}

#[test]
fn sections_of_gmsh_may_come_in_any_order() {
    let scratch = Scratch::new();
    let [names, nodes, elements] = gmsh_sections();
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    let read = |sections: &[&str]| {
        read_with_report(scratch.file("a.msh", head.to_owned() + &sections.concat())).unwrap()
    };
    let (expected, report) = read(&[&names, &nodes, &elements]);
    assert_eq!(
        (expected.cells.vertices(0), report.left_out()),
        (&[0, 1, 2, 3, 4, 5, 6, 7][..], None)
    );
    let group = expected.cell_data.iter().find_map(|array| array.group_name());
    assert_eq!(group, Some("core"));
    for order in [[&elements, &nodes, &names], [&nodes, &elements, &names]] {
        assert_eq!(read(&order.map(String::as_str)).0, expected);
    }
    // a view that is not sound costs the view, not the mesh
    let view = "$NodeData\n1\n\"t\"\n0\n3\n0\n1\n8\n1 1\n1 2\n$EndNodeData\n";
    let (mesh, report) = read(&[view, &names, &nodes, &elements]);
    assert_eq!(mesh, expected);
    let left_out = report.left_out().unwrap();
    assert_eq!(left_out, "view `t`, whose node 1 does not exist or comes twice");
}

/// The file of a partition lists cells of its neighbors in blocks of ghost entities.
#[test]
fn ghosts_of_gmsh_are_left_out() {
    let corner = |i: usize| format!("{} {} {}\n", i % 3, i / 3 % 2, i / 6);
    let tags: String = (1..=12).map(|i| format!("{i}\n")).collect();
    let points: String = (0..12).map(corner).collect();
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PartitionedEntities\n2\n1\n8 1\n0 0 0 1\n\
         4 3 1 1 1 0 0 0 1 1 1 0 0\n$EndPartitionedEntities\n\
         $Nodes\n1 12 1 12\n3 4 0 12\n{tags}{points}$EndNodes\n\
         $Elements\n2 2 1 2\n3 4 5 1\n1 1 2 5 4 7 8 11 10\n3 8 5 1\n2 2 3 6 5 8 9 12 11\n\
         $EndElements\n$GhostElements\n1\n2 2 1 1\n$EndGhostElements\n"
    );
    let (mesh, report) = read_with_report(Scratch::new().file("a.msh", text)).unwrap();
    assert_eq!((mesh.cells.len(), mesh.cells.vertices(0)[2]), (1, 4));
    assert_eq!(report.left_out().unwrap(), "1 ghost element of other partitions");
}

/// All types of eight corners are hexahedra, and so on, whatever their family is.
#[test]
fn elements_of_abaqus_are_read_by_their_corners() {
    let scratch = Scratch::new();
    let nodes: String = (1..=8)
        .map(|i| {
            let [x, y] = [[0, 0], [1, 0], [1, 1], [0, 1]][(i - 1) % 4];
            format!("{i}, {x}, {y}, {}\n", (i - 1) / 4)
        })
        .collect();
    let read = |kind: &str, corners: &[u32]| {
        let corners = corners.iter().map(u32::to_string).collect::<Vec<_>>().join(", ");
        let text = format!("*NODE\n{nodes}*ELEMENT, TYPE={kind}\n1, {corners}\n");
        read_with_report(scratch.file("a.inp", text))
    };
    for kind in ["SC8R", "COH3D8", "C3D8T", "CSS8", "GK3D8", "EC3D8R", "Q3D8", "DCC3D8D", "F3D8"] {
        let (mesh, report) = read(kind, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        assert_eq!(mesh.cells.kind(0), CellKind::Hexahedron, "{kind}");
        assert_eq!(mesh.cells.vertices(0), [0, 1, 2, 3, 4, 5, 6, 7]);
        assert_eq!(report.left_out(), None);
    }
    for kind in ["SC6R", "COH3D6", "GK3D6"] {
        let (mesh, _) = read(kind, &[1, 2, 3, 5, 6, 7]).unwrap();
        assert_eq!(mesh.cells.kind(0), CellKind::Wedge, "{kind}");
    }
    assert_eq!(read("FC3D4", &[1, 2, 3, 5]).unwrap().0.cells.kind(0), CellKind::Tetrahedron);
    for kind in ["S4R", "M3D4", "SFM3D4", "R3D4", "F3D4", "GK3D4L", "ACIN3D4"] {
        let error = read(kind, &[1, 2, 3, 4]).unwrap_err().to_string();
        assert!(error.contains("no volume cells"), "{kind}: {error}");
    }
    assert!(read("T3D2", &[1, 2]).unwrap_err().to_string().contains("1 line of T3D2 elements"));
}

#[test]
fn prisms_of_vtk_are_polyhedra() {
    for (kind, sides, faces) in [(15, 5, 7), (16, 6, 8)] {
        let ring = |z: f64| -> String {
            let angle = |i: usize| std::f64::consts::TAU * i as f64 / sides as f64;
            (0..sides).map(|i| format!("{} {} {z}\n", angle(i).cos(), angle(i).sin())).collect()
        };
        let ids: Vec<String> = (0..2 * sides).map(|i| i.to_string()).collect();
        let text = format!(
            "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {} double\n\
             {}{}CELLS 1 {}\n{} {}\nCELL_TYPES 1\n{kind}\n",
            2 * sides,
            ring(0.0),
            ring(1.0),
            2 * sides + 1,
            2 * sides,
            ids.join(" ")
        );
        let mesh = read(Scratch::new().file("a.vtk", text)).unwrap();
        let mut found = 0;
        mesh.cells.for_each_face(0, |_| found += 1);
        assert_eq!((mesh.cells.kind(0), found), (CellKind::Polyhedron, faces));
        let fine = subsolid::refine::refine_mesh(&mesh, 1, Default::default()).unwrap();
        assert_eq!(fine.cells.len(), 2 * sides);
        assert_eq!(fine.handedness().left_handed, 0);
    }
}

/// A hexahedron beside others whose corners coincide: what is left of them, and of their faces.
#[test]
fn cells_with_repeated_corners_are_what_they_are() {
    let scratch = Scratch::new();
    let nodes = "*NODE\n1,0,0,0\n2,1,0,0\n3,1,1,0\n4,0,1,0\n5,0,0,1\n6,1,0,1\n7,1,1,1\n\
                 8,0,1,1\n9,2,0,0\n10,2,0,1\n";
    let deck = |second: &str| {
        let rows = format!("1,1,2,3,4,5,6,7,8\n{second}\n");
        let surfaces = "*SURFACE, NAME=far\n2, S3\n*SURFACE, NAME=free\n2,\n";
        scratch.file("a.inp", format!("{nodes}*ELEMENT, TYPE=C3D8\n{rows}{surfaces}"))
    };
    let mesh = read(deck("2, 2,9,3,3, 6,10,7,7")).unwrap();
    assert_eq!(mesh.cells.kind(1), CellKind::Wedge);
    let free = mesh.face_groups.iter().find(|group| group.name == "free").unwrap();
    assert_eq!(free.faces.iter().map(<[u32]>::len).collect::<Vec<_>>(), [3, 3, 4, 4]);
    subsolid::Solid::new(&mesh).unwrap();
    let error = read(deck("2, 2,9,3,3, 2,9,3,3")).unwrap_err().to_string();
    assert!(error.contains("cell 1 is flat: its corners are vertices 1, 8, 2, 2"), "{error}");
    let vtk = "# vtk DataFile Version 3.0\nt\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n\
               0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\nCELLS 2 14\n8 0 1 2 2 3 3 3 3\n4 1 2 3 4\n\
               CELL_TYPES 2\n12 10\n";
    let mesh = read(scratch.file("a.vtk", vtk)).unwrap();
    assert_eq!([0, 1].map(|c| mesh.cells.kind(c)), [CellKind::Tetrahedron; 2]);
    assert_eq!(mesh.cells.vertices(0)[3], 3);
}

#[test]
fn the_word_ascii_may_be_missing() {
    let scratch = Scratch::new();
    let text = crate::samples::ovm();
    assert!(text.starts_with("OVM ASCII\n"));
    let expected = read(scratch.file("a.ovm", &text)).unwrap();
    let mesh = read(scratch.file("b.dat", text.replace("OVM ASCII", "OVM"))).unwrap();
    assert_eq!(mesh, expected);
    let error = read(scratch.file("a.ovm", text.replace("ASCII", "BINARY"))).unwrap_err();
    assert!(error.to_string().contains("binary OpenVolumeMesh"), "{error}");
}
