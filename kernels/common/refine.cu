// Control points of one level from the level before: a sparse product in double
// precision (src/scheme/stencils.rs), relative to the first point of each row: the accuracy
// follows the size of the neighborhood, not its distance from 0.

// points: [point][width]; row r of the level at `fine` is the sum of weights[i] times point
// `coarse + columns[i]`, for i from starts[r] to starts[r + 1].
extern "C" __global__ void __launch_bounds__(128)
    refine(double* points, const unsigned long long* __restrict__ starts,
           const unsigned* __restrict__ columns, const double* __restrict__ weights,
           unsigned rows, unsigned width, unsigned long long coarse, unsigned long long fine) {
    const size_t at = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (at >= static_cast<size_t>(rows) * width) return;
    const unsigned row = at / width, component = at % width;
    const unsigned long long first = starts[row], end = starts[row + 1];
    if (first == end) {
        points[fine * width + at] = 0;
        return;
    }
    const double origin = points[(coarse + columns[first]) * width + component];
    double sum = 0;
    for (unsigned long long i = first + 1; i < end; ++i) {
        sum += weights[i] * (points[(coarse + columns[i]) * width + component] - origin);
    }
    points[fine * width + at] = origin + sum;
}
