// A level of Catmull-Clark on the mesh matrix (after Mlakar et al. 2020): a pass for topology
// and face points, a pass for edge and vertex points, which gather face points.
//
//     split      corner task   a quad with its edges; the corners at its inner edge
//                edge task     corners at the two halves of the edge
//                face task     face point
//     smooth     edge task     edge point
//                vertex task   vertex point
//
// Corner c becomes quad c: (vertex point, point of the edge out, face point, point of the edge
// in). Vertices keep their numbers, face points follow, then edge points. The halves of edge e
// are 2e at its smaller end and 2e + 1; the edge from the point of corner c's edge to the face
// point is 2E + c. The corners at a vertex follow from the control mesh, or from the
// face or edge that the vertex was born in: corner 0 of face c at the next level lies where
// corner c lies now.
//
// SIZE: corners of the faces of the control mesh, 0 for polygons. FIRST: the level is that mesh.
// ORIENTED: faces are consistently oriented. LINKS: topology of the next level; POINTS: its points.
//
// Plain reference: src/surface/refine on the CPU, bit by bit (tests/gpu/matrix.rs).
#include "common/shared.cuh"
#include "surface/quads.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

#if FIRST
using Faces = Columns<SIZE>;
__device__ __forceinline__ Faces level_faces(Columns<SIZE> control) { return control; }
#else
using Faces = Columns<4>;
__device__ __forceinline__ Faces level_faces(Columns<SIZE>) { return {nullptr, nullptr}; }
#endif

#if LINKS
__device__ __forceinline__ void corner_task(const Level& coarse, const Level& fine, Faces faces,
                                            unsigned c) {
    const unsigned before = faces.previous(c), after = faces.next(c);
    const unsigned v = __ldg(coarse.vertices + c);
    const unsigned out = __ldg(coarse.edges + c), in = __ldg(coarse.edges + before);
    const unsigned first_face_point = coarse.vertex_count;
    const unsigned first_edge_point = first_face_point + coarse.face_count;
    reinterpret_cast<uint4*>(fine.vertices)[c] =
        make_uint4(v, first_edge_point + out, first_face_point + faces.face(c),
                   first_edge_point + in);
    if (fine.edges == nullptr) return;
    const unsigned inner = 2 * coarse.edge_count;
    reinterpret_cast<uint4*>(fine.edges)[c] =
        make_uint4(2 * out + (v > __ldg(coarse.vertices + after)), inner + c, inner + before,
                   2 * in + (v > __ldg(coarse.vertices + before)));
    fine.edge_corners[inner + c] = make_uint2(4 * c + 1, 4 * after + 2);
}

// The corners at the halves of an edge, on the side of corner c: at the smaller end, then at
// the other.
__device__ __forceinline__ uint2 split_side(const Level& coarse, Faces faces, unsigned c) {
    const unsigned after = faces.next(c), start = 4 * c, end = 4 * after + 3;
    const bool reversed = __ldg(coarse.vertices + c) > __ldg(coarse.vertices + after);
    return reversed ? make_uint2(end, start) : make_uint2(start, end);
}
#endif

// LINKS: blocks for corners, then for edges unless the next level is the last; POINTS: then for
// faces.
extern "C" __global__ void __launch_bounds__(THREADS)
    split(const __grid_constant__ Levels levels, unsigned depth, const Columns<SIZE> columns,
          const Point* __restrict__ points, Point* __restrict__ refined) {
    const Level& coarse = levels.level[depth];
    [[maybe_unused]] const Faces faces = level_faces(columns);
    unsigned block = blockIdx.x;
#if LINKS
    const Level& fine = levels.level[depth + 1];
    const unsigned corner_blocks = (coarse.corner_count + THREADS - 1) / THREADS;
    if (block < corner_blocks) {
        const unsigned c = block * THREADS + threadIdx.x;
        if (c < coarse.corner_count) corner_task(coarse, fine, faces, c);
        return;
    }
    block -= corner_blocks;
    const unsigned edge_blocks =
        fine.edges == nullptr ? 0 : (coarse.edge_count + THREADS - 1) / THREADS;
    if (block < edge_blocks) {
        const unsigned e = block * THREADS + threadIdx.x;
        if (e >= coarse.edge_count) return;
        const uint2 two = __ldg(coarse.edge_corners + e);
        const uint2 near = split_side(coarse, faces, two.x);
        const uint2 far =
            two.y == NONE ? make_uint2(NONE, NONE) : split_side(coarse, faces, two.y);
        reinterpret_cast<uint4*>(fine.edge_corners)[e] =
            make_uint4(near.x, far.x, near.y, far.y);
        return;
    }
    block -= edge_blocks;
#endif
#if POINTS
    __shared__ real staged[3 * THREADS];
    const unsigned first = block * THREADS;
    const unsigned items = min(THREADS, coarse.face_count - first);
    const unsigned f = first + min(threadIdx.x, items - 1);
#if FIRST
    const Point point = polygon_point(coarse.vertices, faces, f, points);
#else
    const uint4 v = __ldg(reinterpret_cast<const uint4*>(coarse.vertices) + f);
    const Point point = mean4(point_at(points, v.x), point_at(points, v.y),
                              point_at(points, v.z), point_at(points, v.w));
#endif
    store_points<THREADS>(staged, point, refined + coarse.vertex_count + first, items);
#endif
}

#if POINTS
#if !FIRST
// What a corner of quads adds to its vertex.
__device__ __forceinline__ Point quad_term(const Level& coarse, const Point* points,
                                           const Point* face_points, unsigned c) {
    const auto at = [&](unsigned corner) {
        return point_at(points, __ldg(coarse.vertices + corner));
    };
    Point before = {0, 0, 0};
#if !ORIENTED
    before = at(previous_in_quad(c));
#endif
    return corner_term(at(next_in_quad(c)), before, face_points[c >> 2]);
}

// The corners of the next level at the point of an edge; where the surface ends any will do.
template <unsigned FACE>
__device__ __forceinline__ uint4 corners_at_edge(const Level& parent, Columns<FACE> columns,
                                                 unsigned e) {
    const uint2 two = __ldg(parent.edge_corners + e);
    const unsigned a = two.x, b = two.y == NONE ? two.x : two.y;
    return make_uint4(4 * a + 1, 4 * columns.next(a) + 3, 4 * b + 1, 4 * columns.next(b) + 3);
}

__device__ __forceinline__ Point vertex_point(const Levels& levels, unsigned depth,
                                              Columns<SIZE> columns, const Rows& rows, unsigned v,
                                              const Point* points, const Point* face_points) {
    const Level& coarse = levels.level[depth];
    const Level& control = levels.level[0];
    const auto term = [&](unsigned corner) {
        return quad_term(coarse, points, face_points, corner);
    };
    const Point p = point_at(points, v);
    if (v < levels.level[1].vertex_count) {
        // corners of level 1 in ascending order, one after the other
        const unsigned shift = 2 * (depth - 1);
        Point sum = {0, 0, 0};
        unsigned count = 0;
        const auto add = [&](unsigned corner) {
            const Point added = term(corner << shift);
            sum = count == 0 ? added : sum + added;
            ++count;
        };
        if (v < control.vertex_count) {
            const unsigned end = __ldg(rows.starts + v + 1);
            for (unsigned i = __ldg(rows.starts + v); i < end; ++i) {
                add(4 * __ldg(rows.items + i));
            }
        } else if (v < control.vertex_count + control.face_count) {
            const unsigned f = v - control.vertex_count, end = columns.end(f);
            for (unsigned c = columns.start(f); c < end; ++c) add(4 * c + 2);
        } else {
            const unsigned e = v - control.vertex_count - control.face_count;
            const uint4 at = corners_at_edge(control, columns, e);
            add(min(at.x, at.y));
            add(max(at.x, at.y));
            add(min(at.z, at.w));
            add(max(at.z, at.w));
        }
        return vertex_rule(p, sum, count);
    }
    unsigned born = depth;
    while (v < levels.level[born - 1].vertex_count) --born;
    const Level& parent = levels.level[born - 1];
    const unsigned shift = 2 * (depth - born);
    const unsigned in_face = v - parent.vertex_count;
    uint4 at;
    if (in_face < parent.face_count) {
        const unsigned c = 16 * in_face + 2;
        at = make_uint4(c, c + 4, c + 8, c + 12);
    } else {
        at = corners_at_edge(parent, Columns<4>{nullptr, nullptr}, in_face - parent.face_count);
    }
    const Point sum = (term(at.x << shift) + term(at.y << shift)) +
                      (term(at.z << shift) + term(at.w << shift));
    return p * real(0.5) + sum * real(1.0 / 16.0);
}
#endif

// Blocks for edges, then for vertices.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    smooth(const __grid_constant__ Levels levels, unsigned depth, const Columns<SIZE> columns,
           const __grid_constant__ Rows rows, const Point* __restrict__ points, Point* refined) {
    const Level& coarse = levels.level[depth];
    const Faces faces = level_faces(columns);
    const Point* const face_points = refined + coarse.vertex_count;
    __shared__ real staged[3 * THREADS];
    const unsigned edge_blocks = (coarse.edge_count + THREADS - 1) / THREADS;
    if (blockIdx.x < edge_blocks) {
        const unsigned first = blockIdx.x * THREADS;
        const unsigned items = min(THREADS, coarse.edge_count - first);
        const uint2 two = __ldg(coarse.edge_corners + first + min(threadIdx.x, items - 1));
        // where the surface ends the point is overwritten: any face will do
        const unsigned other = two.y == NONE ? two.x : two.y;
        const auto at = [&](unsigned corner) {
            return point_at(points, __ldg(coarse.vertices + corner));
        };
        const Point point = mean4(at(two.x), at(faces.next(two.x)),
                                  face_points[faces.face(two.x)], face_points[faces.face(other)]);
        Point* const edge_points = refined + coarse.vertex_count + coarse.face_count;
        store_points<THREADS>(staged, point, edge_points + first, items);
        return;
    }
    const unsigned first = (blockIdx.x - edge_blocks) * THREADS;
    const unsigned items = min(THREADS, coarse.vertex_count - first);
    const unsigned v = first + min(threadIdx.x, items - 1);
#if FIRST
    const auto face_point = [&](unsigned face) { return face_points[face]; };
    const Point point = control_point(coarse.vertices, faces, rows, v, points, face_point);
#else
    const Point point = vertex_point(levels, depth, columns, rows, v, points, face_points);
#endif
    store_points<THREADS>(staged, point, refined + first, items);
}
#endif
