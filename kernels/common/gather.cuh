// Control points of nets, read by warps.
#pragma once

#include "common/layout.cuh"

// Where component c of number `at` stands among control points or results.
__device__ __forceinline__ size_t place(const Job& job, size_t at, int c) {
#if STRIDED
    return at * job.stride + job.offset + c;
#else
    return at * WIDTH + c;
#endif
}

// Component c of a control point.
__device__ __forceinline__ double component(const Job& job, unsigned point, int c) {
    return __ldg(job.points + place(job, point, c));
}

// Reads a number, and 256 bytes around it into the L2 cache: what is read from memory in longer
// stretches is less in the way of the results.
__device__ __forceinline__ unsigned read_widely(const unsigned* from) {
#if __CUDA_ARCH__ >= 800
    unsigned value;
    asm("ld.global.nc.L2::256B.u32 %0, [%1];" : "=r"(value) : "l"(from));
    return value;
#else
    return __ldg(from);
#endif
}

__device__ __forceinline__ double read_widely(const double* from) {
#if __CUDA_ARCH__ >= 800
    double value;
    asm("ld.global.nc.L2::256B.f64 %0, [%1];" : "=d"(value) : "l"(from));
    return value;
#else
    return __ldg(from);
#endif
}

// Control points that a warp reads together: lane l has component l % WIDTH of point
// l / WIDTH, so that neighboring lanes read neighboring numbers.
constexpr int TOGETHER = LANES / WIDTH;

// Reads points `first + k * TOGETHER` on of a net, several at once before the first is used;
// past the last of `count` the last one again.
template <int ROUNDS, typename Id>
__device__ __forceinline__ void read_points(const Job& job, const Id* net, unsigned base,
                                            int first, int count, double (&values)[ROUNDS]) {
    const int lane = threadIdx.x % LANES;
    unsigned ids[ROUNDS];
#pragma unroll
    for (int k = 0; k < ROUNDS; ++k) {
        ids[k] = base + __ldg(net + min(first + k * TOGETHER + lane / WIDTH, count - 1));
    }
#pragma unroll
    for (int k = 0; k < ROUNDS; ++k) values[k] = component(job, ids[k], lane % WIDTH);
}

// Gathers a whole net as [point][WIDTH] relative to the middle of points `a` and `b`, both below
// LANES; `origin` gets that middle. Sums round by the size of their terms: the closer to the
// cell the better.
__device__ __forceinline__ void gather(const Job& job, const unsigned* net, int count, int a, int b,
                                       real (&origin)[WIDTH], real* to) {
    // points of a lane, all read before the first is used
    constexpr int ROUNDS = 3;
    const int lane = threadIdx.x % LANES;
    for (int first = 0; first < count; first += ROUNDS * LANES) {
        double points[ROUNDS][WIDTH];
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int at = min(first + k * LANES + lane, count - 1);
            if (first + k * LANES >= count) continue;
            const unsigned id = __ldg(net + at);
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) points[k][i] = component(job, id, i);
        }
        if (first == 0) {
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) {
                const real own = real(points[0][i]);
                origin[i] = real(0.5) * (__shfl_sync(ALL_LANES, own, a) +
                                         __shfl_sync(ALL_LANES, own, b));
            }
        }
#pragma unroll
        for (int k = 0; k < ROUNDS; ++k) {
            const int at = first + k * LANES + lane;
            if (at >= count) continue;
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) {
                to[at * WIDTH + i] = real(points[k][i] - double(origin[i]));
            }
        }
    }
}

// Replaces missing end layers of one axis by phantoms, 2 near - next, for a warp.
// Entry i of line l stands at `line(l) + i * step`, WIDTH reals each; bits of `ends`: 0 low,
// 1 high.
template <typename Line>
__device__ __forceinline__ void fill_ends(unsigned ends, int lines, int step, Line line) {
    const int lane = threadIdx.x % LANES;
    if (ends & 3) {
        for (int i = lane; i < lines * WIDTH; i += LANES) {
            real* at = line(i / WIDTH) + i % WIDTH;
            const real low = at[step], high = at[2 * step];
            if (ends & 1) at[0] = low + low - high;
            if (ends & 2) at[3 * step] = high + high - low;
        }
    }
    __syncwarp();
}
