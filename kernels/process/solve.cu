// Conjugate gradients with the diagonal for preconditioner: (mass M + stiffness L) x = b, where L
// has rows of weights, cotangents of a surface or those of trilinear elements of a solid, and M is
// diagonal. x starts at 0. Unknowns whose diagonal is given as 0 stay.
//
// Plain reference: Cholesky factors in src/process (tests/gpu/process.rs).
//
// COLUMNS: right-hand sides at once, 1 or 3. All iterations are one cooperative launch: multiply,
// step, turn, each over all unknowns, and between them all blocks wait. Sums are taken in an order
// of their own, so that results are the same in every run.
//
// Bytes of an iteration with 3 columns in single precision, an unknown of 6 neighbours: 48 of rows,
// 16 of the direction and 12 of the product at multiply, 36 at step, 56 at turn, 12 of diagonals.
#include "common/grid.cuh"
#include "process/slices.cuh"

constexpr int THREADS = 256;
// numbers of a direction
constexpr int STRIDE = COLUMNS == 3 ? 4 : COLUMNS;
// Iterations of a launch: the rest is for another one, that the device can be stopped.
constexpr unsigned ITERATIONS = 1024;

// Neighbours and their weights, in slices.
struct Rows {
    const unsigned *slices, *ids;
    const real* weights;
    unsigned long long count;
};

// The diagonal of the system, and its inverses; both 0 where an unknown stays.
struct Diagonal {
    const real *own, *pivots;
};

struct State {
    // r · r / diagonal, and below what it ends
    double residual[COLUMNS], limit[COLUMNS];
    // done: 1 solved, 2 nothing is left to go on with, though a component is not as small as asked
    // for, or no number
    unsigned iterations, begun, done;
    unsigned arrived;
};

// VECTOR unknowns, WIDTH numbers each; those behind the last unknown are 0. Directions stay in the
// cache, for their neighbours read them; what only its own thread reads makes room.
template <int WIDTH>
struct Group {
    static constexpr bool STAYS = WIDTH == STRIDE;
    real at[WIDTH * VECTOR];

    __device__ __forceinline__ void load(const real* array, unsigned group, unsigned count) {
        const unsigned first = group * VECTOR;
        if (first + VECTOR <= count) {
            const Vector* from = reinterpret_cast<const Vector*>(array + size_t(first) * WIDTH);
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) {
                const Vector vector = STAYS ? from[i] : __ldcs(from + i);
#pragma unroll
                for (int k = 0; k < VECTOR; ++k) {
                    at[i * VECTOR + k] = reinterpret_cast<const real*>(&vector)[k];
                }
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < WIDTH * VECTOR; ++i) {
            at[i] = first + i / WIDTH < count ? array[size_t(first) * WIDTH + i] : 0;
        }
    }

    __device__ __forceinline__ void store(real* array, unsigned group, unsigned count) const {
        const unsigned first = group * VECTOR;
        if (first + VECTOR <= count) {
            Vector* to = reinterpret_cast<Vector*>(array + size_t(first) * WIDTH);
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) {
                Vector vector;
#pragma unroll
                for (int k = 0; k < VECTOR; ++k) {
                    reinterpret_cast<real*>(&vector)[k] = at[i * VECTOR + k];
                }
                if (STAYS) {
                    to[i] = vector;
                } else {
                    __stcs(to + i, vector);
                }
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < WIDTH * VECTOR; ++i) {
            if (first + i / WIDTH < count) array[size_t(first) * WIDTH + i] = at[i];
        }
    }
};

// Sums a column, and with one column a maximum.
constexpr int SUMS = COLUMNS == 1 ? 2 : COLUMNS;

__device__ __forceinline__ double combine(int i, double a, double b) {
    return i == COLUMNS ? max(a, b) : a + b;
}

// Combines the values of all threads of the block; in every thread.
__device__ __forceinline__ void reduce(double (&values)[SUMS]) {
    __shared__ double of_warps[SUMS][THREADS / LANES];
    const int lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        for (int other = LANES / 2; other > 0; other /= 2) {
            values[i] = combine(i, values[i], __shfl_xor_sync(ALL_LANES, values[i], other));
        }
        if (lane == 0) of_warps[i][warp] = values[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        values[i] = of_warps[i][0];
        for (int other = 1; other < THREADS / LANES; ++other) {
            values[i] = combine(i, values[i], of_warps[i][other]);
        }
    }
    __syncthreads();
}

// The same of all blocks. partial: [2][SUMS][block]; half: which of the two, that take turns.
__device__ __forceinline__ void reduce_all(double (&values)[SUMS], double* partial,
                                           unsigned& half, State* state) {
    reduce(values);
    double* own = partial + size_t(half) * SUMS * gridDim.x;
    half ^= 1;
    if (threadIdx.x == 0) {
#pragma unroll
        for (int i = 0; i < SUMS; ++i) own[i * gridDim.x + blockIdx.x] = values[i];
    }
    wait_for_grid(&state->arrived);
#pragma unroll
    for (int i = 0; i < SUMS; ++i) {
        values[i] = 0;
        for (unsigned block = threadIdx.x; block < gridDim.x; block += THREADS) {
            values[i] = combine(i, values[i], own[i * gridDim.x + block]);
        }
    }
    reduce(values);
}

__device__ __forceinline__ void load_direction(real (&value)[STRIDE], const real* of, unsigned id) {
    if constexpr (STRIDE == 4) {
        load_vectors(value, of + size_t(STRIDE) * id);
    } else {
        value[0] = of[id];
    }
}

// value: the unknown's own; product = own times value - stiffness times the weighted sum of the
// neighbours.
__device__ __forceinline__ void multiply_row(const Rows& rows, unsigned id, real own,
                                             real stiffness, const real* of,
                                             real (&value)[STRIDE], real (&product)[COLUMNS]) {
    // the neighbours of a regular vertex, if registers allow
    constexpr unsigned AHEAD = COLUMNS == 1 ? 8 : DOUBLE ? 4 : 6;
    const unsigned width = width_of(rows.slices, id);
    const size_t first = item_of(rows.slices, id, 0);
    real sum[COLUMNS] = {};
    for (unsigned begin = 0; begin < width; begin += AHEAD) {
        unsigned ids[AHEAD];
        real weights[AHEAD];
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                ids[i] = __ldcs(rows.ids + first + (begin + i) * LANES);
                weights[i] = __ldcs(rows.weights + first + (begin + i) * LANES);
            }
        }
#pragma unroll
        for (unsigned i = 0; i < AHEAD; ++i) {
            if (begin + i < width) {
                real other[STRIDE];
                load_direction(other, of, ids[i]);
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) sum[c] += weights[i] * other[c];
            }
        }
    }
    load_direction(value, of, id);
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) product[c] = own * value[c] - stiffness * sum[c];
}

// Unknowns stay that are held, or that no face has. sums: the diagonal of L.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_diagonal(const real* masses, const real* sums, double mass, double stiffness,
                  const unsigned* held, unsigned count, real* own, real* pivots) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
    const real found = real(mass) * masses[id] + real(stiffness) * sums[id];
    const bool moves = found > 0 && !(held && held[id]);
    own[id] = moves ? found : 0;
    pivots[id] = moves ? 1 / found : 0;
}

// product = stiffness L times of; 0 in rows that are held, if any.
extern "C" __global__ void __launch_bounds__(THREADS)
    apply(Rows rows, const real* sums, double stiffness, const unsigned* held, const real* of,
          real* product) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    __shared__ real staged[COLUMNS * THREADS];
    real value[STRIDE], row[COLUMNS] = {};
    if (id < rows.count && !(held && held[id])) {
        multiply_row(rows, id, real(stiffness) * sums[id], real(stiffness), of, value, row);
    }
    store_rows(product, staged, id, rows.count, row);
}

// Numbers of the iteration at hand, which all threads of a block share.
struct Shared {
    double residual[COLUMNS], limit[COLUMNS];
    real alpha[COLUMNS], beta[COLUMNS];
    unsigned done;
};

// Ends where the norm of the residual has fallen by `tolerance`, or, for one column and if
// `componentwise`, where every component of it is as small beside its unknown. residual: b.
extern "C" __global__ void __launch_bounds__(THREADS, COLUMNS == 3 ? 2 : 3)
    solve(Rows rows, Diagonal diagonal, double stiffness, real* residual, real* direction,
          real* product, real* x, double tolerance, unsigned componentwise, double* partial,
          State* state) {
    __shared__ Shared now;
    __shared__ real staged[COLUMNS * THREADS];
    const unsigned count = rows.count, groups = (count + VECTOR - 1) / VECTOR;
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    unsigned half = 0, iterations = state->iterations;
    if (state->begun) {
        if (threadIdx.x == 0) {
            for (int c = 0; c < COLUMNS; ++c) {
                now.residual[c] = state->residual[c];
                now.limit[c] = state->limit[c];
            }
            now.done = 0;
        }
    } else {
        double sums[SUMS] = {};
        for (unsigned group = thread; group < groups; group += threads) {
            Group<1> pivots;
            pivots.load(diagonal.pivots, group, count);
            Group<COLUMNS> r, zero{};
            r.load(residual, group, count);
            zero.store(x, group, count);
            Group<STRIDE> p{};
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    const real of = r.at[i * COLUMNS + c], scaled = of * pivots.at[i];
                    p.at[i * STRIDE + c] = scaled;
                    sums[c] += double(of) * double(scaled);
                }
            }
            p.store(direction, group, count);
        }
        reduce_all(sums, partial, half, state);
        if (threadIdx.x == 0) {
            bool zero = true, known = true;
            for (int c = 0; c < COLUMNS; ++c) {
                now.residual[c] = sums[c];
                now.limit[c] = tolerance * tolerance * sums[c];
                zero = zero && sums[c] == 0;
                known = known && sums[c] >= 0;
            }
            now.done = !known ? 2 : zero ? 1 : 0;
        }
    }
    __syncthreads();
    for (unsigned left = ITERATIONS; !now.done && left > 0; --left) {
        double sums[SUMS] = {};
        // whole warps, for they store together
        for (unsigned id = thread; id - id % LANES < count; id += threads) {
            real value[STRIDE], row[COLUMNS] = {};
            const real own = id < count ? diagonal.own[id] : 0;
            if (own > 0) {
                multiply_row(rows, id, own, real(stiffness), direction, value, row);
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) sums[c] += double(row[c]) * double(value[c]);
            }
            store_rows(product, staged, id, count, row);
        }
        reduce_all(sums, partial, half, state);
        if (threadIdx.x == 0) {
            for (int c = 0; c < COLUMNS; ++c) {
                now.alpha[c] = real(sums[c] > 0 ? now.residual[c] / sums[c] : 0);
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < SUMS; ++i) sums[i] = 0;
        for (unsigned group = thread; group < groups; group += threads) {
            Group<1> pivots;
            pivots.load(diagonal.pivots, group, count);
            Group<COLUMNS> q, r;
            q.load(product, group, count);
            r.load(residual, group, count);
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    real& of = r.at[i * COLUMNS + c];
                    of -= now.alpha[c] * q.at[i * COLUMNS + c];
                    sums[c] += double(of) * double(of * pivots.at[i]);
                }
            }
            r.store(residual, group, count);
            if constexpr (COLUMNS == 1) {
                if (!componentwise) continue;
                Group<1> found;
                found.load(x, group, count);
#pragma unroll
                for (int i = 0; i < VECTOR; ++i) {
                    if (!(pivots.at[i] > 0)) continue;
                    const double rest = fabs(double(r.at[i] * pivots.at[i]));
                    const double whole = fabs(double(found.at[i]));
                    // no value has come here yet where it is 0
                    sums[1] = max(sums[1], whole > 0 ? rest / whole : 1e300);
                }
            }
        }
        reduce_all(sums, partial, half, state);
        ++iterations;
        if (threadIdx.x == 0) {
            bool small = true, zero = true;
            for (int c = 0; c < COLUMNS; ++c) {
                now.beta[c] = real(now.residual[c] > 0 ? sums[c] / now.residual[c] : 0);
                now.residual[c] = sums[c];
                small = small && sums[c] <= now.limit[c];
                zero = zero && !(sums[c] > 0);
            }
            if (COLUMNS == 1 && componentwise) small = sums[SUMS - 1] <= tolerance;
            now.done = small ? 1 : zero ? 2 : 0;
        }
        __syncthreads();
        for (unsigned group = thread; group < groups; group += threads) {
            Group<1> pivots;
            pivots.load(diagonal.pivots, group, count);
            Group<COLUMNS> r, found;
            r.load(residual, group, count);
            found.load(x, group, count);
            Group<STRIDE> p;
            p.load(direction, group, count);
#pragma unroll
            for (int i = 0; i < VECTOR; ++i) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    const int at = i * COLUMNS + c;
                    real& of = p.at[i * STRIDE + c];
                    found.at[at] += now.alpha[c] * of;
                    of = r.at[at] * pivots.at[i] + now.beta[c] * of;
                }
            }
            found.store(x, group, count);
            p.store(direction, group, count);
        }
        wait_for_grid(&state->arrived);
    }
    // all blocks have read it
    wait_for_grid(&state->arrived);
    if (thread > 0) return;
    for (int c = 0; c < COLUMNS; ++c) {
        state->residual[c] = now.residual[c];
        state->limit[c] = now.limit[c];
    }
    state->iterations = iterations;
    state->begun = 1;
    state->done = now.done;
}

// points, four numbers each, plus what has been found.
extern "C" __global__ void __launch_bounds__(THREADS)
    add(const real* x, unsigned count, real* points) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) points[4 * size_t(id) + c] += x[size_t(id) * COLUMNS + c];
}
