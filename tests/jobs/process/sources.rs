//! Distances from several sources: as far from each as from it alone.

use subsolid::SurfaceMesh;
use subsolid::process::solid::{Seed, volume_distance};
use subsolid::process::surface::Geodesics;

use crate::oracle::random::Random;
use crate::oracle::vector::Greatest;
use crate::support::meshes::block;
use crate::triangles::square;

/// Distances in a plane or in space, to the nearest of some vertices.
fn straight(points: &[[f64; 3]], sources: &[u32]) -> Vec<f64> {
    let far = |p: &[f64; 3], q: [f64; 3]| (p[0] - q[0]).hypot(p[1] - q[1]).hypot(p[2] - q[2]);
    let nearest = |p| sources.iter().map(|&s| far(p, points[s as usize])).fold(f64::MAX, f64::min);
    points.iter().map(nearest).collect()
}

/// Greatest and mean difference.
fn errors(found: &[f64], exact: &[f64]) -> [f64; 2] {
    let all: Vec<f64> = found.iter().zip(exact).map(|(a, b)| (a - b).abs()).collect();
    [all.iter().copied().greatest(), all.iter().sum::<f64>() / all.len() as f64]
}

/// The least of the distances from each source alone.
fn least(count: usize, sources: &[u32], from: impl Fn(u32) -> Vec<f64>) -> Vec<f64> {
    sources.iter().fold(vec![f64::MAX; count], |least, &source| {
        least.iter().zip(from(source)).map(|(a, b)| a.min(b)).collect()
    })
}

/// A square of `n` × `n` cells, its inner vertices moved by a part of their length.
fn moved(n: usize, part: f64) -> SurfaceMesh {
    let mut mesh = square(n);
    let mut random = Random::new(7);
    for p in mesh.points.iter_mut().filter(|p| p[..2].iter().all(|x| *x > 0.0 && *x < 1.0)) {
        (0..2).for_each(|d| p[d] += random.between(-part, part) / n as f64);
    }
    mesh
}

/// A vertex inside has six triangles around it, one of a side three, one of a corner one or two.
#[test]
fn heat_from_several_sources_is_as_right_as_from_one() {
    let n = 40;
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let corners = [at(0, 0), at(n, 0), at(0, n), at(n, n)];
    let middle = at(n / 2, n / 2);
    let mut sets: Vec<Vec<u32>> = corners.iter().map(|&corner| vec![corner, middle]).collect();
    sets.push(vec![at(n / 2, 0), middle]);
    sets.push(vec![at(5, 20), at(30, 15), at(40, 40), at(0, 8), at(16, 35)]);
    for part in [0.0, 0.25] {
        let mesh = moved(n, part);
        let geodesics = Geodesics::new(&mesh).unwrap();
        for sources in &sets {
            let exact = straight(&mesh.points, sources);
            let found = geodesics.distance(sources).unwrap();
            let alone =
                least(exact.len(), sources, |source| geodesics.distance(&[source]).unwrap());
            let ([_, mean], [greatest, of_alone]) =
                (errors(&found, &exact), errors(&alone, &exact));
            println!("{sources:?}: mean {mean:.2e}, alone {of_alone:.2e}, at most {greatest:.2e}");
            assert!(mean < 1.5 * of_alone, "{sources:?}: {mean} {of_alone}");
            // beside every source as from it alone, where it was off by two lengths of an edge
            let steps: Vec<usize> =
                (0..exact.len()).filter(|&v| (0.1..1.6).contains(&(exact[v] * n as f64))).collect();
            assert!(steps.len() > 2 * sources.len());
            for v in steps {
                let off = n as f64 * (found[v] - alone[v]).abs();
                assert!(off < 0.2, "{sources:?}, vertex {v}: {} for {}", found[v], alone[v]);
            }
        }
    }
}

/// Lines and areas of sources beside single ones: errors in lengths of edges, mean and greatest.
#[test]
fn heat_from_lines_and_areas_is_measured_from_their_ends() {
    let n = 80;
    let at = |i: usize, j: usize| (j * (n + 1) + i) as u32;
    let all = || (0..=n).flat_map(|j| (0..=n).map(move |i| (i, j)));
    let ids = |is_source: &dyn Fn(usize, usize) -> bool| -> Vec<u32> {
        all().filter(|&(i, j)| is_source(i, j)).map(|(i, j)| at(i, j)).collect()
    };
    let cases = [
        // before: 2.8 and 9.4, 8.1 and 17.9, 4.1 and 8.4, 0.8 and 2.6
        (
            "a line and a vertex",
            ids(&|i, j| i == n / 4 || i == 3 * n / 4 && j == n / 2),
            [0.5, 3.0],
        ),
        ("a half", ids(&|i, _| i < n / 2), [0.7, 1.5]),
        (
            "an area and a corner",
            ids(&|i, j| (20..40).contains(&i) && (20..40).contains(&j) || i + j == 2 * n),
            [1.5, 4.5],
        ),
        ("the rim", ids(&|i, j| i % n == 0 || j % n == 0), [0.4, 2.2]),
    ];
    for (name, sources, [mean, greatest]) in cases {
        let mesh = moved(n, 0.25);
        let found = Geodesics::new(&mesh).unwrap().distance(&sources).unwrap();
        let error = errors(&found, &straight(&mesh.points, &sources)).map(|e| e * n as f64);
        println!("{name}: errors of {error:.2?} edges");
        assert!(error[1] < mean && error[0] < greatest, "{name}: {error:?}");
        assert!(sources.iter().all(|&s| found[s as usize] == 0.0));
    }
    let mesh = square(6);
    let everywhere: Vec<u32> = (0..49).collect();
    assert_eq!(Geodesics::new(&mesh).unwrap().distance(&everywhere).unwrap(), [0.0; 49]);
}

/// Components do not know of each other, whatever their sizes and numbers of sources.
#[test]
fn heat_of_components_is_that_of_each_alone() {
    let (n, m) = (20, 31);
    let (first, mut second) = (square(n), square(m));
    second.points.iter_mut().for_each(|p| *p = [7.0 * p[0] + 3.0, 7.0 * p[1], 1.0]);
    let start = first.points.len() as u32;
    let mut both = first.clone();
    both.points.extend(&second.points);
    for face in second.faces.iter() {
        both.faces.push(&face.iter().map(|v| v + start).collect::<Vec<u32>>());
    }
    for (a, b) in [(vec![0, 220], vec![500]), (vec![3], vec![0, 17, 600]), (vec![9], vec![40])] {
        let sources: Vec<u32> = a.iter().copied().chain(b.iter().map(|v| v + start)).collect();
        let found = Geodesics::new(&both).unwrap().distance(&sources).unwrap();
        let alone =
            [(&first, &a), (&second, &b)].map(|(m, s)| Geodesics::new(m).unwrap().distance(s));
        for (v, (x, y)) in found.iter().zip(alone.into_iter().flat_map(Result::unwrap)).enumerate()
        {
            assert!((x - y).abs() < 1e-11, "vertex {v}: {x} {y}");
        }
    }
}

/// Through solids the front starts at each source alike: inside, on sides, edges and corners.
#[test]
fn distances_through_solids_are_the_least_of_those_of_each_source() {
    let n = 8;
    let mut mesh = block([n; 3]);
    mesh.points.iter_mut().for_each(|p| *p = p.map(|x| x / n as f64));
    let at = |p: [usize; 3]| {
        let place = p.map(|x| x as f64 / n as f64);
        mesh.points.iter().position(|&q| q == place).unwrap() as u32
    };
    let sources = [[0, 0, 0], [4, 4, 4], [8, 4, 4], [8, 8, 2]].map(at);
    let from = |sources: &[u32]| {
        let seeds: Vec<Seed> = sources.iter().copied().map(Seed::on).collect();
        volume_distance(&mesh, &seeds).unwrap()
    };
    let (found, exact) = (from(&sources), straight(&mesh.points, &sources));
    let alone = least(exact.len(), &sources, |source| from(&[source]));
    let ([greatest, _], [of_alone, _]) = (errors(&found, &alone), errors(&alone, &exact));
    println!("solid: {greatest:.2e} from the least of each alone, whose error is {of_alone:.2e}");
    assert!(greatest < 0.5 / n as f64 && of_alone < 1.0 / n as f64);
    for (v, &d) in exact.iter().enumerate().filter(|(_, d)| **d > 0.0 && **d < 1.01 / n as f64) {
        assert!((found[v] - d).abs() < 1e-12, "vertex {v}: {} for {d}", found[v]);
    }
}
