//! Laplace smoothing of attributes on the device.

use cudarc::driver::DeviceRepr;

use super::{Attribute, DeviceQuery};
use crate::backend::cuda::driver::buffer::timed_event;
use crate::backend::cuda::driver::sources::SMOOTH;
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::query::Op;
use crate::topology::order::EntityKind;

impl DeviceQuery {
    /// Moves the values of every vertex `steps` times by `factor` of the way to the mean of those
    /// of its neighbors by edges; vertices whose `moves` is 0 keep theirs. As
    /// [`smooth_attribute`](crate::process::smooth_attribute), bitwise in double precision.
    /// Returns the seconds that it took on the device.
    ///
    /// # Errors
    /// [`Error::Request`] if `factor` is outside 0 to 1, an attribute is not of this mesh's
    /// vertices, or a kernel fails.
    pub fn smooth<T: Real + DeviceRepr>(
        &mut self,
        values: &mut Attribute<T>,
        steps: usize,
        factor: f64,
        moves: &Attribute<u32>,
    ) -> Result<f64> {
        if !(0.0..=1.0).contains(&factor) {
            return Err(Error::request(format!("a smoothing factor of {factor}"))
                .with_help("give a factor from 0 to 1"));
        }
        if values.kind != EntityKind::Vertex || moves.kind != EntityKind::Vertex {
            return Err(Error::request("smoothing of what is not at vertices")
                .with_help("give an attribute of vertices"));
        }
        self.store(Op::VV)?;
        let operator = self.compiled(Op::VV, SMOOTH.text, 8, T::PRECISION)?;
        let mut next = self.empty_attribute::<T>(values.kind, values.width, values.layout)?;
        let start = timed_event(&self.steps.stream)?;
        for _ in 0..steps {
            let width = values.width as u64;
            let arguments =
                [(&*values).into(), (&next).into(), moves.into(), factor.into(), width.into()];
            self.steps.enqueue(self.visit(&operator, &arguments)?.as_slice())?;
            std::mem::swap(values, &mut next);
        }
        self.steps.seconds_since(&start)
    }
}
