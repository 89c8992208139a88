// Layers of a solid: planes across its boundary, and the pixels that they cover.
//
//     patch x plane      crossings of its sides -> arcs -> chords
//     chord              snapped to 1/8192 of a pixel, changes of covered area, added up in
//                        integers: any order gives the same sums
//     row of pixels      running sums -> grey
//
// The same steps as src/slice on the CPU, compiled without contraction of products and sums,
// so that the pixels are the same bit by bit.

constexpr int LANES = 32;
constexpr unsigned ALL_LANES = 0xffffffffu;

// numbers of a patch kept in shared memory: stops of an arc under way, crossings
constexpr int MOST_STOPS = 22;
constexpr int MOST_CROSSINGS = 12;
constexpr int TRACERS = 32;

struct Patch {
    // [v][u]: first plane axis, second plane axis, height
    double points[4][4][3];
    // first link of each side against the clock from (0, 0), and the end of the last
    unsigned links[5];
    // +1 or -1 where the height rises or falls along u, v, else 0
    signed char along_u, along_v;
    short padding;
};

struct Link {
    unsigned edge, backwards;
    float start, length;
};

struct Edge {
    double points[4][3];
};

// Where a plane crosses a patch.
struct Pair {
    unsigned patch, plane;
};

struct Grid {
    double origin[2], pitch, tolerance;
    // columns, rows, and columns with those that fill up the rows in memory
    unsigned columns, rows, stride;
    // planes averaged in one image
    unsigned planes;
};

// Sums of changes, [image][row][stride], and their columns, [image][row]: first, end.
struct Changes {
    int* sums;
    unsigned* columns;
    // [image]: not 0 if a patch was too much for this kernel
    unsigned* failed;
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

__device__ void bernstein(double t, double (&b)[4]) {
    const double s = 1.0 - t;
    b[0] = s * s * s;
    b[1] = 3.0 * s * s * t;
    b[2] = 3.0 * s * t * t;
    b[3] = t * t * t;
}

__device__ double value(const double (&c)[4], double t) {
    double b[4];
    bernstein(t, b);
    return b[0] * c[0] + b[1] * c[1] + b[2] * c[2] + b[3] * c[3];
}

// Where a cubic that is monotone on [from, to] changes to above.
__device__ double solve(const double (&c)[4], double from, double to, bool above_after) {
    const double sign = above_after ? 1.0 : -1.0;
    double low = from, high = to;
    const double at_low = sign * value(c, low), at_high = sign * value(c, high);
    if (at_low == 0.0) return low;
    if (at_high == 0.0) return high;
    double t = at_high > at_low ? low - at_low / (at_high - at_low) * (high - low) : low;
    for (int step = 0; step < 64; ++step) {
        if (!(t > low && t < high)) t = 0.5 * (low + high);
        const double s = 1.0 - t;
        double a = s * c[0] + t * c[1], b = s * c[1] + t * c[2];
        const double d = s * c[2] + t * c[3];
        a = s * a + t * b;
        b = s * b + t * d;
        const double f = sign * (s * a + t * b);
        const double slope = 3.0 * (b - a);
        if (f > 0.0) {
            high = t;
        } else {
            low = t;
        }
        const double newton = f / (sign * slope);
        const double next = t - newton;
        if (fabs(newton) <= 1e-15) return fmin(fmax(next, low), high);
        if (high - low <= 1e-15) return high;
        t = next;
    }
    return fmin(fmax(t, low), high);
}

// Calls `found(t, rising)` for the roots of a cubic in [0, 1], ascending.
template <typename Found>
__device__ void roots(const double (&c)[4], Found found) {
    bool any_above = false, any_below = false;
    for (int i = 0; i < 4; ++i) {
        any_above |= c[i] > 0.0;
        any_below |= c[i] <= 0.0;
    }
    if (!any_above || !any_below) return;
    const double a = c[1] - c[0], b = c[2] - c[1], d = c[3] - c[2];
    double first = 1.0, second = 1.0;
    int spans = 1;
    if (!(a >= 0.0 && b >= 0.0 && d >= 0.0) && !(a <= 0.0 && b <= 0.0 && d <= 0.0)) {
        // a (1-t)^2 + 2b t(1-t) + d t^2
        const double square = a - 2.0 * b + d, half = b - a;
        const double discriminant = half * half - square * a;
        if (discriminant >= 0.0) {
            const double q = -(half + copysign(sqrt(discriminant), half));
            double low = q / square, high = a / q;
            if (low > high) {
                const double other = low;
                low = high;
                high = other;
            }
            const bool low_inside = low > 0.0 && low < 1.0;
            const bool high_inside = high > 0.0 && high < 1.0;
            if (low_inside) {
                first = low;
                spans = 2;
            }
            if (high_inside) {
                (low_inside ? second : first) = high;
                ++spans;
            }
        }
    }
    double from = 0.0;
    for (int span = 0; span < spans; ++span) {
        const double to = span + 1 == spans ? 1.0 : span == 0 ? first : second;
        const bool before = value(c, from) > 0.0, after = value(c, to) > 0.0;
        if (before != after) found(solve(c, from, to, after), after);
        from = to;
    }
}

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

// What chords leave in the rows of one image.
struct Canvas {
    const Grid& grid;
    int* sums;
    unsigned* columns;

    __device__ void add(long long row, long long column, long long amount) const {
        if (amount == 0 || column >= grid.columns || row < 0 || row >= grid.rows) return;
        if (column < 0) column = 0;
        atomicAdd(sums + row * grid.stride + column, static_cast<int>(amount));
        atomicMin(columns + 2 * row, static_cast<unsigned>(column));
        atomicMax(columns + 2 * row + 1, static_cast<unsigned>(column) + 1);
    }

    // A chord in the plane's coordinates, material on its left.
    __device__ void chord(double ax, double ay, double bx, double by) const {
        ax = (ax - grid.origin[0]) / grid.pitch;
        ay = (ay - grid.origin[1]) / grid.pitch;
        bx = (bx - grid.origin[0]) / grid.pitch;
        by = (by - grid.origin[1]) / grid.pitch;
        const double width = grid.columns, height = grid.rows;
        if (fmax(ay, by) <= 0.0 || fmin(ay, by) >= height || fmin(ax, bx) >= width) return;
        const auto inside = [&](double x, double y) {
            return x >= 0.0 && x <= width && y >= 0.0 && y <= height;
        };
        if (inside(ax, ay) && inside(bx, by)) {
            steps(snap(ax), snap(ay), snap(bx), snap(by));
            return;
        }
        // what is left of the image acts from the first column on
        double from = 0.0;
        while (from < 1.0) {
            double to = 1.0;
            const auto stop = [&](double t) {
                if (t > from && t < to) to = t;
            };
            stop((0.0 - ax) / (bx - ax));
            stop((width - ax) / (bx - ax));
            stop((0.0 - ay) / (by - ay));
            stop((height - ay) / (by - ay));
            const auto clamped = [](double x, double most) { return fmin(fmax(x, 0.0), most); };
            const auto x = [&](double t) {
                return snap(clamped(t == 0.0 ? ax : t == 1.0 ? bx : ax + t * (bx - ax), width));
            };
            const auto y = [&](double t) {
                return snap(clamped(t == 0.0 ? ay : t == 1.0 ? by : ay + t * (by - ay), height));
            };
            steps(x(from), y(from), x(to), y(to));
            from = to;
        }
    }

    static constexpr long long STEPS = 8192;

    __device__ static long long snap(double x) {
        // halves away from zero
        return llround(x * double(STEPS));
    }

    __device__ static long long floor_div(long long a, long long b) {
        const long long q = a / b;
        return q * b > a ? q - 1 : q;
    }

    __device__ void steps(long long ax, long long ay, long long bx, long long by) const {
        if (ay == by) return;
        const bool up = ay < by;
        const long long x0 = up ? ax : bx, y0 = up ? ay : by;
        const long long x1 = up ? bx : ax, y1 = up ? by : ay;
        // upwards, the material is on the left: what is to the right loses
        const int sign = up ? -1 : 1;
#if CENTRE
        centres(x0, y0, x1, y1, sign);
#else
        areas(x0, y0, x1, y1, sign);
#endif
    }

#if CENTRE
    __device__ void centres(long long x0, long long y0, long long x1, long long y1,
                            int sign) const {
        const long long dx = x1 - x0, dy = y1 - y0, half = STEPS / 2;
        const long long last = floor_div(y1 - half, STEPS);
        for (long long row = floor_div(y0 - half, STEPS) + 1; row <= last; ++row) {
            const long long y = row * STEPS + half;
            const long long crossing = x0 * dy + (y - y0) * dx;
            const long long column = floor_div(crossing - half * dy, STEPS * dy) + 1;
            add(row, column, sign * 2 * STEPS * STEPS);
        }
    }
#else
    __device__ void areas(long long x0, long long y0, long long x1, long long y1,
                          int sign) const {
        const long long dx = x1 - x0, dy = y1 - y0;
        long long x = x0, y = y0;
        while (y < y1) {
            const long long row = floor_div(y, STEPS);
            const long long above = (row + 1) * STEPS;
            const long long top = above < y1 ? above : y1;
            const long long end = top == y1 ? x1 : x0 + floor_div(dx * (top - y0), dy);
            row_part(row, x, end, top - y, sign);
            x = end;
            y = top;
        }
    }

    __device__ void row_part(long long row, long long a, long long b, long long rise,
                             int sign) const {
        const long long left = a < b ? a : b, right = a < b ? b : a;
        const long long last = floor_div(right, STEPS);
        long long from = left, risen = 0;
        while (true) {
            const long long column = floor_div(from, STEPS);
            const long long to = column >= last ? right : (column + 1) * STEPS;
            const long long until = to == right ? rise : rise * (to - left) / (right - left);
            const long long step = sign * (until - risen);
            const long long into = (from - column * STEPS) + (to - column * STEPS);
            add(row, column, step * (2 * STEPS - into));
            add(row, column + 1, step * into);
            if (to == right) return;
            from = to;
            risen = until;
        }
    }
#endif
};

// One arc of a patch.
struct Tracer {
    const Patch& patch;
    double height, tolerance;
    // [MOST_STOPS]
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
            if (count == MOST_STOPS) return false;
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

// A thread a pair of patch and plane.
extern "C" __global__ void __launch_bounds__(TRACERS, 4)
    trace(const Patch* __restrict__ patches, const Link* __restrict__ links,
          const Edge* __restrict__ edges, const double* __restrict__ heights,
          const Pair* __restrict__ pairs, unsigned count, const Grid* __restrict__ grid_at,
          int* sums, unsigned* columns, unsigned* failed) {
    extern __shared__ __align__(16) unsigned char memory[];
    const unsigned number = blockIdx.x * TRACERS + threadIdx.x;
    if (number >= count) return;
    const Grid& grid = *grid_at;
    Stop* const stops = reinterpret_cast<Stop*>(memory) + threadIdx.x * MOST_STOPS;
    Crossing* const crossings =
        reinterpret_cast<Crossing*>(memory + TRACERS * MOST_STOPS * sizeof(Stop)) +
        threadIdx.x * MOST_CROSSINGS;

    const Pair pair = pairs[number];
    const Patch& patch = patches[pair.patch];
    const double height = heights[pair.plane];
    const unsigned image = pair.plane / grid.planes;
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
                if (found == MOST_CROSSINGS) {
                    whole = false;
                    return;
                }
                double b[4];
                bernstein(t, b);
                Crossing& crossing = crossings[found++];
                double along = link.backwards ? 1.0 - t : t;
                along = double(link.start) + double(link.length) * along;
                crossing.place.u = side == 0 ? along : side == 1 ? 1.0 : side == 2 ? 1.0 - along : 0.0;
                crossing.place.v = side == 0 ? 0.0 : side == 1 ? along : side == 2 ? 1.0 : 1.0 - along;
                crossing.place.x = b[0] * edge.points[0][0] + b[1] * edge.points[1][0] +
                                   b[2] * edge.points[2][0] + b[3] * edge.points[3][0];
                crossing.place.y = b[0] * edge.points[0][1] + b[1] * edge.points[1][1] +
                                   b[2] * edge.points[2][1] + b[3] * edge.points[3][1];
                crossing.rising = rising != (link.backwards != 0);
            });
            if (link.backwards) {
                for (int i = from, j = found - 1; i < j; ++i, --j) {
                    const Crossing other = crossings[i];
                    crossings[i] = crossings[j];
                    crossings[j] = other;
                }
            }
        }
    }
    if (!whole) {
        atomicExch(failed + image, 1u);
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
    const size_t rows = size_t(image) * grid.rows;
    const Canvas canvas = {grid, sums + rows * grid.stride, columns + 2 * rows};
    const Tracer tracer = {patch, height, grid.tolerance, stops};
    for (int k = 0; k < found / 2; ++k) {
        whole &= tracer.trace(crossings[k].place, crossings[found / 2 + k].place, canvas);
    }
    if (!whole) atomicExch(failed + image, 1u);
}
extern "C" __device__ const int trace_shared =
    TRACERS * (MOST_STOPS * sizeof(Stop) + MOST_CROSSINGS * sizeof(Crossing));

#if BITS == 16
typedef unsigned short Grey;
#else
typedef unsigned char Grey;
#endif
// pixels of a lane at once: 16 bytes
constexpr int OWN = 16 / sizeof(Grey);
constexpr int ROW_WARPS = 4;

// A warp a row of an image, [image][row][stride] of pixels from sums, which are 0 again
// afterwards, and so are their columns.
extern "C" __global__ void __launch_bounds__(ROW_WARPS* LANES)
    fill(const Grid* __restrict__ grid_at, unsigned rows, int* sums, unsigned* columns,
         Grey* pixels) {
    const Grid& grid = *grid_at;
    const unsigned lane = threadIdx.x % LANES;
    const unsigned row = blockIdx.x * ROW_WARPS + threadIdx.x / LANES;
    if (row >= rows) return;
    const unsigned first = columns[2 * row], end = columns[2 * row + 1];
    __syncwarp();
    if (lane == 0 && end > 0) {
        columns[2 * row] = 0xffffffffu;
        columns[2 * row + 1] = 0;
    }
    const long long whole = 2 * Canvas::STEPS * Canvas::STEPS * grid.planes;
    constexpr long long MOST = (1 << BITS) - 1;
    int* const own_sums = sums + size_t(row) * grid.stride;
    Grey* const own_pixels = pixels + size_t(row) * grid.stride;
    long long before = 0;
    for (unsigned start = 0; start < grid.stride; start += LANES * OWN) {
        const unsigned column = start + lane * OWN;
        __align__(16) Grey greys[OWN];
        if (start >= end || start + LANES * OWN <= first) {
            const long long sum = before < 0 ? 0 : before > whole ? whole : before;
            const Grey grey = static_cast<Grey>((sum * MOST + whole / 2) / whole);
#pragma unroll
            for (int i = 0; i < OWN; ++i) greys[i] = grey;
        } else {
            int changes[OWN];
            long long total = 0;
#pragma unroll
            for (int i = 0; i < OWN; i += 4) {
                int4 four = make_int4(0, 0, 0, 0);
                if (column + i < grid.stride) {
                    int4* const from = reinterpret_cast<int4*>(own_sums + column + i);
                    four = *from;
                    *from = make_int4(0, 0, 0, 0);
                }
                changes[i] = four.x;
                changes[i + 1] = four.y;
                changes[i + 2] = four.z;
                changes[i + 3] = four.w;
            }
#pragma unroll
            for (int i = 0; i < OWN; ++i) total += changes[i];
            long long scanned = total;
            for (int step = 1; step < LANES; step *= 2) {
                const long long other = __shfl_up_sync(ALL_LANES, scanned, step);
                if (lane >= step) scanned += other;
            }
            long long sum = before + scanned - total;
            before += __shfl_sync(ALL_LANES, scanned, LANES - 1);
#pragma unroll
            for (int i = 0; i < OWN; ++i) {
                sum += changes[i];
                const long long held = sum < 0 ? 0 : sum > whole ? whole : sum;
                greys[i] = static_cast<Grey>((held * MOST + whole / 2) / whole);
            }
        }
        if (column < grid.stride) {
            *reinterpret_cast<uint4*>(own_pixels + column) = *reinterpret_cast<uint4*>(greys);
        }
    }
}
