//! Properties of a device.

/// What a GPU is.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct DeviceInfo {
    /// Number to choose it by: `cuda:N`.
    pub ordinal: usize,
    /// Name as the driver gives it.
    pub name: String,
    /// Compute capability, such as (9, 0).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Memory in bytes.
    pub memory: u64,
    /// Shared memory that one block can have, in bytes.
    pub shared_memory: u32,
    /// Peak rate of the memory in bytes per second, by clock and bus width.
    pub bandwidth: Option<f64>,
}
