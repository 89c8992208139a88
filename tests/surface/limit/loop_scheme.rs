//! Loop limits against explicit refinement, levels upon levels.

use subsolid::plan::Want;
use subsolid::surface::limit::{LimitSurface, Scheme, SurfaceLocation};

use super::explicit::{Case, Compared, equal_explicit_refinement};
use super::meshes::triangles;
use crate::oracle::loop_surface;
use crate::oracle::random::Random;
use crate::oracle::surface::Surface;
use crate::support::{close, places, size};

const CASE: Case = Case { scheme: Scheme::Loop, models: triangles, compare, levels: &[3] };

equal_explicit_refinement!(CASE, [3, 2, 2, 2]);

/// Compares at random places, some on and close to edges and corners.
fn compare(
    name: &str,
    surface: &Surface,
    limit: &LimitSurface,
    seed: u64,
    rounds: usize,
) -> Compared {
    let size = size(&surface.points);
    let mut random = Random::new(seed);
    let mut locations = Vec::new();
    for _ in 0..rounds {
        for [u, v, _] in places::local_parameters(&mut random) {
            let element = random.below(limit.elements().len()) as u32;
            // fold the square onto the triangle
            let parameters = if u + v <= 1.0 { [u, v] } else { [1.0 - u, 1.0 - v] };
            locations.push(SurfaceLocation { element, parameters });
        }
    }
    let found = limit.evaluate(&surface.points, &locations, Want::POSITION | Want::FIRST).unwrap();
    let mut compared = Compared { places: locations.len(), derivatives: 0 };
    for (i, location) in locations.iter().enumerate() {
        let [u, v] = location.parameters;
        let expected = loop_surface::evaluate(surface, location.element as usize, [u, v]);
        let at = || format!("{name}, {location:?}");
        close(found.positions[i], expected[0], 1e-10 * size, at);
        // nearer to a corner the oracle has no derivative yet
        let far = [u, v, 1.0 - u - v].into_iter().filter(|&x| x > 1e-7).count() > 1;
        let first = [found.d_u[i], found.d_v[i]];
        if far && !first.as_flattened().iter().any(|x| x.is_nan()) {
            compared.derivatives += 1;
            for d in 0..2 {
                close(first[d], expected[d + 1], 1e-8 * size, at);
            }
        }
    }
    compared
}
