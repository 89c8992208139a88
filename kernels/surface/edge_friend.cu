// A level of edge-friend: topology, points, or both in one gather pass (Kuth et al. 2023).
//
//     quad task     four child quads with their friends; face point, points of two off edges
//     vertex task   sharpness of the half-edges of a vertex; vertex point
//
// The same tasks as src/surface/refine/edge_friend on the CPU, in the same order of sums, compiled
// without contraction of products and sums: the same bits. Every value is written once.
//
// Child k of quad P has corners (w, on, face, off) or, where k is odd, (w, off, face, on), with
// face = 4P + 1, on = 4P + 2 + k/2 and the point of P's off edge on the other side, which follows
// from a friend. Its own friend across v1v2 is the next child. So the vertices around a face
// point are known from the four quads there, those around the point of an edge from two quads on
// either side; only older vertices are gone around from friend to friend.
//
// Plain reference: src/surface/refine/edge_friend, bit by bit (tests/gpu/surface.rs).
//
// Measured without gain: going from friend to friend around face and edge points takes 626 us at
// level 7 instead of 520, and 2.19 ms at level 8 instead of 1.77.
#include "surface/stars.cuh"

// blocks a multiprocessor holds at least: a bound for the registers
constexpr int BLOCKS = DOUBLE || SHARP || __CUDA_ARCH__ < 800 ? 4 : 5;

// The four children of a quad; `column`: room for a warp's, which writes them in whole
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
    // neighboring lanes on different banks
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

// Friends of a block's children, which leave in whole lines but for those that other blocks
// write.
struct Links {
    uint4 friends[THREADS];
};

// Owners and friends of the children. All threads of a block call it.
__device__ __forceinline__ void link_children(const Quads& quads, const Quads& fine, unsigned q,
                                              uint4 corners, uint2 friends, Links& links) {
    const unsigned child = 4 * q;
    // children across: n at the first end of the friend, n + 1 at the other
    const unsigned n0 = first_child(friends.y), n1 = first_child(friends.x);
    links.friends[threadIdx.x] = make_uint4(2 * n0, NONE, 2 * n1, NONE);
    __syncthreads();
    if (q < quads.quads) {
        reinterpret_cast<uint4*>(fine.owners)[q] =
            make_uint4(vertex_slot(corners.x, quads.quads), vertex_slot(corners.y, quads.quads),
                       vertex_slot(corners.z, quads.quads), vertex_slot(corners.w, quads.quads));
        const unsigned first = 4 * blockIdx.x * THREADS;
        const auto put_friend = [&](unsigned at, unsigned word) {
            const unsigned i = at - first;
            unsigned* const here = reinterpret_cast<unsigned*>(links.friends);
            (i < 4 * THREADS ? here : fine.friends)[i < 4 * THREADS ? i : at] = word;
        };
        put_friend(n1 + 1, 2 * (child + 1));
        put_friend(n0 + 1, 2 * (child + 3));
    }
    __syncthreads();
    if (q >= quads.quads) return;
    const uint4 words = links.friends[threadIdx.x];
    unsigned* const to = fine.friends + child;
    if (words.y != NONE && words.w != NONE) {
        *reinterpret_cast<uint4*>(to) = words;
        return;
    }
    to[0] = words.x;
    if (words.y != NONE) to[1] = words.y;
    to[2] = words.z;
    if (words.w != NONE) to[3] = words.w;
}

#if SHARP
// Halves of the edges at a vertex. `visit_sharp`: calls with sharpness, other end, and the quad
// of the next level that keeps the half, edge by edge around the vertex.
template <typename Around>
__device__ __forceinline__ void link_sharpness(const Quads& fine, Around visit_sharp) {
    Halves halves;
#if CHAIKIN
    visit_sharp([&](double s, unsigned, unsigned) { halves.meet(s); });
#endif
    visit_sharp(
        [&](double s, unsigned, unsigned child) { fine.sharpness[child] = halves.of(s); });
}
#endif

template <bool FIRST, typename From, typename To>
__device__ __forceinline__ void quad_points(const Quads& quads, unsigned q, const Quad& quad,
                                            Point v0, Point v1, Point next0, Point next1,
                                            const From* points, Points<To>& refined) {
    const Point v2 = point_at(points, quad.corners.z), v3 = point_at(points, quad.corners.w);
    const auto at = [&](unsigned vertex) { return point_at(points, vertex); };
    const Point side0 = v1 + v2, side1 = v3 + v0;
    const Point face = ((v0 + v1) + (v2 + v3)) * real(0.25);
    const Point face0 = (side0 + (next0 + next1)) * real(0.25);
    const Point face1 = (side1 + (at(quad.across.x) + at(quad.across.y))) * real(0.25);
    const Point edge0 = (side0 + (face + face0)) * real(0.25);
    Point edge1 = (side1 + (face + face1)) * real(0.25);
#if SHARP
    const double s = quads.sharpness[q];
    if (s > 0.0) {
        const double weight = midpoint_weight<FIRST>(quads, q, s);
        edge1 = weight == 1.0 ? middle(v3, v0) : blend(edge1, middle(v3, v0), weight);
    }
#endif
    refined.put(4 * q + 1, face);
    refined.put(edge_slot(quad.friends.x), edge0);
    refined.put(edge_slot(quad.friends.y), edge1);
}

// What lies around a vertex of the first level.
template <typename From>
__device__ __forceinline__ Star first_star(const Quads& quads, unsigned start,
                                           const From* points) {
    Star star{quads};
    around(quads, start, [&](unsigned c) {
        // the vertices along the off edge and across the quad stand side by side
        const uint2 both = vertices_at(quads, (c >> 1) ^ 1);
        star.add(points, c & 1 ? both.x : both.y, c & 1 ? both.y : both.x);
        if (is_last_side(c)) star.meet_edge(c >> 2);
    });
    return star;
}

// A vertex of the first level.
template <typename From, typename To>
__device__ __forceinline__ void first_vertex(const Quads& quads, const Quads& fine, unsigned v,
                                             const From* points, Points<To>& refined) {
    const unsigned start = __ldg(quads.starts + v);
    [[maybe_unused]] const auto visit_sharp = [&]([[maybe_unused]] auto visit) {
#if SHARP
        sharp_at_first(quads, start, visit);
#endif
    };
#if LINKS && SHARP
    if (fine.friends != nullptr && start != NONE) link_sharpness(fine, visit_sharp);
#endif
#if POINTS
    const Point p = point_at(points, v);
    refined.put(vertex_slot(v, quads.quads),
                start == NONE ? p
                              : first_star(quads, start, points)
                                    .vertex_point(p, points, 0.0, visit_sharp));
#endif
}

// A vertex of a later level: a new one of the level (kind 1 a face point, 2 and 3 points of
// edges) or an older one (0). All lanes of a warp call it; `quad`: of the thread.
template <typename From, typename To>
__device__ __forceinline__ void child_vertex(const Quads& quads, const Quads& fine, unsigned v,
                                             const Quad& quad, const From* points,
                                             Points<To>& refined) {
    const unsigned lane = threadIdx.x % LANES, group = lane & ~3u;
    const unsigned kind = v < quads.quads ? v & 3 : 0;
    const bool is_face = kind == 1;
    // of the two quads on this side of an edge the first, and the one after it
    const unsigned near = kind == 3 ? 2 : 0;
    const auto friend_at = [&](unsigned k) {
        return __shfl_sync(~0u, quad.friends.y, group + k);
    };
    const auto owner_at = [&](unsigned k) { return __shfl_sync(~0u, quad.corners.x, group + k); };
    const unsigned f0 = friend_at(0), f2 = friend_at(2), f_near = friend_at(near + 1);
    const unsigned w0 = owner_at(is_face ? 0 : near + 1);
    const unsigned w1 = owner_at(1), w2 = owner_at(2), w3 = owner_at(3);
    if (v >= quads.vertices) return;
    // the quads on the other side
    const unsigned far = f_near >> 1, far_next = next_child(far);
    const unsigned face = face_of(v);
    const unsigned start = kind == 0 ? start_of(quads, v) : 0;
    [[maybe_unused]] const auto visit_sharp = [&]([[maybe_unused]] auto visit) {
#if SHARP
        if (kind == 0) return sharp_at_old(quads, start, visit);
        const auto visit_quad = [&](unsigned q, unsigned end, unsigned child) {
            const double s = quads.sharpness[q];
            if (s > 0.0) visit(s, end, child);
        };
        // the half of v3v0 at v3 is off in a child across
        visit_quad((v & ~3u) + near + 1, w0, first_child(f_near) + 1);
        visit_quad(far_next, __ldg(quads.owners + far_next),
                   first_child(__ldg(quads.friends + far_next)) + 1);
#endif
    };
#if LINKS && SHARP
    if (fine.friends != nullptr && kind != 1 && start != NONE) link_sharpness(fine, visit_sharp);
#endif
#if POINTS
    const Point p = point_at(points, v);
    const unsigned slot = vertex_slot(v, quads.quads);
    if (start == NONE) {
        refined.put(slot, p);
        return;
    }
    Star star{quads};
    unsigned along[4], across[4];
    bool four = true;
    if (kind == 0) {
        unsigned q = start;
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            four = four && (i == 0 || q != start);
            const unsigned other = __ldg(quads.friends + q);
            along[i] = last_corner(q, other);
            across[i] = face_of(q);
            q = other >> 1;
        }
        four = four && q == start;
    } else if (is_face) {
        along[0] = face + 1;
        along[1] = off_of(f2);
        along[2] = face + 2;
        along[3] = off_of(f0);
        across[0] = w0;
        across[1] = w1;
        across[2] = w2;
        across[3] = w3;
    } else {
        along[0] = face;
        across[0] = off_of(near == 0 ? f0 : f2);
        along[1] = w0;
        across[1] = off_of(near == 0 ? f2 : f0);
        along[2] = face_of(far);
        across[2] = on_of(far);
        along[3] = __ldg(quads.owners + far_next);
        across[3] = on_of(far_next);
    }
    if (four) {
#pragma unroll
        for (int i = 0; i < 4; ++i) star.add(points, along[i], across[i]);
    }
#if SHARP
    if (kind >= 2) {
        star.meet_edge((v & ~3u) + near + 1);
        star.meet_edge(far_next);
    }
    const bool walks = kind == 0;
#else
    const bool walks = !four;
#endif
    if (walks) {
        around_old(quads, start, [&](unsigned q, unsigned other) {
            if (!four) star.add(points, last_corner(q, other), face_of(q));
            star.meet_edge(q);
        });
    }
    refined.put(slot, star.vertex_point(p, points, 0.0, visit_sharp));
#endif
}

// LINKS: topology of the next level; POINTS: its points. A thread per quad and vertex. FIRST: of
// the first level; LAST: to the last.
template <bool FIRST, bool LAST, typename From, typename To>
__device__ __forceinline__ void refine_level(const Quads& quads, const Quads& fine,
                                             const From* points, To* refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const bool is_quad = i < quads.quads, is_vertex = i < quads.vertices;
    // children of one quad are all there or none
    const unsigned q = is_quad ? i : i & 3;
    const Quad quad = FIRST ? first_quad(quads, is_quad ? i : 0) : child_quad(quads, q);
    __shared__ union {
        uint4 columns[THREADS / LANES][4 * LANES];
        Links links;
        Padded points[Points<To>::OWN];
    } collected;
#if LINKS
    if constexpr (LAST) {
        link_corners(quads, fine, i, quad.corners, quad.friends,
                     collected.columns[threadIdx.x / LANES]);
    } else {
        link_children(quads, fine, i, quad.corners, quad.friends, collected.links);
    }
#endif
#if POINTS
    __shared__ unsigned char here[Points<To>::OWN];
    Points<To> next{refined, collected.points, here, 4 * blockIdx.x * THREADS};
    next.begin();
    const auto at = [&](unsigned vertex) { return point_at(points, vertex); };
    const Point v0 = at(quad.corners.x), v1 = at(quad.corners.y);
    Point next0, next1;
    if constexpr (FIRST) {
        const uint2 across = vertices_at(quads, quad.friends.x ^ 1);
        next0 = at(across.x);
        next1 = at(across.y);
    } else {
        next0 = from_lane(v0, next_child(threadIdx.x % LANES));
        next1 = from_lane(v1, next_child(threadIdx.x % LANES));
    }
    if (is_quad) quad_points<FIRST>(quads, i, quad, v0, v1, next0, next1, points, next);
#else
    Points<To> next{};
#endif
    if constexpr (FIRST) {
        if (is_vertex) first_vertex(quads, fine, i, points, next);
    } else {
        child_vertex(quads, fine, i, quad, points, next);
    }
#if POINTS
    next.finish();
#endif
}

// The points of vertices with a tag, and its sharpness.
template <bool FIRST, typename From, typename To>
__device__ __forceinline__ void fix_points(const Quads& quads,
                                           const unsigned* __restrict__ vertices,
                                           const double* __restrict__ sharpness, unsigned count,
                                           const From* points, To* refined) {
    const unsigned i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= count) return;
    const unsigned v = vertices[i];
    const unsigned start = FIRST ? __ldg(quads.starts + v) : start_of(quads, v);
    if (start == NONE) return;
    const auto visit_sharp = [&]([[maybe_unused]] auto visit) {
#if SHARP
        if constexpr (FIRST) sharp_at_first(quads, start, visit);
        else sharp_at_old(quads, start, visit);
#endif
    };
    const Point p = point_at(points, v);
    const auto star = [&] {
        if constexpr (FIRST) return first_star(quads, start, points);
        Star old{quads};
        around_old(quads, start, [&](unsigned q, unsigned other) {
            old.add(points, last_corner(q, other), face_of(q));
            old.meet_edge(q);
        });
        return old;
    }();
    put(refined, vertex_slot(v, quads.quads),
        star.vertex_point(p, points, sharpness[i], visit_sharp));
}

// The user's points, of the first level and the last, are packed.
#define LEVEL(name, FIRST, LAST, From, To)                                                 \
    extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)                          \
        refine_##name(const __grid_constant__ Quads quads,                                 \
                      const __grid_constant__ Quads fine, const From* __restrict__ points, \
                      To* __restrict__ refined) {                                          \
        refine_level<FIRST, LAST>(quads, fine, points, refined);                           \
    }                                                                                      \
    extern "C" __global__ void __launch_bounds__(THREADS)                                  \
        fix_##name(const __grid_constant__ Quads quads,                                    \
                   const unsigned* __restrict__ vertices,                                  \
                   const double* __restrict__ sharpness, unsigned count,                   \
                   const From* __restrict__ points, To* refined) {                         \
        fix_points<FIRST>(quads, vertices, sharpness, count, points, refined);             \
    }

LEVEL(only, true, true, Packed, Packed)
LEVEL(first, true, false, Packed, Padded)
LEVEL(between, false, false, Padded, Padded)
LEVEL(last, false, true, Padded, Packed)
