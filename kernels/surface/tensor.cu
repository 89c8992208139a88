// Grids of SAMPLES x SAMPLES points on regular quads of a surface, by sum factorization.
//
// A warp evaluates PATCHES quads at once, without barriers between warps:
//
//     ids and control points             read one and two steps ahead of the work
//     control points c [v 4][u 4]        in shared memory, relative to the net's first
//     -> a lane for every column (quad, u sample): contracts u, then v, in registers
//     -> stage [v sample][u sample]      sent in runs of whole rows
//
// About 12 + 48/SAMPLES multiply-adds a point, so that writing the points is the limit. The
// weights of the samples are for the limit, or for a level of refinement: both are
// products of two functions of one variable over the same four by four control points.
//
// NORMALS: the derivatives by u and v, and unit normals, come along.
//
// Plain reference: src/surface/limit on the CPU (tests/gpu/surface_limit.rs).
#include "surface/normal.cuh"
#include "common/stage.cuh"

constexpr int N = SAMPLES;
constexpr int WARPS = 4;
constexpr int OUTPUTS = NORMALS ? 4 : 1;
constexpr int ORDERS = NORMALS ? 2 : 1;
// quads of a warp: as many as keep its lanes busy, few enough to read ahead
constexpr int PATCHES = N > 16 ? 1 : N > 4 ? LANES / N : 8;
// columns of a lane, and whether a lane keeps all of them under way
constexpr int COLUMNS = (N + LANES - 1) / LANES;
constexpr bool KEEP = COLUMNS == 1 || (!DOUBLE && !NORMALS);
constexpr int KEPT = KEEP ? COLUMNS : 1;

// blocks a multiprocessor holds at least: a bound for the registers
constexpr bool FEW = NORMALS && DOUBLE && (COLUMNS > 1 || __CUDA_ARCH__ < 800);
constexpr int BLOCKS = !NORMALS && !DOUBLE ? 4 : FEW ? 2 : 3;

// rows staged at once: most that divide N and fit; of two stages one is filled while the other
// is sent
constexpr int STAGES = 2;
constexpr int STAGE_BYTES = DOUBLE ? 4096 : 3200;
constexpr int rows() {
    int most = 1;
    for (int n = 2; n <= N; ++n) {
        if (N % n == 0 && PATCHES * n * N * 3 * int(sizeof(real)) <= STAGE_BYTES) most = n;
    }
    return most;
}
constexpr int ROWS = rows();
constexpr int RUN = ROWS * N * 3;
// whether runs are whole vectors wherever a quad's points begin at a multiple of N x N
constexpr bool WHOLE = RUN % VECTOR == 0 && N * N * 3 % VECTOR == 0;
constexpr bool IN_BULK = BULK && WHOLE;
// distance of the quads in the stage: lanes on different banks if that can be
constexpr int stage_patch() {
    constexpr int BANKS = 128 / sizeof(real);
    const int least = (RUN + VECTOR - 1) / VECTOR * VECTOR;
    for (int pad = 0; pad < BANKS; pad += VECTOR) {
        if ((least + pad) % BANKS == 3 * N % BANKS) return least + pad;
    }
    return least + VECTOR;
}
constexpr int STAGE_PATCH = stage_patch();
constexpr int STAGE = PATCHES * STAGE_PATCH;
constexpr int C_PATCH = 16 * 3 + VECTOR;

// Numbers that a lane reads of the control points of a step.
constexpr int READS = (PATCHES * 48 + LANES - 1) / LANES;

struct Patches {
    // [point][3]
    const double* points;
    // [quad][v 4][u 4]: points
    const unsigned* nets;
    // first result of each quad
    const unsigned* starts;
    // bits 0 and 1: no control points beyond the low and high end of u; bits 2 and 3: of v
    const unsigned char* ends;
    // [order][sample][4]
    const real* weights;
    // [result][3] each: positions, derivatives by u and v, normals
    real* outputs[4];
};

// Shared memory of a warp, in reals.
constexpr int WARP_REALS = PATCHES * C_PATCH + (PATCHES * 3 + VECTOR - 1) / VECTOR * VECTOR +
                           STAGES * OUTPUTS * STAGE;
extern "C" __device__ const int surface_tensor_shared = WARPS * WARP_REALS * sizeof(real);

// Contracts u for the column at u sample `u`.
__device__ __forceinline__ void contract(const real* c, const real* weights, real (&x)[4][3]) {
    real b[4];
    load_vectors(b, weights);
#pragma unroll
    for (int v = 0; v < 4; ++v) {
        real line[12];
        load_vectors(line, c + v * 12);
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            x[v][d] = b[0] * line[d] + b[1] * line[3 + d] + b[2] * line[6 + d] + b[3] * line[9 + d];
        }
    }
}

// Sends a run by the copy engine, or counts as one that was sent; one lane does it.
__device__ __forceinline__ void send_run(real* to, const real* run, bool wanted) {
#if BULK
    if (wanted) {
        bulk_copy(to, run, RUN * sizeof(real));
        commit_stage();
    } else {
        commit_stage();
    }
#endif
}

// Stores a run; a warp does it.
__device__ __forceinline__ void store_run(real* to, const real* run, int lane) {
    if constexpr (WHOLE) {
        for (int i = lane; i < RUN / VECTOR; i += LANES) {
            __stcs(reinterpret_cast<Vector*>(to) + i, reinterpret_cast<const Vector*>(run)[i]);
        }
    } else {
        for (int i = lane; i < RUN; i += LANES) __stcs(to + i, run[i]);
    }
}

__device__ __forceinline__ real sum(const real (&b)[4], const real (&x)[4][3], int d) {
    return b[0] * x[0][d] + b[1] * x[1][d] + b[2] * x[2][d] + b[3] * x[3][d];
}

extern "C" __global__ void __launch_bounds__(WARPS* LANES, BLOCKS)
    surface_tensor(const __grid_constant__ Patches patches, unsigned count) {
    extern __shared__ __align__(16) unsigned char memory[];
    __shared__ __align__(16) real weights[ORDERS * N * 4];
    for (int i = threadIdx.x; i < ORDERS * N * 4; i += WARPS * LANES) {
        weights[i] = patches.weights[i];
    }
    __syncthreads();

    const int lane = threadIdx.x % LANES;
    real* const c = reinterpret_cast<real*>(memory) + threadIdx.x / LANES * WARP_REALS;
    real* const origins = c + PATCHES * C_PATCH;
    real* const stages = origins + (PATCHES * 3 + VECTOR - 1) / VECTOR * VECTOR;

    const unsigned groups = (count + PATCHES - 1) / PATCHES;
    const unsigned step = gridDim.x * WARPS;
    const unsigned first = blockIdx.x * WARPS + threadIdx.x / LANES;
    if (first >= groups) return;

    // number k of a lane is component `component_of(k)` of point `control(k)` of the step
    const auto control = [&](int k) { return k / 3 * LANES + (k % 3 * LANES + lane) / 3; };
    const auto component_of = [&](int k) { return (k % 3 * LANES + lane) % 3; };
    unsigned ids[READS];
    double values[READS];
    const auto read_ids = [&](unsigned long long group) {
        if (group >= groups) return;
        // past the last quad the last one's again
        const unsigned long long most = count * 16ull - 1;
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            const unsigned long long at = group * (PATCHES * 16) + control(k);
            ids[k] = __ldg(patches.nets + (at < most ? at : most));
        }
    };
    const auto read_points = [&]() {
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            values[k] = __ldg(patches.points + 3 * size_t(ids[k]) + component_of(k));
        }
    };
    read_ids(first);
    read_points();
    read_ids(static_cast<unsigned long long>(first) + step);

    const int quad = PATCHES == 1 ? 0 : min(lane / N, PATCHES - 1);
    const int own_u = PATCHES == 1 ? lane : lane - quad * N;
    unsigned round = 0;
    for (unsigned long long group = first; group < groups; group += step) {
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            if (control(k) % 16 == 0 && control(k) < PATCHES * 16) {
                origins[control(k) / 16 * 3 + component_of(k)] = real(values[k]);
            }
        }
        __syncwarp();
#pragma unroll
        for (int k = 0; k < READS; ++k) {
            const int at = control(k), d = component_of(k);
            if (at < PATCHES * 16) {
                // as rounded as it is added again
                const double origin = origins[at / 16 * 3 + d];
                c[at / 16 * C_PATCH + at % 16 * 3 + d] = real(values[k] - origin);
            }
        }
        // on their way while this step is evaluated
        if (group + step < groups) read_points();
        read_ids(group + 2ull * step);

        // missing rows of control points are phantoms, 2 near - next: u, then v
        const unsigned long long own = group * PATCHES + lane;
        const unsigned ends = lane < PATCHES && own < count ? __ldg(patches.ends + own) : 0;
        const unsigned start = lane < PATCHES && own < count ? __ldg(patches.starts + own) : 0;
        const unsigned any = __ballot_sync(ALL_LANES, ends != 0);
        __syncwarp();
        if (any != 0) {
#pragma unroll 1
            for (int q = 0; q < PATCHES; ++q) {
                const unsigned sides = __shfl_sync(ALL_LANES, ends, q);
                if (sides == 0) continue;
#pragma unroll 1
                for (int axis = 0; axis < 2; ++axis) {
                    const int along = axis == 0 ? 3 : 12, across = axis == 0 ? 12 : 3;
                    if (lane < 12) {
                        real* const line = c + q * C_PATCH + lane / 3 * across + lane % 3;
                        const real low = line[along], high = line[2 * along];
                        if (sides >> 2 * axis & 1) line[0] = low + low - high;
                        if (sides >> 2 * axis & 2) line[3 * along] = high + high - low;
                    }
                    __syncwarp();
                }
            }
        }

        real x[KEPT][4][3], x_u[NORMALS ? KEPT : 1][4][3];
        const auto prepare = [&](int k, int u) {
            contract(c + quad * C_PATCH, weights + 4 * u, x[k]);
            if (NORMALS) contract(c + quad * C_PATCH, weights + 4 * (N + u), x_u[NORMALS ? k : 0]);
        };
        real origin[3];
#pragma unroll
        for (int d = 0; d < 3; ++d) origin[d] = origins[quad * 3 + d];
        if (KEEP) {
#pragma unroll
            for (int k = 0; k < COLUMNS; ++k) prepare(KEEP ? k : 0, min(own_u + k * LANES, N - 1));
        }
#pragma unroll 1
        for (int row = 0; row < N; row += ROWS) {
            real* const stage = stages + round++ % STAGES * OUTPUTS * STAGE;
            wait_for_stage<IN_BULK ? (STAGES - 1) * OUTPUTS : 0>();
            __syncwarp();
#pragma unroll
            for (int k = 0; k < COLUMNS; ++k) {
                const int u = own_u + k * LANES;
                if (!KEEP) prepare(0, min(u, N - 1));
                const int at = KEEP ? k : 0;
                real* const to = stage + quad * STAGE_PATCH + u * 3;
#pragma unroll 4
                for (int v = 0; v < ROWS; ++v) {
                    real b[4];
                    load_vectors(b, weights + 4 * (row + v));
                    const bool mine = u < N;
#pragma unroll
                    for (int d = 0; d < 3; ++d) {
                        const real position = sum(b, x[at], d) + origin[d];
                        if (mine) to[v * N * 3 + d] = position;
                    }
                    if (!NORMALS) continue;
                    real b_v[4], d_u[3], d_v[3], normal[3];
                    load_vectors(b_v, weights + 4 * (ORDERS - 1) * N + 4 * (row + v));
#pragma unroll
                    for (int d = 0; d < 3; ++d) {
                        d_u[d] = sum(b, x_u[NORMALS ? at : 0], d);
                        d_v[d] = sum(b_v, x[at], d);
                    }
                    unit_normal(d_u, d_v, normal);
#pragma unroll
                    for (int d = 0; d < 3; ++d) {
                        if (!mine) continue;
                        to[STAGE + v * N * 3 + d] = d_u[d];
                        to[2 * STAGE + v * N * 3 + d] = d_v[d];
                        to[3 * STAGE + v * N * 3 + d] = normal[d];
                    }
                }
            }
            publish_stage();
            __syncwarp();
            const size_t from = size_t(start) * 3 + row * N * 3;
            if constexpr (IN_BULK) {
                // a lane per quad
#pragma unroll
                for (int output = 0; output < OUTPUTS; ++output) {
                    const real* const run = stage + output * STAGE + lane * STAGE_PATCH;
                    if (lane < PATCHES) send_run(patches.outputs[output] + from, run, own < count);
                }
            } else {
#pragma unroll 1
                for (int q = 0; q < PATCHES; ++q) {
                    if (group * PATCHES + q >= count) break;
                    const size_t at = __shfl_sync(ALL_LANES, from, q);
#pragma unroll
                    for (int output = 0; output < OUTPUTS; ++output) {
                        store_run(patches.outputs[output] + at,
                                  stage + output * STAGE + q * STAGE_PATCH, lane);
                    }
                }
            }
        }
        // control points are written again
        __syncwarp();
    }
    wait_for_stage();
}
