//! Parts of meshes with ghosts: bit by bit what the whole has there.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::oracle::random::Random;
use crate::support::meshes;
use subsolid::backend::{Backend, Cpu, Limit, Precision};
use subsolid::limit::{Class, Solid};
use subsolid::mesh::{Attribute, CellArray, CellKind, FaceGroup, Polygons, SolidMesh};
use subsolid::parts::{Cut, Cutter, Part, costs};
use subsolid::plan::{Samples, Want};
use subsolid::quadrature::{LeafQuantities, Mapping, QuadratureScheme};
use subsolid::volume::Quality;
use subsolid::{Quadrature, Result};

/// Everything that is found on a cell, by the whole's ids, in bits.
#[derive(Debug, Default, PartialEq)]
struct Found {
    classes: BTreeMap<u32, String>,
    // by cell and corner
    limits: BTreeMap<(u32, Option<u8>), Vec<u64>>,
    // by cell, corner and place of the leaf
    quadrature: BTreeMap<(u32, Option<u8>, [u64; 3]), Vec<u64>>,
    poor: BTreeMap<u32, (usize, u64)>,
}

/// Least determinant and scaled Jacobian, samples seen and undefined.
type Extremes = ([f64; 2], [usize; 2]);

impl Found {
    fn add(
        &mut self,
        solid: &Solid,
        mesh: &SolidMesh,
        id: impl Fn(u32) -> u32,
        precision: Precision,
    ) -> Extremes {
        let want = Want::ATTRIBUTE_FIRST | Want::QUALITY;
        let plan = solid.plan(&Samples::grid(3), want).unwrap();
        let limit = Cpu::new(precision).evaluate(&plan, mesh.controls()).unwrap();
        for element in solid.elements() {
            // with the way its frame lies
            let class = solid.classes()[element.cell as usize];
            self.classes.insert(id(element.cell), format!("{class:?}"));
        }
        for (index, element) in solid.elements().iter().enumerate() {
            let old =
                self.limits.insert((id(element.cell), element.corner), bits(&limit, index, 27));
            assert!(old.is_none(), "two parts own a cell");
        }
        let mut quality = Quality::default();
        quality.add(&plan, &limit);
        for (&cell, poor) in &quality.non_positive {
            self.poor.insert(id(cell), (poor.samples, poor.worst.value.to_bits()));
        }
        self.quadrature(solid, mesh, &id).unwrap();
        let value =
            |extreme: Option<subsolid::volume::Extreme>| extreme.map_or(f64::INFINITY, |e| e.value);
        let least = [quality.least_determinant, quality.least_scaled_jacobian].map(value);
        (least, [quality.samples, quality.undefined])
    }

    fn quadrature(
        &mut self,
        solid: &Solid,
        mesh: &SolidMesh,
        id: &impl Fn(u32) -> u32,
    ) -> Result<()> {
        let scheme = QuadratureScheme { gauss: 2, rings: Some(1) };
        let quadrature = Quadrature::new(solid, scheme, Want::FIRST)?;
        let mapping = Mapping::new(&quadrature, mesh.controls())?;
        let mut mapped = LeafQuantities::default();
        for (batch, leaves) in quadrature.pieces(10_000) {
            mapping.evaluate(batch, leaves.clone(), &mut mapped)?;
            let samples = quadrature.samples(batch);
            for (at, &leaf) in quadrature.batches()[batch].leaves[leaves].iter().enumerate() {
                let element = &solid.elements()[solid.leaves()[leaf as usize].element as usize];
                let own = at * samples..(at + 1) * samples;
                let mut all: Vec<u64> = Vec::new();
                all.extend(mapped.points[own.clone()].iter().flatten().map(|x| x.to_bits()));
                all.extend(mapped.measures[own.clone()].iter().map(|x| x.abs().to_bits()));
                all.extend(mapped.determinants[own].iter().map(|x| x.to_bits()));
                let origin = quadrature.origin(leaf).map(f64::to_bits);
                self.quadrature.insert((id(element.cell), element.corner, origin), all);
            }
        }
        Ok(())
    }
}

fn bits(limit: &Limit, element: usize, samples: usize) -> Vec<u64> {
    let arrays = std::iter::once((&limit.positions, 3))
        .chain(limit.derivatives.iter().map(|values| (values, 3)))
        .chain(limit.attributes.iter().map(|values| (values, 2)))
        .chain(limit.attribute_derivatives.iter().flatten().map(|values| (values, 2)))
        .chain(limit.quantities.iter().map(|derived| (&derived.values, derived.wanted.width)));
    let own = |width: usize| element * samples * width..(element + 1) * samples * width;
    arrays.flat_map(|(values, width)| own(width).map(|i| values.get(i).to_bits())).collect()
}

/// Compares all parts of a cut with the whole.
fn compare(
    name: &str,
    mesh: &SolidMesh,
    cut: &Cut,
    whole: &(Found, Extremes),
    precision: Precision,
) {
    let cutter = Cutter::new(mesh, cut).unwrap();
    let mut found = Found::default();
    let mut extremes = ([f64::INFINITY; 2], [0; 2]);
    for index in 0..cutter.count() {
        let part = cutter.part(index);
        check(mesh, cut, index as u32, &part);
        let solid = part.solid().unwrap_or_else(|e| panic!("{name}, part {index}: {e}"));
        let id = |cell: u32| part.cells[cell as usize];
        let (least, counts) = found.add(&solid, &part.mesh, id, precision);
        (0..2).for_each(|i| extremes.0[i] = extremes.0[i].min(least[i]));
        (0..2).for_each(|i| extremes.1[i] += counts[i]);
    }
    let of = cutter.count();
    assert!(found.classes == whole.0.classes, "{name}, {of} parts: classes");
    assert!(found.limits == whole.0.limits, "{name}, {of} parts: limits");
    assert!(found.quadrature == whole.0.quadrature, "{name}, {of} parts: quadrature");
    assert!(found.poor == whole.0.poor, "{name}, {of} parts: quality");
    assert_eq!(extremes, whole.1, "{name}, {of} parts");
}

/// A part has the cells it owns and exactly those that share a vertex with one of them.
fn check(mesh: &SolidMesh, cut: &Cut, index: u32, part: &Part) {
    let is_owned = |cell: usize| cut.owners()[cell] == index;
    let mut touched = vec![false; mesh.points.len()];
    for cell in (0..mesh.cells.len()).filter(|&cell| is_owned(cell)) {
        mesh.cells.vertices(cell).iter().for_each(|&v| touched[v as usize] = true);
    }
    let is_in = |&cell: &usize| mesh.cells.vertices(cell).iter().any(|&v| touched[v as usize]);
    let expected: Vec<u32> = (0..mesh.cells.len()).filter(is_in).map(|cell| cell as u32).collect();
    assert_eq!(part.cells, expected);
    let owned: Vec<u32> = part.owned.iter().map(|&cell| part.cells[cell as usize]).collect();
    assert!(owned.iter().all(|&cell| is_owned(cell as usize)));
    assert_eq!(owned.len(), (0..mesh.cells.len()).filter(|&cell| is_owned(cell)).count());
    for (local, &cell) in part.cells.iter().enumerate() {
        let ids = part.mesh.cells.vertices(local).iter().map(|&v| part.vertices[v as usize]);
        assert!(ids.eq(mesh.cells.vertices(cell as usize).iter().copied()));
    }
    assert!(part.mesh.points.as_flattened() == part.gather(mesh.points.as_flattened(), 3));
    for (own, all) in part.mesh.attributes.iter().zip(&mesh.attributes) {
        assert!(own.values == part.gather(&all.values, all.width) && own.name == all.name);
    }
    for (own, all) in part.mesh.cell_data.iter().zip(&mesh.cell_data) {
        assert!(own.values.iter().zip(&part.cells).all(|(x, &c)| *x == all.values[c as usize]));
    }
    assert_eq!(part.mesh.face_groups.len(), mesh.face_groups.len());
    for (own, all) in part.mesh.face_groups.iter().zip(&mesh.face_groups) {
        let global = |face: &[u32]| face.iter().map(|&v| part.vertices[v as usize]).collect();
        let found: Vec<Vec<u32>> = own.faces.iter().map(global).collect();
        let has = |cell: &u32, face: &[u32]| {
            let corners = mesh.cells.vertices(*cell as usize);
            face.iter().all(|v| corners.contains(v))
        };
        let expected = all.faces.iter().filter(|face| part.cells.iter().any(|c| has(c, face)));
        assert_eq!(found, expected.map(<[u32]>::to_vec).collect::<Vec<_>>());
    }
}

/// Adds an attribute of two components and an array of the cells.
pub fn with_data(mut mesh: SolidMesh) -> SolidMesh {
    mesh.attributes.clear();
    mesh.cell_data.clear();
    let values =
        mesh.points.iter().flat_map(|p| [p[0] * p[1] + 50.0, (3.0 * p[2]).sin()]).collect();
    mesh.attributes.push(Attribute { name: "a".into(), width: 2, values });
    let ids = (0..mesh.cells.len()).map(|cell| cell as f64).collect();
    mesh.cell_data.push(CellArray::new("id", 1, ids, true));
    let mut some = Polygons::default();
    for c in (0..mesh.cells.len()).step_by(17) {
        mesh.cells.for_each_face(c, |face| some.push(face));
    }
    mesh.face_groups = vec![FaceGroup::new("some", some)];
    mesh
}

/// Random cuts: along the curve with random costs, and of small meshes cells at random.
fn compare_random_cuts(name: &str, mesh: SolidMesh, counts: &[usize], seed: u64) {
    let mesh = with_data(mesh);
    let solid = Solid::new(&mesh).unwrap_or_else(|e| panic!("{name}: {e}"));
    let mut random = Random::new(seed);
    let precision = if seed % 3 == 2 { Precision::F32 } else { Precision::F64 };
    let mut whole = Found::default();
    let extremes = whole.add(&solid, &mesh, |cell| cell, precision);
    let whole = (whole, extremes);
    for &count in counts {
        let costs: Vec<f64> = (0..mesh.cells.len()).map(|_| random.below(100) as f64).collect();
        let cut = Cut::along_curve(&mesh, &costs, count).unwrap();
        compare(name, &mesh, &cut, &whole, precision);
        if mesh.cells.len() <= 300 {
            let owners = (0..mesh.cells.len()).map(|_| random.below(count) as u32).collect();
            let cut = Cut::of_owners(owners, count).unwrap();
            compare(name, &mesh, &cut, &whole, precision);
        }
    }
}

#[test]
fn parts_of_shapes_have_the_bits_of_the_whole() {
    for (seed, (name, mesh)) in (0..).zip(meshes::shapes()) {
        compare_random_cuts(&name, mesh, &[2 + 3 * (seed as usize % 2)], seed);
    }
    compare_random_cuts("mixed", meshes::mixed(), &[1, 2, 3, 7], 0);
    compare_random_cuts("folded", meshes::folded_block(), &[3], 0);
}

#[test]
fn parts_of_creased_meshes_have_the_bits_of_the_whole() {
    let sharpness = [0.4, 1.0, 2.3, f64::INFINITY];
    for (seed, (name, mut mesh)) in (0..).zip(meshes::shapes()).step_by(5) {
        meshes::crease_at_random(&mut mesh, &sharpness, 3, seed);
        compare_random_cuts(&format!("creased {name}"), mesh, &[3], seed);
    }
}

/// Far from the origin an evaluation is relative to a point that follows from the whole's extent.
#[test]
fn parts_of_far_meshes_have_the_bits_of_the_whole() {
    for distance in [20.0, 1e4, 1e9] {
        let mut mesh = meshes::perturbed(&meshes::fan(5, 2, 3), 0.02, 1);
        mesh.points.iter_mut().for_each(|p| *p = [p[0] + distance, p[1] - distance, p[2]]);
        meshes::crease_at_random(&mut mesh, &[0.5, 1.5], 2, 3);
        compare_random_cuts("far", mesh, &[3], 0);
    }
}

/// The solids of the repository, and those beside the checkout where they are; of several files of
/// a name the first.
pub fn solids() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths = Vec::new();
    models(&root.join("models"), &mut paths);
    models(&root.join("../shared/models/solids"), &mut paths);
    let mut seen = std::collections::BTreeSet::new();
    paths.retain(|path| seen.insert(path.file_name().unwrap().to_owned()));
    assert!(paths.len() >= 10);
    paths
}

fn models(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    let mut entries: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() && !path.ends_with("nasty") {
            models(&path, found);
        } else if path.extension().is_some_and(|e| ["vtk", "vtu", "mesh"].iter().any(|x| e == *x)) {
            found.push(path);
        }
    }
}

#[test]
fn parts_of_models_have_the_bits_of_the_whole() {
    let mut count = 0;
    for (seed, path) in (0..).zip(&solids()) {
        let Ok(mesh) = subsolid::read(path) else { continue };
        // what the whole is refused for is another test's; large models take long without rest
        if mesh.cells.len() > 2_000 || Solid::new(&mesh).is_err() {
            continue;
        }
        let parts = 2 + seed as usize % 6;
        compare_random_cuts(&path.display().to_string(), mesh, &[parts], seed);
        count += 1;
    }
    assert!(count >= 8, "{count} models");
}

#[test]
fn there_may_be_more_parts_than_cells() {
    let mesh = with_data(meshes::block([2, 1, 1]));
    let cut = Cut::along_curve(&mesh, &[1.0, 1.0], 5).unwrap();
    let cutter = Cutter::new(&mesh, &cut).unwrap();
    let counts: Vec<usize> = (0..5).map(|index| cutter.part(index).owned.len()).collect();
    assert_eq!(counts.iter().sum::<usize>(), 2);
    for index in 0..5 {
        let part = cutter.part(index);
        let solid = part.solid().unwrap();
        let plan = solid.plan(&Samples::grid(3), Want::FIRST).unwrap();
        let limit = Cpu::default().evaluate(&plan, part.mesh.controls()).unwrap();
        assert_eq!(limit.len(), 27 * part.owned.len());
        assert_eq!(part.owned.is_empty(), part.cells.is_empty());
        assert_eq!(part.ghost_count(), part.owned.len());
    }
    compare_random_cuts("two cells", mesh, &[5], 0);
}

/// Runs of the curve cost about the same, and are compact.
#[test]
fn cuts_along_the_curve_balance_costs() {
    let mesh = meshes::block([16, 16, 16]);
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(4), Want::POSITION).unwrap();
    let costs = costs(&plan);
    assert!(costs.iter().all(|&cost| cost >= 63.9));
    let irregular = solid.classes().iter().position(|c| matches!(c, Class::Irregular(_))).unwrap();
    let regular = solid.classes().iter().position(|c| *c == Class::Regular).unwrap();
    assert!(costs[irregular] > 1.2 * costs[regular]);
    for count in [2, 3, 8] {
        let cut = Cut::along_curve(&mesh, &costs, count).unwrap();
        let mut sums = vec![0.0; count];
        cut.owners().iter().zip(&costs).for_each(|(&part, cost)| sums[part as usize] += cost);
        let mean = costs.iter().sum::<f64>() / count as f64;
        assert!(sums.iter().all(|sum| (sum / mean - 1.0).abs() < 0.01), "{sums:?}");
    }
    // cubes of 8 cells per side: 512 cells, and 3 x 64 + 3 x 8 + 1 around on the inner sides
    let cut = Cut::along_curve(&mesh, &vec![1.0; 4096], 8).unwrap();
    let cutter = Cutter::new(&mesh, &cut).unwrap();
    assert!((0..8).all(|index| cutter.part(index).ghost_count() == 217));
}

#[test]
fn wrong_cuts_are_refused() {
    let mut mesh = meshes::block([2, 2, 2]);
    let refused = |result: Result<()>, text: &str| {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(text), "{error}");
    };
    let ones = vec![1.0; 8];
    refused(Cut::along_curve(&mesh, &ones, 0).map(drop), "0 parts");
    refused(Cut::along_curve(&mesh, &ones[1..], 2).map(drop), "one for each of 8 cells");
    refused(Cut::along_curve(&mesh, &[f64::NAN; 8], 2).map(drop), "one for each of 8 cells");
    refused(Cut::of_owners(vec![2; 8], 2).map(drop), "among 2 parts");
    let cut = Cut::of_owners(vec![0; 7], 2).unwrap();
    refused(Cutter::new(&mesh, &cut).map(drop), "a cut of 7 cells, the mesh has 8");
    refused(Solid::of_part(&mesh, &[3, 2]).map(drop), "ascending");
    refused(Solid::of_part(&mesh, &[8]).map(drop), "ascending");
    let cut = Cut::of_owners(vec![0; 8], 1).unwrap();
    let part = Cutter::new(&mesh, &cut).unwrap().part(0);
    let slicer = subsolid::slice::Slicer::new(
        &part.solid().unwrap(),
        mesh.controls(),
        subsolid::slice::SliceOptions::default(),
    );
    refused(slicer.map(drop), "of a part of a mesh");
    mesh.creases.push_edge(0, 26, 1.0);
    refused(Cutter::new(&mesh, &cut).map(drop), "no such edge");
    mesh.creases.edges.clear();
    mesh.creases.push_corner(27, 1.0);
    refused(Cutter::new(&mesh, &cut).map(drop), "no such vertex");
    mesh.creases.corners.clear();
    mesh.cells.push(CellKind::Tetrahedron, &[0, 1, 2, 99]);
    let cut = Cut::of_owners(vec![0; 9], 1).unwrap();
    refused(Cutter::new(&mesh, &cut).map(drop), "names vertex 99");
}
