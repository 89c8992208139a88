//! Groups of faces and cells, and vertices that no cell has.

use subsolid::io::{WriteOptions, read_with_report, write};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CellArray, FaceGroup, Polygons, SurfaceMesh, UnusedVertices};

#[test]
fn faces_of_no_cell_leave_their_groups() {
    let mut mesh = Shape::Box { cells: [2, 1, 1] }.build().unwrap();
    let face = |c: usize, f: usize| {
        let mut faces = Vec::new();
        mesh.cells.for_each_face(c, |face| faces.push(face.to_vec()));
        faces.swap_remove(f)
    };
    let (mut left, mut mixed) = (face(0, 0), face(0, 1)); // the second lies between the cells
    left.reverse();
    mixed.rotate_left(2);
    let diagonal = vec![left[0], left[1], mixed[0], mixed[1]];
    let group = |name: &str, faces: &[&[u32]]| {
        let mut list = Polygons::default();
        faces.iter().for_each(|face| list.push(face));
        FaceGroup::new(name, list)
    };
    mesh.face_groups = vec![
        group("both", &[&left, &diagonal, &mixed]),
        group("none", &[&diagonal]),
        group("left", &[&left]),
    ];
    mesh.check().unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.vtu");
    write(&path, &mesh, WriteOptions::default()).unwrap();
    let (found, report) = read_with_report(&path).unwrap();
    let left_out = report.left_out().unwrap();
    for name in ["both", "none"] {
        let what = format!("faces of group `{name}` that no cell has");
        assert!(left_out.contains(&what), "{left_out}");
    }
    let groups = found.face_groups.iter().map(|group| {
        let sorted = |face: &[u32]| {
            let mut face = face.to_vec();
            face.sort_unstable();
            face
        };
        (group.name.as_str(), group.faces.iter().map(sorted).collect::<Vec<_>>())
    });
    let mut groups: Vec<_> = groups.collect();
    groups.sort();
    groups.iter_mut().for_each(|(_, faces)| faces.sort());
    [&mut left, &mut mixed].into_iter().for_each(|face| face.sort_unstable());
    let mut both = vec![left.clone(), mixed];
    both.sort();
    assert_eq!(groups, [("both", both), ("left", vec![left])]);
}

#[test]
fn names_and_vertices_of_groups_are_checked() {
    let bad = |groups: &[(&str, u32)]| {
        let mut mesh = Shape::Box { cells: [1; 3] }.build().unwrap();
        let group =
            |&(name, v): &(&str, u32)| FaceGroup::new(name, Polygons::uniform(4, vec![0, 1, 2, v]));
        mesh.face_groups = groups.iter().map(group).collect();
        mesh.check().unwrap_err().to_string()
    };
    assert!(bad(&[("", 3)]).contains("named \"\""));
    let mut mesh = Shape::Box { cells: [1; 3] }.build().unwrap();
    mesh.face_groups = vec![FaceGroup::new("a", Polygons::uniform(4, vec![0, 1, 2, 3]))];
    mesh.cell_data = vec![CellArray::new("group:a", 2, vec![0.0; 2], false)];
    assert!(mesh.check().unwrap_err().to_string().contains("\"group:a\" has the name"));
    assert!(bad(&[("a", 3), ("b", 3), ("a", 3)]).contains("two groups of faces"));
    assert!(bad(&[("a", 8)]).contains("names vertex 8"));
}

#[test]
fn a_group_of_cells_is_an_array() {
    let group = CellArray::group("steel", 4, [2, 0]);
    assert_eq!((group.name.as_str(), group.group_name()), ("group:steel", Some("steel")));
    assert_eq!(group.members().collect::<Vec<_>>(), [0, 2]);
    assert_eq!(CellArray::new("group:", 1, vec![], true).group_name(), None);
    assert_eq!(CellArray::new("steel", 1, vec![], true).group_name(), None);
}

#[test]
fn unused_vertices_are_counted() {
    let mut mesh = Shape::Bracket.build().unwrap();
    assert_eq!(mesh.unused_vertices().notice(), None);
    let first = mesh.points.len() as u32;
    mesh.points.extend([[9.0; 3]; 2]);
    let found = mesh.unused_vertices();
    assert_eq!(found, UnusedVertices { count: 2, first: Some(first) });
    let notice = found.notice().unwrap().to_string();
    assert_eq!(notice, format!("2 vertices belong to no cell (the first: vertex {first})"));
}

#[test]
fn unused_vertices_are_outside_the_bounds() {
    let mut mesh = Shape::Bracket.build().unwrap();
    let around = mesh.bounds();
    mesh.points.push([1e9, 0.0, 0.0]);
    assert_eq!(mesh.bounds(), around);
    let triangle = Polygons::uniform(3, vec![0, 1, 3]);
    let points = vec![[1.0; 3], [2.0, 0.0, 1.0], [1e9; 3], [0.0; 3]];
    let surface = SurfaceMesh::new(points, triangle);
    assert_eq!(surface.bounds(), Some(([0.0; 3], [2.0, 1.0, 1.0])));
}
