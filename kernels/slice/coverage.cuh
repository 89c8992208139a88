// Pixels that closed contours cover, as src/slice/pixels/coverage.rs.
#pragma once

#include "common/shared.cuh"
#include "common/real.cuh"

struct Grid {
    double origin[2], pitch[2], tolerance;
    // columns, rows, and columns with those that fill up the rows in memory
    unsigned columns, rows, stride;
    // planes averaged in one image
    unsigned planes;
    // words of touched groups a row
    unsigned words;
    unsigned padding;
};

// Columns that a bit of a row's words stands for: whether any of them was touched.
constexpr int GROUP = host::COVERED_GROUP;

// What chords leave in the rows of one plane: sums of changes, [row][stride], and which groups
// of columns they are in, [row][words].
struct Canvas {
    const Grid& grid;
    int* sums;
    unsigned* touched;

    __device__ void add(long long row, long long column, long long amount) const {
        if (amount == 0 || column >= grid.columns || row < 0 || row >= grid.rows) return;
        if (column < 0) column = 0;
        atomicAdd(sums + row * grid.stride + column, static_cast<int>(amount));
        const unsigned group = static_cast<unsigned>(column) / GROUP;
        atomicOr(touched + row * grid.words + group / 32, 1u << group % 32);
    }

    // A chord in the plane's coordinates, material on its left.
    __device__ void chord(double ax, double ay, double bx, double by) const {
        ax = (ax - grid.origin[0]) / grid.pitch[0];
        ay = (ay - grid.origin[1]) / grid.pitch[1];
        bx = (bx - grid.origin[0]) / grid.pitch[0];
        by = (by - grid.origin[1]) / grid.pitch[1];
        const double width = grid.columns, height = grid.rows;
        if (fmax(ay, by) <= 0.0 || fmin(ay, by) >= height || fmin(ax, bx) >= width) return;
        const auto inside = [&](double x, double y) {
            return x >= 0.0 && x <= width && y >= 0.0 && y <= height;
        };
        if (inside(ax, ay) && inside(bx, by)) {
            steps(snap(ax), snap(ay), snap(bx), snap(by));
            return;
        }
        // parts left of the image act from the first column on
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
        // upward, the material is on the left: pixels to the right lose
        const int sign = up ? -1 : 1;
#if CENTER
        centers(x0, y0, x1, y1, sign);
#else
        areas(x0, y0, x1, y1, sign);
#endif
    }

#if CENTER
    __device__ void centers(long long x0, long long y0, long long x1, long long y1,
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
