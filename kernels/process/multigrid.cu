// Conjugate gradients with a multigrid cycle for preconditioner: L x = b, where L has rows of
// weights, in double precision; x starts at 0. Unknowns whose pivot is given as 0 stay.
//
// The cycle (a V, from level to level of aggregates.cu and back) is in single precision: it only has
// to be near the inverse and the same for all residuals. It solves on aggregates with constants, whose
// jumps make the matrix too stiff: weights of a level are divided by their stiffness in the
// plane, about its width in unknowns of the level above (overcorrection, Braess 1995). Two steps
// of Chebyshev's iteration smooth before and behind, on the upper part of the eigenvalues, which
// the sums of absolute values in rows bound.
//
// Plain reference: Cholesky factors in src/process (tests/gpu/process.rs).
//
// All iterations are one cooperative launch; levels that a block alone is faster for are left to the
// first. Sums are taken in an order of their own, so that results are the same in every run.
#include "common/shared.cuh"
#include "process/reduce.cuh"
#include "process/rows.cuh"

constexpr int THREADS = host::CYCLE_THREADS;
// Iterations of a launch: the rest is for another one, that the device can be stopped.
constexpr unsigned ITERATIONS = 256;
// Unknowns of a level that is left to one block.
constexpr unsigned FEW = 1024;
// Smoothings in place of a solution at the last level.
constexpr int LAST = 4;

// Chebyshev's iteration for eigenvalues from MIN_EIGENVALUE to 1: the first step is CHEBYSHEV_FIRST
// times the residual, the second CHEBYSHEV_PREVIOUS times the first and CHEBYSHEV_RESIDUAL times the
// residual.
constexpr float MIN_EIGENVALUE = 0.12f;
constexpr float CENTER = (1 + MIN_EIGENVALUE) / 2, RADIUS = (1 - MIN_EIGENVALUE) / 2;
constexpr float RHO = 1 / (2 * CENTER / RADIUS - RADIUS / CENTER);
constexpr float CHEBYSHEV_FIRST = 1 / CENTER;
constexpr float CHEBYSHEV_PREVIOUS = RHO * RADIUS / CENTER, CHEBYSHEV_RESIDUAL = 2 * RHO / RADIUS;

struct Level {
    const unsigned *slices, *ids;
    const float *weights, *inverses;
    // [unknown] its unknown at the next level, or that behind the last one for unknowns that stay;
    // [unknown of the next level] its root
    const unsigned *aggregates, *roots;
    // the right-hand side; x after an odd and an even number of steps, the latter with a 0
    // behind the last unknown; the residual, or the last step
    float *load, *odd, *even, *residual;
    unsigned long long count;
};

struct State {
    // r · r / diagonal below which it ends; what r · z was; the factor of loads
    double limit, along, scale;
    // done: 1 solved, 2 no number
    unsigned iterations, begun, done;
    unsigned arrived;
};

// Those that work on a level together.
struct Grid {
    unsigned* arrived;
    __device__ __forceinline__ unsigned first() const { return blockIdx.x * THREADS + threadIdx.x; }
    __device__ __forceinline__ unsigned step() const { return gridDim.x * THREADS; }
    __device__ __forceinline__ void wait() const { wait_for_grid(arrived); }
};

struct Block {
    __device__ __forceinline__ unsigned first() const { return threadIdx.x; }
    __device__ __forceinline__ unsigned step() const { return THREADS; }
    __device__ __forceinline__ void wait() const { __syncthreads(); }
};

// The row of L times values, of which `own` is the unknown's.
template <class Value>
__device__ __forceinline__ float row_product(const Level& level, unsigned id, float own,
                                             Value value) {
    constexpr unsigned AHEAD = 8;
    const unsigned width = width_of(level.slices, id);
    const size_t first = item_of(level.slices, id, 0);
    float sum = 0;
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        unsigned ids[AHEAD];
        float weights[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i >= width) continue;
            ids[i] = level.ids[first + (begin + i) * LANES];
            weights[i] = level.weights[first + (begin + i) * LANES];
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) sum += weights[i] * (own - value(ids[i]));
        }
    }
    return sum;
}

// Takes a load to the level and does the first step.
__device__ __forceinline__ void begin(const Level& level, unsigned id, float load) {
    level.load[id] = load;
    level.odd[id] = CHEBYSHEV_FIRST * level.inverses[id] * load;
}

// The second step of smoothing before the next level, from odd to even.
template <class Team>
__device__ __forceinline__ void pre_smooth(const Level& level, Team team) {
    for (unsigned id = team.first(); id < level.count; id += team.step()) {
        const float own = level.odd[id];
        const float residual =
            level.load[id] - row_product(level, id, own, [&](unsigned j) { return level.odd[j]; });
        level.even[id] = own + (CHEBYSHEV_PREVIOUS * own +
                                CHEBYSHEV_RESIDUAL * level.inverses[id] * residual);
    }
    team.wait();
}

// The residual becomes the load of the next level.
template <class Team>
__device__ __forceinline__ void restrict_residual(const Level& level, const Level& next,
                                                  Team team) {
    for (unsigned id = team.first(); id < level.count; id += team.step()) {
        const float product = row_product(level, id, level.even[id],
                                          [&](unsigned j) { return level.even[j]; });
        level.residual[id] = level.inverses[id] > 0 ? level.load[id] - product : 0;
    }
    team.wait();
    for (unsigned id = team.first(); id < next.count; id += team.step()) {
        const unsigned root = level.roots[id], width = width_of(level.slices, root);
        const size_t first = item_of(level.slices, root, 0);
        float sum = level.residual[root];
        for (unsigned k = 0; k < width; ++k) {
            const unsigned other = level.ids[first + k * LANES];
            if (other != root && level.aggregates[other] == id) sum += level.residual[other];
        }
        begin(next, id, sum);
    }
    team.wait();
}

// Two steps more, from even to even, which begin at value(id); then(id, x) is called with what comes
// out, which others see after they have waited.
template <class Team, class Value, class Then>
__device__ __forceinline__ void smooth(const Level& level, Team team, Value value, Then then) {
    for (unsigned id = team.first(); id < level.count; id += team.step()) {
        const float own = value(id);
        const float residual = level.load[id] - row_product(level, id, own, value);
        const float step = CHEBYSHEV_FIRST * level.inverses[id] * residual;
        level.odd[id] = own + step;
        level.residual[id] = step;
    }
    team.wait();
    for (unsigned id = team.first(); id < level.count; id += team.step()) {
        const float own = level.odd[id];
        const float residual =
            level.load[id] - row_product(level, id, own, [&](unsigned j) { return level.odd[j]; });
        const float x = own + (CHEBYSHEV_PREVIOUS * level.residual[id] +
                               CHEBYSHEV_RESIDUAL * level.inverses[id] * residual);
        level.even[id] = x;
        then(id, x);
    }
}

// The same from x with the correction of the next level.
template <class Team, class Then>
__device__ __forceinline__ void prolong(const Level& level, const Level& next, Team team,
                                        Then then) {
    const auto value = [&](unsigned id) {
        return level.even[id] + next.even[level.aggregates[id]];
    };
    smooth(level, team, value, then);
}

// A cycle from the first level's load, whose first step is done, to its x; then(id, x) as above.
template <class Then>
__device__ __forceinline__ void cycle(const Level* levels, unsigned count, Grid grid, Then then) {
    const auto nothing = [](unsigned, float) {};
    unsigned few = 1;
    while (few + 1 < count && levels[few].count > FEW) ++few;
    for (unsigned l = 0; l < few; ++l) {
        pre_smooth(levels[l], grid);
        restrict_residual(levels[l], levels[l + 1], grid);
    }
    if (blockIdx.x == 0) {
        const Block block;
        for (unsigned l = few; l + 1 < count; ++l) {
            pre_smooth(levels[l], block);
            restrict_residual(levels[l], levels[l + 1], block);
        }
        const Level& last = levels[count - 1];
        pre_smooth(last, block);
        for (int i = 1; i < LAST; ++i) {
            smooth(last, block, [&](unsigned id) { return last.even[id]; }, nothing);
            block.wait();
        }
        for (unsigned l = count - 1; l-- > few;) {
            prolong(levels[l], levels[l + 1], block, nothing);
            block.wait();
        }
    }
    grid.wait();
    for (unsigned l = few; l-- > 1;) {
        prolong(levels[l], levels[l + 1], grid, nothing);
        grid.wait();
    }
    prolong(levels[0], levels[1], grid, then);
}

// 1 over the diagonal of L, 0 where an unknown stays: one that is fixed, or that no face has; and
// the first level's arrays with the same unknowns left out. aggregated: unknowns of the next level.
extern "C" __global__ void __launch_bounds__(THREADS)
    fix(const real* __restrict__ diagonal, const unsigned* __restrict__ fixed,
        const float* __restrict__ inverses, const unsigned* __restrict__ aggregates,
        unsigned count, unsigned aggregated, real* __restrict__ pivots,
        float* __restrict__ free_inverses, unsigned* __restrict__ free_aggregates) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
    const bool moves = diagonal[id] > 0 && fixed[id] == 0;
    pivots[id] = moves ? 1 / diagonal[id] : 0;
    free_inverses[id] = moves ? inverses[id] : 0;
    free_aggregates[id] = moves ? aggregates[id] : aggregated;
}

// Ends where the norm of the residual has fallen by `tolerance`. residual: b.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    solve(Rows rows, const real* diagonal, const real* pivots, const Level* all_levels,
          unsigned level_count, real* residual, real* direction, real* product, real* x,
          double tolerance, double* sums_of_blocks, State* state) {
    constexpr unsigned MAX_GRID_LEVELS = host::MAX_GRID_LEVELS;
    __shared__ Level levels[MAX_GRID_LEVELS];
    for (unsigned i = threadIdx.x; i < level_count; i += THREADS) levels[i] = all_levels[i];
    __syncthreads();
    const Grid grid = {&state->arrived};
    const unsigned count = rows.count, first = grid.first(), threads = grid.step();
    Partial partial = {sums_of_blocks, 0};
    double limit = state->limit, along = state->along, scale = state->scale;
    unsigned iterations = state->iterations, done = 0;
    if (!state->begun) {
        double norm[1] = {};
        for (unsigned id = first; id < count; id += threads) {
            const real r = pivots[id] > 0 ? residual[id] : 0;
            residual[id] = r;
            x[id] = 0;
            direction[id] = 0;
            norm[0] += r * r * pivots[id];
        }
        reduce_all<THREADS>(norm, partial, &state->arrived);
        limit = tolerance * tolerance * norm[0];
        along = 0;
        scale = rsqrt(norm[0]);
        done = norm[0] > 0 ? 0 : norm[0] == 0 ? 1 : 2;
        if (!done) {
            for (unsigned id = first; id < count; id += threads) {
                begin(levels[0], id, float(scale * residual[id]));
            }
        }
        grid.wait();
    }
    for (unsigned left = ITERATIONS; !done && left > 0; --left) {
        double sums[1] = {};
        cycle(levels, level_count, grid, [&](unsigned id, float z) { sums[0] += z * residual[id]; });
        reduce_all<THREADS>(sums, partial, &state->arrived);
        const double beta = along > 0 ? sums[0] / along : 0;
        along = sums[0];
        for (unsigned id = first; id < count; id += threads) {
            direction[id] = levels[0].even[id] + beta * direction[id];
        }
        grid.wait();
        sums[0] = 0;
        for (unsigned id = first; id < count; id += threads) {
            real row[1] = {};
            if (pivots[id] > 0) {
                sum_row(rows, id, direction, row);
                row[0] = diagonal[id] * direction[id] - row[0];
                sums[0] += row[0] * direction[id];
            }
            product[id] = row[0];
        }
        reduce_all<THREADS>(sums, partial, &state->arrived);
        const double alpha = sums[0] > 0 ? along / sums[0] : 0;
        sums[0] = 0;
        for (unsigned id = first; id < count; id += threads) {
            const real r = residual[id] - alpha * product[id];
            residual[id] = r;
            x[id] += alpha * direction[id];
            sums[0] += r * r * pivots[id];
            begin(levels[0], id, float(scale * r));
        }
        reduce_all<THREADS>(sums, partial, &state->arrived);
        ++iterations;
        done = sums[0] <= limit ? 1 : sums[0] > 0 && alpha > 0 ? 0 : 2;
    }
    // all blocks have read it before they first waited
    if (first > 0) return;
    state->limit = limit;
    state->along = along;
    state->scale = scale;
    state->iterations = iterations;
    state->begun = 1;
    state->done = done;
}
