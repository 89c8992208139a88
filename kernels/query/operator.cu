// An operator over the rows of a query. Its text, "query/text.cuh", is a user's or one of ours.
//
// WORDS: its arguments in words of 8 bytes.
#include "common/real.cuh"
#include "query/query.cuh"

#include "query/text.cuh"

static_assert(sizeof(Arguments) == 8 * WORDS,
              "the members of Arguments are not those that it is given");

constexpr unsigned THREADS = 256;

extern "C" __global__ void __launch_bounds__(THREADS)
    visit_rows(const unsigned* __restrict__ starts, const unsigned* __restrict__ items,
               unsigned count, const __grid_constant__ Arguments arguments) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
    const unsigned start = starts[id];
    visit(id, StoredRow{items + start, starts[id + 1] - start}, arguments);
}
