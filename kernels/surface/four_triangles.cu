// A level of Loop's scheme on the mesh matrix: the next level's topology, its points, or both.
//
//     triangle task   four triangles with their edges; the corners at the three inner edges
//     edge task       corners at the two halves of the edge; edge point
//     vertex task     vertex point
//
// Triangle t becomes 4t + i at its corner i (vertex point, point of the edge out, point of the
// edge in) and 4t + 3 between the edge points. Vertices keep their numbers, edge points follow.
// The halves of edge e are 2e at its smaller end and 2e + 1; the edge that cuts off corner c is
// 2E + c. So no level after the control mesh is sorted, and the neighbors of a vertex follow
// from the edge that it was born on: nothing is stored for them but the rows of the control
// mesh. All sums run in the order of src/surface/refine/four_triangles.rs, without contraction of
// products and sums: the same bits. A task reads the coarse levels only; every value is written once.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "common/shared.cuh"
#include "surface/boundary_edges.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

// First corner of the child at a corner.
__device__ __forceinline__ unsigned child(unsigned corner) {
    return 12 * (corner / 3) + 3 * (corner % 3);
}

__device__ __forceinline__ void split_triangles(const Level& coarse, const Level& fine,
                                                unsigned first, void* staged) {
    const unsigned items = min(THREADS, coarse.face_count - first);
    const unsigned t = first + min(threadIdx.x, items - 1), c = 3 * t;
    const unsigned v0 = __ldg(coarse.vertices + c), v1 = __ldg(coarse.vertices + c + 1),
                   v2 = __ldg(coarse.vertices + c + 2);
    const unsigned e0 = __ldg(coarse.edges + c), e1 = __ldg(coarse.edges + c + 1),
                   e2 = __ldg(coarse.edges + c + 2);
    const unsigned m = coarse.vertex_count, m0 = m + e0, m1 = m + e1, m2 = m + e2;
    const uint4 vertices[3] = {make_uint4(v0, m0, m2, v1), make_uint4(m1, m0, v2, m2),
                               make_uint4(m1, m0, m1, m2)};
    store_together<THREADS>(staged, vertices,
                            reinterpret_cast<uint4*>(fine.vertices) + 3 * size_t(first), items);
    if (fine.edges == nullptr) return;
    // halves at the start of each side, and at its end
    const unsigned s0 = 2 * e0 + (v0 > v1), s1 = 2 * e1 + (v1 > v2), s2 = 2 * e2 + (v2 > v0);
    const unsigned inner = 2 * coarse.edge_count, i0 = inner + c, i1 = i0 + 1, i2 = i0 + 2;
    const uint4 edges[3] = {make_uint4(s0, i0, s2 ^ 1, s1), make_uint4(i1, s0 ^ 1, s2, i2),
                            make_uint4(s1 ^ 1, i1, i2, i0)};
    store_together<THREADS>(staged, edges,
                            reinterpret_cast<uint4*>(fine.edges) + 3 * size_t(first), items);
    const unsigned child = 4 * c; // first corner of the four
    const uint2 corners[3] = {make_uint2(child + 1, child + 11), make_uint2(child + 4, child + 9),
                              make_uint2(child + 7, child + 10)};
    store_together<THREADS>(staged, corners, fine.edge_corners + inner + 3 * first, items);
}

// The corners at the halves of an edge, on the side of corner c: at the smaller end, then at
// the other.
__device__ __forceinline__ uint2 split_side(unsigned c, bool reversed) {
    const unsigned start = child(c), end = child(next(c)) + 2;
    return reversed ? make_uint2(end, start) : make_uint2(start, end);
}

__device__ __forceinline__ Point edge_task(const Level& coarse, const Level& fine, unsigned e,
                                           bool there, const Point* points) {
    const uint2 two = __ldg(coarse.edge_corners + e);
    const auto vertex = [&](unsigned corner) { return __ldg(coarse.vertices + corner); };
    const unsigned start = vertex(two.x), end = vertex(next(two.x));
#if LINKS
    if (fine.edges != nullptr && there) {
        const uint2 near = split_side(two.x, start > end);
        uint2 far = make_uint2(NONE, NONE);
        if (two.y != NONE) {
            const bool reversed = vertex(two.y) == start ? start > end : end > start;
            far = split_side(two.y, reversed);
        }
        reinterpret_cast<uint4*>(fine.edge_corners)[e] =
            make_uint4(near.x, far.x, near.y, far.y);
    }
#endif
    Point point = {0, 0, 0};
#if POINTS
    // where the surface ends the point is overwritten: any triangle will do
    const unsigned other = two.y == NONE ? two.x : two.y;
    const Point ends = point_at(points, start) + point_at(points, end);
    const Point across =
        point_at(points, vertex(previous(two.x))) + point_at(points, vertex(previous(other)));
    point = ends * real(0.375) + across * real(0.125);
#endif
    return point;
}

// What a sum of neighbors gathers.
struct Sum {
    Point of;
    unsigned count;

    __device__ __forceinline__ void add(Point point) {
        of = count == 0 ? point : of + point;
        ++count;
    }
};

// Adds the neighbors that a vertex got inside a triangle beside the edge that it was born on:
// `c` is the corner of that edge, in the level before, `born` the vertex's own level.
__device__ __forceinline__ void add_inner(const Levels& levels, unsigned depth, unsigned born,
                                          unsigned e, unsigned c, const Point* points, Sum& sum) {
    const Level& parent = levels.level[born - 1];
    const unsigned base = levels.level[depth == 0 ? 0 : depth - 1].vertex_count;
    // edges 2E + c to the point of the side before, 2E + next to the point of the side after;
    // ascending
    unsigned corners[2] = {c, next(c)}, sides[2] = {previous(c), next(c)};
    const bool swapped = corners[0] > corners[1];
#pragma unroll
    for (unsigned i = 0; i < 2; ++i) {
        const bool second = (i == 1) != swapped;
        const unsigned corner = second ? corners[1] : corners[0];
        const unsigned side = second ? sides[1] : sides[0];
        const unsigned inner = 2 * parent.edge_count + corner;
        unsigned neighbor;
        if (depth == born) {
            neighbor = base + __ldg(parent.edges + side);
        } else if (depth == born + 1) {
            neighbor = base + inner;
        } else {
            const unsigned larger = e > __ldg(parent.edges + side);
            neighbor = base + ((2 * inner + larger) << (depth - born - 2));
        }
        sum.add(point_at(points, neighbor));
    }
}

// Adds the ends of the edge that a vertex was born on, or what is there now.
__device__ __forceinline__ void add_ends(const Levels& levels, unsigned depth, unsigned born,
                                         unsigned e, unsigned c, const Point* points, Sum& sum) {
    const Level& parent = levels.level[born - 1];
    const unsigned base = levels.level[depth - 1].vertex_count;
    unsigned low, high;
    if (depth == born) {
        const unsigned a = __ldg(parent.vertices + c), b = __ldg(parent.vertices + next(c));
        low = min(a, b);
        high = max(a, b);
    } else if (depth == born + 1) {
        low = base + 2 * e;
        high = low + 1;
    } else {
        low = base + ((4 * e + 1) << (depth - born - 2));
        high = base + ((4 * e + 3) << (depth - born - 2));
    }
    sum.add(point_at(points, low));
    sum.add(point_at(points, high));
}

// betas: [valence]
__device__ __forceinline__ Point vertex_rule(unsigned v, Sum sum, const double* betas,
                                             const Point* points) {
    const Point p = point_at(points, v);
    if (sum.count == 0) return p;
    const double beta = __ldg(betas + sum.count), valence = sum.count;
    return p * real(1.0 - valence * beta) + sum.of * real(beta);
}

__device__ __forceinline__ Point vertex_task(const Levels& levels, unsigned depth,
                                             const Rows& rows, const double* betas, unsigned v,
                                             const Point* points) {
    Sum sum = {{0, 0, 0}, 0};
    if (v < levels.level[0].vertex_count) {
        const unsigned base = levels.level[depth == 0 ? 0 : depth - 1].vertex_count;
        const unsigned end = __ldg(rows.starts + v + 1);
        for (unsigned i = __ldg(rows.starts + v); i < end; ++i) {
            unsigned neighbor;
            if (depth == 0) {
                neighbor = __ldg(rows.others + i);
            } else {
                const unsigned half = __ldg(rows.items + i);
                neighbor = base + (depth == 1 ? half >> 1 : half << (depth - 2));
            }
            sum.add(point_at(points, neighbor));
        }
    } else {
        unsigned born = depth;
        while (v < levels.level[born - 1].vertex_count) --born;
        const Level& parent = levels.level[born - 1];
        const unsigned e = v - parent.vertex_count;
        const uint2 two = __ldg(parent.edge_corners + e);
        add_ends(levels, depth, born, e, two.x, points, sum);
        add_inner(levels, depth, born, e, two.x, points, sum);
        if (two.y != NONE) add_inner(levels, depth, born, e, two.y, points, sum);
    }
    return vertex_rule(v, sum, betas, points);
}

// LINKS: topology of the next level; POINTS: its points. Blocks for triangles, for edges, then
// for vertices; those without a task are not launched.
extern "C" __global__ void __launch_bounds__(THREADS)
    refine(const __grid_constant__ Levels levels, unsigned depth, const __grid_constant__ Rows rows,
           const double* __restrict__ betas, const Point* __restrict__ points,
           Point* __restrict__ refined) {
    __shared__ uint4 staged[3 * THREADS];
    const Level& coarse = levels.level[depth];
    const Level& fine = levels.level[depth + 1];
    unsigned block = blockIdx.x;
#if LINKS
    const unsigned triangle_blocks = (coarse.face_count + THREADS - 1) / THREADS;
    if (block < triangle_blocks) {
        split_triangles(coarse, fine, block * THREADS, staged);
        return;
    }
    block -= triangle_blocks;
#endif
    const unsigned edge_blocks = (coarse.edge_count + THREADS - 1) / THREADS;
    if (block < edge_blocks) {
        const unsigned first = block * THREADS;
        const unsigned items = min(THREADS, coarse.edge_count - first);
        const bool there = threadIdx.x < items;
        const unsigned e = first + min(threadIdx.x, items - 1);
        [[maybe_unused]] const Point point = edge_task(coarse, fine, e, there, points);
#if POINTS
        store_points<THREADS>(staged, point, refined + coarse.vertex_count + first, items);
#endif
        return;
    }
#if POINTS
    const unsigned first = (block - edge_blocks) * THREADS;
    const unsigned items = min(THREADS, coarse.vertex_count - first);
    const unsigned v = first + min(threadIdx.x, items - 1);
    const Point point = vertex_task(levels, depth, rows, betas, v, points);
    store_points<THREADS>(staged, point, refined + first, items);
#endif
}
