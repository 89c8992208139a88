//! Meshes that are refined a block at a time: bit by bit the whole.

use subsolid::backend::{Backend, Cpu, Limit};
use subsolid::mesh::{CellKind, FaceGroup, Polygons, SolidMesh};
use subsolid::parts::{Blocks, Extent};
use subsolid::plan::{Samples, Want};
use subsolid::scheme::VertexRule;
use subsolid::{Solid, refine_mesh};

use crate::parts::with_data;
use crate::support::meshes;

type Bits = Vec<u64>;

fn bits(values: &[f64]) -> Bits {
    values.iter().map(|x| x.to_bits()).collect()
}

/// What a mesh has, by positions instead of numbers of vertices.
#[derive(Debug, Default, PartialEq)]
struct Content {
    // [cell]: positions and attributes of its corners, its own data
    cells: Vec<Bits>,
    // each with its sharpness
    creases: Vec<Bits>,
    corners: Vec<Bits>,
    // by group
    faces: Vec<(String, Vec<Bits>)>,
}

impl Content {
    fn add(&mut self, mesh: &SolidMesh) {
        let position = |v: u32| bits(&mesh.points[v as usize]);
        let positions = |vertices: &[u32]| {
            let mut all: Vec<Bits> = vertices.iter().map(|&v| position(v)).collect();
            all.sort_unstable();
            all.concat()
        };
        for cell in 0..mesh.cells.len() {
            let mut own = Bits::new();
            for &v in mesh.cells.vertices(cell) {
                own.extend(position(v));
                for a in &mesh.attributes {
                    own.extend(bits(&a.values[a.width * v as usize..][..a.width]));
                }
            }
            mesh.cell_data.iter().for_each(|a| own.extend(bits(&a.values[cell..=cell])));
            self.cells.push(own);
        }
        for crease in &mesh.creases.edges {
            let ends = positions(&crease.edge().map(|v| v.0));
            self.creases.push([ends, bits(&[crease.sharpness])].concat());
        }
        for corner in &mesh.creases.corners {
            self.corners.push([position(corner.vertex.0), bits(&[corner.sharpness])].concat());
        }
        for group in &mesh.face_groups {
            let faces = group.faces.iter().map(positions);
            match self.faces.iter_mut().find(|(name, _)| *name == group.name) {
                Some((_, known)) => known.extend(faces),
                None => self.faces.push((group.name.clone(), faces.collect())),
            }
        }
    }

    fn sorted(mut self) -> Self {
        self.creases.sort_unstable();
        self.corners.sort_unstable();
        // pieces that share a vertex each have its corner
        self.corners.dedup();
        self.faces.iter_mut().for_each(|(_, faces)| faces.sort_unstable());
        self
    }
}

fn compare_pieces(name: &str, mesh: &SolidMesh, levels: usize, rule: VertexRule) {
    let whole = refine_mesh(mesh, levels, rule).unwrap();
    let mut expected = Content::default();
    expected.add(&whole);
    let expected = expected.sorted();
    let blocks = Blocks::new(mesh, levels, rule).unwrap();
    let count = blocks.count();
    assert_eq!(count, whole.cells.len());
    assert_eq!(blocks.has_corners(), !whole.creases.corners.is_empty(), "{name}");
    for step in [count.div_ceil(7), count.div_ceil(2), count] {
        let (mut found, mut vertices) = (Content::default(), 0);
        for first in (0..count).step_by(step) {
            let own = blocks.block(first..(first + step).min(count)).unwrap().own();
            found.add(&own.mesh);
            vertices += own.first_vertices;
        }
        assert_eq!(vertices, whole.points.len(), "{name}");
        assert!(found.sorted() == expected, "{name}, {levels} levels, blocks of {step}");
    }
}

#[test]
fn pieces_make_the_refined_mesh() {
    let sharpness = [0.4, 1.0, 2.3, f64::INFINITY];
    let mut all = meshes::shapes();
    all.push(("mixed".into(), meshes::mixed()));
    for (seed, (name, mut mesh)) in (0..).zip(all) {
        meshes::crease_at_random(&mut mesh, &sharpness, 3, seed);
        let mesh = with_data(mesh);
        assert!(mesh.face_groups.iter().any(|group| !group.faces.is_empty()));
        compare_pieces(&name, &mesh, 1, VertexRule::LayerConsistent);
        if mesh.cells.len() < 100 {
            compare_pieces(&name, &mesh, 2, VertexRule::JoyMacCracken);
        }
    }
}

/// A pentagonal prism with a reflex corner has all vertices of the face that the wedge in its notch
/// shows; a block of the cube beside the prism does not have the wedge.
#[test]
fn faces_are_with_cells_that_have_them() {
    let plan = [[0, 2], [1, 1], [2, 2], [2, 0], [0, 0], [2, -2], [0, -2]];
    let level = |z: f64| plan.map(|[x, y]| [f64::from(x), f64::from(y), z]);
    let mut mesh = SolidMesh { points: [level(0.0), level(1.0)].concat(), ..SolidMesh::default() };
    let mut faces = vec![vec![0, 1, 2, 3, 4], vec![11, 10, 9, 8, 7]];
    faces.extend((0..5_u32).map(|i| vec![(i + 1) % 5, i, i + 7, (i + 1) % 5 + 7]));
    mesh.cells.push_polyhedron(faces.iter().map(Vec::as_slice));
    mesh.cells.push(CellKind::Wedge, &[0, 1, 2, 7, 8, 9]);
    mesh.cells.push(CellKind::Hexahedron, &[4, 3, 5, 6, 11, 10, 12, 13]);
    mesh.face_groups = vec![FaceGroup::new("load", Polygons::uniform(4, vec![0, 2, 9, 7]))];
    compare_pieces("notch", &mesh, 1, VertexRule::LayerConsistent);
}

/// A fault is told in the ids of the whole, as without blocks.
#[test]
fn faults_are_those_of_the_whole() {
    let blocks_of_nine = meshes::block([3, 3, 1]);
    let mut mesh = SolidMesh { points: blocks_of_nine.points.clone(), ..SolidMesh::default() };
    // the last two touch in an edge only
    for cell in [0, 4, 8] {
        mesh.cells.push(CellKind::Hexahedron, blocks_of_nine.cells.vertices(cell));
    }
    let rule = VertexRule::default();
    let expected = refine_mesh(&mesh, 1, rule).unwrap_err().to_string();
    assert!(expected.contains("boundary faces"), "{expected}");
    let blocks = Blocks::new(&mesh, 1, rule).unwrap();
    assert_eq!(blocks.block(16..24).unwrap_err().to_string(), expected);
    let blocks = Blocks::new(&mesh, 0, rule).unwrap();
    let error = blocks.block(2..3).unwrap().solid().unwrap_err();
    assert_ne!(error.to_string(), expected);
    assert_eq!(blocks.fault(error).to_string(), expected);
}

fn evaluated(solid: &Solid, mesh: &SolidMesh) -> Limit {
    let plan = solid.plan(&Samples::grid(3), Want::FIRST).unwrap();
    Cpu::default().evaluate(&plan, mesh.controls()).unwrap()
}

/// Positions, derivatives and attributes of 27 samples of some elements.
fn of_elements(limit: &Limit, elements: std::ops::Range<usize>) -> Bits {
    let arrays = std::iter::once((&limit.positions, 3))
        .chain(limit.derivatives.iter().map(|values| (values, 3)))
        .chain(limit.attributes.iter().map(|values| (values, 2)));
    let of = |width: usize| 27 * width * elements.start..27 * width * elements.end;
    arrays.flat_map(|(values, width)| of(width).map(|i| values.get(i).to_bits())).collect()
}

#[test]
fn blocks_have_the_limits_of_the_whole() {
    let mut all = meshes::shapes();
    all.retain(|(_, mesh)| mesh.cells.len() < 200);
    all.push(("mixed".into(), meshes::mixed()));
    for (seed, (name, mut mesh)) in (0..).zip(all) {
        meshes::crease_at_random(&mut mesh, &[0.6, f64::INFINITY], 2, seed);
        mesh.points.iter_mut().for_each(|p| p[0] += 1e4);
        let mesh = with_data(mesh);
        for levels in 0..2 {
            let rule = VertexRule::default();
            let whole = refine_mesh(&mesh, levels, rule).unwrap();
            let expected = evaluated(&Solid::new(&whole).unwrap(), &whole);
            let mut blocks = Blocks::new(&mesh, levels, rule).unwrap();
            if levels > 0 {
                let cells = blocks.cell_count();
                let halves = [0..cells / 2, cells / 2..cells];
                let extents = halves.map(|half| blocks.extent(half).unwrap());
                let joined = extents.iter().fold(Extent::default(), |all, own| all.joined(own));
                let numbers = joined.to_numbers();
                assert!(Extent::from_numbers(&numbers[..numbers.len() - 1]).is_err());
                let sent = Extent::from_numbers(&numbers).unwrap();
                assert_eq!(sent, joined);
                blocks.set_extent(sent);
            }
            let count = blocks.count();
            let step = count.div_ceil(5);
            for first in (0..count).step_by(step) {
                let range = first..(first + step).min(count);
                let block = blocks.block(range.clone()).unwrap();
                let limit = evaluated(&block.solid().unwrap(), &block.mesh);
                assert!(
                    of_elements(&limit, block.elements) == of_elements(&expected, range.clone()),
                    "{name}, {levels} levels, elements {range:?}"
                );
            }
        }
    }
}
