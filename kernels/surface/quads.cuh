// The rules of Catmull-Clark in the order of src/surface/refine/quads.rs. Sources that
// include this are compiled without contraction of products and sums: the same bits as on the CPU.
#pragma once
#include "surface/mesh_matrix.cuh"

__device__ __forceinline__ unsigned next_in_quad(unsigned corner) {
    return (corner & ~3u) | ((corner + 1) & 3);
}

__device__ __forceinline__ unsigned previous_in_quad(unsigned corner) {
    return (corner & ~3u) | ((corner + 3) & 3);
}

// Sum / n over the corners of a polygon.
template <unsigned FACE>
__device__ __forceinline__ Point polygon_point(const unsigned* __restrict__ vertices,
                                               Columns<FACE> columns, unsigned face,
                                               const Point* points) {
    const unsigned start = columns.start(face), end = columns.end(face);
    Point sum = point_at(points, __ldg(vertices + start));
    for (unsigned c = start + 1; c < end; ++c) sum = sum + point_at(points, __ldg(vertices + c));
    return sum * real(1.0 / double(end - start));
}

// What a corner adds to its vertex: a neighbor (of faces that run in any direction, half of
// two) and the face point.
__device__ __forceinline__ Point corner_term(Point next, Point previous, Point face) {
#if ORIENTED
    return next + face;
#else
    return (next + previous) * real(0.5) + face;
#endif
}

// (1 - 2/n) P + sum / n² over any number n of corners.
__device__ __forceinline__ Point vertex_rule(Point p, Point sum, unsigned count) {
    if (count == 0) return p; // of no face
    const double n = count;
    return p * real(1.0 - 2.0 / n) + sum * real(1.0 / (n * n));
}

// The vertex rule at a vertex of the control mesh, over its corners in ascending order;
// `face_point` gives the point of a face.
template <unsigned FACE, typename FacePoint>
__device__ __forceinline__ Point control_point(const unsigned* __restrict__ vertices,
                                               Columns<FACE> columns, const Rows& rows,
                                               unsigned v, const Point* points,
                                               FacePoint face_point) {
    const auto at = [&](unsigned corner) { return point_at(points, __ldg(vertices + corner)); };
    const unsigned start = __ldg(rows.starts + v), end = __ldg(rows.starts + v + 1);
    Point sum = {0, 0, 0};
    for (unsigned i = start; i < end; ++i) {
        const unsigned c = __ldg(rows.items + i);
        Point before = {0, 0, 0};
#if !ORIENTED
        before = at(columns.previous(c));
#endif
        const Point term = corner_term(at(columns.next(c)), before, face_point(columns.face(c)));
        sum = i == start ? term : sum + term;
    }
    return vertex_rule(point_at(points, v), sum, end - start);
}
