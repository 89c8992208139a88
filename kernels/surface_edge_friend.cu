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

// How points stand in memory: as they come from and go to the user, and, between levels, so
// that one instruction moves one.
struct Packed {
    real values[3];
};
struct alignas(16) Padded {
    real values[4];
};

struct alignas(2 * sizeof(real)) Pair {
    real low, high;
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

// Vertices of the corners 2 edge and 2 edge + 1.
__device__ __forceinline__ uint2 vertices_at(const Quads& quads, unsigned edge) {
    return __ldg(reinterpret_cast<const uint2*>(quads.corners) + edge);
}

__device__ __forceinline__ Point point_at(const Packed* points, unsigned vertex) {
    const real* const from = points[vertex].values;
    return {__ldg(from), __ldg(from + 1), __ldg(from + 2)};
}

__device__ __forceinline__ Point point_at(const Padded* points, unsigned vertex) {
    const Vector* const from = reinterpret_cast<const Vector*>(points[vertex].values);
    Vector vectors[4 / VECTOR];
#pragma unroll
    for (int i = 0; i < 4 / VECTOR; ++i) vectors[i] = __ldg(from + i);
    const real* const values = reinterpret_cast<const real*>(vectors);
    return {values[0], values[1], values[2]};
}

// Two of three numbers are always aligned together.
__device__ __forceinline__ void put(Packed* points, unsigned vertex, Point p) {
    real* const to = points[vertex].values;
    const bool odd = vertex & 1;
    *reinterpret_cast<Pair*>(to + odd) = odd ? Pair{p.y, p.z} : Pair{p.x, p.y};
    to[odd ? 0 : 2] = odd ? p.x : p.z;
}

__device__ __forceinline__ void put(Padded* points, unsigned vertex, Point p) {
    const real all[4] = {p.x, p.y, p.z, 0};
    store_vectors(points[vertex].values, all);
}

// Points of the next level on their way. Most points that a block makes belong to its own
// quads: they are collected, and leave in whole lines.
template <typename To>
struct Points {
    static constexpr unsigned OWN = 4 * THREADS;
    To* to;
    // shared memory of the block: points and whether they are here
    Padded* own;
    unsigned char* here;
    // the block's first point
    unsigned first;

    // neighbouring threads on different banks
    static __device__ __forceinline__ unsigned place(unsigned i) {
        return (i & ~3u) | ((i ^ i >> 3) & 3);
    }

    __device__ __forceinline__ void begin() {
        reinterpret_cast<uchar4*>(here)[threadIdx.x] = uchar4{};
        __syncthreads();
    }

    __device__ __forceinline__ void put(unsigned vertex, Point p) {
        const unsigned i = vertex - first;
        if (i < OWN) {
            ::put(own, place(i), p);
            here[i] = 1;
        } else {
            ::put(to, vertex, p);
        }
    }

    __device__ __forceinline__ void finish() {
        __syncthreads();
        constexpr unsigned WIDE = sizeof(To) / sizeof(real);
#pragma unroll 4
        for (unsigned at = VECTOR * threadIdx.x; at < OWN * WIDE; at += VECTOR * THREADS) {
            const unsigned low = at / WIDE, high = (at + VECTOR - 1) / WIDE;
            const bool has_low = here[low], has_high = here[high];
            real values[VECTOR];
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                values[k] = own[place((at + k) / WIDE)].values[(at + k) % WIDE];
            }
            real* const out = to[first].values + at;
            if (has_low && has_high) {
                store_vectors(out, values);
                continue;
            }
#pragma unroll
            for (int k = 0; k < VECTOR; ++k) {
                if ((at + k) / WIDE == low ? has_low : has_high) out[k] = values[k];
            }
        }
    }
};

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

// The four children of a quad; `column`: room for those of a warp, which writes them in whole
// lines.
__device__ __forceinline__ void link_corners(const Quads& quads, const Quads& fine, unsigned q,
                                             uint4 corners, uint2 friends, uint4* column) {
    const int lane = threadIdx.x % LANES;
    const unsigned w0 = vertex_slot(corners.x, quads.quads);
    const unsigned w1 = vertex_slot(corners.y, quads.quads);
    const unsigned w2 = vertex_slot(corners.z, quads.quads);
    const unsigned w3 = vertex_slot(corners.w, quads.quads);
    const unsigned child = 4 * q, face = child + 1, on0 = child + 2, on1 = child + 3;
    const unsigned off0 = edge_slot(friends.x), off1 = edge_slot(friends.y);
    const uint4 children[4] = {
        make_uint4(w0, on0, face, off1), make_uint4(w1, off0, face, on0),
        make_uint4(w2, on1, face, off0), make_uint4(w3, off1, face, on1)};
    // neighbouring lanes on different banks
    const auto at = [](int l, int k) { return 4 * l + (k ^ (l >> 1 & 3)); };
#pragma unroll
    for (int k = 0; k < 4; ++k) column[at(lane, k)] = children[k];
    __syncwarp();
    const unsigned first = 4 * (q - lane);
#pragma unroll
    for (int k = 0; k < 4; ++k) {
        const int i = k * LANES + lane;
        if (first + i < 4 * quads.quads) fine.corners[first + i] = column[at(i / 4, i % 4)];
    }
}

__device__ __forceinline__ void link_friends(const Quads& fine, unsigned q, uint2 friends) {
    const unsigned child = 4 * q;
    // children across: n at the first end of the friend, n + 1 at the other
    const unsigned n0 = first_child(friends.y), n1 = first_child(friends.x);
    unsigned* const to = reinterpret_cast<unsigned*>(fine.friends);
    fine.friends[child] = make_uint2(2 * (child + 1) + 1, 2 * n0);
    to[2 * (child + 1)] = 2 * (child + 2) + 1;
    fine.friends[child + 2] = make_uint2(2 * (child + 3) + 1, 2 * n1);
    to[2 * (child + 3)] = 2 * child + 1;
    to[2 * (n1 + 1) + 1] = 2 * (child + 1);
    to[2 * (n0 + 1) + 1] = 2 * (child + 3);
    fine.starts[edge_slot(friends.x)] = 4 * n1 + 1;
    fine.starts[edge_slot(friends.y)] = 4 * n0 + 1;
}

#if SHARP
__device__ __forceinline__ void link_sharpness(const Quads& quads, const Quads& fine,
                                               unsigned start) {
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
}
#endif

template <typename From, typename To>
__device__ __forceinline__ void quad_points(const Quads& quads, unsigned q, uint4 corners,
                                            uint2 friends, const From* points,
                                            Points<To>& refined) {
    const Point v0 = point_at(points, corners.x), v1 = point_at(points, corners.y);
    const Point v2 = point_at(points, corners.z), v3 = point_at(points, corners.w);
    // off(2 f + 1) and off(2 f) are the corners of the other on edge of that quad
    const uint2 across0 = vertices_at(quads, friends.x ^ 1);
    const uint2 across1 = vertices_at(quads, friends.y ^ 1);
    const auto at = [&](unsigned vertex) { return point_at(points, vertex); };
    const Point side0 = v1 + v2, side1 = v3 + v0;
    const Point face = ((v0 + v1) + (v2 + v3)) * real(0.25);
    const Point face0 = (side0 + (at(across0.x) + at(across0.y))) * real(0.25);
    const Point face1 = (side1 + (at(across1.x) + at(across1.y))) * real(0.25);
    const Point edge0 = (side0 + (face + face0)) * real(0.25);
    Point edge1 = (side1 + (face + face1)) * real(0.25);
#if SHARP
    const double s = quads.sharpness[q];
    if (s > 0.0) edge1 = s >= 1.0 ? middle(v3, v0) : blend(edge1, middle(v3, v0), s);
#endif
    refined.put(4 * q + 1, face);
    refined.put(edge_slot(friends.x), edge0);
    refined.put(edge_slot(friends.y), edge1);
}

template <typename From, typename To>
__device__ __forceinline__ void vertex_point(const Quads& quads, unsigned v, unsigned start,
                                             const From* points, Points<To>& refined) {
    const unsigned slot = vertex_slot(v, quads.quads);
    const Point p = point_at(points, v);
    if (start == NONE) {
        refined.put(slot, p);
        return;
    }
    int n = 0;
    Point edges = {0, 0, 0}, faces = {0, 0, 0};
    unsigned count = 0, first_end = NONE, second_end = NONE;
    double sum = 0.0;
    around(quads, start, [&](unsigned c) {
        ++n;
        // the vertices off(c) and across(c) stand side by side
        const uint2 both = vertices_at(quads, (c >> 1) ^ 1);
        const unsigned along = c & 1 ? both.x : both.y;
        edges = edges + point_at(points, along);
        faces = faces + point_at(points, c & 1 ? both.y : both.x);
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
    refined.put(slot, point);
}

// LINKS: topology of the next level; POINTS: its points. A thread a quad and a vertex.
template <typename From, typename To>
__device__ __forceinline__ void refine_level(const Quads& quads, const Quads& fine,
                                             const From* points, To* refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const bool is_quad = i < quads.quads, is_vertex = i < quads.vertices;
    const uint4 corners = is_quad ? __ldg(quads.corners + i) : uint4{};
    const uint2 friends = is_quad ? __ldg(quads.friends + i) : uint2{};
    const unsigned start = is_vertex ? __ldg(quads.starts + i) : NONE;
    __shared__ union {
        uint4 columns[THREADS / LANES][4 * LANES];
        Padded points[Points<To>::OWN];
    } collected;
#if LINKS
    link_corners(quads, fine, i, corners, friends, collected.columns[threadIdx.x / LANES]);
    if (fine.friends != nullptr) {
        const unsigned refined_start = start == NONE ? NONE : 4 * start;
        if (is_quad) {
            // slots of a vertex, perhaps of none, and of the face point
            reinterpret_cast<uint2*>(fine.starts)[2 * i] = make_uint2(refined_start, 16 * i + 2);
            link_friends(fine, i, friends);
        } else if (is_vertex) {
            fine.starts[vertex_slot(i, quads.quads)] = refined_start;
        }
#if SHARP
        if (is_vertex) link_sharpness(quads, fine, start);
#endif
    }
#endif
#if POINTS
    __shared__ unsigned char here[Points<To>::OWN];
    Points<To> next{refined, collected.points, here, 4 * blockIdx.x * THREADS};
    next.begin();
    if (is_quad) quad_points(quads, i, corners, friends, points, next);
    if (is_vertex) vertex_point(quads, i, start, points, next);
    next.finish();
#endif
}

// Corner tags: vertex points blended with their vertices. `pinned`: vertices and sharpness.
template <typename From, typename To>
__device__ __forceinline__ void pin_points(const unsigned* __restrict__ vertices,
                                           const double* __restrict__ sharpness, unsigned count,
                                           unsigned quads, const From* points, To* refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned slot = vertex_slot(vertices[i], quads);
    const real* const old = refined[slot].values;
    const double s = sharpness[i];
    const Point point = {old[0], old[1], old[2]};
    put(refined, slot, blend(point, point_at(points, vertices[i]), s < 1.0 ? s : 1.0));
}

// The user's points are packed: those of the first level and of the last.
#define LEVEL(name, From, To)                                                              \
    extern "C" __global__ void __launch_bounds__(THREADS)                                  \
        refine_##name(const __grid_constant__ Quads quads,                                 \
                      const __grid_constant__ Quads fine, const From* __restrict__ points, \
                      To* __restrict__ refined) {                                          \
        refine_level(quads, fine, points, refined);                                        \
    }                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS)                                  \
        pin_##name(const unsigned* __restrict__ vertices,                                  \
                   const double* __restrict__ sharpness, unsigned count, unsigned quads,   \
                   const From* __restrict__ points, To* refined) {                         \
        pin_points(vertices, sharpness, count, quads, points, refined);                    \
    }

LEVEL(only, Packed, Packed)
LEVEL(first, Packed, Padded)
LEVEL(between, Padded, Padded)
LEVEL(last, Padded, Packed)
