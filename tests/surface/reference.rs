//! Positions of all schemes against half-edges, levels 1 to 4 as far as a model stays below
//! [`MAX_CORNERS`].

use subsolid::mesh::{CreaseRule, Creases};
use subsolid::surface::{Method, Scheme, SurfacePlan};

use super::{expect_equal, manifolds, model, options, reference, rules};

const MAX_CORNERS: usize = 600_000;

fn compare_all(scheme: Scheme, methods: &[Method], chaikin: bool) {
    let mut levels_compared = 0;
    for name in manifolds() {
        let mut mesh = model(name);
        if scheme == Scheme::Sqrt3 {
            mesh.creases = Creases::default();
            mesh.holes.clear();
        }
        if chaikin {
            mesh.crease_rule = CreaseRule::Chaikin;
        }
        let mut expected = reference(&mesh, scheme != Scheme::CatmullClark);
        for level in 0..4 {
            expected = expected.refine(rules(scheme, level));
            if 4 * expected.faces.len() > MAX_CORNERS {
                break;
            }
            for &method in methods {
                let plan = SurfacePlan::new(&mesh, &options(scheme, level + 1, method))
                    .unwrap_or_else(|e| panic!("{name}: {e}"));
                let what = format!("{name}, level {}, {method:?}", level + 1);
                expect_equal(&plan, &mesh, &expected, &what);
            }
            levels_compared += 1;
        }
    }
    assert!(levels_compared > 3 * manifolds().len(), "{levels_compared}");
}

#[test]
fn catmull_clark() {
    compare_all(Scheme::CatmullClark, &[Method::Matrix, Method::EdgeFriend], false);
}

#[test]
fn catmull_clark_with_chaikin_creases() {
    compare_all(Scheme::CatmullClark, &[Method::Matrix, Method::EdgeFriend], true);
}

#[test]
fn loop_subdivision() {
    compare_all(Scheme::Loop, &[Method::Matrix], false);
    compare_all(Scheme::Loop, &[Method::Matrix], true);
}

#[test]
fn sqrt3() {
    compare_all(Scheme::Sqrt3, &[Method::Matrix], false);
}
