// Matrices of finite elements: of the leaves of a batch, and their sum by rows, in double
// precision.
//
// FORM 0 is the mass matrix, 1 the stiffness of Poisson's equation, 2 elasticity, 3 the same of any
// material. An element
// matrix is one or nine planes, [leaf][plane][control][control]: plane 3 i + j has the entries of
// displacements i and j.
//
// element_matrices: a block takes 32 x 32 pairs of control points of a leaf, on or below the
// diagonal, and sums over the samples, CHUNK at a time. It turns the table's derivatives into those
// in space on their way to shared memory, where rows are weighted and columns are not. A warp
// multiplies blocks of 8 x 8 pairs, for elasticity with all nine products of derivatives, on the
// matrix units where they take double precision. Entries above the diagonal are those below it.
//
// add_rows: a block takes a row of the sparse matrix, in shared memory, and adds the rows of element
// matrices in the order of the leaves, so that sums are the same however leaves come in batches.
// A warp adds one row of blocks; columns are found by bisection.
//
// Plain reference: src/assembly on the CPU (tests/gpu/assembly.rs).
#include "common/shared.cuh"
#include "common/real.cuh"

constexpr int COMPONENTS = FORM == 0 ? 1 : 3;
constexpr bool ELASTIC = FORM >= 2;
constexpr int WIDTH = ELASTIC ? 3 : 1, PLANES = WIDTH * WIDTH;
constexpr int TILE = host::ASSEMBLY_TILE, CHUNK = 8;
// pairs along a side of a block, samples of a product, and blocks of a warp down and across
constexpr int BLOCK = 8, DEPTH = 4, DOWN = ELASTIC ? 1 : 2, ACROSS = 2;
constexpr int WARPS_DOWN = TILE / BLOCK / DOWN, WARPS_ACROSS = TILE / BLOCK / ACROSS;
constexpr int THREADS = LANES * WARPS_DOWN * WARPS_ACROSS;
// numbers of a sample in shared memory: lanes of a product read from different banks
constexpr int STRIDE = COMPONENTS * TILE + 4;
// blocks of threads of a multiprocessor: sums without matrix units take more registers
#if __CUDA_ARCH__ >= 800
constexpr int AT_ONCE = ELASTIC ? 2 : 6;
#else
constexpr int AT_ONCE = 1;
#endif
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

// Density or conductivity; Lame's numbers; or the lower triangle of stresses xx, yy, zz, xy, yz, xz by
// strains, row by row.
constexpr int CONSTANTS = FORM == 3 ? 21 : FORM == 2 ? 2 : 1;

struct Material {
    double at[CONSTANTS];

    // C_ikjl
    __device__ __forceinline__ double component(int i, int k, int j, int l) const {
        const int a = i == k ? i : i + k == 1 ? 3 : i + k == 3 ? 4 : 5;
        const int b = j == l ? j : j + l == 1 ? 3 : j + l == 3 ? 4 : 5;
        return a > b ? at[a * (a + 1) / 2 + b] : at[b * (b + 1) / 2 + a];
    }
};

// What a thread brings to shared memory: one sample of each chunk, of several control points.
struct Sample {
    const Leaves& leaves;
    unsigned index;
    double weight, inverse[3][3];

    __device__ __forceinline__ Sample(const Leaves& leaves, unsigned leaf, unsigned index)
        : leaves(leaves), index(index), weight(0) {
        if (index >= leaves.samples) return;
        const size_t at = size_t(leaf) * leaves.samples + index;
        weight = __ldg(leaves.measures + at);
        if constexpr (FORM != 0) {
            const double* const from = leaves.inverses + 9 * at;
#pragma unroll
            for (int i = 0; i < 9; ++i) inverse[i / 3][i % 3] = __ldg(from + i);
        }
    }

    // Functions of control point `c`, [component]: N, or its derivatives in space.
    __device__ __forceinline__ void load(unsigned c, double (&to)[COMPONENTS]) const {
#pragma unroll
        for (int d = 0; d < COMPONENTS; ++d) to[d] = 0;
        if (c >= leaves.controls || index >= leaves.samples) return;
        const double* const from = leaves.table + size_t(c) * 4 * leaves.samples + index;
        if constexpr (FORM == 0) {
            to[0] = __ldg(from);
        } else {
#pragma unroll
            for (int j = 0; j < 3; ++j) {
                const double n = __ldg(from + size_t(1 + j) * leaves.samples);
#pragma unroll
                for (int d = 0; d < 3; ++d) to[d] += n * inverse[j][d];
            }
        }
    }
};

// Adds a block of rows times one of columns, DEPTH samples of each: a lane has row lane / 4 and
// column lane / 4 at sample lane % 4, and sums of row lane / 4 and columns 2 (lane % 4) + {0, 1}.
__device__ __forceinline__ void multiply(double (&sums)[2], double row, double column) {
#if __CUDA_ARCH__ >= 800
    asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+d"(sums[0]), "+d"(sums[1])
        : "d"(row), "d"(column));
#else
    const unsigned lane = threadIdx.x % LANES;
#pragma unroll
    for (int k = 0; k < DEPTH; ++k) {
        const double own = __shfl_sync(ALL_LANES, row, lane / DEPTH * DEPTH + k);
#pragma unroll
        for (int h = 0; h < 2; ++h) {
            sums[h] += own * __shfl_sync(ALL_LANES, column, (2 * (lane % DEPTH) + h) * DEPTH + k);
        }
    }
#endif
}

extern "C" __global__ void __launch_bounds__(THREADS, AT_ONCE)
    element_matrices(const __grid_constant__ Leaves leaves,
                     const __grid_constant__ Material material, double* __restrict__ matrices) {
    __shared__ double rows[CHUNK * STRIDE], columns[CHUNK * STRIDE];
    const unsigned count = leaves.controls;
    const unsigned tiles = (count + TILE - 1) / TILE, pairs = tiles * (tiles + 1) / 2;
    const unsigned leaf = blockIdx.x / pairs;
    // tile of rows and, not after it, of columns
    unsigned low = 0, left = blockIdx.x % pairs;
    while (left > low) left -= ++low;

    const unsigned warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    const unsigned y = BLOCK * DOWN * (warp / WARPS_ACROSS);
    const unsigned x = BLOCK * ACROSS * (warp % WARPS_ACROSS);
    double sums[DOWN][ACROSS][PLANES][2];
#pragma unroll
    for (int i = 0; i < DOWN * ACROSS * PLANES * 2; ++i) {
        sums[i / (2 * PLANES * ACROSS)][i / (2 * PLANES) % ACROSS][i / 2 % PLANES][i % 2] = 0;
    }
    for (unsigned start = 0; start < leaves.samples; start += CHUNK) {
        __syncthreads();
        const unsigned at = threadIdx.x % CHUNK;
        const Sample sample(leaves, leaf, start + at);
#pragma unroll
        for (unsigned c = threadIdx.x / CHUNK; c < TILE; c += THREADS / CHUNK) {
            double* const row = rows + at * STRIDE + c;
            double* const column = columns + at * STRIDE + c;
            double functions[COMPONENTS];
            sample.load(low * TILE + c, functions);
#pragma unroll
            for (int d = 0; d < COMPONENTS; ++d) row[d * TILE] = sample.weight * functions[d];
            if (left != low) sample.load(left * TILE + c, functions);
#pragma unroll
            for (int d = 0; d < COMPONENTS; ++d) column[d * TILE] = functions[d];
        }
        __syncthreads();
#pragma unroll
        for (int k = 0; k < CHUNK; k += DEPTH) {
            const unsigned from = (k + lane % DEPTH) * STRIDE + lane / DEPTH;
            double a[COMPONENTS][DOWN], b[COMPONENTS][ACROSS];
#pragma unroll
            for (int d = 0; d < COMPONENTS; ++d) {
#pragma unroll
                for (int r = 0; r < DOWN; ++r) a[d][r] = rows[from + d * TILE + y + BLOCK * r];
#pragma unroll
                for (int c = 0; c < ACROSS; ++c) b[d][c] = columns[from + d * TILE + x + BLOCK * c];
            }
#pragma unroll
            for (int i = 0; i < COMPONENTS; ++i) {
#pragma unroll
                for (int r = 0; r < DOWN; ++r) {
#pragma unroll
                    for (int c = 0; c < ACROSS; ++c) {
                        if constexpr (ELASTIC) {
#pragma unroll
                            for (int j = 0; j < 3; ++j) {
                                multiply(sums[r][c][3 * i + j], a[i][r], b[j][c]);
                            }
                        } else {
                            multiply(sums[r][c][0], a[i][r], b[i][c]);
                        }
                    }
                }
            }
        }
    }

    double* const own = matrices + size_t(leaf) * PLANES * count * count;
#pragma unroll
    for (int n = 0; n < DOWN * ACROSS * 2; ++n) {
        const int r = n / (2 * ACROSS), c = n / 2 % ACROSS, h = n % 2;
        const unsigned row = low * TILE + y + BLOCK * r + lane / DEPTH;
        const unsigned column = left * TILE + x + BLOCK * c + 2 * (lane % DEPTH) + h;
        if (row >= count || column > row) continue;
        double p[PLANES];
#pragma unroll
        for (int i = 0; i < PLANES; ++i) p[i] = sums[r][c][i][h];
        double entries[PLANES];
        // exactly symmetric on the diagonal, as the products are but for rounding
        if constexpr (ELASTIC) {
            if (row == column) p[1] = p[3], p[2] = p[6], p[5] = p[7];
        }
        if constexpr (FORM == 3) {
#pragma unroll
            for (int i = 0; i < 9; ++i) {
                entries[i] = 0;
#pragma unroll
                for (int k = 0; k < 9; ++k) {
                    entries[i] += material.component(i / 3, k / 3, i % 3, k % 3) * p[k];
                }
            }
        } else if constexpr (FORM == 2) {
            const double shear = material.at[1] * (p[0] + p[4] + p[8]);
#pragma unroll
            for (int i = 0; i < 3; ++i) {
#pragma unroll
                for (int j = 0; j < 3; ++j) {
                    entries[3 * i + j] = material.at[0] * p[3 * i + j] + material.at[1] * p[3 * j + i];
                }
                entries[4 * i] += shear;
            }
        } else {
            entries[0] = material.at[0] * p[0];
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
