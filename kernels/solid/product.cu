// Products of element matrices of regular leaves with vectors, without the matrices, in double
// precision.
//
// FORM 0 is the mass, 1 the stiffness of Poisson's equation, 2 elasticity, 3 the same of any material;
// SAMPLES those of an axis.
//
// multiply: a block takes a part, PRODUCT_LEAVES leaves and their control points at most, some
// leaves at a time, and a group of threads a leaf. Plane by plane of samples, along w:
//
//   nets    [w 4][v 4][u 4][xyz, components]   control points, values
//   planes  [order in w][v 4][u 4][...]        a thread an entry
//   lines   [value, by u, by w][v 4][u][...]   a thread three entries
//   g       [uvw][...]                         a thread a sample of the plane
//   fluxes  [uvw][component][v][u]             what g is multiplied to
//   sums    [uvw][component][v][u 4]           a thread an entry
//   results [w 4][v 4][u 4][component]         in registers, some of them a thread
//
// Leaves add their results to those of the part one after another.
//
// gather: a thread a number of a vertex adds the results of parts, in their order. So sums are the
// same on every run.
//
// Plain reference: src/simd/leaf_product.rs (tests/gpu/products.rs).
#include "common/shared.cuh"
#include "common/real.cuh"

constexpr int N = SAMPLES, PLANE = N * N, NET = 64;
constexpr int WIDTH = FORM >= 2 ? 3 : 1, ALL = 3 + WIDTH;
// of a material: a factor, Lame's numbers, or the lower triangle of stresses xx, yy, zz, xy, yz, xz by
// strains, row by row
constexpr int CONSTANTS = FORM == 3 ? 21 : FORM == 2 ? 2 : 1;
constexpr int GROUP = PLANE <= 16 ? 16 : PLANE <= 32 ? 32 : 64;
constexpr int LEAVES = GROUP <= 32 ? 4 : 2, THREADS = LEAVES * GROUP;
// blocks of a multiprocessor, at least: 128 registers a thread for one component, else all there are
constexpr int AT_ONCE = (WIDTH == 1 ? 512 : 256) / THREADS;
// rows of samples that threads have at a time
constexpr int ROWS = GROUP / N;
// control points of a thread, GROUP apart
constexpr int OWN = NET / GROUP;
// the control point of a net that no boundary takes away
constexpr int INNER = 21;
static_assert(PLANE <= GROUP, "a thread a sample");

// Threads of a block, for the host.
extern "C" __device__ const int product_threads = THREADS;

struct Parts {
    // [leaf][64], places among the part's vertices
    const unsigned short* nets;
    // [leaf][CONSTANTS]
    const double* materials;
    // [part + 1]: first leaves and first vertices
    const unsigned *leaves, *firsts;
    const unsigned* vertices;
    // [part]: which tables, [axis][order][sample][control]
    const unsigned* kinds;
    const double* tables;
    // [w][v][u]
    const double* weights;
};

// Makes what the threads of a leaf have written visible to one another.
__device__ __forceinline__ void wait_for_group() {
    if constexpr (GROUP <= LANES) {
        __syncwarp();
    } else {
        __syncthreads();
    }
}

__device__ __forceinline__ double combine(const double* from, int step, const double* by) {
    double sum = from[0] * by[0];
#pragma unroll
    for (int i = 1; i < 4; ++i) sum += from[i * step] * by[i];
    return sum;
}

// Turns gradients, behind those of positions, to what they are multiplied to; g[0][3] of the mass is
// the value.
__device__ __forceinline__ void multiply_sample(double (&g)[3][ALL], double weight,
                                                const double* material) {
    double cofactors[3][3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        const double *const a = g[(d + 1) % 3], *const b = g[(d + 2) % 3];
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            cofactors[d][c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
        }
    }
    const double determinant =
        g[0][0] * cofactors[0][0] + g[0][1] * cofactors[0][1] + g[0][2] * cofactors[0][2];
    if constexpr (FORM == 0) {
        g[0][3] *= material[0] * weight * determinant;
        return;
    }
    const double scale = weight / determinant;
    // det J times derivatives in space, [component][xyz]
    double space[WIDTH][3];
#pragma unroll
    for (int i = 0; i < WIDTH; ++i) {
#pragma unroll
        for (int c = 0; c < 3; ++c) {
            space[i][c] = cofactors[0][c] * g[0][3 + i] + cofactors[1][c] * g[1][3 + i] +
                          cofactors[2][c] * g[2][3 + i];
        }
    }
    double stress[WIDTH][3];
    if constexpr (FORM == 3) {
        constexpr int ROWS[6] = {0, 1, 2, 0, 1, 0}, COLUMNS[6] = {0, 1, 2, 1, 2, 2};
#pragma unroll
        for (int a = 0; a < 6; ++a) {
            double sum = 0;
#pragma unroll
            for (int b = 0; b < 6; ++b) {
                const int i = ROWS[b], j = COLUMNS[b];
                const double strain = b < 3 ? space[i][i] : space[i][j] + space[j][i];
                sum += material[a > b ? a * (a + 1) / 2 + b : b * (b + 1) / 2 + a] * strain;
            }
            stress[ROWS[a]][COLUMNS[a]] = stress[COLUMNS[a]][ROWS[a]] = sum * scale;
        }
    } else if constexpr (FORM == 2) {
        const double first = material[0] * scale, second = material[1] * scale;
        const double pressure = first * (space[0][0] + space[1][1] + space[2][2]);
#pragma unroll
        for (int i = 0; i < 3; ++i) {
#pragma unroll
            for (int c = 0; c < 3; ++c) stress[i][c] = second * (space[i][c] + space[c][i]);
            stress[i][i] += pressure;
        }
    } else {
#pragma unroll
        for (int c = 0; c < 3; ++c) stress[0][c] = material[0] * scale * space[0][c];
    }
#pragma unroll
    for (int d = 0; d < 3; ++d) {
#pragma unroll
        for (int i = 0; i < WIDTH; ++i) {
            g[d][3 + i] = cofactors[d][0] * stress[i][0] + cofactors[d][1] * stress[i][1] +
                          cofactors[d][2] * stress[i][2];
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, AT_ONCE)
    multiply(const __grid_constant__ Parts parts, const double* __restrict__ positions,
             const double* __restrict__ x, double* __restrict__ results) {
    __shared__ double tables[3][2][N][4];
    __shared__ double nets[LEAVES][NET][ALL];
    // what takes turns: no two of a pair are needed at once
    __shared__ union {
        double planes[2][16][ALL];
        double fluxes[3][WIDTH][PLANE];
    } first_of[LEAVES];
    __shared__ union {
        double lines[3][4][N][ALL];
        double sums[3][WIDTH][N][4];
    } second_of[LEAVES];
    __shared__ double materials[LEAVES][CONSTANTS];
    __shared__ double y[host::PRODUCT_VERTICES * WIDTH];
    const unsigned part = blockIdx.x;
    const unsigned first = parts.leaves[part], end = parts.leaves[part + 1];
    const unsigned* const vertices = parts.vertices + parts.firsts[part];
    const unsigned numbers = (parts.firsts[part + 1] - parts.firsts[part]) * WIDTH;
    for (unsigned i = threadIdx.x; i < numbers; i += THREADS) y[i] = 0;
    const double* const from = parts.tables + size_t(parts.kinds[part]) * (24 * N);
    for (unsigned i = threadIdx.x; i < 24 * N; i += THREADS) (&tables[0][0][0][0])[i] = from[i];

    const unsigned slot = threadIdx.x / GROUP, lane = threadIdx.x % GROUP;
    auto& planes = first_of[slot].planes;
    auto& fluxes = first_of[slot].fluxes;
    auto& lines = second_of[slot].lines;
    auto& sums = second_of[slot].sums;
    // a thread's sample of a plane, and its splines
    const int i = lane % N, j = lane / N;
    double along_u[2][4];
    __syncthreads();
#pragma unroll
    for (int a = 0; a < 8; ++a) along_u[a / 4][a % 4] = tables[0][a / 4][i][a % 4];
    for (unsigned start = first; start < end; start += LEAVES) {
        // groups without a leaf follow the last one
        const unsigned leaf = min(start + slot, end - 1);
        const unsigned short* const net = parts.nets + size_t(leaf) * NET;
        const double* const origin = positions + 3 * size_t(vertices[net[INNER]]);
        __syncthreads();
        for (int at = lane; at < CONSTANTS; at += GROUP) {
            materials[slot][at] = parts.materials[size_t(leaf) * CONSTANTS + at];
        }
#pragma unroll
        for (int m = 0; m < OWN; ++m) {
            const unsigned c = lane + m * GROUP;
            const size_t v = vertices[net[c]];
#pragma unroll
            for (int d = 0; d < 3; ++d) nets[slot][c][d] = positions[3 * v + d] - origin[d];
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) nets[slot][c][3 + d] = x[WIDTH * v + d];
        }
        double own[OWN][WIDTH];
#pragma unroll
        for (int m = 0; m < OWN; ++m) {
#pragma unroll
            for (int d = 0; d < WIDTH; ++d) own[m][d] = 0;
        }
        __syncthreads();
#pragma unroll 1
        for (int k = 0; k < N; ++k) {
#pragma unroll 2
            for (int entry = lane; entry < 16 * ALL; entry += GROUP) {
                double line[4];
#pragma unroll
                for (int w = 0; w < 4; ++w) line[w] = (&nets[slot][16 * w][0])[entry];
                (&planes[0][0][0])[entry] = combine(line, 1, tables[2][0][k]);
                (&planes[1][0][0])[entry] = combine(line, 1, tables[2][1][k]);
            }
            wait_for_group();
#pragma unroll 2
            for (int entry = j; entry < 4 * ALL && j < ROWS; entry += ROWS) {
                const int c = entry % ALL, b = entry / ALL;
                double line[4];
#pragma unroll
                for (int a = 0; a < 4; ++a) line[a] = planes[0][4 * b + a][c];
                lines[0][b][i][c] = combine(line, 1, along_u[0]);
                lines[1][b][i][c] = combine(line, 1, along_u[1]);
                lines[2][b][i][c] = combine(&planes[1][4 * b][c], ALL, along_u[0]);
            }
            wait_for_group();
            if (lane < PLANE) {
                double g[3][ALL];
#pragma unroll
                for (int c = 0; c < ALL; ++c) {
                    const int order = FORM == 0 && c == 3 ? 0 : 1;
                    g[0][c] = combine(&lines[order][0][i][c], N * ALL, tables[1][0][j]);
                    g[1][c] = combine(&lines[0][0][i][c], N * ALL, tables[1][1][j]);
                    g[2][c] = combine(&lines[2][0][i][c], N * ALL, tables[1][0][j]);
                }
                multiply_sample(g, parts.weights[k * PLANE + lane], materials[slot]);
#pragma unroll
                for (int d = 0; d < (FORM == 0 ? 1 : 3); ++d) {
#pragma unroll
                    for (int c = 0; c < WIDTH; ++c) fluxes[d][c][lane] = g[d][3 + c];
                }
            }
            wait_for_group();
#pragma unroll 1
            for (int entry = lane; entry < 4 * N * WIDTH; entry += GROUP) {
                const int a = entry % 4, j = entry / 4 % N, c = entry / (4 * N);
#pragma unroll
                for (int d = 0; d < (FORM == 0 ? 1 : 3); ++d) {
                    double sum = 0;
#pragma unroll
                    for (int s = 0; s < N; ++s) {
                        sum += fluxes[d][c][j * N + s] *
                               tables[0][FORM != 0 && d == 0][s][a];
                    }
                    sums[d][c][j][a] = sum;
                }
            }
            wait_for_group();
            const int a = lane % 4, b = lane / 4 % 4;
#pragma unroll
            for (int c = 0; c < WIDTH; ++c) {
                double plain = 0, along = 0;
#pragma unroll
                for (int j = 0; j < N; ++j) {
                    plain += sums[0][c][j][a] * tables[1][0][j][b];
                    if constexpr (FORM != 0) {
                        plain += sums[1][c][j][a] * tables[1][1][j][b];
                        along += sums[2][c][j][a] * tables[1][0][j][b];
                    }
                }
#pragma unroll
                for (int m = 0; m < OWN; ++m) {
                    const int w = (lane + m * GROUP) / 16;
                    own[m][c] += plain * tables[2][0][k][w] + along * tables[2][1][k][w];
                }
            }
        }
#pragma unroll 1
        for (unsigned turn = 0; turn < LEAVES && start + turn < end; ++turn) {
            if (slot == turn) {
#pragma unroll
                for (int m = 0; m < OWN; ++m) {
                    const unsigned to = net[lane + m * GROUP] * WIDTH;
#pragma unroll
                    for (int c = 0; c < WIDTH; ++c) {
                        // places of missing layers, which stand for any other, have 0
                        if (own[m][c] != 0) y[to + c] += own[m][c];
                    }
                }
            }
            __syncthreads();
        }
    }
    __syncthreads();
    double* const to = results + size_t(parts.firsts[part]) * WIDTH;
    for (unsigned i = threadIdx.x; i < numbers; i += THREADS) to[i] = y[i];
}

// y of vertex v: the sum of the results entries[starts[v]] .. entries[starts[v + 1] - 1].
extern "C" __global__ void gather(const unsigned* __restrict__ starts,
                                  const unsigned* __restrict__ entries,
                                  const double* __restrict__ results, double* __restrict__ y,
                                  unsigned numbers) {
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= numbers) return;
    const unsigned v = i / WIDTH, d = i % WIDTH;
    double sum = 0;
    for (unsigned e = starts[v]; e < starts[v + 1]; ++e) {
        sum += results[size_t(entries[e]) * WIDTH + d];
    }
    y[i] = sum;
}
