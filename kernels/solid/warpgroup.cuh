// Products that the four warps of a group start together and wait for later (wgmma, on Hopper):
// 64 rows, 16 of each warp, times 24 columns a component.
#pragma once

#include "common/real.cuh"

#define NUMBERS_12 \
    "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11"
#define NUMBERS_24 NUMBERS_12 \
    ", %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23"
#define NUMBERS_36 NUMBERS_24 \
    ", %24, %25, %26, %27, %28, %29, %30, %31, %32, %33, %34, %35"
#define NUMBERS_48 NUMBERS_36 \
    ", %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47"
#define GROUP_OF(i) "+f"(sums[i][0]), "+f"(sums[i][1]), "+f"(sums[i][2]), "+f"(sums[i][3])
#define GROUPS_OF(i) GROUP_OF(i), GROUP_OF(i + 1), GROUP_OF(i + 2)

#if WIDTH == 1
#define COLUMNS "24"
#define NUMBERS NUMBERS_12
#define ROW_NUMBERS "{%12, %13, %14, %15}, %16"
#define ADDS "%17"
#define ALL_GROUPS GROUPS_OF(0)
#elif WIDTH == 2
#define COLUMNS "48"
#define NUMBERS NUMBERS_24
#define ROW_NUMBERS "{%24, %25, %26, %27}, %28"
#define ADDS "%29"
#define ALL_GROUPS GROUPS_OF(0), GROUPS_OF(3)
#elif WIDTH == 3
#define COLUMNS "72"
#define NUMBERS NUMBERS_36
#define ROW_NUMBERS "{%36, %37, %38, %39}, %40"
#define ADDS "%41"
#define ALL_GROUPS GROUPS_OF(0), GROUPS_OF(3), GROUPS_OF(6)
#else
#define COLUMNS "96"
#define NUMBERS NUMBERS_48
#define ROW_NUMBERS "{%48, %49, %50, %51}, %52"
#define ADDS "%53"
#define ALL_GROUPS GROUPS_OF(0), GROUPS_OF(3), GROUPS_OF(6), GROUPS_OF(9)
#endif

// Where columns stand in shared memory: matrices of 8 columns and 16 bytes of each; the next 16
// bytes of the same columns stand `along` bytes further, the next columns `across`. In two words,
// for 64 bits would be added in more instructions.
struct Columns {
    unsigned low, high;

    __device__ __forceinline__ Columns(const void* first, unsigned along, unsigned across)
        : low((static_cast<unsigned>(__cvta_generic_to_shared(first)) & 0x3ffff) >> 4 |
              along >> 4 << 16),
          high(across >> 4) {}

    __device__ __forceinline__ Columns further(unsigned bytes) const {
        Columns other = *this;
        other.low += bytes >> 4;
        return other;
    }

    __device__ __forceinline__ unsigned long long description() const {
        return static_cast<unsigned long long>(high) << 32 | low;
    }
};

// Before the first product after sums or rows were written.
__device__ __forceinline__ void begin_products() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

// Starts `sums` = rows * columns, plus what `sums` was if it IS_SUM: halves, 16 of each row.
template <bool IS_SUM>
__device__ __forceinline__ void start_product(float (&sums)[3 * WIDTH][4], uint4 rows,
                                              Columns columns) {
    asm volatile(
        "{\n\t"
        ".reg .pred adds;\n\t"
        "setp.ne.b32 adds, " ADDS ", 0;\n\t"
        "wgmma.mma_async.sync.aligned.m64n" COLUMNS "k16.f32.f16.f16 {" NUMBERS "}, " ROW_NUMBERS
        ", adds, 1, 1, 0;\n\t"
        "}"
        : ALL_GROUPS
        : "r"(rows.x), "r"(rows.y), "r"(rows.z), "r"(rows.w), "l"(columns.description()),
          "n"(int(IS_SUM)));
}

// Waits until all products are done, and `sums` can be read.
__device__ __forceinline__ void wait_for_products(float (&sums)[3 * WIDTH][4]) {
    asm volatile(
        "wgmma.commit_group.sync.aligned;\n\t"
        "wgmma.wait_group.sync.aligned 0;"
        : ALL_GROUPS::"memory");
}

#undef GROUP_OF
#undef GROUPS_OF
#undef NUMBERS_12
#undef NUMBERS_24
#undef NUMBERS_36
#undef NUMBERS_48
#undef COLUMNS
#undef NUMBERS
#undef ROW_NUMBERS
#undef ADDS
#undef ALL_GROUPS
