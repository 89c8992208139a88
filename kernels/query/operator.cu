// An operator over the rows of a query. Its text, "query/text.cuh", is a user's or one of ours.
//
//     starts of a warp's rows > ids of these rows > shared memory > visit, a thread per element
//
// In the order the ids of 32 rows in succession mostly lie within 2^16 of each other: a warp then
// reads them in 16 bits, as differences from the least, else in 32 (rows.cu, shorten).
//
// Ids are read once and in order, values again and again: ids go past the first cache and leave the
// second before all else, so that both are left to the values. So do the starts of rows, unless the
// second cache has room for starts and values (keeps_starts): the next operator finds both there, and
// takes up to a tenth less time. Rows of a warp that have no room in shared memory are read where they
// are.
//
// A thread of an operator that takes few registers visits two rows one after the other: half as many
// warps wait for the starts of rows, the ids and the values in turn. Others take a twentieth longer by
// that. Warps that stay and stage rows while they visit others took 4 % longer than warps that come
// and go.
//
// WORDS: its arguments in words of 8 bytes. GROUPS: rows of a thread. WIDE: rows of eight ids as a rule
// are not staged, since their lanes would meet in the same banks of shared memory; a thread reads four
// ids at once.
//
// Plain reference: src/query/rows.rs (tests/gpu/query.rs).
#include "common/shared.cuh"
#include "common/async.cuh"
#include "common/real.cuh"
#include "query/query.cuh"

#include "query/text.cuh"

static_assert(sizeof(Arguments) == 8 * WORDS,
              "the members of Arguments are not those that it is given");

#ifndef BLOCKS
#define BLOCKS 1
#endif

constexpr unsigned THREADS = host::QUERY_THREADS, ROWS = GROUPS * LANES;

// What is stored of rows.
struct Rows {
    const unsigned *starts, *items;
    // ids in 16 bits, where items are; and of 32 rows what to add, or NONE
    const unsigned short* short_ids;
    const unsigned* bases;
    unsigned count, entries;
};

// What is added to ids: nothing to whole ones.
template <class Id>
__device__ __forceinline__ unsigned added(unsigned base) {
    return sizeof(Id) < sizeof(unsigned) ? base : 0;
}

#if !WIDE
// ids that a warp has room for: of two rows per thread 15 per row of 16 bits, 7 of 32. Eight blocks have
// it beside a half of the first cache.
constexpr unsigned ROOM = 15 * LANES;

// Copies the ids of a warp's rows, from `start` to `end`, to `room` and visits the rows.
template <class Id>
__device__ __forceinline__ void visit_staged(const Rows& rows, const Id* items, unsigned* room,
                                             unsigned first, const unsigned (&start)[GROUPS + 1],
                                             const unsigned (&base)[GROUPS],
                                             const Arguments& arguments) {
    constexpr unsigned PIECE = 16 / sizeof(Id);
    const unsigned lane = threadIdx.x % LANES;
    // whole pieces of all rows of the warp
    const unsigned from = __shfl_sync(ALL_LANES, start[0], 0) / PIECE * PIECE;
    const unsigned length = start[GROUPS] - from;
    Id* const own = reinterpret_cast<Id*>(room);
    const bool fits = length <= ROOM * sizeof(unsigned) / sizeof(Id);
    if (fits) {
        for (unsigned i = PIECE * lane; i < length; i += PIECE * LANES) {
            if (rows.entries - (from + i) >= PIECE) {
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
        // the last lane takes the next group's from the first one
        const unsigned next = __shfl_sync(ALL_LANES, lane == 0 ? start[g + 1] : start[g],
                                            (lane + 1) % LANES);
        const Id* row = fits ? own + (start[g] - from) : items + start[g];
        if (id < rows.count) {
            visit(id, StoredRow<Id>{row, added<Id>(base[g]), next - start[g]}, arguments);
        }
    }
}
#endif

extern "C" __global__ void __launch_bounds__(THREADS, blocks_of(BLOCKS))
    visit_rows(const __grid_constant__ Rows rows, unsigned keeps_starts,
               const __grid_constant__ Arguments arguments) {
    const auto start_of = [&](unsigned id) {
        const unsigned* start = rows.starts + min(id, rows.count);
        return keeps_starts ? __ldg(start) : __ldcs(start);
    };
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const unsigned first = (blockIdx.x * (THREADS / LANES) + warp) * ROWS;
    if (first >= rows.count) return;
    unsigned base[GROUPS];
#pragma unroll
    for (unsigned g = 0; g < GROUPS; ++g) {
        const unsigned row = first + g * LANES;
        base[g] = row < rows.count ? __ldg(rows.bases + row / LANES) : 0;
    }
#if WIDE
#pragma unroll
    for (unsigned g = 0; g < GROUPS; ++g) {
        const unsigned id = first + g * LANES + lane;
        const unsigned start = start_of(id);
        const unsigned last = lane == LANES - 1 ? start_of(id + 1) : 0;
        const unsigned after = __shfl_down_sync(ALL_LANES, start, 1);
        const unsigned length = (lane == LANES - 1 ? last : after) - start;
        const bool is_aligned = __all_sync(ALL_LANES, start % 4 == 0);
        if (id >= rows.count) continue;
        if (base[g] != NONE) {
            const unsigned short* row = rows.short_ids + start;
            visit(id, WideRow<unsigned short>{row, base[g], length, is_aligned}, arguments);
        } else {
            const unsigned* row = rows.items + start;
            visit(id, WideRow<unsigned>{row, 0, length, is_aligned}, arguments);
        }
    }
#else
    __shared__ __align__(16) unsigned staged[THREADS / LANES * ROOM];
    unsigned* const room = staged + warp * ROOM;
    bool is_short = true;
    unsigned start[GROUPS + 1];
#pragma unroll
    for (unsigned g = 0; g < GROUPS; ++g) {
        is_short = is_short && base[g] != NONE;
        start[g] = start_of(first + g * LANES + lane);
    }
    start[GROUPS] = start_of(first + ROWS);
    if (is_short) {
        visit_staged(rows, rows.short_ids, room, first, start, base, arguments);
    } else {
        visit_staged(rows, rows.items, room, first, start, base, arguments);
    }
#endif
}
