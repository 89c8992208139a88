//! Files for finite-element programs, read back with all groups.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use subsolid::io::{
    Dataset, DatasetCells, MeshFormat, WriteOptions, check_output, check_output_as,
    hexahedron_order, read_with_report, vtk_type, write,
};
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, CellArray, FaceGroup, Polygons, SolidMesh};
use tempfile::tempdir;

use super::models::mixed_mesh;

/// A box of 3 × 2 × 2 cells of two materials; the groups `low` and `left` of faces of its boundary
/// share a face, `middle` is between cells.
fn model() -> SolidMesh {
    let mut mesh = Shape::Box { cells: [3, 2, 2] }.build().unwrap();
    let x = |mesh: &SolidMesh, v: u32, d: usize| mesh.points[v as usize][d];
    let count = mesh.cells.len();
    let steel: Vec<u32> = (0..count as u32).filter(|c| c % 3 == 1).collect();
    let rubber = (0..count as u32).filter(|c| c % 3 != 1);
    mesh.cell_data.push(CellArray::group("steel", count, steel.iter().copied()));
    mesh.cell_data.push(CellArray::group("soft rubber", count, rubber));
    let (low, high) = mesh.bounds().unwrap();
    let group = |name: &str, d: usize, at: f64| {
        let mut faces = Polygons::default();
        let mut seen = BTreeSet::new();
        for c in 0..count {
            mesh.cells.for_each_face(c, |face| {
                let is_there = face.iter().all(|&v| (x(&mesh, v, d) - at).abs() < 1e-9);
                let mut key = face.to_vec();
                key.sort_unstable();
                if is_there && seen.insert(key) {
                    faces.push(face);
                }
            });
        }
        assert!(!faces.is_empty(), "{name}");
        FaceGroup::new(name, faces)
    };
    let step = (high[0] - low[0]) / 3.0;
    mesh.face_groups =
        vec![group("low", 2, low[2]), group("left", 0, low[0]), group("middle", 0, low[0] + step)];
    // one face in two groups
    let shared: Vec<u32> = mesh.face_groups[0].faces.face(0).to_vec();
    mesh.face_groups[1].faces.push(&shared);
    let heat = mesh.points.iter().map(|p| p[0] + 0.1).collect();
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values: heat });
    mesh
}

type Groups = BTreeMap<String, BTreeSet<Vec<u32>>>;

fn sorted(face: &[u32]) -> Vec<u32> {
    let mut key = face.to_vec();
    key.sort_unstable();
    key
}

/// Groups of cells by the corners of their cells.
fn cells(mesh: &SolidMesh) -> Groups {
    let of = |array: &CellArray| {
        let members = array.members().map(|c| mesh.cells.vertices(c as usize).to_vec());
        Some((array.group_name()?.to_owned(), members.collect()))
    };
    mesh.cell_data.iter().filter_map(of).collect()
}

fn faces(mesh: &SolidMesh) -> Groups {
    let of = |group: &FaceGroup| (group.name.clone(), group.faces.iter().map(sorted).collect());
    mesh.face_groups.iter().map(of).collect()
}

fn written(mesh: &SolidMesh, path: &Path, format: MeshFormat) -> SolidMesh {
    let options = WriteOptions { compress: false, format: Some(format) };
    write(path, mesh, options).unwrap();
    read_with_report(path).unwrap().0
}

const READ: [MeshFormat; 6] = [
    MeshFormat::Msh,
    MeshFormat::MshBinary,
    MeshFormat::Inp,
    MeshFormat::Mfem,
    MeshFormat::Medit,
    MeshFormat::Exodus,
];

#[test]
fn all_groups_are_read_back() {
    let directory = tempdir().unwrap();
    let mesh = model();
    let all: BTreeSet<&[u32]> = (0..mesh.cells.len()).map(|c| mesh.cells.vertices(c)).collect();
    for format in READ {
        let path = directory.path().join(format!("a.{}", format.extension()));
        let back = written(&mesh, &path, format);
        assert_eq!(back.points, mesh.points, "{format:?}");
        let read: BTreeSet<&[u32]> =
            (0..back.cells.len()).map(|c| back.cells.vertices(c)).collect();
        assert_eq!((back.cells.len(), &read), (mesh.cells.len(), &all), "{format:?}");
        let (mut own_cells, mut own_faces) = (cells(&back), faces(&back));
        let (expected_cells, expected_faces) = (cells(&mesh), faces(&mesh));
        let mut names: Vec<(&str, &str)> =
            ["steel", "soft rubber", "low", "left", "middle"].map(|n| (n, n)).into();
        match format {
            MeshFormat::Msh | MeshFormat::MshBinary | MeshFormat::Exodus => {
                assert_eq!(own_cells.len() + own_faces.len(), 5, "{format:?}");
                assert_eq!(back.attributes, mesh.attributes, "{format:?}");
            }
            MeshFormat::Inp => names[1].1 = "soft_rubber",
            MeshFormat::Mfem => {}
            _ => {
                // references: 1 and 2 of cells; of faces one for each combination
                let references = back.cell_data.iter().find(|a| a.name == "medit:ref").unwrap();
                let of = |reference: f64| {
                    let all = (0..back.cells.len()).filter(|&c| references.values[c] == reference);
                    all.map(|c| back.cells.vertices(c).to_vec()).collect()
                };
                own_cells = [("steel", of(1.0)), ("soft rubber", of(2.0))]
                    .map(|(n, g)| (n.into(), g))
                    .into();
                let said = MeshFormat::Medit.losses(&mesh).join("; ");
                assert!(said.contains("steel (1), soft rubber (2)"), "{said}");
                let said = said.split("groups of faces").nth(1).unwrap();
                let listed = |name: &str| -> BTreeSet<Vec<u32>> {
                    let numbers = said.split(&format!("{name} (")).nth(1).unwrap();
                    let numbers = numbers.split(')').next().unwrap().split(", ");
                    let group = |n: &str| own_faces[&format!("medit:ref:{n}")].clone();
                    numbers.flat_map(group).collect()
                };
                own_faces = ["low", "left", "middle"].map(|n| (n.to_owned(), listed(n))).into();
            }
        }
        for (name, written) in names {
            let own = own_cells.get(written).or_else(|| own_faces.get(written));
            let expected = expected_cells.get(name).or_else(|| expected_faces.get(name));
            assert_eq!(own, expected, "{format:?}: {name}");
        }
    }
}

/// A file of a format, read and written again, has the same numbers and groups.
#[test]
fn numbers_stay() {
    let directory = tempdir().unwrap();
    for (name, text) in [(
        "a.mesh",
        "MeshVersionFormatted 2\nDimension 3\nVertices\n8\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n\
             0 0 1 0\n1 0 1 0\n1 1 1 0\n0 1 1 0\nQuadrilaterals\n2\n1 2 3 4 7\n5 6 7 8 9\n\
             Hexahedra\n1\n1 2 3 4 5 6 7 8 12\nEnd\n",
    )] {
        let path = directory.path().join(name);
        std::fs::write(&path, text).unwrap();
        let mesh = read_with_report(&path).unwrap().0;
        assert_eq!(mesh.cell_data[0].values, [12.0]);
        for (format, array, prefix) in [
            (MeshFormat::Medit, "medit:ref", "medit:ref"),
            (MeshFormat::Mfem, "mfem:attribute", "mfem:bdr_attribute"),
            (MeshFormat::Msh, "gmsh:physical", "gmsh:physical"),
        ] {
            let path = directory.path().join(format!("b.{}", format.extension()));
            let back = written(&mesh, &path, format);
            let own = back.cell_data.iter().find(|own| own.name == array).unwrap();
            assert_eq!(own.values, [12.0], "{format:?}");
            let expected = faces(&mesh);
            let own = faces(&back);
            for n in [7, 9] {
                let key = format!("{prefix}:{n}");
                assert_eq!(own[&key], expected[&format!("medit:ref:{n}")], "{format:?}");
            }
            assert!(format.losses(&mesh).is_empty(), "{:?}", format.losses(&mesh));
        }
    }
}

#[test]
fn wedges_and_tetrahedra_are_read_back_and_polyhedra_refused() {
    let directory = tempdir().unwrap();
    let mut mesh = mixed_mesh();
    for format in READ {
        let path = directory.path().join(format!("a.{}", format.extension()));
        let options = WriteOptions { compress: false, format: Some(format) };
        let error = write(&path, &mesh, options).unwrap_err();
        assert!(error.to_string().contains("cell 1 is a polyhedron"), "{error}");
    }
    let kept: Vec<_> =
        [0, 2, 3].map(|c| (mesh.cells.kind(c), mesh.cells.vertices(c).to_vec())).into();
    mesh.cells = Default::default();
    kept.iter().for_each(|(kind, vertices)| mesh.cells.push(*kind, vertices));
    mesh.face_groups = vec![FaceGroup::new("tip", Polygons::uniform(3, vec![4, 7, 8]))];
    for format in READ {
        let path = directory.path().join(format!("a.{}", format.extension()));
        let back = written(&mesh, &path, format);
        let own: BTreeSet<_> =
            (0..back.cells.len()).map(|c| (back.cells.vertices(c).len(), c)).collect();
        assert_eq!(own.len(), 3, "{format:?}");
        let used = |mesh: &SolidMesh, c: usize| -> BTreeSet<[u64; 3]> {
            let corners = mesh.cells.vertices(c).iter();
            corners.map(|&v| mesh.points[v as usize].map(f64::to_bits)).collect()
        };
        let of = |mesh: &SolidMesh| -> BTreeSet<_> {
            (0..mesh.cells.len()).map(|c| used(mesh, c)).collect()
        };
        assert_eq!(of(&back), of(&mesh), "{format:?}");
        assert!(back.face_groups.iter().any(|group| group.faces.len() == 1), "{format:?}");
    }
}

#[test]
fn what_a_format_does_not_hold_is_said() {
    let mut mesh = model();
    mesh.creases.push_edge(0, 1, f64::INFINITY);
    let density = vec![1.5; mesh.cells.len()];
    mesh.cell_data.push(CellArray::new("density", 1, density, false));
    let losses = |format: MeshFormat| format.losses(&mesh).join("; ");
    assert_eq!(losses(MeshFormat::Msh), "1 crease");
    assert_eq!(losses(MeshFormat::Exodus), "1 crease");
    let lost = "1 crease; the attributes heat; the arrays of cells density";
    assert_eq!(losses(MeshFormat::Mfem), lost);
    let names = "the names of groups of cells: soft rubber (written as soft_rubber)";
    assert_eq!(losses(MeshFormat::Inp), format!("{lost}; {names}"));
    // groups that overlap
    let all = 0..mesh.cells.len() as u32;
    mesh.cell_data.push(CellArray::group("part", mesh.cells.len(), all));
    let said = MeshFormat::Exodus.losses(&mesh).join("; ");
    assert!(said.ends_with("their common blocks are steel+part, soft rubber+part"), "{said}");
}

#[test]
fn formats_are_told_by_endings_and_orders_refused() {
    let directory = tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let message =
        |error: subsolid::Error| format!("{error}; {}", error.help().cloned().unwrap_or_default());
    let error = message(check_output(path("a.mesh")).unwrap_err());
    assert!(error.contains("MFEM and MEDIT both") && error.contains("mfem"), "{error}");
    let error = message(check_output_as(path("a.vtu"), Some(MeshFormat::Mfem)).unwrap_err());
    assert!(error.contains("a format of .mesh files"), "{error}");
    assert!(check_output_as(path("A.MSH"), Some(MeshFormat::MshBinary)).is_ok());
    for (format, most) in
        [(MeshFormat::Msh, 9), (MeshFormat::Inp, 2), (MeshFormat::Mfem, 10), (MeshFormat::Medit, 1)]
    {
        assert!(format.check_order(most).is_ok());
        let error = message(format.check_order(most + 1).unwrap_err());
        assert!(error.contains(&format!("order {}", most + 1)), "{error}");
    }
    let points = Dataset::point_cloud(vec![[0.0; 3]]);
    let error = write(path("a.msh"), &points, WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("cell 0 is a point"), "{error}");
}

/// Nodes of a curved hexahedron, each in a place of its own, by what they are in the middle of.
#[test]
fn quadratic_nodes_are_read_back() {
    let directory = tempdir().unwrap();
    let order = hexahedron_order(2);
    let bend = |[i, j, k]: [usize; 3]| {
        let is_corner = [i, j, k].iter().all(|x| x % 2 == 0);
        let bend = if is_corner { 0.0 } else { 1e-3 * (i + 3 * j + 9 * k) as f64 };
        [i, j, k].map(|x| 0.5 * x as f64 + bend)
    };
    let points: Vec<_> = order.iter().map(|&at| bend(at)).collect();
    let connectivity = (0..27).collect();
    let cells =
        DatasetCells::Uniform { vtk_type: vtk_type::LAGRANGE_HEXAHEDRON, size: 27, connectivity };
    let data = Dataset::new(points, cells);
    for (name, count) in [("a.vtu", 19), ("a.msh", 19), ("a.exo", 19), ("a.inp", 12)] {
        let path = directory.path().join(name);
        write(&path, &data, WriteOptions::default()).unwrap();
        let (mesh, report) = read_with_report(&path).unwrap();
        let nodes = &report.curved_nodes;
        assert_eq!((mesh.points.len(), nodes.len()), (8, count), "{name}");
        for node in nodes {
            let ends = node.between.map(|c| mesh.points[c as usize]);
            let at = [0, 1, 2].map(|d| (ends[0][d] + ends[1][d]) as usize);
            assert_eq!(node.point, bend(at), "{name} {at:?}");
        }
    }
}
