// Corners of triangles, and twins at the ends of a surface.
#pragma once
#include "surface/mesh_matrix.cuh"

// Instead of a twin: the edge is open, with its number among the open edges.
constexpr unsigned END = 0x80000000u;

#ifndef OPEN
#define OPEN 1
#endif

__device__ __forceinline__ bool is_end(unsigned twin) { return OPEN && twin >= END; }
__device__ __forceinline__ unsigned end_of(unsigned twin) { return twin - END; }

__device__ __forceinline__ unsigned next(unsigned corner) {
    return corner % 3 == 2 ? corner - 2 : corner + 1;
}

__device__ __forceinline__ unsigned previous(unsigned corner) {
    return corner % 3 == 0 ? corner + 2 : corner - 1;
}
