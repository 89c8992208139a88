//! Readers of formats that other programs exchange: binary Gmsh, MFEM, high-order
//! elements, and what is said of files that are not read.

use std::path::PathBuf;

use proptest::prelude::*;
use subsolid::io::{read, read_with_report};
use subsolid::mesh::{CellKind, FaceGroup, SolidMesh};

/// Corners of two unit cubes side by side along x; point (x, y, z) is x + 3y + 6z.
const CUBES: [[u32; 8]; 2] = [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]];

/// A scratch folder to write samples into.
struct Scratch(tempfile::TempDir);

impl Scratch {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

fn point(v: usize) -> [f64; 3] {
    [(v % 3) as f64, (v / 3 % 2) as f64, (v / 6) as f64]
}

/// The message and the help of the error of reading `bytes` as a file `name`.
#[track_caller]
fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let scratch = Scratch::new();
    let error = read(scratch.file(name, bytes)).expect_err("the file should be refused");
    format!("{error}; {}", error.help().cloned().unwrap_or_default())
}

#[track_caller]
fn assert_says(message: &str, parts: &[&str]) {
    for part in parts {
        assert!(message.contains(part), "`{part}` is missing in: {message}");
    }
}

#[track_caller]
fn assert_cubes(mesh: &SolidMesh) {
    assert_eq!((mesh.points.len(), mesh.cells.len()), (12, 2));
    for v in 0..12 {
        assert_eq!(mesh.points[v], point(v));
    }
    for (cell, corners) in CUBES.iter().enumerate() {
        assert_eq!(mesh.cells.vertices(cell), corners);
    }
}

/// Writes numbers in one of the two orders of bytes.
struct Binary {
    bytes: Vec<u8>,
    big_endian: bool,
    /// Bytes of a `size_t`.
    size: usize,
}

impl Binary {
    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    fn put(&mut self, little_endian: &[u8]) {
        let start = self.bytes.len();
        self.bytes.extend(little_endian);
        if self.big_endian {
            self.bytes[start..].reverse();
        }
    }

    fn ints(&mut self, values: &[i32]) {
        values.iter().for_each(|value| self.put(&value.to_le_bytes()));
    }

    fn sizes(&mut self, values: &[u64]) {
        let size = self.size;
        values.iter().for_each(|value| self.put(&value.to_le_bytes()[..size]));
    }

    fn reals(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.put(&value.to_le_bytes()));
    }

    /// A view `heat` of 0.5 at every node.
    fn view(&mut self) {
        self.text("$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n12\n");
        for tag in 1..=12 {
            self.ints(&[tag]);
            self.reals(&[0.5]);
        }
        self.text("\n$EndNodeData\n");
    }
}

/// The cubes as a binary file of version 2.2, with a quad and two runs of tags.
fn gmsh2(big_endian: bool) -> Vec<u8> {
    let mut file = Binary { bytes: Vec::new(), big_endian, size: 8 };
    file.text("$MeshFormat\n2.2 1 8\n");
    file.ints(&[1]);
    file.text("\n$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n12\n");
    for v in 0..12 {
        file.ints(&[v + 1]);
        file.reals(&point(v as usize));
    }
    file.text("\n$EndNodes\n$Elements\n3\n");
    file.ints(&[3, 1, 2, 1, 7, 7, 1, 2, 5, 4]);
    file.ints(&[5, 2, 1]);
    for (cell, corners) in (2..).zip(CUBES) {
        file.ints(&[cell, 7 + cell]);
        file.ints(&corners.map(|v| v as i32 + 1));
    }
    file.text("\n$EndElements\n");
    file.view();
    file.bytes
}

/// A point, a curve, a surface and two volumes, all but the curve in physical groups.
fn entities(file: &mut Binary) {
    file.sizes(&[1, 1, 1, 2]);
    file.ints(&[7]);
    file.reals(&[0.0; 3]);
    file.sizes(&[1]);
    file.ints(&[70]);
    let volumes: [(i32, &[i32]); 2] = [(1, &[9]), (2, &[10, 9])];
    for (tag, groups) in [(4, &[][..]), (1, &[99])].into_iter().chain(volumes) {
        file.ints(&[tag]);
        file.reals(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        file.sizes(&[groups.len() as u64]);
        file.ints(groups);
        file.sizes(&[2]);
        file.ints(&[1, -1]);
    }
}

/// The cubes as a binary file of version 4.1.
fn gmsh4(big_endian: bool, size: usize) -> Vec<u8> {
    let mut file = Binary { bytes: Vec::new(), big_endian, size };
    file.text(&format!("$MeshFormat\n4.1 1 {size}\n"));
    file.ints(&[1]);
    file.text("\n$EndMeshFormat\n$Entities\n");
    entities(&mut file);
    file.text("\n$EndEntities\n$Nodes\n");
    file.sizes(&[2, 12, 1, 12]);
    for block in 0..2 {
        let nodes = 6 * block..6 * block + 6;
        // the second block has 2 parameters a node
        file.ints(&[2, 1, block as i32]);
        file.sizes(&[6]);
        nodes.clone().for_each(|v| file.sizes(&[v + 1]));
        for v in nodes {
            file.reals(&point(v as usize));
            file.reals(&[0.25, 0.75][..if block == 1 { 2 } else { 0 }]);
        }
    }
    file.text("\n$EndNodes\n$Elements\n");
    file.sizes(&[3, 3, 1, 3]);
    file.ints(&[2, 1, 3]);
    file.sizes(&[1, 1, 1, 2, 5, 4]);
    for (cell, corners) in (2..).zip(CUBES) {
        file.ints(&[3, cell as i32 - 1, 5]);
        file.sizes(&[1, cell]);
        file.sizes(&corners.map(|v| u64::from(v) + 1));
    }
    file.text("\n$EndElements\n");
    file.view();
    file.bytes
}

fn binary_gmsh() -> Vec<(&'static str, Vec<u8>)> {
    vec![
        ("2.2 little", gmsh2(false)),
        ("2.2 big", gmsh2(true)),
        ("4.1 little", gmsh4(false, 8)),
        ("4.1 big", gmsh4(true, 8)),
        ("4.1 with 4 bytes", gmsh4(false, 4)),
    ]
}

#[test]
fn binary_gmsh_is_read_in_both_orders_of_bytes() {
    let scratch = Scratch::new();
    for (label, bytes) in binary_gmsh() {
        let (mesh, report) = read_with_report(scratch.file("a.msh", bytes)).unwrap();
        assert_cubes(&mesh);
        assert_eq!(mesh.attributes.len(), 1, "{label}");
        assert_eq!((mesh.attributes[0].width, &mesh.attributes[0].values[..]), (1, &[0.5; 12][..]));
        let [groups] = &mesh.cell_data[..] else { panic!("{label}: {:?}", mesh.cell_data) };
        assert_eq!((&groups.name[..], &groups.values[..]), ("gmsh:physical", &[9.0, 10.0][..]));
        assert!(groups.integers, "{label}");
        let [FaceGroup { name, faces }] = &mesh.face_groups[..] else { panic!("{label}") };
        let tag = if label.starts_with('2') { 7 } else { 99 };
        assert_eq!((name, faces.face(0)), (&format!("gmsh:physical:{tag}"), &[0, 1, 4, 3][..]));
        assert_eq!(report.left_out(), None, "{label}");
    }
}

#[test]
fn binary_gmsh_is_not_trusted() {
    let bytes = gmsh2(false);
    let at = |word: &str| {
        bytes.windows(word.len()).position(|window| window == word.as_bytes()).unwrap()
    };
    // What stands instead, from which byte; what is said, with the byte of the value.
    let nodes = at("$Nodes\n12\n") + 10;
    let elements = at("$Elements\n3\n") + 12;
    let format = at("2.2 1 8\n") + 8;
    let nan = f64::NAN.to_le_bytes();
    let cases: [(usize, &[u8], String); 9] = [
        (format, &[2, 0, 0, 0], format!("byte {format}: the integer 1 is expected")),
        (nodes, &[0, 0, 0, 0], format!("byte {nodes}: node number 0 is below 1")),
        (nodes + 28, &[1, 0, 0, 0], format!("byte {}: node number 1 is given twice", nodes + 28)),
        (nodes + 4, &nan, "vertex 0: (NaN, 0, 0) is not a point".into()),
        (at("$Nodes\n12\n") + 7, b"99", "byte".into()),
        (elements + 4, &[9, 0, 0, 0], format!("byte {}: a run of 9 elements", elements + 8)),
        (elements, &[200, 0, 0, 0], "element of unknown kind (Gmsh type 200)".into()),
        (elements + 40, &[255; 4], format!("byte {}: an element type", elements + 40)),
        (
            elements + 60,
            &[99, 0, 0, 0],
            format!("byte {}: cell 0: node 99 does not exist", elements + 60),
        ),
    ];
    for (place, new, message) in cases {
        let mut bytes = bytes.clone();
        bytes[place..place + new.len()].copy_from_slice(new);
        assert_says(&refusal("a.msh", bytes), &[&message]);
    }
    for end in 0..bytes.len() - 20 {
        if end > at("$NodeData") || end < format {
            continue;
        }
        let scratch = Scratch::new();
        if read(scratch.file("a.msh", &bytes[..end])).is_ok() {
            assert!(end > at("$EndElements"), "cut at {end}");
        }
    }
    // Counts that no file can hold.
    let bytes = gmsh4(false, 8);
    let nodes = bytes.windows(7).position(|window| window == b"$Nodes\n").unwrap() + 7;
    for place in [nodes, nodes + 8, nodes + 32 + 12] {
        for huge in [u64::MAX, u64::MAX >> 1, 1 << 40] {
            let mut bytes = bytes.clone();
            bytes[place..place + 8].copy_from_slice(&huge.to_le_bytes());
            let scratch = Scratch::new();
            // The total number of nodes is only a hint.
            let result = read(scratch.file("a.msh", bytes));
            assert!(result.is_err() || place == nodes + 8);
        }
    }
}

/// Cubes over every second point of a 5 × 3 × 3 grid, with 12 nodes on their edges.
fn quadratic_cubes() -> (Vec<[f64; 3]>, [[usize; 20]; 2]) {
    let points = (0..45).map(|v| [v % 5, v / 5 % 3, v / 15].map(|x| x as f64 / 2.0)).collect();
    let offsets = [
        [0, 0, 0],
        [2, 0, 0],
        [2, 2, 0],
        [0, 2, 0],
        [0, 0, 2],
        [2, 0, 2],
        [2, 2, 2],
        [0, 2, 2],
        [1, 0, 0],
        [2, 1, 0],
        [1, 2, 0],
        [0, 1, 0],
        [1, 0, 2],
        [2, 1, 2],
        [1, 2, 2],
        [0, 1, 2],
        [0, 0, 1],
        [2, 0, 1],
        [2, 2, 1],
        [0, 2, 1],
    ];
    let cell = |first: usize| offsets.map(|[i, j, k]| first + i + 5 * j + 15 * k);
    (points, [cell(0), cell(2)])
}

#[test]
fn high_order_elements_are_read_by_their_corners() {
    let (points, cells) = quadratic_cubes();
    let rows = |gap: &str| -> Vec<String> {
        cells.iter().map(|cell| cell.map(|v| (v + 1).to_string()).join(gap)).collect()
    };
    let mut abaqus = "*NODE\n".to_owned();
    let mut gmsh = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n45\n".to_owned();
    let mut view = "$NodeData\n1\n\"x\"\n0\n3\n0\n1\n45\n".to_owned();
    for (v, [x, y, z]) in (1..).zip(&points) {
        abaqus += &format!("{v}, {x}, {y}, {z}\n");
        gmsh += &format!("{v} {x} {y} {z}\n");
        view += &format!("{v} {x}\n");
    }
    abaqus += "*ELEMENT, TYPE=C3D20R\n";
    gmsh += "$EndNodes\n$Elements\n2\n";
    for (cell, row) in (1..).zip(rows(", ")) {
        // at most 16 numbers per line
        let (first, rest) = row.split_at(row.match_indices(", ").nth(14).unwrap().0 + 1);
        abaqus += &format!("{cell}, {first}\n{rest}\n");
    }
    for (cell, row) in (1..).zip(rows(" ")) {
        gmsh += &format!("{cell} 17 0 {row}\n");
    }
    gmsh += &format!("$EndElements\n{view}$EndNodeData\n");
    let scratch = Scratch::new();
    for (name, text, kind) in [("a.inp", abaqus, "C3D20R: 2"), ("a.msh", gmsh, "Gmsh type 17: 2")] {
        let (mesh, report) = read_with_report(scratch.file(name, text)).unwrap();
        // The grid's 45 points are 12 corners, 20 mid-side nodes, and 13 in no cell.
        assert_eq!((mesh.points.len(), mesh.cells.len()), (45 - 20, 2), "{name}");
        for (cell, nodes) in cells.iter().enumerate() {
            assert_eq!(mesh.cells.kind(cell), CellKind::Hexahedron);
            for (&vertex, &node) in mesh.cells.vertices(cell).iter().zip(nodes) {
                assert_eq!(mesh.points[vertex as usize], points[node], "{name}");
            }
        }
        for attribute in &mesh.attributes {
            let x: Vec<f64> = mesh.points.iter().map(|point| point[0]).collect();
            assert_eq!(attribute.values, x);
        }
        assert_eq!(mesh.attributes.len(), usize::from(name == "a.msh"));
        let left_out = report.left_out().unwrap();
        assert_says(&left_out, &["20 mid-side nodes", "read by their corners", kind]);
    }
}

#[test]
fn rows_of_abaqus_elements_have_the_nodes_of_their_type() {
    let (points, cells) = quadratic_cubes();
    let nodes: String =
        (1..).zip(&points).map(|(v, [x, y, z])| format!("{v}, {x}, {y}, {z}\n")).collect();
    let deck = |kind: &str, count: usize| {
        let row: Vec<String> =
            (cells[0].iter().cycle().take(count)).map(|v| (v + 1).to_string()).collect();
        format!("*NODE\n{nodes}*ELEMENT, TYPE={kind}\n1, {}\n", row.join(", "))
    };
    let scratch = Scratch::new();
    // C3D27 may lack nodes in the middle of its faces.
    for (kind, count) in
        [("C3D10M", 10), ("C3D15", 15), ("C3D15V", 16), ("C3D27", 21), ("C3D27", 27)]
    {
        let mesh = read(scratch.file("a.inp", deck(kind, count))).unwrap();
        assert_eq!(mesh.cells.len(), 1, "{kind}");
    }
    for (kind, count) in [("C3D10", 9), ("C3D20", 19), ("C3D20", 21), ("C3D27", 28)] {
        let message = refusal("a.inp", deck(kind, count));
        assert_says(&message, &["a.inp:", &format!("element 1: {count} nodes, a {kind} has")]);
    }
}

/// The cubes in MFEM's format; `coordinates` is all that follows the number of vertices.
fn mfem(coordinates: &str) -> String {
    let cells: String =
        CUBES.map(|cube| format!("2 5 {}\n", cube.map(|v| v.to_string()).join(" "))).concat();
    format!(
        "MFEM mesh v1.0\n\n# MFEM Geometry Types\n#\ndimension\n3\n\nelements\n2\n{cells}\n\
         boundary\n2\n1 3 0 1 4 3\n2 2 0 1 4\n\nvertices\n12\n{coordinates}"
    )
}

fn mfem_rows() -> String {
    (0..12).map(|v| point(v).map(|x| x.to_string()).join(" ") + "\n").collect()
}

fn mfem_nodes(collection: &str, ordering: usize, between: usize) -> String {
    let nodes: Vec<[f64; 3]> = (0..12).map(point).chain(vec![[9.0; 3]; between]).collect();
    let rows: String = if ordering == 1 {
        nodes.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect()
    } else {
        (0..3).flat_map(|axis| nodes.iter().map(move |p| format!("{}\n", p[axis]))).collect()
    };
    format!(
        "nodes\nFiniteElementSpace\nFiniteElementCollection: {collection}\nVDim: 3\n\
         Ordering: {ordering}\n\n{rows}"
    )
}

#[test]
fn mfem_is_read_with_its_vertices_or_nodes() {
    let scratch = Scratch::new();
    for coordinates in [
        format!("3\n{}", mfem_rows()),
        mfem_nodes("H1_3D_P1", 1, 0),
        mfem_nodes("Linear", 0, 0),
        mfem_nodes("H1_3D_P2", 0, 33),
        mfem_nodes("H1@G_3D_P2", 1, 33) + "\nmfem_mesh_end\n",
    ] {
        // The ending does not matter, nor that MEDIT has the same.
        let path = scratch.file("a.mesh", mfem(&coordinates));
        let (mesh, report) = read_with_report(path).unwrap();
        assert_cubes(&mesh);
        let left_out = report.left_out().unwrap();
        // the triangle is half a face
        assert_says(&left_out, &["faces of group `mfem:bdr_attribute:2` that no cell has"]);
        let groups: Vec<_> =
            mesh.face_groups.iter().map(|g| (&g.name[..], g.faces.len())).collect();
        assert_eq!(groups, [("mfem:bdr_attribute:1", 1)]);
        assert!(!left_out.contains("element attributes"), "{left_out}");
        assert_eq!(mesh.cell_data[0].values, [2.0, 2.0]);
        assert_eq!(left_out.contains("33 nodes between"), coordinates.contains("P2"), "{left_out}");
    }
    let marked = format!("\u{feff}{}", mfem(&format!("3\n{}", mfem_rows())));
    assert_cubes(&read(scratch.file("a.mesh", marked)).unwrap());
    let sets = mfem(&format!("3\n{}", mfem_rows()))
        .replace("v1.0", "v1.3")
        .replace("\nboundary", "\nattribute_sets\n1\n\"all\" 2 1 2\n\nboundary")
        .replace("\nvertices", "\nbdr_attribute_sets\n0\n\nvertices");
    assert_cubes(&read(scratch.file("a.mesh", sets)).unwrap());
}

#[test]
fn mfem_kinds_arrive_in_vtk_order() {
    let text = "MFEM mesh v1.0\ndimension\n3\nelements\n3\n1 4 0 1 2 3\n1 6 0 1 2 3 4 5\n\
                1 7 0 1 4 3 5\nboundary\n0\nvertices\n6\n3\n0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1";
    let scratch = Scratch::new();
    let (mesh, report) = read_with_report(scratch.file("a.mesh", text)).unwrap();
    assert_eq!(report.left_out(), None);
    assert_eq!(mesh.cells.vertices(0), [0, 1, 2, 3]);
    assert_eq!(
        (mesh.cells.kind(1), mesh.cells.vertices(1)),
        (CellKind::Wedge, &[0, 1, 2, 3, 4, 5][..])
    );
    assert_eq!(mesh.cells.kind(2), CellKind::Polyhedron);
}

#[test]
fn mfem_is_refused_where_it_is_no_control_mesh() {
    let plain = mfem(&format!("3\n{}", mfem_rows()));
    for (text, parts) in [
        (
            plain.replace("MFEM mesh", "MFEM NC mesh"),
            &["`MFEM NC mesh v1.0` is not read", "PrintVTU"][..],
        ),
        (plain.replace("v1.0", "v9.9"), &["v9.9"]),
        (plain.replace("dimension\n3", "dimension\n1"), &["a.mesh:6", "dimension 1"]),
        (plain.replace("2 5 0 1", "2 9 0 1"), &["a.mesh:10", "geometry 9"]),
        (
            plain.replace("2 5 0 1", "2 5 0 12"),
            &["a.mesh:10", "cell 0 names vertex 12, the last is 11"],
        ),
        (plain.replace("2 5 0 1", "2 5 0 -1"), &["a.mesh:10", "vertex -1"]),
        (plain.replace("vertices\n12", "vertices\n99999999999"), &["the file ends"]),
        (plain.replace("elements\n2", "elements\n99999999999"), &["a.mesh:13"]),
        (plain.replace("\n3\n0 0 0", "\n2\n0 0 0"), &["2 coordinates"]),
        (plain.replace("\n2 1 1\n", "\n2 nan 1\n"), &["vertex 11"]),
        (mfem(""), &["`nodes`"]),
        (mfem(&mfem_nodes("L2_3D_P1", 1, 4)), &["L2_3D_P1", "PrintVTU"]),
        (mfem(&mfem_nodes("NURBS2", 1, 4)), &["NURBS2"]),
        (mfem(&mfem_nodes("H1_3D_P2", 1, 4).replace("VDim: 3", "VDim: 2")), &["2 coordinates"]),
        (
            mfem(&mfem_nodes("H1_3D_P2", 1, 4).replace("Ordering: 1", "Ordering: 7")),
            &["ordering 7"],
        ),
        (mfem(mfem_nodes("Linear", 0, 0).trim_end().trim_end_matches('1')), &["35 coordinates"]),
    ] {
        assert_ne!(text, plain);
        assert_says(&refusal("a.mesh", text), parts);
    }
}

#[test]
fn other_formats_are_named_with_a_way_that_works() {
    let (gmsh, meshio) = ("pip install gmsh; gmsh ", "pip install meshio; meshio convert ");
    let nothing = "no converter is known";
    let hdf = b"\x89HDF\r\n\x1a\nrest";
    for (name, bytes, parts) in [
        ("a.msh", &b"(0 \"GAMBIT to Fluent\")\n(2 3)\n"[..], &["Ansys", nothing][..]),
        ("a.msh", b"(1 \"written by\")", &["Ansys"]),
        ("a.cgns", hdf, &["CGNS", gmsh, "gmsh a.cgns -save -format msh41"]),
        ("a.med", hdf, &["MED", gmsh]),
        ("a.vtkhdf", hdf, &["VTKHDF", "ParaView"]),
        ("a.hdf", b"\x89HDF\r\n\x1a\n\0VTKHDF\0", &["VTKHDF"]),
        ("a.h5m", hdf, &["MOAB", nothing]),
        (
            "b.msh",
            b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$ParametricNodes\n",
            &["gmsh b.msh -save", "SaveParametric 0"],
        ),
        (
            "b.msh",
            b"$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$MeshFormat\n2.2 0 8\n",
            &["a second section $MeshFormat", "PostProcessing.SaveMesh is 0"],
        ),
        ("a.exo", hdf, &["Exodus", "HDF5", "nccopy -u -k cdf5 a.exo out.exo"]),
        ("a.stp", b"ISO-10303-21;\nHEADER;", &["CAD", "gmsh -3 a.stp"]),
        ("a.amf", b"PK\x03\x04", &["AMF", "save it as .3mf"]),
        ("a.xml", b"<?xml version=\"1.0\"?>\n<amf unit=\"inch\">", &["AMF", "save it as .3mf"]),
        ("a.bdf", b"$ comment\nCEND\n", &["Nastran", "gmsh a.bdf -save -format mesh"]),
        ("a.dat", b"SOL 101\nCEND\n", &["Nastran", "gmsh in.bdf"]),
        ("a.xdmf", b"<?xml version=\"1.0\"?><Xdmf></Xdmf>", &["XDMF", nothing]),
        ("a.xml", b"<?xml version=\"1.0\"?><dolfin xmlns:d>", &["DOLFIN", nothing]),
        ("a.key", b"$# LS-DYNA\n*KEYWORD\n", &["LS-DYNA", nothing]),
        ("a.meshb", b"\x01\0\0\0\x03\0\0\0", &["binary MEDIT", meshio]),
        ("a.mesh", b"\x01\0\0\0\x03\0\0\0", &["binary MEDIT", meshio]),
        ("a.su2", b"NDIME= 3", &["SU2", meshio]),
        ("a b;c.su2", b"NDIME= 3", &["meshio convert --input-format su2 in.su2 out.vtu"]),
        ("a.3mf", b"PK\x03\x04", &["a surface, not a control mesh"]),
        ("a.xyz", b"what is this", &["format of the file is unknown", "MFEM"]),
    ] {
        let message = refusal(name, bytes);
        assert_says(&message, parts);
        assert!(!message.contains('\n'), "one line: {message}");
        assert!(message.contains("meshio") == parts.concat().contains("meshio"), "{message}");
    }
}

/// What was read must be sound.
fn check(mesh: &SolidMesh) {
    assert!(!mesh.points.is_empty() && !mesh.cells.is_empty());
    assert!(mesh.points.iter().flatten().all(|x| x.is_finite()));
    for cell in 0..mesh.cells.len() {
        assert!(mesh.cells.vertices(cell).iter().all(|&v| (v as usize) < mesh.points.len()));
    }
    for attribute in &mesh.attributes {
        assert_eq!(attribute.values.len(), attribute.width * mesh.points.len());
    }
    for array in &mesh.cell_data {
        assert_eq!(array.values.len(), array.width * mesh.cells.len());
    }
}

#[test]
fn damaged_files_are_read_or_refused() {
    let scratch = Scratch::new();
    let mut samples: Vec<(&str, Vec<u8>)> =
        binary_gmsh().into_iter().map(|(_, bytes)| ("a.msh", bytes)).collect();
    samples.push(("a.mesh", mfem(&format!("3\n{}", mfem_rows())).into_bytes()));
    samples.push(("a.mesh", mfem(&mfem_nodes("H1_3D_P2", 0, 5)).into_bytes()));
    let values = prop::sample::select(vec![
        0_u64,
        1,
        4,
        5,
        11,
        12,
        17,
        255,
        1 << 24,
        1 << 31,
        u64::MAX >> 1,
        u64::MAX,
    ]);
    // place, bytes of the value and the value, written, deleted or inserted
    let damage = (0.0..1.0, prop::sample::select(vec![1_usize, 4, 8]), values, 0..3);
    for (name, sample) in samples {
        let mut runner = proptest::test_runner::TestRunner::default();
        runner
            .run(&prop::collection::vec(damage.clone(), 1..4), |damages| {
                let mut bytes = sample.clone();
                for (at, width, value, how) in damages {
                    let start = (at * bytes.len() as f64) as usize;
                    let end = (start + width).min(bytes.len());
                    let value = &value.to_le_bytes()[..width];
                    match how {
                        0 => drop(bytes.drain(start..end)),
                        1 => drop(bytes.splice(start..start, value.iter().copied())),
                        _ => drop(bytes.splice(start..end, value.iter().copied())),
                    }
                }
                if let Ok(mesh) = read(scratch.file(name, bytes)) {
                    check(&mesh);
                }
                Ok(())
            })
            .unwrap();
    }
}
