//! Incidence of solids and surfaces on small meshes that can be counted by hand.

use std::array::from_fn;

use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CellKind, Cells, Polygons, SolidMesh};
use subsolid::refine::refine_mesh;
use subsolid::scheme::VertexRule;
use subsolid::topology::order::{DownwardIncidence, ElementOrder, EntityKind};
use subsolid::topology::surface::{Columns, SurfaceTopology};
use subsolid::topology::{NONE, Orientation, Rows, Topology};

#[test]
fn two_hexahedra_share_one_face() {
    let mut cells = Cells::default();
    cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
    cells.push(CellKind::Hexahedron, &[4, 5, 6, 7, 8, 9, 10, 11]);
    let topology = Topology::build(cells, 12).unwrap();
    assert_eq!(topology.face_count(), 11);
    assert_eq!(topology.edge_count(), 20);
    let shared = topology.cell_faces(0)[5];
    assert_eq!(topology.cell_faces(1)[4], shared);
    assert_eq!(topology.face_cells(shared), [0, 1]);
    assert_eq!((0..11).filter(|&f| topology.is_boundary_face(f)).count(), 10);
    let is_wanted = |&edge: &u32| topology.edge_vertices(edge) == [4, 5];
    let edge = (0..20).find(is_wanted).expect("an edge of both cells");
    assert_eq!(topology.edge_faces(edge).len(), 3);
}

/// The sorted vertices of the faces and their cells.
fn faces(cells: Cells, vertex_count: usize) -> Vec<(Vec<u32>, [u32; 2])> {
    let topology = Topology::build(cells, vertex_count).unwrap();
    let face = |f: u32| {
        let mut face = topology.face_vertices(f).to_vec();
        face.sort_unstable();
        (face, topology.face_cells(f))
    };
    (0..topology.face_count() as u32).map(face).collect()
}

#[test]
fn faces_ascend_with_their_vertices() {
    let mut cells = Cells::default();
    cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
    cells.push(CellKind::Wedge, &[5, 4, 9, 6, 7, 8]);
    let faces = faces(cells, 10);
    assert!(faces.is_sorted());
    let shared: Vec<_> = faces.iter().filter(|(_, cells)| cells[1] != NONE).collect();
    assert_eq!(shared, [&(vec![4, 5, 6, 7], [0, 1])]);
}

#[test]
fn polygons_with_equal_first_vertices_are_different_faces() {
    // two prisms over a pentagon and a hexagon that share five vertices, and a side that is the
    // one's alone
    let prism = |cycle: [u32; 5], below: [u32; 5]| -> Vec<Vec<u32>> {
        let side = |i: usize| vec![cycle[i], cycle[(i + 1) % 5], below[(i + 1) % 5], below[i]];
        [cycle.to_vec(), below.to_vec()].into_iter().chain((0..5).map(side)).collect()
    };
    let mut cells = Cells::default();
    for faces in
        [prism([0, 1, 2, 3, 4], [10, 11, 12, 13, 14]), prism([0, 1, 2, 3, 5], [20, 21, 22, 23, 24])]
    {
        cells.push_polyhedron(faces.iter().map(Vec::as_slice));
    }
    let faces = faces(cells, 25);
    assert!(faces.contains(&(vec![0, 1, 2, 3, 4], [0, NONE])));
    assert!(faces.contains(&(vec![0, 1, 2, 3, 5], [1, NONE])));
    assert_eq!(faces.len(), 14);
}

/// Two cells at a common triangle, both on the same side of it: one is inverted. Its children
/// are left-handed, and the boundary that the cells have is closed.
#[test]
fn inverted_cells_are_turned_as_their_neighbors() {
    let points = vec![
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 1.0],
        // beyond the triangle 1 2 3 it would be at 0.6
        [0.1, 0.1, 0.1],
    ];
    let as_faces = |[a, b, c, d]: [u32; 4]| [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
    for is_polyhedron in [false, true] {
        let mut mesh = SolidMesh { points: points.clone(), ..SolidMesh::default() };
        mesh.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 3]);
        if is_polyhedron {
            mesh.cells.push_polyhedron(as_faces([1, 2, 3, 4]).iter().map(|f| &f[..]))
        } else {
            mesh.cells.push(CellKind::Tetrahedron, &[1, 2, 3, 4])
        }
        let topology = Topology::of_mesh(&mesh).unwrap();
        let orientation = Orientation::new(&topology, &mesh.points).unwrap();
        assert_eq!(orientation, Orientation::default());
        assert_eq!(topology.inverted_cells().len(), 1);
        let refined = refine_mesh(&mesh, 1, VertexRule::default()).unwrap();
        assert_eq!(refined.handedness().left_handed, 4);
    }
}

#[test]
fn transposing_twice_restores_sorted_rows() {
    let mut rows = Rows::default();
    rows.push([0, 2, 3]);
    rows.push([]);
    rows.push([1, 2]);
    let transposed = rows.transpose(4);
    assert_eq!(transposed.row(2), [0, 2]);
    assert_eq!(transposed.row(1), [2]);
    assert_eq!(transposed.transpose(3), rows);
}

#[test]
fn uniform_rows_are_rows() {
    let mut rows = Rows::uniform(vec![4, 5, 6, 7, 8, 9], 2);
    let mut pushed = Rows::default();
    [[4, 5], [6, 7], [8, 9]].into_iter().for_each(|row| pushed.push(row));
    assert_eq!(rows, pushed);
    assert_ne!(rows, Rows::uniform(vec![4, 5, 6, 7, 8, 9], 3));
    assert_eq!((rows.len(), rows.start(2), rows.row(1)), (3, 4, &[6, 7][..]));
    rows.push([1, 2, 3]);
    pushed.push([1, 2, 3]);
    assert_eq!(rows, pushed);
    assert_eq!(rows.row(3), [1, 2, 3]);
}

/// Cells of a cube of 2, 4 and 8 a side are the places of the Hilbert curve: each is a neighbor of
/// the one before.
#[test]
fn neighbors_on_the_curve_are_neighbors_in_the_grid() {
    for bits in 1..=3 {
        let n = 1_usize << bits;
        let mesh = Shape::Box { cells: [n; 3] }.build().unwrap();
        let incidence = DownwardIncidence::of_solid(&Topology::of_mesh(&mesh).unwrap());
        let order = ElementOrder::new(&incidence, &mesh.points, 1).unwrap();
        let cells = order.originals(EntityKind::Cell);
        assert_eq!(cells.len(), n.pow(3));
        let place = |cell: u32| -> [i64; 3] {
            let corners = mesh.cells.hexahedron(cell as usize).unwrap();
            from_fn(|d| {
                let along = corners.iter().map(|&v| mesh.points[v as usize][d] as i64);
                along.min().unwrap()
            })
        };
        for pair in cells.windows(2) {
            let [a, b] = [0, 1].map(|i| place(pair[i]));
            let steps: u64 = (0..3).map(|d| a[d].abs_diff(b[d])).sum();
            assert_eq!(steps, 1, "{a:?} {b:?}");
        }
    }
}

#[test]
fn points_at_one_place_or_far_apart_have_an_order() {
    let mesh = Shape::Box { cells: [2, 1, 1] }.build().unwrap();
    let incidence = DownwardIncidence::of_solid(&Topology::of_mesh(&mesh).unwrap());
    let order = |points: &[[f64; 3]]| ElementOrder::new(&incidence, points, 1).unwrap();
    let one = order(&vec![[3.0; 3]; mesh.points.len()]);
    assert_eq!(one.originals(EntityKind::Vertex).len(), mesh.points.len());
    let far = |p: &[f64; 3]| if p[0] == 2.0 { [f64::MAX; 3] } else { [f64::MIN; 3] };
    let far = order(&mesh.points.iter().map(far).collect::<Vec<_>>());
    assert_eq!(far.originals(EntityKind::Cell), [0, 1]);
}

/// A triangle on a square on a pentagon.
fn roof() -> SurfaceTopology {
    let mut faces = Polygons::default();
    let all: [&[u32]; 3] = [&[0, 1, 2], &[0, 3, 4, 1], &[4, 3, 5, 6, 7]];
    all.iter().for_each(|face| faces.push(face));
    SurfaceTopology::build(8, Columns::of(&faces), faces.vertices().to_vec())
}

#[test]
fn edges_of_surfaces_are_numbered_by_their_ends() {
    let topology = roof();
    let ends = |edge: u32| {
        let corner = topology.edge_corners[edge as usize][0];
        let [a, b] = [corner, topology.columns.next(corner)].map(|c| topology.vertex(c));
        [a.min(b), a.max(b)]
    };
    assert!((0..10).map(ends).is_sorted());
    assert_eq!(topology.edge_corners[0], [0, 6]); // 0–1
    assert_eq!(topology.edge_corners.iter().filter(|corners| corners[1] == NONE).count(), 8);
    assert_eq!(topology.neighbors().row(4), [1, 3, 7]);
    assert_eq!(topology.vertex_corners().row(3), [4, 8]);
    for (corner, &edge) in (0..).zip(&topology.edges) {
        let [a, b] = [corner, topology.columns.next(corner)].map(|c| topology.vertex(c));
        assert_eq!(ends(edge), [a.min(b), a.max(b)]);
    }
    assert_eq!((topology.face(1), topology.face(2)), (&[0, 3, 4, 1][..], &[4, 3, 5, 6, 7][..]));
    assert!(topology.non_manifold_edges.is_empty());
    let book =
        SurfaceTopology::build(6, Columns::Uniform(3), vec![0, 1, 2, 1, 0, 3, 0, 1, 4, 4, 1, 5]);
    assert_eq!(book.non_manifold_edges, [book.edges[0]]);
}

#[test]
fn columns_are_those_of_polygons() {
    let mut polygons = Polygons::default();
    assert_eq!(Columns::of(&Polygons::uniform(4, vec![0; 8])), Columns::Uniform(4));
    polygons.push(&[0; 3]);
    polygons.push(&[0; 4]);
    let columns = Columns::of(&polygons);
    assert_eq!((columns.corners(1), columns.face(2), columns.face(3)), (3..7, 0, 1));
    let next: Vec<u32> = (0..7).map(|corner| columns.next(corner)).collect();
    assert_eq!(next, [1, 2, 0, 4, 5, 6, 3]);
    assert!((0..7).all(|corner| columns.previous(columns.next(corner)) == corner));
}
