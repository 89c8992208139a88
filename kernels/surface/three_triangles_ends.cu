// The ends of an open surface in √3-subdivision (Kobbelt 2000): lists of open edges, a thread an
// edge, in the order of the CPU, by their end vertices.
//
//     level 0       mark_ends > scan > list_ends
//     even depth    trace_ends       the line that the surface ends in, around every edge
//     odd depth     cut_ends > sort > name_ends      the three edges that an edge is cut in
//     points        hold_ends
//
// Open edges stay what they are at levels of even depth, and are cut in three at those of odd
// depth. The triangle of an open edge at an odd depth has the number of the edge's corner at the
// depth before, whose corner 0 the edge is then.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "surface/ends.cuh"

constexpr unsigned THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
    mark_ends(const uint2* __restrict__ edge_corners, unsigned edges,
              unsigned* __restrict__ marks) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e < edges) marks[e] = edge_corners[e].y == NONE;
}

// ends_before: scan of the marks. corners: of open edges, of which there are `count`.
extern "C" __global__ void __launch_bounds__(THREADS)
    list_ends(const uint2* __restrict__ edge_corners, const unsigned* __restrict__ ends_before,
              unsigned edges, unsigned count, unsigned* __restrict__ corners,
              unsigned* __restrict__ twins) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e >= edges || edge_corners[e].y != NONE || ends_before[e] >= count) return;
    corners[ends_before[e]] = edge_corners[e].x;
    twins[edge_corners[e].x] = END + ends_before[e];
}

// lines: the vertices before an edge, at its two ends, and after it, NONE beyond a vertex that
// stays, as those of one face do if `keeps_corners`; kinds: see surface/topology.cu, of the
// `control_count` vertices of the control mesh.
extern "C" __global__ void __launch_bounds__(THREADS)
    trace_ends(const unsigned* __restrict__ vertices, const unsigned* __restrict__ twins,
               const unsigned* __restrict__ corners, unsigned count,
               const unsigned* __restrict__ kinds, unsigned control_count,
               unsigned keeps_corners, uint4* __restrict__ lines) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    constexpr unsigned LONE = 2;
    const auto stays = [&](unsigned v) {
        return keeps_corners != 0 && v < control_count && (kinds[v] & LONE) != 0;
    };
    const unsigned corner = corners[i];
    unsigned before = previous(corner), after = next(corner);
    const unsigned a = vertices[corner], b = vertices[after];
    while (!is_end(twins[before])) before = previous(twins[before]);
    while (!is_end(twins[after])) after = next(twins[after]);
    lines[i] = make_uint4(stays(a) ? NONE : vertices[before], a, b,
                          stays(b) ? NONE : vertices[next(after)]);
}

// The corners that edge i is cut in, `children` [3][count], and the smaller ends of the edges
// there. Sorted by these, the first before the last, they are in order.
extern "C" __global__ void __launch_bounds__(THREADS)
    cut_ends(const unsigned* __restrict__ corners, const uint4* __restrict__ lines,
             unsigned count, const unsigned* __restrict__ twins, unsigned vertex_count,
             unsigned* __restrict__ keys, unsigned* __restrict__ children) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned t = corners[i], c = 3 * t;
    const uint4 line = lines[i];
    keys[i] = line.y;
    children[i] = 3 * twins[c + 2];
    keys[count + i] = vertex_count + t;
    children[count + i] = 3 * c;
    keys[2 * count + i] = line.z;
    children[2 * count + i] = 3 * (c + 1) + 2;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    name_ends(const unsigned* __restrict__ order, const unsigned* __restrict__ children,
              unsigned count, unsigned* __restrict__ corners, unsigned* __restrict__ twins) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned corner = children[order[i]];
    corners[i] = corner;
    twins[corner] = END + i;
}

// The new point near a on an open edge to b; where a stays the line goes on straight.
__device__ __forceinline__ Point third_point(const Point* points, Point a, Point b,
                                             unsigned before) {
    if (before == NONE) return a * real(18.0 / 27.0) + b * real(9.0 / 27.0);
    const Point both = a * real(16.0 / 27.0) + b * real(10.0 / 27.0);
    return both + point_at(points, before) * real(1.0 / 27.0);
}

// The vertex that an open edge starts at, and, if edges are cut, the two new points.
extern "C" __global__ void __launch_bounds__(THREADS)
    hold_ends(const unsigned* __restrict__ corners, const uint4* __restrict__ lines,
              unsigned count, unsigned vertex_count, unsigned face_count, unsigned cuts,
              const Point* __restrict__ points, Point* __restrict__ refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const uint4 line = lines[i];
    const Point a = point_at(points, line.y);
    if (cuts == 0) {
        refined[line.y] = a;
        return;
    }
    const Point b = point_at(points, line.z);
    refined[line.y] =
        line.x == NONE
            ? a
            : a * real(19.0 / 27.0) + (point_at(points, line.x) + b) * real(4.0 / 27.0);
    refined[vertex_count + corners[i]] = third_point(points, a, b, line.x);
    refined[vertex_count + face_count + i] = third_point(points, b, a, line.w);
}
