//! Catmull-Clark limits against explicit refinement, levels upon levels.

use subsolid::plan::Want;
use subsolid::surface::limit::{LimitSurface, Scheme, SurfaceLeafKind, SurfaceLocation};

use super::explicit::{Case, Compared, equal_explicit_refinement};
use super::meshes::{cube, mesh, models};
use crate::oracle::random::Random;
use crate::oracle::spline::bicubic;
use crate::oracle::surface::Surface;
use crate::oracle::surface_limit;
use crate::support::{close, places, size};

const CASE: Case = Case { scheme: Scheme::CatmullClark, models, compare, levels: &[1, 4] };

equal_explicit_refinement!(CASE, [6, 4, 3, 3]);

/// Compares at random places, some on and close to edges and corners.
fn compare(
    name: &str,
    surface: &Surface,
    solid: &LimitSurface,
    seed: u64,
    rounds: usize,
) -> Compared {
    let fine = surface.refine(); // its faces are the corners of polygons
    let first_child: Vec<usize> = surface
        .faces
        .iter()
        .scan(0, |end, face| {
            *end += face.len();
            Some(*end - face.len())
        })
        .collect();
    let size = size(&surface.points);
    let mut random = Random::new(seed);
    let mut locations = Vec::new();
    for _ in 0..rounds {
        for [u, v, _] in places::local_parameters(&mut random) {
            let element = random.below(solid.elements().len()) as u32;
            locations.push(SurfaceLocation { element, parameters: [u, v] });
        }
    }
    let found = solid.evaluate(&surface.points, &locations, Want::POSITION | Want::FIRST).unwrap();
    let mut compared = Compared { places: locations.len(), derivatives: 0 };
    for (i, location) in locations.iter().enumerate() {
        let element = solid.elements()[location.element as usize];
        let face = element.face as usize;
        let expected = match element.corner {
            None => surface_limit::evaluate(surface, face, location.parameters),
            Some(corner) => {
                let child = first_child[face] + corner as usize;
                surface_limit::evaluate(&fine, child, location.parameters)
            }
        };
        let at = || format!("{name}, {location:?} of {element:?}");
        close(found.positions[i], expected.position, 1e-10 * size, at);
        let first = [found.d_u[i], found.d_v[i]];
        if let Some(expected) = expected.first
            && !first.as_flattened().iter().any(|x| x.is_nan())
        {
            compared.derivatives += 1;
            for d in 0..2 {
                close(first[d], expected[d], 1e-8 * size, at);
            }
        }
    }
    compared
}

#[test]
fn isolation_leaves_regular_patches_but_around_extraordinary_vertices() {
    // three quads at each corner of a cube: a level makes 24 irregular quads of 6 faces,
    // every further one keeps those and makes three regular of each
    let surface = cube();
    let flat = mesh(&surface);
    let mut random = Random::new(1);
    for levels in 1..=6 {
        let limit = LimitSurface::isolated(&flat, Scheme::CatmullClark, levels).unwrap();
        let counts = limit.patch_counts();
        assert_eq!((counts.irregular, counts.regular), (24, 72 * (levels - 1)));
        let refined = limit.refined_points(&surface.points).unwrap();
        for leaf in limit.leaves() {
            let SurfaceLeafKind::Regular(_) = leaf.kind else { continue };
            // a place in the leaf by its own parameters, and by the element's
            let local = [random.between(0.0, 1.0), random.between(0.0, 1.0)];
            let map = leaf.affine(Scheme::CatmullClark);
            let parameters = [0, 1].map(|d| (local[d] - map.offset[d]) / map.matrix[d][d]);
            let place = SurfaceLocation { element: leaf.element, parameters };
            let found = limit.evaluate_refined(&refined, &[place], Want::POSITION).unwrap();
            let net = limit.net(leaf);
            let net = [0, 1, 2, 3].map(|i| [0, 1, 2, 3].map(|j| refined[net[i + 4 * j] as usize]));
            let expected = bicubic(&net, [0, 0], local);
            close(found.positions[0], expected, 1e-14, || format!("{place:?}"));
        }
    }
}

/// Around the middle of a face of 200 corners, as deep as isolation goes: there the limit is made
/// of regular patches, without the powers of a matrix. Places together are what each is alone.
#[test]
fn faces_of_many_corners_have_the_limit_of_their_patches() {
    let corner = |i: usize| {
        let angle = i as f64 * std::f64::consts::TAU / 200.0;
        [angle.cos(), angle.sin(), 0.3 * (3.0 * angle).sin()]
    };
    let surface = Surface::new((0..200).map(corner).collect(), vec![(0..200).collect()]);
    let flat = mesh(&surface);
    let whole = LimitSurface::of_mesh(&flat, Scheme::CatmullClark).unwrap();
    let patches = LimitSurface::isolated(&flat, Scheme::CatmullClark, 12).unwrap();
    let mut random = Random::new(9);
    let mut places = Vec::new();
    for depth in 0..11 {
        let near = [0, 1].map(|_| 1.0 - random.between(0.5, 1.0) / f64::from(1 << depth));
        for element in [0, 57, 110, 199] {
            places.push(SurfaceLocation { element, parameters: near });
        }
    }
    let want = Want::POSITION | Want::FIRST;
    let found = whole.evaluate(&surface.points, &places, want).unwrap();
    let expected = patches.evaluate(&surface.points, &places, want).unwrap();
    for (i, place) in places.iter().enumerate() {
        let at = || format!("{place:?}");
        close(found.positions[i], expected.positions[i], 1e-13, at);
        close(found.d_u[i], expected.d_u[i], 1e-11, at);
        close(found.d_v[i], expected.d_v[i], 1e-11, at);
        let alone = whole.evaluate(&surface.points, &[*place], want).unwrap();
        let all = (found.positions[i], found.d_u[i], found.normals[i]);
        assert_eq!((alone.positions[0], alone.d_u[0], alone.normals[0]), all, "{place:?}");
    }
}
