//! All methods agree, and each repeats its bits.

use subsolid::mesh::{Attribute, CreaseRule, SurfaceMesh};
use subsolid::surface::refine::edge_friend::{EdgeFriend, FriendWorkspace};
use subsolid::surface::{
    Method, Scheme, Storage, SurfaceOptions, SurfacePlan, Workspace, check_ids, refine_surface,
    refined_counts, vertex_limits,
};
use subsolid::topology::surface::{Columns, SurfaceTopology};

use super::{SURFACES, manifolds, model, options, size};
use crate::oracle::vector::Greatest;

fn few(name: &&&str) -> bool {
    !["wrench_boundary", "spot_quadrangulated", "cow_boundary", "car"].contains(name)
}

#[test]
fn the_single_matrix_is_the_product_of_all_levels() {
    for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3] {
        for name in manifolds().iter().filter(few) {
            let mut mesh = model(name);
            if scheme == Scheme::Sqrt3 {
                mesh.creases = Default::default();
                mesh.holes.clear();
            }
            for levels in 0..=3 {
                let plan = |method| SurfacePlan::new(&mesh, &options(scheme, levels, method));
                let (matrix, single) =
                    (plan(Method::Matrix).unwrap(), plan(Method::Single).unwrap());
                assert_eq!(matrix.corners(), single.corners());
                let expected = matrix.evaluate(&mesh.points).unwrap();
                let points = single.evaluate(&mesh.points).unwrap();
                let tolerance = 1e-12 * size(&mesh);
                for (v, (p, q)) in points.iter().zip(&expected).enumerate() {
                    let far = (0..3).any(|d| (p[d] - q[d]).abs() > tolerance || p[d].is_nan());
                    assert!(!far, "{name}, {scheme:?} {levels}, vertex {v}: {p:?} {q:?}");
                }
                assert_eq!(points.len(), expected.len());
            }
        }
    }
}

/// Static stencils give the refined mesh of the mesh matrix, attributes, holes, tags and vertices
/// of no face included, by the crease rule of the options.
#[test]
fn static_stencils_are_the_mesh_matrix() {
    let mut tested = 0;
    for name in SURFACES.iter().filter(few) {
        let mut mesh = model(name);
        let by = |levels| options(Scheme::CatmullClark, levels, Method::Static);
        // the level that isolates all features
        let levels = (1..6).find(|&levels| SurfacePlan::new(&mesh, &by(levels)).is_ok());
        let Some(levels) = levels else { continue };
        tested += 1;
        mesh.holes.push(1);
        mesh.points.push([9.0, -7.0, 5.0]);
        let values = (0..5 * mesh.points.len()).map(|i| (i as f64).sin()).collect();
        mesh.attributes.push(Attribute { name: "five".into(), width: 5, values });
        for crease_rule in [None, Some(CreaseRule::Chaikin)] {
            let by = |method| {
                let options = options(Scheme::CatmullClark, levels, method);
                refine_surface(&mesh, &SurfaceOptions { crease_rule, ..options }).unwrap()
            };
            let (found, expected) = (by(Method::Static), by(Method::Matrix));
            assert_eq!(found.faces, expected.faces, "{name}");
            assert_eq!(found.creases, expected.creases, "{name}");
            assert_eq!(found.points.len(), expected.points.len(), "{name}");
            let all = |mesh: &SurfaceMesh| {
                [mesh.points.as_flattened(), &mesh.attributes[0].values].concat()
            };
            for (i, (a, b)) in all(&found).iter().zip(all(&expected)).enumerate() {
                assert!(
                    (a - b).abs() <= 1e-11,
                    "{name}, {crease_rule:?}, number {i}: {a}, not {b}"
                );
            }
        }
    }
    assert!(tested > 6, "{tested} models");
}

#[test]
fn stencils_say_what_they_are_and_what_they_cannot_do() {
    let mesh = model("pole64");
    let plan = |scheme, levels, method| SurfacePlan::new(&mesh, &options(scheme, levels, method));
    for (method, storage) in [(Method::Single, Storage::Single), (Method::Static, Storage::Static)]
    {
        assert!(method.is_stencils());
        let plan = plan(Scheme::CatmullClark, 2, method).unwrap();
        let stencils = plan.stencils().unwrap();
        assert_eq!((stencils.storage(), stencils.len()), (storage, plan.vertex_count()));
        assert_eq!(stencils.control_count(), mesh.points.len());
        let error = stencils.evaluate(&mesh.points[1..]).unwrap_err();
        assert!(error.to_string().contains("control points"), "{error}");
        // the same in single precision, in memory that is used again
        let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
        let mut evaluator = stencils.evaluator::<f32>().unwrap();
        let mut points = Vec::new();
        (0..2).for_each(|_| evaluator.evaluate_into(&controls, &mut points).unwrap());
        let expected = stencils.evaluate(&mesh.points).unwrap();
        let most = 2e-6 * size(&mesh);
        for (p, q) in points.iter().zip(&expected) {
            assert!((0..3).all(|d| (f64::from(p[d]) - q[d]).abs() < most));
        }
        assert_eq!(points.len(), expected.len());
    }
    let refused = |result: subsolid::Result<SurfacePlan>, text: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    refused(plan(Scheme::Loop, 2, Method::Static), "Catmull-Clark surfaces only");
    let mesh = model("cubes_semisharp");
    let early = SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, 1, Method::Static));
    refused(early, "isolated only from level");
    let plan = plan(Scheme::CatmullClark, 2, Method::Matrix).unwrap();
    assert!(plan.stencils().unwrap_err().to_string().contains("level by level"));
    // no level is the control mesh
    let none = options(Scheme::CatmullClark, 0, Method::Static);
    assert_eq!(refine_surface(&mesh, &none).unwrap().points, mesh.points);
}

/// `Auto` is edge-friend on small oriented manifolds and the mesh matrix elsewhere, bit by bit.
#[test]
fn auto_is_the_faster_method_that_takes_the_mesh() {
    let by = |mesh: &SurfaceMesh, scheme, levels, method| {
        refine_surface(mesh, &options(scheme, levels, method)).unwrap()
    };
    let mesh = model("bishop");
    let cc = Scheme::CatmullClark;
    let expected = by(&mesh, cc, 2, Method::EdgeFriend);
    assert_ne!(expected, by(&mesh, cc, 2, Method::Matrix));
    assert_eq!(by(&mesh, cc, 2, Method::Auto), expected);
    assert_eq!(by(&mesh, cc, 0, Method::Auto), mesh);
    for (name, scheme) in [("moebius", cc), ("nonman_verts", cc), ("bishop", Scheme::Loop)] {
        let mesh = model(name);
        assert_eq!(by(&mesh, scheme, 2, Method::Auto), by(&mesh, scheme, 2, Method::Matrix));
    }
    // an edited mesh is decided anew
    let plan = SurfacePlan::new(&mesh, &options(cc, 1, Method::Auto)).unwrap();
    let sheets = model("nonman_verts");
    let plan = plan.plan_again(&sheets).unwrap();
    assert_eq!(plan.refine(&sheets).unwrap(), by(&sheets, cc, 1, Method::Matrix));
}

#[test]
fn edge_friend_repeats_its_bits_with_any_threads_and_in_one_go() {
    for name in ["bishop", "car", "spot_control_mesh"] {
        let mesh = model(name);
        let plan = || {
            let options = options(Scheme::CatmullClark, 4, Method::EdgeFriend);
            let plan = SurfacePlan::new(&mesh, &options).unwrap();
            let points: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
            let refined = plan.evaluate(&points).unwrap();
            (plan.corners().to_vec(), refined, points)
        };
        let on_threads = |n| {
            let pool = rayon_pool(n);
            pool.install(plan)
        };
        let (corners, refined, points) = on_threads(1);
        assert!((corners.clone(), refined.clone(), points.clone()) == on_threads(4), "{name}");
        let columns = Columns::of(&mesh.faces);
        let vertices = mesh.faces.vertices().to_vec();
        let topology = SurfaceTopology::build(mesh.points.len(), columns, vertices);
        let mut workspace = FriendWorkspace::default();
        for _again in 0..2 {
            let topology = topology.clone();
            EdgeFriend::refine_once(&mesh, topology, 4, &points, &mut workspace).unwrap();
            assert!(workspace.points() == refined, "{name}");
            assert_eq!(workspace.corners().as_flattened()[..corners.len()], corners);
        }
    }
}

fn rayon_pool(threads: usize) -> rayon::ThreadPool {
    rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap()
}

#[test]
fn plans_made_again_are_those_made_anew() {
    // each in the memory of the one before: more faces, fewer, other tags
    let names = ["edgecorner", "spot_control_mesh", "moebius", "bishop"];
    for scheme in [Scheme::CatmullClark, Scheme::Loop] {
        for levels in [1, 2, 3, 4] {
            let options = options(scheme, levels, Method::Matrix);
            let mut plan = SurfacePlan::new(&model(names[3]), &options).unwrap();
            for name in names {
                let mesh = model(name);
                plan = plan.plan_again(&mesh).unwrap();
                let anew = SurfacePlan::new(&mesh, &options).unwrap();
                assert_eq!(plan.corners(), anew.corners(), "{name}");
                assert!(
                    plan.evaluate(&mesh.points).unwrap() == anew.evaluate(&mesh.points).unwrap()
                );
            }
        }
    }
}

#[test]
fn matrix_points_repeat_their_bits_with_any_threads() {
    let mesh = model("car");
    for scheme in [Scheme::CatmullClark, Scheme::Loop] {
        let plan = || {
            let plan = SurfacePlan::new(&mesh, &options(scheme, 3, Method::Matrix)).unwrap();
            plan.evaluate(&mesh.points).unwrap()
        };
        let points = rayon_pool(1).install(plan);
        assert!(points == rayon_pool(3).install(plan));
        // and in memory that held another level
        let mut workspace = Workspace::default();
        for levels in [4, 1, 3] {
            let plan = SurfacePlan::new(&mesh, &options(scheme, levels, Method::Matrix)).unwrap();
            plan.evaluate_into(&mesh.points, &mut workspace).unwrap();
        }
        assert!(workspace.points() == points);
    }
}

#[test]
fn meshes_agree_by_faces_with_attributes_texture_coordinates_and_creases() {
    for name in ["bishop", "cubes_semisharp", "hole_test2", "nonman_verts_free", "helmet"] {
        let mut mesh = match name {
            "nonman_verts_free" => {
                // a vertex of no face
                let mut mesh = model("nonquads");
                mesh.points.push([9.0; 3]);
                mesh
            }
            name => model(name),
        };
        let values: Vec<f64> =
            mesh.points.iter().flat_map(|p| [p[2], p[0], p[1], p[0] + p[1]]).collect();
        mesh.attributes.push(Attribute { name: "permuted".into(), width: 4, values });
        let refined =
            |method| refine_surface(&mesh, &options(Scheme::CatmullClark, 3, method)).unwrap();
        let (a, b) = (refined(Method::Matrix), refined(Method::EdgeFriend));
        a.check().unwrap();
        b.check().unwrap();
        assert_eq!(a.points.len(), b.points.len(), "{name}");
        assert_eq!(a.uv, b.uv, "{name}");
        assert_eq!(a.faces.len(), b.faces.len(), "{name}");
        let tolerance = 1e-12 * size(&mesh);
        let close = |p: &[f64], q: &[f64]| p.iter().zip(q).all(|(x, y)| (x - y).abs() <= tolerance);
        let mut same = vec![u32::MAX; a.points.len()];
        for (&v, &w) in a.faces.vertices().iter().zip(b.faces.vertices()) {
            let (v, w) = (v as usize, w as usize);
            assert!(close(&a.points[v], &b.points[w]), "{name}");
            let at = |mesh: &subsolid::SurfaceMesh, v: usize| {
                mesh.attributes[0].values[4 * v..4 * v + 4].to_vec()
            };
            assert!(close(&at(&a, v), &at(&b, w)), "{name}");
            let p = a.points[v];
            assert!(close(&at(&a, v), &[p[2], p[0], p[1], p[0] + p[1]]), "{name}");
            same[v] = w as u32;
        }
        let mut creases: Vec<_> = a
            .creases
            .edges
            .iter()
            .map(|c| {
                let [v, w] = c.edge().map(|v| same[v.index()]);
                ([v.min(w), v.max(w)], c.sharpness.to_bits())
            })
            .collect();
        let mut others: Vec<_> = b
            .creases
            .edges
            .iter()
            .map(|c| (c.edge().map(|v| v.0), c.sharpness.to_bits()))
            .collect();
        creases.sort_unstable();
        others.sort_unstable();
        assert_eq!(creases, others, "{name}");
    }
}

#[test]
fn refining_twice_is_refining_two_levels() {
    for name in ["bishop", "cubes_semisharp", "val2_interior", "helmet", "nonman_verts"] {
        for scheme in [Scheme::CatmullClark, Scheme::Loop] {
            let mesh = model(name);
            let one = options(scheme, 1, Method::Matrix);
            let twice = refine_surface(&refine_surface(&mesh, &one).unwrap(), &one).unwrap();
            let at_once = refine_surface(&mesh, &SurfaceOptions { levels: 2, ..one }).unwrap();
            assert_eq!(twice.faces.len(), at_once.faces.len(), "{name}");
            let tolerance = 1e-12 * size(&mesh);
            let pairs = twice.faces.vertices().iter().zip(at_once.faces.vertices());
            for (&v, &w) in pairs {
                let (p, q) = (twice.points[v as usize], at_once.points[w as usize]);
                assert!((0..3).all(|d| (p[d] - q[d]).abs() <= tolerance), "{name} {scheme:?}");
            }
            assert_eq!(twice.creases.edges.len(), at_once.creases.edges.len(), "{name}");
        }
    }
}

#[test]
fn counts_are_predicted_and_too_many_are_refused_in_words() {
    for name in ["bishop", "nonquads", "spot_control_mesh"] {
        let mut mesh = model(name);
        mesh.creases = Default::default();
        for scheme in [Scheme::CatmullClark, Scheme::Loop, Scheme::Sqrt3] {
            for levels in 0..4 {
                let options = options(scheme, levels, Method::Matrix);
                let plan = SurfacePlan::new(&mesh, &options).unwrap();
                let counts = refined_counts(&mesh, &options);
                let refined = plan.refine(&mesh).unwrap();
                assert_eq!(counts.faces, refined.faces.len() as u128, "{name} {options:?}");
                assert!(counts.vertices >= plan.vertex_count() as u128, "{name} {options:?}");
            }
        }
        for levels in [16, 40, usize::MAX / 2] {
            let options = options(Scheme::CatmullClark, levels, Method::Matrix);
            let error = SurfacePlan::new(&mesh, &options).unwrap_err().to_string();
            assert!(error.contains("32 bits"), "{error}");
        }
    }
}

/// A cube at many levels, against the limit at the vertices of a coarser one.
fn check_deep(levels: usize) -> SurfacePlan {
    const COARSE: usize = 5;
    let mesh = super::rules::cube();
    let plan = |levels| {
        SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, levels, Method::Matrix)).unwrap()
    };
    let controls: Vec<[f32; 3]> = mesh.points.iter().map(|p| p.map(|x| x as f32)).collect();
    let fine = plan(levels);
    let corners = fine.corners();
    assert_eq!(corners.len(), 24 << (2 * levels));
    let points = fine.evaluate(&controls).unwrap();
    assert_eq!(points.len(), (6 << (2 * levels)) + 2);

    // corner 0 of the first child of a corner is the same vertex, nearer to its limit
    let coarse = plan(COARSE);
    let limits = plan(COARSE).refine(&mesh).unwrap();
    let limits = vertex_limits(&limits, Scheme::CatmullClark).unwrap().positions;
    let shift = 2 * (levels - COARSE);
    for (c, &v) in coarse.corners().iter().enumerate() {
        assert_eq!(corners[c << shift], v);
        let (found, limit) = (points[v as usize], limits[v as usize]);
        let apart = (0..3).map(|d| (f64::from(found[d]) - limit[d]).abs()).greatest();
        // a level on, what is left to the limit is a quarter; single precision below that
        let tolerance = 0.01 * 0.25_f64.powi(levels as i32 - COARSE as i32) + 4e-6;
        assert!(apart < tolerance, "{v}: {apart:e}");
    }
    // all vertices have corners, and all quads are small
    let largest = 4.0 / f64::from(1 << levels) as f32;
    let mut seen = vec![false; points.len()];
    for quad in corners.as_chunks::<4>().0 {
        quad.iter().for_each(|&v| seen[v as usize] = true);
        let [a, _, c, _] = quad.map(|v| points[v as usize]);
        assert!((0..3).all(|d| (a[d] - c[d]).abs() < largest), "{quad:?}");
    }
    assert!(seen.iter().all(|&seen| seen));
    fine
}

#[test]
fn many_levels_go_to_the_limit() {
    check_deep(8);
}

/// 1.6 thousand million quads have 6.4 thousand million corners.
#[test]
#[ignore = "takes 200 GB of memory"]
fn corners_beyond_32_bits_have_no_ids() {
    let plan = check_deep(14);
    assert!(plan.corners().len() > u32::MAX as usize);
    let fine = plan.refine(&super::rules::cube()).unwrap();
    fine.check().unwrap();
    let last = fine.faces.len() - 1;
    assert_eq!(fine.faces.face(last), &plan.corners()[4 * last..]);
    // too many corners for a control mesh
    let error = vertex_limits(&fine, Scheme::CatmullClark).unwrap_err().to_string();
    assert!(error.contains("32 bits"), "{error}");
}

#[test]
fn faces_beyond_32_bits_are_refused() {
    let mesh = super::rules::cube();
    let new = |levels, method| {
        SurfacePlan::new(&mesh, &options(Scheme::CatmullClark, levels, method)).unwrap_err()
    };
    // 6.4 thousand million quads
    assert!(new(15, Method::Matrix).to_string().contains("32 bits"));
    // as many corners
    assert!(new(14, Method::EdgeFriend).to_string().contains("32 bits"));
    check_ids(&mesh, &options(Scheme::CatmullClark, 14, Method::Matrix)).unwrap();
}
