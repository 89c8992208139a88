//! Refined surfaces.

use subsolid::backend::Precision;
use subsolid::backend::cuda::{FriendRun, Refiner};
use subsolid::mesh::{Attribute, CreaseRule};
use subsolid::surface::{Method, Scheme, SurfaceOptions, SurfacePlan};

use super::gpu;

/// Refined surfaces are those of the CPU, bit by bit: closed, with boundaries, creases of all
/// kinds, polygons; in both precisions, in one pass and in two, and again after moving.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn surfaces_are_those_of_the_cpu() {
    let gpu = gpu(Precision::F64);
    let names =
        ["cow_boundary", "bishop", "cubes_semisharp", "rook", "helmet", "dodecahedron_poly"];
    for name in names {
        for chaikin in [false, true] {
            let mut mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
            if chaikin {
                mesh.crease_rule = subsolid::mesh::CreaseRule::Chaikin;
            }
            let levels = 4;
            let options =
                SurfaceOptions { levels, method: Method::EdgeFriend, ..SurfaceOptions::default() };
            let plan = SurfacePlan::new(&mesh, &options).unwrap();
            let mut device = Refiner::<f32>::new(&mesh, &options, &gpu).unwrap();
            let mut double = Refiner::<f64>::new(&mesh, &options, &gpu).unwrap();
            for scale in [1.0, 1.25] {
                let points: Vec<[f64; 3]> =
                    mesh.points.iter().map(|p| p.map(|x| scale * x)).collect();
                let single: Vec<[f32; 3]> = points.iter().map(|p| p.map(|x| x as f32)).collect();
                device.set_controls(&single).unwrap();
                device.run(FriendRun::Both).unwrap();
                double.set_controls(&points).unwrap();
                double.run(FriendRun::Topology).unwrap();
                double.run(FriendRun::Points).unwrap();
                let corners = device.corners().unwrap();
                assert!(corners == double.corners().unwrap());
                let real = plan.corners();
                assert!(corners[..real.len()] == *real, "{name}");
                let (found, expected) = (device.points().unwrap(), plan.evaluate(&single).unwrap());
                let (found_double, expected_double) =
                    (double.points().unwrap(), plan.evaluate(&points).unwrap());
                for &v in real {
                    let v = v as usize;
                    assert!(found[v] == expected[v], "{name}, {v}");
                    assert!(found_double[v] == expected_double[v], "{name}, {v}");
                }
            }
        }
    }
}

/// An edit of a mesh costs a run: the result is that of a plan of the edited mesh, whether it is
/// closed, open or creased, and whether its numbers of edges stay. Edits that leave no manifold,
/// or take the edge of a crease away, are refused, and the next one counts again.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn edited_surfaces_are_those_of_new_plans() {
    let gpu = gpu(Precision::F64);
    for name in
        ["cow_boundary", "dodecahedron_poly", "spot_quadrangulated", "torus_creases0", "rook"]
    {
        let mut mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
        let size = mesh.faces.face(0).len();
        // vertices of no face, for one that is taken out
        let count = mesh.points.len() as u32;
        let spare: Vec<u32> = (count..).take(size).collect();
        mesh.points.extend((0..size).map(|i| [i as f64, 2.0, (i * i) as f64]));
        let options =
            SurfaceOptions { levels: 3, method: Method::EdgeFriend, ..SurfaceOptions::default() };
        let mut device = Refiner::<f64>::new(&mesh, &options, &gpu).unwrap();
        device.set_controls(&mesh.points).unwrap();
        device.run(FriendRun::Both).unwrap();
        let original = mesh.faces.vertices().to_vec();
        // vertices numbered backwards; two faces that change places; a face of its own, which
        // leaves a hole
        let mut edits = Vec::new();
        if mesh.creases.is_empty() {
            edits.push(original.iter().map(|v| count - 1 - v).collect());
        }
        if mesh.faces.uniform_size().is_some() {
            let mut exchanged = original.clone();
            for i in 0..size {
                exchanged.swap(i, size + i);
            }
            edits.push(exchanged);
        }
        if let Some(face) = face_inside(&mesh) {
            let mut alone = original.clone();
            alone[mesh.faces.corners(face)].copy_from_slice(&spare[..mesh.faces.face(face).len()]);
            edits.push(alone);
        }
        edits.push(original.clone());
        assert!(edits.len() > 1, "{name}");
        for corners in edits {
            let mut broken = corners.clone();
            broken[1] = (0..count).find(|v| !corners[..size].contains(v)).unwrap();
            device.set_corners(&broken).unwrap();
            assert!(device.run(FriendRun::Points).is_err(), "{name}: points before topology");
            let error = device.run(FriendRun::Both).unwrap_err().to_string();
            assert!(error.contains("edited surface"), "{error}");
            device.set_corners(&corners).unwrap();
            device.run(FriendRun::Both).unwrap();
            let mut faces = subsolid::mesh::Polygons::default();
            (0..mesh.faces.len()).for_each(|f| faces.push(&corners[mesh.faces.corners(f)]));
            mesh.faces = faces;
            let plan = SurfacePlan::new(&mesh, &options).unwrap();
            let real = plan.corners();
            assert!(device.corners().unwrap()[..real.len()] == *real, "{name}");
            let (found, expected) =
                (device.points().unwrap(), plan.evaluate(&mesh.points).unwrap());
            assert!(real.iter().all(|&v| found[v as usize] == expected[v as usize]), "{name}");
            assert!(device.refine(&mesh).unwrap() == plan.refine(&mesh).unwrap(), "{name}");
        }
        assert!(device.set_corners(&original[1..]).is_err());
        assert!(device.set_corners(&vec![count + size as u32; original.len()]).is_err());
    }
    // corners go to the layout of edge-friend alone
    let mesh = subsolid::read_surface("models/surfaces/rook.obj").unwrap();
    let options = SurfaceOptions { levels: 2, ..SurfaceOptions::default() };
    let mut device = Refiner::<f32>::new(&mesh, &options, &gpu).unwrap();
    assert!(device.set_corners(mesh.faces.vertices()).is_err());
}

/// A face without a boundary edge or a tagged vertex, nor one of a neighbor.
fn face_inside(mesh: &subsolid::mesh::SurfaceMesh) -> Option<usize> {
    let mut sides = std::collections::HashMap::new();
    let ends = |face: &[u32]| -> Vec<[u32; 2]> {
        let next = face.iter().cycle().skip(1);
        face.iter().zip(next).map(|(&a, &b)| [a.min(b), a.max(b)]).collect()
    };
    for f in 0..mesh.faces.len() {
        ends(mesh.faces.face(f)).into_iter().for_each(|e| *sides.entry(e).or_insert(0) += 1);
    }
    let mut near = vec![false; mesh.points.len()];
    let open = sides.into_iter().filter(|(_, n)| *n != 2).flat_map(|(e, _)| e);
    let edges = mesh.creases.edges.iter().flat_map(|crease| crease.edge().map(|v| v.0));
    let corners = mesh.creases.corners.iter().map(|corner| corner.vertex.0);
    open.chain(edges).chain(corners).for_each(|v| near[v as usize] = true);
    (0..mesh.faces.len()).find(|&f| mesh.faces.face(f).iter().all(|&v| !near[v as usize]))
}

/// Whole meshes, with attributes, texture coordinates, creases that remain and holes, are those
/// of the CPU.
#[test]
#[ignore = "needs an NVIDIA GPU"]
fn refined_meshes_are_those_of_plans() {
    let gpu = gpu(Precision::F64);
    let names = ["car", "cow_boundary", "cubes_semisharp", "edgecorner", "hole_test2", "moebius"];
    let more = ["nonman_verts", "rook", "spot_control_mesh", "torus_creases0"];
    for name in names.into_iter().chain(more) {
        let mut mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
        let values = mesh.points.iter().flat_map(|p| [p[0] + p[1], p[1] * p[2], p[2], p[0]]);
        let values = values.collect();
        mesh.attributes.push(Attribute { name: "four".into(), width: 4, values });
        for (scheme, method) in [
            (Scheme::CatmullClark, Method::Matrix),
            (Scheme::CatmullClark, Method::EdgeFriend),
            (Scheme::Loop, Method::Matrix),
            (Scheme::CatmullClark, Method::Single),
            (Scheme::Loop, Method::Single),
        ] {
            for rule in [CreaseRule::Uniform, CreaseRule::Chaikin] {
                let crease_rule = Some(rule);
                let options = SurfaceOptions { scheme, levels: 2, method, crease_rule };
                let label = format!("{name}, {options:?}");
                let expected = SurfacePlan::new(&mesh, &options)
                    .map(|plan| (plan.refine(&mesh).unwrap(), plan.notices().to_vec()));
                let device = Refiner::<f64>::new(&mesh, &options, &gpu);
                match (expected, device) {
                    (Ok((expected, notices)), Ok(mut device)) => {
                        assert!(device.refine(&mesh).unwrap() == expected, "{label}");
                        assert_eq!(device.notices(), notices, "{label}");
                    }
                    (Err(expected), Err(found)) => {
                        assert_eq!(found.to_string(), expected.to_string(), "{label}");
                    }
                    (expected, _) => panic!("{label}: the CPU {}", expected.is_ok()),
                }
            }
        }
    }
}
