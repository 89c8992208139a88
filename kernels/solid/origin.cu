// Control points relative to an origin, and results brought to where they are (src/limit: local
// points).
#include "common/real.cuh"

// results: [result][width]; each plus origin: [width], rounded once.
extern "C" __global__ void __launch_bounds__(128)
    add_origin(real* results, const double* __restrict__ origin, unsigned long long numbers,
               unsigned width) {
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x +
                                threadIdx.x;
         i < numbers; i += step) {
        results[i] = static_cast<real>(static_cast<double>(results[i]) + origin[i % width]);
    }
}

// Control points of others, [point][width], in double precision and less origin: [width], which
// may be missing.
extern "C" __global__ void __launch_bounds__(128)
    take_controls(const real* __restrict__ from, double* __restrict__ to,
                  const double* __restrict__ origin, unsigned long long numbers, unsigned width) {
    const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x +
                                threadIdx.x;
         i < numbers; i += step) {
        const double number = static_cast<double>(from[i]);
        to[i] = origin ? number - origin[i % width] : number;
    }
}
