//! What a page takes colors from.

use serde_json::{Value, json};

/// What colors are taken from.
#[derive(Clone, Copy, Debug)]
pub enum Color {
    Classes,
    /// Layers of cells from the boundary.
    Layers,
    /// The numbers of cells or faces.
    Numbers,
    /// One neutral color.
    Plain,
    /// A channel by its number.
    Channel(usize),
}

/// How colors by classes are asked for.
pub const CLASS: &str = "class";

/// Section of the least scaled Jacobians of the cells.
pub const SCALED: &str = "scaled";

impl Color {
    /// As the page knows it.
    pub fn key(self) -> Value {
        match self {
            Self::Classes => json!(CLASS),
            Self::Layers => json!("layer"),
            Self::Numbers => json!("number"),
            Self::Plain => json!("plain"),
            Self::Channel(channel) => json!(channel),
        }
    }
}
