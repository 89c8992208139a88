// Quads of edge-friend with their neighbors, and what lies around a vertex; see
// surface/edge_friend.cu.
#pragma once
#include "surface/friends.cuh"
#include "surface/vertex_sharpness.cuh"

// Vertices of the corners 2 edge and 2 edge + 1 of the first level.
__device__ __forceinline__ uint2 vertices_at(const Quads& quads, unsigned edge) {
    return __ldg(reinterpret_cast<const uint2*>(quads.corners) + edge);
}

// The quad after this one among the children of a quad, and the point in the middle of that
// quad's edge between the two pairs of children.
__device__ __forceinline__ unsigned next_child(unsigned quad) {
    return (quad & ~3u) | ((quad + 1) & 3);
}
__device__ __forceinline__ unsigned face_of(unsigned quad) { return (quad & ~3u) + 1; }
__device__ __forceinline__ unsigned on_of(unsigned quad) {
    return (quad & ~3u) + 2 + (quad >> 1 & 1);
}

// Corner 3 of an even child, corner 1 of the child before it, by the friend of that child.
__device__ __forceinline__ unsigned off_of(unsigned friend_across) {
    return (friend_across >> 1 & ~3u) + 2 + (friend_across >> 2 & 1);
}

// A quad, and its neighbors' vertices that its off edges need.
struct Quad {
    uint4 corners;
    uint2 friends;
    uint2 across; // corners 2 and 3 of the quad across v3v0 as it lies there
};

__device__ __forceinline__ Quad first_quad(const Quads& quads, unsigned q) {
    Quad quad;
    quad.corners = __ldg(quads.corners + q);
    quad.friends = __ldg(reinterpret_cast<const uint2*>(quads.friends) + q);
#if POINTS
    // off(2 f + 1) and off(2 f) are the corners of the other on edge of that quad
    quad.across = vertices_at(quads, quad.friends.y ^ 1);
#endif
    return quad;
}

// All lanes of a warp call it.
__device__ __forceinline__ Quad child_quad(const Quads& quads, unsigned q) {
    const unsigned lane = threadIdx.x % LANES;
    const unsigned own = __ldg(quads.owners + q), friend_across = __ldg(quads.friends + q);
    const unsigned after = __shfl_sync(~0u, friend_across, next_child(lane));
    const bool odd = q & 1;
    const unsigned off = off_of(odd ? after : friend_across), on = on_of(q);
    Quad quad;
    quad.corners = make_uint4(own, odd ? off : on, face_of(q), odd ? on : off);
    quad.friends = make_uint2(2 * next_child(q) + 1, friend_across);
#if POINTS
    const unsigned other = friend_across >> 1;
    quad.across = make_uint2(face_of(other),
                             odd ? on_of(other) : off_of(__ldg(quads.friends + other)));
#endif
    return quad;
}

// What lies around a vertex, in order, and how many of the edges are sharp.
struct Star {
    const Quads& quads;
    Point edges = {0, 0, 0}, faces = {0, 0, 0};
    int valence = 0;
    unsigned sharp = 0;

    template <typename From>
    __device__ __forceinline__ void add(const From* points, unsigned along, unsigned across) {
        ++valence;
        edges = edges + point_at(points, along);
        faces = faces + point_at(points, across);
    }

    // v3v0 of a quad.
    __device__ __forceinline__ void meet_edge(unsigned quad) {
#if SHARP
        sharp += quads.sharpness[quad] > 0.0;
#endif
    }

    __device__ __forceinline__ Point smooth_point(Point p) const {
        const double n = valence;
        const double beta = 1.5 / (n * n), gamma = 0.25 / (n * n);
        const double alpha = 1.0 - n * (beta + gamma);
        return (p * real(alpha) + edges * real(beta)) + faces * real(gamma);
    }

    // The point of a vertex with the sharpness `tag` of its own. `visit_sharp`: calls with
    // sharpness and other end of its sharp edges, one after another.
    template <typename From, typename Around>
    __device__ __forceinline__ Point vertex_point(Point p, const From* points, double tag,
                                                  Around visit_sharp) const {
        const Point smooth = smooth_point(p);
        if (sharp < 2 && !(tag > 0.0)) return smooth;
        VertexSharpness all;
        all.tag(tag);
#if SHARP
        Halves halves;
#if CHAIKIN
        visit_sharp([&](double s, unsigned, unsigned) { halves.meet(s); });
#endif
        visit_sharp([&](double s, unsigned end, unsigned) { all.edge(end, s, halves.of(s)); });
#endif
        const VertexWeights weights = all.weights();
        return weights.smooth == 1.0 ? smooth : blend_rules(weights, p, smooth, points);
    }
};

// Whether the off edge of a corner of the first level is v1v2 or v3v0.
__device__ __forceinline__ bool is_last_side(unsigned corner) {
    return (corner & 3) == 0 || (corner & 3) == 3;
}

// Visits the corners at a vertex of the first level, from off edge to off edge.
template <typename Visit>
__device__ __forceinline__ void around(const Quads& quads, unsigned start, Visit visit) {
    unsigned c = start;
    do {
        visit(c);
        c = 2 * __ldg(quads.friends + 2 * (c >> 2) + is_last_side(c)) + (c & 1);
    } while (c != start);
}

// Visits the quads whose corner 0 an older vertex is: quad, friend across.
template <typename Visit>
__device__ __forceinline__ void around_old(const Quads& quads, unsigned start, Visit visit) {
    unsigned q = start;
    do {
        const unsigned across = __ldg(quads.friends + q);
        visit(q, across);
        q = across >> 1;
    } while (q != start);
}

// Corner 3 of a child.
__device__ __forceinline__ unsigned last_corner(unsigned quad, unsigned friend_across) {
    return quad & 1 ? on_of(quad) : off_of(friend_across);
}

// A quad whose corner 0 an older vertex is, found where the vertex was new; NONE if no quad has
// the vertex.
__device__ __forceinline__ unsigned start_of(const Quads& quads, unsigned vertex) {
    unsigned depth = quads.depth, count = quads.quads;
    const unsigned beyond =
        quads.first_vertices > quads.first_quads ? quads.first_vertices - quads.first_quads : 0;
    while (true) {
        count >>= 2;
        vertex = vertex < 4 * count ? vertex >> 2 : vertex - 3 * count;
        --depth;
        const unsigned rises = 2 * (quads.depth - 1 - depth);
        if (depth == 0) {
            if (vertex >= quads.first_vertices) return NONE;
            const unsigned start = __ldg(quads.starts + vertex);
            return start == NONE ? NONE : start << rises;
        }
        if (vertex >= count + beyond) return NONE;
        const unsigned kind = vertex & 3;
        if (vertex >= count || kind == 0) continue;
        const unsigned parent = vertex & ~3u;
        return (4 * parent + (kind == 1 ? 2 : 8 * kind - 15)) << rises;
    }
}

#if SHARP
// Visits the sharp edges at a vertex of the first level: sharpness, other end, and the quad of
// the next level that keeps the half.
template <typename Visit>
__device__ __forceinline__ void sharp_at_first(const Quads& quads, unsigned start, Visit visit) {
    around(quads, start, [&](unsigned c) {
        const unsigned q = c >> 2;
        const double s = is_last_side(c) ? quads.sharpness[q] : 0.0;
        if (!(s > 0.0)) return;
        const uint2 both = vertices_at(quads, (c >> 1) ^ 1);
        // the half of v3v0 at v0 is off in child 0, the half at v3 in a child across
        const unsigned at_end = first_child(__ldg(quads.friends + 2 * q + 1)) + 1;
        visit(s, c & 1 ? both.x : both.y, (c & 3) == 0 ? 4 * q : at_end);
    });
}

// The same at an older vertex of a later level.
template <typename Visit>
__device__ __forceinline__ void sharp_at_old(const Quads& quads, unsigned start, Visit visit) {
    around_old(quads, start, [&](unsigned q, unsigned other) {
        const double s = quads.sharpness[q];
        if (s > 0.0) visit(s, last_corner(q, other), 4 * q);
    });
}

// Weight of the midpoint of v3v0 of a quad.
template <bool FIRST>
__device__ __forceinline__ double midpoint_weight(const Quads& quads, unsigned q, double s) {
    if (stays_sharp(s)) return 1.0;
    Halves near, far; // at v0 and v3
#if CHAIKIN
    if constexpr (FIRST) {
        sharp_at_first(quads, 4 * q, [&](double other, unsigned, unsigned) { near.meet(other); });
        sharp_at_first(quads, 4 * q + 3,
                       [&](double other, unsigned, unsigned) { far.meet(other); });
    } else {
        sharp_at_old(quads, q, [&](double other, unsigned, unsigned) { near.meet(other); });
        // v3 is the middle of an older edge: its other half is off in the child after that across
        far.meet(s);
        far.meet(quads.sharpness[next_child(__ldg(quads.friends + q) >> 1)]);
    }
#endif
    return edge_weight(s, near.of(s), far.of(s));
}
#endif
