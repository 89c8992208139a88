// Ghost faces that close an open surface: one in every loop of boundary edges, running the other
// way. A ghost corner stands for a boundary edge, at its end; the first of a loop belongs to its
// smallest corner, and each is followed by the ghost corner of the boundary edge before.
//
//     mark_boundary > scan > list_boundary    their corners, and the one at each vertex
//     start_loops > jump_ahead …      the first edge of every loop, and the steps to it
//     mark_loops > scan, scan > place_ghosts
//
// SIZE: corners of every face, 0 for polygons.
//
// Plain reference: src/surface/refine/edge_friend/build.rs, through open surfaces in
// tests/gpu/surface.rs.
#include "common/shared.cuh"
#include "surface/mesh_matrix.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

extern "C" __global__ void __launch_bounds__(THREADS)
    mark_boundary(const unsigned* __restrict__ edges, const uint2* __restrict__ edge_corners,
                  unsigned corners, unsigned* __restrict__ marks) {
    const unsigned c = blockIdx.x * THREADS + threadIdx.x;
    if (c < corners) marks[c] = edge_corners[edges[c]].y == NONE;
}

// boundary: [boundary edge], corners; out: [vertex], the boundary edge that starts there.
extern "C" __global__ void __launch_bounds__(THREADS)
    list_boundary(const unsigned* __restrict__ vertices, const unsigned* __restrict__ before,
                  unsigned corners, unsigned count, unsigned* __restrict__ boundary,
                  unsigned* __restrict__ out) {
    const unsigned c = blockIdx.x * THREADS + threadIdx.x;
    if (c >= corners || before[c + 1] == before[c] || before[c] >= count) return;
    boundary[before[c]] = c;
    out[vertices[c]] = before[c];
}

// What a boundary edge has seen of its loop so far: the smallest edge, the steps to it, the edge
// where it goes on.
extern "C" __global__ void __launch_bounds__(THREADS)
    start_loops(const unsigned* __restrict__ vertices, const Columns<SIZE> columns,
                const unsigned* __restrict__ boundary, const unsigned* __restrict__ out,
                unsigned count, uint4* __restrict__ seen) {
    const unsigned k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= count) return;
    const unsigned after = out[vertices[columns.next(boundary[k])]];
    seen[k] = make_uint4(k, 0, after, after);
}

// Twice as many as before, which were `steps`.
extern "C" __global__ void __launch_bounds__(THREADS)
    jump_ahead(const uint4* __restrict__ seen, unsigned count, unsigned steps,
               uint4* __restrict__ seen_more) {
    const unsigned k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= count) return;
    uint4 own = seen[k];
    const uint4 other = seen[own.z];
    if (other.x < own.x) {
        own.x = other.x;
        own.y = steps + other.y;
    }
    own.z = other.z;
    seen_more[k] = own;
}

// The sizes of loops at their first edges, and marks there.
extern "C" __global__ void __launch_bounds__(THREADS)
    mark_loops(const uint4* __restrict__ seen, unsigned count, unsigned* __restrict__ sizes,
               unsigned* __restrict__ marks) {
    const unsigned k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= count) return;
    const bool first = seen[k].x == k;
    sizes[k] = first ? seen[seen[k].w].y + 1 : 0;
    marks[k] = first;
}

// sizes, loops: their scans. ghosts: [ghost corner], the corner of its boundary edge, of the
// next boundary edge, its loop, the loop's first ghost corner; edge_corners: the ghost corner
// becomes the second one of its edge.
extern "C" __global__ void __launch_bounds__(THREADS)
    place_ghosts(const uint4* __restrict__ seen, const unsigned* __restrict__ sizes,
                 const unsigned* __restrict__ loops, const unsigned* __restrict__ boundary,
                 unsigned count, const unsigned* __restrict__ edges, unsigned corners,
                 uint4* __restrict__ ghosts, uint2* __restrict__ edge_corners) {
    const unsigned k = blockIdx.x * THREADS + threadIdx.x;
    if (k >= count) return;
    const uint4 own = seen[k];
    const unsigned first = sizes[own.x], place = first + own.y;
    ghosts[place] = make_uint4(boundary[k], boundary[own.w], loops[own.x], first);
    edge_corners[edges[boundary[k]]].y = corners + place;
}
