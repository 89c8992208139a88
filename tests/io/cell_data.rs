//! Arrays of the cells: read of the volume cells alone, refined, written and read again.

use subsolid::io::{Dataset, WriteOptions, read, read_with_report, write};
use subsolid::mesh::{Attribute, CellArray, SolidMesh};

use crate::samples::{self, Scratch};
use crate::write::models::mixed_mesh;

fn array<'m>(mesh: &'m SolidMesh, name: &str) -> &'m CellArray {
    let found = mesh.cell_data.iter().find(|array| array.name == name);
    found.unwrap_or_else(|| panic!("`{name}` is missing in {:?}", mesh.cell_data))
}

#[track_caller]
fn assert_array(mesh: &SolidMesh, name: &str, width: usize, values: &[f64], integers: bool) {
    let expected = CellArray { name: name.into(), width, values: values.into(), integers };
    assert_eq!(array(mesh, name), &expected);
}

/// Volume cells are the second, fourth and sixth; a value tells cell and component.
const KEPT: [usize; 3] = [1, 3, 5];

fn value(cell: usize, component: usize) -> f64 {
    (10 * cell + component) as f64
}

/// A number that singles cannot hold all of.
fn density(cell: usize) -> f64 {
    cell as f64 + 0.1
}

fn kept(value: impl Fn(usize) -> f64) -> Vec<f64> {
    KEPT.map(value).into()
}

fn vectors() -> Vec<f64> {
    KEPT.into_iter().flat_map(|cell| (0..3).map(move |d| value(cell, d) + 0.5)).collect()
}

#[track_caller]
fn assert_all(mesh: &SolidMesh) {
    assert_eq!((mesh.cells.len(), mesh.cell_data.len()), (3, 3));
    assert_array(mesh, "material", 1, &kept(|cell| value(cell, 0)), true);
    assert_array(mesh, "fibre", 3, &vectors(), false);
    assert_array(mesh, "mass density", 1, &kept(density), false);
}

/// A hexahedron, a wedge and a tetrahedron, with a quad, a triangle and a quad between them.
const POINTS: &str = "0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1 2 0 0 2 0 1 0 0 2 ";
const CELLS: [(u8, &[u32]); 6] = [
    (9, &[0, 1, 2, 3]),
    (12, &[0, 1, 2, 3, 4, 5, 6, 7]),
    (5, &[0, 1, 2]),
    (13, &[1, 8, 2, 5, 9, 6]),
    (9, &[4, 5, 6, 7]),
    (10, &[4, 5, 7, 10]),
];

/// Numbers of legacy files.
struct Legacy {
    bytes: Vec<u8>,
    binary: bool,
}

impl Legacy {
    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.as_bytes());
        self
    }

    fn ints(&mut self, values: impl IntoIterator<Item = u32>) -> &mut Self {
        for value in values {
            if self.binary {
                self.bytes.extend(value.to_be_bytes())
            } else {
                self.bytes.extend(format!("{value} ").bytes())
            }
        }
        self.text("\n")
    }

    fn reals(&mut self, values: impl IntoIterator<Item = f64>) -> &mut Self {
        for value in values {
            if self.binary {
                self.bytes.extend(value.to_be_bytes())
            } else {
                self.bytes.extend(format!("{value} ").bytes())
            }
        }
        self.text("\n")
    }
}

fn legacy(binary: bool) -> Vec<u8> {
    let mut file = Legacy { bytes: Vec::new(), binary };
    let kind = if binary { "BINARY" } else { "ASCII" };
    file.text(&format!("# vtk DataFile Version 3.0\nmixed\n{kind}\nDATASET UNSTRUCTURED_GRID\n"))
        .text("POINTS 11 double\n")
        .reals(POINTS.split_ascii_whitespace().map(|x| x.parse().unwrap()))
        .text("CELLS 6 35\n")
        .ints(CELLS.iter().flat_map(|(_, ids)| [&[ids.len() as u32], *ids].concat()))
        .text("CELL_TYPES 6\n")
        .ints(CELLS.iter().map(|(kind, _)| u32::from(*kind)))
        .text("CELL_DATA 6\nSCALARS material int 1\nLOOKUP_TABLE default\n")
        .ints((0..6).map(|cell| value(cell, 0) as u32))
        .text("VECTORS fibre double\n")
        .reals((0..18).map(|i| value(i / 3, i % 3) + 0.5))
        .text("FIELD FieldData 1\nmass%20density 1 6 double\n")
        .reals((0..6).map(density));
    std::mem::take(&mut file.bytes)
}

#[test]
fn legacy_files_have_them() {
    let scratch = Scratch::new();
    for binary in [false, true] {
        let (mesh, report) = read_with_report(scratch.file("a.vtk", legacy(binary))).unwrap();
        assert_all(&mesh);
        assert!(!report.left_out().unwrap().contains("array"), "{report:?}");
    }
    // the names that meshio gives the types
    for name in ["vtktypeint32", "vtktypeuint16", "vtktypeint8"] {
        let text = String::from_utf8(legacy(false)).unwrap();
        let text = text.replace("material int", &format!("material {name}"));
        assert!(text.contains(name));
        assert_all(&read(scratch.file("b.vtk", text)).unwrap());
    }
}

/// What VTK itself wrote: ASCII, binary, appended, compressed, both orders of bytes.
#[test]
fn files_of_vtk_have_them() {
    let scratch = Scratch::new();
    for sample in samples::from_vtk() {
        let mesh = read(scratch.file(sample.name, &sample.bytes)).unwrap();
        // the first of the five cells is a quad
        assert_array(&mesh, "cd", 1, &[1.0, 2.0, 3.0, 4.0], true);
    }
}

/// The mixed mesh with the cell arrays of `arrays`.
fn vtu(arrays: &str) -> String {
    let ids: Vec<String> = CELLS.iter().flat_map(|c| c.1).map(u32::to_string).collect();
    let ends: Vec<String> = CELLS
        .iter()
        .scan(0, |end, cell| {
            *end += cell.1.len();
            Some(end.to_string())
        })
        .collect();
    let kinds: Vec<String> = CELLS.iter().map(|cell| cell.0.to_string()).collect();
    format!(
        "<VTKFile type=\"UnstructuredGrid\" version=\"0.1\"><UnstructuredGrid>\
         <Piece NumberOfPoints=\"11\" NumberOfCells=\"6\"><CellData>{arrays}</CellData><Points>\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\">{POINTS}</DataArray></Points><Cells>\
         <DataArray type=\"Int32\" Name=\"connectivity\">{}</DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\">{}</DataArray>\
         <DataArray type=\"UInt8\" Name=\"types\">{}</DataArray></Cells></Piece>\
         </UnstructuredGrid></VTKFile>",
        ids.join(" "),
        ends.join(" "),
        kinds.join(" ")
    )
}

fn data_array(name: &str, kind: &str, width: usize, values: impl Iterator<Item = f64>) -> String {
    let values: Vec<String> = values.map(|x| x.to_string()).collect();
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\">{}</DataArray>",
        values.join(" ")
    )
}

fn all_arrays() -> String {
    data_array("material", "UInt16", 1, (0..6).map(|cell| value(cell, 0)))
        + &data_array("fibre", "Float64", 3, (0..18).map(|i| value(i / 3, i % 3) + 0.5))
        + &data_array("mass density", "Float64", 1, (0..6).map(density))
}

#[test]
fn xml_files_have_them() {
    let scratch = Scratch::new();
    let ghosts = data_array("vtkGhostType", "UInt8", 1, [0.0; 6].into_iter());
    let (mesh, report) =
        read_with_report(scratch.file("a.vtu", vtu(&(all_arrays() + &ghosts)))).unwrap();
    assert_all(&mesh);
    assert!(!report.left_out().unwrap_or_default().contains("vtkGhostType"), "no cell is a ghost");
}

#[test]
fn pieces_continue_arrays_and_partial_ones_are_left_out() {
    let scratch = Scratch::new();
    let late = data_array("late", "Int8", 1, [1.0; 6].into_iter());
    let small = all_arrays().replace("UInt16", "Float32");
    scratch.file("0.vtu", vtu(&all_arrays()));
    scratch.file("1.vtu", vtu(&(small + &late)));
    scratch.file("2.vtu", vtu(&data_array("material", "Int8", 1, [3.0; 6].into_iter())));
    let index = |pieces: &[usize]| {
        let pieces: String =
            pieces.iter().map(|i| format!("<Piece Source=\"{i}.vtu\"/>")).collect();
        format!(
            "<VTKFile type=\"PUnstructuredGrid\"><PUnstructuredGrid>{pieces}</PUnstructuredGrid></VTKFile>"
        )
    };
    let (mesh, report) = read_with_report(scratch.file("a.pvtu", index(&[0, 1, 2]))).unwrap();
    let materials = [kept(|c| value(c, 0)), kept(|c| value(c, 0)), vec![3.0; 3]].concat();
    assert_eq!(mesh.cell_data.len(), 1);
    // numbers that are not integers in one piece are in none
    assert_array(&mesh, "material", 1, &materials, false);
    let left_out = report.left_out().unwrap();
    for name in ["fibre", "mass density", "late"] {
        let notice = format!("cell array `{name}` that some piece lacks");
        assert!(left_out.contains(&notice), "{left_out}");
    }
    let (mesh, _) = read_with_report(scratch.file("b.pvtu", index(&[0, 0]))).unwrap();
    assert_array(&mesh, "fibre", 3, &vectors().repeat(2), false);
    assert_array(&mesh, "material", 1, &kept(|cell| value(cell, 0)).repeat(2), true);
}

#[test]
fn structured_grids_have_them() {
    let scratch = Scratch::new();
    let text = "# vtk DataFile Version 3.0\nimage\nASCII\nDATASET STRUCTURED_POINTS\n\
                DIMENSIONS 3 2 2\nORIGIN 0 0 0\nSPACING 1 1 1\nCELL_DATA 2\n\
                SCALARS material short 1\nLOOKUP_TABLE default\n-4 6\n";
    let mesh = read(scratch.file("a.vtk", text)).unwrap();
    assert_array(&mesh, "material", 1, &[-4.0, 6.0], true);
}

#[test]
fn wrong_arrays_are_refused() {
    let scratch = Scratch::new();
    for (arrays, message) in [
        (
            data_array("a", "Int8", 1, [1.0; 5].into_iter()),
            "cell array `a`: 5 values, 6 × 1 are needed",
        ),
        (data_array("a", "Int8", 0, [].into_iter()), "cell array `a` has no components"),
        (
            data_array("a", "Int8", 1, [1.0; 6].into_iter()).repeat(2),
            "two cell arrays are named `a`",
        ),
    ] {
        let error = read(scratch.file("a.vtu", vtu(&arrays))).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

#[test]
fn integers_beyond_reals_are_told() {
    let scratch = Scratch::new();
    let most = (1_i64 << 53) - 1;
    for (number, is_exact) in [(most, true), (-most, true), (most + 2, false), (i64::MIN, false)] {
        let values = format!("{number} ").repeat(6);
        let text = format!("<DataArray type=\"Int64\" Name=\"id\">{values}</DataArray>");
        let (mesh, report) = read_with_report(scratch.file("a.vtu", vtu(&text))).unwrap();
        assert_array(&mesh, "id", 1, &[number as f64; 3], is_exact);
        let told = report.left_out().unwrap().contains("digits of cell array `id` beyond 2^53");
        assert_eq!(told, !is_exact, "{number}");
    }
}

#[test]
fn gmsh_text_has_physical_groups() {
    let scratch = Scratch::new();
    let old =
        samples::gmsh2().replace("2 5 2 1 1 ", "2 5 2 8 1 ").replace("3 5 2 1 1 ", "3 5 2 6 1 ");
    // Surface 1 has the number of a volume and a group of its own; volume 2 is in two groups.
    let second = "\n3 2 3 6 5 8 9 12 11\n";
    let new = samples::gmsh4()
        .replace(
            "0 0 0 0\n",
            "1 1 1 2\n9 0 0 0 1 50\n4 0 0 0 1 0 0 0 2 9 -9\n1 0 0 0 1 1 0 1 77 1 4\n\
             1 0 0 0 1 1 1 1 8 1 1\n2 1 0 0 2 1 1 2 6 5 0\n",
        )
        .replace("2 3 1 3\n", "3 3 1 3\n")
        .replace("3 1 5 2\n", "3 1 5 1\n")
        .replace(second, &second.replace("\n3 ", "\n3 2 5 1\n3 "));
    for (name, text) in [("2.msh", old), ("4.msh", new)] {
        let mesh = read(scratch.file(name, &text)).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_array(&mesh, "gmsh:physical", 1, &[8.0, 6.0], true);
    }
    let plain = samples::gmsh4();
    assert!(read(scratch.file("plain.msh", plain)).unwrap().cell_data.is_empty());
    let cut = "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 1\n1 0 0 0 1 1 1 99 8\n";
    let error = read(scratch.file("cut.msh", cut)).unwrap_err().to_string();
    assert!(error.contains("cut.msh") && error.contains("physical group"), "{error}");
}

#[test]
fn medit_has_references() {
    let scratch = Scratch::new();
    let text = "MeshVersionFormatted 2 Dimension 3 Vertices 11\n".to_owned()
        + &POINTS
            .split_ascii_whitespace()
            .collect::<Vec<_>>()
            .chunks(3)
            .fold(String::new(), |rows, point| rows + &point.join(" ") + " 5\n")
        + "Tetrahedra 1 5 6 8 11 -30\nQuadrilaterals 1 1 2 3 4 99\n\
           Hexahedra 1 1 2 3 4 5 6 7 8 10\nPrisms 1 2 3 9 6 7 10 20\nEnd";
    let (mesh, report) = read_with_report(scratch.file("a.mesh", &text)).unwrap();
    assert_array(&mesh, "medit:ref", 1, &[-30.0, 10.0, 20.0], true);
    let left_out = report.left_out().unwrap();
    assert!(left_out.contains("11 nonzero reference numbers of vertices"), "{left_out}");
    let zeros = text.replace("11 -30", "11 0").replace("8 10\n", "8 0\n").replace("10 20", "10 0");
    assert!(read(scratch.file("a.mesh", zeros)).unwrap().cell_data.is_empty());
}

#[test]
fn mfem_has_attributes() {
    let scratch = Scratch::new();
    let text = |attributes: [i32; 2]| {
        let [a, b] = attributes;
        format!(
            "MFEM mesh v1.0\ndimension\n3\nelements\n2\n{a} 4 0 1 2 3\n{b} 6 0 1 2 3 4 5\n\
             boundary\n1\n9 2 0 1 2\nvertices\n6\n3\n0 0 0 1 0 0 0 1 0 0 0 1 1 0 1 0 1 1"
        )
    };
    let mesh = read(scratch.file("a.mesh", text([3, 1]))).unwrap();
    assert_array(&mesh, "mfem:attribute", 1, &[3.0, 1.0], true);
    assert!(read(scratch.file("a.mesh", text([1, 1]))).unwrap().cell_data.is_empty());
}

/// Five cells of four kinds with arrays of all sorts.
fn with_data() -> SolidMesh {
    let mut mesh = mixed_mesh();
    let reals = vec![0.1, f64::NAN, f64::NEG_INFINITY, 1e300, -0.0];
    mesh.cell_data = vec![
        CellArray::new("material", 1, vec![5.0, -4.0, 3.0, 2.0, 1.0], true),
        CellArray::new("density & \"more\"", 1, reals, false),
        CellArray::new("fibre", 3, (0..15).map(|i| f64::from(i) / 7.0).collect(), false),
        CellArray::new("whole", 1, vec![1.0; 5], false),
    ];
    mesh
}

#[test]
fn written_arrays_are_read_again() {
    let scratch = Scratch::new();
    let mesh = with_data();
    for (name, compress) in
        [("a.vtk", false), ("a.vtu", false), ("b.vtu", true), ("a.pvtu", false), ("b.pvtu", true)]
    {
        let path = scratch.file(name, "");
        write(&path, &mesh, WriteOptions { compress, format: None }).unwrap();
        let (back, report) = read_with_report(&path).unwrap();
        assert_eq!(report.skipped, [""; 0], "{name}");
        assert_eq!(format!("{:?}", back.cell_data), format!("{:?}", mesh.cell_data), "{name}");
    }
}

#[test]
fn contradictory_arrays_are_refused() {
    let mut mesh = with_data();
    mesh.check().unwrap();
    mesh.cell_data[2].values.pop();
    let error = mesh.check().unwrap_err().to_string();
    assert!(error.contains("cell array \"fibre\" has 14 values of width 3"), "{error}");
}

#[test]
fn datasets_have_integers_as_integers() {
    let dataset = Dataset::from(&with_data());
    let kinds: Vec<bool> = dataset
        .cell_arrays
        .iter()
        .map(|array| matches!(array.data, subsolid::io::ArrayData::I64(_)))
        .collect();
    assert_eq!(kinds, [true, false, false, false]);
}

/// The sections name their axes: they may stand in any order.
#[test]
fn coordinates_of_rectilinear_grids_stand_in_any_order() {
    let scratch = Scratch::new();
    let axes = [("X", "0 1 3"), ("Y", "0 10"), ("Z", "-1 1")];
    let text = |order: &[usize]| {
        let sections = order.iter().map(|&axis| {
            let (name, values) = axes[axis];
            let count = values.split(' ').count();
            format!("{name}_COORDINATES {count} double\n{values}\n")
        });
        let sections: String = sections.collect();
        format!(
            "# vtk DataFile Version 3.0\n\nASCII\nDATASET RECTILINEAR_GRID\nDIMENSIONS 3 2 2\n{sections}"
        )
    };
    let expected = read(scratch.file("a.vtk", text(&[0, 1, 2]))).unwrap();
    assert_eq!(expected.points[11], [3.0, 10.0, 1.0]);
    for order in [[1, 0, 2], [2, 1, 0]] {
        assert_eq!(read(scratch.file("b.vtk", text(&order))).unwrap(), expected, "{order:?}");
    }
    for (order, message) in [
        (&[0, 1, 2, 1][..], "a second section Y_COORDINATES"),
        (&[0, 2], "0 coordinates along y, the grid has 2"),
    ] {
        let error = read(scratch.file("c.vtk", text(order))).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
}

/// VTK's reader of legacy files loses what follows a longer name.
#[test]
fn names_that_vtk_does_not_read_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    for (name, fits) in [("n".repeat(255), true), ("n".repeat(256), false), (" ".repeat(86), false)]
    {
        for of_cells in [false, true] {
            let mut mesh = mixed_mesh();
            if of_cells {
                let values = vec![1.0; mesh.cells.len()];
                mesh.cell_data = vec![CellArray::new(&name, 1, values, false)];
            } else {
                let values = vec![1.0; mesh.points.len()];
                mesh.attributes = vec![Attribute { name: name.clone(), width: 1, values }];
            }
            let path = directory.path().join("a.vtk");
            match write(&path, &mesh, WriteOptions::default()) {
                Ok(()) => {
                    let again = read(&path).unwrap();
                    assert!(
                        again.attributes == mesh.attributes && again.cell_data == mesh.cell_data
                    );
                    std::fs::remove_file(&path).unwrap();
                }
                Err(error) => {
                    assert!(error.to_string().contains("VTK reads 255 at most"), "{error}")
                }
            }
            assert_eq!(
                write(&path, &mesh, WriteOptions::default()).is_ok(),
                fits,
                "{}",
                name.len()
            );
            write(directory.path().join("a.vtu"), &mesh, WriteOptions::default()).unwrap();
        }
    }
}
