// Sharp edges and sharp vertices of a level: what smooth rules have written is blended with, or
// replaced by, the rules of creases and corners. Short lists from surface/creases.cu, a thread an
// entry, some of which are not sharp any more; products and sums are not contracted.
//
// Plain reference: src/surface/refine/sharpness.rs, bit by bit (tests/gpu/surface.rs).
#include "common/shared.cuh"
#include "surface/mesh_matrix.cuh"
#include "surface/vertex_sharpness.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

struct SharpEdges {
    const unsigned* edges;
    const uint2* ends;
    const double* weights; // [edge]: of the midpoint
    unsigned count, first_edge_point;
};

struct SharpVertices {
    const unsigned* vertices;
    const uint2* ends;
    const double* weights; // [vertex]: smooth, crease, corner
    unsigned count, unused;
};

extern "C" __global__ void __launch_bounds__(THREADS)
    sharpen(const __grid_constant__ SharpEdges sharp,
            const __grid_constant__ SharpVertices vertices, const Point* __restrict__ points,
            Point* refined) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < sharp.count) {
        const double weight = sharp.weights[i];
        if (!(weight > 0.0)) return;
        Point& point = refined[sharp.first_edge_point + sharp.edges[i]];
        const uint2 ends = sharp.ends[i];
        const Point mid = middle(point_at(points, ends.x), point_at(points, ends.y));
        point = weight == 1.0 ? mid : blend(point, mid, weight);
        return;
    }
    i -= sharp.count;
    if (i >= vertices.count) return;
    const unsigned v = vertices.vertices[i];
    if (v == NONE) return;
    const double* const own = vertices.weights + 3 * i;
    const uint2 ends = vertices.ends[i];
    const VertexWeights weights = {own[0], own[1], own[2], ends.x, ends.y};
    refined[v] = blend_rules(weights, point_at(points, v), refined[v], points);
}
