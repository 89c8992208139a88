use nalgebra::Vector3;
use subsolid::fit::LimitSystem;
use subsolid::io::ControlMesh;
use subsolid::jobs::fit::{FitRequest, FitTarget};
use subsolid::mesh::{Crease, VertexId};
use subsolid::scheme::Scheme;
use subsolid::surface::limit::LimitSurface;
use subsolid::{Solid, SolidMesh};

use crate::shapes::{ball, cylinder, sphere};

/// Root mean square distance from an exact shape, over the diagonal, at samples of the limit of the
/// boundary; each face has the same weight.
fn rms(mesh: &SolidMesh, distance: impl Fn(Vector3<f64>) -> f64) -> f64 {
    let skin = subsolid::surface::boundary_surface(mesh).unwrap();
    let surface = LimitSurface::of_mesh(&skin, Scheme::CatmullClark).unwrap();
    let places: Vec<_> = (0..surface.elements().len() as u32)
        .flat_map(|element| {
            (0..64).map(move |i| subsolid::surface::limit::SurfaceLocation {
                element,
                parameters: [i % 8, i / 8].map(|k| (f64::from(k) + 0.5) / 8.0),
            })
        })
        .collect();
    let limit = surface.evaluate(&skin.points, &places, subsolid::plan::Want::POSITION).unwrap();
    let sum: f64 = limit.positions.iter().map(|&x| distance(Vector3::from(x)).powi(2)).sum();
    (sum / places.len() as f64 / 12.0).sqrt()
}

fn with_rims(mut mesh: SolidMesh) -> SolidMesh {
    let skin = subsolid::surface::boundary_surface(&mesh).unwrap();
    let on_rim = |p: [f64; 3]| (p[0].hypot(p[1]) - 1.0).abs() < 1e-9 && (p[2] - 1.0).abs() == 1.0;
    let ids: Vec<usize> = (0..mesh.points.len()).filter(|&v| on_rim(mesh.points[v])).collect();
    let id = |p: [f64; 3]| ids.iter().copied().find(|&v| mesh.points[v] == p);
    let mut edges = std::collections::BTreeSet::new();
    for face in skin.faces.iter() {
        for (i, &a) in face.iter().enumerate() {
            let ends = [a, face[(i + 1) % face.len()]].map(|v| skin.points[v as usize]);
            if let [Some(a), Some(b)] = ends.map(id)
                && ends[0][2] == ends[1][2]
            {
                edges.insert([a.min(b), a.max(b)].map(|v| VertexId(v as u32)));
            }
        }
    }
    mesh.creases.edges = edges.into_iter().map(|e| Crease::new(e, f64::INFINITY)).collect();
    mesh
}

/// Distances of the limit as it is, through the vertices, and fitted to facets of the sphere.
#[test]
fn balls_come_near_the_sphere() {
    let to_sphere = |x: Vector3<f64>| x.norm() - 1.0;
    let target = ControlMesh::Surface(sphere(120));
    for (n, bounds) in [(1, [7e-3, 4e-3]), (2, [4.5e-4, 2e-4]), (4, [2.2e-4, 3.5e-5])] {
        let (mut through, mut fitted) = (ball(n), ball(n));
        assert!(rms(&through, to_sphere) > 1e-2);
        FitRequest::default().run_solid(&mut through, None, &mut ()).unwrap();
        let request =
            FitRequest { to: FitTarget::File("".into()), rounds: 4, ..Default::default() };
        let report = request.run_solid(&mut fitted, Some(&target), &mut ()).unwrap();
        let found = [&through, &fitted].map(|mesh| rms(mesh, to_sphere));
        println!("{}: {found:?}, drift {}", through.cells.len(), report.drift);
        for (found, bound) in found.into_iter().zip(bounds) {
            assert!(found <= bound, "{n}: {found:e}");
        }
        assert!(report.drift <= 0.2, "{}", report.drift);
        let least = report.determinant.unwrap();
        assert!(least.negative == 0 && least.bound > 0.0, "{least:?}");
    }
}

/// The order of interpolation is 4, and more between these.
#[test]
fn cylinders_converge() {
    let to_cylinder = |x: Vector3<f64>| {
        let [side, end] = [x.xy().norm() - 1.0, (x[2] - 1.0).abs() - 1.0];
        if side.abs() < end.abs() { side } else { end }
    };
    for (n, bound) in [(1, 4.1e-3), (2, 1.41e-4), (4, 8e-6)] {
        let mut mesh = with_rims(cylinder(n));
        assert_eq!(mesh.creases.edges.len(), 8 * n);
        FitRequest::default().run_solid(&mut mesh, None, &mut ()).unwrap();
        let found = rms(&mesh, to_cylinder);
        println!("{}: {found:.2e}", mesh.cells.len());
        assert!(found <= bound, "{n}: {found:e}");
    }
}

/// Control points whose limits are known are found again.
#[test]
fn limits_give_their_control_points_back() {
    for (mesh, scheme) in [
        (ball(2), Scheme::CatmullClark),
        (with_rims(cylinder(2)), Scheme::CatmullClark),
        (subsolid::read("models/bracket.vtk").unwrap(), Scheme::CatmullClark),
        (subsolid::read("models/solids/rod_hex.vtk").unwrap(), Scheme::CatmullClark),
    ] {
        let skin = subsolid::surface::boundary_surface(&mesh).unwrap();
        let masks = LimitSurface::of_mesh(&skin, scheme).unwrap().vertex_masks();
        let system = LimitSystem::new(masks.positions().clone());
        let limits = system.rows().apply(skin.points.as_flattened(), 3);
        let found = system.solve(&limits, 3).unwrap();
        let size = skin.points.iter().flatten().fold(0.0, |a: f64, x| a.max(x.abs()));
        for (a, b) in found.iter().zip(skin.points.as_flattened()) {
            assert!((a - b).abs() < 1e-11 * size, "{a} {b}");
        }
        // rows of the boundary of a solid are those of its surface
        let matrix = Solid::new(&mesh).unwrap().limit_matrix();
        let all = matrix.apply(mesh.points.as_flattened(), 3);
        let own: std::collections::HashMap<_, _> = skin
            .points
            .iter()
            .zip(limits.as_chunks::<3>().0)
            .map(|(p, x)| (p.map(f64::to_bits), x))
            .collect();
        for (p, x) in mesh.points.iter().zip(all.as_chunks::<3>().0) {
            if let Some(limit) = own.get(&p.map(f64::to_bits)) {
                assert!(x.iter().zip(*limit).all(|(a, b)| (a - b).abs() < 1e-13 * size));
            }
        }
    }
}

/// Fits of a part elsewhere and in another unit are the same part.
#[test]
fn fits_do_not_depend_on_place_unit_and_threads() {
    let mesh = subsolid::read("models/bracket.vtk").unwrap();
    let (low, high) = mesh.bounds().unwrap();
    let size = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    for to in [FitTarget::Vertices, FitTarget::Facets] {
        let request = FitRequest { to, no_untangle: true, ..Default::default() };
        let fitted = |scale: f64, shift: f64, threads: usize| {
            let mut moved = mesh.clone();
            moved.points.iter_mut().flatten().for_each(|x| *x = *x * scale + shift);
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| request.run_solid(&mut moved, None, &mut ())).unwrap();
            let back = |x: &f64| (x - shift) / scale;
            moved.points.as_flattened().iter().map(back).collect::<Vec<f64>>()
        };
        let own = fitted(1.0, 0.0, 2);
        for threads in [1, 3] {
            assert_eq!(own, fitted(1.0, 0.0, threads));
        }
        // coordinates of 10⁶ have ulps of 10⁻¹⁰
        for (scale, shift, bound) in [(1e-6, 0.0, 1e-12), (1e6, 0.0, 1e-12), (1.0, 1e6, 1e-9)] {
            let other = fitted(scale, shift, 2);
            let off = own.iter().zip(&other).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            assert!(off < bound * size, "{request:?}, scale {scale}, shift {shift}: {off:e}");
        }
    }
}

/// A cylinder of quadratic hexahedra of Gmsh: its limit is that of its nodes.
#[test]
fn nodes_of_quadratic_cells_are_met() {
    let to_cylinder = |x: Vector3<f64>| {
        let [side, end] = [x.xy().norm() - 1.0, (x[2] - 1.0).abs() - 1.0];
        if side.abs() < end.abs() { side } else { end }
    };
    let fitted = |file: &str, to: FitTarget| {
        let path = format!("tests/fit/cylinder/{file}");
        let (mesh, mut report) =
            subsolid::io::read_mesh(std::path::Path::new(&path), Default::default()).unwrap();
        let ControlMesh::Solid(mut mesh) = mesh else { panic!("{file} is a solid") };
        subsolid::refine::crease_by_angle(&mut mesh, 60.0).unwrap();
        let cells = mesh.cells.len();
        let request = FitRequest { to, ..Default::default() };
        let nodes = report.take_nodes();
        assert_eq!(report.left_out(), None, "{file}");
        request.take_nodes(&mut mesh, &nodes, &mut ()).unwrap();
        let report = request.run_solid(&mut mesh, None, &mut ()).unwrap();
        assert!(report.vertices[1].max < 1e-12, "{file}: {report:?}");
        (mesh.cells.len() / cells, rms(&mesh, to_cylinder))
    };
    let corners = fitted("cylinder_27.msh", FitTarget::Corners);
    for file in ["cylinder_27.msh", "cylinder_20.msh", "cylinder_20.inp"] {
        let own = fitted(file, FitTarget::Corners);
        assert!(own.0 == 1 && (own.1 / corners.1 - 1.0).abs() < 1e-9, "{file}: {own:?}");
        let all = fitted(file, FitTarget::Vertices);
        println!("{file}: {corners:?} {all:?}");
        assert!(all.0 == 8 && all.1 < corners.1 / 5.0, "{file}: {corners:?} {all:?}");
    }
}
