// Surfaces on the device: points, faces as columns of the mesh matrix, its levels.
#pragma once
#include "common/shared.cuh"
#include "surface/point.cuh"

// ((a + b) + (c + d)) / 4
__device__ __forceinline__ Point mean4(Point a, Point b, Point c, Point d) {
    return ((a + b) + (c + d)) * real(0.25);
}

__device__ __forceinline__ Point point_at(const Point* __restrict__ points, unsigned vertex) {
    const real* const from = reinterpret_cast<const real*>(points) + 3 * size_t(vertex);
    return {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
}

// Stores EACH words per thread, item by item at `to`, through shared memory `staged`: threads that
// are neighbors then store neighboring words, and no sector is written in pieces. All threads
// of a block call it; the first `items` of them have an item.
template <unsigned THREADS, unsigned EACH, typename Word>
__device__ __forceinline__ void store_together(void* staged, const Word (&words)[EACH], Word* to,
                                               unsigned items) {
    Word* const room = static_cast<Word*>(staged);
    __syncthreads(); // of an earlier call
#pragma unroll
    for (unsigned k = 0; k < EACH; ++k) room[EACH * threadIdx.x + k] = words[k];
    __syncthreads();
#pragma unroll
    for (unsigned k = 0; k < EACH; ++k) {
        const unsigned i = k * THREADS + threadIdx.x;
        if (i < EACH * items) to[i] = room[i];
    }
}

template <unsigned THREADS>
__device__ __forceinline__ void store_points(void* staged, Point point, Point* to,
                                             unsigned items) {
    const real words[3] = {point.x, point.y, point.z};
    store_together<THREADS>(staged, words, reinterpret_cast<real*>(to), items);
}

// Where the columns start. FACE: corners of every face, or 0 for polygons, which have tables.
template <unsigned FACE>
struct Columns {
    const unsigned *ends, *faces; // [face], [corner]; null without

    __device__ __forceinline__ unsigned face(unsigned corner) const {
        if constexpr (FACE != 0) return corner / FACE;
        else return faces[corner];
    }

    __device__ __forceinline__ unsigned start(unsigned face) const {
        if constexpr (FACE != 0) return face * FACE;
        else return face == 0 ? 0 : ends[face - 1];
    }

    __device__ __forceinline__ unsigned end(unsigned face) const {
        if constexpr (FACE != 0) return (face + 1) * FACE;
        else return ends[face];
    }

    __device__ __forceinline__ unsigned next(unsigned corner) const {
        const unsigned own = face(corner);
        return corner + 1 == end(own) ? start(own) : corner + 1;
    }

    __device__ __forceinline__ unsigned previous(unsigned corner) const {
        const unsigned own = face(corner);
        return corner == start(own) ? end(own) - 1 : corner - 1;
    }
};

// A level of the mesh matrix; `edges` and `edge_corners` are null at the last.
struct Level {
    unsigned *vertices, *edges; // [corner]
    uint2* edge_corners;        // [edge]: the first two corners that have it, or NONE
    unsigned vertex_count, face_count, edge_count, corner_count;
};

constexpr unsigned MAX_LEVELS = host::MAX_LEVELS;

// All levels up to the finest that is wanted.
struct Levels {
    Level level[MAX_LEVELS];
};

// Rows of the control mesh: row v is entries starts[v] to starts[v + 1].
struct Rows {
    const unsigned *starts, *items, *others;
};
