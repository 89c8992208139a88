//! Which kernel evaluates a batch.

use subsolid::plan::{BatchKind, Kernel, MatrixUnits, RouteFacts, Strategy};

const LARGE_SHARED_BYTES: u32 = 227 << 10;
/// Leaves below which a batch takes the narrow table, and warps that keep a multiprocessor busy.
const MIN_WIDE_TABLE_LEAVES: usize = 12;
const BRICK_WARPS: usize = 16;
const SMALL_SHARED_BYTES: u32 = 64 << 10;

fn kernel(kind: BatchKind, whole: bool, samples: usize, leaves: usize, device: u32) -> Kernel {
    facts(kind, whole, samples, leaves, device).kernel()
}

fn facts(
    kind: BatchKind,
    whole: bool,
    samples: usize,
    leaves: usize,
    shared_memory: u32,
) -> RouteFacts {
    let (strategy, class_leaves) = (Strategy::Auto, leaves);
    let (double, multiprocessors) = (true, 132);
    let has_units = shared_memory == LARGE_SHARED_BYTES;
    let matrix_units = MatrixUnits { single: has_units, double: has_units };
    RouteFacts {
        strategy,
        kind,
        whole,
        samples,
        leaves,
        class_leaves,
        double,
        shared_memory,
        multiprocessors,
        matrix_units,
    }
}

#[test]
fn whole_elements_are_staged_where_they_fit() {
    use BatchKind::{Layered, Regular};
    assert_eq!(kernel(Regular, true, 8, 1, LARGE_SHARED_BYTES), Kernel::Tensor);
    assert_eq!(kernel(Regular, true, 16, 1, LARGE_SHARED_BYTES), Kernel::Tensor);
    assert_eq!(kernel(Regular, true, 17, 1, LARGE_SHARED_BYTES), Kernel::RegularPart);
    assert_eq!(kernel(Regular, true, 16, 1, SMALL_SHARED_BYTES), Kernel::RegularPart);
    assert_eq!(kernel(Regular, false, 8, 1, LARGE_SHARED_BYTES), Kernel::RegularPart);
    assert_eq!(kernel(Layered(0), true, 8, 1, LARGE_SHARED_BYTES), Kernel::Layered);
    assert_eq!(kernel(Layered(0), true, 8, 1, SMALL_SHARED_BYTES), Kernel::LayeredPart);
    assert_eq!(kernel(Layered(0), false, 8, 1, LARGE_SHARED_BYTES), Kernel::LayeredPart);
    assert_eq!(kernel(Layered(0), true, 9, 1, LARGE_SHARED_BYTES), Kernel::LayeredPart);
}

#[test]
fn many_whole_regular_elements_are_taken_in_bricks() {
    use BatchKind::Regular;
    let many = 8 * BRICK_WARPS * 132;
    assert_eq!(kernel(Regular, true, 8, many, LARGE_SHARED_BYTES), Kernel::Bricks);
    assert_eq!(kernel(Regular, true, 8, many - 1, LARGE_SHARED_BYTES), Kernel::Tensor);
    assert_eq!(kernel(Regular, true, 8, many, SMALL_SHARED_BYTES), Kernel::Tensor);
    assert_eq!(kernel(Regular, false, 8, many, LARGE_SHARED_BYTES), Kernel::RegularPart);
}

#[test]
fn irregular_batches_are_as_wide_as_they_fill() {
    let irregular = BatchKind::Irregular(3);
    assert_eq!(kernel(irregular, true, 8, 1, SMALL_SHARED_BYTES), Kernel::NarrowTable);
    assert_eq!(
        kernel(irregular, false, 8, MIN_WIDE_TABLE_LEAVES, SMALL_SHARED_BYTES),
        Kernel::WideTable
    );
    assert_eq!(
        kernel(irregular, true, 8, MIN_WIDE_TABLE_LEAVES - 1, LARGE_SHARED_BYTES),
        Kernel::NarrowMatrixTable
    );
    assert_eq!(
        kernel(irregular, false, 8, MIN_WIDE_TABLE_LEAVES, LARGE_SHARED_BYTES),
        Kernel::LongMatrixTable
    );
    assert_eq!(
        kernel(irregular, true, 4, 2 * MIN_WIDE_TABLE_LEAVES, LARGE_SHARED_BYTES),
        Kernel::LongMatrixTable
    );
    let single = |samples, leaves| {
        let facts = facts(irregular, true, samples, leaves, LARGE_SHARED_BYTES);
        RouteFacts { double: false, ..facts }.kernel()
    };
    assert_eq!(single(4, 2 * MIN_WIDE_TABLE_LEAVES), Kernel::WideMatrixTable);
    assert_eq!(single(4, 2 * MIN_WIDE_TABLE_LEAVES - 1), Kernel::NarrowMatrixTable);
    assert_eq!(single(5, 2 * MIN_WIDE_TABLE_LEAVES), Kernel::LongMatrixTable);
}

#[test]
fn matrix_units_take_tables_where_they_are_faster() {
    for (single, double) in [(false, false), (true, false), (false, true), (true, true)] {
        let matrix_units = MatrixUnits { single, double };
        let own = |double| {
            let facts =
                facts(BatchKind::Irregular(3), true, 8, MIN_WIDE_TABLE_LEAVES, LARGE_SHARED_BYTES);
            RouteFacts { matrix_units, double, ..facts }.kernel() == Kernel::LongMatrixTable
        };
        assert_eq!([own(false), own(true)], [single, double]);
    }
}

#[test]
fn published_kernels_take_whole_elements() {
    for (strategy, kernel) in
        [(Strategy::Thread, Kernel::PublishedThread), (Strategy::Warp, Kernel::PublishedWarp)]
    {
        for kind in [BatchKind::Regular, BatchKind::Layered(0), BatchKind::Irregular(0)] {
            let facts = RouteFacts { strategy, ..facts(kind, true, 8, 1, LARGE_SHARED_BYTES) };
            assert_eq!(facts.kernel(), kernel);
            let part = RouteFacts { whole: false, ..facts };
            assert_eq!(part.kernel(), RouteFacts { strategy: Strategy::Auto, ..part }.kernel());
        }
    }
}

#[test]
fn hybrid_chooses_as_published() {
    use BatchKind::{Irregular, Layered, Regular};
    let choice = |kind, samples, class_leaves| {
        let facts = facts(kind, true, samples, 1, LARGE_SHARED_BYTES);
        RouteFacts { strategy: Strategy::Hybrid, class_leaves, ..facts }.kernel()
    };
    let (thread, warp) = (Kernel::PublishedThread, Kernel::PublishedWarp);
    // Figure 9: many cells
    for (kind, at_64, at_512) in
        [(Regular, thread, thread), (Layered(0), thread, thread), (Irregular(0), warp, thread)]
    {
        assert_eq!(choice(kind, 4, 10_000), at_64);
        assert_eq!(choice(kind, 8, 10_000), at_512);
    }
    // the car: 16 layered and 8 irregular cells
    assert_eq!(choice(Layered(0), 4, 16), warp);
    assert_eq!(choice(Irregular(0), 8, 8), warp);
    // 33 cells of 512 samples give each of 132 multiprocessors its block
    assert_eq!(choice(Regular, 8, 32), warp);
    assert_eq!(choice(Regular, 8, 33), thread);
}
