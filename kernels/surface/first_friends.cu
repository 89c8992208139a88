// The first level of edge-friend (Kuth et al. 2023) from the mesh matrix of a surface: corner c
// becomes quad c (vertex point, point of the edge out, face point, point of the edge in), with
// its friends; topology, points, or both in one pass, which computes face points anew wherever
// they are needed.
//
//     corner task   quad and friends
//     face task     start at the face point; face point
//     edge task     start at the edge point; edge point
//     vertex task   start at the vertex; vertex point
//     ghost task    quad and friends of a ghost corner
//
// The points are of a smooth surface; surface/sharp.cu handles sharp edges and vertices later.
//
// Where the matrix turns out not to be closed by its ghosts, or to have other counts than
// there is room for, nothing is written: later levels then work on the old contents.
//
// SIZE: corners of the faces, 0 for polygons. ORIENTED is 1. HAS_BOUNDARY: there are ghosts, from
// surface/ghosts.cu. SHARP: quads have a sharpness; CHAIKIN: the rule of semi-sharp creases.
//
// Plain reference: src/surface/refine/edge_friend, bit by bit (tests/gpu/surface.rs).
#include "common/shared.cuh"
#include "surface/quads.cuh"
#include "surface/vertex_sharpness.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

// See surface/friends.cuh.
struct Friends {
    uint4* corners;
    uint2* friends;
    unsigned* starts;
    double* sharpness; // or null
};

// Ghost corners, `boundary` of them in `loops` loops; see surface/ghosts.cu.
struct Ghosts {
    const uint4* corners;
    unsigned boundary, loops;
};

// Sharp edges of the control mesh; see surface/creases.cu.
struct Creases {
    const double* sharpness;        // [edge]
    const unsigned *starts, *items; // [vertex]: entries of sharp edges, 2 entry + end
    const double* entries;          // [entry]: sharpness
};

__device__ __forceinline__ unsigned blocks_of(unsigned items) {
    return (items + THREADS - 1) / THREADS;
}

#if LINKS
#if SHARP
// Sharpness of the half of an edge at a vertex.
__device__ __forceinline__ double half_sharpness(const Creases& creases, unsigned edge,
                                                 unsigned vertex) {
    Halves halves;
#if CHAIKIN
    for (unsigned i = creases.starts[vertex]; i < creases.starts[vertex + 1]; ++i) {
        halves.meet(creases.entries[creases.items[i] >> 1]);
    }
#endif
    return halves.of(creases.sharpness[edge]);
}
#endif

__device__ __forceinline__ void corner_task(const Level& mesh, Columns<SIZE> columns,
                                            const Friends& fine, const Creases& creases,
                                            unsigned first_edge_point, unsigned c) {
    const unsigned before = columns.previous(c), in = __ldg(mesh.edges + before);
    const unsigned vertex = __ldg(mesh.vertices + c);
    fine.corners[c] = make_uint4(vertex, first_edge_point + __ldg(mesh.edges + c),
                                 mesh.vertex_count + columns.face(c), first_edge_point + in);
    const uint2 two = __ldg(mesh.edge_corners + in);
    const unsigned opposite = two.x == before ? two.y : two.x;
    fine.friends[c] = make_uint2(2 * columns.next(c) + 1, 2 * opposite);
#if SHARP
    fine.sharpness[c] = half_sharpness(creases, in, vertex);
#endif
}

#if HAS_BOUNDARY
__device__ __forceinline__ void ghost_task(const Level& mesh, Columns<SIZE> columns,
                                           const Friends& fine, const Ghosts& ghosts,
                                           unsigned first_edge_point, unsigned g) {
    // corner of the boundary edge, of the next one, loop, first ghost of that
    const uint4 own = ghosts.corners[g];
    const unsigned q = mesh.corner_count + g, face = mesh.vertex_count + mesh.face_count + own.z;
    const bool ends = g + 1 == ghosts.boundary || ghosts.corners[g + 1].z != own.z;
    const unsigned next = mesh.corner_count + (ends ? own.w : g + 1);
    fine.corners[q] = make_uint4(__ldg(mesh.vertices + columns.next(own.x)),
                                 first_edge_point + __ldg(mesh.edges + own.x), face,
                                 first_edge_point + __ldg(mesh.edges + own.y));
    fine.friends[q] = make_uint2(2 * next + 1, 2 * own.y);
    fine.sharpness[q] = __longlong_as_double(0x7ff0000000000000);
    if (g == own.w) fine.starts[face] = 4 * q + 2;
}
#endif
#endif

#if HAS_BOUNDARY && POINTS
// Face points of the ghosts, a warp a loop: the sum in the order of the corners.
extern "C" __global__ void __launch_bounds__(THREADS)
    fill_loops(const __grid_constant__ Level mesh, const Columns<SIZE> columns,
               const __grid_constant__ Ghosts ghosts, const unsigned* __restrict__ starts,
               const Point* __restrict__ points, Point* __restrict__ refined) {
    const unsigned loop = blockIdx.x * (THREADS / LANES) + threadIdx.x / LANES;
    const unsigned lane = threadIdx.x % LANES;
    if (loop >= ghosts.loops) return;
    const unsigned face = mesh.vertex_count + mesh.face_count + loop;
    const unsigned first = starts[face] / 4 - mesh.corner_count;
    Point sum = {0, 0, 0};
    unsigned count = 0;
    for (bool more = true; more;) {
        const unsigned g = first + count + lane;
        const bool here = g < ghosts.boundary && ghosts.corners[g].z == loop;
        Point point = {0, 0, 0};
        if (here) {
            point = point_at(points, __ldg(mesh.vertices + columns.next(ghosts.corners[g].x)));
        }
        const unsigned those = __popc(__ballot_sync(~0u, here));
        for (unsigned i = 0; i < those; ++i) {
            const Point next = {__shfl_sync(~0u, point.x, i), __shfl_sync(~0u, point.y, i),
                                __shfl_sync(~0u, point.z, i)};
            sum = count + i == 0 ? next : sum + next;
        }
        count += those;
        more = those == LANES;
    }
    if (lane == 0) refined[face] = sum * real(1.0 / double(count));
}
#endif

// LINKS: blocks for corners, and for ghosts; then for faces, for edges, for vertices. status: edges, then what a
// closed surface has not; see surface/topology.cu.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    refine_first(const __grid_constant__ Level mesh, const Columns<SIZE> columns,
                 const __grid_constant__ Rows rows, const __grid_constant__ Friends fine,
                 const __grid_constant__ Ghosts ghosts, const __grid_constant__ Creases creases,
                 const unsigned* __restrict__ status, const Point* __restrict__ points,
                 Point* __restrict__ refined) {
    if (status[0] != mesh.edge_count || status[1] != ghosts.boundary ||
        (status[2] | status[3] | status[4]) != 0) {
        return;
    }
    const unsigned first_edge_point = mesh.vertex_count + mesh.face_count + ghosts.loops;
    [[maybe_unused]] const auto face_point = [&](unsigned face) {
        return polygon_point(mesh.vertices, columns, face, points);
    };
    unsigned block = blockIdx.x;
#if LINKS
    if (block < blocks_of(mesh.corner_count)) {
        const unsigned c = block * THREADS + threadIdx.x;
        if (c < mesh.corner_count) corner_task(mesh, columns, fine, creases, first_edge_point, c);
        return;
    }
    block -= blocks_of(mesh.corner_count);
#if HAS_BOUNDARY
    if (block < blocks_of(ghosts.boundary)) {
        const unsigned g = block * THREADS + threadIdx.x;
        if (g < ghosts.boundary) ghost_task(mesh, columns, fine, ghosts, first_edge_point, g);
        return;
    }
    block -= blocks_of(ghosts.boundary);
#endif
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
        const unsigned own = first_edge_point + e;
        uint2 two = __ldg(mesh.edge_corners + e);
        // of a ghost: its quads come later, its point is not smooth
        if (HAS_BOUNDARY && two.y >= mesh.corner_count) two.y = two.x;
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
