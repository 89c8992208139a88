//! Ghosts of other pieces, which are left out, hidden cells, which are the ghosts of a solid, and hidden
//! points and faces, which no VTK file may have.

use subsolid::io::{read_surface_with_report, read_with_report};

use crate::samples::{POLYDATA_4, Scratch, legacy, vtu};

/// Arrays that mark something of twelve points, the word of the message, and the
/// array.
const REFUSED: [(&str, &str, &str); 2] = [
    ("hidden points", "vtkGhostType", "2 0 0 0 0 0 0 0 0 0 0 0"),
    ("hidden points", "vtkGhostType", "0 0 0 0 0 0 0 0 0 0 0 3"),
];

fn legacy_array(name: &str, values: &str) -> String {
    let count = values.split(' ').count();
    let section = if count == 2 { "CELL_DATA 2\n" } else { "" };
    format!("{section}SCALARS {name} unsigned_char 1\nLOOKUP_TABLE default\n{values}\n")
}

fn xml_array(name: &str, values: &str) -> String {
    let section = if values.len() == 3 || values.len() == 4 { "CellData" } else { "PointData" };
    format!(
        "<{section}><DataArray type=\"UInt8\" Name=\"{name}\" format=\"ascii\">{values}\
         </DataArray></{section}><Points>"
    )
}

#[test]
fn solids_are_refused_alike() {
    let scratch = Scratch::new();
    for (what, name, values) in REFUSED {
        let with = legacy() + &legacy_array(name, values);
        let found = [
            scratch.file("a.vtk", with),
            scratch.file("a.vtu", vtu().replace("<Points>", &xml_array(name, values))),
        ]
        .map(|path| read_with_report(path).unwrap_err());
        for error in &found {
            assert!(error.to_string().contains(&format!("the piece has {what}")), "{error}");
        }
        assert_eq!(found[0].help(), found[1].help());
    }
}

/// Hidden cells, and cells that finer ones stand for, are ghosts of the solid.
#[test]
fn hidden_cells_are_ghosts() {
    let scratch = Scratch::new();
    for (values, ghosts) in [("32 0", [true, false]), ("0 48", [false, true])] {
        let with = legacy() + &legacy_array("vtkGhostType", values);
        let xml = vtu().replace("<Points>", &xml_array("vtkGhostType", values));
        for path in [scratch.file("a.vtk", with), scratch.file("a.vtu", xml)] {
            let (mesh, report) = read_with_report(&path).unwrap();
            assert_eq!((mesh.ghosts(), report.left_out()), (ghosts.to_vec(), None));
        }
    }
}

/// Cells that other pieces own go with a count, and their data with them.
#[test]
fn ghost_cells_are_left_out() {
    let scratch = Scratch::new();
    for (name, values) in [("vtkGhostType", "0 1"), ("vtkGhostLevels", "0 2")] {
        let with = legacy() + &legacy_array(name, values);
        let xml = vtu().replace("<Points>", &xml_array(name, values));
        for path in [scratch.file("a.vtk", with), scratch.file("a.vtu", xml)] {
            let (mesh, report) = read_with_report(&path).unwrap();
            assert_eq!(mesh.cells.len(), 1);
            assert!(mesh.cell_data.iter().all(|array| array.values.len() == array.width));
            let left_out = report.left_out().unwrap();
            assert!(left_out.contains("1 ghost cell of other pieces"), "{left_out}");
        }
    }
}

#[test]
fn surfaces_are_refused_alike() {
    let scratch = Scratch::new();
    let legacy = POLYDATA_4.replace("SCALARS id", "SCALARS vtkGhostType");
    assert_ne!(legacy, POLYDATA_4);
    let error = read_surface_with_report(scratch.file("c.vtk", legacy)).unwrap_err().to_string();
    assert!(error.contains("the piece has ghost cells"), "{error}");
    let xml = |of: &str, values: &str| {
        let cells = "<Polys><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2</DataArray>\
                     <DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys>";
        scratch.file(
            "d.vtp",
            format!(
                "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"3\" \
                 NumberOfPolys=\"1\"><{of}><DataArray type=\"UInt8\" Name=\"vtkGhostType\">{values}\
                 </DataArray></{of}><Points><DataArray type=\"Float64\" \
                 NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0</DataArray></Points>{cells}</Piece>\
                 </PolyData></VTKFile>"
            ),
        )
    };
    for (of, values, what) in
        [("CellData", "32", "hidden cells"), ("PointData", "0 2 0", "hidden points")]
    {
        let error = read_surface_with_report(xml(of, values)).unwrap_err().to_string();
        assert!(error.contains(&format!("the piece has {what}")), "{error}");
    }
    let (mesh, report) = read_surface_with_report(xml("PointData", "0 1 0")).unwrap();
    assert!(mesh.attributes.is_empty());
    assert_eq!(report.left_out().unwrap(), "point array `vtkGhostType`");
}

/// Points that other pieces own belong to cells of this one.
#[test]
fn points_of_other_pieces_are_read() {
    let scratch = Scratch::new();
    let owned = "1 0 0 1 0 0 1 0 0 1 0 0";
    for path in [
        scratch.file("a.vtk", legacy() + &legacy_array("vtkGhostType", owned)),
        scratch.file("a.vtu", vtu().replace("<Points>", &xml_array("vtkGhostType", owned))),
    ] {
        let (mesh, report) = read_with_report(&path).unwrap();
        assert_eq!((mesh.points.len(), mesh.cells.len()), (12, 2));
        assert!(mesh.attributes.iter().all(|attribute| attribute.name != "vtkGhostType"));
        assert!(report.left_out().unwrap().contains("point array `vtkGhostType`"));
    }
}
