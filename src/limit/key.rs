//! Keys of nets.

/// A canonical description of local topology.
pub(crate) type Key = Vec<u16>;
