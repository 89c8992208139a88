//! Procedural control meshes: counts, validity and the valences they are made for.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use subsolid::mesh::shape::{Shape, VertexLink};
use subsolid::mesh::{CellKind, SolidMesh};

/// Neighbors of each corner along u, v, w, in right-handed order.
const CORNER_AXES: [[usize; 3]; 8] =
    [[1, 3, 4], [2, 0, 5], [3, 1, 6], [0, 2, 7], [7, 5, 0], [4, 6, 1], [5, 7, 2], [6, 4, 3]];

type Edge = [u32; 2];

fn edge(a: u32, b: u32) -> Edge {
    [a.min(b), a.max(b)]
}

/// Incidence of a mesh by plain hashing.
struct Incidence {
    vertices: usize,
    cells: usize,
    /// Faces of each edge.
    edges: HashMap<Edge, usize>,
    /// Cells of each face.
    faces: HashMap<[u32; 4], usize>,
    /// Faces of one cell, as they run around it.
    boundary: Vec<[u32; 4]>,
}

impl Incidence {
    fn new(mesh: &SolidMesh) -> Self {
        let mut seen: HashMap<[u32; 4], Vec<[u32; 4]>> = HashMap::new();
        for c in 0..mesh.cells.len() {
            assert_eq!(mesh.cells.kind(c), CellKind::Hexahedron);
            mesh.cells.for_each_face(c, |face| {
                let face: [u32; 4] = face.try_into().unwrap();
                let mut key = face;
                key.sort_unstable();
                seen.entry(key).or_default().push(face);
            });
        }
        let mut edges = HashMap::new();
        for face in seen.values().map(|cycles| cycles[0]) {
            for i in 0..4 {
                *edges.entry(edge(face[i], face[(i + 1) % 4])).or_default() += 1;
            }
        }
        let boundary = seen.values().filter(|f| f.len() == 1).map(|f| f[0]).collect();
        Self {
            vertices: mesh.points.len(),
            cells: mesh.cells.len(),
            edges,
            faces: seen.into_iter().map(|(key, cycles)| (key, cycles.len())).collect(),
            boundary,
        }
    }

    fn euler_characteristic(&self) -> i64 {
        self.vertices as i64 - self.edges.len() as i64 + self.faces.len() as i64 - self.cells as i64
    }

    fn boundary_edges(&self) -> HashMap<Edge, usize> {
        let mut edges = HashMap::new();
        for face in &self.boundary {
            for i in 0..4 {
                *edges.entry(edge(face[i], face[(i + 1) % 4])).or_default() += 1;
            }
        }
        edges
    }

    /// Valence → number of edges, of the interior or of the boundary edges.
    fn valences(&self, on_boundary: bool) -> BTreeMap<usize, usize> {
        let boundary = self.boundary_edges();
        let mut counts = BTreeMap::new();
        for (edge, &valence) in &self.edges {
            if boundary.contains_key(edge) == on_boundary {
                *counts.entry(valence).or_default() += 1;
            }
        }
        counts
    }

    /// Sorted valences of the edges at vertex `v`.
    fn valences_at(&self, v: u32) -> Vec<usize> {
        let mut valences: Vec<usize> =
            self.edges.iter().filter(|(e, _)| e.contains(&v)).map(|(_, &n)| n).collect();
        valences.sort_unstable();
        valences
    }
}

/// What every shape owes.
fn check(mesh: &SolidMesh, euler_characteristic: i64, name: &str) -> Incidence {
    let mut used = vec![false; mesh.points.len()];
    for c in 0..mesh.cells.len() {
        let corners = mesh.cells.hexahedron(c).unwrap();
        assert_eq!(corners.iter().collect::<HashSet<_>>().len(), 8, "{name}: cell {c} repeats");
        let p = corners.map(|v| mesh.points[v as usize]);
        corners.iter().for_each(|&v| used[v as usize] = true);
        for (corner, axes) in CORNER_AXES.iter().enumerate() {
            let e = axes.map(|n| [0, 1, 2].map(|d| p[n][d] - p[corner][d]));
            let length = |v: [f64; 3]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
            let scaled = determinant(e) / e.iter().map(|&v| length(v)).product::<f64>();
            assert!(scaled > 0.02, "{name}: cell {c} corner {corner}: scaled Jacobian {scaled}");
        }
    }
    assert!(used.iter().all(|&u| u), "{name}: orphan vertices");

    let bits: HashSet<_> = mesh.points.iter().map(|p| p.map(|x| (x + 0.0).to_bits())).collect();
    assert_eq!(bits.len(), mesh.points.len(), "{name}: vertices at the same place");

    let incidence = Incidence::new(mesh);
    assert!(incidence.faces.values().all(|&n| n <= 2), "{name}: three cells at a face");
    assert_eq!(incidence.euler_characteristic(), euler_characteristic, "{name}: Euler");
    check_boundary(&incidence, name);
    incidence
}

/// The boundary is a closed 2-manifold with one winding.
fn check_boundary(incidence: &Incidence, name: &str) {
    assert!(incidence.boundary_edges().values().all(|&n| n == 2), "{name}: boundary edge");
    // At each vertex, the step from one boundary edge to the next.
    let mut fans: HashMap<u32, HashMap<u32, u32>> = HashMap::new();
    for face in &incidence.boundary {
        for i in 0..4 {
            let (v, next, last) = (face[i], face[(i + 1) % 4], face[(i + 3) % 4]);
            let previous = fans.entry(v).or_default().insert(next, last);
            assert_eq!(previous, None, "{name}: the boundary winds both ways at vertex {v}");
        }
    }
    for (v, steps) in fans {
        let start = *steps.keys().next().unwrap();
        let mut at = steps[&start];
        let mut length = 1;
        while at != start {
            at = steps[&at];
            length += 1;
        }
        assert_eq!(length, steps.len(), "{name}: boundary vertex {v} has two fans");
    }
}

fn determinant([a, b, c]: [[f64; 3]; 3]) -> f64 {
    a[0] * (b[1] * c[2] - b[2] * c[1])
        + a[1] * (b[2] * c[0] - b[0] * c[2])
        + a[2] * (b[0] * c[1] - b[1] * c[0])
}

fn build(name: &str, sizes: &[usize]) -> SolidMesh {
    let shape = Shape::parse(name, sizes).unwrap();
    let mesh = shape.build().unwrap();
    assert_eq!(mesh.cells.len() as u128, shape.cells(), "{name}: announced cells");
    mesh
}

fn histogram<const N: usize>(entries: [(usize, usize); N]) -> BTreeMap<usize, usize> {
    entries.into_iter().collect()
}

#[test]
fn every_named_shape_is_valid_by_default_and_the_same_every_time() {
    for known in Shape::NAMES {
        let mesh = build(known.name, &[]);
        let (rings, holes) = match known.name {
            "torus" => (1, 0),
            "bracket" => (0, 2),
            _ => (0, 0),
        };
        check(&mesh, 1 - rings - holes, known.name);
        assert_eq!(mesh, build(known.name, &[]), "{}", known.name);
    }
}

#[test]
fn default_sizes_are_those_documented() {
    for known in Shape::NAMES {
        let sizes: Vec<usize> = known
            .sizes
            .split_whitespace()
            .map(|size| size.split_once('=').unwrap().1.parse().unwrap())
            .collect();
        let shape = Shape::parse(known.name, &[]).unwrap();
        assert_eq!(shape, Shape::parse(known.name, &sizes).unwrap(), "{}", known.name);
        let too_many = [sizes, vec![1]].concat();
        assert!(Shape::parse(known.name, &too_many).is_err(), "{}", known.name);
    }
}

#[test]
fn box_has_its_grid() {
    let mesh = build("box", &[]);
    let incidence = check(&mesh, 1, "box");
    assert_eq!((mesh.points.len(), mesh.cells.len()), (3 * 3 * 7, 24));
    assert_eq!(mesh.bounds(), Some(([0.0; 3], [2.0, 2.0, 6.0])));
    assert_eq!(incidence.valences(false), histogram([(4, 6 + 5 * 4)]));
    assert_eq!(incidence.valences(true)[&2], 4 * (2 + 2 + 6));
    check(&build("box", &[1, 1, 1]), 1, "box 1");
    check(&build("box", &[3, 1, 4]), 1, "box 3 1 4");
}

#[test]
fn fan_has_its_valence_on_the_axis() {
    for valence in [3, 4, 5, 6, 8, 11, 40] {
        for (layers, rings) in [(1, 1), (4, 3), (2, 5)] {
            let mesh = build("fan", &[valence, layers, rings]);
            let incidence = check(&mesh, 1, &format!("fan {valence} {layers} {rings}"));
            let on_axis: Vec<usize> = incidence
                .edges
                .iter()
                .filter(|(e, _)| {
                    e.iter().all(|&v| mesh.points[v as usize][..2].iter().all(|x| *x == 0.0))
                })
                .map(|(_, &n)| n)
                .collect();
            assert_eq!(on_axis, vec![valence; layers]);
            let mut interior = incidence.valences(false);
            let ordinary = interior.remove(&4).unwrap_or(0);
            let axis = if valence == 4 { vec![] } else { vec![(valence, layers)] };
            assert_eq!(interior.into_iter().collect::<Vec<_>>(), axis);
            assert_eq!(ordinary > 0, rings > 1 || layers > 1 || valence == 4);
        }
    }
}

#[test]
fn links_have_their_degrees_at_the_center() {
    let cases: [(&str, &[usize]); 6] = [
        ("link-tetrahedron", &[3; 4]),
        ("link-bipyramid3", &[3, 3, 4, 4, 4]),
        ("link-octahedron", &[4; 6]),
        ("link-3444555", &[3, 4, 4, 4, 5, 5, 5]),
        ("link-bipyramid5", &[4, 4, 4, 4, 4, 5, 5]),
        ("link-icosahedron", &[5; 12]),
    ];
    for (name, degrees) in cases {
        for rings in 1..=4 {
            let mesh = build(name, &[rings]);
            let incidence = check(&mesh, 1, name);
            let center = mesh.points.iter().position(|p| *p == [0.0; 3]).unwrap() as u32;
            assert_eq!(incidence.valences_at(center), degrees, "{name}");
            let extraordinary = degrees.iter().filter(|&&n| n != 4).count();
            let interior = incidence.valences(false);
            let found: usize = interior.iter().filter(|(n, _)| **n != 4).map(|(_, &k)| k).sum();
            assert_eq!(found, rings * extraordinary, "{name}");
        }
    }
}

#[test]
fn stacked_octahedron_has_a_triangle_of_degree_4_vertices() {
    let link = VertexLink::stacked_octahedron();
    let degree = |v: u32| link.triangles().iter().filter(|t| t.contains(&v)).count();
    let found = link.triangles().iter().filter(|t| t.iter().all(|&v| degree(v) == 4)).count();
    assert_eq!(found, 1);
}

#[test]
fn named_links_pass_their_own_validation() {
    for link in [
        VertexLink::tetrahedron(),
        VertexLink::octahedron(),
        VertexLink::stacked_octahedron(),
        VertexLink::icosahedron(),
        VertexLink::bipyramid(9).unwrap(),
    ] {
        assert_eq!(VertexLink::new(link.triangles().to_vec()).unwrap(), link);
        assert_eq!(link.triangles().len(), 2 * link.vertices() - 4);
    }
}

#[test]
fn disks_make_boundary_vertices() {
    // One cell, two cells, a fan around an interior edge, a strip of four.
    let fan: Vec<[u32; 3]> = (0..5).map(|v| [v, (v + 1) % 5, 5]).collect();
    let strip = vec![[0, 1, 2], [2, 1, 3], [2, 3, 4], [4, 3, 5]];
    let disks = [vec![[0, 1, 2]], vec![[0, 1, 2], [2, 1, 3]], fan, strip];
    for (triangles, inner) in disks.into_iter().zip([0, 0, 1, 0]) {
        let link = VertexLink::new(triangles).unwrap();
        assert_eq!(link.vertices() - link.boundary().len(), inner);
        for rings in [1, 3] {
            let mesh = Shape::Link { link: link.clone(), rings }.build().unwrap();
            let incidence = check(&mesh, 1, "disk");
            let center = mesh.points.iter().position(|p| *p == [0.0; 3]).unwrap() as u32;
            assert_eq!(incidence.valences_at(center).len(), link.vertices());
            assert!(incidence.boundary.iter().any(|f| f.contains(&center)));
        }
    }
}

#[test]
fn what_is_no_sphere_or_disk_is_refused() {
    let annulus = (0..4u32)
        .flat_map(|v| [[v, (v + 1) % 4, v + 4], [(v + 1) % 4, (v + 1) % 4 + 4, v + 4]])
        .collect();
    let cases: [(Vec<[u32; 3]>, &str); 7] = [
        (vec![], "neither one sphere"),
        (vec![[0, 1, 1]], "repeats a vertex"),
        (vec![[0, 1, 2], [0, 1, 3]], "same way"),
        (vec![[0, 1, 5]], "not numbered"),
        (vec![[0, 1, 2], [0, 3, 4]], "not one fan"),
        (vec![[0, 1, 2], [3, 4, 5]], "neither one sphere"),
        (annulus, "neither one sphere"),
    ];
    for (triangles, message) in cases {
        let error = VertexLink::new(triangles.clone()).unwrap_err().to_string();
        assert!(error.contains(message), "{triangles:?}: {error}");
    }
}

#[test]
fn round_bodies_have_four_lines_of_valence_3() {
    for (core, rings, layers) in [(1, 1, 3), (2, 1, 4), (3, 2, 5), (4, 3, 3)] {
        let torus = check(&build("torus", &[layers, core, rings]), 0, "torus");
        assert_eq!(torus.valences(false)[&3], 4 * layers);
        assert_eq!(torus.valences(true).keys().collect::<Vec<_>>(), [&3]);
        let cylinder = check(&build("cylinder", &[core, rings, layers]), 1, "cylinder");
        assert_eq!(cylinder.valences(false)[&3], 4 * layers);
        assert_eq!(cylinder.valences(true)[&2], 2 * 4 * core);
    }
    // Without rings the section is a square.
    let torus = check(&build("torus", &[5, 3, 0]), 0, "square torus");
    assert_eq!(torus.valences(false), histogram([(4, 5 * 4 + 5 * 12)]));
    assert_eq!(torus.valences(true)[&2], 4 * 5);
    check(&build("cylinder", &[2, 0, 3]), 1, "square bar");
}

#[test]
fn tripod_and_bracket_hold_every_valence() {
    for (name, cells) in [("tripod", 1000..1200), ("bracket", 500..3000)] {
        let mesh = build(name, &[]);
        assert!(cells.contains(&mesh.cells.len()), "{name}: {} cells", mesh.cells.len());
        let incidence = check(&mesh, if name == "tripod" { 1 } else { -1 }, name);
        let interior: BTreeSet<usize> = incidence.valences(false).into_keys().collect();
        let boundary: BTreeSet<usize> = incidence.valences(true).into_keys().collect();
        assert_eq!(interior, BTreeSet::from([3, 4, 5]), "{name}");
        assert_eq!(boundary, BTreeSet::from([2, 3, 4]), "{name}");
    }
}

#[test]
fn tripod_has_the_valences_of_its_design() {
    let incidence = check(&build("tripod", &[]), 1, "tripod");
    let interior = incidence.valences(false);
    // Three crotches through the hub's four layers and both skins.
    assert_eq!(interior[&5], 3 * (4 + 2));
    // The axis likewise; the core corners of three legs and of their feet.
    assert_eq!(interior[&3], (4 + 2) + 3 * 4 * (7 + 2));
    let boundary = incidence.valences(true);
    // Foot plates: both rims; the line where the leg stands on them.
    assert_eq!(boundary[&2], 3 * 2 * 16);
    assert_eq!(boundary[&4], 3 * 16);
}

#[test]
fn bracket_has_the_valences_of_its_design() {
    let incidence = check(&build("bracket", &[]), -1, "bracket");
    // The bolt hole's square has four corners through three layers, the
    // fillet's middle runs across eight cells.
    assert_eq!(incidence.valences(false)[&5], 4 * 3);
    assert_eq!(incidence.valences(false)[&3], 8);
}

#[test]
fn wrong_requests_say_what_to_give() {
    let cases: [(&str, &[usize], &str); 7] = [
        ("cube", &[], "no shape is named `cube`"),
        ("box", &[2, 0, 1], "cells along y: 0 is too small"),
        ("box", &[1, 1, 1, 1], "takes 3 sizes, 4 are given"),
        ("fan", &[2], "valence: 2 is too small"),
        ("torus", &[2], "cells around the axis: 2 is too small"),
        ("link-icosahedron", &[0], "rings: 0 is too small"),
        ("box", &[usize::MAX, usize::MAX, usize::MAX], "would have"),
    ];
    for (name, sizes, message) in cases {
        let error = Shape::parse(name, sizes).unwrap_err();
        assert!(error.to_string().contains(message), "{error}");
        assert!(error.help().is_some(), "{error} has no help");
    }
    assert!(Shape::Fan { valence: 1, layers: 1, rings: 1 }.build().is_err());
}
