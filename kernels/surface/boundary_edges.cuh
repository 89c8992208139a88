// Corners of triangles, and their opposite half-edges, also at the boundary of a surface.
#pragma once
#include "surface/mesh_matrix.cuh"

// Instead of an opposite half-edge: a boundary edge, plus its number among the boundary edges.
constexpr unsigned BOUNDARY = 0x80000000u;

#ifndef HAS_BOUNDARY
#define HAS_BOUNDARY 1
#endif

__device__ __forceinline__ bool is_boundary(unsigned opposite) {
    return HAS_BOUNDARY && opposite >= BOUNDARY;
}
__device__ __forceinline__ unsigned boundary_index(unsigned opposite) {
    return opposite - BOUNDARY;
}

__device__ __forceinline__ unsigned next(unsigned corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

__device__ __forceinline__ unsigned previous(unsigned corner) {
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}
