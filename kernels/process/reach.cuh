// The distance from each vertex to the farthest of its neighbors by edges (VV).
#include "process/vector.cuh"

struct Arguments {
    const real* points;
    Attribute<real> reach;
};

template <class Row>
__device__ __forceinline__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
    const Vector3 p = load_point(arguments.points, id);
    real square = 0;
    row.each([&](unsigned neighbor) {
        const Vector3 d = load_point(arguments.points, neighbor) - p;
        square = max(square, dot(d, d));
    });
    arguments.reach(id) = sqrt(square);
}
