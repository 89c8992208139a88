//! 3MF: what the build places, what is left out or refused, and files written and read back.

use std::io::Write;

use subsolid::io::{
    GlbOptions, LengthUnit, ReadOptions, read_surface_with_options, read_surface_with_report,
    write_surface, write_surface_with,
};
use subsolid::{SurfaceMesh, read_surface};

use crate::samples::{Scratch, THREE_MF, three_mf, three_mf_of};

fn read(model: &str) -> (SurfaceMesh, Vec<String>) {
    let (mesh, report) = read_surface_with_report(file(model).1).unwrap();
    (mesh, report.skipped)
}

fn file(model: &str) -> (Scratch, std::path::PathBuf) {
    let scratch = Scratch::new();
    let path = scratch.file("a.3mf", three_mf(model));
    (scratch, path)
}

fn refusal(model: &str) -> String {
    let (_scratch, path) = file(model);
    let error = read_surface(path).unwrap_err();
    assert!(error.help().is_some(), "{error}");
    error.to_string()
}

#[test]
fn the_build_places_objects_and_components() {
    let (_scratch, path) = file(THREE_MF);
    let (mesh, report) = read_surface_with_report(path).unwrap();
    assert!(mesh.faceted);
    assert_eq!(report.skipped, ["1 material or color of triangles"]);
    assert_eq!(mesh.faces.vertices(), [0, 1, 2, 0, 2, 3, 4, 5, 6, 4, 6, 7]);
    // the component is 5 higher, its item turns x to y and moves by 9
    let square = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]];
    let turned = square.map(|[x, y, _]| [9.0 - y, x, 5.0]);
    assert_eq!(mesh.points, [square, turned].concat());
}

#[test]
fn units_become_millimeters_and_mirrors_keep_the_outside() {
    for (unit, mm) in
        [("micron", 1e-3), ("centimeter", 10.0), ("inch", 25.4), ("foot", 304.8), ("meter", 1e3)]
    {
        let (mesh, skipped) = read(&THREE_MF.replace("millimeter", unit));
        assert_eq!(mesh.points[2], [mm, mm, 0.0]);
        assert!(skipped.iter().any(|s| s.contains(unit)), "{skipped:?}");
    }
    let plain = THREE_MF.replace(" unit=\"millimeter\"", "");
    assert_eq!(read(&plain), read(THREE_MF));
    let mirrored = THREE_MF.replace("0 1 0 -1 0 0 0 0 1 9 0 0", "1 0 0 0 1 0 0 0 -1 0 0 0");
    let (mesh, _) = read(&mirrored);
    assert_eq!(mesh.faces.vertices()[6..], [4, 6, 5, 4, 7, 6]);
    assert_eq!(mesh.points[6], [1.0, 1.0, -5.0]);
}

#[test]
fn objects_in_other_parts_are_read() {
    let root = THREE_MF
        .replace("<item objectid=\"1\"/>\n", "")
        .replace("<component objectid=\"1\"", "<component p:path=\"/3D/o/A.model\" objectid=\"7\"");
    let other = THREE_MF.replace("<object id=\"1\">", "<object id=\"7\">");
    let other =
        other.split("<object id=\"2\">").next().unwrap().to_owned() + "</resources></model>";
    let scratch = Scratch::new();
    let parts = [("3D/3dmodel.model", &root[..]), ("3d/O/a.model", &other)];
    let mesh = read_surface(scratch.file("a.3mf", three_mf_of(&parts))).unwrap();
    assert_eq!(mesh.points[0], [9.0, 0.0, 5.0]);
    assert_eq!(mesh.faces.len(), 2);
    let error = read_surface(scratch.file("a.3mf", three_mf_of(&parts[..1]))).unwrap_err();
    assert!(error.to_string().contains("no part `3D/o/A.model`"), "{error}");
}

#[test]
fn aids_and_what_is_not_printed_are_left_out() {
    let unprinted =
        THREE_MF.replace("<item objectid=\"1\"", "<item objectid=\"1\" printable=\"0\"");
    let (mesh, skipped) = read(&unprinted);
    assert_eq!(mesh.faces.len(), 2);
    assert!(skipped.contains(&"1 item that is not to be printed".to_owned()), "{skipped:?}");
    let (mesh, skipped) =
        read(&THREE_MF.replace("<object id=\"2\"", "<object id=\"2\" type=\"support\""));
    assert_eq!(mesh.faces.len(), 2);
    assert!(skipped[0].contains("support"), "{skipped:?}");
    let more = THREE_MF.replace(
        "<resources>\n",
        "<resources>\n<m:colorgroup id=\"4\"><m:color/></m:colorgroup>\n",
    );
    assert!(read(&more).1.contains(&"1 `colorgroup`".to_owned()));
}

#[test]
fn faults_are_named_with_their_lines() {
    let with = |from: &str, to: &str| refusal(&THREE_MF.replacen(from, to, 1));
    for (from, to, parts) in [
        ("v2=\"1\"", "v2=\"4\"", &["3dmodel.model:13: ", "vertex 4 of 4"][..]),
        ("v2=\"1\"", "v2=\"-1\"", &[":13: ", "v2=\"-1\""]),
        ("v2=\"1\"", "", &[":13: ", "`triangle` has no v2"]),
        ("x=\"1\"", "x=\"nan\"", &[":8: ", "x=\"nan\""]),
        ("x=\"1\"", "x=\"1\" x=\"1\"", &[":8: ", "two attributes `x`"]),
        ("<vertex x=\"1\"", "<vertix x=\"1\"", &[":8: "]),
        ("<component objectid=\"1\"", "<component objectid=\"2\"", &[":20: ", "comes after it"]),
        ("<component objectid=\"1\"", "<component objectid=\"5\"", &[":20: ", "no object 5"]),
        ("<object id=\"2\"", "<object id=\"1\"", &["two objects have the id 1"]),
        ("1 0 0 0 1 0 0 0 1 0 0 5", "1 0 0 0 1 0 0 0 1 0 0", &[":20: ", "twelve finite numbers"]),
        ("unit=\"millimeter\"", "unit=\"mile\"", &["`mile` is no unit"]),
        ("</model>", "", &["cut short"]),
        ("<?xml version=\"1.0\"?>", "<!DOCTYPE model [<!ENTITY a \"b\">]>", &["document type"]),
        ("<object id=\"1\">", "<object id=\"1\" s:meshresolution=\"lowres\">", &["its slices"]),
        (
            "unit=",
            "requiredextensions=\"b\" xmlns:b=\"http://beams\" unit=",
            &["requires an extension that is not read: b http://beams"],
        ),
        ("<item objectid=\"2\"", "<item objectid=\"9\"", &["no object 9"]),
    ] {
        let message = with(from, to);
        assert!(parts.iter().all(|part| message.contains(part)), "{to}: {message}");
    }
    let none = THREE_MF.split("<build>").next().unwrap().to_owned() + "<build/></model>";
    assert!(refusal(&none).contains("places no object"));
    let known = THREE_MF.replace(
        "unit=",
        "requiredextensions=\"m\" \
         xmlns:m=\"http://schemas.microsoft.com/3dmanufacturing/material/2015/02\" unit=",
    );
    assert_eq!(read(&known), read(THREE_MF));
}

#[test]
fn small_files_do_not_become_large() {
    let scratch = Scratch::new();
    let options = ReadOptions { most_unpacked: 1 << 20 };
    let refused = |bytes: Vec<u8>| {
        let error = read_surface_with_options(scratch.file("a.3mf", bytes), options).unwrap_err();
        assert!(error.help().unwrap().to_string().contains("memory"), "{error}");
        error.to_string()
    };
    // objects of ten of the one before
    let mut model = THREE_MF.split("<object id=\"2\">").next().unwrap().to_owned();
    for id in 2..30 {
        let component = format!("<component objectid=\"{}\"/>", id - 1).repeat(10);
        model += &format!("<object id=\"{id}\"><components>{component}</components></object>");
    }
    model += "</resources><build><item objectid=\"29\"/></build></model>";
    assert!(refused(three_mf(&model)).contains("the placed objects take"));
    // spaces that are packed well
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(three_mf(THREE_MF)));
    archive.start_file("_rels/.rels", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(&vec![b' '; 4 << 20]).unwrap();
    let bytes = archive.finish().unwrap().into_inner();
    assert!(bytes.len() < 10_000);
    assert!(refused(bytes).contains("have more than 1.0 MB"));
}

#[test]
fn what_is_written_is_read() {
    let scratch = Scratch::new();
    let mesh = read_surface("models/surfaces/torus_creases0.obj").unwrap();
    let path = scratch.file("torus.3mf", "");
    write_surface(&path, &mesh).unwrap();
    let (read, report) = read_surface_with_report(&path).unwrap();
    assert!(report.skipped.is_empty(), "{report:?}");
    assert_eq!(read.points, mesh.points);
    assert_eq!(read.faces.vertices(), mesh.triangles().corners.concat());
    // an inch is 25.4 mm
    let glb = GlbOptions { unit: Some(LengthUnit::Inch), ..GlbOptions::default() };
    write_surface_with(&path, &mesh, &glb).unwrap();
    let scaled = read_surface(&path).unwrap();
    assert_eq!(scaled.points[1], mesh.points[1].map(|x| x * 25.4));
    let text = |path| {
        let mut archive = zip::ZipArchive::new(std::fs::File::open(path).unwrap()).unwrap();
        std::io::read_to_string(archive.by_name("3D/3dmodel.model").unwrap()).unwrap()
    };
    assert!(text(&path).contains("unit=\"inch\""));
    assert!(text(&path).contains("type=\"model\""));
    let open = SurfaceMesh::new(
        mesh.points.clone(),
        mesh.faces.iter().skip(1).fold(subsolid::mesh::Polygons::default(), |mut faces, face| {
            faces.push(face);
            faces
        }),
    );
    write_surface(&path, &open).unwrap();
    assert!(text(&path).contains("type=\"surface\""));
}
