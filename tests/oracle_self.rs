//! The oracles checked against closed formulas and against themselves, so that
//! agreement with them proves something.

mod oracle;

use std::collections::HashMap;

use oracle::incidence::Incidence;
use oracle::limit::{self, Derivatives, Limit};
use oracle::medit::model;
use oracle::random::{Random, perturb};
use oracle::shapes::{
    block, disk, fan, sharpen_box_edges, sharpen_rims, sweep, wedge_and_tetrahedron,
};
use oracle::solid::{CORNERS, Solid, VertexRule};
use oracle::spline;
use oracle::surface::{Stars, Surface, edge};
use oracle::surface_limit;
use oracle::vector::{ORIGIN, Point, add, combine, distance, mean, scale, sub};

const LAYERS: VertexRule = VertexRule::LayerConsistent;

#[track_caller]
fn close(a: Point, b: Point, tolerance: f64) {
    let d = distance(a, b);
    assert!(d <= tolerance, "{a:?} and {b:?} differ by {d:e}");
}

fn at(solid: &Solid, cell: usize, parameters: [f64; 3]) -> Limit {
    limit::evaluate(solid, LAYERS, cell, parameters)
}

fn perturbed(mut solid: Solid, seed: u64) -> Solid {
    perturb(&mut solid.points, 0.2, seed);
    solid
}

/// A solid of every kind of neighbourhood that the other tests go through.
fn solids() -> Vec<Solid> {
    vec![
        perturbed(block([3, 2, 3]), 1),
        perturbed(fan(3, 2, 3), 2),
        perturbed(fan(5, 2, 3), 3),
        model("solids/micro/val3.mesh"),
        model("solids/micro/val5.mesh"),
        model("solids/car_box_2x2x6.mesh"),
    ]
}

/// Gives a third of the boundary edges and some boundary vertices a sharpness.
fn crease(solid: &mut Solid, sharpness: &[f64], seed: u64) {
    let mut random = Random::new(seed);
    let skin = solid.skin();
    for e in Stars::of(&skin).edges {
        if random.below(3) == 0 {
            solid.creases.insert(e, sharpness[random.below(sharpness.len())]);
        }
        if random.below(12) == 0 {
            solid.corners.insert(e.0, sharpness[random.below(sharpness.len())]);
        }
    }
}

/// Random parameters, some of them pulled onto or close to sides of the cell.
fn sample(random: &mut Random) -> [f64; 3] {
    random.parameters().map(|x| match random.below(6) {
        0 => 0.0,
        1 => 1.0,
        2 => 1e-3 * x,
        3 => 1.0 - 1e-6 * x,
        _ => x,
    })
}

/// The child cell and its parameters at the same point.
fn in_child(solid: &Solid, cell: usize, t: [f64; 3]) -> (usize, [f64; 3]) {
    let half = t.map(|x| usize::from(x >= 0.5));
    let child = CORNERS.iter().position(|&c| c == half).expect("a corner");
    let t = std::array::from_fn(|d| 2.0 * t[d] - half[d] as f64);
    (solid.children(cell).start + child, t)
}

#[test]
fn spline_basis_has_its_known_values() {
    let known = [
        [1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0, 0.0],
        [-0.5, 0.0, 0.5, 0.0],
        [1.0, -2.0, 1.0, 0.0],
        [-1.0, 3.0, -3.0, 1.0],
    ];
    for (order, known) in known.iter().enumerate() {
        for (a, b) in spline::weights(order, 0.0).iter().zip(known) {
            assert!((a - b).abs() < 1e-15);
        }
    }
    let middle = [1.0, 23.0, 23.0, 1.0].map(|x| x / 48.0);
    assert!(spline::weights(0, 0.5).iter().zip(middle).all(|(a, b)| (a - b).abs() < 1e-15));
}

#[test]
fn splines_reproduce_the_grid_they_stand_on() {
    let grid = |i: usize, j: usize, k: usize| [i as f64 - 1.0, j as f64 - 1.0, k as f64 - 1.0];
    let net =
        std::array::from_fn(|i| std::array::from_fn(|j| std::array::from_fn(|k| grid(i, j, k))));
    let t = [0.3, 0.9, 1.0];
    close(spline::tricubic(&net, [0, 0, 0], t), t, 1e-15);
    close(spline::tricubic(&net, [0, 1, 0], t), [0.0, 1.0, 0.0], 1e-15);
    close(spline::tricubic(&net, [0, 1, 1], t), ORIGIN, 1e-15);
}

#[test]
fn refined_elements_and_children_are_counted_and_ordered() {
    for solid in solids() {
        let incidence = Incidence::of(&solid);
        let refined = solid.refine(LAYERS);
        let elements = incidence.edges.len() + incidence.faces.len() + solid.cells.len();
        assert_eq!(refined.points.len(), solid.points.len() + elements);
        assert_eq!(refined.cells.len(), 8 * solid.cells.len());
        assert_eq!(refined.boundary.len(), 4 * solid.boundary.len());
        assert_eq!(
            Solid::new(refined.points.clone(), refined.cells.clone()).boundary,
            refined.boundary
        );
        for (c, cell) in solid.cells.iter().enumerate() {
            let children: Vec<_> = (0..8).map(|i| refined.cells[8 * c + i].hexahedron()).collect();
            for (i, child) in children.iter().enumerate() {
                assert_eq!(child[i], cell.corners()[i], "child {i} is at corner {i}");
                // Parallel axes: what is child j's corner i from one side is
                // child i's corner j from the other.
                assert!((0..8).all(|j| child[j] == children[j][i]));
            }
        }
    }
}

#[test]
fn other_polyhedra_become_one_hexahedron_a_corner() {
    let solid = wedge_and_tetrahedron();
    let refined = solid.refine(LAYERS);
    assert_eq!(refined.cells.len(), 6 + 4);
    assert_eq!(solid.children(1), 6..10);
    let quads: usize = solid.skin().faces.iter().map(Vec::len).sum();
    assert_eq!(refined.boundary.len(), quads);
    for (i, cell) in refined.cells.iter().enumerate() {
        let corners = cell.hexahedron();
        let parent = &solid.cells[usize::from(i >= 6)];
        assert_eq!(corners[0], parent.corners()[if i < 6 { i } else { i - 6 }]);
        let [o, u, v, w] = [0, 1, 3, 4].map(|i| refined.points[corners[i]]);
        let [u, v, w] = [u, v, w].map(|end| sub(end, o));
        let determinant = u[0] * (v[1] * w[2] - v[2] * w[1]) - u[1] * (v[0] * w[2] - v[2] * w[0])
            + u[2] * (v[0] * w[1] - v[1] * w[0]);
        assert!(determinant > 0.0, "child {i} is right-handed");
    }
    // Their limits do not depend on the level either.
    let (mut random, next) = (Random::new(5), refined.refine(LAYERS));
    for cell in 0..refined.cells.len() {
        let t = random.parameters();
        let (child, s) = in_child(&refined, cell, t);
        close(at(&refined, cell, t).position, at(&next, child, s).position, 1e-14);
    }
}

#[test]
fn rules_weigh_a_lifted_vertex_as_computed_by_hand() {
    // Interior vertices: (3/4)³ in a grid; 5/12 · 3/4 inside an edge of valence 3.
    let lifted = |mut solid: Solid, v: usize, rule| {
        solid.points.fill(ORIGIN);
        solid.points[v] = [1.0, 0.0, 0.0];
        solid.refine(rule).points[v][0]
    };
    let middle = 2 * 9 - 5; // of a 3×3×3 grid of points
    for rule in [LAYERS, VertexRule::JoyMacCracken] {
        assert!((lifted(block([2, 2, 2]), middle, rule) - 27.0 / 64.0).abs() < 1e-15);
    }
    let centre = disk(3, 1).points.len();
    assert!((lifted(fan(3, 1, 2), centre, LAYERS) - 5.0 / 16.0).abs() < 1e-15);
    assert!((lifted(fan(3, 1, 2), centre, VertexRule::JoyMacCracken) - 27.0 / 64.0).abs() < 1e-15);
}

#[test]
fn creases_and_corners_blend_as_computed_by_hand() {
    // 2×2 quads, the middle vertex (4) lifted by one.
    let quads = [0, 1, 3, 4].map(|v| vec![v, v + 1, v + 4, v + 3]);
    let points = (0..9).map(|v| [(v % 3) as f64, (v / 3) as f64, f64::from(v == 4)]).collect();
    let grid = Surface::new(points, quads.to_vec());
    let heights = |creases: &[(usize, usize, f64)], corner: f64| {
        let mut surface = grid.clone();
        surface.creases = creases.iter().map(|&(a, b, s)| (edge(a, b), s)).collect();
        surface.corners = HashMap::from([(4, corner)]);
        let stars = Stars::of(&surface);
        [stars.vertex_point(4)[2], stars.edge_point((3, 4))[2]]
    };
    let inf = f64::INFINITY;
    assert_eq!(heights(&[], 0.0), [9.0 / 16.0, 3.0 / 8.0]);
    assert_eq!(heights(&[(3, 4, 0.5)], 0.0), [9.0 / 16.0, 7.0 / 16.0], "a dart's end is smooth");
    assert_eq!(heights(&[(3, 4, 0.5), (4, 5, 0.5)], 0.0), [21.0 / 32.0, 7.0 / 16.0]);
    assert_eq!(heights(&[(3, 4, 0.25), (4, 5, 0.75)], 0.0), [21.0 / 32.0, 13.0 / 32.0]);
    assert_eq!(heights(&[(3, 4, 2.3), (4, 5, inf)], 0.0), [3.0 / 4.0, 1.0 / 2.0]);
    assert_eq!(heights(&[(3, 4, 1.0), (4, 5, 1.0), (1, 4, 1.0)], 0.0), [1.0, 0.5]);
    assert_eq!(heights(&[(3, 4, 0.5), (4, 5, 0.5)], 0.5), [53.0 / 64.0, 7.0 / 16.0]);
    assert_eq!(heights(&[], inf), [1.0, 3.0 / 8.0]);
}

#[test]
fn surface_limit_points_equal_the_limit_masks() {
    for valence in [3, 4, 5, 6, 9] {
        let mut surface = disk(valence, 2);
        perturb(&mut surface.points, 0.2, valence as u64);
        let stars = Stars::of(&surface);
        let p = surface.points[0];
        let n = valence as f64;
        let edges: Vec<Point> =
            stars.vertex_edges[&0].iter().map(|e| surface.points[e.1]).collect();
        let faces =
            mean(stars.vertex_faces[&0].iter().map(|&f| surface.points[surface.faces[f][2]]));
        let mask = [(n / (n + 5.0), p), (4.0 / (n + 5.0), mean(edges)), (1.0 / (n + 5.0), faces)];
        for f in 0..valence {
            close(surface_limit::evaluate(&surface, f, [0.0, 0.0]).position, combine(mask), 1e-14);
        }
        // A crease through the middle: (1, 4, 1)/6.
        let (a, b) = (stars.vertex_edges[&0][0], stars.vertex_edges[&0][1]);
        let ends = [a, b].map(|e| surface.points[e.1]);
        surface.creases = HashMap::from([(a, f64::INFINITY), (b, f64::INFINITY)]);
        let mask = combine([(1.0 / 6.0, ends[0]), (2.0 / 3.0, p), (1.0 / 6.0, ends[1])]);
        close(surface_limit::evaluate(&surface, 0, [0.0, 0.0]).position, mask, 1e-14);
    }
}

#[test]
fn constants_stay() {
    let p = [0.1, -20.0, 300.0];
    for (seed, mut solid) in solids().into_iter().enumerate() {
        solid.points.fill(p);
        crease(&mut solid, &[0.5, f64::INFINITY], 1);
        let mut random = Random::new(seed as u64);
        for _ in 0..10 {
            let limit = at(&solid, random.below(solid.cells.len()), sample(&mut random));
            close(limit.position, p, 1e-13);
            for d in limit.derivatives.iter().flat_map(|d| d.first) {
                close(d, ORIGIN, 1e-12);
            }
        }
    }
}

#[test]
fn limits_move_with_affine_maps() {
    let map = |[x, y, z]: Point| [2.0 * x - y + 7.0, 0.3 * z - x, y + z - 90.0];
    for (seed, mut solid) in solids().into_iter().enumerate() {
        crease(&mut solid, &[0.5, 1.0, 2.3, f64::INFINITY], 2);
        let mut moved = solid.clone();
        moved.points.iter_mut().for_each(|p| *p = map(*p));
        let mut random = Random::new(seed as u64);
        for _ in 0..10 {
            let (cell, t) = (random.below(solid.cells.len()), sample(&mut random));
            close(map(at(&solid, cell, t).position), at(&moved, cell, t).position, 1e-13);
        }
    }
}

#[test]
fn a_sharp_box_is_the_identity() {
    let mut solid = block([3, 1, 2]);
    sharpen_box_edges(&mut solid, f64::INFINITY);
    let mut random = Random::new(8);
    for (cell, hexahedron) in solid.cells.iter().enumerate() {
        let t = sample(&mut random);
        let limit = at(&solid, cell, t);
        assert_eq!(limit.depth, 0, "cut by boundary or not, it is a grid");
        close(limit.position, add(solid.points[hexahedron.corners()[0]], t), 1e-14);
        let Derivatives { first, second } = limit.derivatives.expect("a grid");
        for a in 0..3 {
            close(first[a], std::array::from_fn(|d| f64::from(u8::from(d == a))), 1e-14);
            second[a].iter().for_each(|&d| close(d, ORIGIN, 1e-14));
        }
    }
}

/// Compares limits before and after one explicit refinement.
fn check_levels(solid: &Solid, rule: VertexRule, count: usize, seed: u64) {
    let refined = solid.refine(rule);
    let mut random = Random::new(seed);
    for _ in 0..count {
        let (cell, t) = (random.below(solid.cells.len()), sample(&mut random));
        let (child, s) = in_child(solid, cell, t);
        let coarse = limit::evaluate(solid, rule, cell, t);
        let fine = limit::evaluate(&refined, rule, child, s);
        close(coarse.position, fine.position, 1e-13);
        if let (Some(a), Some(b)) = (coarse.derivatives, fine.derivatives) {
            let size = a.first.iter().flatten().fold(1.0f64, |m, x| m.max(x.abs()));
            (0..3).for_each(|i| close(a.first[i], scale(b.first[i], 2.0), 1e-12 * size));
            let tolerance = 1e-13 * (coarse.depth as f64).exp2() + 1e-12;
            for (a, b) in a.second.iter().flatten().zip(b.second.iter().flatten()) {
                close(*a, scale(*b, 4.0), tolerance);
            }
        }
    }
}

#[test]
fn limits_do_not_depend_on_the_level() {
    for (seed, solid) in solids().iter().enumerate() {
        check_levels(solid, LAYERS, 30, seed as u64);
        check_levels(solid, VertexRule::JoyMacCracken, 10, seed as u64);
    }
}

#[test]
fn creased_limits_do_not_depend_on_the_level() {
    let kinds: [&[f64]; 5] =
        [&[f64::INFINITY], &[0.5], &[1.0], &[2.3], &[0.5, 1.0, 2.3, f64::INFINITY]];
    for (seed, solid) in solids().iter().enumerate() {
        for sharpness in kinds {
            let mut solid = solid.clone();
            crease(&mut solid, sharpness, seed as u64);
            check_levels(&solid, LAYERS, 6, seed as u64);
        }
    }
}

#[test]
fn the_boundary_is_the_limit_surface_of_the_boundary() {
    for (seed, solid) in solids().iter().enumerate() {
        for sharpness in [&[][..], &[f64::INFINITY], &[0.5, 1.0, 2.3, f64::INFINITY]] {
            let mut solid = solid.clone();
            if !sharpness.is_empty() {
                crease(&mut solid, sharpness, seed as u64);
            }
            let (skin, quads) = (solid.skin(), solid.boundary_quads());
            assert_eq!(skin.faces.len(), quads.len());
            let mut random = Random::new(seed as u64);
            for _ in 0..10 {
                let [u, v, _] = sample(&mut random);
                let face = random.below(quads.len());
                let inside = at(&solid, quads[face].cell, quads[face].cell_parameters(u, v));
                let surface = surface_limit::evaluate(&skin, face, [u, v]);
                close(inside.position, surface.position, 1e-13);
            }
        }
    }
}

#[test]
fn neighbouring_cells_agree_on_their_common_face() {
    let solid = perturbed(fan(5, 2, 2), 9);
    let incidence = Incidence::of(&solid);
    for (f, cells) in incidence.face_cells.iter().enumerate() {
        let &[a, b] = &cells[..] else { continue };
        // The same bilinear place of the face in both cells.
        let (u, v) = (0.3, 0.81);
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
        let [a, b] = [a, b].map(|c| {
            let corners = solid.cells[c].hexahedron();
            let place = |v| CORNERS[corners.iter().position(|&w| w == v).expect("a corner")];
            let terms = incidence.faces[f].iter().zip(weights);
            let t = terms.fold(ORIGIN, |t, (&v, w)| add(t, scale(place(v).map(|x| x as f64), w)));
            at(&solid, c, t).position
        });
        close(a, b, 1e-14);
    }
}

#[test]
fn derivatives_equal_finite_differences() {
    let h = 1e-4;
    for (seed, solid) in solids().iter().enumerate() {
        let mut random = Random::new(seed as u64);
        for _ in 0..5 {
            let cell = random.below(solid.cells.len());
            let t = random.parameters().map(|x| 0.3 + 0.1 * x);
            let Derivatives { first, second } =
                at(solid, cell, t).derivatives.expect("an inner point");
            for a in 0..3 {
                let moved = |by: f64| {
                    let mut t = t;
                    t[a] += by;
                    at(solid, cell, t)
                };
                let (back, forth) = (moved(-h), moved(h));
                let slope = scale(sub(forth.position, back.position), 0.5 / h);
                close(first[a], slope, 1e-6);
                let slopes = [back, forth].map(|l| l.derivatives.expect("an inner point").first);
                for b in 0..3 {
                    close(second[a][b], scale(sub(slopes[1][b], slopes[0][b]), 0.5 / h), 1e-6);
                }
            }
        }
    }
}

/// A swept section whose layers are perturbed each in its own way, and the
/// layers as surfaces of their own.
fn layered(valence: usize, layers: usize) -> (Solid, Vec<Surface>) {
    let section = disk(valence, 2);
    let mut solid = perturbed(sweep(&section, layers), valence as u64);
    sharpen_rims(&mut solid, &section);
    let sections = solid.points.chunks(section.points.len());
    let sections = sections.map(|p| Surface { points: p.to_vec(), ..section.clone() }).collect();
    (solid, sections)
}

/// Derivative of a spline with natural ends through all of `points`, at `w` of
/// span `layer`.
fn natural_spline(points: &[Point], layer: usize, order: usize, w: f64) -> Point {
    let n = points.len();
    let end = |p0, p1| combine([(2.0, p0), (-1.0, p1)]);
    let mut extended = vec![end(points[0], points[1])];
    extended.extend(points);
    extended.push(end(points[n - 1], points[n - 2]));
    spline::cubic(&std::array::from_fn(|i| extended[layer + i]), order, w)
}

/// Position and first derivatives, where they exist, of (2D limits of the
/// sections) ⊗ (spline with natural ends).
fn tensor(
    sections: &[Surface],
    face: usize,
    layer: usize,
    [u, v, w]: [f64; 3],
) -> (Point, Option<[Point; 3]>) {
    let limits: Vec<_> =
        sections.iter().map(|s| surface_limit::evaluate(s, face, [u, v])).collect();
    let positions: Vec<Point> = limits.iter().map(|limit| limit.position).collect();
    let slopes: Option<Vec<[Point; 2]>> = limits.iter().map(|limit| limit.first).collect();
    let first = slopes.map(|slopes| {
        let [by_u, by_v] = [0, 1].map(|d| slopes.iter().map(|s| s[d]).collect::<Vec<_>>());
        let along = |points: &[Point], order| natural_spline(points, layer, order, w);
        [along(&by_u, 0), along(&by_v, 0), along(&positions, 1)]
    });
    (natural_spline(&positions, layer, 0, w), first)
}

#[test]
fn layers_are_tensor_products_under_the_default_rule() {
    for valence in [3, 5, 6, 8, 11] {
        let (solid, sections) = layered(valence, 3);
        let faces = sections[0].faces.len();
        let mut random = Random::new(valence as u64);
        let mut places: Vec<[f64; 2]> = (0..8).map(|_| [random.unit(), random.unit()]).collect();
        places.extend([[0.0, 0.0], [1e-3, 2e-3], [1e-6, 3e-7], [1e-9, 2e-9], [0.0, 1e-9]]);
        for [u, v] in places {
            let (face, layer) = (random.below(faces), random.below(3));
            for face in [face, random.below(valence)] {
                let t = [u, v, random.unit()];
                let limit = at(&solid, layer * faces + face, t);
                let (position, first) = tensor(&sections, face, layer, t);
                close(limit.position, position, 1e-13);
                assert_eq!(limit.derivatives.is_some(), first.is_some());
                let (Some(derivatives), Some(first)) = (limit.derivatives, first) else { continue };
                for (a, b) in derivatives.first.into_iter().zip(first) {
                    close(a, b, 1e-12 * (1.0 + distance(b, ORIGIN)));
                }
            }
        }
    }
}

#[test]
fn layers_are_no_tensor_products_under_joy_and_maccrackens_rule() {
    for valence in [3, 4, 5, 6, 8, 11] {
        let (solid, sections) = layered(valence, 3);
        let t = [0.0, 0.0, 0.4]; // inside the edge, in the middle layer
        let (position, _) = tensor(&sections, 0, 1, t);
        let cell = sections[0].faces.len();
        let limit = limit::evaluate(&solid, VertexRule::JoyMacCracken, cell, t);
        let difference = distance(limit.position, position);
        assert_eq!(difference > 1e-3, valence != 4, "valence {valence}: {difference:e}");
        assert!(valence != 4 || difference < 1e-14);
    }
}

#[test]
fn derivatives_near_an_edge_scale_by_its_eigenvalue() {
    // By twice the subdominant eigenvalue of 2D Catmull-Clark a level. How fast the
    // other eigenvalues' share dies depends on the valence.
    for (valence, tolerance) in [(3, 1e-9), (4, 1e-9), (5, 1e-9), (6, 1e-7)] {
        let (solid, sections) = layered(valence, 3);
        let c = (std::f64::consts::TAU / valence as f64).cos();
        let growth = (5.0 + c + ((c + 9.0) * (c + 1.0)).sqrt()) / 8.0;
        let cell = sections[0].faces.len();
        let slope = |depth: i32| {
            let s = (-f64::from(depth)).exp2();
            let limit = at(&solid, cell, [0.7 * s, 0.8 * s, 0.5]);
            assert!(valence == 4 || limit.depth as i32 >= depth);
            limit.derivatives.expect("beside the edge").first[0]
        };
        close(slope(41), scale(slope(40), growth), tolerance * distance(slope(41), ORIGIN));
    }
}

#[test]
fn meshes_of_the_library_are_read_as_they_are() {
    use subsolid::mesh::{CellKind, SolidMesh};
    // A wedge on the top face of a hexahedron.
    let mut points = block([1, 1, 1]).points;
    points.extend([[0.0, 0.5, 2.0], [1.0, 0.5, 2.0]]);
    let mut mesh = SolidMesh::from_hexahedra(points, &[[0, 1, 3, 2, 4, 5, 7, 6]]);
    mesh.cells.push(CellKind::Wedge, &[4, 6, 8, 5, 7, 9]);
    mesh.creases.push_edge(1, 0, 2.5);
    mesh.creases.push_corner(3, f64::INFINITY);
    let solid = oracle::convert::solid(&mesh);
    assert_eq!(solid.points, mesh.points);
    assert_eq!(solid.cells[0].hexahedron(), [0, 1, 3, 2, 4, 5, 7, 6]);
    assert_eq!(solid.cells[1].corners(), [4, 6, 8, 5, 7, 9]);
    assert_eq!(solid.boundary.len(), 5 + 4);
    assert_eq!(solid.creases, HashMap::from([((0, 1), 2.5)]));
    assert_eq!(solid.corners, HashMap::from([(3, f64::INFINITY)]));
    assert_eq!(solid.refine(LAYERS).cells.len(), 8 + 6);
}
