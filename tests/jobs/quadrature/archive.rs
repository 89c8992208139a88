//! The exported arrays as a solver reads them: from the `.npz`, by names and shapes alone.

use std::fs::File;
use std::io::{BufReader, Cursor, Read};
use std::path::Path;

use npyz::{Deserialize, NpyFile};
use zip::ZipArchive;

use subsolid::Quadrature;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{
    BoundaryReport, ExportOptions, Mapping, Regions, Report, Scheme, write_boundary_npz, write_npz,
};

/// What the tests use of an archive.
pub struct Archive {
    pub control_points: Vec<[f64; 3]>,
    pub batches: Vec<Batch>,
}

pub struct Batch {
    pub leaves: usize,
    pub samples: usize,
    pub controls: usize,
    pub control_ids: Vec<u32>,
    pub basis: Vec<f64>,
    pub gradients: Vec<f64>,
    pub points: Vec<f64>,
    pub measures: Vec<f64>,
    pub inverse_jacobians: Vec<f64>,
    /// Of a quadrature of the boundary: outward normals, and the side of every leaf.
    pub normals: Vec<f64>,
    pub sides: Vec<u32>,
}

/// Array `name` of an archive: its shape and values.
pub fn array<T: Deserialize>(
    archive: &mut ZipArchive<BufReader<File>>,
    name: &str,
) -> (Vec<usize>, Vec<T>) {
    let mut bytes = Vec::new();
    let mut entry =
        archive.by_name(&format!("{name}.npy")).unwrap_or_else(|e| panic!("{name}: {e}"));
    entry.read_to_end(&mut bytes).unwrap();
    let array = NpyFile::new(Cursor::new(bytes)).unwrap();
    let shape = array.shape().iter().map(|&n| n as usize).collect();
    (shape, array.into_vec().unwrap())
}

pub fn open(path: &Path) -> ZipArchive<BufReader<File>> {
    ZipArchive::new(BufReader::new(File::open(path).unwrap())).unwrap()
}

impl Archive {
    pub fn read(path: &Path) -> Self {
        let mut zip = open(path);
        let (_, flat) = array::<f64>(&mut zip, "control_points");
        let control_points = flat.as_chunks().0.to_vec();
        let count = array::<i32>(&mut zip, "batches").1[0];
        let batches = (0..count).map(|b| {
            let mut reals = |name: &str| array::<f64>(&mut zip, &format!("batch/{b}/{name}"));
            let (shape, basis) = reals("basis");
            let [samples, controls] = shape[..] else { panic!("basis: {shape:?}") };
            let (shape, gradients) = reals("gradients");
            assert_eq!(shape, [samples, 3, controls]);
            let (shape, measures) = reals("measures");
            let leaves = shape[0];
            assert_eq!(shape, [leaves, samples]);
            let (shape, points) = reals("points");
            assert_eq!(shape, [leaves, samples, 3]);
            let (shape, inverse_jacobians) = reals("inverse_jacobians");
            assert_eq!(shape, [leaves, samples, 3, 3]);
            let (shape, control_ids) = array(&mut zip, &format!("batch/{b}/control_ids"));
            assert_eq!(shape, [leaves, controls]);
            let name = format!("batch/{b}/normals");
            let is_boundary = zip.by_name(&format!("{name}.npy")).is_ok();
            let (mut normals, mut sides) = (Vec::new(), Vec::new());
            if is_boundary {
                let (shape, found) = array::<f64>(&mut zip, &name);
                assert_eq!(shape, [leaves, samples, 3]);
                normals = found;
                let (shape, found) = array::<u32>(&mut zip, &format!("batch/{b}/sides"));
                assert_eq!(shape, [leaves]);
                sides = found;
            }
            Batch {
                leaves,
                samples,
                controls,
                control_ids,
                basis,
                gradients,
                points,
                measures,
                inverse_jacobians,
                normals,
                sides,
            }
        });
        Self { control_points, batches: batches.collect() }
    }

    /// Of a mesh, through a file.
    pub fn of(mesh: &SolidMesh, scheme: Scheme) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("quadrature.npz");
        let solid = Solid::new(mesh).unwrap();
        let quadrature = Quadrature::new(&solid, scheme, Want::FIRST).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let report = Report::new(&mapping).unwrap();
        assert!(report.quality.non_positive.is_empty(), "a sound geometry");
        let options = ExportOptions::default();
        write_npz(&path, &mapping, mesh.controls(), &report, options).unwrap();
        Self::read(&path)
    }

    /// Of the boundary of a mesh, through a file.
    pub fn of_boundary(mesh: &SolidMesh, scheme: Scheme) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("boundary.npz");
        let solid = Solid::new(mesh).unwrap();
        let quadrature = Quadrature::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let regions = Regions::new(solid.topology(), mesh).unwrap();
        let report = BoundaryReport::new(&mapping, &regions, mesh.points[0]).unwrap();
        let options = ExportOptions::default();
        write_boundary_npz(&path, &mapping, mesh.controls(), (&report, &regions), options).unwrap();
        Self::read(&path)
    }

    /// ∫ Nᵢ t(side, point, normal) over the boundary, `[vertex][width]`.
    pub fn loads<const N: usize>(
        &self,
        traction: impl Fn(u32, [f64; 3], [f64; 3]) -> [f64; N],
    ) -> Vec<f64> {
        let mut loads = vec![0.0; N * self.control_points.len()];
        for batch in &self.batches {
            let n = batch.controls;
            for at in 0..batch.leaves * batch.samples {
                let (leaf, s) = (at / batch.samples, at % batch.samples);
                let three = |from: &[f64]| std::array::from_fn(|d| from[3 * at + d]);
                let (point, normal) = (three(&batch.points), three(&batch.normals));
                let load = traction(batch.sides[leaf], point, normal);
                for (c, &id) in batch.control_ids[leaf * n..][..n].iter().enumerate() {
                    let weight = batch.measures[at] * batch.basis[n * s + c];
                    for d in 0..N {
                        loads[N * id as usize + d] += weight * load[d];
                    }
                }
            }
        }
        loads
    }

    /// Calls `f` with the ids of every leaf and, one after the other, its samples.
    pub fn for_each_leaf(&self, mut f: impl FnMut(&[u32], &mut dyn Iterator<Item = Sample<'_>>)) {
        for batch in &self.batches {
            let n = batch.controls;
            let mut gradients = vec![0.0; 3 * n * batch.samples];
            for leaf in 0..batch.leaves {
                for s in 0..batch.samples {
                    let at = leaf * batch.samples + s;
                    let inverse = &batch.inverse_jacobians[9 * at..][..9];
                    let from = &batch.gradients[3 * n * s..][..3 * n];
                    for c in 0..n {
                        for x in 0..3 {
                            gradients[(s * n + c) * 3 + x] =
                                (0..3).map(|u| from[u * n + c] * inverse[3 * u + x]).sum();
                        }
                    }
                }
                let mut samples = (0..batch.samples).map(|s| {
                    let at = leaf * batch.samples + s;
                    Sample {
                        measure: batch.measures[at],
                        point: std::array::from_fn(|d| batch.points[3 * at + d]),
                        basis: &batch.basis[n * s..][..n],
                        gradients: gradients[3 * n * s..][..3 * n].as_chunks().0,
                    }
                });
                f(&batch.control_ids[leaf * n..][..n], &mut samples);
            }
        }
    }
}

/// A quadrature point.
pub struct Sample<'a> {
    pub measure: f64,
    pub point: [f64; 3],
    pub basis: &'a [f64],
    /// By x, y, z of every control point.
    pub gradients: &'a [[f64; 3]],
}
