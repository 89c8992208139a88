//! An extraction as named arrays, for `.npz`.

use super::Extraction;
use crate::error::{Error, Result};
use crate::io::Array;
use crate::limit::Solid;
use crate::mesh::{Controls, check_point_count};

/// The corner of elements whose cell is a hexahedron.
const NO_CORNER: i32 = -1;

impl Extraction {
    /// All arrays with the control points of `solid`, and the pieces' `error_bounds`
    /// ([`Pieces::error_bounds`](crate::bezier::Pieces::error_bounds)), in length units.
    ///
    /// | array | shape and type | |
    /// |---|---|---|
    /// | `points` | (vertices, 3) f8 | the mesh's vertices |
    /// | `attribute/NAME` | (vertices, width) f8 | its attributes |
    /// | `cell`, `corner` | (pieces,) i4 | cell of the mesh; its corner, −1 in a hexahedron |
    /// | `origin`, `size` | (pieces, 3) f8 | box in (u, v, w) of the cell (or corner) |
    /// | `exact` | (pieces,) u1 | 1 where the limit is this polynomial |
    /// | `error_bound` | (pieces,) f8 | estimated distance to the limit, 0 where exact |
    /// | `operator`, `net` | (pieces,) i4 | numbers of operator and net |
    /// | `operators` | flat f8 | operator o is `[offset o : offset o + 1]`, (64, controls) in C order |
    /// | `operator_offsets` | (operators + 1,) i8 | |
    /// | `controls` | flat i4 | net n is `[offset n : offset n + 1]` |
    /// | `net_offsets` | (nets + 1,) i8 | |
    /// | `refined_offsets`, `refined_vertices`, `refined_weights` | (rows + 1,) i8, flat i4, f8 | control point `vertices + r` is row r times `points` |
    ///
    /// Row i + 4j + 16k of an operator is the Bézier point with indices i, j, k along u,
    /// v, w. NumPy's scipy takes the `refined` arrays as `csr_array((weights, vertices,
    /// offsets))`; there is no row unless refined points were kept as control points.
    ///
    /// # Errors
    /// [`Error::Request`] if `solid`, `controls` or the bounds belong to another mesh than the
    /// extraction.
    pub fn arrays(
        &self,
        solid: &Solid,
        controls: Controls<'_>,
        error_bounds: &[f64],
    ) -> Result<Vec<Array>> {
        check_point_count(controls.positions.len(), self.vertices)?;
        let (bounds, pieces) = (error_bounds.len(), self.pieces.len());
        if bounds != pieces {
            return Err(Error::request(format!("{bounds} error bounds for {pieces} pieces"))
                .with_help("give what the extraction was made from"));
        }
        let elements = self.pieces.iter().map(|piece| solid.elements().get(piece.element as usize));
        let elements: Option<Vec<_>> = elements.collect();
        let Some(elements) = elements else {
            return Err(Error::request("an extraction of another solid")
                .with_help("give the solid that was extracted"));
        };
        let corner = |corner: Option<u8>| corner.map_or(NO_CORNER, i32::from);
        let pieces = || self.pieces.iter();
        let positions = controls.positions.as_flattened().to_vec();
        let mut arrays = vec![
            Array::new("points", 3, positions),
            Array::new("cell", 1, elements.iter().map(|e| e.cell as i32).collect::<Vec<_>>()),
            Array::new("corner", 1, elements.iter().map(|e| corner(e.corner)).collect::<Vec<_>>()),
            Array::new("origin", 3, pieces().flat_map(|p| p.origin).collect::<Vec<_>>()),
            Array::new("size", 3, pieces().flat_map(|p| p.size).collect::<Vec<_>>()),
            Array::new("exact", 1, pieces().map(|p| u8::from(p.exact)).collect::<Vec<_>>()),
            Array::new("error_bound", 1, error_bounds.to_vec()),
            Array::new("operator", 1, integers(&self.piece_operators)),
            Array::new("net", 1, integers(&self.piece_nets)),
            Array::new("operators", 1, self.weights.clone()),
            Array::new("operator_offsets", 1, offsets(&self.operator_offsets)),
            Array::new("controls", 1, integers(&self.controls)),
            Array::new("net_offsets", 1, offsets(&self.net_offsets)),
        ];
        let (ends, vertices, weights) = self.refined.arrays();
        let starts: Vec<usize> = std::iter::once(0).chain(ends.iter().copied()).collect();
        arrays.push(Array::new("refined_offsets", 1, offsets(&starts)));
        arrays.push(Array::new("refined_vertices", 1, integers(vertices)));
        arrays.push(Array::new("refined_weights", 1, weights.to_vec()));
        for attribute in controls.attributes {
            let name = format!("attribute/{}", attribute.name);
            arrays.push(Array::new(name, attribute.width, attribute.values.clone()));
        }
        Ok(arrays)
    }
}

fn integers(ids: &[u32]) -> Vec<i32> {
    ids.iter().map(|&id| id as i32).collect()
}

fn offsets(offsets: &[usize]) -> Vec<i64> {
    offsets.iter().map(|&offset| offset as i64).collect()
}
