//! Tables of refined points and limits that OpenSubdiv computed; `tables.cpp` wrote them.
#![allow(dead_code)] // each test program uses a part of it

use subsolid::mesh::{BoundaryRule, CreaseRule, Polygons, SurfaceMesh};
use subsolid::surface::Scheme;

/// A creased surface, refined by OpenSubdiv.
pub struct Case {
    /// Number and name.
    pub name: String,
    pub scheme: Scheme,
    pub mesh: SurfaceMesh,
    /// Of levels 1, 2, …
    pub levels: Vec<Level>,
    /// Limits of the first control vertices.
    pub limits: Vec<[f64; 3]>,
}

/// Refined points of a level.
pub struct Level {
    pub vertices: usize,
    /// Without holes.
    pub faces: usize,
    /// Of the first control vertices.
    pub points: Vec<[f64; 3]>,
    /// Sums of x, y, z, xx, yy, zz, xy, yz, zx over all points.
    pub sums: [f64; 9],
}

/// The sums of [`Level::sums`].
pub fn sums(points: impl Iterator<Item = [f64; 3]>) -> [f64; 9] {
    points.fold([0.0; 9], |sums, [x, y, z]| {
        let terms = [x, y, z, x * x, y * y, z * z, x * y, y * z, z * x];
        std::array::from_fn(|i| sums[i] + terms[i])
    })
}

/// All cases of both tables.
pub fn cases() -> Vec<Case> {
    let uniform = read(include_str!("uniform.txt"), CreaseRule::Uniform);
    uniform.into_iter().chain(read(include_str!("chaikin.txt"), CreaseRule::Chaikin)).collect()
}

fn read(text: &str, rule: CreaseRule) -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let word = words.next().unwrap();
        if word == "case" {
            let words: Vec<&str> = words.collect();
            let mut mesh = SurfaceMesh::new(Vec::new(), Polygons::default());
            mesh.crease_rule = rule;
            mesh.boundary = match words[2] {
                "0" => BoundaryRule::Holes,
                "1" => BoundaryRule::EdgesAndCorners,
                _ => BoundaryRule::Edges,
            };
            cases.push(Case {
                name: format!("{rule:?} {} {}", cases.len(), words[0]),
                scheme: if words[1] == "loop" { Scheme::Loop } else { Scheme::CatmullClark },
                mesh,
                levels: Vec::new(),
                limits: Vec::new(),
            });
            continue;
        }
        let case = cases.last_mut().unwrap();
        let numbers: Vec<f64> = words.map(|word| word.parse().unwrap()).collect();
        let ids: Vec<u32> = numbers.iter().map(|&x| x as u32).collect();
        let point = || [numbers[0], numbers[1], numbers[2]];
        match word {
            "v" => case.mesh.points.push(point()),
            "f" => case.mesh.faces.push(&ids),
            "e" => case.mesh.creases.push_edge(ids[0], ids[1], numbers[2]),
            "c" => case.mesh.creases.push_corner(ids[0], numbers[1]),
            "h" => case.mesh.holes.push(ids[0]),
            "level" => case.levels.push(Level {
                vertices: numbers[1] as usize,
                faces: numbers[2] as usize,
                points: Vec::new(),
                sums: [0.0; 9],
            }),
            "p" if case.limits.capacity() > 0 => case.limits.push(point()),
            "p" => case.levels.last_mut().unwrap().points.push(point()),
            "m" => case.levels.last_mut().unwrap().sums.copy_from_slice(&numbers),
            "limit" => case.limits.reserve(1),
            other => panic!("{other}"),
        }
    }
    cases
}
