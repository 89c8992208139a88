// Layers of a solid: planes across its boundary, and the pixels that they cover.
//
//     patch x plane      crossings of its sides -> arcs -> chords
//     chord              snapped to 1/8192 of a pixel, changes of covered area, added up in
//                        integers: any order gives the same sums
//     row of pixels      running sums of each plane, at most a full pixel -> gray
//
// The same steps as src/slice on the CPU, compiled without contraction of products and sums,
// so that the pixels are the same bit by bit.
//
// Plain reference: src/slice (tests/gpu/layers.rs).
#include "common/shared.cuh"
#include "slice/coverage.cuh"
#include "slice/cubics.cuh"

// numbers of a patch kept in shared memory: stops of an arc under way, crossings
constexpr int MAX_STOPS = 22;
constexpr int MAX_CROSSINGS = 12;
constexpr int TRACERS = host::TRACERS;

struct Patch {
    // [v][u]: first plane axis, second plane axis, height
    double points[4][4][3];
    // first link of each side, counter-clockwise from (0, 0), and the end of the last
    unsigned links[5];
    // +1 or -1 where the height rises or falls along u, v, else 0
    signed char along_u, along_v;
    short padding;
};

struct Link {
    unsigned edge, reversed;
    float start, length;
};

struct Edge {
    double points[4][3];
};

// Where a plane crosses a patch.
struct Pair {
    unsigned patch, plane;
};

struct Place {
    double u, v, x, y;
};

// A point of an arc with the arc's direction; `depth`: halvings that led to it.
struct Stop {
    Place place;
    double along, across;
    int depth;
};

struct Crossing {
    Place place;
    int rising;
};

// Position and derivatives by u and v.
__device__ void at(const Patch& patch, double u, double v, double (&sums)[3][3]) {
    double bu[4], bv[4], du[4], dv[4];
    bernstein(u, bu);
    bernstein(v, bv);
    const auto differences = [](double t, double (&d)[4]) {
        const double s = 1.0 - t;
        const double a = 3.0 * s * s, b = 6.0 * s * t, c = 3.0 * t * t;
        d[0] = -a;
        d[1] = a - b;
        d[2] = b - c;
        d[3] = c;
    };
    differences(u, du);
    differences(v, dv);
#pragma unroll
    for (int i = 0; i < 3; ++i) sums[0][i] = sums[1][i] = sums[2][i] = 0.0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
#pragma unroll
        for (int d = 0; d < 3; ++d) {
            const double(&row)[4][3] = patch.points[j];
            const double along =
                bu[0] * row[0][d] + bu[1] * row[1][d] + bu[2] * row[2][d] + bu[3] * row[3][d];
            const double slope =
                du[0] * row[0][d] + du[1] * row[1][d] + du[2] * row[2][d] + du[3] * row[3][d];
            sums[0][d] += bv[j] * along;
            sums[1][d] += bv[j] * slope;
            sums[2][d] += dv[j] * along;
        }
    }
}

// One arc of a patch.
struct Tracer {
    const Patch& patch;
    double height, tolerance;
    // [MAX_STOPS]
    Stop* stops;

    __device__ Stop stop(const Place& place, int depth) const {
        double p[3][3];
        at(patch, place.u, place.v, p);
        // the part above, up the slope, is on the left of (z_v, -z_u)
        return {place, p[1][0] * p[2][2] - p[2][0] * p[1][2],
                p[1][1] * p[2][2] - p[2][1] * p[1][2], depth};
    }

    // A point of the arc about halfway.
    __device__ Place between(const Place& a, const Place& b) const {
        const bool given_v = patch.along_v == 0   ? true
                             : patch.along_u == 0 ? false
                                                  : fabs(b.v - a.v) > fabs(b.u - a.u);
        const int along = given_v ? patch.along_u : patch.along_v;
        const double t = 0.5 * (given_v ? a.v + b.v : a.u + b.u);
        double basis[4], heights[4];
        bernstein(t, basis);
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const double(&p)[4][4][3] = patch.points;
            heights[k] = given_v ? basis[0] * p[0][k][2] + basis[1] * p[1][k][2] +
                                       basis[2] * p[2][k][2] + basis[3] * p[3][k][2]
                                 : basis[0] * p[k][0][2] + basis[1] * p[k][1][2] +
                                       basis[2] * p[k][2][2] + basis[3] * p[k][3][2];
            heights[k] -= height;
        }
        const double solved = solve(heights, 0.0, 1.0, along > 0);
        Place place = {given_v ? solved : t, given_v ? t : solved, 0.0, 0.0};
        double p[3][3];
        at(patch, place.u, place.v, p);
        place.x = p[0][0];
        place.y = p[0][1];
        return place;
    }

    // Sends the chords of an arc; false if its stops outgrow their memory.
    __device__ bool trace(const Place& start, const Place& end, const Canvas& canvas) const {
        if (patch.along_u == 0 && patch.along_v == 0) {
            canvas.chord(start.x, start.y, end.x, end.y);
            return true;
        }
        Stop a = stop(start, 0);
        stops[0] = stop(end, 0);
        int count = 1;
        while (count > 0) {
            Stop& b = stops[count - 1];
            const double cx = b.place.x - a.place.x, cy = b.place.y - a.place.y;
            const double length = sqrt(cx * cx + cy * cy);
            bool done = length <= tolerance || b.depth == 40;
            Place middle;
            if (!done) {
                const double rise = tangent(cx, cy, a) + tangent(cx, cy, b);
                const bool near = length * rise * (4.0 / 27.0) <= tolerance;
                done = near && b.depth > 0;
                if (!done) {
                    middle = between(a.place, b.place);
                    const double off = fabs(cx * (middle.y - a.place.y) -
                                            cy * (middle.x - a.place.x)) / length;
                    done = near && off <= tolerance;
                }
            }
            if (done) {
                canvas.chord(a.place.x, a.place.y, b.place.x, b.place.y);
                a = b;
                --count;
                continue;
            }
            if (count == MAX_STOPS) return false;
            b.depth += 1;
            stops[count] = stop(middle, b.depth);
            ++count;
        }
        return true;
    }

    // Absolute tangent of the angle between a chord and an arc's direction.
    __device__ static double tangent(double cx, double cy, const Stop& s) {
        const double along = cx * s.along + cy * s.across;
        const double across = fabs(cx * s.across - cy * s.along);
        if (along > 0.0) return across / along;
        return s.along == 0.0 && s.across == 0.0 ? 0.0 : __longlong_as_double(0x7ff0000000000000);
    }
};

// Stable, by (rising, key).
template <typename Key>
__device__ void sort(Crossing* all, int count, Key key) {
    for (int i = 1; i < count; ++i) {
        const Crossing moved = all[i];
        int to = i;
        while (to > 0 && (all[to - 1].rising > moved.rising ||
                          (all[to - 1].rising == moved.rising && key(all[to - 1]) > key(moved)))) {
            all[to] = all[to - 1];
            --to;
        }
        all[to] = moved;
    }
}

// A thread per pair of patch and plane.
extern "C" __global__ void __launch_bounds__(TRACERS, 4)
    trace(const Patch* __restrict__ patches, const Link* __restrict__ links,
          const Edge* __restrict__ edges, const double* __restrict__ heights,
          const Pair* __restrict__ pairs, unsigned count, const Grid* __restrict__ grid_at,
          int* sums, unsigned* touched, unsigned* failed) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned number = blockIdx.x * TRACERS + threadIdx.x;
    if (number >= count) return;
    const Grid& grid = *grid_at;
    Stop* const stops = reinterpret_cast<Stop*>(memory) + threadIdx.x * MAX_STOPS;
    Crossing* const crossings =
        reinterpret_cast<Crossing*>(memory + TRACERS * MAX_STOPS * sizeof(Stop)) +
        threadIdx.x * MAX_CROSSINGS;

    const Pair pair = pairs[number];
    const Patch& patch = patches[pair.patch];
    const double height = heights[pair.plane];
    int found = 0;
    bool whole = true;
    for (int side = 0; side < 4; ++side) {
        for (unsigned l = patch.links[side]; l < patch.links[side + 1]; ++l) {
            const Link link = links[l];
            const Edge& edge = edges[link.edge];
            double c[4];
#pragma unroll
            for (int i = 0; i < 4; ++i) c[i] = edge.points[i][2] - height;
            const int from = found;
            roots(c, [&](double t, bool rising) {
                if (found == MAX_CROSSINGS) {
                    whole = false;
                    return;
                }
                double b[4];
                bernstein(t, b);
                Crossing& crossing = crossings[found++];
                double along = link.reversed ? 1.0 - t : t;
                along = double(link.start) + double(link.length) * along;
                crossing.place.u = side == 0 ? along : side == 1 ? 1.0 : side == 2 ? 1.0 - along : 0.0;
                crossing.place.v = side == 0 ? 0.0 : side == 1 ? along : side == 2 ? 1.0 : 1.0 - along;
                crossing.place.x = b[0] * edge.points[0][0] + b[1] * edge.points[1][0] +
                                   b[2] * edge.points[2][0] + b[3] * edge.points[3][0];
                crossing.place.y = b[0] * edge.points[0][1] + b[1] * edge.points[1][1] +
                                   b[2] * edge.points[2][1] + b[3] * edge.points[3][1];
                crossing.rising = rising != (link.reversed != 0);
            });
            if (link.reversed) {
                for (int i = from, j = found - 1; i < j; ++i, --j) {
                    const Crossing other = crossings[i];
                    crossings[i] = crossings[j];
                    crossings[j] = other;
                }
            }
        }
    }
    if (!whole) {
        atomicExch(failed + pair.plane / grid.planes, 1u);
        return;
    }
    if (found == 0) return;
    if (found <= 2) {
        sort(crossings, found, [](const Crossing&) { return 0.0; });
    } else if (patch.along_u == 0 && patch.along_v == 0) {
        double p[3][3];
        at(patch, 0.5, 0.5, p);
        if ((crossings[0].rising != 0) == (p[0][2] > height)) {
            const Crossing first = crossings[0];
            for (int i = 1; i < found; ++i) crossings[i - 1] = crossings[i];
            crossings[found - 1] = first;
        }
        sort(crossings, found, [](const Crossing&) { return 0.0; });
    } else {
        // along the graph, in the direction that has the part above on its left
        const bool along_v = patch.along_v == 0;
        const double sign = along_v ? -patch.along_u : patch.along_v;
        sort(crossings, found, [&](const Crossing& c) {
            return sign * (along_v ? c.place.v : c.place.u);
        });
    }
    const size_t rows = size_t(pair.plane) * grid.rows;
    const Canvas canvas = {grid, sums + rows * grid.stride, touched + rows * grid.words};
    const Tracer tracer = {patch, height, grid.tolerance, stops};
    for (int k = 0; k < found / 2; ++k) {
        whole &= tracer.trace(crossings[k].place, crossings[found / 2 + k].place, canvas);
    }
    if (!whole) atomicExch(failed + pair.plane / grid.planes, 1u);
}
extern "C" __device__ const int trace_shared =
    TRACERS * (MAX_STOPS * sizeof(Stop) + MAX_CROSSINGS * sizeof(Crossing));

#if BITS == 16
typedef unsigned short Gray;
#else
typedef unsigned char Gray;
#endif
constexpr int ROW_WARPS = host::COVERED_ROWS;
// as in src/backend/device/layers.rs
constexpr int MAX_PLANES = host::IMAGE_PLANES;

// A warp per row of an image, [image][row][stride] of pixels from the sums of its planes,
// [image][plane][row][stride], which are 0 again afterwards, and so are the words of touched
// groups. What overlaps in one plane does not fill another. Running sums fit into 32 bits, whatever
// their parts do.
extern "C" __global__ void __launch_bounds__(ROW_WARPS* LANES)
    fill(const Grid* __restrict__ grid_at, unsigned rows, int* sums, unsigned* touched,
         Gray* pixels) {
    __shared__ unsigned carried[ROW_WARPS][MAX_PLANES];
    const Grid& grid = *grid_at;
    const unsigned lane = threadIdx.x % LANES;
    const unsigned row = blockIdx.x * ROW_WARPS + threadIdx.x / LANES;
    if (row >= rows) return;
    // running sums of the planes before a group of columns
    unsigned* const before = carried[threadIdx.x / LANES];
    if (lane < grid.planes) before[lane] = 0;
    __syncwarp();
    constexpr int FULL = 2 * Canvas::STEPS * Canvas::STEPS;
    const int whole = FULL * static_cast<int>(grid.planes);
    // (n + 1/2) / d is never near a whole number, so this rounds down as integers do
    const double inverse = 1.0 / whole;
    constexpr double MAX_VALUE = (1 << BITS) - 1;
    const double half = whole / 2 + 0.5;
    const auto gray = [&](int covered) {
        return static_cast<unsigned>((covered * MAX_VALUE + half) * inverse);
    };
    const auto clamped = [](unsigned sum) { return min(max(static_cast<int>(sum), 0), FULL); };
    // row of the image's first plane
    const size_t first = size_t(row / grid.rows) * grid.planes * grid.rows + row % grid.rows;
    Gray* const own_pixels = pixels + size_t(row) * grid.stride;
    for (unsigned word = 0; word < grid.words; ++word) {
        const unsigned column = (word * LANES + lane) * GROUP;
        // of the planes that leave it as before; and of the others
        int same = 0, covered[GROUP] = {};
        bool differs = false;
        for (unsigned plane = 0; plane < grid.planes; ++plane) {
            const size_t at = first + size_t(plane) * grid.rows;
            unsigned* const own_touched = touched + at * grid.words + word;
            const unsigned bits = *own_touched, start = before[plane];
            if (bits == 0) {
                same += clamped(start);
                continue;
            }
            differs = true;
            __syncwarp();
            if (lane == 0) *own_touched = 0;
            int4 changes[GROUP / 4];
            unsigned total = 0;
            const bool own = bits >> lane & 1;
#pragma unroll
            for (int i = 0; i < GROUP / 4; ++i) {
                changes[i] = make_int4(0, 0, 0, 0);
                if (own) {
                    int4* const from =
                        reinterpret_cast<int4*>(sums + at * grid.stride + column) + i;
                    changes[i] = *from;
                    *from = make_int4(0, 0, 0, 0);
                }
                total += unsigned(changes[i].x) + unsigned(changes[i].y) + unsigned(changes[i].z) +
                         unsigned(changes[i].w);
            }
            unsigned scanned = total;
#pragma unroll
            for (int step = 1; step < LANES; step *= 2) {
                const unsigned other = __shfl_up_sync(ALL_LANES, scanned, step);
                if (lane >= step) scanned += other;
            }
            unsigned sum = start + scanned - total;
            if (lane == LANES - 1) before[plane] = start + scanned;
            if (own) {
#pragma unroll
                for (int i = 0; i < GROUP / 4; ++i) {
                    covered[4 * i] += clamped(sum += unsigned(changes[i].x));
                    covered[4 * i + 1] += clamped(sum += unsigned(changes[i].y));
                    covered[4 * i + 2] += clamped(sum += unsigned(changes[i].z));
                    covered[4 * i + 3] += clamped(sum += unsigned(changes[i].w));
                }
            } else {
                const int always = clamped(sum);
#pragma unroll
                for (int i = 0; i < GROUP; ++i) covered[i] += always;
            }
        }
        __syncwarp();
        // untouched pixels are of one gray
        unsigned grays[GROUP];
        if (differs) {
#pragma unroll
            for (int i = 0; i < GROUP; ++i) grays[i] = gray(same + covered[i]);
        } else {
            const unsigned one = gray(same);
#pragma unroll
            for (int i = 0; i < GROUP; ++i) grays[i] = one;
        }
        if (column < grid.stride) {
            constexpr int PER_WORD = 4 / sizeof(Gray);
#pragma unroll
            for (int i = 0; i < GROUP / PER_WORD / 4; ++i) {
                unsigned words[4];
#pragma unroll
                for (int k = 0; k < 4; ++k) {
                    words[k] = 0;
#pragma unroll
                    for (int j = 0; j < PER_WORD; ++j) {
                        words[k] |= grays[(4 * i + k) * PER_WORD + j] << (j * BITS);
                    }
                }
                reinterpret_cast<uint4*>(own_pixels + column)[i] =
                    make_uint4(words[0], words[1], words[2], words[3]);
            }
        }
    }
}
