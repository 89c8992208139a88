// An operator over the rows of a query. Its text, "query/text.cuh", is a user's or one of ours.
//
//     starts of a warp's rows > ids of these rows > shared memory > visit, a thread an element
//
// Ids are read once and in order, values again and again: ids go past the first cache and leave the
// second before all else, so that both are left to the values. So do the starts of rows, unless the
// second cache has room for starts and values (keeps_starts): the next operator finds both there, and
// takes up to a tenth less time. Rows of a warp that have no room in shared memory are read where they
// are.
//
// WORDS: its arguments in words of 8 bytes. GROUPS: rows of a thread, staged at once: 2 of few ids take
// a fifth less time than 1, of 6 ids and more they take longer. Warps that stay and stage rows while
// they visit others took 4 % longer than warps that come and go.
//
// WIDE: rows of eight ids as a rule are not staged, since their lanes would meet in the same banks of
// shared memory; a thread reads 16 bytes at once, 2 rows one after the other. That takes a seventh to
// a fifth less time (VC, CV of hexahedra); pieces of 8 bytes where rows begin there gain nothing more.
//
// Plain reference: src/query/rows.rs (tests/gpu/query.rs).
#include "common/async.cuh"
#include "common/real.cuh"
#include "query/query.cuh"

#include "query/text.cuh"

static_assert(sizeof(Arguments) == 8 * WORDS,
              "the members of Arguments are not those that it is given");

#ifndef BLOCKS
#define BLOCKS 1
#endif

constexpr unsigned THREADS = 256, PIECE = 4, ROWS = GROUPS * LANES;

extern "C" __global__ void __launch_bounds__(THREADS, blocks_of(BLOCKS))
    visit_rows(const unsigned* __restrict__ starts, const unsigned* __restrict__ items,
               unsigned count, unsigned entries, unsigned keeps_starts,
               const __grid_constant__ Arguments arguments) {
    const auto start_of = [&](unsigned id) {
        const unsigned* start = starts + min(id, count);
        return keeps_starts ? __ldg(start) : __ldcs(start);
    };
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const unsigned first = (blockIdx.x * (THREADS / LANES) + warp) * ROWS;
    if (first >= count) return;
#if WIDE
#pragma unroll
    for (unsigned g = 0; g < GROUPS; ++g) {
        const unsigned id = first + g * LANES + lane;
        const unsigned start = start_of(id);
        const unsigned last = lane == LANES - 1 ? start_of(id + 1) : 0;
        const unsigned after = __shfl_down_sync(ALL_LANES, start, 1);
        const unsigned next = lane == LANES - 1 ? last : after;
        const bool is_aligned = __all_sync(ALL_LANES, start % PIECE == 0);
        if (id < count) visit(id, WideRow{items + start, next - start, is_aligned}, arguments);
    }
#else
    // ids that a warp has room for: 12 a row, or half as many
    constexpr unsigned ROOM = 12 * LANES;
    __shared__ __align__(16) unsigned staged[THREADS / LANES * ROOM];
    unsigned start[GROUPS + 1];
#pragma unroll
    for (unsigned g = 0; g < GROUPS; ++g) {
        start[g] = start_of(first + g * LANES + lane);
    }
    start[GROUPS] = start_of(first + ROWS);
    // whole pieces of all rows of the warp
    const unsigned from = __shfl_sync(ALL_LANES, start[0], 0) / PIECE * PIECE;
    const unsigned length = start[GROUPS] - from;
    unsigned* const own = staged + warp * ROOM;
    const bool fits = length <= ROOM;
    if (fits) {
        for (unsigned i = PIECE * lane; i < length; i += PIECE * LANES) {
            if (entries - (from + i) >= PIECE) {
                stream_async(own + i, items + from + i);
            } else {
                // behind the last id of all there is nothing
#pragma unroll 1
                for (unsigned k = i; k < length; ++k) own[k] = items[from + k];
            }
        }
        commit_copies();
        wait_for_copies<0>();
        __syncwarp();
    }
#pragma unroll
    for (unsigned g = 0; g < GROUPS; ++g) {
        const unsigned id = first + g * LANES + lane;
        // the last lane takes that of the next group from the first one
        const unsigned next = __shfl_sync(ALL_LANES, lane == 0 ? start[g + 1] : start[g],
                                            (lane + 1) % LANES);
        const unsigned* row = fits ? own + (start[g] - from) : items + start[g];
        if (id < count) visit(id, StoredRow{row, next - start[g]}, arguments);
    }
#endif
}
