// Pixels of lattices: runs of pixels that a layer covers, each in a region with polynomials of the
// parameters (u, v, w), of the size if pixels have their own, and of the Jacobian.
//
//     region x row      polynomials of two variables -> of one, a warp a run
//     pixel of the run  parameters -> place in a tile -> distance from its surface -> part that is
//                       material -> coverage without the void
//
// The same steps as src/slice/interior/polynomial.rs and src/slice/lattice on the CPU, compiled
// without contraction of products and sums, so that the pixels are the same bit by bit.
//
// Plain reference: src/slice/lattice (tests/gpu/lattice.rs).
#include "common/constants.cuh"
#include "common/shared.cuh"

constexpr int THREADS = host::LATTICE_THREADS;
constexpr int WARPS = THREADS / LANES;
constexpr int POWERS = host::REGION_POWERS;
// parameters, a size, the Jacobian
constexpr int QUANTITIES = 13;
constexpr double TAU = 6.283185307179586;
constexpr double LEAST = 2.2250738585072014e-308;
constexpr double FULL = 65535.0;

enum Function : unsigned { STRUTS, SCHWARZ_P, IWP };

struct Lattice {
    // of each strut: a point of its axis, and the direction
    const double (*struts)[2][3];
    // values of F at points spread evenly, ascending, if pixels have densities
    const double* densities;
    double per_cell, size, pitch[2];
    unsigned strut_count, density_count;
    Function function;
    // walls or struts with a thickness, not F up to a level; the part of a pixel, not its middle;
    // a size at each pixel
    unsigned is_wall, is_area, has_sizes;
    // axes in space of the columns' and the rows' coordinate
    unsigned along[2];
};

// Pixels between two rows and two lines: columns at both rows, left and right.
struct Region {
    double rows[2], low[2], high[2];
    // halves of an edge of a cell
    double halves;
    unsigned first, padding;
};

// [along the rows: Chebyshev polynomial][across: power]
struct Polynomial {
    unsigned first;
    unsigned short count, powers;
};

struct Regions {
    const Region* all;
    const Polynomial* polynomials;
    const double* coefficients;
};

struct Run {
    unsigned to, from, count, region;
};

// Polynomials along the pixels of a row, and their variable: (column - middle) scale.
struct Row {
    double quantities[QUANTITIES][POWERS];
    int powers[QUANTITIES];
};

struct Wave {
    double sine, cosine;
};

// What is next to a point: the distance from the surface or from the middle of the wall, and the unit
// vector away from it.
struct Nearest {
    double distance, normal[3];
};

__device__ __forceinline__ double infinity() { return __longlong_as_double(0x7ff0000000000000ll); }

__device__ __forceinline__ double dot(const double (&a)[3], const double (&b)[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

__device__ __forceinline__ void cross(const double (&a)[3], const double (&b)[3],
                                      double (&to)[3]) {
    to[0] = a[1] * b[2] - a[2] * b[1];
    to[1] = a[2] * b[0] - a[0] * b[2];
    to[2] = a[0] * b[1] - a[1] * b[0];
}

__device__ __forceinline__ double axis(const double (&v)[3], unsigned d) {
    return d == 0 ? v[0] : d == 1 ? v[1] : v[2];
}

__device__ __forceinline__ double mix(double low, double high, double x) {
    return 0.5 * ((1.0 - x) * low + (1.0 + x) * high);
}

__device__ __forceinline__ double clamped(double x, double low, double high) {
    return x < low ? low : x > high ? high : x;
}

// sin and cos of x turns, 0 to 1/2, as src/numbers/half_turn.rs.
__device__ __forceinline__ Wave half_turn(double x) {
    constexpr double SINE[8] = {-1.0 / 6.0,
                                1.0 / 120.0,
                                -1.0 / 5040.0,
                                1.0 / 362880.0,
                                -1.0 / 39916800.0,
                                1.0 / 6227020800.0,
                                -1.0 / 1307674368000.0,
                                1.0 / 355687428096000.0};
    constexpr double COSINE[8] = {-1.0 / 2.0,
                                  1.0 / 24.0,
                                  -1.0 / 720.0,
                                  1.0 / 40320.0,
                                  -1.0 / 3628800.0,
                                  1.0 / 479001600.0,
                                  -1.0 / 87178291200.0,
                                  1.0 / 20922789888000.0};
    const bool is_low = x <= 0.125, is_high = x >= 0.375;
    const double a = TAU * (is_low ? x : is_high ? 0.5 - x : 0.25 - x), z = a * a;
    double s = SINE[7], c = COSINE[7];
#pragma unroll
    for (int k = 6; k >= 0; --k) {
        s = s * z + SINE[k];
        c = c * z + COSINE[k];
    }
    const double sine = a + a * (z * s), cosine = 1.0 + z * c;
    if (is_low) return {sine, cosine};
    if (is_high) return {sine, -cosine};
    return {cosine, sine};
}

// F at a point of an eighth of a tile, and its gradient.
__device__ __forceinline__ double tile(const Lattice& lattice, const double (&place)[3],
                                       double (&gradient)[3]) {
    if (lattice.function == STRUTS) {
        double least = infinity(), nearest[3] = {};
        for (unsigned i = 0; i < lattice.strut_count; ++i) {
            const double(&point)[3] = lattice.struts[i][0], (&along)[3] = lattice.struts[i][1];
            const double off[3] = {place[0] - point[0], place[1] - point[1], place[2] - point[2]};
            const double part = dot(off, along) / dot(along, along);
            const double across[3] = {off[0] - part * along[0], off[1] - part * along[1],
                                      off[2] - part * along[2]};
            const double squared = dot(across, across);
            if (squared < least) {
                least = squared;
                for (int d = 0; d < 3; ++d) nearest[d] = across[d];
            }
        }
        const double distance = sqrt(least);
        for (int d = 0; d < 3; ++d) gradient[d] = nearest[d] / distance;
        return distance;
    }
    const Wave waves[3] = {half_turn(place[0]), half_turn(place[1]), half_turn(place[2])};
    const double x = waves[0].cosine, y = waves[1].cosine, z = waves[2].cosine;
    const double sum = x + y + z;
    if (lattice.function == SCHWARZ_P) {
        for (int d = 0; d < 3; ++d) gradient[d] = -TAU * waves[d].sine;
        return sum;
    }
    for (int d = 0; d < 3; ++d) {
        gradient[d] = -2.0 * TAU * waves[d].sine * (sum - 3.0 * waves[d].cosine);
    }
    return 2.0 * (x * y + y * z + z * x - (x * x + y * y + z * z)) + 3.0;
}

// F there and its gradient in space; `signs`: along which axes the corner of the tile is behind.
__device__ __forceinline__ double in_space(const Lattice& lattice, const double (&place)[3],
                                           const double (&signs)[3],
                                           const double (&jacobian)[3][3],
                                           double (&gradient)[3]) {
    double by_place[3], bc[3], ca[3], ab[3];
    const double value = tile(lattice, place, by_place);
    const double p = by_place[0] * signs[0], q = by_place[1] * signs[1],
                 r = by_place[2] * signs[2];
    cross(jacobian[1], jacobian[2], bc);
    cross(jacobian[2], jacobian[0], ca);
    cross(jacobian[0], jacobian[1], ab);
    const double scale = 1.0 / dot(jacobian[0], bc);
    for (int d = 0; d < 3; ++d) gradient[d] = scale * (p * bc[d] + q * ca[d] + r * ab[d]);
    return value;
}

// The distance from where a function is 0, by its value and gradient.
__device__ __forceinline__ Nearest estimated(double value, const double (&gradient)[3]) {
    const double length = sqrt(dot(gradient, gradient));
    const double distance = value / length;
    if (length > 0.0 && isfinite(distance)) {
        return {distance, {gradient[0] / length, gradient[1] / length, gradient[2] / length}};
    }
    const bool is_far = length == 0.0 || isinf(value);
    return {is_far ? copysign(infinity(), value) : 0.0, {0.0, 0.0, 0.0}};
}

// Columns of the map of the eighth of a tile to space.
__device__ __forceinline__ void columns_of(const double (&signs)[3],
                                           const double (&jacobian)[3][3],
                                           double (&columns)[3][3]) {
    for (int axis = 0; axis < 3; ++axis) {
        for (int d = 0; d < 3; ++d) columns[axis][d] = signs[axis] * jacobian[axis][d];
    }
}

// A map by its columns.
__device__ __forceinline__ void image(const double (&columns)[3][3], const double (&p)[3],
                                      double (&to)[3]) {
    for (int d = 0; d < 3; ++d) {
        to[d] = columns[0][d] * p[0] + columns[1][d] * p[1] + columns[2][d] * p[2];
    }
}

// The part of a vector across a direction.
__device__ __forceinline__ void across(double (&v)[3], const double (&along)[3]) {
    const double part = dot(v, along) / dot(along, along);
    for (int d = 0; d < 3; ++d) v[d] = v[d] - part * along[d];
}

// The surface, wall or strut next to a point.
__device__ __forceinline__ Nearest nearest(const Lattice& lattice, double size,
                                           const double (&place)[3], const double (&signs)[3],
                                           const double (&jacobian)[3][3]) {
    if (!lattice.is_wall || lattice.function != STRUTS) {
        double gradient[3];
        const double value = in_space(lattice, place, signs, jacobian, gradient);
        if (!lattice.is_wall) return estimated(value - size, gradient);
        if (value < 0.0) {
            for (int d = 0; d < 3; ++d) gradient[d] = -gradient[d];
        }
        return estimated(fabs(value), gradient);
    }
    double columns[3][3];
    columns_of(signs, jacobian, columns);
    double least = infinity(), closest[3] = {};
    for (unsigned i = 0; i < lattice.strut_count; ++i) {
        const double(&point)[3] = lattice.struts[i][0], (&direction)[3] = lattice.struts[i][1];
        double off[3], along[3];
        image(columns, {place[0] - point[0], place[1] - point[1], place[2] - point[2]}, off);
        image(columns, direction, along);
        across(off, along);
        const double squared = dot(off, off);
        if (squared < least) {
            least = squared;
            for (int d = 0; d < 3; ++d) closest[d] = off[d];
        }
    }
    Nearest found = {sqrt(least), {0.0, 0.0, 0.0}};
    if (found.distance > 0.0) {
        for (int d = 0; d < 3; ++d) found.normal[d] = closest[d] / found.distance;
    }
    return found;
}

// Part of a pixel where the change of a distance is at most `most`; `x`, `y`: its change across the
// pixel along both edges.
__device__ __forceinline__ double half_plane(double x, double y, double most) {
    const double large = fmax(fabs(x), fabs(y)), small = fmin(fabs(x), fabs(y));
    const double size = fabs(most), corner = 0.5 * (large + small) - size;
    double less;
    if (corner <= 0.0 || large == 0.0) {
        less = 0.0;
    } else if (size <= 0.5 * (large - small)) {
        less = 0.5 - size / large;
    } else {
        less = corner * corner / (2.0 * large * small);
    }
    return most >= 0.0 ? 1.0 - less : less;
}

// The square of the distance from the axis of a strut in a pixel, by the place in it: of its middle,
// half the derivatives by both edges, and the products of these.
struct StrutSquare {
    double middle, by_x, by_y, xx, xy, yy;
};

// Takes a strut out of the quarters of a pixel.
__device__ __forceinline__ void take(const StrutSquare& own, double radius, double (&empty)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const double x = i % 2 ? 0.25 : -0.25, y = i / 2 ? 0.25 : -0.25;
        const double x_half = own.by_x + own.xx * x + own.xy * y;
        const double y_half = own.by_y + own.xy * x + own.yy * y;
        const double squared = own.middle + x * (own.by_x + x_half) + y * (own.by_y + y_half);
        const double distance = sqrt(fmax(squared, LEAST));
        const double x_slope = x_half / distance, y_slope = y_half / distance;
        const double bend = (own.xx - x_slope * x_slope) + (own.yy - y_slope * y_slope);
        const double less = radius - bend / (96.0 * fmax(distance, radius));
        const double part = half_plane(0.5 * x_slope, 0.5 * y_slope, less - distance) -
                            half_plane(0.5 * x_slope, 0.5 * y_slope, -less - distance);
        if (part > 0.0) empty[i] *= 1.0 - part;
    }
}

// Part of a pixel that is in struts.
__device__ __forceinline__ double in_struts(const Lattice& lattice, double radius,
                                            const double (&place)[3], const double (&signs)[3],
                                            const double (&jacobian)[3][3]) {
    double columns[3][3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}, edges[2][3] = {};
    if (lattice.is_wall) {
        columns_of(signs, jacobian, columns);
        for (int k = 0; k < 2; ++k) {
            for (int d = 0; d < 3; ++d) {
                edges[k][d] = lattice.along[k] == d ? lattice.pitch[k] : 0.0;
            }
        }
    } else {
        double rows[3][3];
        cross(jacobian[1], jacobian[2], rows[0]);
        cross(jacobian[2], jacobian[0], rows[1]);
        cross(jacobian[0], jacobian[1], rows[2]);
        const double scale = 1.0 / dot(jacobian[0], rows[0]);
        for (int k = 0; k < 2; ++k) {
            for (int d = 0; d < 3; ++d) {
                edges[k][d] =
                    signs[d] * (scale * axis(rows[d], lattice.along[k]) * lattice.pitch[k]);
            }
        }
    }
    const double reach = 0.5 * (sqrt(dot(edges[0], edges[0])) + sqrt(dot(edges[1], edges[1])));
    const double far = radius + reach;
    double empty[4] = {1.0, 1.0, 1.0, 1.0};
    for (unsigned i = 0; i < lattice.strut_count; ++i) {
        const double(&point)[3] = lattice.struts[i][0], (&direction)[3] = lattice.struts[i][1];
        double off[3], along[3];
        image(columns, {place[0] - point[0], place[1] - point[1], place[2] - point[2]}, off);
        image(columns, direction, along);
        across(off, along);
        const double middle = dot(off, off);
        if (far > 0.0 && middle < far * far) {
            double x[3], y[3];
            for (int d = 0; d < 3; ++d) {
                x[d] = edges[0][d];
                y[d] = edges[1][d];
            }
            across(x, along);
            across(y, along);
            take({middle, dot(off, x), dot(off, y), dot(x, x), dot(x, y), dot(y, y)}, radius,
                 empty);
        }
    }
    return 1.0 - 0.25 * ((empty[0] + empty[1]) + (empty[2] + empty[3]));
}

// The level by which a tile is filled to a part of its volume; nothing or all beyond the table.
__device__ __forceinline__ double level_of_density(const Lattice& lattice, double density) {
    const double place = density * double(lattice.density_count) - 0.5;
    if (place < 0.0) return -infinity();
    const unsigned below = unsigned(floor(place));
    if (below + 1 >= lattice.density_count) return infinity();
    const double low = lattice.densities[below];
    return low + (place - double(below)) * (lattice.densities[below + 1] - low);
}

// Part of the pixel that is material; `at(q)`: quantity q there.
template <typename At>
__device__ __forceinline__ double material(const Lattice& lattice, double halves, At at) {
    const double tiles = 0.5 * lattice.per_cell * halves;
    double place[3], signs[3];
#pragma unroll
    for (int d = 0; d < 3; ++d) {
        const double q = tiles * at(d), off = q - round(q);
        place[d] = fabs(off);
        signs[d] = copysign(1.0, off);
    }
    double size = lattice.has_sizes ? at(3) : lattice.size;
    if (lattice.density_count > 0) size = level_of_density(lattice, size);
    if (!lattice.is_wall && !lattice.is_area) {
        double gradient[3];
        return tile(lattice, place, gradient) - size <= 0.0 ? 1.0 : 0.0;
    }
    const int first = lattice.has_sizes ? 4 : 3;
    double jacobian[3][3];
#pragma unroll
    for (int i = 0; i < 9; ++i) jacobian[i / 3][i % 3] = at(first + i) / tiles;
    if (lattice.is_area && lattice.function == STRUTS) {
        return in_struts(lattice, lattice.is_wall ? 0.5 * size : size, place, signs, jacobian);
    }
    const Nearest found = nearest(lattice, size, place, signs, jacobian);
    const double half = lattice.is_wall ? 0.5 * size : 0.0;
    if (!lattice.is_area) return found.distance - half <= 0.0 ? 1.0 : 0.0;
    const double x = axis(found.normal, lattice.along[0]) * lattice.pitch[0];
    const double y = axis(found.normal, lattice.along[1]) * lattice.pitch[1];
    if (!lattice.is_wall) return half_plane(x, y, -found.distance);
    return half_plane(x, y, half - found.distance) - half_plane(x, y, -half - found.distance);
}

// Takes voids out of the coverage `whole` of runs of pixels, [row][column], of which `inside` is of
// the lattice: the same array, or another. A warp a run.
extern "C" __global__ void __launch_bounds__(THREADS)
    cover_runs(const __grid_constant__ Lattice lattice, const __grid_constant__ Regions regions,
               const Run* __restrict__ runs, unsigned run_count, unsigned columns,
               const unsigned short* inside, unsigned short* whole) {
    __shared__ Row rows[WARPS];
    const unsigned i = blockIdx.x * WARPS + threadIdx.x / LANES, lane = threadIdx.x % LANES;
    if (i >= run_count) return;
    const Run run = runs[i];
    const Region& region = regions.all[run.region];
    const double row_number = run.from / columns;
    const unsigned first = run.from % columns;
    const double height = fmax(region.rows[1] - region.rows[0], LEAST);
    const double along =
        clamped((2.0 * row_number - (region.rows[0] + region.rows[1])) / height, -1.0, 1.0);
    const double left = mix(region.low[0], region.high[0], along);
    const double right = mix(region.low[1], region.high[1], along);
    const double middle = 0.5 * (left + right);
    const double scale = 1.0 / fmax(0.5 * (right - left), LEAST);
    // a size takes one more, the Jacobian nine
    const int quantities =
        3 + (lattice.has_sizes ? 1 : 0) + (lattice.is_wall || lattice.is_area ? 9 : 0);
    Row& row = rows[threadIdx.x / LANES];
    for (int item = lane; item < quantities * POWERS; item += LANES) {
        const int q = item / POWERS, power = item % POWERS;
        const Polynomial polynomial = regions.polynomials[region.first + q];
        if (power == 0) row.powers[q] = polynomial.powers;
        if (power >= polynomial.powers) continue;
        const double* c = regions.coefficients + polynomial.first + power;
        // Chebyshev polynomials: this one, the next
        double own = 1.0, next = along, sum = 0.0;
        for (int k = 0; k < polynomial.count; ++k, c += polynomial.powers) {
            sum += own * __ldg(c);
            const double after = 2.0 * along * next - own;
            own = next;
            next = after;
        }
        row.quantities[q][power] = sum;
    }
    __syncwarp();
    for (unsigned at = lane; at < run.count; at += LANES) {
        const double x = clamped((double(first + at) - middle) * scale, -1.0, 1.0);
        const double part = material(lattice, region.halves, [&](int q) {
            int power = row.powers[q] - 1;
            double value = row.quantities[q][power];
            while (--power >= 0) value = value * x + row.quantities[q][power];
            return value;
        });
        const size_t to = size_t(run.to) + at;
        const double empty = (1.0 - part) * double(inside[to]);
        whole[to] = static_cast<unsigned short>(
            clamped(round(double(whole[to]) - empty), 0.0, FULL));
    }
}
