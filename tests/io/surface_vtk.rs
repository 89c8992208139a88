//! Surfaces in legacy `.vtk` files: `DATASET POLYDATA`.

use subsolid::io::{read_surface_with_report, write_surface};
use subsolid::mesh::SurfaceMesh;

use crate::samples::{POLYDATA_4, POLYDATA_5, Scratch, binary_polydata, legacy as legacy_solid};

/// What `.vtp` has of the same surface.
const XML: &str = r#"<VTKFile type="PolyData"><PolyData><FieldData>
<DataArray type="Int64" Name="history" format="ascii">1 2 3</DataArray></FieldData>
<Piece NumberOfPoints="5" NumberOfVerts="1" NumberOfLines="1" NumberOfStrips="1" NumberOfPolys="2">
<PointData>
<DataArray type="Float64" Name="Normals" NumberOfComponents="3" format="ascii">
0 0 1 0 0 1 0 0 1 0 0 1 0 0 1</DataArray>
<DataArray type="Float64" Name="heat" format="ascii">1 2 3 4 5</DataArray>
</PointData>
<CellData><DataArray type="Int32" Name="id" format="ascii">0 1 2 3 4</DataArray></CellData>
<Points><DataArray type="Float64" NumberOfComponents="3" format="ascii">
0 0 0 1 0 0 1 1 0 0 1 0 2 1 0</DataArray></Points>
<Strips><DataArray type="Int32" Name="connectivity" format="ascii">0 1 3 2</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">4</DataArray></Strips>
<Polys><DataArray type="Int32" Name="connectivity" format="ascii">1 4 2 0 1 2 3</DataArray>
<DataArray type="Int32" Name="offsets" format="ascii">3 7</DataArray></Polys>
</Piece></PolyData></VTKFile>"#;

#[test]
fn a_legacy_surface_is_that_of_vtp() {
    let scratch = Scratch::new();
    let (expected, left_out) = read_surface_with_report(scratch.file("a.vtp", XML)).unwrap();
    assert_eq!(expected.faces.len(), 4);
    assert_eq!(expected.normals().unwrap()[4], [0.0, 0.0, 1.0]);
    let left_out = left_out.left_out().unwrap();
    let windows = POLYDATA_4.replace('\n', "\r\n").replace("POLYGONS", "polygons");
    for (name, bytes) in [
        ("4.vtk", POLYDATA_4.as_bytes().to_vec()),
        ("5.vtk", POLYDATA_5.into()),
        ("windows.vtk", windows.into()),
        ("binary4.vtk", binary_polydata(4)),
        ("binary5.vtk", binary_polydata(5)),
        // the content tells, not the ending
        ("named.dat", binary_polydata(4)),
    ] {
        let path = scratch.file(name, bytes);
        assert!(subsolid::io::is_surface(&path).unwrap(), "{name}");
        let (mesh, report) = read_surface_with_report(&path).unwrap();
        assert_eq!(mesh, expected, "{name}");
        let report = report.left_out().unwrap();
        for what in ["2 vertices and lines", "cell array `id`"] {
            assert!(report.contains(what) && left_out.contains(what), "{name}: {report}");
        }
        let has_fields = name == "5.vtk";
        assert_eq!(report.contains("field array `history`"), has_fields, "{name}: {report}");
        let solid = subsolid::read(&path).unwrap_err().to_string();
        assert!(solid.contains("a surface, not a control mesh"), "{name}: {solid}");
    }
    assert!(left_out.contains("field array `history`"), "{left_out}");
}

#[test]
fn creases_of_legacy_surfaces_are_those_of_vtp() {
    let scratch = Scratch::new();
    let fields = "FIELD FieldData 2\ncrease_edges 2 2 int\n0 1 1 2\n\
                  crease_sharpness 1 2 double\n2.5 inf\n";
    let legacy = POLYDATA_4
        .replace("POINTS", &format!("{fields}POINTS"))
        .replace("heat 1 5", "corner_sharpness 1 5")
        .replace("\n1 2 3 4 5 ", "\n0 2 inf 0 0 ");
    let arrays = "<FieldData>
<DataArray type=\"Int32\" Name=\"crease_edges\" NumberOfComponents=\"2\" format=\"ascii\">
0 1 1 2</DataArray>
<DataArray type=\"Float64\" Name=\"crease_sharpness\" format=\"ascii\">2.5 inf</DataArray>";
    let xml = XML
        .replace("<FieldData>", arrays)
        .replace("\"heat\"", "\"corner_sharpness\"")
        .replace(">1 2 3 4 5<", ">0 2 inf 0 0<");
    let legacy = subsolid::read_surface(scratch.file("a.vtk", legacy)).unwrap();
    let xml = subsolid::read_surface(scratch.file("a.vtp", xml)).unwrap();
    let creases: Vec<_> = legacy.creases.edges.iter().map(|c| (c.edge(), c.sharpness)).collect();
    assert_eq!(creases.len(), 2);
    assert_eq!([creases[0].1, creases[1].1], [2.5, f64::INFINITY]);
    let corners: Vec<_> =
        legacy.creases.corners.iter().map(|c| (c.vertex.0, c.sharpness)).collect();
    assert_eq!(corners, [(1, 2.0), (2, f64::INFINITY)]);
    assert_eq!(legacy, xml);
    assert_eq!(legacy.attributes.len(), 1);
}

/// A mesh as a legacy file of polygons in the form of VTK 5.1.
fn legacy(mesh: &SurfaceMesh) -> String {
    let numbers =
        |numbers: Vec<u64>| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let points: Vec<String> = mesh.points.iter().map(|[x, y, z]| format!("{x} {y} {z}")).collect();
    let ends = std::iter::once(0).chain(mesh.faces.ends()).collect();
    let corners: Vec<u64> = mesh.faces.vertices().iter().map(|&v| v.into()).collect();
    format!(
        "# vtk DataFile Version 5.1\n\nASCII\nDATASET POLYDATA\nPOINTS {} double\n{}\n\
         POLYGONS {} {}\nOFFSETS vtktypeint64\n{}\nCONNECTIVITY vtktypeint64\n{}\n",
        mesh.points.len(),
        points.join("\n"),
        mesh.faces.len() + 1,
        corners.len(),
        numbers(ends),
        numbers(corners),
    )
}

#[test]
fn a_model_comes_through_both_formats_alike() {
    let scratch = Scratch::new();
    let mut mesh = subsolid::read_surface("models/surfaces/bishop.obj").unwrap();
    mesh.creases = Default::default();
    mesh.uv = None;
    let xml = scratch.file("a.vtp", "");
    write_surface(&xml, &mesh).unwrap();
    let found = subsolid::read_surface(scratch.file("a.vtk", legacy(&mesh))).unwrap();
    assert_eq!(found, subsolid::read_surface(&xml).unwrap());
    assert_eq!((&found.points, &found.faces), (&mesh.points, &mesh.faces));
}

/// VTK writes the names of components into the metadata of an array, empty lines where there are
/// none.
#[test]
fn names_of_components_are_passed_over() {
    let scratch = Scratch::new();
    let metadata = |names: &str| {
        format!(
            "METADATA\nCOMPONENT_NAMES\n{names}INFORMATION 1\n\
             NAME L2_NORM_RANGE LOCATION vtkDataArray\nDATA 2 0.5 0.5 \n\n"
        )
    };
    let text = POLYDATA_4
        .replace("2 1 0 \n\n", &format!("2 1 0 \n{}", metadata("x%20y\n\nz\n")))
        .replace("METADATA\nINFORMATION 0\n\nPOINT", &format!("{}POINT", metadata("\n")))
        .replace("0 0 1 0 0 1 \nFIELD", &format!("0 0 1 0 0 1 \n{}FIELD", metadata("\n\n\n")));
    assert_eq!(text.matches("COMPONENT_NAMES").count(), 3);
    let plain = subsolid::read_surface(scratch.file("a.vtk", POLYDATA_4)).unwrap();
    assert_eq!(subsolid::read_surface(scratch.file("b.vtk", &text)).unwrap(), plain);
    // solids, and their blocks
    let plain = legacy_solid();
    let text = format!(
        "{}POINT_DATA 12\nVECTORS flow double\n{}{}SCALARS heat float 1\nLOOKUP_TABLE default\n{}",
        &plain[..plain.find("POINT_DATA").unwrap()],
        "1 2 3\n".repeat(12),
        metadata("\n\nz\n"),
        "0.5\n".repeat(12),
    );
    let path = scratch.file("solid.vtk", text);
    let solid = subsolid::read(&path).unwrap();
    let names: Vec<_> = solid.attributes.iter().map(|a| (&a.name[..], a.width)).collect();
    assert_eq!(names, [("flow", 3), ("heat", 1)]);
    assert_eq!(solid.attributes[1].values, [0.5; 12]);
}

#[test]
fn damaged_legacy_surfaces_are_refused() {
    let scratch = Scratch::new();
    for (text, from, to, what) in [
        (POLYDATA_4, "3 1 4 2", "3 1 5 2", ".vtk:16: a face names vertex 5, the last is 4"),
        (POLYDATA_4, "4 0 1 2 3", "4 0 1 2 -3", ".vtk:17: a face names vertex -3"),
        (POLYDATA_4, "POLYGONS 2 9", "POLYGONS 2 8", "the list has 9 numbers, 8 are claimed"),
        (POLYDATA_5, "0 3 7", "0 3 6", "the faces end at 6 of 7 corners"),
        (POLYDATA_4, "3 1 4 2", "2 1 4", "the list has 8 numbers, 9 are claimed"),
        (POLYDATA_4, "POLYGONS 2 9", "POLYGONS 3 9", "the vertex count of a cell expected"),
        (POLYDATA_4, "POLYGONS 2 9", "POLYGONS 1 9", "the list has 4 numbers, 9 are claimed"),
        (POLYDATA_4, "POLYGONS 2 9", "POLYGONS -2 9", "a count expected"),
        (POLYDATA_4, "POLYGONS 2 9", "POLYGONS", "number of cells"),
        (POLYDATA_4, "POLYGONS 2 9", "POLYGONS 99999999999 9", "expected"),
        (POLYDATA_4, "TRIANGLE_STRIPS 1 5", "POLYGONS 1 5", "a second section POLYGONS"),
        (POLYDATA_4, "POINTS 5", "POINTS 4", "found `2`"),
        (POLYDATA_4, "CELL_DATA 5", "CELL_DATA 4", "a keyword expected"),
        (
            POLYDATA_4,
            "CELL_DATA 5\nSCALARS id long\nLOOKUP_TABLE default\n0 1 2 3 4",
            "CELL_DATA 4\nSCALARS id long\nLOOKUP_TABLE default\n0 1 2 3",
            "cell array `id`: 4 values, 5 × 1",
        ),
        (POLYDATA_4, "POINT_DATA 5", "POINT_DATA 6", "point data for 6 points, the file has 5"),
        (POLYDATA_4, "heat 1 5", "Normals 1 5", "two vertex arrays are named `Normals`"),
        (POLYDATA_4, "2 1 0", "nan 1 0", "(NaN, 1, 0) is not a point"),
        (POLYDATA_5, "0 3 7", "0 3 8", ".vtk:24: a face ends at 8 of 7 corners"),
        (POLYDATA_5, "0 3 7", "0 5 3", "a face ends at 3 of 7 corners"),
        (POLYDATA_5, "0 3 7", "1 3 7", "the first cell offset is not 0"),
        (POLYDATA_5, "POLYGONS 3 7", "POLYGONS 4 7", "expected"),
        (POLYDATA_5, "POLYGONS 3 7", "POLYGONS 3 6", "a keyword expected, found `3`"),
        (POLYDATA_5, "POLYDATA", "FIELD", "data set `FIELD` is not a mesh"),
        (POLYDATA_5, "POLYDATA", "UNSTRUCTURED_GRID", "found `VERTICES`"),
    ] {
        assert!(text.contains(from), "{from}");
        let path = scratch.file("a.vtk", text.replacen(from, to, 1));
        let error = subsolid::read_surface(&path).unwrap_err().to_string();
        assert!(error.contains(what) && error.contains("a.vtk"), "{from} -> {to}: {error}");
    }
    // a list may begin on the line of its counts
    let joined = POLYDATA_4.replacen("POLYGONS 2 9\n", "POLYGONS 2 9 ", 1);
    assert_ne!(joined, POLYDATA_4);
    let read = |text: &str| subsolid::read_surface(scratch.file("a.vtk", text)).unwrap();
    assert_eq!(read(&joined).faces, read(POLYDATA_4).faces);
    let no_faces = &POLYDATA_4[..POLYDATA_4.find("POLYGONS").unwrap()];
    let error = subsolid::read_surface(scratch.file("a.vtk", no_faces)).unwrap_err().to_string();
    assert!(error.contains("a.vtk: the mesh has no faces"), "{error}");
}

/// A file cut anywhere is refused, or has the whole surface: where only point arrays are missing.
#[test]
fn legacy_surfaces_cut_short_are_refused() {
    let scratch = Scratch::new();
    for bytes in
        [POLYDATA_4.as_bytes().to_vec(), POLYDATA_5.into(), binary_polydata(4), binary_polydata(5)]
    {
        let whole = subsolid::read_surface(scratch.file("a.vtk", &bytes)).unwrap();
        for end in 0..bytes.len() {
            let path = scratch.file("a.vtk", &bytes[..end]);
            let _ = subsolid::io::is_surface(&path).unwrap();
            match subsolid::read_surface(&path) {
                Ok(mesh) => assert_eq!(mesh.points, whole.points, "{end} bytes"),
                Err(error) => assert!(error.to_string().contains("a.vtk"), "{end} bytes: {error}"),
            }
        }
    }
}
