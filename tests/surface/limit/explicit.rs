//! Limits against explicit refinement, levels upon levels: the same tests for every scheme.

use rayon::prelude::*;
use subsolid::surface::limit::{LimitSurface, Scheme};

use super::meshes::{crease_at_random, limit, mesh};
use crate::oracle::surface::Surface;

const INF: f64 = f64::INFINITY;

/// Of the places that were compared, those with derivatives of both sides.
pub struct Compared {
    pub places: usize,
    pub derivatives: usize,
}

/// A scheme, its models and how its limits are compared with an oracle.
pub struct Case {
    pub scheme: Scheme,
    pub models: fn() -> Vec<(&'static str, Surface)>,
    /// Compares at random places: name, surface, limit, seed, rounds.
    pub compare: fn(&str, &Surface, &LimitSurface, u64, usize) -> Compared,
    /// Levels of isolation.
    pub levels: &'static [usize],
}

impl Case {
    /// Compares all models with creases of these sharpnesses at random edges, one in `one_in`; with
    /// their own creases if there are none.
    pub fn creased(&self, rounds: usize, sharpnesses: &[f64], one_in: usize, chaikin: bool) {
        (self.models)().par_iter_mut().enumerate().for_each(|(seed, (name, surface))| {
            let seed = seed as u64;
            if !sharpnesses.is_empty() {
                surface.creases.clear();
                surface.chaikin = chaikin;
                crease_at_random(surface, sharpnesses, one_in, seed);
            }
            let limit = limit(surface, self.scheme);
            check(name, &(self.compare)(name, surface, &limit, seed, rounds));
        });
    }

    pub fn isolated(&self) {
        for (name, surface) in (self.models)().into_iter().filter(|(name, _)| *name != "car") {
            let flat = mesh(&surface);
            for &levels in self.levels {
                let limit = LimitSurface::isolated(&flat, self.scheme, levels).unwrap();
                check(name, &(self.compare)(name, &surface, &limit, 7, 1));
            }
        }
    }

    pub fn infinitely_sharp(&self, rounds: usize) {
        self.creased(rounds, &[INF], 5, false);
    }

    pub fn semi_sharp(&self, rounds: usize) {
        self.creased(rounds, &[0.5, 1.0, 2.3, INF], 8, false);
    }

    pub fn chaikin(&self, rounds: usize) {
        self.creased(rounds, &[0.4, 1.0, 2.3, 3.1, INF], 4, true);
    }
}

/// Most places have derivatives, although many lie on corners or close to them: 65 % at least.
fn check(name: &str, compared: &Compared) {
    let Compared { places, derivatives } = *compared;
    assert!(places > 0 && 5 * derivatives >= 3 * places, "{name}: {derivatives} of {places}");
}

/// The tests of a [`Case`], with the rounds of places of the first four.
macro_rules! equal_explicit_refinement {
    ($case:expr, $rounds:expr) => {
        #[test]
        fn limits_equal_explicit_refinement() {
            $case.creased($rounds[0], &[], 0, false);
        }

        #[test]
        fn limits_with_infinitely_sharp_creases_equal_explicit_refinement() {
            $case.infinitely_sharp($rounds[1]);
        }

        #[test]
        fn limits_with_semi_sharp_creases_equal_explicit_refinement() {
            $case.semi_sharp($rounds[2]);
        }

        #[test]
        fn limits_with_creases_by_chaikins_rule_equal_explicit_refinement() {
            $case.chaikin($rounds[3]);
        }

        #[test]
        fn limits_of_isolated_patches_equal_explicit_refinement() {
            $case.isolated();
        }
    };
}
pub(super) use equal_explicit_refinement;
