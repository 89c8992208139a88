// A level of edge-friend: topology, points, or both in one gather pass (Kuth et al. 2023).
//
//     quad task     four child quads with their friends; face point, points of two off edges
//     vertex task   start of the vertex and sharpness of its half-edges; vertex point
//
// The same tasks as src/surface/edge_friend on the CPU, in the same order of sums, compiled
// without contraction of products and sums: the same bits. Every value is written once.
#include "real.cuh"

constexpr unsigned NONE = 0xffffffffu;
constexpr int THREADS = 256;

struct Quads {
    // [quad]: vertices; on edges that v1v2 and v3v0 are; [vertex]: one corner at it, or NONE;
    // [quad]: sharpness of v3v0, or null
    uint4* corners;
    uint2* friends;
    unsigned* starts;
    double* sharpness;
    unsigned quads, vertices;
};

struct Point {
    real x, y, z;
};

__device__ __forceinline__ Point operator+(Point a, Point b) {
    return {a.x + b.x, a.y + b.y, a.z + b.z};
}

__device__ __forceinline__ Point operator*(Point a, real s) {
    return {a.x * s, a.y * s, a.z * s};
}

__device__ __forceinline__ Point middle(Point a, Point b) { return (a + b) * real(0.5); }

// a (1 - t) + b t
__device__ __forceinline__ Point blend(Point a, Point b, double t) {
    return a * real(1.0 - t) + b * real(t);
}

// Corners are 4 quad + i, on edges 2 quad + k.
__device__ __forceinline__ unsigned off(unsigned corner) { return corner ^ 3; }
__device__ __forceinline__ unsigned across(unsigned corner) { return corner ^ 2; }

// Child of the quad at the first end of an on edge, and new vertex in its middle.
__device__ __forceinline__ unsigned first_child(unsigned edge) {
    return 4 * (edge >> 1) + 2 * (edge & 1);
}
__device__ __forceinline__ unsigned edge_slot(unsigned edge) {
    return 4 * (edge >> 1) + 2 + (edge & 1);
}

// Whether the off edge of a corner is v1v2 or v3v0.
__device__ __forceinline__ bool is_last_side(unsigned corner) {
    return (corner & 3) == 0 || (corner & 3) == 3;
}

__device__ __forceinline__ unsigned vertex_slot(unsigned vertex, unsigned quads) {
    return vertex < quads ? 4 * vertex : 3 * quads + vertex;
}

__device__ __forceinline__ unsigned vertex_at(const Quads& quads, unsigned corner) {
    return __ldg(reinterpret_cast<const unsigned*>(quads.corners) + corner);
}

__device__ __forceinline__ Point point_at(const Point* __restrict__ points, unsigned vertex) {
    const real* const from = reinterpret_cast<const real*>(points) + 3 * size_t(vertex);
    return {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
}

__device__ __forceinline__ double sharpness_at(const Quads& quads, unsigned corner) {
    return is_last_side(corner) ? quads.sharpness[corner >> 2] : 0.0;
}

// Visits the corners at a vertex, from off edge to off edge.
template <typename Visit>
__device__ __forceinline__ void around(const Quads& quads, unsigned start, Visit visit) {
    unsigned c = start;
    do {
        visit(c);
        const unsigned* const friends = reinterpret_cast<const unsigned*>(quads.friends);
        c = 2 * __ldg(friends + 2 * (c >> 2) + is_last_side(c)) + (c & 1);
    } while (c != start);
}

__device__ __forceinline__ void link_quad(const Quads& quads, const Quads& fine, unsigned q,
                                          uint4 corners, uint2 friends) {
    const unsigned w0 = vertex_slot(corners.x, quads.quads);
    const unsigned w1 = vertex_slot(corners.y, quads.quads);
    const unsigned w2 = vertex_slot(corners.z, quads.quads);
    const unsigned w3 = vertex_slot(corners.w, quads.quads);
    const unsigned child = 4 * q, face = child + 1, on0 = child + 2, on1 = child + 3;
    const unsigned off0 = edge_slot(friends.x), off1 = edge_slot(friends.y);
    fine.corners[child] = make_uint4(w0, on0, face, off1);
    fine.corners[child + 1] = make_uint4(w1, off0, face, on0);
    fine.corners[child + 2] = make_uint4(w2, on1, face, off0);
    fine.corners[child + 3] = make_uint4(w3, off1, face, on1);
    if (fine.friends == nullptr) return;
    // children across: n at the first end of the friend, n + 1 at the other
    const unsigned n0 = first_child(friends.y), n1 = first_child(friends.x);
    unsigned* const to = reinterpret_cast<unsigned*>(fine.friends);
    fine.friends[child] = make_uint2(2 * (child + 1) + 1, 2 * n0);
    to[2 * (child + 1)] = 2 * (child + 2) + 1;
    fine.friends[child + 2] = make_uint2(2 * (child + 3) + 1, 2 * n1);
    to[2 * (child + 3)] = 2 * child + 1;
    to[2 * (n1 + 1) + 1] = 2 * (child + 1);
    to[2 * (n0 + 1) + 1] = 2 * (child + 3);
    fine.starts[face] = 4 * child + 2;
    fine.starts[off0] = 4 * n1 + 1;
    fine.starts[off1] = 4 * n0 + 1;
}

__device__ __forceinline__ void link_vertex(const Quads& quads, const Quads& fine, unsigned v,
                                            unsigned start) {
    if (fine.friends == nullptr) return;
    fine.starts[vertex_slot(v, quads.quads)] = start == NONE ? NONE : 4 * start;
#if SHARP
    if (start == NONE) return;
    int count = 0;
    double sum = 0.0;
#if CHAIKIN
    around(quads, start, [&](unsigned c) {
        const double s = sharpness_at(quads, c);
        if (s > 0.0 && isfinite(s)) {
            ++count;
            sum += s;
        }
    });
#endif
    around(quads, start, [&](unsigned c) {
        double s = sharpness_at(quads, c);
        if (s == 0.0) return;
        if (count > 1 && isfinite(s)) s = 0.75 * s + 0.25 * ((sum - s) / double(count - 1));
        // the half of v3v0 at v0 is off in child 0, the half at v3 in a child across
        const unsigned quad = c >> 2, other = quads.friends[quad].y;
        const unsigned child = (c & 3) == 0 ? 4 * quad : first_child(other) + 1;
        fine.sharpness[child] = s - 1.0 > 0.0 ? s - 1.0 : 0.0;
    });
#endif
}

__device__ __forceinline__ void quad_points(const Quads& quads, unsigned q, uint4 corners,
                                            uint2 friends, const Point* points, Point* refined) {
    const Point v0 = point_at(points, corners.x), v1 = point_at(points, corners.y);
    const Point v2 = point_at(points, corners.z), v3 = point_at(points, corners.w);
    const auto at = [&](unsigned corner) { return point_at(points, vertex_at(quads, corner)); };
    const Point side0 = v1 + v2, side1 = v3 + v0;
    const Point face = ((v0 + v1) + (v2 + v3)) * real(0.25);
    const Point face0 =
        (side0 + (at(off(2 * friends.x + 1)) + at(off(2 * friends.x)))) * real(0.25);
    const Point face1 =
        (side1 + (at(off(2 * friends.y + 1)) + at(off(2 * friends.y)))) * real(0.25);
    const Point edge0 = (side0 + (face + face0)) * real(0.25);
    Point edge1 = (side1 + (face + face1)) * real(0.25);
#if SHARP
    const double s = quads.sharpness[q];
    if (s > 0.0) edge1 = s >= 1.0 ? middle(v3, v0) : blend(edge1, middle(v3, v0), s);
#endif
    refined[4 * size_t(q) + 1] = face;
    refined[edge_slot(friends.x)] = edge0;
    refined[edge_slot(friends.y)] = edge1;
}

__device__ __forceinline__ void vertex_point(const Quads& quads, unsigned v, unsigned start,
                                             const Point* points, Point* refined) {
    const unsigned slot = vertex_slot(v, quads.quads);
    const Point p = point_at(points, v);
    if (start == NONE) {
        refined[slot] = p;
        return;
    }
    int n = 0;
    Point edges = {0, 0, 0}, faces = {0, 0, 0};
    unsigned count = 0, first_end = NONE, second_end = NONE;
    double sum = 0.0;
    around(quads, start, [&](unsigned c) {
        ++n;
        const unsigned along = vertex_at(quads, off(c));
        edges = edges + point_at(points, along);
        faces = faces + point_at(points, vertex_at(quads, across(c)));
#if SHARP
        const double s = sharpness_at(quads, c);
        if (s > 0.0) {
            if (count == 0) first_end = along;
            if (count == 1) second_end = along;
            ++count;
            sum += s;
        }
#endif
    });
    const double valence = n;
    const double beta = 1.5 / (valence * valence), gamma = 0.25 / (valence * valence);
    const double alpha = 1.0 - valence * (beta + gamma);
    Point point = (p * real(alpha) + edges * real(beta)) + faces * real(gamma);
    if (count > 1) {
        const double mean = sum / double(count);
        const double sharp = mean < 1.0 ? mean : 1.0;
        const double along = count == 2 ? sharp : 0.0, still = count == 2 ? 0.0 : sharp;
        const double smooth = 1.0 - sharp;
        Point held = p * real(still);
        if (smooth > 0.0) held = held + point * real(smooth);
        if (along > 0.0) {
            const Point ends = point_at(points, first_end) + point_at(points, second_end);
            held = held + (p * real(0.75) + ends * real(0.125)) * real(along);
        }
        point = held;
    }
    refined[slot] = point;
}

// LINKS: topology of the next level; POINTS: its points. A thread a quad and a vertex.
extern "C" __global__ void __launch_bounds__(THREADS)
    refine(const __grid_constant__ Quads quads, const __grid_constant__ Quads fine,
           const Point* __restrict__ points, Point* __restrict__ refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i < quads.quads) {
        const uint4 corners = __ldg(quads.corners + i);
        const uint2 friends = __ldg(quads.friends + i);
#if LINKS
        link_quad(quads, fine, i, corners, friends);
#endif
#if POINTS
        quad_points(quads, i, corners, friends, points, refined);
#endif
    }
    if (i < quads.vertices) {
        const unsigned start = __ldg(quads.starts + i);
#if LINKS
        link_vertex(quads, fine, i, start);
#endif
#if POINTS
        vertex_point(quads, i, start, points, refined);
#endif
    } else if (LINKS && i < quads.quads && fine.friends != nullptr) {
        // a slot of a vertex that this level has not
        fine.starts[4 * i] = NONE;
    }
}

// Corner tags: vertex points blended with their vertices. `pinned`: vertices and sharpness.
extern "C" __global__ void __launch_bounds__(THREADS)
    pin(const unsigned* __restrict__ vertices, const double* __restrict__ sharpness,
        unsigned count, unsigned quads, const Point* __restrict__ points, Point* refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    Point& point = refined[vertex_slot(vertices[i], quads)];
    const double s = sharpness[i];
    point = blend(point, point_at(points, vertices[i]), s < 1.0 ? s : 1.0);
}
