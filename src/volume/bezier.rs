//! Limit volumes as tricubic Bézier hexahedra.
//!
//! Regular leaves become one exact Bézier hexahedron each; layered and irregular
//! ones rings of exact ones towards the extraordinary edge or vertex, and last
//! ones that interpolate the limit, with the error that they make.

use std::sync::OnceLock;

use rayon::prelude::*;

use crate::basis::bernstein::FROM_BSPLINE;
use crate::error::{Error, Result};
use crate::io::{Array, Dataset, DatasetCells, hexahedron_order, vtk_type};
use crate::limit::{Ends, Leaf, LeafKind, Solid, Turn};
use crate::mesh::Controls;

use super::bezier_rings::{Part, Rings};
use super::class_number;

/// Most rings around an extraordinary edge or vertex.
pub const MOST_RINGS: usize = 8;

/// Bounds are this much above the largest error at the samples.
const MARGIN: f64 = 1.5;

/// A solid's Bézier cells, for any control points.
#[derive(Debug)]
pub struct Bezier<'s> {
    solid: &'s Solid,
    rings: usize,
    planar: Vec<OnceLock<Rings>>,
    spatial: Vec<OnceLock<Rings>>,
    // VTK's nodes as grid positions, u fastest
    order: Vec<usize>,
}

/// The Bézier cells of some elements.
#[derive(Debug)]
pub struct BezierPiece {
    /// Cells of 64 points each, none shared. Cell arrays: `cell`, `class`,
    /// `origin` and `size` (the box of the element's parameters it covers), and
    /// `error_bound`, 0 where the cell is exact up to rounding; else estimated from
    /// the largest distance to the limit at 6 × 6 × 6 samples, in length units.
    pub dataset: Dataset,
    /// Largest `error_bound`.
    pub error_bound: f64,
    /// Number of exact cells.
    pub exact: usize,
}

impl<'s> Bezier<'s> {
    /// Prepares the cells of `solid` with 0 to [`MOST_RINGS`] rings.
    ///
    /// # Errors
    /// [`Error::Request`] for more rings.
    pub fn new(solid: &'s Solid, rings: usize) -> Result<Self> {
        if rings > MOST_RINGS {
            return Err(Error::request(format!("{rings} rings of Bézier cells"))
                .with_mend(format!("ask for 0 to {MOST_RINGS} rings")));
        }
        let locks = |count: usize| std::iter::repeat_with(OnceLock::new).take(count).collect();
        let order = hexahedron_order(3).into_iter().map(|[i, j, k]| i + 4 * (j + 4 * k)).collect();
        Ok(Self {
            solid,
            rings,
            planar: locks(solid.planar_structures().len()),
            spatial: locks(solid.spatial_structures().len()),
            order,
        })
    }

    /// The cells of the elements in `range`.
    ///
    /// # Panics
    /// If the controls or the range are not the solid's.
    pub fn piece(&self, controls: Controls<'_>, range: std::ops::Range<usize>) -> BezierPiece {
        let solid = self.solid;
        let leaves: Vec<&Leaf> = range.flat_map(|e| solid.element_leaves(e)).collect();
        let points = solid.refined_points(controls.positions.as_flattened(), 3);
        let positions: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| self.nodes(leaf, &points, 3)).collect();
        let errors: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| self.errors(leaf, &points)).collect();
        let arrays = controls.attributes.iter().map(|attribute| {
            let (name, width) = (&attribute.name, attribute.width);
            let points = solid.refined_points(&attribute.values, width);
            let nodes = leaves.par_iter().flat_map_iter(|leaf| self.nodes(leaf, &points, width));
            Array::new(name, width, nodes.collect::<Vec<f64>>())
        });
        let positions: Vec<[f64; 3]> = positions.as_chunks().0.to_vec();
        let connectivity = (0..positions.len() as u32).collect();
        let cells =
            DatasetCells::Uniform { vtk_type: vtk_type::BEZIER_HEXAHEDRON, size: 64, connectivity };
        let mut dataset = Dataset::new(positions, cells);
        dataset.point_arrays = arrays.collect();
        dataset.cell_arrays = self.cell_arrays(&leaves);
        let error_bound = errors.iter().copied().fold(0.0, f64::max);
        let parts = leaves.iter().flat_map(|leaf| self.parts(leaf));
        let exact = parts.filter(|part| part.exact).count();
        dataset.cell_arrays.push(Array::new("error_bound", 1, errors));
        BezierPiece { dataset, error_bound, exact }
    }

    fn cell_arrays(&self, leaves: &[&Leaf]) -> Vec<Array> {
        let (mut ids, mut classes) = (Vec::new(), Vec::new());
        let (mut origins, mut sizes) = (Vec::new(), Vec::new());
        for leaf in leaves {
            let cell = self.solid.elements()[leaf.element as usize].cell;
            let scale = 0.5_f64.powi(leaf.depth.into());
            let origin = leaf.origin.map(|x| scale * f64::from(x));
            for part in self.parts(leaf) {
                let part = part.turned(turn(leaf)).within(origin, scale);
                ids.push(cell as i32);
                classes.push(class_number(self.solid.classes()[cell as usize]));
                origins.extend(part.origin);
                sizes.extend(part.size);
            }
        }
        vec![
            Array::new("cell", 1, ids),
            Array::new("class", 1, classes),
            Array::new("origin", 3, origins),
            Array::new("size", 3, sizes),
        ]
    }

    /// Rings of a leaf's structure; none if it is regular.
    fn rings(&self, leaf: &Leaf) -> Option<&Rings> {
        match leaf.kind {
            LeafKind::Regular(_) => None,
            LeafKind::Layered(s, ..) => {
                let structure = &self.solid.planar_structures()[s as usize];
                Some(self.planar[s as usize].get_or_init(|| Rings::new(structure, 2, self.rings)))
            }
            LeafKind::Irregular(s, _) => {
                let structure = &self.solid.spatial_structures()[s as usize];
                Some(self.spatial[s as usize].get_or_init(|| Rings::new(structure, 3, self.rings)))
            }
        }
    }

    fn parts(&self, leaf: &Leaf) -> &[Part] {
        self.rings(leaf).map_or(&[Part::WHOLE], |rings| &rings.parts)
    }

    /// Bézier points `[part][node in VTK's order][width]` of `values` at the points
    /// of all levels.
    fn nodes(&self, leaf: &Leaf, values: &[f64], width: usize) -> Vec<f64> {
        let net = net_values(self.solid.net(leaf), values, width);
        // [part][node, local axis 0 fastest][width]
        let local = match (leaf.kind, self.rings(leaf)) {
            (LeafKind::Layered(_, _, ends), Some(rings)) => {
                let layers = bezier_layers(net, width, ends);
                let lines = layers.len() / 4;
                let part = |part: usize| {
                    let rows = &rings.nodes[part * 16 * (lines / width)..][..16 * (lines / width)];
                    layers.chunks_exact(lines).flat_map(move |layer| product(rows, layer, width))
                };
                (0..rings.parts.len()).flat_map(part).collect()
            }
            (LeafKind::Irregular(..), Some(rings)) => product(&rings.nodes, &net, width),
            (LeafKind::Regular(ends), _) => tensor_nodes(net, width, ends),
            _ => Vec::new(),
        };
        let turn = turn(leaf);
        // grid position in the cell's axes -> in the local ones
        let local_place = |place: usize| -> usize {
            let at = [place % 4, place / 4 % 4, place / 16];
            (0..3)
                .map(|d| {
                    let i = at[turn.axes[d] as usize];
                    (if turn.flips[d] { 3 - i } else { i }) << (2 * d)
                })
                .sum()
        };
        let mut ordered = Vec::with_capacity(local.len());
        for part in local.chunks_exact(64 * width) {
            for &place in &self.order {
                ordered.extend_from_slice(&part[local_place(place) * width..][..width]);
            }
        }
        ordered
    }

    /// Error bound of each part.
    fn errors(&self, leaf: &Leaf, points: &[f64]) -> Vec<f64> {
        let Some(rings) = self.rings(leaf) else { return vec![0.0] };
        let net = net_values(self.solid.net(leaf), points, 3);
        let layers = match leaf.kind {
            LeafKind::Layered(_, _, ends) => bezier_layers(net, 3, ends),
            _ => net,
        };
        // the error of a layered part is a Bézier curve along the layers: it stays
        // below its largest control value
        let layer_len = match leaf.kind {
            LeafKind::Layered(..) => layers.len() / 4,
            _ => layers.len(),
        };
        let controls = layer_len / 3;
        let largest = |rows: &std::ops::Range<usize>| {
            let rows = &rings.errors[rows.start * controls..rows.end * controls];
            let errors = layers.chunks_exact(layer_len).flat_map(|layer| product(rows, layer, 3));
            let errors: Vec<f64> = errors.collect();
            let lengths = errors.chunks_exact(3).map(|e| e.iter().map(|x| x * x).sum::<f64>());
            MARGIN * lengths.fold(0.0, f64::max).sqrt()
        };
        rings.error_rows.iter().map(largest).collect()
    }
}

fn turn(leaf: &Leaf) -> Turn {
    match leaf.kind {
        LeafKind::Regular(_) => Turn::IDENTITY,
        LeafKind::Layered(_, turn, _) | LeafKind::Irregular(_, turn) => turn,
    }
}

fn net_values(net: &[u32], values: &[f64], width: usize) -> Vec<f64> {
    net.iter().flat_map(|&v| &values[v as usize * width..][..width]).copied().collect()
}

/// rows `[row][control]` times controls `[control][width]`.
fn product(rows: &[f64], controls: &[f64], width: usize) -> Vec<f64> {
    let count = controls.len() / width;
    let mut values = vec![0.0; rows.len() / count.max(1) * width];
    for (row, out) in rows.chunks_exact(count).zip(values.chunks_exact_mut(width)) {
        for (weight, control) in row.iter().zip(controls.chunks_exact(width)) {
            out.iter_mut().zip(control).for_each(|(o, c)| *o += weight * c);
        }
    }
    values
}

/// Bézier points along the layers of `[layer 4][line][width]`, phantoms filled in.
fn bezier_layers(mut net: Vec<f64>, width: usize, ends: Ends) -> Vec<f64> {
    debug_assert_eq!(net.len() % (4 * width), 0, "four layers");
    let stride = net.len() / 4;
    to_bezier(&mut net, stride, ends);
    net
}

/// Bézier points `[w][v][u][width]` of a tensor net of that layout.
fn tensor_nodes(mut net: Vec<f64>, width: usize, ends: Ends) -> Vec<f64> {
    for d in 0..3 {
        to_bezier(&mut net, width << (2 * d), ends >> (2 * d) & 3);
    }
    net
}

/// B-spline control values to Bézier points along the axis of `stride`; `ends` says
/// which ends are phantoms, p₋₁ = 2p₀ − p₁.
fn to_bezier(values: &mut [f64], stride: usize, ends: Ends) {
    for line in (0..values.len()).filter(|i| (i / stride).is_multiple_of(4)) {
        let mut p: [f64; 4] = std::array::from_fn(|i| values[line + i * stride]);
        if ends & 1 == 1 {
            p[0] = 2.0 * p[1] - p[2];
        }
        if ends & 2 == 2 {
            p[3] = 2.0 * p[2] - p[1];
        }
        for (i, row) in FROM_BSPLINE.iter().enumerate() {
            values[line + i * stride] = (0..4).map(|j| row[j] * p[j]).sum();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Cpu};
    use crate::basis::bernstein;
    use crate::io::{ArrayData, Points};
    use crate::mesh::SolidMesh;
    use crate::mesh::shape::Shape;
    use crate::plan::{Location, Samples, Want};
    use crate::refine::crease_by_angle;

    fn reals(array: &Array) -> &[f64] {
        match &array.data {
            ArrayData::F64(values) => values,
            _ => panic!("{} holds other numbers", array.name),
        }
    }

    /// Largest distance between Bézier cells and the limit: of exact ones, and of
    /// the others beyond their bound.
    fn distances(mesh: &SolidMesh) -> [f64; 2] {
        let solid = Solid::new(mesh).unwrap();
        let bezier = Bezier::new(&solid, 2).unwrap();
        let piece = bezier.piece(mesh.controls(), 0..solid.elements().len());
        piece.dataset.check().unwrap();
        let arrays = &piece.dataset.cell_arrays;
        let ArrayData::I32(cells) = &arrays[0].data else { panic!("cell ids") };
        let [origins, sizes, bounds] = [2, 3, 4].map(|i| reals(&arrays[i]));
        let Points::F64(points) = &piece.dataset.points else { panic!("double precision") };
        let mut volume = 0.0;
        let mut samples = Vec::new();
        for (c, &cell) in cells.iter().enumerate() {
            volume += sizes[3 * c..3 * c + 3].iter().product::<f64>();
            for t in [[0.13, 0.71, 0.42], [0.93, 0.06, 0.55]] {
                let at = std::array::from_fn(|d| origins[3 * c + d] + t[d] * sizes[3 * c + d]);
                samples.push((c, t, Location { element: cell as u32, parameters: at }));
            }
        }
        assert!((volume - mesh.cells.len() as f64).abs() < 1e-12, "the boxes fill the cells");
        let locations = Samples::Points(samples.iter().map(|s| s.2).collect());
        let plan = solid.plan(&locations, Want::POSITION).unwrap();
        let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        let mut worst = [0.0_f64; 2];
        for (row, (c, t, _)) in samples.iter().enumerate() {
            let basis = t.map(bernstein::cubic);
            let mut p = limit.positions.triple(row);
            for (node, [i, j, k]) in hexahedron_order(3).into_iter().enumerate() {
                let weight = basis[0][i] * basis[1][j] * basis[2][k];
                (0..3).for_each(|d| p[d] -= weight * points[64 * c + node][d]);
            }
            let distance = p.iter().map(|x| x * x).sum::<f64>().sqrt();
            let exact = bounds[*c] == 0.0;
            let slot = &mut worst[usize::from(!exact)];
            *slot = slot.max(if exact { distance } else { distance - bounds[*c] });
        }
        worst
    }

    #[test]
    fn exact_cells_equal_the_limit_and_others_stay_within_their_bound() {
        let mut creased = Shape::parse("box", &[]).unwrap().build().unwrap();
        crease_by_angle(&mut creased, 40.0).unwrap();
        assert!(distances(&creased)[0] < 1e-14);
        for name in ["box", "fan", "tripod", "link-3444555", "link-tetrahedron"] {
            let [exact, beyond] = distances(&Shape::parse(name, &[]).unwrap().build().unwrap());
            assert!(exact < 1e-13 && beyond <= 0.0, "{name}: {exact} {beyond}");
        }
    }

    #[test]
    fn attributes_follow_the_positions() {
        let mut mesh = Shape::parse("fan", &[]).unwrap().build().unwrap();
        let values = mesh.points.iter().map(|p| p[0] - 2.0 * p[2]).collect();
        mesh.attributes.push(crate::mesh::Attribute { name: "heat".into(), width: 1, values });
        let solid = Solid::new(&mesh).unwrap();
        let bezier = Bezier::new(&solid, 1).unwrap();
        let piece = bezier.piece(mesh.controls(), 3..9);
        let Points::F64(points) = &piece.dataset.points else { panic!("double precision") };
        for (p, heat) in points.iter().zip(reals(&piece.dataset.point_arrays[0])) {
            assert!((p[0] - 2.0 * p[2] - heat).abs() < 1e-12);
        }
        assert!(Bezier::new(&solid, MOST_RINGS + 1).is_err());
    }
}
