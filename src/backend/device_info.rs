//! Properties of a device.

/// Name and properties of a GPU.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct DeviceInfo {
    /// Number N in its name `cuda:N`.
    pub ordinal: usize,
    /// Name as the driver gives it.
    pub name: String,
    /// Compute capability, such as (9, 0).
    pub compute_capability: (u32, u32),
    /// Streaming multiprocessors.
    pub multiprocessors: u32,
    /// Size of the memory, in bytes.
    pub memory: u64,
    /// Largest shared memory of a block, in bytes.
    pub shared_memory: u32,
    /// Peak bandwidth of the memory in bytes per second, from its clock and bus width.
    pub bandwidth: Option<f64>,
}
