//! Limit volumes as tricubic Bézier hexahedra.

use rayon::prelude::*;

use crate::backend::check_controls;
use crate::bezier::{Piece, Pieces};
use crate::error::{Error, Result};
use crate::io::{Array, Dataset, DatasetCells, hexahedron_order, vtk_type};
use crate::limit::{Leaf, Solid};
use crate::mesh::Controls;
use crate::numbers::Precision;
use crate::plan::Want;

use super::class_number;

/// A solid's Bézier cells, for any control points.
#[derive(Debug)]
pub struct Bezier<'s> {
    pieces: Pieces<'s>,
    // VTK's nodes as grid positions, u fastest
    order: Vec<usize>,
}

/// The Bézier cells of some elements.
#[derive(Debug)]
pub struct BezierPiece {
    /// Cells of 64 points each, none shared. Cell arrays: `cell`, `class`,
    /// `origin` and `size` (the box of the element's parameters it covers), and
    /// `error_bound`, 0 where the cell is exact up to rounding; else estimated from
    /// the largest distance to the limit at 8 × 8 × 8 samples, in length units.
    pub dataset: Dataset,
    /// Largest `error_bound`.
    pub error_bound: f64,
    /// Number of exact cells.
    pub exact: usize,
}

impl<'s> Bezier<'s> {
    /// Prepares the cells of `solid` with 0 to [`MAX_EXACT_RINGS`](crate::bezier::MAX_EXACT_RINGS)
    /// rings.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) for more rings.
    pub fn new(solid: &'s Solid, rings: usize) -> Result<Self> {
        let order = hexahedron_order(3).into_iter().map(|[i, j, k]| i + 4 * (j + 4 * k)).collect();
        Ok(Self { pieces: Pieces::new(solid, rings)?, order })
    }

    /// The cells of the elements in `range`.
    ///
    /// # Errors
    /// [`Error::Request`](crate::Error::Request) if the controls or the range are not the
    /// solid's.
    pub fn piece(
        &self,
        controls: Controls<'_>,
        range: std::ops::Range<usize>,
    ) -> Result<BezierPiece> {
        let solid = self.pieces.solid();
        check_controls(solid, Want::POSITION, controls, Precision::F64)?;
        let elements = solid.elements().len();
        if range.start > range.end || range.end > elements {
            return Err(Error::request(format!("elements {range:?} of {elements}"))
                .with_help("ask for elements of the solid, from 0 on"));
        }
        let leaves: Vec<&Leaf> = range.flat_map(|e| solid.element_leaves(e)).collect();
        let points = solid.refined_points(controls.positions.as_flattened(), 3);
        let positions: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| self.nodes(leaf, &points, 3)).collect();
        let errors: Vec<f64> =
            leaves.par_iter().flat_map_iter(|leaf| self.pieces.errors(leaf, &points)).collect();
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
        let pieces: Vec<Piece> = leaves.iter().flat_map(|leaf| self.pieces.of(leaf)).collect();
        dataset.cell_arrays = cell_arrays(solid, &pieces);
        let error_bound = errors.iter().copied().fold(0.0, f64::max);
        let exact = pieces.iter().filter(|piece| piece.exact).count();
        dataset.cell_arrays.push(Array::new("error_bound", 1, errors));
        Ok(BezierPiece { dataset, error_bound, exact })
    }

    /// Number of cells of all elements.
    pub fn cell_count(&self) -> usize {
        let solid = self.pieces.solid();
        solid.leaves().par_iter().map(|leaf| self.pieces.of(leaf).count()).sum()
    }

    /// Bézier points of a leaf's pieces, `[piece][node in VTK's order][width]`.
    fn nodes(&self, leaf: &Leaf, values: &[f64], width: usize) -> Vec<f64> {
        let points = self.pieces.points(leaf, values, width);
        let mut ordered = Vec::with_capacity(points.len());
        for piece in points.chunks_exact(64 * width) {
            for &place in &self.order {
                ordered.extend_from_slice(&piece[place * width..][..width]);
            }
        }
        ordered
    }
}

fn cell_arrays(solid: &Solid, pieces: &[Piece]) -> Vec<Array> {
    let cell = |piece: &Piece| solid.elements()[piece.element as usize].cell;
    let class = |piece: &Piece| class_number(solid.classes()[cell(piece) as usize]);
    vec![
        Array::new("cell", 1, pieces.iter().map(|p| cell(p) as i32).collect::<Vec<_>>()),
        Array::new("class", 1, pieces.iter().map(class).collect::<Vec<_>>()),
        Array::new("origin", 3, pieces.iter().flat_map(|p| p.origin).collect::<Vec<_>>()),
        Array::new("size", 3, pieces.iter().flat_map(|p| p.size).collect::<Vec<_>>()),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backend::{Backend, Cpu};
    use crate::basis::bernstein;
    use crate::bezier::MAX_EXACT_RINGS;
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
        let piece = bezier.piece(mesh.controls(), 0..solid.elements().len()).unwrap();
        piece.dataset.check().unwrap();
        assert_eq!(piece.dataset.cells.len(), bezier.cell_count());
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
        let piece = bezier.piece(mesh.controls(), 3..9).unwrap();
        let Points::F64(points) = &piece.dataset.points else { panic!("double precision") };
        for (p, heat) in points.iter().zip(reals(&piece.dataset.point_arrays[0])) {
            assert!((p[0] - 2.0 * p[2] - heat).abs() < 1e-12);
        }
        assert!(Bezier::new(&solid, MAX_EXACT_RINGS + 1).is_err());
    }
}
