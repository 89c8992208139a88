// Rows of every query from the incidence of a mesh: unions, transposes and products, each row
// ascending without repetitions.
//
//     measure_down > scan > gather_down     what elements have of a lower kind
//     expand > sort > start_rows            transposes: sorts keep the order of equal items
//     measure_near > scan > gather_near     elements next to one another, through a third kind
//     scan > compact                        where rows had repetitions
//     shorten                               ids in 16 bits beside them
//
// Plain reference: src/query/rows.rs, row by row (tests/gpu/query.rs).
#include "common/shared.cuh"
#include "common/sort.cuh"
#include "common/sort_row.cuh"
#include "query/incidence.cuh"

constexpr unsigned THREADS = host::QUERY_THREADS;

__device__ __forceinline__ unsigned thread_id() { return blockIdx.x * THREADS + threadIdx.x; }

// What the host wants to know of rows.
struct Tally {
    unsigned long long entries;  // with repetitions
    unsigned long long repeated;
};

// Adds the numbers of the block's threads; all of them call it.
__device__ __forceinline__ void add_all(unsigned number, unsigned long long* sum) {
    unsigned long long all = number;
#pragma unroll
    for (unsigned step = LANES / 2; step > 0; step /= 2) {
        all += __shfl_xor_sync(ALL_LANES, all, step);
    }
    if (lane_id() == 0 && all > 0) atomicAdd(sum, all);
}

// Calls visit(id) with the elements of a lower kind in an element.
template <class Visit>
__device__ __forceinline__ void visit_down(const Incidence& mesh, unsigned from, unsigned to,
                                           unsigned id, Visit visit) {
    if (from == CELL && to == FACE) {
        const unsigned end = mesh.cell_starts[id + 1];
        for (unsigned i = mesh.cell_starts[id]; i < end; ++i) visit(mesh.cell_faces[i]);
        return;
    }
    visit_closure(mesh, from, id, [&](unsigned kind, unsigned element) {
        if (kind == to) visit(element);
    });
}

// Length of the row of this thread's element, with repetitions. visit_all(visit) calls visit(id)
// with its items. All threads of the block call it.
template <class VisitAll>
__device__ __forceinline__ void measure(unsigned count, unsigned* lengths, Tally* tally,
                                        VisitAll visit_all) {
    const unsigned id = thread_id();
    unsigned length = 0;
    if (id < count) {
        visit_all([&](unsigned) { ++length; });
        lengths[id] = length;
    }
    add_all(length, &tally->entries);
}

// Writes that row, sorted and without repetitions, and how long it is then.
template <class VisitAll>
__device__ __forceinline__ void gather(unsigned count, const unsigned* starts, unsigned* items,
                                       unsigned* lengths, Tally* tally, VisitAll visit_all) {
    const unsigned id = thread_id();
    unsigned repeated = 0;
    if (id < count) {
        unsigned* const row = items + starts[id];
        unsigned length = 0;
        visit_all([&](unsigned item) { row[length++] = item; });
        lengths[id] = tidy_row(row, length);
        repeated = length - lengths[id];
    }
    add_all(repeated, &tally->repeated);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    measure_down(Incidence mesh, unsigned from, unsigned to, unsigned count,
                 unsigned* __restrict__ lengths, Tally* tally) {
    measure(count, lengths, tally,
            [&](auto visit) { visit_down(mesh, from, to, thread_id(), visit); });
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_down(Incidence mesh, unsigned from, unsigned to, unsigned count,
                const unsigned* __restrict__ starts, unsigned* items,
                unsigned* __restrict__ lengths, Tally* tally) {
    gather(count, starts, items, lengths, tally,
           [&](auto visit) { visit_down(mesh, from, to, thread_id(), visit); });
}

// Calls visit(id) with the others in the rows back of an element's row; with `through` also
// with these.
template <class Visit>
__device__ __forceinline__ void visit_near(Lists there, Lists back, unsigned through, unsigned id,
                                           Visit visit) {
    const unsigned end = there.starts[id + 1];
    for (unsigned i = there.starts[id]; i < end; ++i) {
        const unsigned common = there.items[i], last = back.starts[common + 1];
        if (through) visit(common);
        for (unsigned k = back.starts[common]; k < last; ++k) {
            if (back.items[k] != id) visit(back.items[k]);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    measure_near(Lists there, Lists back, unsigned through, unsigned count,
                 unsigned* __restrict__ lengths, Tally* tally) {
    measure(count, lengths, tally,
            [&](auto visit) { visit_near(there, back, through, thread_id(), visit); });
}

extern "C" __global__ void __launch_bounds__(THREADS)
    gather_near(Lists there, Lists back, unsigned through, unsigned count,
                const unsigned* __restrict__ starts, unsigned* items,
                unsigned* __restrict__ lengths, Tally* tally) {
    gather(count, starts, items, lengths, tally,
           [&](auto visit) { visit_near(there, back, through, thread_id(), visit); });
}

// Rows without the room that repetitions had.
extern "C" __global__ void __launch_bounds__(THREADS)
    compact(Lists rows, const unsigned* __restrict__ starts, unsigned count,
            unsigned* __restrict__ items) {
    const unsigned id = thread_id();
    if (id >= count) return;
    const unsigned from = rows.starts[id], to = starts[id];
    for (unsigned k = 0; k < starts[id + 1] - to; ++k) items[to + k] = rows.items[from + k];
}

// Ids in 16 bits, as differences from the least in 32 rows, and these least ids; NONE for rows whose
// ids lie farther apart, and for those without ids.
extern "C" __global__ void __launch_bounds__(THREADS)
    shorten(Lists rows, unsigned count, unsigned short* __restrict__ ids,
            unsigned* __restrict__ bases) {
    const unsigned first = thread_id() / LANES * LANES;
    if (first >= count) return;
    const unsigned from = rows.starts[first] + lane_id();
    const unsigned end = rows.starts[min(first + LANES, count)];
    unsigned least = NONE, most = 0;
    for (unsigned i = from; i < end; i += LANES) {
        least = min(least, rows.items[i]);
        most = max(most, rows.items[i]);
    }
#pragma unroll
    for (unsigned step = LANES / 2; step > 0; step /= 2) {
        least = min(least, __shfl_xor_sync(ALL_LANES, least, step));
        most = max(most, __shfl_xor_sync(ALL_LANES, most, step));
    }
    const bool is_near = least <= most && most - least <= 0xffff;
    if (lane_id() == 0) bases[first / LANES] = is_near ? least : NONE;
    if (!is_near) return;
    for (unsigned i = from; i < end; i += LANES) {
        ids[i] = static_cast<unsigned short>(rows.items[i] - least);
    }
}

// The row that each item stands in.
extern "C" __global__ void __launch_bounds__(THREADS)
    expand(const unsigned* __restrict__ starts, unsigned count, unsigned* __restrict__ rows) {
    const unsigned id = thread_id();
    if (id >= count) return;
    for (unsigned i = starts[id]; i < starts[id + 1]; ++i) rows[i] = id;
}

// Rows from items sorted by the row they go to: where each starts; one more at the end.
extern "C" __global__ void __launch_bounds__(THREADS)
    start_rows(const unsigned* __restrict__ sorted, const unsigned* __restrict__ values,
               unsigned entries, unsigned count, unsigned* __restrict__ starts,
               unsigned* __restrict__ items) {
    const unsigned i = thread_id();
    if (i < entries) items[i] = values[i];
    if (i <= count) starts[i] = lower_bound(sorted, entries, i);
}
