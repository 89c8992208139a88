// Tiles of products on tensor cores, and nets of irregular leaves gathered for them in fragments:
// the 16 bytes that a lane wants next. What halves are there for, solid/table_mma.cu says.
#pragma once

#include "solid/orders.cuh"
#include "common/stage.cuh"

constexpr int W = WIDTH;
// a product: 16 samples, DEPTH control points, 8 leaves
constexpr int ROWS = 16;
constexpr int DEPTH = 4 * VECTOR;
constexpr int GROUP = 8;

#if TILE == 1 && !DOUBLE && defined(__CUDA_ARCH_FEAT_SM90_ALL)
#define WARPGROUP 1
#include "solid/warpgroup.cuh"
#else
#define WARPGROUP 0
#endif

// a warp: RUNS of 16 samples times GROUPS of leaves; the host takes the tile of positions, which
// other variants may take in several steps along the samples
#if WARPGROUP
constexpr int RUNS = 1, GROUPS = 3, SAMPLE_WARPS = 4, CELL_WARPS = 1;
constexpr int BLOCKS = W > 3 || STRIDED ? 3 : 4;
#elif TILE == 0
constexpr int RUNS = 1, GROUPS = 1, SAMPLE_WARPS = 4, CELL_WARPS = 1;
constexpr int BLOCKS = DOUBLE || W > 3 ? 4 : 5;
#elif TILE == 1
constexpr int RUNS = DOUBLE || OUTPUTS > 1 ? 1 : 2;
constexpr int GROUPS = 2, SAMPLE_WARPS = 4, CELL_WARPS = 1;
constexpr int BLOCKS = DOUBLE || W > 3 || OUTPUTS > 1 || STRIDED ? 3 : 4;
#else
constexpr int RUNS = 2, GROUPS = 2, SAMPLE_WARPS = 2, CELL_WARPS = 2;
constexpr int BLOCKS = W > 3 || OUTPUTS > 1 ? 2 : 3;
#endif
constexpr int WARPS = SAMPLE_WARPS * CELL_WARPS;
constexpr int THREADS = WARPS * LANES;
constexpr int SAMPLE_TILE = SAMPLE_WARPS * RUNS * ROWS;
constexpr int CELL_TILE = CELL_WARPS * GROUPS * GROUP;
// leaves whose nets per warp gathers and whose results it sends, and nets at a time
constexpr int OWN_NETS = CELL_TILE / WARPS;
constexpr int NETS = OWN_NETS > 4 ? OWN_NETS / 2 : OWN_NETS;

// 16 bytes of lane 4 g + t: control points VECTOR t on of a column g, or parts of rows g and
// g + 8, which are samples 2 g and 2 g + 1 (src/backend/cuda/solid/fragments.rs). Halves come in
// pairs, of a column two high ones, then two low ones.
#if DOUBLE
using Fragment = double2;
#else
using Fragment = uint4;
#endif

// Steps in bytes from leaf to leaf of a group, from lane to lane, which has VECTOR control points,
// and from one to the next of these. Warps that multiply together want matrices of 8 columns and
// 16 bytes of each, high halves and then low ones; the odd steps spread them over the banks.
#if WARPGROUP
constexpr int LEAF_STEP = 16, LANE_STEP = 4, GROUP_STEP = GROUP * LEAF_STEP + 16;
constexpr int WORD_STEP = GROUPS * W * GROUP_STEP, DEPTH_STEP = VECTOR * WORD_STEP + 16;
#else
constexpr int LEAF_STEP = 64, LANE_STEP = 16, WORD_STEP = sizeof(real), DEPTH_STEP = LANES * 16;
#endif

// The same from component to component of 8 leaves.
__device__ __forceinline__ int component_step(int depths) {
#if WARPGROUP
    return GROUP_STEP;
#else
    return depths * DEPTH_STEP;
#endif
}

// Control points that a warp reads together: lane l has component l % W of point l / W.
constexpr int ABREAST = W > 2 ? 8 : 32 / W;
// of each net, before the first is used; 48 or 32 control points where registers have no
// room for more
constexpr int READS = ((WARPGROUP || (TILE == 2 && !DOUBLE) ? 48 : 32) + ABREAST - 1) / ABREAST;

// Where a control point stands within a net, in bytes; of the sum of multiples of larger and
// smaller powers of two it is the sum.
__device__ constexpr int control_step(int control) {
    return control / DEPTH * DEPTH_STEP + control % DEPTH / VECTOR * LANE_STEP +
           control % VECTOR * WORD_STEP;
}
static_assert(READS * ABREAST % DEPTH == 0, "steps of whole products");

// What undoes the scaling of a leaf's net, and its origin, in whole vectors.
struct alignas(16) Undo {
    real origin[(W + VECTOR) / VECTOR * VECTOR - 1];
    real size;
};

#if !DOUBLE
// Halves of two numbers: high, then low.
__device__ __forceinline__ uint2 split(float first, float second) {
    uint2 both;
    asm("{\n\t"
        ".reg .f16 a, b;\n\t"
        ".reg .f32 x, y;\n\t"
        "cvt.rn.f16x2.f32 %0, %3, %2;\n\t"
        "mov.b32 {a, b}, %0;\n\t"
        "cvt.f32.f16 x, a;\n\t"
        "cvt.f32.f16 y, b;\n\t"
        "sub.f32 x, %2, x;\n\t"
        "sub.f32 y, %3, y;\n\t"
        "cvt.rn.f16x2.f32 %1, y, x;\n\t"
        "}"
        : "=&r"(both.x), "=r"(both.y)
        : "f"(first), "f"(second));
    return both;
}

// Scales and splits a net in place, for a warp; returns what undoes the scaling. `most`: of
// the lane's own numbers the largest.
__device__ __forceinline__ float split_net(unsigned char* net, int depths, float most) {
    // the largest becomes 2^14 to 2^15
    const unsigned found = __reduce_max_sync(ALL_LANES, __float_as_uint(most)) >> 23;
    const unsigned exponent = max(found, 15u);
    const float scale = __uint_as_float((268 - exponent) << 23);
#pragma unroll 1
    for (int at = threadIdx.x % LANES; at < depths * 4; at += LANES) {
        unsigned char* own = net + at / 4 * DEPTH_STEP + at % 4 * LANE_STEP;
#pragma unroll
        for (int i = 0; i < W; ++i, own += component_step(depths)) {
#if WARPGROUP
            float values[VECTOR];
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                values[k] = *reinterpret_cast<const float*>(own + k * WORD_STEP);
            }
            const uint2 first = split(values[0] * scale, values[1] * scale);
            const uint2 second = split(values[2] * scale, values[3] * scale);
            const unsigned words[VECTOR] = {first.x, second.x, first.y, second.y};
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                *reinterpret_cast<unsigned*>(own + k * WORD_STEP) = words[k];
            }
#else
            const float4 values = *reinterpret_cast<const float4*>(own);
            const uint2 first = split(values.x * scale, values.y * scale);
            const uint2 second = split(values.z * scale, values.w * scale);
            *reinterpret_cast<uint4*>(own) = uint4{first.x, second.x, first.y, second.y};
#endif
        }
    }
    return __uint_as_float((exponent - 14) << 23);
}
#endif

// Reads a lane's 16 bytes of weights now; the compiler would put it off until they are wanted.
__device__ __forceinline__ Fragment read_now(const Fragment* from) {
    uint4 value;
    asm volatile("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                 : "l"(from));
    return reinterpret_cast<const Fragment&>(value);
}

// Gathers nets first to first + NETS - 1 of a block relative to their first points. Leaves that
// are not there repeat the last. `undo` gets the first points and what undoes a scaling. Called by
// a warp.
__device__ __forceinline__ void gather_fragments(const Job& job, const unsigned* ids, int controls,
                                                 int first, int count, int depths, Undo* undo,
                                                 unsigned char* to) {
    const int lane = threadIdx.x % LANES;
    // lanes that read nothing stand past all control points
    const int own_control = lane < ABREAST * W ? lane / W : depths * DEPTH;
    const unsigned* nets[NETS];
    unsigned char* numbers[NETS];
    real own[NETS], most[NETS];
    unsigned points[NETS][READS];
    const auto net_at = [&](int k) {
        return to + (first + k) / GROUP * W * component_step(depths) +
               (first + k) % GROUP * LEAF_STEP;
    };
    // ids are read a step ahead of the control points
    const auto read_ids = [&](int from) {
#pragma unroll
        for (int k = 0; k < NETS; ++k) {
#pragma unroll
            for (int read = 0; read < READS; ++read) {
                if (from + read * ABREAST + own_control < controls) {
                    points[k][read] = read_widely(nets[k] + from + read * ABREAST);
                }
            }
        }
    };
#pragma unroll
    for (int k = 0; k < NETS; ++k) {
        nets[k] = ids + min(first + k, count - 1) * controls + own_control;
        numbers[k] = net_at(k) + lane % W * component_step(depths) + control_step(own_control);
        most[k] = 0;
    }
    read_ids(0);
#pragma unroll 1
    for (int from = 0; from < depths * DEPTH; from += READS * ABREAST) {
        double values[NETS][READS];
#pragma unroll
        for (int k = 0; k < NETS; ++k) {
#pragma unroll
            for (int read = 0; read < READS; ++read) {
                if (from + read * ABREAST + own_control < controls) {
                    values[k][read] =
                        read_widely(job.points + place(job, points[k][read], lane % W));
                }
            }
        }
        read_ids(from + READS * ABREAST);
#pragma unroll
        for (int k = 0; k < NETS; ++k) {
            if (from == 0) own[k] = real(__shfl_sync(ALL_LANES, values[k][0], lane % W));
#pragma unroll
            for (int read = 0; read < READS; ++read) {
                const int control = from + read * ABREAST + own_control;
                const real value = control < controls ? real(values[k][read] - own[k]) : real(0);
                if (control < depths * DEPTH) {
                    *reinterpret_cast<real*>(numbers[k] + control_step(read * ABREAST)) = value;
                }
                most[k] = max(most[k], abs(value));
            }
            numbers[k] += control_step(READS * ABREAST);
        }
    }
    __syncwarp();
#pragma unroll
    for (int k = 0; k < NETS; ++k) {
        if (lane < W) undo[first + k].origin[lane] = own[k];
#if DOUBLE
        const real size = 1;
#else
        const real size = split_net(net_at(k), depths, most[k]);
#endif
        if (lane == 0) undo[first + k].size = size;
    }
}
