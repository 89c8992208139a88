// An operator over the rows of a query, found patch by patch in shared memory. Its text,
// "query/text.cuh", is a user's or one of ours.
//
//     incidence of a patch > shared memory > transpose (count, scan, fill) > rows, sorted > visit
//
// After RXMesh (Mahmoud et al. 2021, sections 5 and 6): a block takes a patch with its ribbon, whose
// edges are stored by vertices, faces by edges and cells by faces, in ids of 16 bits. Other relations
// are found when they are used: one of them is a transpose, and rows of adjacent elements go there
// and back. A thread visits an owned element; as many rows as there is room for are found at a time.
// Elements are sorted by their rank in the patch, which orders them as their ids do.
//
// FROM, TO: kinds of the query; VIA: what adjacent elements have in common. WORDS: the operator's
// arguments in words of 8 bytes.
//
// Plain reference: src/query/rows.rs (tests/gpu/query.rs).
#include "common/async.cuh"
#include "common/real.cuh"
#include "common/sort_row.cuh"
#include "query/incidence.cuh"
#include "query/query.cuh"

#include "query/text.cuh"

static_assert(sizeof(Arguments) == 8 * WORDS,
              "the members of Arguments are not those that it is given");

constexpr unsigned THREADS = 256, WARP = 32;
// Blocks that a multiprocessor must have registers for; before Ampere it has threads for 4.
constexpr unsigned BLOCKS = __CUDA_ARCH__ >= 800 ? 6 : 4;
constexpr bool ADJACENT = FROM == TO;
// The relation that is transposed, from LOW up to HIGH; none if rows are stored.
constexpr unsigned LOW = ADJACENT ? (FROM > VIA ? VIA : FROM) : FROM;
constexpr unsigned HIGH = ADJACENT ? (FROM > VIA ? FROM : VIA) : TO;
constexpr bool TRANSPOSES = LOW < HIGH;

using Id = unsigned short;

// A patch; PackedPatch in src/query/patch.rs.
struct Patch {
    // incidence, in pieces of 16 bytes
    unsigned first_piece, pieces;
    // [kind]: elements, those that it owns, the first of them, elements of the ribbon before it, and
    // where their ids begin
    unsigned counts[4], owned[4], first[4], before[4], ribbon[4];
};

// What stands in shared memory.
struct Local {
    const Id *edge_vertices, *face_starts, *face_edges, *cell_starts, *cell_faces;
};

// Calls visit(local id) with what an element has of a lower kind, some more than once.
template <unsigned OF, unsigned HAS, class Visit>
__device__ __forceinline__ void visit_down(const Local& mesh, unsigned id, Visit visit) {
    if constexpr (OF == EDGE) {
        visit(mesh.edge_vertices[2 * id]);
        visit(mesh.edge_vertices[2 * id + 1]);
    } else if constexpr (OF == FACE) {
        for (unsigned i = mesh.face_starts[id]; i < mesh.face_starts[id + 1]; ++i) {
            const unsigned edge = mesh.face_edges[i];
            if constexpr (HAS == EDGE) {
                visit(edge >> 1);
            } else {
                // the vertex that the edge starts from in the face's cycle
                visit(mesh.edge_vertices[2 * (edge >> 1) + (edge & 1)]);
            }
        }
    } else {
        for (unsigned i = mesh.cell_starts[id]; i < mesh.cell_starts[id + 1]; ++i) {
            const unsigned face = mesh.cell_faces[i] >> 1;
            if constexpr (HAS == FACE) {
                visit(face);
            } else {
                visit_down<FACE, HAS>(mesh, face, visit);
            }
        }
    }
}

// The sum of `number` over the threads before this one; `all` becomes that of all threads.
__device__ __forceinline__ unsigned sum_before(unsigned number, unsigned& all) {
    __shared__ unsigned of_warps[THREADS / WARP];
    const unsigned lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
    unsigned sum = number;
#pragma unroll
    for (unsigned step = 1; step < WARP; step *= 2) {
        const unsigned other = __shfl_up_sync(0xffffffffu, sum, step);
        if (lane >= step) sum += other;
    }
    if (lane == WARP - 1) of_warps[warp] = sum;
    __syncthreads();
    unsigned before = 0;
    all = 0;
#pragma unroll
    for (unsigned i = 0; i < THREADS / WARP; ++i) {
        if (i < warp) before += of_warps[i];
        all += of_warps[i];
    }
    __syncthreads();
    return before + sum - number;
}

// The rows of LOW up to HIGH: where each ends, and behind all ends the items.
struct Transpose {
    unsigned* ends;
    Id* items;

    __device__ __forceinline__ void fill(const Local& mesh, unsigned low, unsigned high) {
        for (unsigned i = threadIdx.x; i < low; i += THREADS) ends[i] = 0;
        __syncthreads();
        for (unsigned i = threadIdx.x; i < high; i += THREADS) {
            visit_down<HIGH, LOW>(mesh, i, [&](unsigned j) { atomicAdd(ends + j, 1u); });
        }
        __syncthreads();
        unsigned done = 0;
        for (unsigned begin = 0; begin < low; begin += THREADS) {
            const unsigned i = begin + threadIdx.x;
            unsigned all;
            const unsigned start = done + sum_before(i < low ? ends[i] : 0, all);
            if (i < low) ends[i] = start;
            done += all;
        }
        __syncthreads();
        // starts become ends; rows are sorted when they are used
        for (unsigned i = threadIdx.x; i < high; i += THREADS) {
            visit_down<HIGH, LOW>(mesh, i, [&](unsigned j) {
                items[atomicAdd(ends + j, 1u)] = Id(i);
            });
        }
        __syncthreads();
    }

    template <class Visit>
    __device__ __forceinline__ void visit(unsigned id, Visit visit) const {
        for (unsigned i = id == 0 ? 0 : ends[id - 1]; i < ends[id]; ++i) visit(items[i]);
    }
};

// Calls visit(local id) with the row of an owned element, unsorted, some more than once.
template <class Visit>
__device__ __forceinline__ void visit_row(const Local& mesh, const Transpose& up, unsigned id,
                                          Visit visit) {
    const auto others = [&](unsigned other) {
        if (other != id) visit(other);
    };
    if constexpr (ADJACENT && FROM > VIA) {
        visit_down<FROM, VIA>(mesh, id, [&](unsigned via) { up.visit(via, others); });
    } else if constexpr (ADJACENT) {
        up.visit(id, [&](unsigned via) { visit_down<VIA, FROM>(mesh, via, others); });
    } else if constexpr (TRANSPOSES) {
        up.visit(id, visit);
    } else {
        visit_down<FROM, TO>(mesh, id, visit);
    }
}

// Ranks of the elements of a kind: those of the ribbon that come before the owned ones, these, the
// rest of the ribbon.
struct Ranks {
    unsigned before, owned, first;
    const unsigned* ribbon;

    __device__ __forceinline__ unsigned of(unsigned local) const {
        if (local < owned) return before + local;
        return local - owned < before ? local - owned : local;
    }

    __device__ __forceinline__ unsigned id(unsigned rank) const {
        if (rank < before) return __ldg(ribbon + rank);
        if (rank < before + owned) return first + rank - before;
        return __ldg(ribbon + rank - owned);
    }
};

// The neighbours of an element, ascending.
struct PatchRow {
    const Id* items;
    unsigned count;
    Ranks ranks;

    __device__ __forceinline__ unsigned size() const { return count; }
    __device__ __forceinline__ unsigned operator[](unsigned i) const { return ranks.id(items[i]); }

    template <class Visit>
    __device__ __forceinline__ void each(Visit visit) const {
        for (unsigned i = 0; i < count; ++i) visit(ranks.id(items[i]));
    }
};

// A block a patch. bytes: its dynamic shared memory. failed: 1 where a row has no room there.
extern "C" __global__ void __launch_bounds__(THREADS, BLOCKS)
    visit_patches(const Patch* __restrict__ patches, const uint4* __restrict__ incidence,
                  const unsigned* __restrict__ ribbons, unsigned bytes, unsigned* failed,
                  const __grid_constant__ Arguments arguments) {
    extern __shared__ uint4 memory[];
    __shared__ Patch patch;
    if (threadIdx.x < sizeof(Patch) / sizeof(unsigned)) {
        reinterpret_cast<unsigned*>(&patch)[threadIdx.x] =
            reinterpret_cast<const unsigned*>(patches + blockIdx.x)[threadIdx.x];
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < patch.pieces; i += THREADS) {
        copy_async<16>(memory + i, incidence + patch.first_piece + i);
    }
    commit_copies();
    wait_for_copies<0>();
    __syncthreads();
    Local mesh;
    mesh.edge_vertices = reinterpret_cast<const Id*>(memory);
    mesh.face_starts = mesh.edge_vertices + 2 * patch.counts[EDGE];
    mesh.face_edges = mesh.face_starts + patch.counts[FACE] + 1;
    mesh.cell_starts = mesh.face_edges + mesh.face_starts[patch.counts[FACE]];
    mesh.cell_faces = mesh.cell_starts + patch.counts[CELL] + 1;
    Transpose up = {reinterpret_cast<unsigned*>(memory + patch.pieces), nullptr};
    Id* rows = reinterpret_cast<Id*>(up.ends);
    if constexpr (TRANSPOSES) {
        const unsigned low = patch.counts[LOW];
        up.items = reinterpret_cast<Id*>(up.ends + low);
        up.fill(mesh, low, patch.counts[HIGH]);
        rows = up.items + (low > 0 ? up.ends[low - 1] : 0);
    }
    const unsigned room =
        (reinterpret_cast<const char*>(memory) + bytes - reinterpret_cast<const char*>(rows)) /
        sizeof(Id);
    const Ranks ranks = {patch.before[TO], patch.owned[TO], patch.first[TO],
                         ribbons + patch.ribbon[TO]};
    const unsigned owned = patch.owned[FROM];
    for (unsigned begin = 0; begin < owned;) {
        const unsigned id = begin + threadIdx.x;
        unsigned count = 0, all;
        if (id < owned) visit_row(mesh, up, id, [&](unsigned) { ++count; });
        const unsigned start = sum_before(count, all);
        const bool fits = id < owned && start + count <= room;
        if (fits) {
            Id* const row = rows + start;
            unsigned length = 0, kept = 0;
            visit_row(mesh, up, id, [&](unsigned other) { row[length++] = Id(ranks.of(other)); });
            sort_row(row, length);
            for (unsigned i = 0; i < length; ++i) {
                if (i == 0 || row[i] != row[kept - 1]) row[kept++] = row[i];
            }
            visit(patch.first[FROM] + id, PatchRow{row, kept, ranks}, arguments);
        }
        const unsigned visited = __syncthreads_count(fits);
        if (visited == 0) {
            if (threadIdx.x == 0) *failed = 1;
            return;
        }
        begin += visited;
    }
}
