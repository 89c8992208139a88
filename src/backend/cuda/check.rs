//! Compiles the kernels and reads what the compiler says of them. It needs NVRTC, but no GPU.

use std::collections::HashSet;
use std::fmt;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::driver::device::matrix_units;
use super::driver::launch::Pass;
use super::driver::nvrtc::{self, CodeTarget};
use super::driver::sources::{
    ADJOINT, BRICKS, CLEAR, IRR, KernelSource, LAY, LAYERED, ORDER, ORIGIN, PARTIAL, POINTS,
    QUANTITIES, REFINE, REG, ROWS, TABLE, TABLE_MMA, TENSOR, Variant, WRITE_BANDWIDTH,
};
use super::jobs;
use super::solid::bricks;
use super::solid::evaluator::MAX_POINT_COMPONENTS;
use super::surface::edge_friend::{self, FriendRun};
use super::surface::{limit, points, product, refine};
use crate::backend::Precision;
use crate::error::{Error, Result};
use crate::numbers::Real;
use crate::plan::{BatchKind, Kernel, LARGE_GRID_SHARED_BYTES, RouteFacts, Strategy, Want};
use cudarc::driver::DeviceRepr;

/// What the compiler said of one variant of a kernel file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelReport {
    /// File in `kernels/`.
    pub file: &'static str,
    /// Macros and their values.
    pub defines: Vec<(&'static str, usize)>,
    /// Architecture, such as 90.
    pub architecture: u32,
    /// Errors, warnings, registers that spill and stack frames, in the compiler's words.
    pub findings: Vec<String>,
    /// Time that the compiler took.
    pub duration: Duration,
    /// Machine code (CUBIN); empty if the file does not compile.
    pub code: Vec<u8>,
}

impl fmt::Display for KernelReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} for sm_{}", self.file, self.architecture)?;
        self.defines.iter().try_for_each(|(name, value)| write!(f, " {name}={value}"))?;
        self.findings.iter().try_for_each(|finding| write!(f, "\n    {finding}"))
    }
}

/// Compiles the kernels to machine code of architectures, such as 90 for compute capability
/// 9.0: the last one in all variants, the first in a selection with every value of each macro,
/// those between in one variant of each file and precision.
///
/// All kernels of evaluations are compiled in both precisions: for positions (3 components)
/// with every choice of derivatives, and for attributes in widths 1 to 4, dense and strided,
/// some of these in one precision only. Kernels specialized to the number of samples are
/// compiled for some of the numbers that such a device gives them: the least, the largest and
/// some between for positions alone, one or two otherwise. The published method's are compiled
/// for positions in all variants without derivatives and with all of them, for attributes in one
/// variant of each file. The selection holds every file in each of its precisions with every value
/// of each of its macros, but of numbers of samples only a small and a large one.
///
/// # Errors
/// [`Error::Request`] if NVRTC is not installed or does not know an architecture. What is
/// wrong with a kernel is not an error, but a finding.
pub fn check_kernels(architectures: &[u32]) -> Result<Vec<KernelReport>> {
    let mut jobs = Vec::new();
    for (i, &architecture) in architectures.iter().enumerate() {
        let target = nvrtc::target(architecture)?;
        if target != CodeTarget::Cubin(architecture) {
            let text = format!("NVRTC makes no code for sm_{architecture} itself");
            return Err(Error::request(text).with_help("install the NVRTC of a newer CUDA toolkit"));
        }
        let all = all_variants(architecture);
        let variants = match i {
            _ if i + 1 == architectures.len() => all,
            0 => selection(all, macro_values),
            // between two architectures that are checked with every value
            _ => selection(all, |variant| vec![(variant.source.name, precision(variant), "", 0)]),
        };
        jobs.extend(variants.into_iter().map(|variant| (variant, architecture)));
    }
    // the slowest first, so that no thread waits for another's at the end
    jobs.sort_by_key(|(variant, _)| !std::ptr::eq(variant.source, &TENSOR));
    let report = |(variant, architecture): (Variant, u32)| {
        let start = Instant::now();
        let (findings, code) = match nvrtc::compile(&variant, CodeTarget::Cubin(architecture)) {
            Ok(image) => (findings(&image.log), image.code),
            Err(error) => (vec![error.to_string()], Vec::new()),
        };
        let Variant { source: KernelSource { name: file, .. }, defines, .. } = variant;
        KernelReport { file, defines, architecture, findings, duration: start.elapsed(), code }
    };
    // one at a time to each thread: some take a hundred times as long as others
    Ok(jobs.into_par_iter().with_max_len(1).map(report).collect())
}

fn all_variants(architecture: u32) -> Vec<Variant> {
    let mut variants = variants::<f32>(architecture);
    variants.extend(self::variants::<f64>(architecture));
    variants.push(Variant::new(&REFINE, Precision::F64));
    variants.push(Variant::new(&ADJOINT, Precision::F64));
    variants
}

/// A file, its precision, and a macro with a value.
type Value = (&'static str, usize, &'static str, usize);

/// 1 for double precision, else 0.
fn precision(variant: &Variant) -> usize {
    variant.defines.iter().find(|define| define.0 == "DOUBLE").map_or(0, |define| define.1)
}

/// All macros of a variant with their values; of numbers of samples a small and a large one.
fn macro_values(variant: &Variant) -> Vec<Value> {
    let of = |&(name, value): &(_, _)| {
        let value = if name == "SAMPLES" { usize::from(value > 6) } else { value };
        (variant.source.name, precision(variant), name, value)
    };
    variant.defines.iter().map(of).collect()
}

/// Variants that together hold all values: again and again the one that adds the most, the last of
/// them in the list where several do.
fn selection(mut variants: Vec<Variant>, values: impl Fn(&Variant) -> Vec<Value>) -> Vec<Variant> {
    let mut held: HashSet<Value> = HashSet::new();
    let mut selected = Vec::new();
    loop {
        let adds = |v: &Variant| values(v).iter().filter(|value| !held.contains(*value)).count();
        let best = variants.iter().map(adds).enumerate().max_by_key(|&(_, count)| count);
        let Some((index, 1..)) = best else { return selected };
        let variant = variants.remove(index);
        held.extend(values(&variant));
        selected.push(variant);
    }
}

/// All derivatives.
fn all_orders() -> Want {
    Want::FIRST | Want::SECOND
}

/// Passes over positions: 3 components, with every choice of derivatives.
fn positions() -> impl Iterator<Item = Pass> {
    let wants = [Want::POSITION, Want::FIRST, Want::SECOND, all_orders()];
    wants.into_iter().map(|want| Pass { width: 3, strided: false, want })
}

/// Passes over attributes: other widths, or some of many components; with derivatives at most
/// three at once.
fn attributes(precision: Precision) -> impl Iterator<Item = Pass> {
    let passes: &[(usize, bool)] = match precision {
        Precision::F32 => &[(1, false), (4, false), (2, true), (4, true)],
        Precision::F64 => &[(2, false), (4, false), (1, true), (3, true), (4, true)],
    };
    let plain = passes.iter().map(|&(width, strided)| (width, strided, Want::POSITION));
    let derivatives = match precision {
        Precision::F32 => [(2, true, all_orders())],
        Precision::F64 => [(2, false, Want::FIRST)],
    };
    plain.chain(derivatives).map(|(width, strided, want)| Pass { width, strided, want })
}

/// Whether a pass is over positions alone, the most frequent one.
fn is_plain(pass: Pass) -> bool {
    pass.width == 3 && !pass.strided && pass.want == Want::POSITION
}

fn tensor_samples(pass: Pass, precision: Precision) -> &'static [usize] {
    match (pass.want, precision) {
        (Want::POSITION, _) if !is_plain(pass) => &[8],
        (Want::POSITION, Precision::F32) => &[1, 3, 8, 16],
        (Want::POSITION, Precision::F64) => &[1, 8, 16],
        (Want::FIRST, _) => &[8],
        (Want::SECOND, _) => &[4],
        _ => &[5],
    }
}

fn layered_samples(pass: Pass) -> &'static [usize] {
    match pass.want {
        _ if is_plain(pass) => &[1, 2, 4, 5, 8],
        Want::POSITION => &[5],
        _ => &[8],
    }
}

fn variants<T: Real + DeviceRepr>(architecture: u32) -> Vec<Variant> {
    let mut variants = Vec::new();
    for pass in positions().chain(attributes(T::PRECISION)) {
        let of = |source| pass.variant::<T>(source);
        for (source, kind, kernel, samples) in [
            (&TENSOR, BatchKind::Regular, Kernel::Tensor, tensor_samples(pass, T::PRECISION)),
            (&LAYERED, BatchKind::Layered(0), Kernel::Layered, layered_samples(pass)),
        ] {
            let routed = |&&n: &&usize| route::<T>(kind, n, architecture) == kernel;
            let samples = samples.iter().filter(routed);
            variants.extend(samples.map(|&n| of(source).with("SAMPLES", n)));
        }
        if shared_memory(architecture) >= LARGE_GRID_SHARED_BYTES {
            let most =
                if pass.width == 3 && !pass.strided { bricks::BRICK_SAMPLES.len() } else { 1 };
            let samples = bricks::BRICK_SAMPLES.iter().rev().take(most);
            variants.extend(samples.map(|&n| of(&BRICKS).with("SAMPLES", n)));
        }
        variants.extend([1, 2].map(|cells| of(&TABLE).with("CELLS", cells)));
        if route::<T>(BatchKind::Irregular(0), 8, architecture).is_matrix_table() {
            // the widest tile is for single precision
            let tiles = if T::PRECISION == Precision::F32 { 3 } else { 2 };
            variants.extend((0..tiles).map(|tile| of(&TABLE_MMA).with("TILE", tile)));
        }
        variants.extend([&PARTIAL, &CLEAR].map(of));
        if pass.width <= MAX_POINT_COMPONENTS {
            variants.push(of(&POINTS));
        }
        variants.extend(published::<T>(pass));
    }
    variants.push(Variant::new(&QUANTITIES, T::PRECISION));
    variants.push(Variant::new(&ORIGIN, T::PRECISION));
    for run in [FriendRun::Topology, FriendRun::Points, FriendRun::Both] {
        for (sharp, chaikin) in [(false, false), (true, false), (true, true)] {
            variants.push(edge_friend::variant(T::PRECISION, run, sharp, chaikin));
        }
        variants.push(refine::four_triangles_variant(T::PRECISION, run));
        let thirds = |open| refine::three_triangles_variant(T::PRECISION, run, open);
        variants.extend([false, true].map(thirds));
        for size in [0, 3, 4] {
            let (uniform, chaikin) = (Some(false), Some(true));
            let kinds = [(false, None), (false, uniform), (false, chaikin), (true, uniform)];
            variants.extend(kinds.into_iter().chain([(true, chaikin)]).map(|(open, sharp)| {
                refine::first_friends_variant(T::PRECISION, run, size, open, sharp)
            }));
        }
        for (size, first, oriented) in levels_of_quads() {
            let variant = refine::quads_variant;
            variants.push(variant(T::PRECISION, run, size, first, oriented));
        }
    }
    variants.push(refine::boundary_edges_variant(T::PRECISION));
    variants.push(refine::sharp_variant(T::PRECISION));
    if T::PRECISION == Precision::F64 {
        variants.extend(jobs::variants());
        variants.extend([0, 3, 4].map(refine::ghosts_variant));
        let creases = [0, 3, 4].into_iter().flat_map(|size| [(size, false), (size, true)]);
        variants.extend(creases.map(|(size, chaikin)| refine::creases_variant(size, chaikin)));
        for long_keys in [false, true] {
            variants.push(super::sort::variant(long_keys));
            let matrix = |size| refine::matrix_variant(size, long_keys);
            variants.extend([0, 3, 4].map(matrix));
        }
        variants.extend([&ORDER, &ROWS].map(|source| Variant::new(source, T::PRECISION)));
    }
    variants.extend(super::query::variants(T::PRECISION));
    variants.extend(super::process::variants(T::PRECISION));
    variants.extend(surfaces(T::PRECISION));
    variants.push(Variant::new(&WRITE_BANDWIDTH, T::PRECISION).with("WIDTH", 1).with("STRIDED", 0));
    variants
}

/// Limits of surfaces: grids of most numbers of samples, tables, single points.
fn surfaces(precision: Precision) -> Vec<Variant> {
    let mut variants = Vec::new();
    for normals in [false, true] {
        let samples = [1, 2, 4, 5, 8, 9, 16, 33, 64];
        variants.extend(samples.map(|n| limit::tensor_variant(precision, n, normals)));
        variants.push(limit::table_variant(precision, normals));
    }
    variants.extend((1..=4).map(|width| product::variant(precision, width)));
    for (order, normals) in [(0, false), (1, false), (2, false), (1, true)] {
        variants.push(points::variant(precision, order, normals));
    }
    variants
}

/// Corners of the control faces (0 for polygons), whether the level is the control mesh, and
/// whether faces are consistently oriented.
fn levels_of_quads() -> impl Iterator<Item = (u32, bool, bool)> {
    let of = |size| {
        [(true, true), (true, false), (false, true), (false, false)].map(|(f, o)| (size, f, o))
    };
    [0, 3, 4].into_iter().flat_map(of)
}

/// The published method's kernels.
fn published<T: Real + DeviceRepr>(pass: Pass) -> Vec<Variant> {
    let all: &[(usize, usize)] = match pass.want {
        _ if is_plain(pass) => &[(0, 0), (0, 1), (1, 0), (1, 1)],
        Want::POSITION => &[(0, 0)],
        want if want == all_orders() && !pass.strided => &[(0, 0), (0, 1), (1, 0), (1, 1)],
        _ if pass.strided => &[(0, 0)],
        _ => &[],
    };
    let files = [(&REG, "CONTROLS", [64, 48]), (&LAY, "ROWS", [32, 16]), (&IRR, "ROWS", [64, 32])];
    let variants = files.into_iter().flat_map(|(source, name, sizes)| {
        let variant = move |&(size, warp): &(usize, usize)| {
            pass.variant::<T>(source).with(name, sizes[size]).with("WARP_BASED", warp)
        };
        all.iter().map(variant)
    });
    variants.collect()
}

/// The kernel of whole elements on a device of an architecture.
fn route<T: Real + DeviceRepr>(kind: BatchKind, samples: usize, architecture: u32) -> Kernel {
    let facts = RouteFacts {
        strategy: Strategy::Auto,
        kind,
        whole: true,
        samples,
        leaves: 1,
        class_leaves: 1,
        double: T::PRECISION == Precision::F64,
        shared_memory: shared_memory(architecture),
        multiprocessors: 1,
        matrix_units: matrix_units(architecture),
    };
    facts.kernel()
}

/// Shared memory that a block can have, in bytes (CUDA programming guide, compute
/// capabilities).
fn shared_memory(architecture: u32) -> u32 {
    let kibibytes = match architecture {
        ..70 => 48,
        70..75 => 96,
        75..80 => 64,
        80 | 87 => 163,
        81..90 | 120..130 => 99,
        _ => 227,
    };
    kibibytes << 10
}

/// The lines of a compiler's log that should not be there.
fn findings(log: &str) -> Vec<String> {
    let mut findings = Vec::new();
    let mut function = "";
    for line in log.lines() {
        if let Some((_, name)) = line.split_once("Function properties for ") {
            function = name.trim();
        }
        let lower = line.to_lowercase();
        if lower.contains("warning") || lower.contains("error") {
            findings.push(line.trim().to_owned());
        } else if ["stack frame", "spill stores", "spill loads"]
            .iter()
            .any(|what| bytes_before(line, what).is_some_and(|bytes| bytes > 0))
        {
            let properties = line.trim_start_matches("ptxas").trim_start_matches([' ', '.']);
            findings.push(format!("{function}: {properties}"));
        }
    }
    findings
}

/// The number in "N bytes `what`".
fn bytes_before(line: &str, what: &str) -> Option<u64> {
    let (before, _) = line.split_once(what)?;
    before.trim_end().strip_suffix("bytes")?.split_whitespace().next_back()?.parse().ok()
}
