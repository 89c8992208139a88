// Copies from global to shared memory that run while a thread goes on; before Ampere they are
// done at once.
#pragma once

// BYTES: 4, 8 or 16, to which both addresses are aligned.
template <int BYTES>
__device__ __forceinline__ void copy_async(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(shared), "l"(from), "n"(BYTES)
                 : "memory");
#else
    if (BYTES == 16) {
        *static_cast<uint4*>(to) = *static_cast<const uint4*>(from);
    } else if (BYTES == 8) {
        *static_cast<uint2*>(to) = *static_cast<const uint2*>(from);
    } else {
        *static_cast<unsigned*>(to) = *static_cast<const unsigned*>(from);
    }
#endif
}

// 16 bytes from and to addresses that are multiples of 16, of data that is read once: past the first
// cache, and first to leave the second.
__device__ __forceinline__ void stream_async(void* to, const void* from) {
#if __CUDA_ARCH__ >= 800
    const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy));
    asm volatile("cp.async.cg.shared.global.L2::cache_hint [%0], [%1], 16, %2;" ::"r"(shared),
                 "l"(from), "l"(policy)
                 : "memory");
#else
    *static_cast<uint4*>(to) = __ldcs(static_cast<const uint4*>(from));
#endif
}

// Closes a group of copies.
__device__ __forceinline__ void commit_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}

// Waits until all but the last LEFT groups of this thread are done.
template <int LEFT>
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
#endif
}
