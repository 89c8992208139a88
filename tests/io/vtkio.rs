//! Control meshes in the data model of the crate `vtkio`.

use std::path::Path;

use crate::samples::{POLYDATA_4, Scratch};
use subsolid::io;
use subsolid::mesh::{
    CellArray, CreaseRule, Creases, FaceGroup, Polygons, SolidMesh, SurfaceMesh, TriangleRule,
};
use vtkio::model::{
    Attribute, Attributes, ByteOrder, Coordinates, DataArray, DataSet, Extent, IOBuffer,
    ImageDataPiece, Piece, PolyDataPiece, RectilinearGridPiece, StructuredGridPiece,
    UnstructuredGridPiece, Version, VertexNumbers, Vtk,
};

fn model(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("models").join(name)
}

fn vtk(data: impl Into<DataSet>) -> Vtk {
    Vtk {
        version: Version::Auto,
        title: String::new(),
        byte_order: ByteOrder::BigEndian,
        data: data.into(),
        file_path: None,
    }
}

fn refusal<T: std::fmt::Debug>(result: subsolid::Result<T>) -> String {
    result.unwrap_err().to_string()
}

#[test]
fn solids_come_back() {
    let mut creased = io::read(model("bracket.vtk")).unwrap();
    creased.creases.push_edge(0, 1, 2.5);
    creased.creases.push_corner(3, f64::INFINITY);
    let cells = creased.cells.len();
    let whole = (0..cells).map(|cell| cell as f64).collect();
    let reals = (0..3 * cells).map(|i| i as f64 / 3.0).collect();
    creased.cell_data.push(CellArray::new("material", 1, whole, true));
    creased.cell_data.push(CellArray::new("fibre", 3, reals, false));
    for mesh in [io::read(model("graded_bracket.vtu")).unwrap(), creased] {
        let (back, report) = io::vtkio::solid(&io::vtkio::from_solid(&mesh).unwrap()).unwrap();
        assert_eq!(back, mesh);
        assert_eq!(report.skipped, [""; 0]);
    }
}

/// By a file that `vtkio` writes and both read.
#[test]
fn files_of_the_crate_are_the_same_mesh() {
    let mesh = io::read(model("bracket.vtk")).unwrap();
    let mut bytes = Vec::new();
    io::vtkio::from_solid(&mesh).unwrap().write_legacy(&mut bytes).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a.vtk");
    std::fs::write(&path, &bytes).unwrap();
    assert_eq!(io::read(&path).unwrap(), mesh);
    let parsed = Vtk::parse_legacy_be(&bytes[..]).unwrap();
    assert_eq!(io::vtkio::solid(&parsed).unwrap().0, mesh);
}

#[test]
fn polyhedra_and_wedges_come_back() {
    let points = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0],
        [0.0, 1.0, 1.0],
        [0.5, 0.5, 2.0],
    ];
    let mut mesh = SolidMesh { points, ..SolidMesh::default() };
    mesh.cells.push(subsolid::mesh::CellKind::Wedge, &[0, 2, 1, 3, 5, 4]);
    let faces: [&[u32]; 4] = [&[3, 5, 4], &[3, 4, 6], &[4, 5, 6], &[5, 3, 6]];
    mesh.cells.push_polyhedron(faces);
    let (back, _) = io::vtkio::solid(&io::vtkio::from_solid(&mesh).unwrap()).unwrap();
    assert_eq!(back, mesh);
}

#[test]
fn surfaces_come_back_or_are_refused() {
    let mesh = io::read_surface(model("surfaces/bishop.obj")).unwrap();
    let mut plain = SurfaceMesh::new(mesh.points.clone(), mesh.faces.clone());
    plain.creases.push_edge(0, 1, 1.5);
    let (back, _) = io::vtkio::surface(&io::vtkio::from_surface(&plain).unwrap()).unwrap();
    assert_eq!(back, plain);
    // without creases their rule says nothing
    plain.creases = Creases::default();
    plain.crease_rule = CreaseRule::Chaikin;
    io::vtkio::from_surface(&plain).unwrap();
    plain.faces.push(&[0, 1, 2]);
    plain.triangle_rule = TriangleRule::Smooth;
    plain.holes.push(3);
    let refused = refusal(io::vtkio::from_surface(&plain));
    assert!(refused.contains("cannot hold 1 hole, rules of refinement: of triangles"), "{refused}");
}

/// Polygons, strips and normals are those of files; what is left out is named as for them.
#[test]
fn polygons_are_those_of_files() {
    let scratch = Scratch::new();
    let expected = io::read_surface(scratch.file("a.vtk", POLYDATA_4)).unwrap();
    let lists = |num_cells, vertices| Some(VertexNumbers::Legacy { num_cells, vertices });
    let normals = DataArray::normals("normals").with_vec([0.0_f32, 0.0, 1.0].repeat(5));
    let heat = DataArray::scalars("heat", 1).with_vec(vec![1.0_f64, 2.0, 3.0, 4.0, 5.0]);
    let piece = PolyDataPiece {
        points: expected.points.as_flattened().to_vec().into(),
        verts: lists(1, vec![1, 0]),
        lines: lists(1, vec![2, 0, 1]),
        polys: lists(2, vec![3, 1, 4, 2, 4, 0, 1, 2, 3]),
        strips: lists(1, vec![4, 0, 1, 3, 2]),
        data: Attributes { point: [normals, heat].map(Attribute::DataArray).into(), cell: vec![] },
    };
    let (mesh, report) = io::vtkio::surface(&vtk(piece.clone())).unwrap();
    assert_eq!(mesh, expected);
    assert_eq!(report.skipped, ["2 vertices and lines"]);
    let strips = lists(1, vec![4, 0, 1, 3, 5]);
    let beyond = refusal(io::vtkio::surface(&vtk(PolyDataPiece { strips, ..piece })));
    assert!(beyond.contains("a face names vertex 5, the last is 4"), "{beyond}");
}

#[test]
fn lookup_tables_are_left_out_with_a_notice() {
    let mut data = io::vtkio::from_solid(&io::read(model("bracket.vtk")).unwrap()).unwrap();
    let DataSet::UnstructuredGrid { pieces, .. } = &mut data.data else { panic!() };
    let Piece::Inline(piece) = &mut pieces[0] else { panic!() };
    piece.data.cell.push(Attribute::lookup_table("colors").with_data(vec![0_u8; 4]));
    let (_, report) = io::vtkio::solid(&data).unwrap();
    assert_eq!(report.skipped, ["lookup table `colors`"]);
}

/// A grid of 2 × 1 × 1 cells in each of the three structured forms.
#[test]
fn structured_grids_are_hexahedra() {
    let extent = Extent::Dims([3, 2, 2]);
    let heat = DataArray::scalars("heat", 1).with_vec((0..12).collect::<Vec<i32>>());
    let material = DataArray::scalars("material", 1).with_vec(vec![3_u8, 4]);
    let data = Attributes {
        point: vec![Attribute::DataArray(heat)],
        cell: vec![Attribute::DataArray(material)],
    };
    let image = DataSet::ImageData {
        extent: extent.clone(),
        origin: [1.0, 0.0, 0.0],
        spacing: [0.5, 2.0, 1.0],
        meta: None,
        pieces: vec![Piece::Inline(Box::new(ImageDataPiece {
            extent: extent.clone(),
            data: data.clone(),
        }))],
    };
    let coords = Coordinates {
        x: vec![1.0_f64, 1.5, 2.0].into(),
        y: vec![0_i32, 2].into(),
        z: vec![0.0_f32, 1.0].into(),
    };
    let rectilinear = RectilinearGridPiece { extent: extent.clone(), coords, data: data.clone() };
    let (mesh, _) = io::vtkio::solid(&vtk(image)).unwrap();
    assert_eq!(mesh.points[4], [1.5, 2.0, 0.0]);
    assert_eq!(
        mesh.cells.hexahedra().unwrap(),
        [[0, 1, 4, 3, 6, 7, 10, 9], [1, 2, 5, 4, 7, 8, 11, 10]]
    );
    assert_eq!(mesh.attributes[0].values[11], 11.0);
    let materials = CellArray::new("material", 1, vec![3.0, 4.0], true);
    assert_eq!(mesh.cell_data, [materials]);
    assert_eq!(io::vtkio::solid(&vtk(rectilinear)).unwrap().0, mesh);
    let points = IOBuffer::F64(mesh.points.as_flattened().to_vec());
    let curved = StructuredGridPiece { extent, points, data };
    assert_eq!(io::vtkio::solid(&vtk(curved)).unwrap().0, mesh);
}

/// Hostile data is refused in words.
#[test]
fn wrong_data_is_refused() {
    let mesh = io::read(model("bracket.vtk")).unwrap();
    let changed = |change: &dyn Fn(&mut UnstructuredGridPiece)| {
        let good = io::vtkio::from_solid(&mesh).unwrap();
        let DataSet::UnstructuredGrid { mut pieces, .. } = good.data else { panic!() };
        let Piece::Inline(piece) = &mut pieces[0] else { panic!() };
        change(piece);
        refusal(io::vtkio::solid(&vtk(DataSet::UnstructuredGrid { meta: None, pieces })))
    };
    let legacy = |vertices: Vec<u32>| VertexNumbers::Legacy { num_cells: 9, vertices };
    for (fragment, message) in [
        ("not a multiple of 3", changed(&|piece| piece.points = vec![1.0_f64; 4].into())),
        ("are not numbers", changed(&|piece| piece.points = IOBuffer::Bit(vec![1; 3]))),
        ("(NaN, 0, 0)", changed(&|piece| piece.points = vec![f64::NAN, 0.0, 0.0].into())),
        ("have 1 type", changed(&|piece| piece.cells.types.truncate(1))),
        (
            "connectivity",
            changed(&|piece| {
                piece.cells.types.truncate(1);
                piece.cells.cell_verts = legacy(vec![8, 0, 1]);
            }),
        ),
        (
            "names vertex",
            changed(&|piece| {
                piece.cells.types.truncate(1);
                piece.cells.cell_verts = legacy(vec![8, 0, 1, 2, 3, 4, 5, 6, u32::MAX]);
            }),
        ),
        (
            "names vertex",
            changed(&|piece| {
                piece.cells.types.truncate(1);
                let connectivity = vec![0, 1, 2, 3, 4, 5, 6, u64::MAX];
                piece.cells.cell_verts = VertexNumbers::XML { connectivity, offsets: vec![0, 8] };
            }),
        ),
        (
            "1 value",
            changed(&|piece| {
                let short = DataArray::scalars("heat", 1).with_vec(vec![1.0_f64]);
                piece.data.point.push(Attribute::DataArray(short));
            }),
        ),
    ] {
        assert!(message.contains(fragment), "{message}");
    }
    let source =
        DataSet::UnstructuredGrid { meta: None, pieces: vec![Piece::Source("a.vtu".into(), None)] };
    assert!(refusal(io::vtkio::solid(&vtk(source))).contains("`a.vtu` is not loaded"));
    let polygons = || vtk(PolyDataPiece::default());
    assert!(refusal(io::vtkio::solid(&polygons())).contains("are a surface"));
    assert!(refusal(io::vtkio::surface(&polygons())).contains("no faces"));
    #[expect(clippy::reversed_empty_ranges, reason = "as a file may say")]
    let extent = Extent::Ranges([5..=4, 0..=1, 0..=1]);
    let empty =
        StructuredGridPiece { extent, points: IOBuffer::default(), data: Attributes::new() };
    assert!(refusal(io::vtkio::solid(&vtk(empty))).contains("has no cells"));
}

/// Faces stand after all cells, also after none.
#[test]
fn groups_without_cells_are_written() {
    let mut mesh = SolidMesh { points: vec![[0.0; 3]; 4], ..SolidMesh::default() };
    for name in ["first", "second"] {
        let mut faces = Polygons::default();
        faces.push(&[0, 1, 2, 3]);
        mesh.face_groups.push(FaceGroup::new(name, faces));
    }
    let data = io::vtkio::from_solid(&mesh).unwrap();
    let DataSet::UnstructuredGrid { pieces, .. } = &data.data else { panic!() };
    let Piece::Inline(piece) = &pieces[0] else { panic!() };
    let faces = piece.cells.types.len();
    assert_eq!(piece.cells.cell_verts.num_cells(), faces);
    assert!(faces > 0);
}
