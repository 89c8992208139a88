// Results leave a warp through shared memory: on Hopper and later by bulk copies, which run
// by themselves; before it by coalesced stores.
#pragma once

#include "common/gather.cuh"

#if __CUDA_ARCH__ >= 900
#define BULK 1
#else
#define BULK 0
#endif

// Bytes of the lines in which bulk copies read shared memory. A stage that begins with a line
// reaches the memory in whole lines too; otherwise it would take half as many requests again.
constexpr int STAGE_LINE = 128;

// The same number of bytes or a few more, in whole lines.
__host__ __device__ constexpr int whole_lines(int bytes) {
    return (bytes + STAGE_LINE - 1) / STAGE_LINE * STAGE_LINE;
}

// Waits until the results that this thread has sent have been read, but for the last LEFT runs.
template <int LEFT = 0>
__device__ __forceinline__ void wait_for_stage() {
#if BULK
    asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(LEFT) : "memory");
#endif
}

// Makes this thread's writes to shared memory visible to bulk copies.
__device__ __forceinline__ void publish_stage() {
#if BULK
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
}

#if BULK
// Copies `bytes` (a multiple of 16) to `to`; one thread does it. Results are the first to leave
// the cache, so that nets and control points stay there.
__device__ __forceinline__ void bulk_copy(void* to, const void* from, unsigned bytes) {
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(from));
    asm volatile(
        "{\n\t"
        ".reg .b64 policy;\n\t"
        "createpolicy.fractional.L2::evict_first.b64 policy, 1.0;\n\t"
        "cp.async.bulk.global.shared::cta.bulk_group.L2::cache_hint [%0], [%1], %2, policy;\n\t"
        "}" ::"l"(to),
        "r"(shared), "r"(bytes)
        : "memory");
}

// Closes a run of copies of this thread.
__device__ __forceinline__ void commit_stage() {
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
}
#endif

// Sends `count` reals of staged results, WIDTH a sample, to samples of the output from
// `sample` on. Called by THREADS threads of which this one is `thread`, after a barrier that
// follows publish_stage(); the thread that copies must call wait_for_stage() before the stage
// is written again. WHOLE: every such run is made of whole vectors.
template <int THREADS, bool WHOLE>
__device__ __forceinline__ void send(const Job& job, real* output, size_t sample, const real* stage,
                                     int count, int thread) {
#if STRIDED
    for (int i = thread; i < count; i += THREADS) {
        output[place(job, sample + i / WIDTH, i % WIDTH)] = stage[i];
    }
#else
    real* const to = output + sample * WIDTH;
    if (!WHOLE && (count % VECTOR != 0 || reinterpret_cast<size_t>(to) % 16 != 0)) {
        for (int i = thread; i < count; i += THREADS) __stcs(to + i, stage[i]);
        return;
    }
#if BULK
    if (thread == 0) {
        bulk_copy(to, stage, count * sizeof(real));
        commit_stage();
    }
#else
    for (int i = thread; i < count / VECTOR; i += THREADS) {
        __stcs(reinterpret_cast<Vector*>(to) + i, reinterpret_cast<const Vector*>(stage)[i]);
    }
#endif
#endif
}

// No sample of the results.
constexpr size_t NOWHERE = ~size_t(0);

// Sends MANY stretches of staged results, a warp all of them: stretch q of `count` reals stands
// `from(q)` reals into the stage and belongs to the samples from `sample` of lane q on, perhaps
// NOWHERE. The lanes send side by side, and each counts one run.
template <int MANY, bool WHOLE, typename From>
__device__ __forceinline__ void send_each(const Job& job, real* output, const real* stage,
                                          int count, int lane, From from, size_t sample) {
    static_assert(MANY <= LANES, "a lane each");
    if constexpr (BULK && !STRIDED && WHOLE) {
#if BULK
        if (lane < MANY) {
            real* const to = output + sample * WIDTH;
            if (sample != NOWHERE) bulk_copy(to, stage + from(lane), count * sizeof(real));
            commit_stage();
        }
#endif
    } else {
#pragma unroll 1
        for (int q = 0; q < MANY; ++q) {
            const size_t own = __shfl_sync(ALL_LANES, static_cast<unsigned long long>(sample), q);
            if (own == NOWHERE) continue;
            send<LANES, WHOLE>(job, output, own, stage + from(q), count, lane);
        }
    }
}
