// Conjugate gradients with the diagonal for preconditioner: (mass M + stiffness L) x = b, where L
// has rows of weights, cotangents of a surface or weights of trilinear elements of a solid, and M
// is diagonal. x starts at 0. Unknowns whose diagonal is given as 0 stay.
//
// Plain reference: Cholesky factors in src/process (tests/gpu/process.rs).
//
//     find_roots > scale_weights, scale     the system with the square roots of its diagonal divided
//                                           out on both sides, so that no iteration reads them
//     solve > scale                         and what it found, multiplied
//
// COLUMNS: right-hand sides at once, 1 or 3. RECOMPUTES: 1 where rows are fans of neighbors and
// points, from which every product finds the weights of a surface anew. All iterations are one
// cooperative launch: multiply and step, each over all unknowns, and after each all blocks wait. Sums
// are taken in an order of their own, so that results are the same in every run.
//
// All sums of an iteration are taken at one wait (Meurant 1987; D'Azevedo, Eijkhout and Romine
// 1993): with q the product of the direction, the new r · r = alpha² q · q - r · r is foretold for
// the next direction, and summed where it comes about for all else. x takes two steps at once,
// since the direction before the last one is (direction - r) / beta.
//
// Bytes of an iteration with 3 columns in single precision, an unknown of 6 neighbors: 48 of rows,
// 16 of the direction and 12 of the product at multiply; 12 of the product, 24 of r, 32 of the
// direction and 12 of x at step, which goes backwards and finds in the cache what multiply left.
// Threads decide: 512 a multiprocessor take 170 us for 3.0 M unknowns, 640 take 149; 768 with half as
// many neighbors read at once, for want of registers, 173.
#include "process/fans.cuh"
#include "process/reduce.cuh"

// as many as two blocks of a multiprocessor have registers for
constexpr int THREADS = DOUBLE && COLUMNS == 3 ? 256 : 320;
// Iterations of a launch: the rest is for another one, that the device can be stopped.
constexpr unsigned ITERATIONS = 1024;

struct State {
    // r · r, and below what it ends
    double residual[COLUMNS], limit[COLUMNS];
    // done: 1 solved, 2 nothing is left to go on with, though a component is not as small as asked
    // for, or no number
    unsigned iterations, begun, done;
    unsigned arrived;
};

// Unknowns that a thread steps at once: as many as leave registers for enough threads at multiply.
constexpr int TOGETHER = 2;

#if DOUBLE
using Pair = double2;
#else
using Pair = float2;
#endif

// What is loaded at once: 16 bytes, where numbers fill them.
template <bool WHOLE>
struct PieceOf {
    using Type = Vector;
};

template <>
struct PieceOf<false> {
    using Type = Pair;
};

// WIDTH numbers each of some unknowns; those behind the last unknown are 0. Directions stay in the
// cache, for their neighbors read them; what only its own thread reads makes room.
template <int WIDTH>
struct Group {
    static constexpr bool STAYS = WIDTH == STRIDE<COLUMNS>;
    static constexpr int NUMBERS = WIDTH * TOGETHER;
    using Piece = typename PieceOf<NUMBERS % VECTOR == 0>::Type;
    static constexpr int OF_PIECE = sizeof(Piece) / sizeof(real);
    real at[NUMBERS];

    __device__ __forceinline__ void load(const real* array, unsigned group, unsigned count) {
        const unsigned first = group * TOGETHER;
        if (first + TOGETHER <= count) {
            const Piece* from = reinterpret_cast<const Piece*>(array + size_t(first) * WIDTH);
#pragma unroll
            for (int i = 0; i < NUMBERS / OF_PIECE; ++i) {
                const Piece piece = STAYS ? from[i] : __ldcs(from + i);
#pragma unroll
                for (int k = 0; k < OF_PIECE; ++k) {
                    at[i * OF_PIECE + k] = reinterpret_cast<const real*>(&piece)[k];
                }
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < NUMBERS; ++i) {
            at[i] = first + i / WIDTH < count ? array[size_t(first) * WIDTH + i] : 0;
        }
    }

    __device__ __forceinline__ void store(real* array, unsigned group, unsigned count) const {
        const unsigned first = group * TOGETHER;
        if (first + TOGETHER <= count) {
            Piece* to = reinterpret_cast<Piece*>(array + size_t(first) * WIDTH);
#pragma unroll
            for (int i = 0; i < NUMBERS / OF_PIECE; ++i) {
                Piece piece;
#pragma unroll
                for (int k = 0; k < OF_PIECE; ++k) {
                    reinterpret_cast<real*>(&piece)[k] = at[i * OF_PIECE + k];
                }
                if (STAYS) {
                    to[i] = piece;
                } else {
                    __stcs(to + i, piece);
                }
            }
            return;
        }
#pragma unroll
        for (int i = 0; i < NUMBERS; ++i) {
            if (first + i / WIDTH < count) array[size_t(first) * WIDTH + i] = at[i];
        }
    }
};

// 1 over the square root of the diagonal; 0 for unknowns that are fixed, or that no face has, which
// stay. sums: the diagonal of L.
extern "C" __global__ void __launch_bounds__(THREADS)
    find_roots(const real* masses, const real* sums, double mass, double stiffness,
               const unsigned* fixed, unsigned count, real* roots) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
    const real found = real(mass) * masses[id] + real(stiffness) * sums[id];
    roots[id] = found > 0 && !(fixed && fixed[id]) ? 1 / sqrt(found) : 0;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    scale_weights(Rows rows, double stiffness, const real* roots, real* scaled) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= rows.count) return;
    const real root = roots[id];
#if RECOMPUTES
    // the weight of an edge takes a factor from each of its ends
    real point[4];
    load_vectors(point, rows.weights + 4 * size_t(id));
    point[3] = sqrt(real(stiffness)) * root;
    store_vectors(scaled + 4 * size_t(id), point);
#else
    const unsigned width = width_of(rows.slices, id);
    const size_t first = item_of(rows.slices, id, 0);
    for (unsigned k = 0; k < width; ++k) {
        const size_t at = first + k * LANES;
        scaled[at] = real(stiffness) * rows.weights[at] * (root * roots[rows.ids[at]]);
    }
#endif
}

// values of unknowns, times their roots.
extern "C" __global__ void __launch_bounds__(THREADS)
    scale(const real* roots, unsigned count, real* values) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    if (id >= count) return;
#pragma unroll
    for (int c = 0; c < COLUMNS; ++c) values[size_t(id) * COLUMNS + c] *= roots[id];
}

// product = stiffness L times of; 0 in rows that are fixed, if any.
extern "C" __global__ void __launch_bounds__(THREADS)
    apply(Rows rows, const real* sums, double stiffness, const unsigned* fixed, const real* of,
          real* product) {
    const unsigned id = blockIdx.x * THREADS + threadIdx.x;
    __shared__ real staged[COLUMNS * THREADS];
    real row[COLUMNS] = {};
    if (id < rows.count && !(fixed && fixed[id])) {
        real value[STRIDE<COLUMNS>];
#if RECOMPUTES
        const real sum = sum_fan<false>(rows, id, of, row);
#else
        const real sum = sums[id];
        sum_row(rows, id, of, row);
#endif
        load_columns<COLUMNS>(value, of, id);
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) row[c] = real(stiffness) * (sum * value[c] - row[c]);
    }
    store_rows(product, staged, id, rows.count, row);
}

// Sums of an iteration: [column] direction · product, product · product and r · r; and how many
// components are off.
constexpr int ALONG = 0, SQUARE = COLUMNS, RESIDUAL = 2 * COLUMNS, OFF = 3 * COLUMNS;
constexpr int SUMS = OFF + (COLUMNS == 1);

// Numbers of the iteration at hand, which all threads of a block share.
struct Shared {
    double sums[SUMS], limit[COLUMNS];
    real alpha[COLUMNS], beta[COLUMNS];
    // x takes so much of the direction and of r, if it moves in this iteration
    real of_direction[COLUMNS], of_residual[COLUMNS];
    // alpha / beta of a step that x has not taken, else 0
    real carried[COLUMNS];
    unsigned moves, iterations, left, ends, done;
};

// Chooses the steps from the sums, unless iterations end here.
__device__ __forceinline__ void choose_steps(Shared& now, bool componentwise) {
    // a smaller beta would leave too few digits of the direction before
    constexpr double MIN_BETA = 1.0 / 16;
    bool small = true, zero = true;
    for (int c = 0; c < COLUMNS; ++c) {
        small = small && now.sums[RESIDUAL + c] <= now.limit[c];
        zero = zero && !(now.sums[RESIDUAL + c] > 0);
    }
    if constexpr (COLUMNS == 1) {
        if (componentwise) small = now.moves && now.sums[OFF] == 0;
    }
    now.done = small ? 1 : zero ? 2 : 0;
    now.ends = now.done || now.left == 0;
    if (now.ends) return;
    ++now.iterations;
    --now.left;
    bool waits = now.moves;
#pragma unroll 1
    for (int c = 0; c < COLUMNS; ++c) {
        const double residual = now.sums[RESIDUAL + c], along = now.sums[ALONG + c];
        const double alpha = along > 0 ? residual / along : 0;
        const double next = max(alpha * alpha * now.sums[SQUARE + c] - residual, 0.0);
        const double beta = residual > 0 ? next / residual : 0;
        now.alpha[c] = real(alpha);
        now.beta[c] = real(beta);
        now.of_direction[c] = now.alpha[c] + now.carried[c];
        now.of_residual[c] = now.carried[c];
        waits = waits && (!(alpha > 0) || beta >= MIN_BETA);
    }
    for (int c = 0; c < COLUMNS; ++c) {
        now.carried[c] = waits && now.alpha[c] > 0 ? now.alpha[c] / now.beta[c] : 0;
    }
    now.moves = !waits;
}

// Ends where the norm of the residual has fallen by `tolerance`, or, for one column and if
// `componentwise`, where every component of it is as small beside its unknown. residual: b.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    solve(Rows rows, const real* roots, real* residual, real* direction, real* product, real* x,
          double tolerance, unsigned componentwise, double* sums_of_blocks, State* state) {
    __shared__ Shared now;
    __shared__ real staged[COLUMNS * THREADS];
    const unsigned count = rows.count, groups = (count + TOGETHER - 1) / TOGETHER;
    const unsigned thread = blockIdx.x * THREADS + threadIdx.x, threads = gridDim.x * THREADS;
    Partial partial = {sums_of_blocks, 0};
    const bool begun = state->begun;
    double sums[SUMS] = {};
    if (threadIdx.x == 0) {
        now.moves = 0;
        now.iterations = state->iterations;
        now.left = ITERATIONS;
        for (int c = 0; c < COLUMNS; ++c) now.carried[c] = 0;
    }
    if (begun) {
        if (threadIdx.x == 0) {
            for (int c = 0; c < COLUMNS; ++c) now.limit[c] = state->limit[c];
        }
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) {
            if (thread == 0) sums[RESIDUAL + c] = state->residual[c];
        }
    } else {
        for (unsigned group = thread; group < groups; group += threads) {
            Group<1> root;
            root.load(roots, group, count);
            Group<COLUMNS> r, found;
            r.load(residual, group, count);
            Group<STRIDE<COLUMNS>> p{};
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    const real of = r.at[i * COLUMNS + c];
                    p.at[i * STRIDE<COLUMNS> + c] = of;
                    sums[RESIDUAL + c] += double(of) * double(of);
                    // unknowns that stay are not 0, which would be one that no value has reached
                    found.at[i * COLUMNS + c] = root.at[i] > 0 ? 0 : 1;
                }
            }
            p.store(direction, group, count);
            found.store(x, group, count);
        }
        double first[COLUMNS];
#pragma unroll
        for (int c = 0; c < COLUMNS; ++c) first[c] = sums[RESIDUAL + c];
        reduce_all<THREADS>(first, partial, &state->arrived);
        if (threadIdx.x == 0) {
            for (int c = 0; c < COLUMNS; ++c) now.limit[c] = tolerance * tolerance * first[c];
        }
    }
    __syncthreads();
    while (true) {
        // whole warps, for they store together
        for (unsigned id = thread; id - id % LANES < count; id += threads) {
            real row[COLUMNS] = {};
            if (id < count) {
                real value[STRIDE<COLUMNS>];
#if RECOMPUTES
                sum_fan<true>(rows, id, direction, row);
#else
                sum_row(rows, id, direction, row);
#endif
                load_columns<COLUMNS>(value, direction, id);
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    row[c] = value[c] - row[c];
                    sums[ALONG + c] += double(row[c]) * double(value[c]);
                    sums[SQUARE + c] += double(row[c]) * double(row[c]);
                }
            }
            store_rows(product, staged, id, count, row);
        }
        reduce_all<THREADS>(sums, partial, &state->arrived);
        if (threadIdx.x == 0) {
#pragma unroll
            for (int i = 0; i < SUMS; ++i) now.sums[i] = sums[i];
            choose_steps(now, componentwise);
        }
        __syncthreads();
        if (now.ends) break;
#pragma unroll
        for (int i = 0; i < SUMS; ++i) sums[i] = 0;
        for (unsigned k = thread; k < groups; k += threads) {
            const unsigned group = groups - 1 - k;
            Group<COLUMNS> q, r, found;
            Group<STRIDE<COLUMNS>> p;
            q.load(product, group, count);
            r.load(residual, group, count);
            p.load(direction, group, count);
            if (now.moves) {
                found.load(x, group, count);
#pragma unroll
                for (int i = 0; i < TOGETHER; ++i) {
#pragma unroll
                    for (int c = 0; c < COLUMNS; ++c) {
                        const int at = i * COLUMNS + c;
                        found.at[at] += now.of_direction[c] * p.at[i * STRIDE<COLUMNS> + c] -
                                        now.of_residual[c] * r.at[at];
                    }
                }
                found.store(x, group, count);
            }
#pragma unroll
            for (int i = 0; i < TOGETHER; ++i) {
#pragma unroll
                for (int c = 0; c < COLUMNS; ++c) {
                    real &of = r.at[i * COLUMNS + c], &along = p.at[i * STRIDE<COLUMNS> + c];
                    of -= now.alpha[c] * q.at[i * COLUMNS + c];
                    sums[RESIDUAL + c] += double(of) * double(of);
                    along = of + now.beta[c] * along;
                }
            }
            r.store(residual, group, count);
            p.store(direction, group, count);
            if constexpr (COLUMNS == 1) {
                if (!componentwise || !now.moves) continue;
#pragma unroll
                for (int i = 0; i < TOGETHER; ++i) {
                    const real rest = abs(r.at[i]), whole = abs(found.at[i]);
                    const bool small = whole > 0 && rest <= real(tolerance) * whole;
                    if (group * TOGETHER + i < count && !small) sums[OFF] += 1;
                }
            }
        }
        wait_for_grid(&state->arrived);
    }
    // the last step, if x has not taken it
    for (unsigned group = thread; group < groups; group += threads) {
        Group<COLUMNS> r, found;
        Group<STRIDE<COLUMNS>> p;
        r.load(residual, group, count);
        p.load(direction, group, count);
        found.load(x, group, count);
#pragma unroll
        for (int i = 0; i < TOGETHER; ++i) {
#pragma unroll
            for (int c = 0; c < COLUMNS; ++c) {
                const int at = i * COLUMNS + c;
                found.at[at] += now.carried[c] * (p.at[i * STRIDE<COLUMNS> + c] - r.at[at]);
            }
        }
        found.store(x, group, count);
    }
    // all blocks have read it before they first waited
    if (thread > 0) return;
    for (int c = 0; c < COLUMNS; ++c) {
        state->residual[c] = now.sums[RESIDUAL + c];
        state->limit[c] = now.limit[c];
    }
    state->iterations = now.iterations;
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
