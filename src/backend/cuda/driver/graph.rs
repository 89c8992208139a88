//! Launches recorded once and replayed as a CUDA graph.

use std::sync::Arc;

use cudarc::driver::sys::{CUgraphInstantiate_flags, CUstreamCaptureMode};
use cudarc::driver::{CudaGraph, CudaStream, DriverError};

/// Recorded launches; the arrays in their arguments must outlive it.
pub(in crate::backend::cuda) struct Graph(CudaGraph);

// SAFETY: a graph is used by one thread at a time, its owner's.
unsafe impl Send for Graph {}

impl Graph {
    /// Records what `enqueue` puts on a stream, and on others that it forks and joins;
    /// nothing of it runs.
    pub(crate) fn capture(
        stream: &Arc<CudaStream>,
        enqueue: impl FnOnce() -> Result<(), DriverError>,
    ) -> Result<Option<Self>, DriverError> {
        stream.begin_capture(CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED)?;
        let enqueued = enqueue();
        let graph = stream.end_capture(CUgraphInstantiate_flags(0));
        enqueued?;
        Ok(graph?.map(Self))
    }

    /// Replays the launches on the stream that they were recorded on.
    pub fn launch(&self) -> Result<(), DriverError> {
        self.0.launch()
    }
}
