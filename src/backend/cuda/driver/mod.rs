//! What every operation needs of a GPU: the device, its memory, kernels compiled and
//! launched, copies to the host.

pub(super) mod buffer;
pub(super) mod constants;
pub(super) mod device;
pub(super) mod device_arrays;
pub(super) mod functions;
pub(super) mod graph;
pub(super) mod launch;
mod modules;
pub(super) mod nvrtc;
pub(super) mod program;
pub(super) mod sources;
pub(super) mod transfer;
pub(super) mod write_bandwidth;
