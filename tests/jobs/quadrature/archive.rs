//! The exported arrays as a solver reads them: from the `.npz`, by names and shapes alone.

use std::path::Path;

use faer::Mat;

use crate::npz::Npz;
use subsolid::Quadrature;
use subsolid::limit::Solid;
use subsolid::mesh::SolidMesh;
use subsolid::plan::Want;
use subsolid::quadrature::{
    BoundaryReport, ExportOptions, Mapping, QuadratureLayout, QuadratureScheme, Regions, Report,
    archive_bytes, write_boundary_npz, write_npz,
};

/// What the tests use of an archive: tables alone. All else is computed here.
pub struct Archive {
    pub control_points: Vec<[f64; 3]>,
    tables: Vec<Table>,
    // of refined points, over the control points
    refined: Vec<Vec<(u32, f64)>>,
}

struct Table {
    controls: usize,
    weights: Vec<f64>,
    basis: Vec<f64>,
    // [sample][control][3]
    gradients: Vec<f64>,
    leaf_controls: Vec<u32>,
    // of a quadrature of the boundary: axis and end of the face, and the side of every leaf
    face: Option<(usize, f64)>,
    sides: Vec<u32>,
}

/// What is planned before there are tables is what is written, less names and headers.
fn check_size(path: &Path, planned: u64) {
    let written = std::fs::metadata(path).unwrap().len();
    assert!((planned..planned + 20_000).contains(&written), "{written} bytes for {planned}");
}

impl Archive {
    pub fn read(path: &Path) -> Self {
        let mut archive = Npz::open(path);
        let (_, flat) = archive.array::<f64>("control_points");
        let control_points = flat.as_chunks().0.to_vec();
        let is_boundary = archive.contains("table/axis");
        let offsets = ["leaf", "control", "sample", "basis"]
            .map(|name| archive.array::<i64>(&format!("table/{name}_offsets")).1);
        let controls = archive.array::<i32>("table/controls").1;
        let [weights, basis, gradients] = ["weights", "basis", "gradients"]
            .map(|n| archive.array::<f64>(&format!("table/{n}")).1);
        let leaf_controls = archive.array::<u32>("leaf/controls").1;
        let (mut axes, mut ends, mut sides) = (Vec::new(), Vec::new(), Vec::new());
        if is_boundary {
            axes = archive.array::<u8>("table/axis").1;
            ends = archive.array::<u8>("table/end").1;
            sides = archive.array::<u32>("leaf/side").1;
        }
        let range = |of: usize, t: usize| offsets[of][t] as usize..offsets[of][t + 1] as usize;
        let tables = (0..controls.len()).map(|t| {
            let (rows, entries) = (range(2, t), range(3, t));
            assert_eq!(entries.len(), rows.len() * controls[t] as usize);
            assert_eq!(range(1, t).len(), range(0, t).len() * controls[t] as usize);
            Table {
                controls: controls[t] as usize,
                weights: weights[rows].to_vec(),
                gradients: gradients[3 * entries.start..3 * entries.end].to_vec(),
                basis: basis[entries].to_vec(),
                leaf_controls: leaf_controls[range(1, t)].to_vec(),
                face: is_boundary.then(|| (usize::from(axes[t]), f64::from(ends[t]))),
                sides: if is_boundary { sides[range(0, t)].to_vec() } else { Vec::new() },
            }
        });
        let tables = tables.collect();
        let starts = archive.array::<i64>("refined_offsets").1;
        let vertices = archive.array::<u32>("refined_vertices").1;
        let weights = archive.array::<f64>("refined_weights").1;
        let row = |ends: &[i64]| {
            let entries = ends[0] as usize..ends[1] as usize;
            vertices[entries.clone()]
                .iter()
                .copied()
                .zip(weights[entries].iter().copied())
                .collect()
        };
        let refined = starts.windows(2).map(row).collect();
        Self { control_points, tables, refined }
    }

    /// Of a mesh, through a file.
    pub fn of(mesh: &SolidMesh, scheme: QuadratureScheme) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("quadrature.npz");
        let solid = Solid::new(mesh).unwrap();
        let layout = QuadratureLayout::new(&solid, scheme, Want::FIRST).unwrap();
        let options = ExportOptions::default();
        let planned = archive_bytes(&layout, mesh.controls(), &options);
        let quadrature = Quadrature::of(layout);
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let report = Report::new(&mapping).unwrap();
        assert!(report.quality.non_positive.is_empty(), "a sound geometry");
        write_npz(&path, &mapping, mesh.controls(), &report, options).unwrap();
        check_size(&path, planned);
        Self::read(&path)
    }

    /// Of the boundary of a mesh, through a file.
    pub fn of_boundary(mesh: &SolidMesh, scheme: QuadratureScheme) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("boundary.npz");
        let solid = Solid::new(mesh).unwrap();
        let layout = QuadratureLayout::boundary(&solid, scheme, Want::FIRST, |_| true).unwrap();
        let options = ExportOptions::default();
        let planned = archive_bytes(&layout, mesh.controls(), &options);
        let quadrature = Quadrature::of(layout);
        let mapping = Mapping::new(&quadrature, mesh.controls()).unwrap();
        let regions = Regions::new(&solid, mesh).unwrap();
        let report = BoundaryReport::new(&mapping, &regions, mesh.points[0]).unwrap();
        write_boundary_npz(&path, &mapping, mesh.controls(), &report, &regions, options).unwrap();
        check_size(&path, planned);
        Self::read(&path)
    }

    /// ∫ Nᵢ t(side, point, normal) over the boundary, `[vertex][width]`.
    pub fn loads<const N: usize>(
        &self,
        traction: impl Fn(u32, [f64; 3], [f64; 3]) -> [f64; N],
    ) -> Vec<f64> {
        let mut loads = vec![0.0; N * self.control_points.len()];
        self.for_each_leaf(|leaf| {
            for (s, &measure) in leaf.measures.iter().enumerate() {
                let load = traction(leaf.side, leaf.points[s], leaf.normals[s]);
                for (c, &id) in leaf.ids.iter().enumerate() {
                    for d in 0..N {
                        loads[N * id as usize + d] += measure * leaf.basis[(s, c)] * load[d];
                    }
                }
            }
        });
        loads
    }

    /// Calls `f` with every leaf.
    pub fn for_each_leaf(&self, mut f: impl FnMut(&Leaf)) {
        for table in &self.tables {
            let (samples, controls) = (table.weights.len(), table.controls);
            let by_control = |at: &dyn Fn(usize) -> f64| {
                Mat::from_fn(samples, controls, |s, c| at(s * controls + c))
            };
            let values = by_control(&|i| table.basis[i]);
            let by_parameter = [0, 1, 2].map(|d| by_control(&|i| table.gradients[3 * i + d]));
            for leaf in 0..table.leaf_controls.len() / controls {
                let (ids, pulled) = self.pulled(table, leaf);
                let mut pull = Mat::<f64>::zeros(controls, ids.len());
                for (c, column) in pulled.iter().enumerate() {
                    column.iter().for_each(|&(at, w)| pull[(c, at)] += w);
                }
                let position = |v: usize, x: usize| self.control_points[ids[v] as usize][x];
                let net = Mat::from_fn(ids.len(), 3, position);
                let basis = &values * &pull;
                let parametric = by_parameter.each_ref().map(|values| values * &pull);
                let points = &basis * &net;
                // of every parameter: [sample][x]
                let jacobians = parametric.each_ref().map(|values| values * &net);

                let (mut measures, mut normals) = (table.weights.clone(), vec![[0.0; 3]; samples]);
                let mut gradients = [(); 3].map(|()| Mat::zeros(samples, ids.len()));
                for s in 0..samples {
                    let jacobian = [0, 1, 2].map(|x| [0, 1, 2].map(|d| jacobians[d][(s, x)]));
                    let (determinant, inverse) = invert(jacobian);
                    measures[s] *= determinant.abs();
                    if let Some((axis, end)) = table.face {
                        let across = inverse[axis];
                        let length = across.iter().map(|x| x * x).sum::<f64>().sqrt();
                        measures[s] *= length;
                        normals[s] = across.map(|x| (2.0 * end - 1.0) * x / length);
                    }
                    for (x, gradient) in gradients.iter_mut().enumerate() {
                        for c in 0..ids.len() {
                            let terms = (0..3).map(|d| parametric[d][(s, c)] * inverse[d][x]);
                            gradient[(s, c)] = terms.sum();
                        }
                    }
                }
                let points = (0..samples).map(|s| [0, 1, 2].map(|x| points[(s, x)])).collect();
                let side = table.sides.get(leaf).copied().unwrap_or(u32::MAX);
                f(&Leaf { ids, measures, points, normals, side, basis, gradients });
            }
        }
    }

    /// Calls `f` with the vertices of every leaf, each once.
    pub fn for_each_net(&self, mut f: impl FnMut(&[u32])) {
        for table in &self.tables {
            let leaves = table.leaf_controls.len() / table.controls;
            (0..leaves).for_each(|leaf| f(&self.pulled(table, leaf).0));
        }
    }

    /// The vertices of a leaf, ascending, and of each of its control points: places in these and
    /// weights.
    fn pulled(&self, table: &Table, leaf: usize) -> (Vec<u32>, Vec<Vec<(usize, f64)>>) {
        let vertices = self.control_points.len();
        let controls = &table.leaf_controls[leaf * table.controls..][..table.controls];
        let row = |&control: &u32| match (control as usize).checked_sub(vertices) {
            None => vec![(control, 1.0)],
            Some(refined) => self.refined[refined].clone(),
        };
        let rows: Vec<Vec<(u32, f64)>> = controls.iter().map(row).collect();
        let mut ids: Vec<u32> = rows.iter().flatten().map(|entry| entry.0).collect();
        ids.sort_unstable();
        ids.dedup();
        let place = |&(id, w): &(u32, f64)| (ids.binary_search(&id).unwrap(), w);
        let columns = rows.iter().map(|row| row.iter().map(place).collect()).collect();
        (ids, columns)
    }
}

/// Determinant and inverse of a matrix.
fn invert(m: [[f64; 3]; 3]) -> (f64, [[f64; 3]; 3]) {
    let minor = |r: usize, c: usize| {
        let ([a, b], [d, e]) = ([(r + 1) % 3, (r + 2) % 3], [(c + 1) % 3, (c + 2) % 3]);
        m[a][d] * m[b][e] - m[a][e] * m[b][d]
    };
    let determinant: f64 = (0..3).map(|c| m[0][c] * minor(0, c)).sum();
    (determinant, std::array::from_fn(|r| std::array::from_fn(|c| minor(c, r) / determinant)))
}

/// The quadrature points of a leaf.
pub struct Leaf {
    /// Its control points, ascending.
    pub ids: Vec<u32>,
    /// `[sample]`, as the next ones.
    pub measures: Vec<f64>,
    pub points: Vec<[f64; 3]>,
    /// On the boundary: the outward normals, and the side.
    pub normals: Vec<[f64; 3]>,
    pub side: u32,
    /// `[sample][control]`.
    pub basis: Mat<f64>,
    /// Of every axis, `[sample][control]`.
    pub gradients: [Mat<f64>; 3],
}

impl Leaf {
    /// The products of all pairs of control points, summed over the samples by their measures:
    /// `[control][control]`.
    pub fn integral(&self, a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
        let weighted = Mat::from_fn(b.nrows(), b.ncols(), |s, c| self.measures[s] * b[(s, c)]);
        a.transpose() * weighted
    }
}
