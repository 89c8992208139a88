// A sweep of the bilateral filter over k-rings of vertices; Fleishman et al. 2003.
//
// Plain reference: src/process/surface/denoise.rs.
#include "process/vector.cuh"

#define BLOCKS (DOUBLE ? 4 : 6)

// square of how many reaches away neighbors count; see the plain reference
constexpr real MAX_SQUARED_DISTANCE = real(4.00001);

struct Arguments {
    const real* points;
    Attribute<const real> normals, reach;
    // four numbers each, as points
    real* moved;
};

template <class Row>
__device__ __forceinline__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
    const Vector3 p = load_point(arguments.points, id);
    const Vector3 n = {arguments.normals(id, 0), arguments.normals(id, 1),
                       arguments.normals(id, 2)};
    const real reach = arguments.reach(id), near = MAX_SQUARED_DISTANCE * reach * reach;
    // calls then(square of the distance, height over the tangent plane) of every near vertex
    const auto heights = [&](auto then) {
        row.each([&](unsigned neighbor) {
            const Vector3 d = load_point(arguments.points, neighbor) - p;
            const real square = dot(d, d);
            if (square <= near) then(square, dot(n, d));
        });
    };
    real by = 0;
    if (isfinite(n.x)) {
        real count = 0, mean = 0, variance = 0;
        heights([&](real, real height) {
            ++count;
            mean += height;
        });
        count = max(count, real(1));
        mean /= count;
        heights([&](real, real height) { variance += (height - mean) * (height - mean); });
        variance = max(variance / count, real(1e-20) * reach * reach);
        // weights beside the largest so far: all of them may be too small for a number
        real sum = 0, weights = 0, largest = 0;
        heights([&](real square, real height) {
            const real exponent =
                -square / (2 * reach * reach) - height * height / (2 * variance);
            if (weights == 0 || exponent > largest) {
                const real fall = weights == 0 ? real(0) : exp(largest - exponent);
                sum *= fall;
                weights *= fall;
                largest = exponent;
            }
            const real weight = exp(exponent - largest);
            sum += weight * height;
            weights += weight;
        });
        if (weights > 0) by = sum / weights;
    }
    const Vector3 moved = by != 0 ? p + by * n : p;
    const real four[4] = {moved.x, moved.y, moved.z, 0};
    store_vectors(arguments.moved + 4 * size_t(id), four);
}
