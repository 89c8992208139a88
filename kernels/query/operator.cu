// An operator over the rows of a query. Its text, "query/text.cuh", is a user's or one of ours.
//
//     starts of a warp's rows > ids of these rows > shared memory > visit, a thread an element
//
// Ids are read once and in order, values again and again: ids go past the first cache and leave the
// second before all else, so that both are left to the values. Rows of a warp that have no room in
// shared memory are read where they are.
//
// WORDS: its arguments in words of 8 bytes.
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

constexpr unsigned THREADS = 256, PIECE = 4;
// Ids that a warp has room for: 12 a row.
constexpr unsigned ROOM = 12 * LANES;

extern "C" __global__ void __launch_bounds__(THREADS, blocks_of(BLOCKS))
    visit_rows(const unsigned* __restrict__ starts, const unsigned* __restrict__ items,
               unsigned count, unsigned entries, const __grid_constant__ Arguments arguments) {
    __shared__ __align__(16) unsigned staged[THREADS / LANES * ROOM];
    const unsigned id = blockIdx.x * THREADS + threadIdx.x, lane = threadIdx.x % LANES;
    if (id - lane >= count) return;
    const unsigned start = __ldcs(starts + min(id, count));
    const unsigned end = __ldcs(starts + min(id + 1, count));
    // whole pieces of all rows of the warp
    const unsigned from = __shfl_sync(ALL_LANES, start, 0) / PIECE * PIECE;
    const unsigned length = __shfl_sync(ALL_LANES, end, LANES - 1) - from;
    unsigned* const own = staged + threadIdx.x / LANES * ROOM;
    const unsigned* row = items + start;
    if (length <= ROOM) {
        for (unsigned i = PIECE * lane; i < length; i += PIECE * LANES) {
            const unsigned there = min(PIECE, entries - (from + i));
            stream_async(own + i, items + from + i, sizeof(unsigned) * there);
        }
        commit_copies();
        wait_for_copies<0>();
        __syncwarp();
        row = own + (start - from);
    }
    if (id < count) visit(id, StoredRow{row, end - start}, arguments);
}
