// The kernels' number, and 16-byte loads of it.
#pragma once

#include "common/constants.cuh"

#if DOUBLE
using real = double;
using Vector = double2;
#else
using real = float;
using Vector = float4;
#endif

// reals in 16 bytes
constexpr int VECTOR = 16 / sizeof(real);

// COUNT reals from an address that is a multiple of 16 bytes.
template <int COUNT>
__device__ __forceinline__ void load_vectors(real (&to)[COUNT], const real* from) {
    static_assert(COUNT % VECTOR == 0, "whole vectors");
#pragma unroll
    for (int i = 0; i < COUNT / VECTOR; ++i) {
        Vector vector = reinterpret_cast<const Vector*>(from)[i];
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            to[i * VECTOR + k] = reinterpret_cast<const real*>(&vector)[k];
        }
    }
}

// COUNT reals to an address that is a multiple of 16 bytes.
template <int COUNT>
__device__ __forceinline__ void store_vectors(real* to, const real (&from)[COUNT]) {
    static_assert(COUNT % VECTOR == 0, "whole vectors");
#pragma unroll
    for (int i = 0; i < COUNT / VECTOR; ++i) {
        Vector vector;
#pragma unroll
        for (int k = 0; k < VECTOR; ++k) {
            reinterpret_cast<real*>(&vector)[k] = from[i * VECTOR + k];
        }
        reinterpret_cast<Vector*>(to)[i] = vector;
    }
}

// COUNT reals from an address that is a multiple of two of them if COUNT is.
template <int COUNT>
__device__ __forceinline__ void load_pairs(real (&to)[COUNT], const real* from) {
    struct alignas(2 * sizeof(real)) Pair {
        real low, high;
    };
    if (COUNT % 2 == 0) {
#pragma unroll
        for (int i = 0; i < COUNT / 2; ++i) {
            const Pair pair = reinterpret_cast<const Pair*>(from)[i];
            to[2 * i] = pair.low;
            to[2 * i + 1] = pair.high;
        }
    } else {
#pragma unroll
        for (int i = 0; i < COUNT; ++i) to[i] = from[i];
    }
}

// COUNT reals, an even number, to an address that is a multiple of two of them.
template <int COUNT>
__device__ __forceinline__ void store_pairs(real* to, const real (&from)[COUNT]) {
    struct alignas(2 * sizeof(real)) Pair {
        real low, high;
    };
#pragma unroll
    for (int i = 0; i < COUNT / 2; ++i) {
        reinterpret_cast<Pair*>(to)[i] = Pair{from[2 * i], from[2 * i + 1]};
    }
}
