// Coarse levels of a matrix of weights, each from the one before it: unknowns join the strongest root
// beside them, and the weights between two aggregates are sums over all edges between them.
//
//     measure > choose_roots > join > scan > name        the unknowns of the next level
//     measure_rows > scan > gather_rows > scan           its rows, ascending
//     measure_slices (slices.cu) > scan > fill_rows      the same in slices
//
// Roots are a maximal independent set of the strong edges (Luby 1986, with priorities from a hash),
// so that all unknowns of an aggregate stand in the row of its root. Weights in two rows are the same
// bits, since each is summed in ascending order.
//
// Plain reference: none of the levels; what cycles over them solve is compared with Cholesky factors
// (tests/gpu/process.rs).
#include "common/shared.cuh"
#include "common/grid_barrier.cuh"
#include "common/sort_row.cuh"
#include "process/slices.cuh"

constexpr int THREADS = host::QUERY_THREADS;
// An edge is strong if its weight is at least so much of the greatest at one of its ends.
constexpr float STRONG = 0.05f;
// Rounds of choosing: each settles most open unknowns, and one that stays open is its own root.
constexpr unsigned ROUNDS = host::ROUNDS;

// Rows of a level.
struct Graph {
    const unsigned *slices, *ids;
    const float* weights;
    unsigned long long count;
};

__device__ __forceinline__ unsigned thread_id() { return blockIdx.x * THREADS + threadIdx.x; }

// Calls visit(other, weight) with the entries of a row.
template <class Visit>
__device__ __forceinline__ void visit_row(const Graph& graph, unsigned id, Visit visit) {
    const unsigned width = width_of(graph.slices, id);
    const size_t first = item_of(graph.slices, id, 0);
    for (unsigned k = 0; k < width; ++k) {
        const unsigned other = graph.ids[first + k * LANES];
        if (other != id) visit(other, graph.weights[first + k * LANES]);
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    round_weights(const double* __restrict__ weights, unsigned count,
                  float* __restrict__ rounded) {
    const unsigned i = thread_id();
    if (i < count) rounded[i] = float(weights[i]);
}

// inverses: of the sum of absolute values in a row of L, which bounds its eigenvalues by 1; 0 for an
// empty row. strongest: the greatest weight of a row.
extern "C" __global__ void __launch_bounds__(THREADS)
    measure(Graph graph, float* __restrict__ inverses, float* __restrict__ strongest) {
    const unsigned id = thread_id();
    if (id >= graph.count) return;
    float sum = 0, absolute = 0, greatest = 0;
    visit_row(graph, id, [&](unsigned, float weight) {
        sum += weight;
        absolute += abs(weight);
        greatest = max(greatest, weight);
    });
    absolute += abs(sum);
    inverses[id] = absolute > 0 ? 1 / absolute : 0;
    strongest[id] = greatest;
}

// Calls visit(other, weight) with the strong edges of an unknown.
template <class Visit>
__device__ __forceinline__ void visit_strong(const Graph& graph, const float* strongest,
                                             unsigned id, Visit visit) {
    visit_row(graph, id, [&](unsigned other, float weight) {
        const bool strong = weight >= STRONG * min(strongest[id], strongest[other]);
        if (weight > 0 && strong) visit(other, weight);
    });
}

constexpr unsigned OPEN = 0, CANDIDATE = 1, ROOT = 2, JOINS = 3;

// Which of two unknowns becomes a root.
__device__ __forceinline__ bool precedes(unsigned a, unsigned b) {
    const auto mix = [](unsigned x) {
        x = (x ^ x >> 16) * 0x7feb352du;
        x = (x ^ x >> 15) * 0x846ca68bu;
        return x ^ x >> 16;
    };
    const unsigned of_a = mix(a), of_b = mix(b);
    return of_a != of_b ? of_a > of_b : a > b;
}

// A cooperative launch. states: OPEN at first. open: a word a round and one for waiting, 0 at first.
extern "C" __global__ void __launch_bounds__(THREADS)
    choose_roots(Graph graph, const float* strongest, unsigned* states, unsigned* open) {
    const unsigned threads = gridDim.x * THREADS;
    unsigned* const arrived = open + ROUNDS;
    for (unsigned round = 0; round < ROUNDS; ++round) {
        for (unsigned id = thread_id(); id < graph.count; id += threads) {
            if (states[id] != OPEN) continue;
            bool first = true;
            visit_strong(graph, strongest, id, [&](unsigned other, float) {
                const unsigned state = states[other];
                first = first && (state == JOINS || precedes(id, other));
            });
            if (first) states[id] = CANDIDATE;
        }
        wait_for_grid(arrived);
        for (unsigned id = thread_id(); id < graph.count; id += threads) {
            const unsigned state = states[id];
            if (state == CANDIDATE) states[id] = ROOT;
            if (state != OPEN) continue;
            bool joins = false;
            visit_strong(graph, strongest, id, [&](unsigned other, float) {
                const unsigned of = states[other];
                joins = joins || of == CANDIDATE || of == ROOT;
            });
            if (joins) {
                states[id] = JOINS;
            } else {
                open[round] = 1;
            }
        }
        wait_for_grid(arrived);
        if (static_cast<volatile unsigned*>(open)[round] == 0) return;
    }
}

// The root of each unknown, and whether it is one.
extern "C" __global__ void __launch_bounds__(THREADS)
    join(Graph graph, const float* __restrict__ strongest, const unsigned* __restrict__ states,
         unsigned* __restrict__ roots, unsigned* __restrict__ marks) {
    const unsigned id = thread_id();
    if (id >= graph.count) return;
    unsigned root = id;
    float best = 0;
    if (states[id] == JOINS) {
        visit_strong(graph, strongest, id, [&](unsigned other, float weight) {
            if (states[other] != ROOT || weight <= best) return;
            root = other;
            best = weight;
        });
    }
    roots[id] = root;
    marks[id] = root == id;
}

// numbers: scan of the marks.
extern "C" __global__ void __launch_bounds__(THREADS)
    name(const unsigned* __restrict__ roots, const unsigned* __restrict__ numbers, unsigned count,
         unsigned* __restrict__ aggregates, unsigned* __restrict__ roots_of) {
    const unsigned id = thread_id();
    if (id >= count) return;
    const unsigned root = roots[id], number = numbers[root];
    aggregates[id] = number;
    if (root == id) roots_of[number] = id;
}

// Calls visit(aggregate, weight) with the edges that leave an aggregate.
template <class Visit>
__device__ __forceinline__ void visit_leaving(const Graph& graph, const unsigned* aggregates,
                                              const unsigned* roots_of, unsigned aggregate,
                                              Visit visit) {
    const auto leave = [&](unsigned member) {
        visit_row(graph, member, [&](unsigned other, float weight) {
            const unsigned there = aggregates[other];
            if (there != aggregate) visit(there, weight);
        });
    };
    const unsigned root = roots_of[aggregate];
    leave(root);
    visit_row(graph, root, [&](unsigned other, float) {
        if (aggregates[other] == aggregate) leave(other);
    });
}

extern "C" __global__ void __launch_bounds__(THREADS)
    measure_rows(Graph graph, const unsigned* __restrict__ aggregates,
                 const unsigned* __restrict__ roots_of, unsigned count,
                 unsigned* __restrict__ lengths) {
    const unsigned id = thread_id();
    if (id >= count) return;
    unsigned length = 0;
    visit_leaving(graph, aggregates, roots_of, id, [&](unsigned, float) { ++length; });
    lengths[id] = length;
}

// Aggregates above, weights below.
using Entry = unsigned long long;

__device__ __forceinline__ unsigned aggregate_of(Entry entry) { return unsigned(entry >> 32); }
__device__ __forceinline__ float weight_of(Entry entry) { return __uint_as_float(unsigned(entry)); }
__device__ __forceinline__ Entry entry_of(unsigned aggregate, float weight) {
    return Entry(aggregate) << 32 | __float_as_uint(weight);
}

// starts: scan of the lengths. lengths: entries that each row keeps, with entries of equal
// aggregates summed.
extern "C" __global__ void __launch_bounds__(THREADS)
    gather_rows(Graph graph, const unsigned* __restrict__ aggregates,
                const unsigned* __restrict__ roots_of, unsigned count,
                const unsigned* __restrict__ starts, Entry* entries,
                unsigned* __restrict__ lengths) {
    const unsigned id = thread_id();
    if (id >= count) return;
    Entry* const row = entries + starts[id];
    unsigned length = 0, kept = 0;
    visit_leaving(graph, aggregates, roots_of, id, [&](unsigned there, float weight) {
        row[length++] = entry_of(there, weight);
    });
    sort_row(row, length);
    for (unsigned k = 0; k < length;) {
        const unsigned there = aggregate_of(row[k]);
        float weight = 0;
        for (; k < length && aggregate_of(row[k]) == there; ++k) weight += weight_of(row[k]);
        row[kept++] = entry_of(there, weight);
    }
    lengths[id] = kept;
}

// ends: scan of the lengths that rows keep. Entries that no edge has name the unknown itself, with a
// weight of 0.
extern "C" __global__ void __launch_bounds__(THREADS)
    fill_rows(const unsigned* __restrict__ starts, const Entry* __restrict__ entries,
              const unsigned* __restrict__ ends, unsigned count, double scale,
              const unsigned* __restrict__ slices, unsigned* __restrict__ ids,
              float* __restrict__ weights) {
    const unsigned id = thread_id();
    if (id >= count) return;
    const Entry* const row = entries + starts[id];
    const unsigned length = ends[id + 1] - ends[id], width = width_of(slices, id);
    const size_t first = item_of(slices, id, 0);
    for (unsigned k = 0; k < width; ++k) {
        ids[first + k * LANES] = k < length ? aggregate_of(row[k]) : id;
        weights[first + k * LANES] = k < length ? float(scale) * weight_of(row[k]) : 0;
    }
}
