//! Bodies that touch along edges and faces.

use subsolid::mesh::{Polygons, SurfaceMesh};
use subsolid::surface::{SurfaceSummary, separate_parts};

/// The faces of unit cubes at these places, over shared vertices.
fn cubes(places: &[[u32; 3]]) -> SurfaceMesh {
    const FACES: [[usize; 4]; 6] =
        [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];
    const CORNERS: [[u32; 3]; 8] =
        [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1], [0, 1, 1]];
    let points = (0..64).map(|i| [i % 4, i / 4 % 4, i / 16].map(f64::from)).collect();
    let mut faces = Polygons::default();
    for place in places {
        let id = |c: usize| {
            let [x, y, z] = [0, 1, 2].map(|d| place[d] + CORNERS[c][d]);
            x + 4 * y + 16 * z
        };
        FACES.iter().for_each(|face| faces.push(&face.map(id)));
    }
    SurfaceMesh::new(points, faces)
}

#[test]
fn bodies_that_touch_get_vertices_of_their_own() {
    // edges, a face, a full corner of eight places less two, four around an edge
    let all: Vec<[u32; 3]> = (0..8).map(|i| [i & 1, i >> 1 & 1, i >> 2]).collect();
    for (places, parts) in [
        (vec![[0, 0, 0], [1, 1, 0]], 2),
        (vec![[0, 0, 0], [1, 0, 0]], 2),
        (all[1..7].to_vec(), 6),
        (vec![[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], 4),
    ] {
        let mesh = cubes(&places);
        let (separate, edges) = separate_parts(&mesh).unwrap();
        assert!(edges > 0);
        let found = SurfaceSummary::new(&separate).unwrap();
        let open = [found.non_manifold_edges, found.boundary_edges, found.inconsistent_edges];
        assert_eq!((open, found.parts), ([0; 3], parts), "{places:?}");
        for (a, b) in mesh.faces.vertices().iter().zip(separate.faces.vertices()) {
            assert_eq!(mesh.points[*a as usize], separate.points[*b as usize]);
        }
        assert!(separate_parts(&separate).is_none());
    }
    assert!(separate_parts(&cubes(&[[0, 0, 0]])).is_none());
    // three pages enclose nothing
    let points = (0..5).map(|v| [f64::from(v % 2), f64::from(v / 2), f64::from(v * v)]).collect();
    let pages = Polygons::uniform(3, vec![0, 1, 2, 0, 1, 3, 0, 1, 4]);
    assert!(separate_parts(&SurfaceMesh::new(points, pages)).is_none());
}
