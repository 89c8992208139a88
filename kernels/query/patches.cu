// An operator over the rows of a query, found patch by patch in shared memory. Its text,
// "query/text.cuh", is a user's or one of ours.
//
//     parts of the incidence, ids of the ribbon > shared memory
//         [> transpose (count, scan, fill)] [> gather] > rows, sorted > visit
//
// After RXMesh (Mahmoud et al. 2021, sections 5 and 6): a block takes a patch with its ribbon, whose
// edges are stored by vertices, faces by edges and cells by faces, in ids of 16 bits; of these it
// loads what the query needs. Other relations are found when they are used. Rows are made where
// their items stand, in the incidence (EV, FE, FV, CF) or in a transpose (VV, VE, VF, VC, EF, EC,
// FC); the others (EE, FF, CC, CE, CV) are gathered, as many at a time as a warp has room for. A
// thread visits an owned element. Items are ranks in the patch, which are ordered as the ids are.
//
// FROM, TO: kinds of the query; VIA: what adjacent elements have in common. WORDS: the operator's
// arguments in words of 8 bytes.
//
// Of 4, 5, 6 and 8 blocks a multiprocessor most are best, for gathered rows as many as do not spill;
// more ids found ahead than a row has cost EF and FV a tenth.
//
// Plain reference: src/query/rows.rs (tests/gpu/query.rs).
#include "common/shared.cuh"
#include "common/async.cuh"
#include "common/real.cuh"
#include "common/sort_row.cuh"
#include "common/warp.cuh"
#include "query/incidence.cuh"
#include "query/query.cuh"

#include "query/text.cuh"

static_assert(sizeof(Arguments) == 8 * WORDS,
              "the members of Arguments are not those that it is given");

constexpr unsigned THREADS = host::QUERY_THREADS, WARPS = THREADS / LANES;
constexpr unsigned least(unsigned a, unsigned b) { return a < b ? a : b; }
constexpr unsigned greatest(unsigned a, unsigned b) { return a > b ? a : b; }

constexpr bool ADJACENT = FROM == TO;
// Every edge at a vertex gives it one other.
constexpr bool OPPOSITE = ADJACENT && FROM == VERTEX;
// Kinds that the query goes by. The relation of kind k + 1 to kind k is part k of the incidence.
constexpr unsigned BOTTOM = ADJACENT ? least(FROM, VIA) : least(FROM, TO);
constexpr unsigned TOP = ADJACENT ? greatest(FROM, VIA) : greatest(FROM, TO);
// Whether the relation of TOP to BOTTOM is transposed, and whether rows are gathered.
constexpr bool TRANSPOSES = ADJACENT || FROM < TO;
constexpr bool GATHERS = (ADJACENT && !OPPOSITE) || (FROM == CELL && TO < FACE);

#ifndef BLOCKS
#define BLOCKS 6
#endif

using Id = unsigned short;

// A patch; PackedPatch in src/query/patch.rs.
struct Patch {
    // where the parts of the incidence begin, in pieces of 16 bytes, and the end of the last
    unsigned parts[4];
    // [kind]: elements, those that it owns, the first of them, elements of the ribbon before it, and
    // where their ids begin
    unsigned counts[4], owned[4], first[4], before[4], ribbon[4];
};

// What stands in shared memory.
struct Local {
    Id *edge_vertices, *face_starts, *face_edges, *cell_starts, *cell_faces;
};

// Calls visit(local id) with the elements of a lower kind in an element, some more than once.
template <unsigned OF, unsigned HAS, class Visit>
__device__ __forceinline__ void visit_down(const Local& mesh, unsigned id, Visit visit) {
    if constexpr (OF == EDGE) {
        visit(mesh.edge_vertices[2 * id]);
        visit(mesh.edge_vertices[2 * id + 1]);
    } else if constexpr (OF == FACE) {
        const unsigned end = mesh.face_starts[id + 1];
        for (unsigned i = mesh.face_starts[id]; i < end; ++i) {
            const unsigned edge = mesh.face_edges[i];
            if constexpr (HAS == EDGE) {
                visit(edge >> 1);
            } else {
                // the vertex that the edge starts from in the face's cycle
                visit(mesh.edge_vertices[2 * (edge >> 1) + (edge & 1)]);
            }
        }
    } else {
        const unsigned end = mesh.cell_starts[id + 1];
        for (unsigned i = mesh.cell_starts[id]; i < end; ++i) {
            const unsigned face = mesh.cell_faces[i] >> 1;
            if constexpr (HAS == FACE) {
                visit(face);
            } else {
                visit_down<FACE, HAS>(mesh, face, visit);
            }
        }
    }
}

// The sum of `number` over the threads before this one; all threads call it, once.
__device__ __forceinline__ unsigned sum_before(unsigned number) {
    __shared__ unsigned of_warps[WARPS];
    const unsigned sum = sum_up_to(number);
    if (lane_id() == LANES - 1) of_warps[warp_id()] = sum;
    __syncthreads();
    unsigned before = sum - number;
#pragma unroll
    for (unsigned i = 0; i < WARPS; ++i) {
        if (i < warp_id()) before += of_warps[i];
    }
    return before;
}

// Ranks of the elements of a kind: elements of the ribbon that come before the owned ones, these,
// the rest of the ribbon.
struct Ranks {
    unsigned before, owned, first;
    const unsigned* ribbon;

    __device__ __forceinline__ unsigned of(unsigned local) const {
        if (local < owned) return before + local;
        return local - owned < before ? local - owned : local;
    }

    __device__ __forceinline__ unsigned id(unsigned rank) const {
        const unsigned local = rank - before;
        return local < owned ? first + local : ribbon[rank < before ? rank : rank - owned];
    }
};

// Calls give(element of BOTTOM, rank) with the items that an element of TOP adds to rows of the
// transpose.
template <class Give>
__device__ __forceinline__ void give_items(const Local& mesh, const Ranks& ranks, unsigned id,
                                           Give give) {
    if constexpr (OPPOSITE) {
        const unsigned a = mesh.edge_vertices[2 * id], b = mesh.edge_vertices[2 * id + 1];
        if (a == b) return;
        give(a, ranks.of(b));
        give(b, ranks.of(a));
    } else {
        const unsigned rank = ranks.of(id);
        visit_down<TOP, BOTTOM>(mesh, id, [&](unsigned low) { give(low, rank); });
    }
}

// The rows of elements of BOTTOM: where each ends, and the items.
struct Transpose {
    unsigned* ends;
    Id* items;

    // The rows of the first `rows` elements, from all of TOP.
    __device__ __forceinline__ void fill(const Local& mesh, const Ranks& ranks, unsigned rows,
                                         unsigned tops) {
        for (unsigned i = threadIdx.x; i < tops; i += THREADS) {
            give_items(mesh, ranks, i, [&](unsigned low, unsigned) {
                if (low < rows) atomicAdd(ends + low, 1u);
            });
        }
        __syncthreads();
        // items in a row per thread, odd so that threads meet different banks
        const unsigned each = (rows + THREADS - 1) / THREADS | 1;
        const unsigned begin = least(threadIdx.x * each, rows), end = least(begin + each, rows);
        unsigned sum = 0;
        for (unsigned i = begin; i < end; ++i) sum += ends[i];
        unsigned start = sum_before(sum);
        for (unsigned i = begin; i < end; ++i) {
            const unsigned length = ends[i];
            ends[i] = start;
            start += length;
        }
        __syncthreads();
        // starts become ends; rows are sorted when they are used
        for (unsigned i = threadIdx.x; i < tops; i += THREADS) {
            give_items(mesh, ranks, i, [&](unsigned low, unsigned rank) {
                if (low < rows) items[atomicAdd(ends + low, 1u)] = Id(rank);
            });
        }
        __syncthreads();
    }

    __device__ __forceinline__ unsigned start(unsigned id) const {
        return id == 0 ? 0 : ends[id - 1];
    }
};

// The neighbors of an element, ascending.
struct PatchRow {
    const Id* items;
    unsigned count;
    Ranks ranks;

    __device__ __forceinline__ unsigned size() const { return count; }
    __device__ __forceinline__ unsigned operator[](unsigned i) const { return ranks.id(items[i]); }

    // Visits the neighbors one after another; ids are found ahead of their use.
    template <class Visit>
    __device__ __forceinline__ void each(Visit visit) const {
        // what rows of triangles have; more takes registers from threads
        constexpr unsigned AHEAD =
            FROM == EDGE && TO != EDGE ? 2 : FROM == FACE ? 3 : GATHERS ? 4 : 6;
        for (unsigned begin = 0; begin < count; begin += AHEAD) {
            unsigned ids[AHEAD];
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                if (begin + i < count) ids[i] = ranks.id(items[begin + i]);
            }
#pragma unroll
            for (unsigned i = 0; i < AHEAD; ++i) {
                if (begin + i < count) visit(ids[i]);
            }
        }
    }
};

// Turns the items of an element in the incidence into the ranks of its row; how many they are.
__device__ __forceinline__ unsigned take_row(const Local& mesh, const Ranks& ranks, unsigned id,
                                             Id*& row) {
    unsigned count = 2;
    if constexpr (FROM == EDGE) {
        row = mesh.edge_vertices + 2 * id;
    } else {
        const Id* starts = FROM == FACE ? mesh.face_starts : mesh.cell_starts;
        row = (FROM == FACE ? mesh.face_edges : mesh.cell_faces) + starts[id];
        count = starts[id + 1] - starts[id];
    }
    unsigned k = 0;
    visit_down<FROM, TO>(mesh, id, [&](unsigned other) { row[k++] = Id(ranks.of(other)); });
    return count;
}

// Calls visit(rank) with the ranks gathered for an owned element, unsorted, some more than once.
template <class Visit>
__device__ __forceinline__ void visit_near(const Local& mesh, const Ranks& ranks,
                                           const Transpose& up, unsigned id, Visit visit) {
    if constexpr (ADJACENT) {
        const unsigned own = ranks.before + id;
        visit_down<FROM, VIA>(mesh, id, [&](unsigned via) {
            const unsigned end = up.ends[via];
            for (unsigned i = up.start(via); i < end; ++i) {
                const unsigned other = up.items[i];
                if (other != own) visit(other);
            }
        });
    } else {
        visit_down<FROM, TO>(mesh, id, [&](unsigned other) { visit(ranks.of(other)); });
    }
}

// Room for a number of items.
struct Room {
    Id* items;
    unsigned count;
};

// Calls visit(local id, row) with the owned elements whose rows are gathered. failed: 1 where a row
// has no room.
template <class Visit>
__device__ __forceinline__ void gather_rows(const Local& mesh, const Ranks& ranks,
                                            const Transpose& up, unsigned owned, Room all,
                                            unsigned* failed, Visit visit) {
    const unsigned lane = threadIdx.x % LANES, warp = threadIdx.x / LANES;
    // each warp with its share of the room; then the first one with all of it, for longer rows
    const unsigned share = all.count / WARPS;
    Room room = {all.items + warp * share, share};
    unsigned begin = LANES * warp, step = THREADS;
    bool again = false, is_longer = false;
    while (true) {
        for (; begin < owned; begin += step) {
            const unsigned id = begin + lane;
            unsigned count = 0;
            if (id < owned) visit_near(mesh, ranks, up, id, [&](unsigned) { ++count; });
            bool left = id < owned && count <= room.count && !(again && count <= share);
            is_longer = is_longer || count > room.count;
            while (__any_sync(ALL_LANES, left)) {
                const unsigned end = sum_up_to(left ? count : 0);
                // of rows before
                __syncwarp();
                if (!left || end > room.count) continue;
                Id* const row = room.items + end - count;
                unsigned length = 0;
                visit_near(mesh, ranks, up, id, [&](unsigned rank) { row[length++] = Id(rank); });
                visit(id, PatchRow{row, tidy_row(row, length), ranks});
                left = false;
            }
        }
        if (again) break;
        if (!__syncthreads_or(is_longer) || warp > 0) return;
        room = all;
        begin = 0, step = LANES;
        again = true, is_longer = false;
    }
    if (is_longer) *failed = 1;
}

// A block per patch. bytes: its dynamic shared memory. failed: 1 where a row has no room there.
extern "C" __global__ void __launch_bounds__(THREADS, blocks_of(GATHERS ? 5 : BLOCKS))
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
    const unsigned owned = patch.owned[FROM];
    // EV needs the owned edges, which come first
    const unsigned pieces = FROM == EDGE && TO == VERTEX
                                ? (owned + 3) / 4
                                : patch.parts[TOP] - patch.parts[BOTTOM];
    for (unsigned i = threadIdx.x; i < pieces; i += THREADS) {
        copy_async<16>(memory + i, incidence + patch.parts[BOTTOM] + i);
    }
    unsigned* const ribbon = reinterpret_cast<unsigned*>(memory + pieces);
    const unsigned others = patch.counts[TO] - patch.owned[TO];
    for (unsigned i = threadIdx.x; i < others; i += THREADS) {
        copy_async<4>(ribbon + i, ribbons + patch.ribbon[TO] + i);
    }
    commit_copies();
    Transpose up = {ribbon + others, nullptr};
    const unsigned low = GATHERS ? patch.counts[BOTTOM] : owned;
    if constexpr (TRANSPOSES) {
        for (unsigned i = threadIdx.x; i < low; i += THREADS) up.ends[i] = 0;
    }
    wait_for_copies<0>();
    __syncthreads();
    const auto part = [&](unsigned k) {
        return reinterpret_cast<Id*>(memory + patch.parts[k] - patch.parts[BOTTOM]);
    };
    Local mesh = {};
    if constexpr (BOTTOM == VERTEX) mesh.edge_vertices = part(0);
    if constexpr (BOTTOM <= EDGE && TOP >= FACE) {
        mesh.face_starts = part(1);
        mesh.face_edges = mesh.face_starts + patch.counts[FACE] + 1;
    }
    if constexpr (TOP == CELL) {
        mesh.cell_starts = part(2);
        mesh.cell_faces = mesh.cell_starts + patch.counts[CELL] + 1;
    }
    const Ranks ranks = {patch.before[TO], patch.owned[TO], patch.first[TO], ribbon};
    Id* rows = reinterpret_cast<Id*>(up.ends);
    if constexpr (TRANSPOSES) {
        rows = up.items = reinterpret_cast<Id*>(up.ends + low);
        up.fill(mesh, ranks, low, patch.counts[TOP]);
        if (GATHERS) rows += up.start(low);
    }
    const unsigned first = patch.first[FROM];
    if constexpr (GATHERS) {
        const char* const end = reinterpret_cast<const char*>(memory) + bytes;
        const unsigned room = (end - reinterpret_cast<const char*>(rows)) / sizeof(Id);
        gather_rows(mesh, ranks, up, owned, Room{rows, room}, failed, [&](unsigned id, PatchRow row) {
            visit(first + id, row, arguments);
        });
    } else {
        for (unsigned id = threadIdx.x; id < owned; id += THREADS) {
            Id* row;
            unsigned count;
            if constexpr (TRANSPOSES) {
                row = up.items + up.start(id);
                count = up.ends[id] - up.start(id);
            } else {
                count = take_row(mesh, ranks, id, row);
            }
            count = tidy_row(row, count);
            visit(first + id, PatchRow{row, count, ranks}, arguments);
        }
    }
}
