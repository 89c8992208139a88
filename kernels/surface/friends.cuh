// Levels of edge-friend (Kuth et al. 2023) on the device: their quads and points, and how points
// leave a block.
#pragma once
#include "common/shared.cuh"
#include "surface/point.cuh"

constexpr int THREADS = host::REFINE_THREADS;

// A level. The first, whose quads come from polygons, has corners, friends and starts as
// src/surface/refine/edge_friend does; the last has corners only. The quads of the levels
// between are four by four the children of a quad, so that most of their corners and friends are
// known: they keep the vertex at corner 0 and the friend across v3v0.
struct Quads {
    uint4* corners;    // [quad]: vertices, of the first and the last level
    unsigned* owners;  // [quad]: vertex at corner 0
    unsigned* friends; // [quad]: on edge that v3v0 is; of the first level [2], v1v2 before it
    unsigned* starts;  // [vertex] of the first level: one corner at it, or NONE
    double* sharpness; // [quad]: of v3v0, or null
    unsigned quads, vertices;
    unsigned first_quads, first_vertices; // of the first level
    unsigned depth, unused;               // levels after the first
};

// How points stand in memory: as they come from and go to the user, and, between levels, so
// that one instruction moves one.
struct Packed {
    real values[3];
};
struct alignas(16) Padded {
    real values[4];
};

struct alignas(2 * sizeof(real)) Pair {
    real low, high;
};

__device__ __forceinline__ Point from_lane(Point p, unsigned lane) {
    return {__shfl_sync(~0u, p.x, lane), __shfl_sync(~0u, p.y, lane),
            __shfl_sync(~0u, p.z, lane)};
}

// Corners are 4 quad + i, on edges 2 quad + k.

// Child of the quad at the first end of an on edge, and new vertex in its middle.
__device__ __forceinline__ unsigned first_child(unsigned edge) {
    return 4 * (edge >> 1) + 2 * (edge & 1);
}
__device__ __forceinline__ unsigned edge_slot(unsigned edge) {
    return 4 * (edge >> 1) + 2 + (edge & 1);
}

__device__ __forceinline__ unsigned vertex_slot(unsigned vertex, unsigned quads) {
    return vertex < quads ? 4 * vertex : 3 * quads + vertex;
}

__device__ __forceinline__ Point point_at(const Packed* points, unsigned vertex) {
    const real* const from = points[vertex].values;
    return {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
}

__device__ __forceinline__ Point point_at(const Padded* points, unsigned vertex) {
    const Vector* const from = reinterpret_cast<const Vector*>(points[vertex].values);
    Vector vectors[4 / VECTOR];
#pragma unroll
    for (int i = 0; i < 4 / VECTOR; ++i) vectors[i] = __ldg(from + i);
    const real* const values = reinterpret_cast<const real*>(vectors);
    return {values[0], values[1], values[2]};
}

// Two of three numbers are always aligned together.
__device__ __forceinline__ void put(Packed* points, unsigned vertex, Point p) {
    real* const to = points[vertex].values;
    const bool odd = vertex & 1;
    *reinterpret_cast<Pair*>(to + odd) = odd ? Pair{p.y, p.z} : Pair{p.x, p.y};
    to[odd ? 0 : 2] = odd ? p.x : p.z;
}

__device__ __forceinline__ void put(Padded* points, unsigned vertex, Point p) {
    const real all[4] = {p.x, p.y, p.z, 0};
    store_vectors(points[vertex].values, all);
}

// Points of the next level on their way. Most points that a block makes belong to its own
// quads: they are collected, and leave in whole lines.
template <typename To>
struct Points {
    static constexpr unsigned OWN = 4 * THREADS;
    To* to;
    // shared memory of the block: points and whether they are here
    Padded* own;
    unsigned char* here;
    // the block's first point
    unsigned first;

    // neighboring threads on different banks
    static __device__ __forceinline__ unsigned place(unsigned i) {
        return (i & ~3u) | ((i ^ i >> 3) & 3);
    }

    __device__ __forceinline__ void begin() {
        reinterpret_cast<uchar4*>(here)[threadIdx.x] = uchar4{};
        __syncthreads();
    }

    __device__ __forceinline__ void put(unsigned vertex, Point p) {
        const unsigned i = vertex - first;
        if (i < OWN) {
            ::put(own, place(i), p);
            here[i] = 1;
        } else {
            ::put(to, vertex, p);
        }
    }

    __device__ __forceinline__ void finish() {
        __syncthreads();
        constexpr unsigned WIDE = sizeof(To) / sizeof(real);
#pragma unroll 4
        for (unsigned at = VECTOR * threadIdx.x; at < OWN * WIDE; at += VECTOR * THREADS) {
            const unsigned low = at / WIDE, high = (at + VECTOR - 1) / WIDE;
            const bool has_low = here[low], has_high = here[high];
            real values[VECTOR];
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                values[k] = own[place((at + k) / WIDE)].values[(at + k) % WIDE];
            }
            real* const out = to[first].values + at;
            if (has_low && has_high) {
                store_vectors(out, values);
                continue;
            }
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                if ((at + k) / WIDE == low ? has_low : has_high) out[k] = values[k];
            }
        }
    }
};
