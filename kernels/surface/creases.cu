// Sharp edges and sharp vertices of a control mesh, and from level to level: what
// src/surface/refine/sharpness.rs lists on the CPU, in its order of sums, uncontracted.
//
//     mark_sharp > scan > list_sharp     sharp edges, by their numbers
//     sort by vertex > start_rows        the sharp edges at each vertex (surface/topology.cu)
//     mark_sharp_vertices > scan > list_sharp_vertices     vertices that may be sharp
//     per level: refine_sharp            weights of sharp vertices and midpoints; halves of edges
//
// Entry j of a level, an edge with two ends, has the halves 2j and 2j + 1 as entries of the next,
// each from its old end to the middle of the edge; where an edge is not sharp any more its
// entries stay, with sharpness 0. So the entries at a vertex follow from those at its first
// level. Sharp vertices, which follow the rule of creases or of corners, are listed for the control
// mesh, then for the middles of the entries of level 0, 1, …
//
// SIZE: corners of every face, 0 for polygons. CHAIKIN: the rule of semi-sharp creases.
//
// Plain reference: src/surface/refine/sharpness.rs, bit by bit (tests/gpu/surface.rs).
#include "common/shared.cuh"
#include "surface/mesh_matrix.cuh"
#include "surface/vertex_sharpness.cuh"

constexpr unsigned THREADS = host::REFINE_THREADS;

// Tags, sorted by their edges (ends as 64 bits, the smaller first) or vertices.
template <typename Key>
struct Tags {
    const Key* keys;
    const double* sharpness;
    unsigned long long count;

    // The sharpness of a key; `found` tells whether there is a tag.
    __device__ __forceinline__ double of(Key key, bool& found) const {
        unsigned low = 0, high = unsigned(count);
        while (low < high) {
            const unsigned middle = (low + high) / 2;
            if (keys[middle] < key) low = middle + 1;
            else high = middle;
        }
        found = low < count && keys[low] == key;
        return found ? sharpness[low] : 0.0;
    }
};

// What the host wants to know.
struct Counts {
    unsigned adding;   // tags that have an edge, as they are found; else 0
    unsigned found;    // all of them
    unsigned sharp;    // edges
    unsigned vertices; // vertices that may be sharp
};

__device__ __forceinline__ double infinite_sharpness() {
    return __longlong_as_double(0x7ff0000000000000);
}

__device__ __forceinline__ uint2 ends_of(const unsigned* vertices, Columns<SIZE> columns,
                                         unsigned corner) {
    const unsigned a = vertices[corner], b = vertices[columns.next(corner)];
    return make_uint2(min(a, b), max(a, b));
}

// Edges by tags; boundary edges are infinitely sharp, and so are edges of three faces or more, or
// of two that are inconsistently oriented. firsts: where the corners of each edge start among all,
// `corner_count`.
extern "C" __global__ void __launch_bounds__(THREADS)
    mark_sharp(const unsigned* __restrict__ vertices, const Columns<SIZE> columns,
               const uint2* __restrict__ edge_corners, const unsigned* __restrict__ firsts,
               unsigned edges, unsigned corner_count, const Tags<unsigned long long> tags,
               double* __restrict__ sharpness, unsigned* __restrict__ marks,
               Counts* __restrict__ counts) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    bool tagged = false;
    if (e < edges) {
        const uint2 two = edge_corners[e];
        const uint2 ends = ends_of(vertices, columns, two.x);
        double s = tags.of(static_cast<unsigned long long>(ends.x) << 32 | ends.y, tagged);
        const unsigned end = e + 1 < edges ? firsts[e + 1] : corner_count;
        const bool boundary = two.y == NONE;
        if (boundary || end - firsts[e] > 2 || vertices[two.x] == vertices[two.y]) {
            s = infinite_sharpness();
        }
        sharpness[e] = s;
        marks[e] = s > 0.0;
    }
    const unsigned all = __syncthreads_count(tagged);
    if (threadIdx.x == 0 && all > 0) atomicAdd(&counts->adding, all);
}

// before: scan of the marks. Entries of the control mesh, of which there are `count`.
extern "C" __global__ void __launch_bounds__(THREADS)
    list_sharp(const unsigned* __restrict__ vertices, const Columns<SIZE> columns,
               const uint2* __restrict__ edge_corners, const double* __restrict__ all,
               const unsigned* __restrict__ before, unsigned edges, unsigned count,
               unsigned* __restrict__ sharp, uint2* __restrict__ ends,
               double* __restrict__ sharpness, Counts* __restrict__ counts) {
    const unsigned e = blockIdx.x * THREADS + threadIdx.x;
    if (e == 0) {
        counts->found = counts->adding;
        counts->adding = 0;
        counts->sharp = before[edges];
    }
    if (e >= edges || !(all[e] > 0.0) || before[e] >= count) return;
    sharp[before[e]] = e;
    ends[before[e]] = ends_of(vertices, columns, edge_corners[e].x);
    sharpness[before[e]] = all[e];
}

// Vertices by tags; `fixed`: kinds of vertices that stay at all levels. Marked are those that may
// be sharp: with a tag, or two sharp edges or more. starts: of the rows of sharp edges.
extern "C" __global__ void __launch_bounds__(THREADS)
    mark_sharp_vertices(const unsigned* __restrict__ starts, const unsigned* __restrict__ kinds,
                        unsigned fixed, unsigned vertices, const Tags<unsigned> tags,
                        double* __restrict__ vertex_sharpness, unsigned* __restrict__ marks) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v >= vertices) return;
    bool tagged;
    double own = tags.of(v, tagged);
    if (kinds != nullptr && (kinds[v] & fixed) != 0) own = infinite_sharpness();
    vertex_sharpness[v] = own;
    marks[v] = own > 0.0 || starts[v + 1] - starts[v] > 1;
}

extern "C" __global__ void __launch_bounds__(THREADS)
    list_sharp_vertices(const unsigned* __restrict__ before, unsigned vertices, unsigned count,
                        unsigned* __restrict__ sharp, Counts* __restrict__ counts) {
    const unsigned v = blockIdx.x * THREADS + threadIdx.x;
    if (v == 0) counts->vertices = before[vertices];
    if (v >= vertices || before[v + 1] == before[v] || before[v] >= count) return;
    sharp[before[v]] = v;
}

// Sharp edges of one level.
struct Sharp {
    unsigned* edges;
    uint2* ends;
    double *sharpness, *weights; // [entry]: of its midpoint, 0 where the smooth rule holds
};

// Where vertices are sharp, of the control mesh.
struct Control {
    const unsigned *starts, *items; // [vertex]: entries of sharp edges, 2 entry + end
    const unsigned* vertices;       // that may be sharp
    const double* vertex_sharpness; // [vertex]
    const uint2* ends;              // [entry]
    unsigned vertex_count, sharp_count;
};

// Sharp vertices of one level.
struct SharpVertices {
    unsigned* vertices; // NONE where the smooth rule holds
    uint2* ends;
    double* weights; // [vertex]: smooth, crease, corner
};

// Entries of a level at a vertex that is `age` levels old. At its first level they are 2 entry + end:
// `items`, or without items the items of the halves `begin` to `end` of an edge, which end there.
struct Around {
    const unsigned* items;
    unsigned begin, end, age;

    template <typename Visit>
    __device__ __forceinline__ void operator()(Visit visit) const {
#pragma unroll 1
        for (unsigned i = begin; i < end; ++i) {
            const unsigned item = items != nullptr ? items[i] : 2 * i + 1;
            if (age == 0) visit(item >> 1, item & 1);
            else visit(item << (age - 1), 0u);
        }
    }
};

__device__ __forceinline__ Around at_control(const Control& control, unsigned vertex,
                                             unsigned depth) {
    return {control.items, control.starts[vertex], control.starts[vertex + 1], depth};
}

// At the middle of entry j of level `born` - 1.
__device__ __forceinline__ Around at_middle(unsigned j, unsigned born, unsigned depth) {
    return {nullptr, 2 * j, 2 * j + 2, depth - born};
}

// Semi-sharp entries around a vertex, if Chaikin's rule looks at them.
__device__ __forceinline__ Halves halves_of(const Sharp& sharp, const Around& around) {
    Halves halves;
#if CHAIKIN
    around([&](unsigned entry, unsigned) { halves.meet(sharp.sharpness[entry]); });
#endif
    return halves;
}

__device__ __forceinline__ void weigh(const Sharp& sharp, const SharpVertices& vertices,
                                      unsigned i, unsigned vertex, double own,
                                      const Around& around) {
    const Halves halves = halves_of(sharp, around);
    VertexSharpness all;
    all.tag(own);
    around([&](unsigned entry, unsigned end) {
        const double s = sharp.sharpness[entry];
        const uint2 ends = sharp.ends[entry];
        all.edge(end == 0 ? ends.y : ends.x, s, halves.of(s));
    });
    const VertexWeights weights = all.weights();
    vertices.vertices[i] = weights.smooth == 1.0 ? NONE : vertex;
    vertices.ends[i] = make_uint2(weights.first, weights.second);
    vertices.weights[3 * i] = weights.smooth;
    vertices.weights[3 * i + 1] = weights.crease;
    vertices.weights[3 * i + 2] = weights.corner;
}

// Entries at an end of an entry, if Chaikin's rule looks at them.
__device__ __forceinline__ Around at_end(const Control& control, unsigned entry, unsigned end,
                                         unsigned depth) {
#if CHAIKIN
    // up to the level where this end was new
    unsigned at = depth;
    unsigned j = entry;
    while (at > 0 && end == 0) {
        end = j & 1;
        j >>= 1;
        --at;
    }
    if (at > 0) return at_middle(j >> 1, at, depth);
    // of an edge of the control mesh
    const uint2 ends = control.ends[j];
    return at_control(control, end == 0 ? ends.x : ends.y, depth);
#else
    return {};
#endif
}

// Threads for sharp vertices, then for sharp edges: weights of their midpoints, and their halves,
// which belong to the next level unless its arrays are null. first_edge_point: of the next level.
extern "C" __global__ void __launch_bounds__(THREADS)
    refine_sharp(const __grid_constant__ Control control, const __grid_constant__ Sharp sharp,
                 const __grid_constant__ SharpVertices vertices,
                 const __grid_constant__ Sharp next, unsigned depth, unsigned first_edge_point) {
    unsigned i = blockIdx.x * THREADS + threadIdx.x;
    const unsigned entries = control.sharp_count << depth;
    const unsigned middles = entries - control.sharp_count;
    if (i < control.vertex_count + middles) {
        unsigned vertex = 0;
        double own = 0.0;
        Around around;
        if (i < control.vertex_count) {
            vertex = control.vertices[i];
            own = control.vertex_sharpness[vertex];
            for (unsigned k = 0; k < depth; ++k) own = own > 1.0 ? own - 1.0 : 0.0;
            around = at_control(control, vertex, depth);
        } else {
            unsigned born = 1, j = i - control.vertex_count;
            while (j >= control.sharp_count << (born - 1)) {
                j -= control.sharp_count << (born - 1);
                ++born;
            }
            around = at_middle(j, born, depth);
            around([&](unsigned entry, unsigned end) {
                const uint2 ends = sharp.ends[entry];
                vertex = end == 0 ? ends.x : ends.y;
            });
        }
        weigh(sharp, vertices, i, vertex, own, around);
        return;
    }
    i -= control.vertex_count + middles;
    if (i >= entries) return;
    const double s = sharp.sharpness[i];
    double first = 0.0, second = 0.0; // sharpness of the halves
    if (s > 0.0) {
        // One after the other, so that registers suffice.
#pragma unroll 1
        for (unsigned end = 0; end < 2; ++end) {
            const double half = halves_of(sharp, at_end(control, i, end, depth)).of(s);
            first = end == 0 ? half : first;
            second = half;
        }
    }
    sharp.weights[i] = edge_weight(s, first, second);
    if (next.edges == nullptr) return;
    const unsigned edge = sharp.edges[i];
    const uint2 ends = sharp.ends[i];
#pragma unroll
    for (unsigned end = 0; end < 2; ++end) {
        next.edges[2 * i + end] = 2 * edge + end;
        next.ends[2 * i + end] = make_uint2(end == 0 ? ends.x : ends.y, first_edge_point + edge);
        next.sharpness[2 * i + end] = end == 0 ? first : second;
    }
}
