// Zeros the results of elements to which tiles of eigenstructures are added
// (published/published.cuh).
//
//     results [output][element][sample][stride]: the components of the pass become 0
#include "solid/orders.cuh"
#include "common/gather.cuh"

// One block per element.
extern "C" __global__ void __launch_bounds__(128)
    clear(const __grid_constant__ Job job, const unsigned* __restrict__ elements) {
    const size_t first = static_cast<size_t>(elements[blockIdx.x] - job.first_element) * job.samples;
    for (int output = 0; output < OUTPUTS; ++output) {
        real* const to = job.outputs[output] + first * job.stride + job.offset;
        for (unsigned i = threadIdx.x; i < job.samples * WIDTH; i += blockDim.x) {
            to[static_cast<size_t>(i / WIDTH) * job.stride + i % WIDTH] = 0;
        }
    }
}
