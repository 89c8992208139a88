//! What is written reads back.

use subsolid::io::{
    GlbOptions, LengthUnit, SurfaceFormat, UpAxis, read_surface, read_surface_with_report,
    write_surface, write_surface_with,
};
use subsolid::mesh::{
    Attribute, BoundaryRule, CreaseRule, FaceVarying, NORMALS, Polygons, SurfaceMesh,
};
use subsolid::surface::{Method, Scheme, refine_surface};

use super::{model, options};
use crate::oracle::random::Random;
use crate::oracle::vector::{Greatest, greater};
use crate::support::refused;

#[test]
fn obj_keeps_everything_but_attributes() {
    let directory = tempfile::tempdir().unwrap();
    for name in ["cubes_semisharp", "hole_test2", "spot_control_mesh", "moebius", "nonquads"] {
        let mut mesh = model(name);
        mesh.crease_rule = CreaseRule::Chaikin;
        mesh.points[0] = [0.1 + 0.2, -1.0 / 3.0, 1e-300];
        let path = directory.path().join("again.obj");
        write_surface(&path, &mesh).unwrap();
        assert_eq!(read_surface(&path).unwrap(), mesh, "{name}");
        assert!(SurfaceFormat::Obj.losses(&mesh).is_empty());
    }
    assert_eq!(model("nonquads").boundary, BoundaryRule::EdgesAndCorners);
}

#[test]
fn obj_has_no_finite_sharpness_of_ten() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("again.obj");
    let mut mesh = model("cubes_semisharp");
    mesh.creases.corners.clear();
    mesh.creases.edges.iter_mut().for_each(|crease| crease.sharpness = f64::INFINITY);
    mesh.creases.edges[0].sharpness = 9.5;
    assert!(SurfaceFormat::Obj.losses(&mesh).is_empty());
    mesh.creases.edges[1].sharpness = 10.0;
    mesh.creases.push_corner(0, 12.0);
    let expected = "the finite sharpness of 1 crease and 1 corner: 10 or more is infinite in .obj";
    assert_eq!(SurfaceFormat::Obj.losses(&mesh), [expected]);
    write_surface(&path, &mesh).unwrap();
    let again = read_surface(&path).unwrap();
    let sharpness = |at: usize| again.creases.edges[at].sharpness;
    assert_eq!([sharpness(0), sharpness(1)], [9.5, f64::INFINITY]);
    mesh.uv = None;
    assert!(SurfaceFormat::Vtp.losses(&mesh).is_empty());
}

/// Of several tags of one place the last holds, in memory and after every file.
#[test]
fn the_last_tag_of_a_place_holds() {
    let directory = tempfile::tempdir().unwrap();
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let faces = Polygons::uniform(3, vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 3]);
    let mut mesh = SurfaceMesh::new(points, faces);
    for (a, b, sharpness) in [(0, 1, 3.0), (1, 2, 0.0), (0, 1, 0.0), (1, 2, 2.0)] {
        mesh.creases.push_edge(a, b, sharpness);
    }
    mesh.creases.push_corner(3, 1.0);
    mesh.creases.push_corner(3, 0.0);
    let refined = |mesh: &SurfaceMesh| {
        refine_surface(mesh, &options(Scheme::CatmullClark, 1, Method::Matrix)).unwrap().points
    };
    for name in ["again.obj", "again.vtp"] {
        let path = directory.path().join(name);
        write_surface(&path, &mesh).unwrap();
        let again = read_surface(&path).unwrap();
        let sharpness: Vec<f64> = again.creases.edges.iter().map(|c| c.sharpness).collect();
        assert_eq!(sharpness, [0.0, 2.0], "{name}");
        assert!(again.creases.corners.iter().all(|corner| corner.sharpness == 0.0), "{name}");
        assert_eq!(refined(&again), refined(&mesh), "{name}");
    }
    // the last face has a copy of vertex 3
    mesh.points.push([0.0, 0.0, 1.0]);
    mesh.faces = Polygons::uniform(3, vec![0, 2, 1, 0, 1, 3, 1, 2, 3, 2, 0, 4]);
    mesh.weld(0.0).unwrap();
    let sharpness: Vec<f64> = mesh.creases.edges.iter().map(|c| c.sharpness).collect();
    assert_eq!(sharpness, [0.0, 2.0]);
}

/// Values of vertices of no face are not written to `.glb`.
#[test]
fn glb_keeps_attributes_that_are_numbers_on_faces() {
    let mut points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    points.push([5.0; 3]);
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2]));
    for (not_a_number, is_lost) in [(3, false), (1, true)] {
        let mut values = vec![1.0; 4];
        values[not_a_number] = f64::NAN;
        mesh.attributes = vec![Attribute { name: "t".into(), width: 1, values }];
        let losses = SurfaceFormat::Glb.losses(&mesh);
        assert_eq!(losses.iter().any(|loss| loss == "attributes `t`"), is_lost, "{losses:?}");
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a.glb");
        write_surface(&path, &mesh).unwrap();
        let bytes = std::fs::read(path).unwrap();
        assert_eq!(bytes.windows(2).any(|word| word == b"_T"), !is_lost);
    }
}

/// Single precision has few digits left for a model far from the origin.
#[test]
fn stl_says_that_digits_are_lost() {
    let mut mesh = model("spot_control_mesh");
    let is_lost = |mesh: &SurfaceMesh, format: SurfaceFormat| {
        format.losses(mesh).iter().any(|loss| loss.contains("single precision"))
    };
    assert!(!is_lost(&mesh, SurfaceFormat::Stl));
    mesh.points.iter_mut().for_each(|p| p[1] += 1e6);
    for format in SurfaceFormat::ALL {
        assert_eq!(is_lost(&mesh, format), format == SurfaceFormat::Stl, "{format:?}");
    }
}

/// Names that PLY has itself, or that differ in signs only, would hide coordinates and one another.
/// A file without faces is nothing that readers take.
#[test]
fn surfaces_of_holes_alone_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2]));
    mesh.holes = vec![0];
    for name in ["a.ply", "a.vtp", "a.stl", "a.glb"] {
        let path = directory.path().join(name);
        let error = write_surface(&path, &mesh).unwrap_err().to_string();
        assert!(error.contains("all faces of the surface are holes"), "{error}");
        assert!(!path.exists());
    }
    let path = directory.path().join("a.obj");
    write_surface(&path, &mesh).unwrap();
    assert_eq!(read_surface(&path).unwrap().holes, [0]);
}

/// Scalars that are named as components of a vector stay apart where an array has its name.
/// Colors are bytes, as viewers read them; lists of one length are vectors.
/// Refinement keeps the colors of a model in the form that viewers read.
/// Formats that hold the faces alone say which rules of refinement they leave out.
#[test]
fn rules_that_a_format_leaves_out_are_named() {
    let mut mesh = model("bishop");
    mesh.uv = None;
    mesh.holes = vec![3];
    mesh.crease_rule = CreaseRule::Chaikin;
    mesh.boundary = BoundaryRule::EdgesAndCorners;
    assert_eq!(
        SurfaceFormat::Vtp.losses(&mesh),
        ["1 hole", "rules of refinement: of creases, of boundaries"]
    );
    assert!(SurfaceFormat::Obj.losses(&mesh).is_empty());
}

/// MeshLab reads no other type of the numbers of corners than bytes, which are enough for most
/// faces. A face with a vertex that has no normal is written without normals.
#[test]
fn obj_has_the_normals_that_exist() {
    let directory = tempfile::tempdir().unwrap();
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let mut mesh = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2, 0, 2, 3]));
    let mut values = [0.0, 0.0, 1.0].repeat(4);
    values[3..6].fill(f64::NAN);
    mesh.attributes.push(Attribute { name: NORMALS.into(), width: 3, values });
    assert!(SurfaceFormat::Obj.losses(&mesh).is_empty());
    let path = directory.path().join("a.obj");
    write_surface(&path, &mesh).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<_> = text.lines().skip(4).collect();
    assert_eq!(lines, ["vn 0 0 1", "vn 0 0 1", "vn 0 0 1", "f 1 2 3", "f 1//1 3//2 4//3"]);
    mesh.uv =
        Some(FaceVarying { values: vec![[0.0; 2]], corners: vec![0; 6], ..FaceVarying::default() });
    write_surface(&path, &mesh).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.ends_with("f 1/1 2/1 3/1\nf 1/1/1 3/1/2 4/1/3\n"), "{text}");
    assert_eq!(read_surface(&path).unwrap().faces, mesh.faces);
}

#[test]
fn stl_keeps_the_triangles_in_single_precision() {
    let directory = tempfile::tempdir().unwrap();
    let mesh = model("dodecahedron_poly");
    let path = directory.path().join("again.stl");
    write_surface(&path, &mesh).unwrap();
    let (again, report) = read_surface_with_report(&path).unwrap();
    assert_eq!((again.points.len(), again.faces.len()), (20, 36));
    assert!(report.skipped.is_empty());
    for point in &again.points {
        let close = |p: &[f64; 3]| (0..3).all(|d| (p[d] - point[d]).abs() < 1e-6);
        assert!(mesh.points.iter().any(close));
    }
}

#[test]
fn vtp_keeps_points_faces_attributes_and_creases() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("again.vtp");
    let mut creased = 0;
    for name in ["cubes_semisharp", "bishop", "moebius", "nonquads", "helmet"] {
        let mut mesh = model(name).without_holes().into_owned();
        (mesh.uv, mesh.boundary, mesh.crease_rule) = Default::default();
        let values = (0..2 * mesh.points.len()).map(|v| v as f64 / 7.0).collect();
        mesh.attributes.push(Attribute { name: "heat & \"flow\"".into(), width: 2, values });
        if name == "bishop" {
            mesh.creases.push_corner(7, f64::INFINITY);
            mesh.creases.push_corner(9, 0.5);
        }
        creased += mesh.creases.edges.len();
        assert!(SurfaceFormat::Vtp.losses(&mesh).is_empty());
        write_surface(&path, &mesh).unwrap();
        let again = read_surface(&path).unwrap();
        let corners = |mesh: &SurfaceMesh| {
            let mut corners: Vec<_> =
                mesh.creases.corners.iter().map(|c| (c.vertex, c.sharpness.to_bits())).collect();
            corners.sort_unstable();
            corners
        };
        assert_eq!(corners(&again), corners(&mesh), "{name}");
        assert_eq!(again.creases.edges, mesh.creases.edges, "{name}");
        mesh.creases.corners.clone_from(&again.creases.corners);
        assert_eq!(again, mesh, "{name}");
    }
    assert!(creased > 100);
}

#[test]
fn vtp_has_its_arrays_where_the_head_says() {
    let directory = tempfile::tempdir().unwrap();
    let mesh = model("nonquads");
    let path = directory.path().join("a.vtp");
    write_surface(&path, &mesh).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let data = bytes.windows(2).position(|w| w == b" _").unwrap() + 2;
    let section = |name: &str| {
        let at = text.find(name).unwrap();
        let offset = &text[at..][text[at..].find("offset=\"").unwrap() + 8..];
        let offset: usize = offset[..offset.find('"').unwrap()].parse().unwrap();
        let start = data + offset;
        let len = u64::from_ne_bytes(bytes[start..start + 8].try_into().unwrap()) as usize;
        bytes[start + 8..start + 8 + len].to_vec()
    };
    let numbers: Vec<u32> = section("\"connectivity\"")
        .chunks_exact(4)
        .map(|b| u32::from_ne_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(numbers, mesh.faces.vertices());
    let ends: Vec<i64> = section("Name=\"offsets\"")
        .chunks_exact(8)
        .map(|b| i64::from_ne_bytes(b.try_into().unwrap()))
        .collect();
    assert_eq!(ends, mesh.faces.ends().map(|e| e as i64).collect::<Vec<_>>());
    assert_eq!(section("Name=\"Points\"").len(), 24 * mesh.points.len());
}

#[test]
fn formats_that_are_not_known_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.xyz");
    std::fs::write(&path, "v 0 0 0\n").unwrap();
    assert!(read_surface(&path).unwrap_err().to_string().contains("is unknown"));
    std::fs::write(&path, " \n").unwrap();
    assert!(read_surface(&path).unwrap_err().to_string().contains("empty"));
    assert!(write_surface(&path, &model("moebius")).unwrap_err().to_string().contains("unknown"));
}

/// Files with bytes changed, cut or doubled give an error or a mesh that every scheme and
/// method refines or refuses; nothing panics.
#[test]
fn damaged_files_are_read_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let mut random = Random::new(7);
    let (mut read, mut meshes) = (0, 0);
    for (name, extension) in
        [("nonquads", "obj"), ("cubes_semisharp", "obj"), ("pole64", "ply"), ("helmet", "stl")]
    {
        let whole = directory.path().join(format!("whole.{extension}"));
        write_surface(&whole, &model(name)).unwrap();
        let bytes = std::fs::read(&whole).unwrap();
        let path = directory.path().join(format!("damaged.{extension}"));
        for _ in 0..150 {
            let mut damaged = bytes.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(damaged.len());
                match random.below(4) {
                    0 => damaged[at] = random.below(256) as u8,
                    1 => damaged[at] = b'0' + random.below(10) as u8,
                    2 => damaged.truncate(at.max(1)),
                    _ => {
                        let end = damaged.len().min(at + 40);
                        damaged.extend_from_within(at..end);
                    }
                }
            }
            std::fs::write(&path, &damaged).unwrap();
            let Ok(mesh) = read_surface(&path) else { continue };
            read += 1;
            for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3] {
                for method in [Method::Matrix, Method::Single, Method::EdgeFriend] {
                    if let Ok(refined) = refine_surface(&mesh, &options(scheme, 2, method)) {
                        refined.check().unwrap();
                        meshes += 1;
                    }
                }
            }
        }
    }
    // 171 damaged files are still meshes, and nine ways of refinement take most of them
    assert!(read > 100 && meshes > 6 * read, "{read}, {meshes}");
}

/// The chunks of a .glb file.
fn chunks(bytes: &[u8]) -> (serde_json::Value, &[u8]) {
    let word = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
    assert_eq!((&bytes[..4], word(4), word(8)), (&b"glTF"[..], 2, bytes.len()));
    let (json, end) = (word(12), 20 + word(12));
    assert_eq!((&bytes[16..20], json % 4), (&b"JSON"[..], 0));
    assert_eq!((&bytes[end + 4..end + 8], word(end)), (&b"BIN\0"[..], bytes.len() - end - 8));
    (serde_json::from_slice(&bytes[20..end]).unwrap(), &bytes[end + 8..])
}

#[test]
fn glb_keeps_triangles_normals_and_attributes() {
    let directory = tempfile::tempdir().unwrap();
    let fine = refine_surface(&model("bishop"), &options(Scheme::CatmullClark, 1, Method::Matrix));
    let mut mesh = fine.unwrap();
    // far away: relative to the center of the model nothing is lost
    mesh.points.iter_mut().for_each(|p| p[1] += 1e6);
    let count = mesh.points.len();
    let values = (0..2 * count).map(|i| i as f64 / 7.0).collect();
    mesh.attributes.push(Attribute { name: "Wärme [K]".into(), width: 2, values });
    mesh.attributes.push(Attribute {
        name: "tensor".into(),
        width: 9,
        values: vec![0.0; 9 * count],
    });
    let mut values = [0.0, 3.0, 4.0].repeat(count);
    values[..3].fill(f64::NAN);
    mesh.attributes.push(Attribute { name: NORMALS.into(), width: 3, values });
    let losses = SurfaceFormat::Glb.losses(&mesh);
    assert!(losses[0] == "attributes `tensor`", "{losses:?}");
    let path = directory.path().join("a.glb");
    write_surface(&path, &mesh).unwrap();
    let bytes = std::fs::read(&path).unwrap();
    let (json, bin) = chunks(&bytes);

    let array = |accessor: &serde_json::Value, width: usize| -> Vec<[u8; 4]> {
        let accessor = &json["accessors"][accessor.as_u64().unwrap() as usize];
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let start = view["byteOffset"].as_u64().unwrap_or(0) as usize;
        let length = view["byteLength"].as_u64().unwrap() as usize;
        assert_eq!(accessor["count"].as_u64().unwrap() as usize * width * 4, length);
        bin[start..start + length].as_chunks().0.to_vec()
    };
    let primitive = &json["meshes"][0]["primitives"][0];
    let reals = |name: &str, width: usize| -> Vec<f64> {
        let bytes = array(&primitive["attributes"][name], width);
        bytes.into_iter().map(|x| f64::from(f32::from_le_bytes(x))).collect()
    };
    let node = &json["nodes"][0];
    let numbers = |name: &str| -> Vec<f64> {
        node[name].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect()
    };
    // a quarter turn about x, from z up to y up
    let (rotation, center) = (numbers("rotation"), numbers("translation"));
    let half = 0.5_f64.sqrt();
    let expected = [-half, 0.0, 0.0, half];
    assert!(rotation.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-7), "{rotation:?}");
    let positions = reals("POSITION", 3);
    let size = crate::size(&mesh);
    let middle = [center[0], -center[2], center[1]];
    for (p, q) in mesh.points.iter().zip(positions.as_chunks::<3>().0) {
        let left = (0..3).map(|d| p[d] - q[d] - middle[d]);
        assert!(
            left.fold(0.0, |m: f64, x| greater(m, x.abs())) < 4e-7 * size.min(10.0),
            "{p:?} {q:?}"
        );
    }
    let heat = reals("_W_RME__K_", 2);
    assert!((heat[5] - 5.0 / 7.0).abs() < 1e-6 && heat.len() == 2 * count);
    assert!(primitive["attributes"]["_TENSOR"].is_null());
    for (v, n) in reals("NORMAL", 3).as_chunks::<3>().0.iter().enumerate() {
        let length: f64 = n.iter().map(|x| x * x).sum();
        assert!((length - 1.0).abs() < 1e-6 && (v == 0 || (n[2] - 0.8).abs() < 1e-6), "{v}: {n:?}");
    }
    let indices: Vec<u32> =
        array(&primitive["indices"], 1).into_iter().map(u32::from_le_bytes).collect();
    let kept = mesh.without_holes();
    let fan =
        |f: &[u32]| -> Vec<u32> { (2..f.len()).flat_map(|i| [f[0], f[i - 1], f[i]]).collect() };
    let triangles: Vec<u32> = kept.faces.iter().flat_map(fan).collect();
    assert_eq!(indices, triangles);
}

#[test]
fn glb_has_meters_y_up_and_linear_colors() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.glb");
    let points = vec![[1e6, 2.3, 0.1], [1e6 + 4.0, 2.3, 0.1], [1e6 + 4.0, 2.3, 3.1]];
    let mesh = SurfaceMesh::new(points, Polygons::uniform(3, vec![0, 1, 2]));
    for (unit, meters) in [(LengthUnit::Inch, 0.0254), (LengthUnit::Millimeter, 1e-3)] {
        for up in [UpAxis::Y, UpAxis::Z] {
            let colors = vec![[0.0, 0.5, 1.0]; 3];
            write_surface_with(&path, &mesh, &GlbOptions { unit: Some(unit), up, colors }).unwrap();
            let bytes = std::fs::read(&path).unwrap();
            let (json, bin) = chunks(&bytes);
            let node = &json["nodes"][0];
            // numbers of nodes are in single precision, as their digits say
            let number = |name: &str, d: usize| {
                node[name][d].to_string().parse::<f32>().map(f64::from).unwrap()
            };
            assert_eq!(node["rotation"].is_null(), up == UpAxis::Y);
            let floats: Vec<f64> =
                bin.as_chunks().0.iter().map(|x| f64::from(f32::from_le_bytes(*x))).collect();
            for (v, p) in mesh.points.iter().enumerate() {
                let [x, y, z] = [0, 1, 2].map(|d| floats[3 * v + d] * number("scale", d));
                let turned = if up == UpAxis::Y { [x, y, z] } else { [x, z, -y] };
                let at: [f64; 3] = std::array::from_fn(|d| turned[d] + number("translation", d));
                let [x, y, z] = p.map(|x| x * meters);
                let expected = if up == UpAxis::Y { [x, y, z] } else { [x, z, -y] };
                // a rounding of the size, not of the distance from the origin
                let error = (0..3).map(|d| (at[d] - expected[d]).abs()).greatest();
                assert!(error < 4e-7 * 5.0 * meters, "{unit:?} {up:?}: {error:e}");
            }
            // sRGB 0.5 is 21.4 % of the light
            let colors = &floats[9..12];
            assert!(colors[0] == 0.0 && (colors[1] - 0.21404).abs() < 1e-4 && colors[2] == 1.0);
        }
    }
    let colors = vec![[0.0; 3]; 2];
    let wrong = GlbOptions { colors, ..GlbOptions::default() };
    refused(write_surface_with(&path, &mesh, &wrong), "2 colors for 3 vertices");
}

#[test]
fn coordinates_beyond_single_precision_are_refused_where_files_are_single() {
    let directory = tempfile::tempdir().unwrap();
    for size in [1e60, 1e-60] {
        let points = vec![[0.0; 3], [size, 0.0, 0.0], [size, size, 0.0], [0.0, size, 0.0]];
        let mesh = SurfaceMesh::new(points, Polygons::uniform(4, vec![0, 1, 2, 3]));
        for (name, fits) in [("a.stl", false), ("a.glb", false), ("a.ply", true)] {
            let path = directory.path().join(name);
            let written = write_surface(&path, &mesh);
            assert_eq!(written.is_ok(), fits, "{name}, {size:e}");
            assert_eq!(path.exists(), fits, "{name}, {size:e}");
        }
        std::fs::remove_file(directory.path().join("a.ply")).unwrap();
    }
}

/// The second number of a texture coordinate may be left out, and is 0.
#[test]
fn texture_coordinates_may_have_one_number() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.obj");
    let text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0.5\nvt 1 0.25 0\nvt 0 1 # w\nf 1/1 2/2 3/3\n";
    std::fs::write(&path, text).unwrap();
    let uv = subsolid::read_surface(&path).unwrap().uv.unwrap();
    assert_eq!(uv.values, [[0.5, 0.0], [1.0, 0.25], [0.0, 1.0]]);
}
