// What operators over mesh queries are written with; included in front of an operator's text.
//
// An operator is a structure of what it reads and writes, and a function that visits one element
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
//         row.each([&](unsigned neighbour) { sum += arguments.values(neighbour); });
//         arguments.sums(id) = sum;
//     }
//
// A thread visits an element. Ids are those of the order (subsolid::topology::order). Members of
// Arguments are Attributes, pointers, doubles and 64-bit integers. Products and sums are not
// fused, so that results are bitwise those of the same text on a CPU. Row is a type of its own for
// each strategy: leave it a parameter.
#pragma once

// Numbers at the elements of a kind, of one or several components.
template <class T>
struct Attribute {
    T* values;
    // from one element, and from one component, to the next
    unsigned id_step, component_step;

    __device__ __forceinline__ T& operator()(unsigned id, unsigned component = 0) const {
        return values[size_t(id) * id_step + size_t(component) * component_step];
    }
};

// The neighbours of an element, ascending.
struct StoredRow {
    const unsigned* items;
    unsigned count;

    __device__ __forceinline__ unsigned size() const { return count; }
    __device__ __forceinline__ unsigned operator[](unsigned i) const { return __ldg(items + i); }

    // Visits the neighbours one after another. Ids are read ahead of what is done with them, which
    // is faster than a loop over the row.
    template <class Visit>
    __device__ __forceinline__ void each(Visit visit) const {
        constexpr unsigned AHEAD = 8;
        // a short row is read at once, so that the cache need not keep it
        const bool is_short = count <= AHEAD;
        for (unsigned begin = 0; begin < count; begin += AHEAD) {
            unsigned ids[AHEAD];
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                const unsigned* id = items + begin + i;
                if (begin + i < count) ids[i] = is_short ? __ldcs(id) : __ldg(id);
            }
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                if (begin + i < count) visit(ids[i]);
            }
        }
    }
};
