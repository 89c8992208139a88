//! Parameters of pieces and of their elements.

use crate::bezier::Piece;

/// The element's parameters of a piece's own, each in [0, 1].
pub fn in_element(piece: &Piece, t: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|d| (piece.origin[d] + piece.size[d] * t[d]).clamp(0.0, 1.0))
}

/// A piece's own parameters of the element's.
pub fn in_piece(piece: &Piece, p: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|d| (p[d] - piece.origin[d]) / piece.size[d])
}
