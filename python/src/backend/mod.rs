//! What is on a GPU. The bindings name CUDA in this folder alone.

mod device;
mod dlpack;

pub use device::{DeviceArgument, Held, PyDeviceArray, PyDeviceLimit};
pub use subsolid::backend::cuda::{DeviceAdjoint, ForeignArray, Gradient};

/// What to do for a plan on a GPU.
pub const HELP: &str = "plan with backend=\"cuda\"";

/// A plan that is not on a GPU.
pub fn not_there() -> subsolid::Error {
    subsolid::Error::request("the plan is not on a GPU").with_help(HELP)
}
