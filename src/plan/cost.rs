//! Which processor finishes a job first: a model of its time, as a pure function.
//!
//! A program that starts, does one job and ends pays for a GPU before anything runs there: the
//! driver's context, the kernels, and memory that the bus can write to. The model counts what
//! differs between the processors; reading, setup and files cost the same on both. All constants
//! are measured (`benches/results/auto.json`); they decide between ways that give the same
//! results, so that a wrong guess costs time alone.

/// Seconds until a device can be used: driver and context.
const DEVICE_START_SECONDS: f64 = 0.3;
/// Seconds to load the kernels of a job that are in the cache on disk.
const KERNEL_LOAD_SECONDS: f64 = 0.2;
/// Bytes a second that are copied back to the host, into memory that was not used before. Locking
/// its pages takes longer than the bus.
const TO_HOST_BYTES_PER_SECOND: f64 = 2e9;
/// Bytes a second of limit points that one thread of a CPU writes to fresh memory.
pub(crate) const EVALUATED_BYTES_PER_SECOND: f64 = 1.2e9;
/// Seconds that one thread needs to look a point up in a solid.
const LOCATED_POINT_SECONDS: f64 = 5e-6;
/// Seconds that one thread needs for a pixel of a layer, and for an attribute there, its image
/// included.
const PIXEL_SECONDS: f64 = 0.1e-9;
const PIXEL_ATTRIBUTE_SECONDS: f64 = 5e-9;
/// Seconds that one thread needs for attributes: of a row of pixels, whose ends are looked up one
/// by one, of a cell, once, and of a cell that a layer cuts.
const ATTRIBUTE_ROW_SECONDS: f64 = 60e-6;
const ATTRIBUTE_CELL_SECONDS: f64 = 16e-6;
const CUT_CELL_SECONDS: f64 = 3e-6;
/// Seconds that a device needs for a pixel of a layer, and for an attribute there, with the copy to
/// host memory that all layers use, one layer after another; and for the attributes of a cell.
const DEVICE_PIXEL_SECONDS: f64 = 1e-9;
const DEVICE_PIXEL_ATTRIBUTE_SECONDS: f64 = 5e-9;
const DEVICE_CELL_SECONDS: f64 = 3.7e-6;
/// What one thread of the host does for attributes on a device: whatever the job, for a cell that
/// is brought there, and for an attribute of a pixel with its image.
const HOST_ATTRIBUTES_SECONDS: f64 = 1.5;
const HOST_CELL_SECONDS: f64 = 18e-6;
const HOST_PIXEL_ATTRIBUTE_SECONDS: f64 = 10e-9;
/// Seconds for a pixel of a lattice in one plane: that one thread needs, that a device needs with the
/// copy to the host, and that one thread of its host takes; and for a cell that the plane cuts.
const LATTICE_PIXEL_SECONDS: f64 = 0.4e-6;
const DEVICE_LATTICE_PIXEL_SECONDS: f64 = 1.5e-9;
const HOST_LATTICE_PIXEL_SECONDS: f64 = 3e-9;
const LATTICE_CUT_CELL_SECONDS: f64 = 50e-6;
/// Seconds that a device needs to look a point up, with the copy to the host.
const DEVICE_LOCATED_POINT_SECONDS: f64 = 3e-9;
/// Seconds that one thread needs for the Jacobian and the basis at a quadrature point.
pub(crate) const QUADRATURE_POINT_SECONDS: f64 = 30e-9;
/// Seconds that one thread needs for a product of an element matrix.
const PRODUCT_SECONDS: f64 = 0.4e-9;
/// Seconds that a device needs for a product, and for a byte of the sums copied back to the host.
const DEVICE_PRODUCT_SECONDS: f64 = 0.3e-12;
const DEVICE_SUM_BYTE_SECONDS: f64 = 0.2e-9;
/// Seconds that one thread needs for the basis of a batch that is made on demand, and that a device
/// waits for such a batch beyond that.
const BATCH_SECONDS: f64 = 1.3e-3;
const DEVICE_BATCH_SECONDS: f64 = 0.15e-3;
/// Seconds that one thread needs for a face of a refined surface, topology included.
const SURFACE_FACE_SECONDS: f64 = 40e-9;
/// Seconds that one thread needs for an entry of limit masks times a number in all products of an
/// interpolation, and that a device needs for it, the copy of the masks included. Bytes of it there.
const INTERPOLATED_SECONDS: f64 = 120e-9;
const DEVICE_INTERPOLATED_SECONDS: f64 = 1.3e-9;
const INTERPOLATED_BYTES: f64 = 12.0;

/// Seconds that one thread needs for a vertex of a processed surface, most of it for rows; linear
/// systems and sweeps in steps that grow with the surface are taken as for 200,000 vertices.
const NORMAL_SECONDS: f64 = 1e-6;
const FLOW_SECONDS: f64 = 5e-6;
const MATRIX_FREE_FLOW_SECONDS: f64 = 130e-6;
const DENOISE_SECONDS: f64 = 7e-6;
const HEAT_SECONDS: f64 = 10e-6;
const TOPLESETS_SECONDS: f64 = 25e-6;

/// A job of [`process::surface`](crate::process::surface).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceJob {
    /// Normals of vertices.
    Normals,
    /// A step of curvature flow.
    Flow,
    /// A step of curvature flow without a stored matrix.
    MatrixFreeFlow,
    /// A sweep of the bilateral filter.
    Denoise,
    /// Distances by the heat method.
    Heat,
    /// Distances by toplesets.
    Toplesets,
}

/// Layers whose pixels are made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LayersJob {
    /// Cells of the model; 0 for a surface.
    pub cells: usize,
    /// Number of layers.
    pub layers: usize,
    /// Pixels of all of them, inside or not.
    pub pixels: usize,
    /// Numbers of attributes at a pixel.
    pub attributes: usize,
    /// Planes of a layer that are cut for a lattice; 0 without one.
    pub lattice_planes: usize,
}

/// What a job costs on either processor.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Cost {
    /// Seconds of one CPU thread; threads share them.
    pub cpu: f64,
    /// Seconds of the device itself.
    pub device: f64,
    /// Seconds of one CPU thread that work on a device takes, too; threads share them.
    pub host: f64,
    /// Bytes copied back to the host.
    pub to_host: f64,
    /// Bytes that the device must hold at once, where they are known.
    pub on_device: f64,
}

impl Cost {
    /// Evaluation whose results have `bytes` in all.
    pub fn evaluation(bytes: usize) -> Self {
        Self {
            cpu: bytes as f64 / EVALUATED_BYTES_PER_SECOND,
            to_host: bytes as f64,
            ..Self::default()
        }
    }

    /// Location of points in a solid.
    pub fn location(points: usize) -> Self {
        let points = points as f64;
        Self {
            cpu: points * LOCATED_POINT_SECONDS,
            device: points * DEVICE_LOCATED_POINT_SECONDS,
            ..Self::default()
        }
    }

    /// Layers. Pixels next to smooth edges of the boundary, where Jacobians vanish, take longer
    /// than this says on both processors: a connecting rod up to 3 times on the CPU, 6 times on a
    /// device.
    pub fn layers(job: LayersJob) -> Self {
        let pixels = job.pixels as f64;
        let plain = Self {
            cpu: pixels * PIXEL_SECONDS,
            device: pixels * DEVICE_PIXEL_SECONDS,
            ..Self::default()
        };
        if job.attributes + job.lattice_planes == 0 {
            return plain;
        }
        let [cells, layers] = [job.cells, job.layers.max(1)].map(|count| count as f64);
        let rows = layers * (pixels / layers).sqrt();
        let cut = layers * cells.powf(2.0 / 3.0);
        let values = pixels * job.attributes as f64;
        let planes = job.lattice_planes as f64;
        let (of_lattice, cut_for_lattice) = (pixels * planes, cut * planes);
        let cpu = rows * ATTRIBUTE_ROW_SECONDS
            + cells * ATTRIBUTE_CELL_SECONDS
            + cut * CUT_CELL_SECONDS
            + values * PIXEL_ATTRIBUTE_SECONDS
            + of_lattice * LATTICE_PIXEL_SECONDS
            + cut_for_lattice * LATTICE_CUT_CELL_SECONDS;
        Self {
            cpu: plain.cpu + cpu,
            device: plain.device
                + cells * DEVICE_CELL_SECONDS
                + values * DEVICE_PIXEL_ATTRIBUTE_SECONDS
                + of_lattice * DEVICE_LATTICE_PIXEL_SECONDS,
            host: HOST_ATTRIBUTES_SECONDS
                + cells * HOST_CELL_SECONDS
                + values * HOST_PIXEL_ATTRIBUTE_SECONDS
                + of_lattice * HOST_LATTICE_PIXEL_SECONDS
                + cut_for_lattice * LATTICE_CUT_CELL_SECONDS,
            ..plain
        }
    }

    /// Positions and Jacobians at quadrature points: 12 numbers and a measure each.
    pub fn quadrature(points: usize) -> Self {
        let points = points as f64;
        Self { cpu: points * QUADRATURE_POINT_SECONDS, to_host: 104.0 * points, ..Self::default() }
    }

    /// Matrices that sum `products` products, whose values have `bytes`. `batches`: the ones whose
    /// bases are made on demand.
    pub fn assembly(products: usize, batches: usize, bytes: usize) -> Self {
        let [products, batches, bytes] = [products, batches, bytes].map(|count| count as f64);
        let host = batches * BATCH_SECONDS;
        let device = products * DEVICE_PRODUCT_SECONDS
            + batches * DEVICE_BATCH_SECONDS
            + bytes * DEVICE_SUM_BYTE_SECONDS;
        Self {
            cpu: products * PRODUCT_SECONDS + host,
            device,
            host,
            on_device: bytes,
            ..Self::default()
        }
    }

    /// Interpolation by limit masks: entries of the matrix times numbers of a vertex.
    pub fn interpolation(products: usize) -> Self {
        let products = products as f64;
        Self {
            cpu: products * INTERPOLATED_SECONDS,
            device: products * DEVICE_INTERPOLATED_SECONDS,
            on_device: products * INTERPOLATED_BYTES,
            ..Self::default()
        }
    }

    /// A refined surface of `faces` faces. About a point and four corners are copied back for each.
    pub fn surface(faces: usize) -> Self {
        let faces = faces as f64;
        Self { cpu: faces * SURFACE_FACE_SECONDS, to_host: 40.0 * faces, ..Self::default() }
    }

    /// Processing of a surface of `vertices` vertices, `times` times.
    pub fn processing(vertices: usize, job: SurfaceJob, times: usize) -> Self {
        let of_vertex = match job {
            SurfaceJob::Normals => NORMAL_SECONDS,
            SurfaceJob::Flow => FLOW_SECONDS,
            SurfaceJob::MatrixFreeFlow => MATRIX_FREE_FLOW_SECONDS,
            SurfaceJob::Denoise => DENOISE_SECONDS,
            SurfaceJob::Heat => HEAT_SECONDS,
            SurfaceJob::Toplesets => TOPLESETS_SECONDS,
        };
        let (vertices, times) = (vertices as f64, times as f64);
        // rows, and the device's own work, are small beside the copy of the mesh
        Self { cpu: vertices * times * of_vertex, to_host: 100.0 * vertices, ..Self::default() }
    }

    /// Seconds on a CPU with `threads` threads.
    pub fn on_cpu(&self, threads: usize) -> f64 {
        self.cpu / threads.max(1) as f64
    }

    /// Seconds on a GPU whose kernels were compiled before, start included, with `threads` threads
    /// of its host.
    pub fn on_gpu(&self, threads: usize) -> f64 {
        DEVICE_START_SECONDS
            + KERNEL_LOAD_SECONDS
            + self.device
            + self.to_host / TO_HOST_BYTES_PER_SECOND
            + self.host / threads.max(1) as f64
    }

    /// Whether a device with `memory` bytes of memory holds what must be there at once.
    pub fn fits(&self, memory: u64) -> bool {
        self.on_device <= memory as f64
    }

    /// Whether a CPU with `threads` threads finishes no later than a GPU.
    pub fn suits_cpu(&self, threads: usize) -> bool {
        self.on_cpu(threads) <= self.on_gpu(threads)
    }
}
