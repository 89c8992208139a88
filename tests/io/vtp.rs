//! Surfaces in XML files, `.vtp`: what is read, how arrays are named, what they may unpack to.

use subsolid::mesh::Attribute;

use crate::read::assert_says;
use crate::samples::Scratch;

const SURFACE: &str = r#"<?xml version="1.0"?>
<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian">
<PolyData>
<Piece NumberOfPoints="5" NumberOfVerts="1" NumberOfLines="0" NumberOfStrips="1" NumberOfPolys="2">
<PointData><DataArray type="Float64" Name="heat" format="ascii">1 2 3 4 5</DataArray>
<DataArray type="Float64" Name="lost" format="ascii">1 2 3 4 5</DataArray></PointData>
<CellData><DataArray type="Int32" Name="id" format="ascii">1 2 3 4</DataArray></CellData>
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0 1 0 0 1 1 0 0 1 0 2 1 0</DataArray></Points>
<Verts><DataArray type="Int32" Name="connectivity" format="ascii">0</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">1</DataArray></Verts>
<Strips><DataArray type="Int32" Name="connectivity" format="ascii">0 1 3 2</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray></Strips>
<Polys><DataArray type="Int32" Name="connectivity" format="ascii">1 4 2 0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">3 7</DataArray></Polys>
</Piece>
<Piece NumberOfPoints="3" NumberOfPolys="1">
<PointData><DataArray type="Float64" Name="heat" format="ascii">6 7 8</DataArray></PointData>
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 1 1 0 1 1 1 1</DataArray></Points>
<Polys><DataArray type="Int32" Name="connectivity" format="ascii">0 1 2</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">3</DataArray></Polys>
</Piece>
</PolyData>
</VTKFile>
"#;

#[test]
fn surfaces_of_vtk_are_read() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("surface.vtp");
    std::fs::write(&file, SURFACE).unwrap();
    let (mesh, report) = subsolid::io::read_surface_with_report(&file).unwrap();
    let faces: Vec<&[u32]> = mesh.faces.iter().collect();
    let expected: [&[u32]; 5] = [&[1, 4, 2], &[0, 1, 2, 3], &[0, 1, 3], &[3, 1, 2], &[5, 6, 7]];
    assert_eq!(faces, expected);
    assert_eq!((mesh.points.len(), mesh.points[4]), (8, [2.0, 1.0, 0.0]));
    assert_eq!(mesh.attributes.len(), 1);
    assert_eq!(mesh.attributes[0].values, [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
    let left_out = report.left_out().unwrap();
    for what in ["1 vertex or line", "cell array `id`", "point array `lost`"] {
        assert!(left_out.contains(what), "{left_out}");
    }
    for (from, to, what) in [
        ("1 4 2 0", "1 5 2 0", "vertex 5, the last is 4"),
        ("1 4 2 0", "1 -1 2 0", "vertex -1"),
        (">3 7<", ">3 8<", "ends at 8 of 7"),
        (">3 7<", ">3 2<", "ends at 2"),
        ("NumberOfPolys=\"2\"", "NumberOfPolys=\"3\"", "the piece claims 4"),
        ("NumberOfPoints=\"5\"", "NumberOfPoints=\"6\"", "claims 6 points"),
        (">6 7 8<", ">6 7<", "`heat`: 2 values"),
        (">3 7<", ">3 6<", "end at 6 of 7"),
        (
            "NumberOfPoints=\"5\"",
            "NumberOfPoints=\"6148914691236517210\"",
            "claims 6148914691236517210",
        ),
    ] {
        std::fs::write(&file, SURFACE.replace(from, to)).unwrap();
        let error = subsolid::read_surface(&file).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("surface.vtp"), "{error}");
    }
    std::fs::write(&file, SURFACE.replace("1 4 2 0", "1 1 2 0")).unwrap();
    let (collapsed, report) = subsolid::io::read_surface_with_report(&file).unwrap();
    assert_eq!((collapsed.faces.len(), collapsed.faces.face(0)), (4, &[0, 1, 2, 3][..]));
    assert!(report.left_out().unwrap().ends_with("1 face without area"), "{report:?}");
    // what is written is read
    let mut mesh = subsolid::read_surface("models/surfaces/bishop.obj").unwrap();
    let normals: Vec<f64> = (0..3 * mesh.points.len()).map(|i| i as f64 / 7.0).collect();
    mesh.attributes = vec![Attribute { name: "normals".into(), width: 3, values: normals }];
    subsolid::io::write_surface(&file, &mesh).unwrap();
    let found = subsolid::read_surface(&file).unwrap();
    assert_eq!((found.points, found.faces), (mesh.points, mesh.faces));
    assert_eq!(found.attributes, mesh.attributes);
    let solid = subsolid::read(&file).unwrap_err().to_string();
    assert!(solid.contains("a surface"), "{solid}");
}

/// Two arrays of one name cannot both be written: they are refused, as those of solids are. Names
/// that a reader gives are given once.
#[test]
fn names_of_arrays_of_surfaces_are_told_apart() {
    let scratch = Scratch::new();
    let normals = |name: &str| {
        let values = "0 0 1 ".repeat(5);
        let kind = "type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\"";
        format!("<DataArray {kind} Name=\"{name}\">{values}</DataArray>")
    };
    let (piece, _) = SURFACE.split_once("</Piece>").unwrap();
    let with = |arrays: &str| {
        let text = piece.replacen("<PointData>", &format!("<PointData>{arrays}"), 1);
        subsolid::read_surface(
            scratch.file("a.vtp", format!("{text}</Piece></PolyData></VTKFile>")),
        )
    };
    let names = |mesh: &subsolid::SurfaceMesh| -> Vec<String> {
        mesh.attributes.iter().map(|a| a.name.clone()).collect()
    };
    let both = with(&(normals("Normals") + &normals("normals"))).unwrap();
    assert_eq!(names(&both), ["Normals", "normals", "heat", "lost"]);
    let several = with(&(normals("Normals") + &normals("NORMALS"))).unwrap();
    assert_eq!(names(&several), ["normals", "NORMALS", "heat", "lost"]);
    for name in ["normals", "Normals", "heat"] {
        let twice = normals(name) + &normals(name);
        assert_says(
            &with(&twice).unwrap_err().to_string(),
            &["a.vtp", "two vertex arrays are named"],
        );
    }
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\n\
               property float z\nproperty float s\nproperty float t\nproperty float u\n\
               property float v\nelement face 1\nproperty list uchar int vertex_indices\n\
               end_header\n0 0 0 1 2 3 4\n1 0 0 1 2 3 4\n0 1 0 1 2 3 4\n3 0 1 2\n";
    let mesh = subsolid::read_surface(scratch.file("a.ply", ply)).unwrap();
    assert_eq!(names(&mesh), ["uv", "u", "v"]);
    assert_eq!(mesh.attributes[0].values[..2], [1.0, 2.0]);
    // what is written is read
    let written = scratch.file("b.ply", "");
    subsolid::io::write_surface(&written, &mesh).unwrap();
    assert_eq!(subsolid::read_surface(&written).unwrap().attributes, mesh.attributes);
}

/// What the arrays of a surface unpack to is held to the memory that is given.
#[test]
fn compressed_surfaces_are_held_to_the_memory_that_is_given() {
    let scratch = Scratch::new();
    // of a triangle, as VTK writes them
    let points = "AQAAAEgAAAAAAAAAEgAAAA==eJxjYMAHPtjjlUaSBwA9VgJf";
    let text = format!(
        "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt32\" \
         compressor=\"vtkZLibDataCompressor\"><PolyData>\
         <Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points>\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">{points}</DataArray>\
         </Points><Polys>\
         <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>\
         </Polys></Piece></PolyData></VTKFile>"
    );
    let path = scratch.file("a.vtp", text);
    let read =
        |most_unpacked| subsolid::io::read_mesh(&path, subsolid::io::ReadOptions { most_unpacked });
    assert!(read(1 << 20).is_ok());
    let error = read(20).unwrap_err();
    assert_says(&error.to_string(), &["of the memory for compressed data"]);
    assert_says(&error.help().unwrap().to_string(), &["allow more memory (`memory`)"]);
}

#[test]
fn creases_and_counts_that_cannot_be_are_refused() {
    let scratch = Scratch::new();
    let file = |field: &str, counts: &str| {
        let text = format!(
            "<VTKFile type=\"PolyData\" version=\"1.0\"><PolyData>{field}<Piece {counts}>\
             <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"ascii\"/></Points>\
             </Piece></PolyData></VTKFile>"
        );
        subsolid::io::read_surface_with_report(scratch.file("a.vtp", text)).unwrap_err()
    };
    let creases = "<FieldData><DataArray type=\"Int64\" Name=\"crease_edges\" \
                   NumberOfComponents=\"2\" format=\"ascii\">0 1</DataArray><DataArray \
                   type=\"Float64\" Name=\"crease_sharpness\" format=\"ascii\">1</DataArray></FieldData>";
    let error = file(creases, "NumberOfPoints=\"0\" NumberOfPolys=\"0\"");
    assert!(error.to_string().contains("crease 0 joins vertices 0 and 1"), "{error}");
    assert_eq!(error.help().unwrap().to_string(), "the file has no vertices");
    let most = u64::MAX;
    file("", &format!("NumberOfPoints=\"0\" NumberOfPolys=\"{most}\" NumberOfStrips=\"2\""));
    let text = SURFACE.replacen("NumberOfVerts=\"1\"", &format!("NumberOfVerts=\"{most}\""), 1);
    let text = text.replacen("NumberOfLines=\"0\"", "NumberOfLines=\"2\"", 1);
    let (_, report) = subsolid::io::read_surface_with_report(scratch.file("b.vtp", text)).unwrap();
    assert_says(&report.left_out().unwrap(), &[&format!("{most} vertices and lines")]);
}
