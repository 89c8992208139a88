// Matrices of finite elements: those of the leaves of a batch, and their sum by rows, in double
// precision.
//
// FORM 0 is the mass matrix, 1 the stiffness of Poisson's equation, 2 elasticity. An element
// matrix is one or nine planes, [leaf][plane][control][control]: plane 3 i + j has the entries of
// displacements i and j.
//
// element_matrices: a block takes 32 x 32 pairs of control points of a leaf, on or below the
// diagonal, and sums over the samples, CHUNK at a time. It turns the table's derivatives into those
// in space on their way to shared memory, where rows are weighted and columns are not. A thread has
// EACH x EACH pairs, for elasticity with all nine products of derivatives. Entries above the
// diagonal are those below it.
//
// add_rows: a block takes a row of the sparse matrix, in shared memory, and adds the rows of element
// matrices in the order of the leaves, so that sums are the same however leaves come in batches.
// A warp adds one row of blocks; columns are found by bisection.
//
// Plain reference: src/assembly on the CPU (tests/gpu/assembly.rs).
#include "common/real.cuh"

constexpr int COMPONENTS = FORM == 0 ? 1 : 3;
constexpr int WIDTH = FORM == 2 ? 3 : 1, PLANES = WIDTH * WIDTH;
constexpr int TILE = 32, CHUNK = 8;
// of a thread along either side of the tile
constexpr int EACH = FORM == 2 ? 2 : 4;
constexpr int SIDE = TILE / EACH, THREADS = SIDE * SIDE;
// a warp's threads along columns and rows of the tile
constexpr int ACROSS = 8, DOWN = LANES / ACROSS;
// numbers of a sample in shared memory: samples lie in different banks
constexpr int STRIDE = COMPONENTS * TILE + 2;
// entries of a sparse row at a time
constexpr int WINDOW = 384;

// The leaves of a batch.
struct Leaves {
    // N and its derivatives by u, v, w, [control][4][sample]
    const double* table;
    // [leaf][sample], and [leaf][sample][uvw][xyz]
    const double *measures, *inverses;
    unsigned controls, samples;
};

// Density or conductivity and 0; or Lame's numbers.
struct Material {
    double first, second;
};

// Functions of control point `c` at a sample, [component]: N, or its derivatives in space.
__device__ __forceinline__ void load(const Leaves& leaves, unsigned leaf, unsigned c,
                                     unsigned sample, double (&to)[COMPONENTS], double& weight) {
#pragma unroll
    for (int d = 0; d < COMPONENTS; ++d) to[d] = 0;
    weight = 0;
    if (c >= leaves.controls || sample >= leaves.samples) return;
    const double* const from = leaves.table + size_t(c) * 4 * leaves.samples + sample;
    const size_t at = size_t(leaf) * leaves.samples + sample;
    weight = __ldg(leaves.measures + at);
    if constexpr (FORM == 0) {
        to[0] = __ldg(from);
    } else {
        const double* const inverse = leaves.inverses + 9 * at;
#pragma unroll
        for (int j = 0; j < 3; ++j) {
            const double n = __ldg(from + size_t(1 + j) * leaves.samples);
#pragma unroll
            for (int d = 0; d < 3; ++d) to[d] += n * __ldg(inverse + 3 * j + d);
        }
    }
}

extern "C" __global__ void __launch_bounds__(THREADS, 512 / THREADS)
    element_matrices(const __grid_constant__ Leaves leaves,
                     const __grid_constant__ Material material, double* __restrict__ matrices) {
    __shared__ __align__(16) double rows[CHUNK * STRIDE];
    __shared__ __align__(16) double columns[CHUNK * STRIDE];
    const unsigned count = leaves.controls;
    const unsigned tiles = (count + TILE - 1) / TILE, pairs = tiles * (tiles + 1) / 2;
    const unsigned leaf = blockIdx.x / pairs;
    // tile of rows and, not after it, of columns
    unsigned low = 0, left = blockIdx.x % pairs;
    while (left > low) left -= ++low;

    const unsigned warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    constexpr unsigned WARPS_ACROSS = SIDE / ACROSS;
    const unsigned x = EACH * (warp % WARPS_ACROSS * ACROSS + lane % ACROSS);
    const unsigned y = EACH * (warp / WARPS_ACROSS * DOWN + lane / ACROSS);
    double sums[EACH][EACH][PLANES];
#pragma unroll
    for (int i = 0; i < EACH * EACH * PLANES; ++i) {
        sums[i / (EACH * PLANES)][i / PLANES % EACH][i % PLANES] = 0;
    }
    for (unsigned start = 0; start < leaves.samples; start += CHUNK) {
        __syncthreads();
        for (unsigned i = threadIdx.x; i < TILE * CHUNK; i += THREADS) {
            const unsigned k = i % CHUNK, c = i / CHUNK;
            double* const row = rows + k * STRIDE + c;
            double* const column = columns + k * STRIDE + c;
            double functions[COMPONENTS], weight;
            load(leaves, leaf, low * TILE + c, start + k, functions, weight);
#pragma unroll
            for (int d = 0; d < COMPONENTS; ++d) {
                row[d * TILE] = weight * functions[d];
                if (left == low) column[d * TILE] = functions[d];
            }
            if (left == low) continue;
            load(leaves, leaf, left * TILE + c, start + k, functions, weight);
#pragma unroll
            for (int d = 0; d < COMPONENTS; ++d) column[d * TILE] = functions[d];
        }
        __syncthreads();
#pragma unroll 2
        for (int k = 0; k < CHUNK; ++k) {
            double a[COMPONENTS][EACH], b[COMPONENTS][EACH];
#pragma unroll
            for (int d = 0; d < COMPONENTS; ++d) {
                load_pairs(a[d], rows + k * STRIDE + d * TILE + y);
                load_pairs(b[d], columns + k * STRIDE + d * TILE + x);
            }
#pragma unroll
            for (int r = 0; r < EACH; ++r) {
#pragma unroll
                for (int c = 0; c < EACH; ++c) {
#pragma unroll
                    for (int i = 0; i < COMPONENTS; ++i) {
                        if constexpr (FORM == 2) {
#pragma unroll
                            for (int j = 0; j < 3; ++j) sums[r][c][3 * i + j] += a[i][r] * b[j][c];
                        } else {
                            sums[r][c][0] += a[i][r] * b[i][c];
                        }
                    }
                }
            }
        }
    }

    double* const own = matrices + size_t(leaf) * PLANES * count * count;
#pragma unroll
    for (int r = 0; r < EACH; ++r) {
#pragma unroll
        for (int c = 0; c < EACH; ++c) {
            const unsigned row = low * TILE + y + r, column = left * TILE + x + c;
            if (row >= count || column > row) continue;
            double(&p)[PLANES] = sums[r][c];
            double entries[PLANES];
            if constexpr (FORM == 2) {
                // exactly symmetric on the diagonal, as the products are but for rounding
                if (row == column) p[1] = p[3], p[2] = p[6], p[5] = p[7];
                const double shear = material.second * (p[0] + p[4] + p[8]);
#pragma unroll
                for (int i = 0; i < 3; ++i) {
#pragma unroll
                    for (int j = 0; j < 3; ++j) {
                        entries[3 * i + j] =
                            material.first * p[3 * i + j] + material.second * p[3 * j + i];
                    }
                    entries[4 * i] += shear;
                }
            } else {
                entries[0] = material.first * p[0];
            }
#pragma unroll
            for (int i = 0; i < WIDTH; ++i) {
#pragma unroll
                for (int j = 0; j < WIDTH; ++j) {
                    const double entry = entries[WIDTH * i + j];
                    own[(size_t(WIDTH * i + j) * count + row) * count + column] = entry;
                    own[(size_t(WIDTH * j + i) * count + column) * count + row] = entry;
                }
            }
        }
    }
}

// The sparse matrix: entries of row r are starts[r] .. starts[r + 1], [entry][PLANES].
struct Sparse {
    const unsigned long long* starts;
    const unsigned* columns;
    double* values;
};

// Row r of these is row rows[r] of the sparse matrix, and has the rows
// entries[starts[r] .. starts[r + 1]] of element matrices: leaf times controls plus control.
struct Rows {
    const unsigned *rows, *starts, *entries;
    // vertices, [leaf][control]
    const unsigned* ids;
    unsigned controls;
};

extern "C" __global__ void __launch_bounds__(WIDTH* LANES)
    add_rows(const __grid_constant__ Sparse sparse, const __grid_constant__ Rows rows,
             const double* __restrict__ matrices) {
    __shared__ double values[WINDOW * PLANES];
    __shared__ unsigned columns[WINDOW];
    const unsigned row = rows.rows[blockIdx.x], count = rows.controls;
    const unsigned first = rows.starts[blockIdx.x], end = rows.starts[blockIdx.x + 1];
    const unsigned i = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const unsigned long long last = sparse.starts[row + 1];
    for (unsigned long long at = sparse.starts[row]; at < last; at += WINDOW) {
        const unsigned length = unsigned(min(last - at, (unsigned long long)WINDOW));
        double* const from = sparse.values + PLANES * at;
        for (unsigned k = threadIdx.x; k < PLANES * length; k += blockDim.x) values[k] = from[k];
        for (unsigned k = threadIdx.x; k < length; k += blockDim.x) {
            columns[k] = __ldg(sparse.columns + at + k);
        }
        __syncthreads();
        for (unsigned e = first; e < end; ++e) {
            const unsigned entry = __ldg(rows.entries + e);
            const unsigned leaf = entry / count, a = entry % count;
            const unsigned* const ids = rows.ids + size_t(leaf) * count;
            const double* const plane =
                matrices + ((size_t(leaf) * PLANES + WIDTH * i) * count + a) * count;
            for (unsigned b = lane; b < count; b += LANES) {
                const unsigned id = __ldg(ids + b);
                double added[WIDTH];
#pragma unroll
                for (int j = 0; j < WIDTH; ++j) {
                    added[j] = __ldcs(plane + size_t(j) * count * count + b);
                }
                unsigned low = 0, high = length;
                while (low < high) {
                    const unsigned middle = (low + high) / 2;
                    if (columns[middle] < id) {
                        low = middle + 1;
                    } else {
                        high = middle;
                    }
                }
                if (low == length || columns[low] != id) continue;
#pragma unroll
                for (int j = 0; j < WIDTH; ++j) values[PLANES * low + WIDTH * i + j] += added[j];
            }
            __syncwarp();
        }
        __syncthreads();
        for (unsigned k = threadIdx.x; k < PLANES * length; k += blockDim.x) from[k] = values[k];
        __syncthreads();
    }
}
