// The first level of edge-friend (Kuth et al. 2023) from the mesh matrix of a closed surface:
// corner c becomes quad c (vertex point, point of the edge out, face point, point of the edge
// in), with its friends; topology, points, or both in one pass, which computes face points anew
// wherever they are needed.
//
//     corner task   quad and friends
//     face task     start at the face point; face point
//     edge task     start at the edge point; edge point
//     vertex task   start at the vertex; vertex point
//
// Where the matrix turns out not to be closed, or to have other counts than there is room for,
// nothing is written: later levels then work on what stood there before.
//
// SIZE: corners of the faces, 0 for polygons. ORIENTED is 1.
#include "surface_quads.cuh"

constexpr unsigned THREADS = 256;

// See surface_friends.cuh.
struct Friends {
    uint4* corners;
    uint2* friends;
    unsigned* starts;
};

__device__ __forceinline__ unsigned blocks_of(unsigned items) {
    return (items + THREADS - 1) / THREADS;
}

#if LINKS
__device__ __forceinline__ void corner_task(const Level& mesh, Columns<SIZE> columns,
                                            const Friends& fine, unsigned c) {
    const unsigned before = columns.previous(c), in = __ldg(mesh.edges + before);
    const unsigned first_edge_point = mesh.vertex_count + mesh.face_count;
    fine.corners[c] =
        make_uint4(__ldg(mesh.vertices + c), first_edge_point + __ldg(mesh.edges + c),
                   mesh.vertex_count + columns.face(c), first_edge_point + in);
    const uint2 two = __ldg(mesh.edge_corners + in);
    const unsigned twin = two.x == before ? two.y : two.x;
    fine.friends[c] = make_uint2(2 * columns.next(c) + 1, 2 * twin);
}
#endif

// LINKS: blocks for corners; then for faces, for edges, for vertices. status: edges, then what a
// closed surface has not; see surface_topology.cu.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    refine_first(const __grid_constant__ Level mesh, const Columns<SIZE> columns,
                 const __grid_constant__ Rows rows, const __grid_constant__ Friends fine,
                 const unsigned* __restrict__ status, const Point* __restrict__ points,
                 Point* __restrict__ refined) {
    if (status[0] != mesh.edge_count || (status[1] | status[2] | status[3] | status[4]) != 0) {
        return;
    }
    [[maybe_unused]] const auto face_point = [&](unsigned face) {
        return polygon_point(mesh.vertices, columns, face, points);
    };
    unsigned block = blockIdx.x;
#if LINKS
    if (block < blocks_of(mesh.corner_count)) {
        const unsigned c = block * THREADS + threadIdx.x;
        if (c < mesh.corner_count) corner_task(mesh, columns, fine, c);
        return;
    }
    block -= blocks_of(mesh.corner_count);
#endif
    if (block < blocks_of(mesh.face_count)) {
        const unsigned f = block * THREADS + threadIdx.x;
        if (f >= mesh.face_count) return;
#if LINKS
        fine.starts[mesh.vertex_count + f] = 4 * columns.start(f) + 2;
#endif
#if POINTS
        refined[mesh.vertex_count + f] = face_point(f);
#endif
        return;
    }
    block -= blocks_of(mesh.face_count);
    if (block < blocks_of(mesh.edge_count)) {
        const unsigned e = block * THREADS + threadIdx.x;
        if (e >= mesh.edge_count) return;
        const unsigned own = mesh.vertex_count + mesh.face_count + e;
        const uint2 two = __ldg(mesh.edge_corners + e);
        const unsigned next = columns.next(two.x);
#if LINKS
        const unsigned near = min(4 * two.x + 1, 4 * next + 3);
        fine.starts[own] = min(near, min(4 * two.y + 1, 4 * columns.next(two.y) + 3));
#endif
#if POINTS
        refined[own] = mean4(point_at(points, __ldg(mesh.vertices + two.x)),
                             point_at(points, __ldg(mesh.vertices + next)),
                             face_point(columns.face(two.x)), face_point(columns.face(two.y)));
#endif
        return;
    }
    const unsigned v = (block - blocks_of(mesh.edge_count)) * THREADS + threadIdx.x;
    if (v >= mesh.vertex_count) return;
#if LINKS
    const unsigned start = __ldg(rows.starts + v);
    fine.starts[v] = start == __ldg(rows.starts + v + 1) ? NONE : 4 * __ldg(rows.items + start);
#endif
#if POINTS
    refined[v] = control_point(mesh.vertices, columns, rows, v, points, face_point);
#endif
}
