// Rows of vertices cut into slices, and the fans of faces around each vertex as such rows.
//
//     fill_corners > measure_slices > scan > fill_fans
//
// A fan is stored as the neighbors of the vertex along edges: two beside each other have a face with
// the vertex in common. A closed fan ends with the neighbor that it began with; the vertex itself
// lies between fans and fills up the row.
#include "common/shared.cuh"
#include "process/slices.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

constexpr int THREADS = host::QUERY_THREADS;
// Faces at a vertex that are sorted around it, by search.
constexpr unsigned MAX_FAN = 64;

// The longest row of each slice. more: entries a row has beside `starts`, or null.
extern "C" __global__ void __launch_bounds__(THREADS)
    measure_slices(const unsigned* __restrict__ starts, const unsigned* __restrict__ more,
                   unsigned count, unsigned* widths) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    unsigned width = 0;
    if (v < count) width = starts[v + 1] - starts[v] + (more ? more[v] : 0);
    for (int other = LANES / 2; other > 0; other /= 2) {
        width = max(width, __shfl_xor_sync(ALL_LANES, width, other));
    }
    if (v < count && v % LANES == 0) widths[v / LANES] = width;
}

// For every face at a vertex, in rows as `faces`, the vertices after and before it in the face.
// Where faces go on around the vertex they come one after another. more: entries that the row of
// the vertex has beside its faces. size: of all faces, or 0.
extern "C" __global__ void __launch_bounds__(THREADS)
    fill_corners(Lists faces, Lists face_vertices, unsigned size, unsigned count, uint2* corners,
                 unsigned* more) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const unsigned start = faces.starts[v], row = faces.starts[v + 1] - start;
    uint2* own = corners + start;
    for (unsigned k = 0; k < row; ++k) {
        const unsigned face = faces.items[start + k];
        if (size == 3) {
            own[k] = others(face_vertices.items, face, v);
        } else {
            const unsigned* ids = face_vertices.items + face_vertices.starts[face];
            const unsigned many = face_vertices.starts[face + 1] - face_vertices.starts[face];
            unsigned at = 0;
            while (at + 1 < many && ids[at] != v) ++at;
            own[k] = {ids[at + 1 < many ? at + 1 : 0], ids[at > 0 ? at - 1 : many - 1]};
        }
    }
    // an open fan begins with the face that no other comes before
    for (unsigned k = 0; k < row && row <= MAX_FAN; ++k) {
        unsigned other = 0;
        while (other < row && own[other].y != own[k].x) ++other;
        if (other < row) continue;
        const uint2 first = own[0];
        own[0] = own[k];
        own[k] = first;
        break;
    }
    unsigned fans = row > 0;
    for (unsigned k = 1; k < row; ++k) {
        const unsigned last = own[k - 1].y;
        unsigned next = k;
        while (row <= MAX_FAN && next < row && own[next].x != last) ++next;
        if (next < row && next != k) {
            const uint2 other = own[k];
            own[k] = own[next];
            own[next] = other;
        }
        fans += own[k].x != last;
    }
    more[v] = fans > 0 ? 2 * fans - 1 : 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    fill_fans(const unsigned* __restrict__ starts, const uint2* __restrict__ corners,
               unsigned count, const unsigned* __restrict__ slices, unsigned* fans) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const unsigned start = starts[v], row = starts[v + 1] - start;
    const unsigned width = width_of(slices, v);
    unsigned* fan = fans + item_of(slices, v, 0);
    unsigned at = 0, last = NONE;
    for (unsigned k = 0; k < row; ++k) {
        const uint2 corner = corners[start + k];
        if (corner.x != last) {
            if (k > 0) fan[at++ * LANES] = v;
            fan[at++ * LANES] = corner.x;
        }
        last = corner.y;
        fan[at++ * LANES] = last;
    }
    while (at < width) fan[at++ * LANES] = v;
}

#if __CUDA_ARCH__ >= 800
constexpr int MIN_BLOCKS = 6;
#else
constexpr int MIN_BLOCKS = 4;
#endif

// Unit normals from the fans at vertices; Max 1999, eq. (2). NaN where there is none.
//
// Plain reference: src/process/surface/normals.rs.
extern "C" __global__ void __launch_bounds__(THREADS, DOUBLE ? 3 : MIN_BLOCKS)
    find_normals(const unsigned* __restrict__ slices, const unsigned* __restrict__ fans,
                 const real* __restrict__ points, unsigned count, real* normals) {
    // more leave too few registers for enough threads, and wait longer at rows of nine
    constexpr unsigned AHEAD = 4;
    __shared__ real rows[3 * THREADS];
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    Vector3 sum{}, last{};
    if (v < count) {
        const unsigned width = width_of(slices, v);
        const unsigned* fan = fans + item_of(slices, v, 0);
        unsigned ids[AHEAD];
        const auto read_ids = [&](unsigned begin) {
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                ids[i] = begin + i < width ? __ldcs(fan + (begin + i) * LANES) : v;
            }
        };
        read_ids(0);
        const Vector3 p = load_point(points, v);
        for (unsigned begin = 0; begin < width; begin += AHEAD) {
            Vector3 others[AHEAD];
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) others[i] = load_point(points, ids[i]);
            // the next ones come while these are worked on
            read_ids(begin + AHEAD);
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                // a cross product over both squares of lengths; 0 beside the vertex itself
                Vector3 edge = others[i] - p;
                const real square = dot(edge, edge);
                edge = (square >= MIN_POSITIVE ? reciprocal(square) : 0) * edge;
                sum = add_cross(sum, last, edge);
                last = edge;
            }
        }
    }
    const Vector3 normal = reciprocal_norm(sum) * sum;
    store_rows<3>(normals, rows, v, count, {normal.x, normal.y, normal.z});
}
