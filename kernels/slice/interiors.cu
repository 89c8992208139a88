// Which pixels of layers are in a solid, where, and what attributes are there.
//
//     tiles of pixels x parts that may hold some ─▶ claims ─▶ rows counted ─▶ lists of pixels
//                                                                          ─▶ attribute values
//
// A thread per pixel looks at the parts of its tile in their order: the first that holds its center
// has it. Images are [layer][row][column].
//
// Plain reference: src/slice/interior on the CPU (tests/gpu/interiors.rs).
#include "common/shared.cuh"
#include "locate/newton.cuh"

// columns and rows of a tile
constexpr int TILE[2] = {host::TILE_COLUMNS, host::TILE_ROWS};
constexpr int THREADS = host::INTERIOR_THREADS;
constexpr unsigned LEFT = NONE - 1;
// How far around a covered pixel one with its center inside is looked for.
constexpr int AROUND = 2;

struct Grid {
    double origin[2], pitch[2];
    unsigned columns, rows, layers;
    // numbers of the plane's own axes, and of the one across it
    unsigned along[2], across;
};

// Where the pixels of images are: [pixel].
struct Claims {
    // NONE, or LEFT to the CPU
    unsigned* pieces;
    // [3], in the element
    double* parameters;
};

// Lists of pixels, all layers one after the other.
struct Lists {
    // row * columns + column
    unsigned *pixels, *pieces;
    double* parameters;
};

// Boxes of parameters.
struct Piece {
    double origin[3], size[3];
};

__device__ __forceinline__ void claim(const Claims& claims, size_t at, unsigned piece,
                                      const double (&p)[3]) {
    claims.pieces[at] = piece;
#pragma unroll
    for (int d = 0; d < 3; ++d) claims.parameters[3 * at + d] = p[d];
}

// A block a tile, a warp a quarter of 8 x 4 pixels. `starts`: of the parts of each tile,
// and the end of the last ones.
extern "C" __global__ void __launch_bounds__(THREADS)
    claim_pixels(const Part* __restrict__ parts, const double* __restrict__ points,
                 const __grid_constant__ Grid grid, const double* __restrict__ heights,
                 const unsigned* __restrict__ starts, const unsigned* __restrict__ tile_parts,
                 const __grid_constant__ Claims claims) {
    const unsigned across = (grid.columns + TILE[0] - 1) / TILE[0];
    const unsigned up = (grid.rows + TILE[1] - 1) / TILE[1];
    const unsigned layer = blockIdx.x / (across * up), tile = blockIdx.x % (across * up);
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    const unsigned column = tile % across * TILE[0] + warp % 2 * 8 + lane % 8;
    const unsigned row = tile / across * TILE[1] + warp / 2 * 4 + lane / 8;
    if (column >= grid.columns || row >= grid.rows) return;
    const size_t at = (size_t(layer) * grid.rows + row) * grid.columns + column;
    // rounded as the CPU does, so that pixels on the sides of parts are the same
    const double center[2] = {
        __dadd_rn(grid.origin[0], __dmul_rn(grid.pitch[0], double(column) + 0.5)),
        __dadd_rn(grid.origin[1], __dmul_rn(grid.pitch[1], double(row) + 0.5))};
    double x[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        x[d] = d == grid.along[0] ? center[0] : d == grid.along[1] ? center[1] : heights[layer];
    }
    unsigned item = __ldg(starts + blockIdx.x);
    const unsigned end = __ldg(starts + blockIdx.x + 1);
    while (true) {
        // every lane goes on to its next part; then all of them compute
        unsigned candidate = NONE;
        double t[3];
        while (candidate == NONE && item < end) {
            const unsigned part = __ldg(tile_parts + item);
            ++item;
            if (guess(parts[part], x, t)) candidate = part;
        }
        if (candidate == NONE) break;
        const Part& part = parts[candidate];
        const Answer answer = decide(part, points, x, t);
        if (answer == Answer::undecided) {
            claims.pieces[at] = LEFT;
            return;
        }
        if (answer == Answer::inside) {
            double p[3];
            in_element(part, t, p);
            claim(claims, at, part.piece, p);
            return;
        }
    }
    claims.pieces[at] = NONE;
}

// What the CPU found for pixels: where they are, piece, parameters.
extern "C" __global__ void __launch_bounds__(THREADS)
    settle_pixels(const unsigned long long* __restrict__ places,
                  const unsigned* __restrict__ pieces, const double* __restrict__ parameters,
                  unsigned count, const __grid_constant__ Claims claims) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const double p[3] = {parameters[3 * i], parameters[3 * i + 1], parameters[3 * i + 2]};
    claim(claims, places[i], pieces[i], p);
}

// Which pixels are listed: left to the CPU, inside, or in a mask.
enum Listed : unsigned { LISTED_LEFT, LISTED_INSIDE, LISTED_MASKED };

__device__ __forceinline__ bool is_listed(unsigned listed, const Claims& claims,
                                          const unsigned char* mask, size_t at) {
    if (listed == LISTED_MASKED) return mask[at] != 0;
    const unsigned piece = claims.pieces[at];
    return listed == LISTED_LEFT ? piece == LEFT : piece < LEFT;
}

// Listed pixels of every row, a block per row.
extern "C" __global__ void __launch_bounds__(THREADS)
    count_rows(const __grid_constant__ Grid grid, const __grid_constant__ Claims claims,
               const unsigned char* __restrict__ mask, unsigned listed,
               unsigned* __restrict__ counts) {
    const size_t first = size_t(blockIdx.x) * grid.columns;
    unsigned count = 0;
    for (unsigned begin = 0; begin < grid.columns; begin += THREADS) {
        const unsigned column = begin + threadIdx.x;
        const bool own = column < grid.columns && is_listed(listed, claims, mask, first + column);
        count += __syncthreads_count(own);
    }
    if (threadIdx.x == 0) counts[blockIdx.x] = count;
}

constexpr int SCANNERS = host::SCAN_THREADS;

// Counts of rows to where they start, with the end of the last: count + 1 numbers, by one block.
extern "C" __global__ void __launch_bounds__(SCANNERS)
    scan_rows(const unsigned* __restrict__ counts, unsigned count,
              unsigned long long* __restrict__ starts) {
    __shared__ unsigned long long sums[SCANNERS];
    unsigned long long before = 0;
    for (unsigned begin = 0; begin < count; begin += SCANNERS) {
        const unsigned i = begin + threadIdx.x;
        const unsigned own = i < count ? counts[i] : 0;
        sums[threadIdx.x] = own;
        __syncthreads();
        for (unsigned step = 1; step < SCANNERS; step *= 2) {
            const unsigned long long lower =
                threadIdx.x >= step ? sums[threadIdx.x - step] : 0;
            __syncthreads();
            sums[threadIdx.x] += lower;
            __syncthreads();
        }
        if (i < count) starts[i] = before + sums[threadIdx.x] - own;
        before += sums[SCANNERS - 1];
        __syncthreads();
    }
    if (threadIdx.x == 0) starts[count] = before;
}

// The closest pixel around that is inside, of several the lowest, then the leftmost; or none.
__device__ __forceinline__ bool taken_over(const Grid& grid, const Claims& claims, size_t image,
                                           int row, int column, size_t& from) {
    int best = 1 << 30;
    for (int r = max(row - AROUND, 0); r <= min(row + AROUND, int(grid.rows) - 1); ++r) {
        for (int c = max(column - AROUND, 0); c <= min(column + AROUND, int(grid.columns) - 1);
             ++c) {
            const int squared = (r - row) * (r - row) + (c - column) * (c - column);
            const size_t at = image + size_t(r) * grid.columns + c;
            if (squared < best && claims.pieces[at] < LEFT) {
                best = squared;
                from = at;
            }
        }
    }
    return best < 1 << 30;
}

// Lists the pixels of every row, a block per row. Of those left to the CPU only their places.
extern "C" __global__ void __launch_bounds__(THREADS)
    list_rows(const __grid_constant__ Grid grid, const __grid_constant__ Claims claims,
              const unsigned char* __restrict__ mask, unsigned listed,
              const unsigned long long* __restrict__ starts,
              const __grid_constant__ Lists lists) {
    __shared__ unsigned in_warp[THREADS / LANES];
    const unsigned row = blockIdx.x % grid.rows;
    const size_t image = size_t(blockIdx.x / grid.rows) * grid.rows * grid.columns;
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    size_t start = starts[blockIdx.x];
    for (unsigned begin = 0; begin < grid.columns; begin += THREADS) {
        const unsigned column = begin + threadIdx.x;
        const unsigned pixel = row * grid.columns + column;
        const bool own = column < grid.columns && is_listed(listed, claims, mask, image + pixel);
        const unsigned lanes = __ballot_sync(ALL_LANES, own);
        if (lane == 0) in_warp[warp] = __popc(lanes);
        __syncthreads();
        size_t to = start + __popc(lanes & (1u << lane) - 1);
        for (unsigned w = 0; w < THREADS / LANES; ++w) {
            if (w < warp) to += in_warp[w];
            start += in_warp[w];
        }
        __syncthreads();
        if (!own) continue;
        lists.pixels[to] = pixel;
        if (listed == LISTED_LEFT) continue;
        size_t from = image + pixel;
        const bool inside =
            claims.pieces[from] < LEFT || taken_over(grid, claims, image, row, column, from);
        lists.pieces[to] = inside ? claims.pieces[from] : NONE;
        for (int d = 0; d < 3 && inside; ++d) {
            lists.parameters[3 * to + d] = claims.parameters[3 * from + d];
        }
    }
}

// An attribute of listed pixels, [pixel][width], from its Bézier points,
// [piece][w][v][u][width].
extern "C" __global__ void __launch_bounds__(THREADS)
    pixel_values(const __grid_constant__ Lists lists, unsigned long long count,
                 const Piece* __restrict__ pieces, const double* __restrict__ points,
                 unsigned width, double* __restrict__ values) {
    const size_t i = size_t(blockIdx.x) * THREADS + threadIdx.x;
    if (i >= count || lists.pieces[i] >= LEFT) return;
    const Piece& piece = pieces[lists.pieces[i]];
    double t[3], u[4], v[4], slopes[4];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        t[d] = (lists.parameters[3 * i + d] - piece.origin[d]) / piece.size[d];
    }
    bernstein(t[0], u, slopes);
    bernstein(t[1], v, slopes);
    const double* const own = points + size_t(64) * width * lists.pieces[i];
    for (unsigned c = 0; c < width; ++c) {
        double sum = 0.0;
#pragma unroll 1
        for (int k = 0; k < 4; ++k) {
            const double w = bernstein(t[2], k).x;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                const double weight = v[j] * w;
#pragma unroll
                for (int l = 0; l < 4; ++l) {
                    sum += u[l] * weight * __ldg(own + size_t(width) * (16 * k + 4 * j + l) + c);
                }
            }
        }
        values[width * i + c] = sum;
    }
}
