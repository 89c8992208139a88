// What operators over mesh queries are written with; included in front of an operator's text.
//
// An operator is a structure of its inputs and outputs, and a function that visits one element
// with its row:
//
//     struct Arguments {
//         Attribute<const float> values;
//         Attribute<float> sums;
//     };
//
//     template <class Row>
//     __device__ void visit(unsigned id, const Row& row, const Arguments& arguments) {
//         float sum = 0;
//         row.each([&](unsigned neighbor) { sum += arguments.values(neighbor); });
//         arguments.sums(id) = sum;
//     }
//
// A thread visits an element. Ids follow the order (subsolid::topology::order). Members of
// Arguments are Attributes, pointers, doubles and 64-bit integers. Products and sums are not
// fused, so that results are bitwise as of the same text on a CPU. Row is a type of its own for
// each strategy: leave it a parameter.
//
// An operator that takes few registers is faster with more threads at a time: its text may say
// `#define BLOCKS 8` for 8 blocks of 256 threads a multiprocessor, with 32 registers each. Its
// threads then visit two rows each.
#pragma once

// At most `blocks` blocks of 256 threads: as many as a multiprocessor has threads for.
constexpr unsigned blocks_of(unsigned blocks) {
    constexpr unsigned MAX_BLOCKS = __CUDA_ARCH__ < 800                                ? 4
                              : __CUDA_ARCH__ % 100 == 0 && __CUDA_ARCH__ < 1200 ? 8
                                                                                 : 6;
    return blocks < MAX_BLOCKS ? blocks : MAX_BLOCKS;
}

// Numbers at the elements of a kind, of one or several components.
template <class T>
struct Attribute {
    T* values;
    // from one element, and from one component, to the next
    unsigned id_step, component_step;

    __device__ __forceinline__ T& operator()(unsigned id, unsigned component = 0) const {
        // in bytes, so that the address is one product with one sum
        const unsigned step = id_step * unsigned(sizeof(T));
        T* const first = values + size_t(component) * component_step;
        const char* const at = reinterpret_cast<const char*>(first) + size_t(id) * step;
        return *const_cast<T*>(reinterpret_cast<const T*>(at));
    }
};

// The neighbors of an element, ascending. Ids are stored in 32 bits, or in 16 as the difference from
// `base`.
template <class Id>
struct StoredRow {
    const Id* items;
    unsigned base, count;

    __device__ __forceinline__ unsigned size() const { return count; }
    __device__ __forceinline__ unsigned operator[](unsigned i) const { return base + items[i]; }

    // Visits the neighbors one after another. Ids are read ahead of their use, which
    // is faster than a loop over the row.
    template <class Visit>
    __device__ __forceinline__ void each(Visit visit) const {
        // the neighbors of a regular vertex of a surface
        constexpr unsigned AHEAD = 6;
        for (unsigned begin = 0; begin < count; begin += AHEAD) {
            unsigned ids[AHEAD];
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                if (begin + i < count) ids[i] = items[begin + i];
            }
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                if (begin + i < count) visit(base + ids[i]);
            }
        }
    }
};

// Four ids, loaded at once.
__device__ __forceinline__ uint4 load_four(const unsigned* items) {
    return __ldcs(reinterpret_cast<const uint4*>(items));
}
__device__ __forceinline__ uint4 load_four(const unsigned short* items) {
    const ushort4 ids = __ldcs(reinterpret_cast<const ushort4*>(items));
    return {ids.x, ids.y, ids.z, ids.w};
}

// The same in memory that is read once, of eight neighbors or more as a rule.
template <class Id>
struct WideRow {
    const Id* items;
    unsigned base, count;
    // whether this row and all others of the warp begin at multiples of four ids
    bool is_aligned;

    __device__ __forceinline__ unsigned size() const { return count; }
    __device__ __forceinline__ unsigned operator[](unsigned i) const { return base + items[i]; }

    template <class Visit>
    __device__ __forceinline__ void each(Visit visit) const {
        if (is_aligned) {
            by_pieces(visit);
        } else {
            StoredRow<Id>{items, base, count}.each(visit);
        }
    }

private:
    template <class Visit>
    __device__ __forceinline__ void by_pieces(Visit visit) const {
        constexpr unsigned PIECE = 4, PIECES = 2;
        for (unsigned begin = 0; begin < count; begin += PIECES * PIECE) {
            uint4 ids[PIECES];
#pragma unroll
            for (unsigned p = 0; p < PIECES; ++p) {
                const unsigned at = begin + p * PIECE;
                if (at + PIECE <= count) {
                    ids[p] = load_four(items + at);
                } else {
                    // behind the last id of all there is nothing
                    if (at < count) ids[p].x = __ldcs(items + at);
                    if (at + 1 < count) ids[p].y = __ldcs(items + at + 1);
                    if (at + 2 < count) ids[p].z = __ldcs(items + at + 2);
                }
            }
#pragma unroll
            for (unsigned p = 0; p < PIECES; ++p) {
                const unsigned at = begin + p * PIECE;
                if (at < count) visit(base + ids[p].x);
                if (at + 1 < count) visit(base + ids[p].y);
                if (at + 2 < count) visit(base + ids[p].z);
                if (at + 3 < count) visit(base + ids[p].w);
            }
        }
    }
};
