//! Numbers that kernels share with the code that launches them: the kernels include them as
//! [`HEADER`], so that they stand here alone.

use std::fmt::Write;

use crate::backend::operations::{MAX_PART_VERTICES, MAX_PLANES, MAX_POWERS, TILE};
use crate::numbers::sum::SUM_NUMBERS;

/// Name of the text of all constants, for kernels that include it.
pub(super) const HEADER: &str = "common/shared.cuh";

macro_rules! constants {
    ($($(#[$doc:meta])* $name:ident: $kind:ty = $value:expr;)*) => {
        $($(#[$doc])* pub(in crate::backend::cuda) const $name: $kind = $value;)*

        /// All constants in CUDA C++.
        pub(super) fn header() -> String {
            let mut text = String::from("#pragma once\nnamespace host {\n");
            for (name, value) in [$((stringify!($name), u64::from($name as u32))),*] {
                // to a string: cannot fail
                let _ = writeln!(text, "constexpr int {name} = {value};");
            }
            text + "}\n"
        }
    };
}

constants! {
    /// Threads of a block that scans.
    SCAN_THREADS: u32 = 1024;
    /// Threads of a block that locates points.
    LOCATE_THREADS: u32 = 128;
    /// Bits of the bins of points along each axis.
    BIN_BITS: u32 = 7;
    /// Threads of a block that finds pixels, and columns and rows of its tile.
    INTERIOR_THREADS: u32 = 128;
    TILE_COLUMNS: usize = TILE[0];
    TILE_ROWS: usize = TILE[1];
    /// Threads of a block that covers runs of pixels of a lattice, and powers of a region's
    /// polynomials.
    LATTICE_THREADS: u32 = 128;
    REGION_POWERS: usize = MAX_POWERS;
    /// Threads of a block that traces planes; rows of a block that covers pixels, and columns of a
    /// group of pixels.
    TRACERS: u32 = 32;
    COVERED_ROWS: u32 = 4;
    COVERED_GROUP: usize = 16;
    /// Maximum number of planes of an image.
    IMAGE_PLANES: usize = MAX_PLANES;
    /// Threads of a block that maps leaves; warps of one that transforms derivatives, and leaves of
    /// each.
    MAPPING_THREADS: usize = 64;
    MAPPING_WARPS: u32 = 4;
    LEAVES_A_WARP: u32 = 8;
    /// Control points along a side of a tile of an element matrix.
    ASSEMBLY_TILE: usize = 32;
    /// Maximum number of control points of a part that is multiplied.
    PRODUCT_VERTICES: usize = MAX_PART_VERTICES;
    /// Threads of a block of queries and of processing.
    QUERY_THREADS: u32 = 256;
    /// Blocks that measure a mesh.
    MEASURING_BLOCKS: u32 = 256;
    /// Numbers of a part of a sum.
    CHUNK_NUMBERS: usize = SUM_NUMBERS;
    /// Threads of a block of multigrid cycles, rounds that choose roots, and maximum number of
    /// levels.
    CYCLE_THREADS: u32 = 384;
    ROUNDS: usize = 32;
    MAX_GRID_LEVELS: usize = 24;
    /// Bits of a digit of a sort; threads and items of its blocks.
    DIGIT_BITS: u32 = 8;
    SORT_THREADS: u32 = 256;
    SORT_TILE: usize = 2048;
    BLOCK_THREADS: u32 = 1024;
    BLOCK_ITEMS: usize = 8192;
    /// Threads of a block that refines a surface, and maximum number of its levels, the control mesh
    /// included.
    REFINE_THREADS: u32 = 256;
    MAX_LEVELS: usize = 16;
    /// Valences that tables of mesh matrices hold at least.
    TABLED: usize = 64;
    /// What is wrong with a vertex: its faces form neither one ring nor one fan, nor a crease.
    TOUCHING: u32 = 1;
    /// It has one face, and the surface ends at both of its edges.
    LONE: u32 = 2;
    /// Threads of a block of tables, of points and of products of surfaces.
    TABLE_THREADS: u32 = 128;
    SURFACE_POINT_THREADS: u32 = 128;
    PRODUCT_THREADS: u32 = 128;
    /// Blocks that lay out one square.
    SQUARE_BLOCKS: u32 = 32;
    /// Threads of a block of quantities and of gradients.
    QUANTITY_THREADS: u32 = 128;
    LEAF_THREADS: u32 = 64;
    /// Bytes of a bulk copy that measures bandwidth.
    WRITE_CHUNK: u64 = 6144;
}
