// Rows of vertices cut into slices, and the corners of faces at each vertex as such rows.
#include "process/slices.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

constexpr int THREADS = 256;
// Faces at a vertex that are sorted around it, by search.
constexpr unsigned LONGEST_FAN = 64;

// The longest row of each slice.
extern "C" __global__ void __launch_bounds__(THREADS)
    measure_slices(const unsigned* __restrict__ starts, unsigned count, unsigned* widths) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    unsigned width = v < count ? starts[v + 1] - starts[v] : 0;
    for (int other = LANES / 2; other > 0; other /= 2) {
        width = max(width, __shfl_xor_sync(ALL_LANES, width, other));
    }
    if (v < count && v % LANES == 0) widths[v / LANES] = width;
}

// For every face at a vertex the vertices after and before it in the face; NONE in entries that
// no face has. Where faces go on around the vertex they come one after another. size: of all faces,
// or 0.
extern "C" __global__ void __launch_bounds__(THREADS)
    fill_corners(Lists faces, Lists face_vertices, unsigned size, unsigned count,
                 const unsigned* __restrict__ slices, uint2* corners) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const unsigned start = faces.starts[v], row = faces.starts[v + 1] - start;
    const unsigned width = width_of(slices, v);
    for (unsigned k = 0; k < width; ++k) {
        uint2 corner = {NONE, NONE};
        if (k < row) {
            const unsigned face = faces.items[start + k];
            if (size == 3) {
                corner = others(face_vertices.items, face, v);
            } else {
                const unsigned* ids = face_vertices.items + face_vertices.starts[face];
                const unsigned many = face_vertices.starts[face + 1] - face_vertices.starts[face];
                unsigned own = 0;
                while (own + 1 < many && ids[own] != v) ++own;
                corner = {ids[own + 1 < many ? own + 1 : 0], ids[own > 0 ? own - 1 : many - 1]};
            }
        }
        corners[item_of(slices, v, k)] = corner;
    }
    uint2* own = corners + item_of(slices, v, 0);
    for (unsigned k = 1; k < row && k < LONGEST_FAN; ++k) {
        const unsigned last = own[(k - 1) * LANES].y;
        unsigned next = k;
        while (next < row && own[next * LANES].x != last) ++next;
        if (next == row || next == k) continue;
        const uint2 other = own[k * LANES];
        own[k * LANES] = own[next * LANES];
        own[next * LANES] = other;
    }
}

// Unit normals from the corners of faces at each vertex; Max 1999, eq. (2). NaN where there is none.
//
// Plain reference: src/process/surface/normals.rs.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_normals(const unsigned* __restrict__ slices, const uint2* __restrict__ corners,
                 const real* __restrict__ points, unsigned count, real* normals) {
    constexpr unsigned AHEAD = 4;
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const unsigned width = width_of(slices, v);
    const uint2* row = corners + item_of(slices, v, 0);
    const Vector3 p = load_point(points, v);
    Vector3 sum{};
    // the edge that the last face ended with; mostly the next one starts there
    unsigned last = NONE;
    Vector3 edge{};
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        uint2 ahead[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            ahead[i] = {NONE, NONE};
            if (begin + i < width) ahead[i] = __ldcs(row + (begin + i) * LANES);
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (ahead[i].x == NONE) continue;
            const Vector3 a = ahead[i].x == last ? edge : load_point(points, ahead[i].x) - p;
            last = ahead[i].y;
            edge = load_point(points, last) - p;
            const real squares = dot(a, a) * dot(edge, edge);
            if (squares > 0) sum = sum + (1 / squares) * cross(a, edge);
        }
    }
    const real length = norm(sum);
    real* normal = normals + 3 * size_t(v);
    normal[0] = sum.x / length;
    normal[1] = sum.y / length;
    normal[2] = sum.z / length;
}
