//! Readers: what is in a file arrives, and what is wrong with it is said.

use crate::samples::{self, CUBES, Sample, Scratch};
use subsolid::io::{read, read_creases, read_with_report};
use subsolid::mesh::{CellKind, VertexId};

/// The error of reading `text` as a file named `name`.
#[track_caller]
fn refusal(name: &str, text: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new();
    read(scratch.file(name, text)).expect_err("the file should be refused").to_string()
}

/// Replaces the one `old` of a sample by `new`.
#[track_caller]
fn with(text: String, old: &str, new: &str) -> String {
    assert_eq!(text.matches(old).count(), 1, "`{old}` must stand once in the sample");
    text.replace(old, new)
}

#[track_caller]
pub fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[track_caller]
fn assert_cubes(sample: &Sample) {
    let scratch = Scratch::new();
    let mesh = read(scratch.file(sample.name, &sample.bytes)).unwrap();
    assert_eq!((mesh.points.len(), mesh.cells.len()), (12, 2), "{}", sample.name);
    assert_eq!(mesh.points[11], [2.0, 1.0, 1.0], "{}", sample.name);
    for (cell, corners) in CUBES.iter().enumerate() {
        assert_eq!(mesh.cells.kind(cell), CellKind::Hexahedron);
        // OpenVolumeMesh lists faces: any corner may come first.
        if sample.name.ends_with(".ovm") {
            let mut sorted = *mesh.cells.hexahedron(cell).unwrap();
            sorted.sort_unstable();
            let mut expected = *corners;
            expected.sort_unstable();
            assert_eq!(sorted, expected);
            assert!(volume(&mesh.points, mesh.cells.hexahedron(cell).unwrap()) > 0.99);
        } else {
            assert_eq!(mesh.cells.vertices(cell), corners, "{}", sample.name);
        }
    }
    for attribute in &mesh.attributes {
        assert_eq!((attribute.name.as_str(), attribute.width), ("heat", 1));
        assert_eq!(attribute.values, [0.5; 12]);
    }
}

/// Volume of the parallelepiped at corner 0, edges to 1, 3 and 4.
fn volume(points: &[[f64; 3]], corners: &[u32; 8]) -> f64 {
    let edge = |i: usize| -> [f64; 3] {
        std::array::from_fn(|d| points[corners[i] as usize][d] - points[corners[0] as usize][d])
    };
    let ([a, b, c], [d, e, f], [g, h, i]) = (edge(1), edge(3), edge(4));
    a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
}

#[test]
fn every_text_format_gives_the_same_cubes() {
    for sample in samples::texts() {
        assert_cubes(&sample);
    }
}

#[test]
fn line_ends_and_case_do_not_matter() {
    for sample in samples::texts() {
        let text = String::from_utf8(sample.bytes).unwrap();
        let crlf = text.replace('\n', " \r\n").into_bytes();
        assert_cubes(&Sample { name: sample.name, bytes: crlf });
        let lower = match sample.name {
            "cubes.vtk" => text.to_lowercase().replace("# vtk datafile", "# vtk DataFile"),
            "cubes.mesh" | "cubes.ovm" | "cubes.inp" => text.to_lowercase(),
            _ => continue,
        };
        assert_cubes(&Sample { name: sample.name, bytes: lower.into_bytes() });
    }
}

#[test]
fn a_byte_order_mark_is_no_content() {
    let marked = |bytes: &[u8]| [b"\xef\xbb\xbf", bytes].concat();
    for sample in samples::texts() {
        assert_cubes(&Sample { name: sample.name, bytes: marked(&sample.bytes) });
    }
    // the first line is a keyword, not a title
    let deck = samples::abaqus();
    let deck = &deck[deck.find("*Node").unwrap()..];
    assert_cubes(&Sample { name: "nodes.inp", bytes: marked(deck.as_bytes()) });
    let scratch = Scratch::new();
    for Sample { name, bytes } in samples::surfaces() {
        let expected = subsolid::read_surface(scratch.file(name, &bytes)).unwrap();
        // binary STL has a header of any bytes
        let bytes = match name {
            "binary.stl" => [b"\xef\xbb\xbf", &bytes[3..]].concat(),
            _ => marked(&bytes),
        };
        let path = scratch.file(name, bytes);
        assert!(subsolid::io::is_surface(&path).unwrap(), "{name}");
        assert_eq!(subsolid::read_surface(&path).unwrap(), expected, "{name}");
    }
    scratch.file("0.vtu", marked(samples::vtu().as_bytes()));
    let index = "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid><Piece Source=\"0.vtu\"/>\
                 </PUnstructuredGrid></VTKFile>";
    let index = scratch.file("a.pvtu", marked(index.as_bytes()));
    assert_eq!(read(index).unwrap().cells.len(), 2);
}

#[test]
fn content_decides_before_the_extension() {
    assert_cubes(&Sample { name: "cubes.dat", bytes: samples::medit().into_bytes() });
    assert_cubes(&Sample { name: "cubes.mesh", bytes: samples::legacy().into_bytes() });
    assert_says(&refusal("a.dat", "what is this"), &["format of the file is unknown"]);
    assert_says(&refusal("a.vtk", ""), &["the file is empty"]);
    assert_says(&refusal("a.mesh", "MFEM mesh v1.0\n"), &["the file has no vertices"]);
    assert_says(&refusal("a.mesh", [1, 0, 0, 0, 2, 0, 0, 0]), &["a binary MEDIT mesh"]);
    assert_says(&refusal("a.vtk", "POINTS 3 float\n"), &["a.vtk:1", "# vtk DataFile"]);
    assert_says(&read("no/such/file.vtk").unwrap_err().to_string(), &["no/such/file.vtk"]);
}

#[test]
fn what_vtk_writes_is_read() {
    let scratch = Scratch::new();
    for Sample { name, bytes } in samples::from_vtk() {
        let (mesh, report) = read_with_report(scratch.file(name, bytes)).unwrap();
        assert_eq!((mesh.points.len(), mesh.cells.len()), (18, 4), "{name}");
        assert_eq!(mesh.points[15], [3.125, 1.0, 1.0], "{name}");
        assert_eq!(mesh.cells.vertices(0), [0, 1, 5, 4, 8, 9, 13, 12], "{name}");
        // The voxel, in a hexahedron's order:
        assert_eq!(mesh.cells.hexahedron(1), Some(&[1, 2, 6, 5, 9, 10, 14, 13]), "{name}");
        assert_eq!(mesh.cells.kind(2), CellKind::Polyhedron, "{name}");
        let mut faces = Vec::new();
        mesh.cells.for_each_face(2, |face| faces.push(face.to_vec()));
        assert_eq!((faces.len(), &faces[0][..]), (6, &[2, 10, 14, 6][..]), "{name}");
        assert_eq!(mesh.cells.kind(3), CellKind::Wedge);
        assert_eq!(mesh.cells.vertices(3), [0, 1, 16, 8, 9, 17], "{name}");
        let attribute = |wanted: &str| mesh.attributes.iter().find(|a| a.name == wanted).unwrap();
        assert_eq!(mesh.attributes.len(), 5, "{name}");
        assert_eq!(attribute("temp a").values[17], 8.5, "{name}");
        assert_eq!((attribute("vel").width, attribute("vel").values[53]), (3, 53.0), "{name}");
        assert_eq!(attribute("mat").values[17], 17.0, "{name}");
        let edges: Vec<_> = mesh
            .creases
            .edges
            .iter()
            .map(|c| (c.edge()[0].0, c.edge()[1].0, c.sharpness))
            .collect();
        assert_eq!(edges, [(0, 1, f64::INFINITY), (1, 5, 2.5)], "{name}");
        let corners: Vec<_> =
            mesh.creases.corners.iter().map(|c| (c.vertex.0, c.sharpness)).collect();
        assert_eq!(corners, [(3, f64::INFINITY), (4, 1.5)], "{name}");
        let skipped = report.skipped.join(", ");
        assert_says(&skipped, &["1 quad cell (VTK type 9)", "`note`"]);
    }
}

#[test]
fn wedges_arrive_in_the_order_of_the_file() {
    let points = "0 0 0\n1 0 0\n0 1 0\n0 0 1\n1 0 1\n0 1 1\n";
    let medit = points.replace('\n', " 0\n");
    let medit = format!(
        "MeshVersionFormatted 1\nDimension\n3\nVertices\n6\n{medit}Prisms\n1\n1 2 3 4 5 6 0\n"
    );
    let rows: String =
        (1..).zip(points.lines()).map(|(i, p)| format!("{i}, {}\n", p.replace(' ', ","))).collect();
    let abaqus = format!("*NODE\n{rows}*ELEMENT, TYPE=C3D6\n1, 1,2,3,4,5,6\n");
    let scratch = Scratch::new();
    for (name, text) in [("w.mesh", medit), ("w.inp", abaqus)] {
        let mesh = read(scratch.file(name, text)).unwrap();
        assert_eq!(mesh.cells.kind(0), CellKind::Wedge);
        assert_eq!(mesh.cells.vertices(0), [0, 1, 2, 3, 4, 5], "{name}");
    }
}

/// A blank coordinate is 0 and does not move those behind it; a comma continues a keyword line.
#[test]
fn abaqus_decks_may_leave_out_coordinates_and_continue_keywords() {
    let text = "*NODE\n1, , , \n2, 1.\n3, 1., 1.\n4, , 1., \n5, , , 1.\n6, 1., , 1.\n7, 1., 1., 1.\n\
                8, , 1., 1.\n*ELEMENT,\n TYPE=C3D8,\nELSET=all\n1, 1, 2, 3, 4, 5, 6, 7, 8\n";
    let mesh = read(Scratch::new().file("a.inp", text)).unwrap();
    let corners = [0, 1, 2, 3, 4, 5, 6, 7].map(|v: usize| mesh.points[v]);
    let expected = [0, 1, 3, 2, 4, 5, 7, 6].map(|i: u8| [i & 1, i >> 1 & 1, i >> 2].map(f64::from));
    assert_eq!(corners, expected);
    assert_eq!(mesh.cell_data[0].name, "group:all");
}

/// Colors are bytes in binary files and numbers from 0 to 1 in text, not whole ones.
#[test]
fn colors_of_legacy_text_are_numbers() {
    let colors = "CELL_DATA 2\nCOLOR_SCALARS color 3\n0.25 1 0.5\n0 0.75 1\n";
    let text = samples::legacy() + colors;
    let mesh = read(Scratch::new().file("a.vtk", text)).unwrap();
    let color = mesh.cell_data.iter().find(|array| array.name == "color").unwrap();
    assert_eq!((color.integers, &color.values[..4]), (false, &[0.25, 1.0, 0.5, 0.0][..]));
}

#[test]
fn pyramids_become_polyhedra() {
    let scratch = Scratch::new();
    let text = "MeshVersionFormatted 1 Dimension 3 Vertices 5 0 0 0 0  1 0 0 0  1 1 0 0  0 1 0 0 \
                .5 .5 1 0 Pyramids 1 1 2 3 4 5 0";
    let mesh = read(scratch.file("p.mesh", text)).unwrap();
    assert_eq!(mesh.cells.kind(0), CellKind::Polyhedron);
    let mut sides = 0;
    mesh.cells.for_each_face(0, |_| sides += 1);
    assert_eq!(sides, 5);
}

#[test]
fn bad_indices_are_named() {
    assert_says(
        &refusal("a.vtk", with(samples::legacy(), "8 0 1 4", "8 0 12 4")),
        &["a.vtk:19", "cell 0 names vertex 12, the last is 11"],
    );
    assert_says(
        &refusal("a.vtk", with(samples::legacy(), "8 1 2 5", "8 -1 2 5")),
        &["a.vtk:20", "cell 1 names vertex -1"],
    );
    assert_says(
        &refusal(
            "a.mesh",
            with(samples::medit(), "\n1 2 5 4 7 8 11 10 0", "\n0 2 5 4 7 8 11 10 0"),
        ),
        &["a.mesh:23", "vertex 0 is below the first"],
    );
    assert_says(
        &refusal(
            "a.mesh",
            with(samples::medit(), "\n1 2 5 4 7 8 11 10 0", "\n1 2 5 4 7 8 13 10 0"),
        ),
        &["a.mesh:23", "cell 0 names vertex 13, the last is 12"],
    );
    for (name, text) in [("a.msh", samples::gmsh2()), ("a.msh", samples::gmsh4())] {
        assert_says(
            &refusal(name, with(text, "2 3 6 5 8 9 12 11", "2 3 6 5 8 9 12 99")),
            &["a.msh:", "cell 1: node 99 does not exist"],
        );
    }
    assert_says(
        &refusal("a.inp", with(samples::abaqus(), " 90, 120, 110", " 90, 125, 110")),
        &["a.inp:", "cell 1: node 125 does not exist"],
    );
    assert_says(
        &refusal("a.ovm", with(samples::ovm(), "Polyhedra\n2\n6 0", "Polyhedra\n2\n6 99")),
        &["a.ovm:", "half-face 99 does not exist, there are 22"],
    );
    assert_says(
        &refusal("a.vtu", with(samples::vtu(), "\n0 1 4 3", "\n0 1 4 33")),
        &["cell 0 names vertex 33, the last is 11"],
    );
}

#[test]
fn coordinates_must_be_finite() {
    for (name, text, old, vertex) in [
        ("a.vtk", samples::legacy(), "\n2 1 1\n", 11),
        ("a.mesh", samples::medit(), "\n2 1 1 0\n", 12),
        ("a.msh", samples::gmsh2(), "\n12 2 1 1\n", 11),
        ("a.msh", samples::gmsh4(), "\n2 1 1\n", 11),
        ("a.inp", samples::abaqus(), "\n120, 2, 1, 1\n", 11),
        ("a.ovm", samples::ovm(), "\n2 1 1\n", 11),
        ("a.vtu", samples::vtu(), "\n2 1 1\n", 11),
    ] {
        let line = 2 + text[..text.find(old).unwrap()].matches('\n').count();
        for bad in ["nan", "inf", "-1e999"] {
            let new = old.replacen("2 1", &format!("2 {bad}"), 1);
            let new = new.replacen("2, 1", &format!("2, {bad}"), 1);
            let message = refusal(name, with(text.clone(), old, &new));
            assert_says(
                &message,
                &[&format!("{name}:{line}: vertex {vertex}: "), "is not a point"],
            );
        }
    }
    assert_says(
        &refusal("a.vtk", with(samples::legacy(), "\n2 1 1\n", "\n2 x 1\n")),
        &["a.vtk:17", "y expected, found `x`"],
    );
}

#[test]
fn claimed_counts_are_not_believed() {
    let huge = "99999999999";
    for (name, text, old) in [
        ("a.vtk", samples::legacy(), "POINTS 12"),
        ("a.vtk", samples::legacy(), "CELLS 2 18"),
        ("a.vtk", samples::legacy(), "CELL_TYPES 2"),
        ("a.mesh", samples::medit(), "Vertices\n12"),
        ("a.mesh", samples::medit(), "Hexahedra\n2"),
        ("a.mesh", samples::medit(), "Quadrilaterals\n1"),
        ("a.msh", samples::gmsh2(), "$Nodes\n12"),
        ("a.msh", samples::gmsh2(), "$Elements\n3"),
        ("a.msh", samples::gmsh4(), "3 1 0 12"),
        ("a.msh", samples::gmsh4(), "3 1 5 2"),
        ("a.ovm", samples::ovm(), "Vertices\n12"),
        ("a.ovm", samples::ovm(), "Polyhedra\n2"),
        ("a.vtu", samples::vtu(), "NumberOfCells=\"2"),
    ] {
        let cut = old.rfind(|c: char| !c.is_ascii_digit()).unwrap() + 1;
        let lie = format!("{}{huge}", &old[..cut]);
        // `CELLS 2 18`: the number of cells lies, not only the size of the list.
        let lie = lie.replace("CELLS 2 ", &format!("CELLS {huge} "));
        let message = refusal(name, with(text, old, &lie));
        assert!(!message.is_empty(), "{name} {old}");
    }
}

#[test]
fn cut_files_never_panic() {
    let scratch = Scratch::new();
    for Sample { name, bytes } in samples::texts().into_iter().chain(samples::from_vtk()) {
        for end in (0..bytes.len()).step_by(10) {
            if let Ok(mesh) = read(scratch.file(name, &bytes[..end])) {
                assert!(!mesh.cells.is_empty(), "{name} cut at {end}");
            }
        }
    }
}

#[test]
fn sections_must_agree() {
    let legacy = samples::legacy;
    assert_says(
        &refusal("a.vtk", with(legacy(), "CELL_TYPES 2\n12\n12", "CELL_TYPES 1\n12")),
        &["2 cells have 1 type"],
    );
    assert_says(
        &refusal("a.vtk", with(legacy(), "POINT_DATA 12", "POINT_DATA 11")),
        &["11 points, the file has 12"],
    );
    assert_says(
        &refusal("a.vtk", with(legacy(), "12\n12\n", "9\n9\n")),
        &["no volume cells", "2 quad cells"],
    );
    assert_says(
        &refusal("a.vtk", with(legacy(), "12\n12\n", "12\n25\n")),
        &["a.vtk:20", "cell 1", "VTK type 25"],
    );
    assert_says(
        &refusal("a.vtk", with(legacy(), "12\n12\n", "12\n67\n")),
        &["a.vtk:20", "cell 1: a higher-order hexahedron (VTK type 67) cannot be"],
    );
    assert_says(
        &refusal("a.vtk", with(legacy(), "12\n12\n", "12\n10\n")),
        &["a.vtk:20", "cell 1: 8 vertices, a Tetrahedron has 4"],
    );
    let twice = legacy() + "SCALARS heat float\nLOOKUP_TABLE default\n" + &"1 ".repeat(12);
    assert_says(&refusal("a.vtk", twice), &["two vertex arrays are named `heat`"]);
    assert_says(
        &refusal("a.vtu", with(samples::vtu(), "NumberOfPoints=\"12", "NumberOfPoints=\"13")),
        &["12 points, the piece claims 13"],
    );
    assert_says(
        &refusal(
            "a.vtu",
            with(
                samples::vtu(),
                "<PointData>\n<DataArray type=\"Float32\"",
                "<PointData>\n<DataArray NumberOfComponents=\"2\" type=\"Float32\"",
            ),
        ),
        &["point array `heat`: 12 values, 12 × 2 are needed"],
    );
    assert_says(
        &refusal("a.mesh", with(samples::medit(), "Dimension 3", "Dimension 2")),
        &["a.mesh:3", "dimension 2"],
    );
    assert_says(
        &refusal("a.msh", with(samples::gmsh2(), "2.2 0 8", "2.2 1 8")),
        &["byte 20", "the integer 1 is expected"],
    );
    assert_says(
        &refusal("a.msh", with(samples::gmsh4(), "4.1 0 8", "4.2 0 8")),
        &["a.msh:2", "Gmsh version 4.2"],
    );
    assert_says(
        &refusal("a.inp", with(samples::abaqus(), "C3D8R", "C3D20R")),
        &["a.inp:18: element 1: 17 nodes, a C3D20R has 20"],
    );
    assert_says(
        &refusal("a.inp", with(samples::abaqus(), "C3D8R", "B31")),
        &["no volume cells", "4 lines of B31 elements that are neither solids nor faces"],
    );
    assert_says(
        &refusal("a.ovm", with(samples::ovm(), "Faces\n11\n4 0", "Faces\n11\n4 1")),
        &["face 0 do not join"],
    );
}

#[test]
fn pieces_are_joined() {
    let text = samples::vtu();
    let (head, rest) = text.split_once("<Piece").unwrap();
    let (piece, tail) = rest.split_once("</Piece>").unwrap();
    let two = format!("{head}<Piece{piece}</Piece>\n<Piece{piece}</Piece>{tail}");
    let scratch = Scratch::new();
    let mesh = read(scratch.file("two.vtu", &two)).unwrap();
    assert_eq!((mesh.points.len(), mesh.cells.len()), (24, 4));
    assert_eq!(mesh.cells.vertices(3), CUBES[1].map(|v| v + 12));
    assert_eq!(mesh.attributes[0].values, [0.5; 24]);
    let (_, array) = text.split_once("<PointData>").unwrap();
    let (array, _) = array.split_once("</PointData>").unwrap();
    let twice = with(text.clone(), "</PointData>", &format!("{array}</PointData>"));
    assert_says(&refusal("a.vtu", twice), &["two vertex arrays are named `heat`"]);
}

/// The arrays of a second piece continue those of the first, however many there are.
#[test]
fn pieces_continue_as_many_arrays_as_are_read() {
    let read = |count: usize| {
        let arrays = |values: usize| -> String {
            let values = "1 ".repeat(values);
            let array = |i| format!("<DataArray type=\"Int8\" Name=\"{i}\">{values}</DataArray>\n");
            (0..count).map(array).collect()
        };
        let text = samples::vtu();
        let (head, rest) = text.split_once("<PointData>").unwrap();
        let (_, rest) = rest.split_once("</PointData>").unwrap();
        let (points, cells) = (arrays(12), arrays(2));
        let data = format!("<PointData>{points}</PointData><CellData>{cells}</CellData>");
        let (head, piece) = head.split_once("<Piece").unwrap();
        let (rest, tail) = rest.split_once("</Piece>").unwrap();
        let piece = format!("<Piece{piece}{data}{rest}</Piece>\n");
        let scratch = Scratch::new();
        subsolid::io::read(scratch.file("two.vtu", format!("{head}{piece}{piece}{tail}")))
    };
    let mesh = read(1024).unwrap();
    assert_eq!((mesh.attributes.len(), mesh.cell_data.len()), (1024, 1024));
    assert_eq!((mesh.attributes[1023].values.len(), mesh.cell_data[1023].values.len()), (24, 4));
    assert_says(&read(1025).unwrap_err().to_string(), &["more than 1024"]);
}

#[test]
fn inward_half_faces_are_turned() {
    // Swapping the half-faces of every cell mirrors nothing: the mesh is the same.
    let text = samples::ovm();
    let (head, rest) = text.split_once("Polyhedra\n2\n").unwrap();
    let rows: Vec<String> = rest
        .lines()
        .take(2)
        .map(|row| {
            let halves = row.split(' ').skip(1).map(|half| half.parse::<u32>().unwrap() ^ 1);
            halves.fold("6".to_owned(), |row, half| format!("{row} {half}"))
        })
        .collect();
    let text = format!("{head}Polyhedra\n2\n{}\n", rows.join("\n"));
    assert_cubes(&Sample { name: "in.ovm", bytes: text.into_bytes() });
}

#[test]
fn crease_tables_are_read_by_the_names_of_their_columns() {
    let scratch = Scratch::new();
    let table = |text: &str| read_creases(scratch.file("c.csv", text));
    let found =
        table("kind,v0,v1,sharpness\r\nedge,7,1,inf\r\ncorner,26,,1.5\nedge,2,3,0\n").unwrap();
    assert!(found.ignored.is_empty());
    let other = table(
        "sharpness,v1,note,v0,kind\n# a comment\ninf,1,x,7,edge\n1.5,,,26,corner\n0,3,,2,edge\n",
    );
    assert_eq!(other.as_ref().unwrap().creases, found.creases);
    assert_eq!(other.unwrap().ignored, ["note"]);
    let creases = found.creases;
    // smooth over a tag of the model
    assert_eq!((creases.edges.len(), creases.edges[1].sharpness), (2, 0.0));
    assert_eq!(creases.edges[0].edge(), [VertexId(1), VertexId(7)]);
    assert_eq!(creases.edges[0].sharpness, f64::INFINITY);
    assert_eq!((creases.corners[0].vertex, creases.corners[0].sharpness), (VertexId(26), 1.5));
    let refused =
        |rows: &str| table(&format!("kind,v0,v1,sharpness\n{rows}")).unwrap_err().to_string();
    assert_says(&refused("edge,0,1,-1\n"), &["c.csv:2", "edge 0 1: sharpness -1"]);
    assert_says(&refused("edge,0,1,nan\n"), &["c.csv:2", "sharpness NaN"]);
    assert_says(&refused("edge,0,1,1\nedge,0,x,1\n"), &["c.csv:3", "vertex expected, found `x`"]);
    assert_says(&refused("edge,0,0,1\n"), &["joins a vertex to itself"]);
    assert_says(&refused("edge,0,1,1\nedge,1,0,2\n"), &["edge 0 1 is listed twice"]);
    assert_says(&refused("corner,3,4,1\n"), &["a corner has one vertex"]);
    assert_says(&refused("face,3,4,1\n"), &["unknown kind `face`"]);
    assert_says(&refused("edge,0,1\n"), &["c.csv:2"]);
    assert_says(&table("a,b\n").unwrap_err().to_string(), &["c.csv:1", "the header is \"a,b\""]);
}
