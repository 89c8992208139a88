// What warps of the tensor kernels read ahead of their work: heads and ids of nets by copies
// that run by themselves, control points into registers.
#pragma once

#include "async.cuh"
#include "gather.cuh"

// Component c of a control point, the last to leave the L2 cache: bricks of the next layers want
// it too, after tens of megabytes of results.
__device__ __forceinline__ double kept_component(const Job& job, unsigned point, int c) {
#if __CUDA_ARCH__ >= 800
    double value;
    asm("{\n\t"
        ".reg .b64 policy;\n\t"
        "createpolicy.fractional.L2::evict_last.b64 policy, 1.0;\n\t"
        "ld.global.nc.L2::cache_hint.f64 %0, [%1], policy;\n\t"
        "}"
        : "=d"(value)
        : "l"(job.points + place(job, point, c)));
    return value;
#else
    return component(job, point, c);
#endif
}

// What is known of the leaves beside their ids.
struct Head {
    // added to the ids if they are 16 bits
    unsigned base;
    unsigned element, ends, padding;
};

struct BrickHead {
    unsigned base, padding;
    // of the elements, u fastest
    unsigned char ends[8];
    unsigned elements[8];
};

// A step of a warp's work, MANY elements one by one or a brick: the heads that it begins with,
// its nets and how many ids each has, of which POINTS count.
template <int MANY>
struct Singles {
    static constexpr int NETS = MANY, IDS = 64, POINTS = 64, AHEAD = 6, RING = 8;
    Head heads[MANY];

    __device__ unsigned base(int q) const { return heads[q].base; }
    __device__ unsigned ends(int, int q) const { return heads[q].ends; }
    __device__ unsigned element(int, int q) const { return heads[q].element; }
};

// A brick of 2 x 2 x 2 elements with a net of 5 x 5 x 5, taken MANY elements at a time.
template <int MANY>
struct Bricks {
    static constexpr int NETS = 1, IDS = 128, POINTS = 125, AHEAD = 2, RING = 4;
    BrickHead head;

    __device__ unsigned base(int) const { return head.base; }
    __device__ unsigned ends(int turn, int q) const { return head.ends[turn * MANY + q]; }
    __device__ unsigned element(int turn, int q) const { return head.elements[turn * MANY + q]; }
};

// Ids and heads are copied AHEAD steps before their work: while results fill the memory's
// queues, reading takes long. Control points are read one step ahead.
template <typename Id, typename Step>
struct Ahead {
    static_assert(Step::AHEAD + 1 <= Step::RING, "the head in use stays");
    Step steps[Step::RING];
    Id ids[Step::RING][Step::NETS][Step::IDS];
};

// Reads in which a warp has a net.
template <typename Step>
constexpr int READS = (Step::POINTS + TOGETHER - 1) / TOGETHER;

// The steps of one warp: `group`, `group + stride` and so on, `turns` of them, of `count`
// elements or bricks from `first` on.
template <typename Id, typename Step>
struct Reader {
    const Job& job;
    const Leaves& leaves;
    Ahead<Id, Step>& ahead;
    unsigned first, count, group, stride, turns;
    // lane l has component l % WIDTH of point k * TOGETHER + l / WIDTH
    double points[Step::NETS][READS<Step>];

    __device__ const Step& step(unsigned turn) const { return ahead.steps[turn % Step::RING]; }

    __device__ __forceinline__ void begin() {
        for (unsigned turn = 0; turn < Step::AHEAD; ++turn) copy(turn);
        wait_for_copies<Step::AHEAD - 1>();
        __syncwarp();
        read(0);
    }

    // To be called when the points of `turn` are used: those of the next are on their way
    // while the step is evaluated.
    __device__ __forceinline__ void advance(unsigned turn) {
        copy(turn + Step::AHEAD);
        wait_for_copies<Step::AHEAD - 1>();
        __syncwarp();
        if (turn + 1 < turns) read(turn + 1);
    }

    // always commits, so that waiting can count
    __device__ __forceinline__ void copy(unsigned turn) {
        const int lane = threadIdx.x % LANES;
        if (turn < turns) {
            const unsigned at = group + turn * stride;
            const unsigned slot = turn % Step::RING;
#pragma unroll
            for (int q = 0; q < Step::NETS; ++q) {
                const size_t leaf = first + min(at * Step::NETS + q, count - 1);
                constexpr int PIECES = Step::IDS * sizeof(Id) / 16;
                const uint4* const net = static_cast<const uint4*>(leaves.nets) + leaf * PIECES;
                uint4* const to = reinterpret_cast<uint4*>(ahead.ids[slot][q]);
                if (lane < PIECES) copy_async<16>(to + lane, net + lane);
                constexpr int PARTS = sizeof(Step) / Step::NETS / 16;
                if (lane >= LANES - PARTS) {
                    const int part = lane - (LANES - PARTS);
                    copy_async<16>(reinterpret_cast<uint4*>(&ahead.steps[slot]) + q * PARTS + part,
                                   static_cast<const uint4*>(leaves.heads) + leaf * PARTS + part);
                }
            }
        }
        commit_copies();
    }

    __device__ __forceinline__ void read(unsigned turn) {
        const int lane = threadIdx.x % LANES;
        const unsigned slot = turn % Step::RING;
#pragma unroll
        for (int q = 0; q < Step::NETS; ++q) {
            const Id* const ids = ahead.ids[slot][q];
            const unsigned base = sizeof(Id) == 2 ? ahead.steps[slot].base(q) : 0;
#pragma unroll
            for (int k = 0; k < READS<Step>; ++k) {
                const int control = min(k * TOGETHER + lane / WIDTH, Step::POINTS - 1);
                points[q][k] = kept_component(job, base + ids[control], lane % WIDTH);
            }
        }
    }
};
