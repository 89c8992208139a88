// The heat method between its two systems: the direction against the gradient of heat in each
// triangle, and the divergence of these directions at each vertex; Crane et al. 2013, §3.2.
//
// Plain reference: src/process/surface/geodesics.rs.
#include "common/shared.cuh"
#include "process/vector.cuh"
#include "query/incidence.cuh"

constexpr int THREADS = host::QUERY_THREADS;

// as in geodesics.rs
constexpr double MIN_CHANGE = 1e-8;

// directions: four numbers per triangle; 0 where heat has no gradient.
extern "C" __global__ void __launch_bounds__(THREADS)
    point_fields(const unsigned* __restrict__ triangles, unsigned count,
                 const real* __restrict__ points, const real* __restrict__ heat,
                 real* directions) {
    const unsigned face = blockIdx.x * THREADS + threadIdx.x;
    if (face >= count) return;
    Vector3 p[3];
    real values[3], scale = 0;
    for (int i = 0; i < 3; ++i) {
        const unsigned v = triangles[3 * size_t(face) + i];
        p[i] = load_point(points, v);
        values[i] = heat[v];
        scale = max(scale, abs(values[i]));
    }
    const Vector3 across = cross(p[1] - p[0], p[2] - p[0]);
    const real area = norm(across);
    const Vector3 normal = (area > 0 ? 1 / area : 0) * across;
    Vector3 sum{};
    real longest = 0;
    for (int i = 0; i < 3; ++i) {
        const Vector3 opposite = p[(i + 2) % 3] - p[(i + 1) % 3];
        longest = max(longest, norm(opposite));
        if (scale > 0) sum = sum + (values[i] / scale) * cross(normal, opposite);
    }
    const real length = norm(sum);
    const real turned = length > real(MIN_CHANGE) * longest ? -1 / length : 0;
    const real four[4] = {turned * sum.x, turned * sum.y, turned * sum.z, 0};
    store_vectors(directions + 4 * size_t(face), four);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    diverge(Lists faces, const unsigned* __restrict__ triangles, unsigned count,
            const real* __restrict__ points, const real* __restrict__ directions, real* loads) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= count) return;
    const Vector3 p = load_point(points, v);
    const unsigned last = faces.starts[v + 1];
    real sum = 0;
    for (unsigned f = faces.starts[v]; f < last; ++f) {
        const unsigned face = faces.items[f];
        const uint2 other = others(triangles, face, v);
        const Vector3 a = load_point(points, other.x), b = load_point(points, other.y);
        const Vector3 direction = load_point(directions, face);
        sum += cotangent(b, p, a) * dot(a - p, direction) +
               cotangent(a, p, b) * dot(b - p, direction);
    }
    loads[v] = -sum / 2;
}
