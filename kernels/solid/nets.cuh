// What warps of the tensor kernels read ahead of their work: heads and ids of nets by copies
// that run by themselves, control points into registers.
#pragma once

#include "common/async.cuh"
#include "common/gather.cuh"
#include "solid/orders.cuh"

// Weights of the samples, alike on all axes: [order][sample][4].
struct Weights {
    static constexpr int COUNT = ORDERS * SAMPLES * 4;
    real b[COUNT];

    // Copies them to shared memory, by a block of THREADS threads.
    template <int THREADS>
    __device__ __forceinline__ void copy_to(real (&shared)[COUNT]) const {
        for (int i = threadIdx.x; i < COUNT; i += THREADS) shared[i] = b[i];
        __syncthreads();
    }
};

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

// Reads that a warp needs for a number of points.
__host__ __device__ constexpr int reads_of(int points) {
    return (points + TOGETHER - 1) / TOGETHER;
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
    static constexpr int READS = reads_of(POINTS);
    Head heads[MANY];

    // Control point of read k whose place among those read together is `at`.
    __device__ static int control(int k, int at) { return min(k * TOGETHER + at, POINTS - 1); }

    __device__ unsigned base(int q) const { return heads[q].base; }
    __device__ unsigned ends(int, int q) const { return heads[q].ends; }
    __device__ unsigned element(int, int q) const { return heads[q].element; }
};

// A brick of 2 x 2 x 2 elements with a net of 5 x 5 x 5, taken MANY elements at a time.
template <int MANY>
struct Bricks {
    static constexpr int NETS = 1, IDS = 128, POINTS = 125, AHEAD = 2, RING = 4;
    static constexpr int READS = reads_of(POINTS);
    BrickHead head;

    __device__ static int control(int k, int at) { return min(k * TOGETHER + at, POINTS - 1); }

    __device__ unsigned base(int) const { return head.base; }
    __device__ unsigned ends(int round, int q) const { return head.ends[round * MANY + q]; }
    __device__ unsigned element(int round, int q) const { return head.elements[round * MANY + q]; }
};

// The same brick read in columns along w, five reads a run of columns: a lane has whole ones.
struct Columns : Bricks<8> {
    static constexpr int RUNS = reads_of(25), READS = 5 * RUNS;

    __device__ static int control(int k, int at) {
        return k % 5 * 25 + min(k / 5 * TOGETHER + at, 24);
    }
};

// Ids and heads are copied AHEAD steps before their work: while results fill the memory's
// queues, reading takes long. Control points are read one step ahead.
template <typename Id, typename Step>
struct Ahead {
    static_assert(Step::AHEAD + 1 <= Step::RING, "the head in use stays");
    Step steps[Step::RING];
    unsigned places[Step::RING];
    Id ids[Step::RING][Step::NETS][Step::IDS];
};

// The steps of one warp: `group`, `group + stride` and so on, so that neighbors on a
// multiprocessor share an L1 cache. Some multiprocessors get on faster than others: of many
// steps the last quarter goes to whichever warp comes first.
template <typename Id, typename Step>
struct Reader {
    const Job& job;
    const Leaves& leaves;
    Ahead<Id, Step>& ahead;
    // the nets, and the steps that they make
    unsigned first, nets, count;
    unsigned group, stride;
    // how often warps have asked for a step; zero between launches
    unsigned* asked;
    // steps of the first kind
    unsigned each = count / stride;
    unsigned fixed = max(unsigned(Step::AHEAD), each < 8 ? each + 1 : each * 3 / 4);
    // steps that the warp has taken, and in lane 0 the next
    unsigned rounds = 0, next = 0;
    // lane l has component l % WIDTH of control point `Step::control(k, l / WIDTH)`
    double points[Step::NETS][Step::READS];

    __device__ const Step& step(unsigned round) const { return ahead.steps[round % Step::RING]; }
    // The step's number.
    __device__ unsigned place_of(unsigned round) const { return ahead.places[round % Step::RING]; }

    __device__ __forceinline__ void begin() {
        for (int k = 0; k < Step::AHEAD; ++k) copy();
        wait_for_copies<Step::AHEAD - 1>();
        __syncwarp();
        read(0);
    }

    // To be called when the points of `round` are used: the next points are on their way
    // while the step is evaluated.
    __device__ __forceinline__ void advance(unsigned round) {
        copy();
        wait_for_copies<Step::AHEAD - 1>();
        __syncwarp();
        if (round + 1 < rounds) read(round + 1);
    }

    // Takes a step, if one is left. Always commits, so that waiting can count.
    __device__ __forceinline__ void copy() {
        const int lane = threadIdx.x % LANES;
        const unsigned at =
            rounds < fixed ? group + rounds * stride : __shfl_sync(ALL_LANES, next, 0);
        if (at < count) {
            const unsigned slot = rounds++ % Step::RING;
            if (lane == 0) {
                ahead.places[slot] = at;
                // warps ask for each of the others, and once without result: the last time leaves zero
                const unsigned before = (fixed - 1) * stride;
                if (rounds >= fixed) next = before + stride + atomicInc(asked, count - before - 1);
            }
#pragma unroll
            for (int q = 0; q < Step::NETS; ++q) {
                const size_t leaf = first + min(at * Step::NETS + q, nets - 1);
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

    __device__ __forceinline__ void read(unsigned round) {
        const int lane = threadIdx.x % LANES;
        const unsigned slot = round % Step::RING;
#pragma unroll
        for (int q = 0; q < Step::NETS; ++q) {
            const Id* const ids = ahead.ids[slot][q];
            const unsigned base = sizeof(Id) == 2 ? ahead.steps[slot].base(q) : 0;
#pragma unroll
            for (int k = 0; k < Step::READS; ++k) {
                const int control = Step::control(k, lane / WIDTH);
                points[q][k] = kept_component(job, base + ids[control], lane % WIDTH);
            }
        }
    }
};
