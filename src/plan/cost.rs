//! Which processor finishes a job first: a model of its time, as a pure function.
//!
//! A program that starts, does one job and ends pays for a GPU before anything runs there: the
//! driver's context, the kernels, and memory that the bus can write to. The model counts what
//! differs between the processors; reading, set-up and files cost the same on both. All constants
//! are measured (`benches/results/auto.json`); they decide between ways that give the same
//! results, so that a wrong guess costs time alone.

/// Seconds until a device can be used: driver and context.
const START: f64 = 0.3;
/// Seconds to load the kernels of a job that are in the cache on disk.
const LOAD: f64 = 0.2;
/// Bytes a second that come home into memory that was not used before. Locking its pages takes
/// longer than the bus.
const HOME: f64 = 2e9;
/// Bytes a second of limit points that one thread of a CPU writes to fresh memory.
const EVALUATE: f64 = 1.2e9;
/// Seconds that one thread needs to look a point up in a solid.
const LOCATE: f64 = 5e-6;
/// Seconds that one thread needs for a pixel of a layer, and for an attribute there.
const PIXEL: f64 = 0.1e-9;
const PIXEL_ATTRIBUTE: f64 = 2e-9;
/// Seconds that a device needs for a pixel of a layer, and for an attribute there, with their way
/// home into memory that all layers use; one layer after another.
const DEVICE_PIXEL: f64 = 1e-9;
const DEVICE_PIXEL_ATTRIBUTE: f64 = 0.1e-9;
/// Seconds that a device needs to look a point up, with its way home.
const DEVICE_LOCATE: f64 = 3e-9;
/// Seconds that one thread needs for the Jacobian and the basis at a quadrature point.
const QUADRATURE_POINT: f64 = 30e-9;
/// Seconds that one thread needs for a face of a refined surface, topology included.
const SURFACE_FACE: f64 = 40e-9;

/// Seconds that one thread needs for a vertex of a processed surface, most of it for rows; linear
/// systems and sweeps in steps that grow with the surface are taken as those of 200,000 vertices.
const NORMAL: f64 = 1e-6;
const FLOW: f64 = 5e-6;
const DENOISE: f64 = 7e-6;
const HEAT: f64 = 10e-6;
const TOPLESETS: f64 = 25e-6;

/// A job of [`process::surface`](crate::process::surface).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceJob {
    /// Normals of vertices.
    Normals,
    /// A step of curvature flow.
    Flow,
    /// A sweep of the bilateral filter.
    Denoise,
    /// Distances by the heat method.
    Heat,
    /// Distances by toplesets.
    Toplesets,
}

/// What a job costs on either processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Seconds of one CPU thread; threads share them.
    pub cpu: f64,
    /// Seconds of the device itself.
    pub device: f64,
    /// Bytes that come home from the device.
    pub home: f64,
}

impl Cost {
    /// Evaluation whose results have `bytes` in all.
    pub fn evaluation(bytes: usize) -> Self {
        Self { cpu: bytes as f64 / EVALUATE, device: 0.0, home: bytes as f64 }
    }

    /// Location of points in a solid.
    pub fn location(points: usize) -> Self {
        let points = points as f64;
        Self { cpu: points * LOCATE, device: points * DEVICE_LOCATE, home: 0.0 }
    }

    /// Pixels of layers, with so many numbers of attributes each.
    pub fn layers(pixels: usize, attributes: usize) -> Self {
        let (pixels, attributes) = (pixels as f64, attributes as f64);
        Self {
            cpu: pixels * (PIXEL + attributes * PIXEL_ATTRIBUTE),
            device: pixels * (DEVICE_PIXEL + attributes * DEVICE_PIXEL_ATTRIBUTE),
            home: 0.0,
        }
    }

    /// Positions and Jacobians at quadrature points: 12 numbers and a measure each.
    pub fn quadrature(points: usize) -> Self {
        let points = points as f64;
        Self { cpu: points * QUADRATURE_POINT, device: 0.0, home: 104.0 * points }
    }

    /// A refined surface of so many faces. About a point and four corners come home for each.
    pub fn surface(faces: usize) -> Self {
        let faces = faces as f64;
        Self { cpu: faces * SURFACE_FACE, device: 0.0, home: 40.0 * faces }
    }

    /// Processing of a surface of so many vertices, so many times.
    pub fn processing(vertices: usize, job: SurfaceJob, times: usize) -> Self {
        let of_vertex = match job {
            SurfaceJob::Normals => NORMAL,
            SurfaceJob::Flow => FLOW,
            SurfaceJob::Denoise => DENOISE,
            SurfaceJob::Heat => HEAT,
            SurfaceJob::Toplesets => TOPLESETS,
        };
        let (vertices, times) = (vertices as f64, times as f64);
        // rows, and the device's own work, are small beside the copy of the mesh
        Self { cpu: vertices * times * of_vertex, device: 0.0, home: 100.0 * vertices }
    }

    /// Seconds on a CPU with so many threads.
    pub fn on_cpu(&self, threads: usize) -> f64 {
        self.cpu / threads.max(1) as f64
    }

    /// Seconds on a GPU whose kernels were compiled before, start included.
    pub fn on_gpu(&self) -> f64 {
        START + LOAD + self.device + self.home / HOME
    }

    /// Whether a CPU with so many threads finishes no later than a GPU.
    pub fn suits_cpu(&self, threads: usize) -> bool {
        self.on_cpu(threads) <= self.on_gpu()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_jobs_stay_on_the_cpu() {
        for cost in [
            Cost::evaluation(0),
            Cost::evaluation(100_000_000),
            Cost::location(10_000),
            Cost::layers(78 << 20, 0),
            Cost::quadrature(60_000),
            Cost::surface(100_000),
        ] {
            assert!(cost.suits_cpu(1), "{cost:?}");
            assert!(cost.on_gpu() >= START + LOAD);
        }
    }

    #[test]
    fn large_jobs_with_few_threads_go_to_the_gpu() {
        let many = Cost::location(4_000_000);
        assert!(!many.suits_cpu(1) && !many.suits_cpu(2));
        assert!(many.suits_cpu(64));
        let graded = Cost::layers(500 * 4000 * 4000, 2);
        assert!(!graded.suits_cpu(1));
    }

    #[test]
    fn results_that_must_come_home_are_no_reason_for_a_gpu() {
        // two threads write as fast as results come home
        assert!(Cost::evaluation(1 << 36).suits_cpu(2));
        assert!(!Cost::evaluation(1 << 36).suits_cpu(1));
    }

    #[test]
    fn cost_grows_with_the_job() {
        let (small, large) = (Cost::quadrature(1000), Cost::quadrature(2000));
        assert_eq!(large.on_cpu(1), 2.0 * small.on_cpu(1));
        assert_eq!(small.on_cpu(4), 0.25 * small.on_cpu(1));
        assert!(large.on_gpu() > small.on_gpu());
    }
}
