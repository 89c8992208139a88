// Cotangent weights of the edges at each vertex, with the neighbors (VV) in slices, and a third of
// the area of the triangles at it; or, where weights are not stored, their sum and this area alone.
//
// Plain reference: src/process/surface/cotangent.rs.
#include "common/shared.cuh"
#include "process/slices.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

constexpr int THREADS = host::QUERY_THREADS;

// Entries that no edge has name the vertex itself, with a weight of 0.
extern "C" __global__ void __launch_bounds__(THREADS)
    weigh_edges(Lists neighbors, const unsigned* __restrict__ fan_slices,
                const unsigned* __restrict__ fans, const real* __restrict__ points, unsigned count,
                const unsigned* __restrict__ slices, unsigned* ids, real* weights, real* diagonal,
                real* masses) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const unsigned start = neighbors.starts[v], row = neighbors.starts[v + 1] - start;
    const unsigned width = width_of(slices, v), length = width_of(fan_slices, v);
    const size_t first = item_of(slices, v, 0);
    for (unsigned k = 0; k < width; ++k) {
        ids[first + k * LANES] = k < row ? neighbors.items[start + k] : v;
        weights[first + k * LANES] = 0;
    }
    const Vector3 p = load_point(points, v);
    real sum = 0, mass = 0;
    unsigned before = v;
    for (unsigned f = 0; f < length; ++f) {
        const uint2 other = {before, fans[item_of(fan_slices, v, f)]};
        before = other.y;
        // between fans
        if (other.x == v || other.y == v) continue;
        const Vector3 a = load_point(points, other.x), b = load_point(points, other.y);
        // an edge has half the cotangent of the angle opposite to it
        const real at_a = cotangent(a, p, b) / 2, at_b = cotangent(b, p, a) / 2;
        sum += at_a + at_b;
        mass += norm(cross(a - p, b - p)) / 6;
        for (unsigned k = 0; k < row; ++k) {
            const unsigned neighbor = neighbors.items[start + k];
            if (neighbor == other.x) weights[first + k * LANES] += at_b;
            if (neighbor == other.y) weights[first + k * LANES] += at_a;
        }
    }
    diagonal[v] = sum;
    masses[v] = mass;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    weigh_vertices(const unsigned* __restrict__ fan_slices, const unsigned* __restrict__ fans,
                   const real* __restrict__ points, unsigned count, real* diagonal, real* masses) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const unsigned length = width_of(fan_slices, v);
    const Vector3 p = load_point(points, v);
    real sum = 0, mass = 0;
    Vector3 a = p;
    for (unsigned f = 0; f < length; ++f) {
        const Vector3 b = load_point(points, fans[item_of(fan_slices, v, f)]);
        const real area = norm(cross(a - p, b - p));
        // between fans there is none
        if (area > 0) sum += (cotangent(a, p, b) + cotangent(b, p, a)) / 2;
        mass += area / 6;
        a = b;
    }
    diagonal[v] = sum;
    masses[v] = mass;
}

// Marks the ends of edges that have not two faces.
extern "C" __global__ void __launch_bounds__(THREADS)
    fix_boundary(const unsigned* __restrict__ starts, const uint2* __restrict__ edge_vertices,
                 unsigned count, unsigned* fixed) {
    const unsigned edge = blockIdx.x * THREADS + threadIdx.x;
    if (edge >= count || starts[edge + 1] - starts[edge] == 2) return;
    fixed[edge_vertices[edge].x] = 1;
    fixed[edge_vertices[edge].y] = 1;
}
