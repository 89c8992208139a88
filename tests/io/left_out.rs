//! Data beside the mesh that does not fit is left out with a notice that names it.

use subsolid::io::{read_surface_with_report, read_with_report, write};

use crate::samples::{Scratch, gmsh2, vtu};

/// A view of the nodes from 1 to `count`, at a step.
fn view(name: &str, step: usize, count: usize) -> String {
    let rows: String = (1..=count).map(|node| format!("{node} {step}.5\n")).collect();
    let strings = if name.is_empty() { "0\n".into() } else { format!("1\n\"{name}\"\n") };
    format!("$NodeData\n{strings}1\n0.0\n3\n{step}\n1\n{count}\n{rows}$EndNodeData\n")
}

#[test]
fn views_of_gmsh_that_do_not_fit() {
    let scratch = Scratch::new();
    let views = [("T", 0, 12), ("T", 1, 12), ("part", 0, 5), ("", 0, 12), ("last", 3, 12)];
    let text = gmsh2() + &views.map(|(name, step, count)| view(name, step, count)).concat();
    let (mesh, report) = read_with_report(scratch.file("a.msh", text)).unwrap();
    let names: Vec<_> = mesh.attributes.iter().map(|a| (&a.name[..], a.values[11])).collect();
    assert_eq!(names, [("heat", 0.5), ("T", 0.5), ("last", 3.5)]);
    let left_out = report.left_out().unwrap();
    for what in ["view `part` of 5 of 12 nodes", "step 1 of view `T`", "1 view without a name"] {
        assert!(left_out.contains(what), "{left_out}");
    }
}

/// Vertex arrays are real numbers, which do not hold all integers.
#[test]
fn digits_of_large_integers() {
    let scratch = Scratch::new();
    for (last, is_lost) in [("9007199254740993", true), ("9007199254740991", false)] {
        let values = format!("{}{last}", "1 ".repeat(11));
        let array = format!(
            "<PointData><DataArray type=\"Int64\" Name=\"id\" format=\"ascii\">{values}</DataArray>\
             </PointData><Points>"
        );
        let path = scratch.file("a.vtu", vtu().replace("<Points>", &array));
        let (mesh, report) = read_with_report(&path).unwrap();
        assert_eq!(mesh.attributes.iter().filter(|a| a.name == "id").count(), 1);
        let left_out = report.left_out().unwrap_or_default();
        let notice = "digits of vertex array `id` beyond 2^53";
        assert_eq!(left_out.contains(notice), is_lost, "{left_out}");
    }
}

#[test]
fn arrays_without_a_name() {
    let scratch = Scratch::new();
    let of = |section: &str, count: usize| {
        format!(
            "<{section}><DataArray type=\"Float64\" format=\"ascii\">{}</DataArray></{section}>",
            "1 ".repeat(count)
        )
    };
    let arrays = of("PointData", 12) + &of("CellData", 2) + "<Points>";
    let path = scratch.file("a.vtu", vtu().replace("<Points>", &arrays));
    let (mesh, report) = read_with_report(path).unwrap();
    assert_eq!((mesh.attributes.len(), mesh.cell_data.len()), (1, 0));
    let left_out = report.left_out().unwrap();
    assert_eq!(left_out, "1 cell array without a name, 1 vertex array without a name");
    write(scratch.file("b.vtu", ""), &mesh, Default::default()).unwrap();
    let surface = format!(
        "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\">{}\
         <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0</DataArray>\
         </Points><Polys><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2</DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\">3</DataArray></Polys></Piece></PolyData>\
         </VTKFile>",
        of("PointData", 3)
    );
    let (mesh, report) = read_surface_with_report(scratch.file("a.vtp", surface)).unwrap();
    assert!(mesh.attributes.is_empty());
    assert_eq!(report.left_out().unwrap(), "vertex arrays without a name");
}

/// Quadrilaterals of a strip of so many cubes, each with a reference of its own.
fn strip(count: usize, is_mfem: bool) -> String {
    let first = usize::from(!is_mfem);
    let rows = |row: &dyn Fn(usize) -> String| (0..count).map(row).collect::<String>();
    let corners =
        |i: usize| [0, 4, 5, 1, 3, 7, 6, 2].map(|c| (4 * i + c + first).to_string()).join(" ");
    let face = |i: usize| [0, 4, 5, 1].map(|c| (4 * i + c + first).to_string()).join(" ");
    let points: String = (0..=count)
        .flat_map(|i| [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[y, z]| format!("{i} {y} {z}")))
        .map(|point| point + if is_mfem { "\n" } else { " 0\n" })
        .collect();
    let vertices = 4 * (count + 1);
    if is_mfem {
        let cells = rows(&|i| format!("1 5 {}\n", corners(i)));
        let faces = rows(&|i| format!("{} 3 {}\n", i + 1, face(i)));
        return format!(
            "MFEM mesh v1.0\ndimension\n3\nelements\n{count}\n{cells}boundary\n{count}\n{faces}\
             vertices\n{vertices}\n3\n{points}"
        );
    }
    let cells = rows(&|i| format!("{} 0\n", corners(i)));
    let faces = rows(&|i| format!("{} {}\n", face(i), i + 1));
    format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices\n{vertices}\n{points}Quadrilaterals\n{count}\n\
         {faces}Hexahedra\n{count}\n{cells}End\n"
    )
}

#[test]
fn references_of_too_many_values() {
    let scratch = Scratch::new();
    for (is_mfem, array) in [(false, "medit:ref"), (true, "mfem:bdr_attribute")] {
        let of = |count| read_with_report(scratch.file("a.mesh", strip(count, is_mfem))).unwrap();
        let (mesh, report) = of(256);
        assert_eq!(mesh.face_groups.len(), 256);
        assert_eq!((&mesh.face_groups[7].name, report.left_out()), (&format!("{array}:8"), None));
        let (mesh, report) = of(257);
        assert!(mesh.face_groups.is_empty());
        let left_out = report.left_out().unwrap();
        let what = format!("face array `{array}` of more than 256 values");
        assert!(left_out.contains(&what), "{left_out}");
    }
}

#[test]
fn characters_of_xml() {
    let scratch = Scratch::new();
    // the word of surfaces may be the name of an array
    let named = vtu().replace("\"heat\"", "\"PolyData <é>\"".replace('<', "&lt;").as_str());
    let (mesh, _) = read_with_report(scratch.file("a.vtu", &named)).unwrap();
    assert_eq!(mesh.attributes[0].name, "PolyData <é>");
    assert!(!subsolid::io::is_surface(scratch.file("a.vtu", &named)).unwrap());
    let declare = |encoding: &str| {
        let text = named.replace("?>", &format!(" encoding=\"{encoding}\"?>"));
        text.chars().map(|c| c as u8).collect::<Vec<u8>>()
    };
    let (latin, _) = read_with_report(scratch.file("b.vtu", declare("ISO-8859-1"))).unwrap();
    assert_eq!(latin, mesh);
    let error = read_with_report(scratch.file("c.vtu", declare("koi8-r"))).unwrap_err();
    assert!(error.to_string().contains("the encoding `koi8-r` is not read"), "{error}");
    let error = read_with_report(scratch.file("c.vtu", declare("UTF-8"))).unwrap_err();
    assert!(error.to_string().contains("the XML is not UTF-8 text"), "{error}");
    let data =
        named.replace("8 16<", "<![CDATA[8]]> 16<").replace("\">12 12<", "\"><![CDATA[12 12]]><");
    assert_eq!(read_with_report(scratch.file("d.vtu", data)).unwrap().0, mesh);
}
