// Where points are in a solid: its elements and parameters.
//
//     points ─▶ bins along a Morton curve ─▶ order ─▶ walk of the hierarchy ─▶ Newton's method
//
// A thread per point. Neighbors in space are neighbors in the order, so that the lanes of a warp
// walk and compute together. Of several parts that hold a point the first counts, whatever the
// order in which they are met; nothing depends on the order of points.
//
// Plain reference: src/locate on the CPU (tests/gpu/locate.rs).
#include "common/shared.cuh"
#include "locate/newton.cuh"

constexpr int THREADS = host::LOCATE_THREADS;
// bins, scanned in tiles
constexpr int BIN_BITS = host::BIN_BITS;
constexpr unsigned BINS = 1u << 3 * BIN_BITS;
constexpr unsigned SCANNERS = host::SCAN_THREADS;
constexpr unsigned TILES = BINS / SCANNERS;
constexpr unsigned OUTSIDE = NONE, LEFT = NONE - 1;

struct Node {
    double low[3], high[3];
    // boxes of a leaf among the items, and the node after all below this one
    unsigned first, count, skip, padding;
};

struct Solid {
    const Node* nodes;
    const unsigned* items;
    const Part* parts;
    // [part][w][v][u][xyz]
    const double* points;
    // how far from a box a point may be in it
    double reach;
    unsigned node_count, padding;
};

// [point] each
struct Places {
    // OUTSIDE, or LEFT to the CPU
    unsigned* elements;
    // [3]
    double* parameters;
    double* residuals;
};

// Puts two zeros between the bits of a number.
__device__ unsigned spread(unsigned x) {
    unsigned all = 0;
#pragma unroll
    for (int bit = 0; bit < BIN_BITS; ++bit) all |= (x >> bit & 1) << 3 * bit;
    return all;
}

// Bin of every point, and how many came there before it.
extern "C" __global__ void __launch_bounds__(THREADS)
    bin_points(const __grid_constant__ Solid solid, const double* __restrict__ points,
               unsigned count, unsigned* __restrict__ bins, uint2* __restrict__ places) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    unsigned bin = 0;
    for (int d = 0; d < 3; ++d) {
        const double low = solid.nodes[0].low[d], high = solid.nodes[0].high[d];
        // NaN becomes 0
        const double along = fmin(fmax((points[3 * size_t(i) + d] - low) / (high - low), 0.0), 1.0);
        const unsigned most = (1u << BIN_BITS) - 1;
        bin |= spread(min(unsigned(along * double(most + 1)), most)) << d;
    }
    places[i] = make_uint2(bin, atomicAdd(bins + bin, 1u));
}

// The sum of the numbers of all threads of a block up to each.
__device__ unsigned scan(unsigned own) {
    __shared__ unsigned sums[SCANNERS];
    unsigned sum = own;
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (unsigned step = 1; step < SCANNERS; step *= 2) {
        if (threadIdx.x >= step) sum += sums[threadIdx.x - step];
        __syncthreads();
        sums[threadIdx.x] = sum;
        __syncthreads();
    }
    return sum;
}

// Counts of bins to where they start in their tile, a block a tile; and counts of tiles.
extern "C" __global__ void __launch_bounds__(SCANNERS)
    scan_bins(unsigned* __restrict__ bins, unsigned* __restrict__ tiles) {
    const unsigned at = blockIdx.x * SCANNERS + threadIdx.x;
    const unsigned own = bins[at], sum = scan(own);
    bins[at] = sum - own;
    if (threadIdx.x == SCANNERS - 1) tiles[blockIdx.x] = sum;
}

// Counts of tiles to where they start, by one block.
extern "C" __global__ void __launch_bounds__(SCANNERS) scan_tiles(unsigned* tiles) {
    constexpr unsigned OWN = TILES / SCANNERS;
    unsigned own[OWN], all = 0;
#pragma unroll
    for (unsigned k = 0; k < OWN; ++k) all += own[k] = tiles[OWN * threadIdx.x + k];
    unsigned start = scan(all) - all;
#pragma unroll
    for (unsigned k = 0; k < OWN; ++k) {
        tiles[OWN * threadIdx.x + k] = start;
        start += own[k];
    }
}

extern "C" __global__ void __launch_bounds__(THREADS)
    order_points(const unsigned* __restrict__ bins, const unsigned* __restrict__ tiles,
                 const uint2* __restrict__ places, unsigned count,
                 unsigned* __restrict__ order) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const uint2 place = places[i];
    order[tiles[place.x / SCANNERS] + bins[place.x] + place.y] = i;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    locate(const __grid_constant__ Solid solid, const double* __restrict__ points,
           const unsigned* __restrict__ order, unsigned count,
           const __grid_constant__ Places out) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned at = order[i];
    const double x[3] = {points[3 * size_t(at)], points[3 * size_t(at) + 1],
                         points[3 * size_t(at) + 2]};
    // the first part that holds x for certain, its parameters, and the first that may
    unsigned best = NONE, undecided = NONE;
    double found[3] = {};
    unsigned node = 0, item = 0, items_end = 0;
    while (true) {
        // every lane goes on to its next part; then all of them compute
        unsigned candidate = NONE;
        double t[3];
        while (candidate == NONE && (item < items_end || node < solid.node_count)) {
            if (item < items_end) {
                const unsigned part = __ldg(solid.items + item);
                ++item;
                if (part < min(best, undecided) && guess(solid.parts[part], x, t)) candidate = part;
                continue;
            }
            const Node& box = solid.nodes[node];
            bool near = true;
#pragma unroll
            for (int d = 0; d < 3; ++d) {
                near &= x[d] >= box.low[d] - solid.reach && x[d] <= box.high[d] + solid.reach;
            }
            if (near) {
                item = box.first;
                items_end = item + box.count;
            }
            node = near ? node + 1 : box.skip;
        }
        if (candidate == NONE) break;
        const Answer answer = decide(solid.parts[candidate], solid.points, x, t);
        if (answer == Answer::undecided) undecided = candidate;
        if (answer == Answer::inside) {
            best = candidate;
#pragma unroll
            for (int d = 0; d < 3; ++d) found[d] = t[d];
        }
    }
    if (undecided < best || best == NONE) {
        out.elements[at] = undecided == NONE ? OUTSIDE : LEFT;
        return;
    }
    const Part& part = solid.parts[best];
    double there[3], p[3];
    point_at(solid.points + size_t(192) * part.points, found, there);
    in_element(part, found, p);
    double squared = 0.0;
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        squared += (there[d] - x[d]) * (there[d] - x[d]);
        out.parameters[3 * size_t(at) + d] = p[d];
    }
    out.residuals[at] = sqrt(squared);
    out.elements[at] = part.element;
}
