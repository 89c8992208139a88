//! Solids that are cut between groups of cells: values are continuous there, derivatives jump.

use subsolid::assembly::{BoundaryBasis, CellOperators, Operator, assemble_by_cells};
use subsolid::extend::ExtensionReport;
use subsolid::jobs::extend::ExtendRequest;
use subsolid::jobs::solve::SolveRequest;
use subsolid::mesh::shape::Shape;
use subsolid::mesh::{CellArray, SolidMesh};
use subsolid::quadrature::{Mapping, Quadrature, Regions};
use subsolid::solve::{Constraints, LimitPreconditioner, UnknownSystem, VertexSolver, solve};
use subsolid::{Solid, Want};

use super::ghosts::{SCHEME, all, error, visit};
use super::group;
use crate::oracle::random::Random;
use crate::oracle::vector::euclidean as distance;
use crate::support::refused;

/// A group of cells, and which points are in it.
type InGroup = (&'static str, fn([f64; 3]) -> bool);

/// The middle of a cell.
fn middle(mesh: &SolidMesh, cell: usize) -> [f64; 3] {
    let corners = mesh.cells.vertices(cell);
    [0, 1, 2].map(|d| {
        corners.iter().map(|&v| mesh.points[v as usize][d]).sum::<f64>() / corners.len() as f64
    })
}

/// A box of these cells and size around 0 in x, with groups of cells by their middles.
fn grouped(cells: [usize; 3], size: [f64; 3], groups: &[InGroup]) -> SolidMesh {
    let mut mesh = Shape::Box { cells }.build().unwrap();
    let (low, high) = mesh.bounds().unwrap();
    for point in &mut mesh.points {
        for d in 0..3 {
            point[d] = size[d] * ((point[d] - low[d]) / (high[d] - low[d]) - 0.5);
        }
    }
    for (name, is_in) in groups {
        let members = (0..mesh.cells.len()).filter(|&c| is_in(middle(&mesh, c)));
        let members: Vec<u32> = members.map(|cell| cell as u32).collect();
        mesh.cell_data.push(CellArray::group(name, mesh.cells.len(), members));
    }
    mesh
}

fn extended(mesh: &SolidMesh) -> (SolidMesh, ExtensionReport) {
    let mut mesh = mesh.clone();
    let request = ExtendRequest { sharp_groups: Some(Vec::new()), ..Default::default() };
    let report = request.run(&mut mesh, &mut ()).unwrap();
    assert!(report.fallbacks.is_empty(), "{report:?}");
    (mesh, report)
}

fn cut(mesh: &SolidMesh) -> SolidMesh {
    extended(mesh).0
}

/// How far the limits, and a field of random unknowns, differ at most between both sides of the cut;
/// how many unknowns follow from others.
fn jumps(mesh: &SolidMesh) -> ([f64; 2], usize) {
    let solid = Solid::new(mesh).unwrap();
    let regions = Regions::new(&solid, mesh).unwrap();
    let basis = BoundaryBasis::new(&regions).unwrap();
    let mut random = Random::new(7);
    let unknowns: Vec<f64> = mesh.points.iter().map(|_| random.unit()).collect();
    let controls = basis.control_values(&unknowns, 1);
    let sides = |name: &str| {
        let faces = regions.find(name).unwrap();
        let on = Quadrature::boundary(&solid, SCHEME, Want::FIRST, |f| faces.contains(&f)).unwrap();
        let on = Mapping::new(&on, mesh.controls()).unwrap();
        let mut found = Vec::new();
        visit(&on, &controls, |point, _, _, value| found.push((point, value)));
        found
    };
    let (mut most, mut seen) = ([0.0_f64; 2], 0);
    for (name, _) in regions.groups().filter(|(name, _)| name.starts_with("interface:")) {
        let (one, other) = name.strip_prefix("interface:").unwrap().split_once('/').unwrap();
        let others = sides(&format!("interface:{other}/{one}"));
        for (point, value) in sides(name) {
            let far = |p: &([f64; 3], f64)| distance(p.0, point);
            let nearest = others.iter().min_by(|a, b| far(a).total_cmp(&far(b))).unwrap();
            most[0] = most[0].max(far(nearest));
            most[1] = most[1].max((nearest.1 - value).abs());
            seen += 1;
        }
    }
    assert!(seen > 0);
    let mut is_used = vec![false; mesh.points.len()];
    basis.matrix().columns.iter().for_each(|&unknown| is_used[unknown as usize] = true);
    (most, is_used.iter().filter(|used| !**used).count())
}

/// Control values that are `exact` on the boundary and solve −∇·(k ∇u) = 0.
fn dirichlet(
    mesh: &SolidMesh,
    k: impl Fn([f64; 3]) -> f64,
    exact: impl Fn([f64; 3]) -> f64,
) -> Vec<f64> {
    let solid = Solid::new(mesh).unwrap();
    let regions = Regions::new(&solid, mesh).unwrap();
    let basis = BoundaryBasis::new(&regions).unwrap();
    let faces = all(&regions);
    let on = Quadrature::boundary(&solid, SCHEME, Want::FIRST, |f| faces.contains(&f)).unwrap();
    let on = Mapping::new(&on, mesh.controls()).unwrap();
    let mut data = Vec::new();
    visit(&on, &vec![0.0; mesh.points.len()], |point, _, _, _| data.push(exact(point)));
    let values = basis.nearest(&on, &data, 1).unwrap();
    assert!(values.inexact_faces.is_empty(), "{:?}", values.inexact_faces);
    let mut of_cells = Vec::new();
    let mut operators: Vec<Operator> = Vec::new();
    for cell in 0..mesh.cells.len() {
        let own = Operator::Stiffness { conductivity: k(middle(mesh, cell)) };
        let at = operators.iter().position(|other| *other == own).unwrap_or_else(|| {
            operators.push(own);
            operators.len() - 1
        });
        of_cells.push(at as u32);
    }
    let operators = CellOperators::new(operators, of_cells);
    let quadrature = Quadrature::new(&solid, SCHEME, Want::FIRST).unwrap();
    let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
    let matrix = assemble_by_cells(&mapping, &operators, |_| ()).unwrap();
    let mut constraints = Constraints::none(&solid, 1);
    for (&unknown, &value) in values.unknowns.iter().zip(&values.values) {
        constraints.fix(unknown, 0, value);
    }
    let system = UnknownSystem::new(&matrix, &basis);
    system.fix_empty(&mut constraints).unwrap();
    let mut preconditioner = LimitPreconditioner::of_unknowns(
        (&solid, &mesh.points),
        &system,
        &operators,
        &constraints,
        VertexSolver::Auto,
    )
    .unwrap();
    let load = vec![0.0; mesh.points.len()];
    let found = solve(&system, &load, &constraints, &mut preconditioner, 1e-13).unwrap();
    assert!(found.iterations < 100, "{}", found.iterations);
    basis.control_values(&found.values, 1)
}

/// Conductivities 1 and 10 in series: the energy is that of two resistances.
#[test]
fn materials_in_series_are_exact() {
    let halves: [InGroup; 2] = [("a", |p| p[0] < 0.0), ("b", |p| p[0] > 0.0)];
    let mut mesh = grouped([4, 2, 2], [4.0, 2.0, 2.0], &halves);
    group(&mut mesh, "low", |p| p[0] < -1.99);
    group(&mut mesh, "high", |p| p[0] > 1.99);
    let request = SolveRequest {
        heat: vec!["a=1".parse().unwrap(), "b=10".parse().unwrap()],
        temperature: vec!["low=0".parse().unwrap(), "high=1".parse().unwrap()],
        ..Default::default()
    };
    let exact = 0.5 * 4.0 / (2.0 / 1.0 + 2.0 / 10.0);
    let mesh = cut(&mesh);
    let (solved, report) = super::run(&mesh, &request);
    assert!((report.energy / exact - 1.0).abs() < 1e-10, "{} {exact}", report.energy);
    let values = &solved.attributes[0].values;
    let ends =
        values.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], &x| [a.min(x), b.max(x)]);
    assert!(ends[0] > -0.5 && ends[1] < 1.5, "{ends:?}");
}

/// u = (cosh x + sinh(x)/k) cos y: continuous with its flux where k jumps from 1 to 10.
#[test]
fn solutions_with_a_kink_converge_with_order_4() {
    let k = |p: [f64; 3]| if p[0] < 0.0 { 1.0 } else { 10.0 };
    let exact = |p: [f64; 3]| (p[0].cosh() + p[0].sinh() / k(p)) * p[1].cos();
    let halves: [InGroup; 1] = [("a", |p| p[0] < 0.0)];
    let errors = [3, 6].map(|n| {
        let mesh = cut(&grouped([2 * n, n, n], [2.0, 1.0, 1.0], &halves));
        error(&mesh, &dirichlet(&mesh, k, exact), exact)
    });
    let order = (errors[0] / errors[1]).log2();
    assert!(order > 3.8, "{errors:?}: {order}");
}

/// The functions of both sides of the cut are the same there, and as many unknowns follow from others as
/// there are splines on it: those of n cells along a line are n + 3.
#[test]
fn two_halves_share_the_splines_of_the_cut() {
    let halves: [InGroup; 1] = [("a", |p| p[0] < 0.0)];
    let (mesh, report) = extended(&grouped([4, 2, 3], [4.0, 2.0, 3.0], &halves));
    assert_eq!((report.interface_faces, report.copied_vertices), (6, 12));
    assert!(report.interface_move == 0.0, "{}", report.interface_move);
    let ([far, jump], follow) = jumps(&mesh);
    assert!(far < 1e-12 && jump < 1e-12, "{far} {jump}");
    assert_eq!(follow, 5 * 6);
}

/// A step of an L on its base, whose top goes on smoothly beyond the cut: on a bent one the sides meet
/// after control points have moved.
#[test]
fn a_cut_may_end_inside_a_smooth_side() {
    let mut mesh = grouped([4, 4, 2], [4.0, 4.0, 2.0], &[("base", |p| p[1] < 0.0)]);
    let kept = (0..mesh.cells.len()).filter(|&c| {
        let [x, y, _] = middle(&mesh, c);
        x < 0.0 || y < 0.0
    });
    let kept: Vec<u32> = kept.map(|cell| cell as u32).collect();
    let hexahedra: Vec<[u32; 8]> =
        kept.iter().map(|&c| mesh.cells.vertices(c as usize).try_into().unwrap()).collect();
    let arrays = mesh.cell_data.iter().map(|own| own.of_cells(kept.iter().copied())).collect();
    mesh = SolidMesh { cell_data: arrays, ..SolidMesh::from_hexahedra(mesh.points, &hexahedra) };
    let (flat, report) = extended(&mesh);
    assert!(report.interface_move < 1e-13, "{}", report.interface_move);
    let ([far, jump], follow) = jumps(&flat);
    assert!(far < 1e-12 && jump < 1e-11, "{far} {jump}");
    assert_eq!(follow, 5 * 5);

    for point in &mut mesh.points {
        point[1] += 0.1 * (point[0] + 0.3 * point[2]).powi(2);
    }
    let (bent, report) = extended(&mesh);
    assert!(report.interface_move > 1e-3, "{}", report.interface_move);
    let ([far, jump], _) = jumps(&bent);
    assert!(far < 1e-12 && jump < 1e-11, "{far} {jump}");
}

/// Eight groups around a vertex, and three around an edge.
#[test]
fn several_groups_meet_at_edges_and_vertices() {
    let octants: [InGroup; 3] =
        [("x", |p| p[0] < 0.0), ("y", |p| p[1] < 0.0), ("z", |p| p[2] < 0.0)];
    let three: [InGroup; 2] = [("x", |p| p[0] < 0.0 && p[1] > 0.0), ("y", |p| p[1] < 0.0)];
    for groups in [&octants[..], &three[..]] {
        let mesh = grouped([4, 4, 4], [4.0; 3], groups);
        let ([far, jump], _) = jumps(&cut(&mesh));
        assert!(far < 1e-12 && jump < 1e-11, "{far} {jump}");
    }
}

/// A linear displacement of one material in two groups, by its values at both ends.
#[test]
fn a_patch_of_two_groups_passes() {
    let halves: [InGroup; 1] = [("a", |p| p[0] < 0.0)];
    let mut mesh = grouped([4, 2, 2], [4.0, 2.0, 2.0], &halves);
    group(&mut mesh, "low", |p| p[0] < -1.99);
    group(&mut mesh, "high", |p| p[0] > 1.99);
    let request = SolveRequest {
        elasticity: vec!["a=1,0".parse().unwrap(), "1,0".parse().unwrap()],
        fix: vec!["low=0,0,0".parse().unwrap(), "high=0.1,0,0".parse().unwrap()],
        ..Default::default()
    };
    let (solved, report) = super::run(&cut(&mesh), &request);
    assert!((report.energy / (0.5 * 4.0 * 0.1 * 0.1 / 4.0) - 1.0).abs() < 1e-10, "{report:?}");
    let solid = Solid::new(&solved).unwrap();
    let cells = solid.topology().cells();
    for v in (0..cells.len()).flat_map(|cell| cells.vertices(cell)) {
        let at = *v as usize;
        let expected = 0.025 * (solved.points[at][0] + 2.0);
        let found = solved.attributes[0].values[3 * at];
        assert!((found - expected).abs() < 1e-8, "{v}: {found} {expected}");
    }
}

/// Faces of the cut are no sides, but groups; nothing is selected there by its place.
#[test]
fn sides_leave_out_the_cut() {
    let halves: [InGroup; 1] = [("a", |p| p[0] < 0.0)];
    let mut mesh = grouped([2, 2, 2], [2.0; 3], &halves);
    group(&mut mesh, "top", |p| p[2] > 0.99);
    let mesh = cut(&mesh);
    let solid = Solid::new(&mesh).unwrap();
    let regions = Regions::new(&solid, &mesh).unwrap();
    assert_eq!((regions.side_count(), all(&regions).len()), (10, 24));
    let names: Vec<&str> = regions.groups().map(|(name, _)| name).collect();
    assert_eq!(names, ["top", "interface:a/rest", "interface:rest/a"]);
    assert_eq!(regions.find("interface:a/rest").unwrap().len(), 4);
    assert_eq!(regions.find("top").unwrap().len(), 4);
    let [low, high] = ["where:x<1e-9", "where:x>-1e-9 and x<1e-9"].map(|part| regions.find(part));
    assert_eq!(low.unwrap().len(), 12);
    refused(high, "no face of the boundary");
}

#[test]
fn what_cannot_be_cut_is_refused() {
    let run = |groups: &[&str], mesh: &SolidMesh| {
        let groups = groups.iter().map(|&name| name.to_owned()).collect();
        ExtendRequest { sharp_groups: Some(groups), ..Default::default() }
            .run(&mut mesh.clone(), &mut ())
            .map(|_| ())
    };
    let plain = grouped([2, 2, 2], [2.0; 3], &[]);
    refused(run(&[], &plain), "no face lies between two groups of cells");
    let halves: [InGroup; 2] = [("a", |p| p[0] < 0.0), ("all", |_| true)];
    let mesh = grouped([2, 2, 2], [2.0; 3], &halves);
    refused(run(&["b"], &mesh), "no group of cells is named \"b\"");
    refused(run(&["all"], &mesh), "no face lies between");
    run(&["a"], &mesh).unwrap();
    let periodic = ExtendRequest {
        periodic: vec!["x".parse().unwrap()],
        sharp_groups: Some(Vec::new()),
        ..Default::default()
    };
    refused(periodic.check(), "has no place beside");
    let mut moved = cut(&mesh);
    moved.points[13][0] += 0.5;
    let solid = Solid::new(&moved).unwrap();
    let regions = Regions::new(&solid, &moved).unwrap();
    refused(BoundaryBasis::new(&regions), "has no other one in its place");
}
