//! Sizes of pieces.

/// Most points or cells of a piece, at least 1.
pub fn piece_size(text: &str) -> std::result::Result<usize, String> {
    text.parse().ok().filter(|&points| points > 0).ok_or_else(|| "give a number above 0".into())
}
