// Creases and corners as src/scheme/crease.rs has them: how sharp halves of edges are, and which
// rules per vertex and an edge point blend.
#pragma once
#include "surface/point.cuh"

// Semi-sharp edges at a vertex, and with them the sharpness of the halves of its edges one level
// on. Without any, halves are 1 less sharp; by Chaikin's rule all that are there are met first.
struct Halves {
    unsigned count = 0;
    double sum = 0.0;

    __device__ __forceinline__ void meet(double s) {
        if (!(s > 0.0) || !isfinite(s)) return;
        ++count;
        sum += s;
    }

    __device__ __forceinline__ double of(double s) const {
        if (s > 0.0 && isfinite(s) && count > 1) {
            s = 0.75 * s + 0.25 * ((sum - s) / double(count - 1));
        }
        return s > 1.0 ? s - 1.0 : 0.0;
    }
};

// Whether the halves of an edge do not matter to its weight: by either rule both are sharp.
__device__ __forceinline__ bool stays_sharp(double s) { return 0.75 * s > 1.0; }

// Weight of the midpoint of an edge, beside the smooth rule.
__device__ __forceinline__ double edge_weight(double s, double half, double other) {
    return half > 0.0 && other > 0.0 ? 1.0 : s;
}

// What is sharp at a vertex at one level.
struct SharpSide {
    bool tagged = false;
    unsigned count = 0, first = ~0u, second = ~0u;

    __device__ __forceinline__ void add(unsigned end) {
        if (count == 0) first = end;
        if (count == 1) second = end;
        ++count;
    }

    // 0 smooth, 1 crease, 2 corner
    __device__ __forceinline__ int rule() const {
        return tagged || count > 2 ? 2 : count == 2 ? 1 : 0;
    }
};

// Weights of the rules at a vertex, and the ends of its crease.
struct VertexWeights {
    double smooth, crease, corner;
    unsigned first, second;
};

// The point of a vertex at `p` by these rules; `smooth`: by the smooth rule.
template <typename From>
__device__ __forceinline__ Point blend_rules(const VertexWeights& weights, Point p, Point smooth,
                                             const From* points) {
    Point point = p * real(weights.corner);
    if (weights.smooth > 0.0) point = point + smooth * real(weights.smooth);
    if (weights.crease > 0.0) {
        const Point ends = point_at(points, weights.first) + point_at(points, weights.second);
        point = point + (p * real(0.75) + ends * real(0.125)) * real(weights.crease);
    }
    return point;
}

// What is sharp at a vertex at this level and the next.
struct VertexSharpness {
    SharpSide now, next;
    unsigned falling = 0;
    double sum = 0.0;

    // The vertex's own tag, before its edges.
    __device__ __forceinline__ void tag(double s) {
        now.tagged = s > 0.0;
        next.tagged = s > 1.0;
        if (now.tagged && !next.tagged) fall(s);
    }

    __device__ __forceinline__ void edge(unsigned end, double s, double half) {
        if (!(s > 0.0)) return;
        now.add(end);
        if (half > 0.0) next.add(end);
        else fall(s);
    }

    __device__ __forceinline__ void fall(double s) {
        ++falling;
        sum += s;
    }

    __device__ __forceinline__ VertexWeights weights() const {
        const int rule = now.rule(), after = next.rule();
        double mean = 1.0;
        if (rule != after && rule != 0) {
            mean = sum / double(falling);
            mean = mean < 1.0 ? mean : 1.0;
        }
        const int then = rule == 0 ? 0 : after;
        const auto weight = [&](int which) {
            double all = 0.0;
            if (rule == which) all += mean;
            if (then == which) all += 1.0 - mean;
            return all;
        };
        const SharpSide& crease = rule == 1 ? now : next;
        return {weight(0), weight(1), weight(2), crease.first, crease.second};
    }
};
