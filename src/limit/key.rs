//! Keys of nets.

/// A canonical description of local topology.
pub type Key = Vec<u16>;
