//! `.ply` files read back.

use subsolid::io::{SurfaceFormat, read_surface, read_surface_with_report, write_surface};
use subsolid::mesh::{Attribute, NORMALS, Polygons, SurfaceMesh};
use subsolid::surface::{Method, Scheme, refine_surface};

use super::{model, options};

#[test]
fn keeps_points_faces_and_attributes() {
    let directory = tempfile::tempdir().unwrap();
    let mut mesh = model("spot_control_mesh");
    mesh.uv = None;
    let values = (0..mesh.points.len()).map(|v| v as f64 / 7.0).collect();
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values });
    // what the reader lists first
    let values = mesh.points.as_flattened().to_vec();
    mesh.attributes.insert(0, Attribute { name: NORMALS.into(), width: 3, values });
    let path = directory.path().join("again.ply");
    write_surface(&path, &mesh).unwrap();
    assert_eq!(read_surface(&path).unwrap(), mesh);
    let losses = SurfaceFormat::Ply.losses(&model("bishop"));
    assert_eq!(losses, ["texture coordinates", "224 creases"]);
}

#[test]
fn keeps_attributes_apart() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ply");
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2]));
    let names = ["x", "a b", "a_b", "a/b", "", "nx", "v", "v_0"];
    for (name, first) in names.into_iter().zip(1..) {
        let width = if name == "v" { 2 } else { 1 };
        let values = (0..3 * width).map(|i| f64::from(first) + 0.1 * i as f64).collect();
        mesh.attributes.push(Attribute { name: name.into(), width, values });
    }
    let values = [0.0, 0.0, 1.0].repeat(3);
    mesh.attributes.push(Attribute { name: NORMALS.into(), width: 3, values });
    write_surface(&path, &mesh).unwrap();
    let again = read_surface(&path).unwrap();
    assert_eq!((&again.points, &again.faces), (&mesh.points, &mesh.faces));
    let found = |name: &str| -> &[f64] {
        let named = again.attributes.iter().find(|attribute| attribute.name == name);
        &named.unwrap_or_else(|| panic!("no {name}: {:?}", again.attributes)).values
    };
    let written = ["x_", "a_b", "a_b_", "a_b__", "_", "nx_", "v", "v_0_", NORMALS];
    for (name, attribute) in written.iter().zip(&mesh.attributes) {
        assert_eq!(found(name), attribute.values, "{name}");
    }
}

#[test]
fn joins_no_components_to_a_name_in_use() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ply");
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2]));
    for names in [["a_0", "a_1", "a"], ["a", "a_0", "a_1"]] {
        let attribute = |(first, name): (f64, &str)| {
            let values = (0..3).map(|i| first + 0.1 * f64::from(i)).collect();
            Attribute { name: name.into(), width: 1, values }
        };
        mesh.attributes = [1.0, 2.0, 3.0].into_iter().zip(names).map(attribute).collect();
        write_surface(&path, &mesh).unwrap();
        assert_eq!(read_surface(&path).unwrap().attributes, mesh.attributes);
    }
    mesh.attributes.retain(|attribute| attribute.name != "a");
    write_surface(&path, &mesh).unwrap();
    let again = read_surface(&path).unwrap();
    assert_eq!((again.attributes[0].name.as_str(), again.attributes[0].width), ("a", 2));
}

#[test]
fn keeps_colors_and_vectors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ply");
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
                property float z\nproperty uchar red\nproperty uchar green\nproperty uchar blue\n\
                property uchar alpha\nproperty list uchar double vec\n\
                property list uchar int several\nelement face 1\n\
                property list uchar int vertex_indices\nend_header\n\
                0 0 0 255 0 1 9 2 0.5 1.5 1 7\n1 0 0 2 3 4 8 2 2.5 3.5 0\n\
                0 1 0 5 6 7 0 2 4.5 5.5 2 7 8\n3 0 1 2\n";
    std::fs::write(&path, text).unwrap();
    let (mesh, report) = read_surface_with_report(&path).unwrap();
    let names: Vec<_> = mesh.attributes.iter().map(|a| (&a.name[..], a.width)).collect();
    assert_eq!(names, [("color", 4), ("vec", 2)]);
    assert_eq!(mesh.attributes[0].values[..6], [255.0, 0.0, 1.0, 9.0, 2.0, 3.0]);
    assert_eq!(mesh.attributes[1].values, [0.5, 1.5, 2.5, 3.5, 4.5, 5.5]);
    assert!(report.left_out().unwrap().contains("lists `several` of the vertices"));
    write_surface(&path, &mesh).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let header = String::from_utf8_lossy(&bytes);
    assert!(header.contains("property uchar red\nproperty uchar green"), "{header}");
    assert!(header.contains("property double vec_0\nproperty double vec_1"), "{header}");
    assert_eq!(read_surface(&path).unwrap(), mesh);
    // refined colors are rounded
    let mut refined = mesh.clone();
    refined.attributes[0].values[..4].copy_from_slice(&[255.0 + 1e-13, -1e-14, 1.5, 8.25]);
    write_surface(&path, &refined).unwrap();
    let rounded = &read_surface(&path).unwrap().attributes[0];
    assert_eq!((&rounded.name[..], &rounded.values[..4]), ("color", &[255.0, 0.0, 2.0, 8.0][..]));
    assert_eq!(rounded.values[4..], mesh.attributes[0].values[4..]);
    // what is no color is kept as it is, and so are colors of reals from 0 to 1
    for values in [[300.0, 0.5, 0.0, 0.0].repeat(3), [1.0, 0.0, 0.0, 1.0].repeat(3)] {
        let mut other = mesh.clone();
        other.attributes[0].values = values;
        write_surface(&path, &other).unwrap();
        let header = std::fs::read(&path).unwrap();
        assert!(String::from_utf8_lossy(&header).contains("property double color_0"));
        assert_eq!(read_surface(&path).unwrap(), other);
    }
}

#[test]
fn colors_are_refined_as_colors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ply");
    let mut mesh = model("bishop");
    (mesh.uv, mesh.creases) = (None, Default::default());
    let values = mesh.points.iter().enumerate().flat_map(|(v, _)| [255, v % 256, 17]);
    let values = values.map(|x| x as f64).collect();
    mesh.attributes = vec![Attribute { name: "color".into(), width: 3, values }];
    let refined = refine_surface(&mesh, &options(Scheme::CatmullClark, 1, Method::Matrix)).unwrap();
    assert!(refined.attributes[0].values.iter().any(|x| x.fract() != 0.0));
    write_surface(&path, &refined).unwrap();
    let again = read_surface(&path).unwrap();
    assert_eq!(again.attributes[0].name, "color");
    for (x, byte) in refined.attributes[0].values.iter().zip(&again.attributes[0].values) {
        assert!(byte.fract() == 0.0 && (x - byte).abs() <= 0.5 + 1e-12, "{x} {byte}");
    }
}

#[test]
fn counts_corners_in_bytes_where_they_fit() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.ply");
    for (corners, count) in [(3, "uchar"), (255, "uchar"), (256, "uint")] {
        let turn = |i: usize| i as f64 / corners as f64 * std::f64::consts::TAU;
        let points = (0..corners).map(|i| [turn(i).cos(), turn(i).sin(), 0.0]).collect();
        let mut faces = Polygons::default();
        faces.push(&(0..corners as u32).collect::<Vec<_>>());
        faces.push(&[0, 2, 1]);
        let mesh = SurfaceMesh::new(points, faces);
        write_surface(&path, &mesh).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        let line = format!("property list {count} uint vertex_indices\n");
        assert!(bytes.windows(line.len()).any(|window| window == line.as_bytes()), "{corners}");
        assert_eq!(read_surface(&path).unwrap(), mesh, "{corners}");
    }
}
