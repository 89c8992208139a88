// What each element of a mesh is made of, for surfaces and solids alike; Downward in
// src/topology/order/downward.rs.
#pragma once

#include "common/constants.cuh"

constexpr unsigned VERTEX = 0, EDGE = 1, FACE = 2, CELL = 3;

// Lists of ids: row r is items[starts[r] .. starts[r + 1]].
struct Lists {
    const unsigned *starts, *items;
};

struct Incidence {
    const uint2* edge_vertices;
    // faces; edge k of a face joins its vertices k and k + 1
    const unsigned *face_starts, *face_vertices, *face_edges;
    // cells; no array for a surface
    const unsigned *cell_starts, *cell_faces;
};

// Calls visit(kind, id) with every element that an element has, itself included, some more than
// once, in the order of Downward::closure.
template <class Visit>
__device__ __forceinline__ void visit_face(const Incidence& mesh, unsigned id, Visit visit) {
    visit(FACE, id);
    const unsigned start = mesh.face_starts[id], end = mesh.face_starts[id + 1];
    for (unsigned i = start; i < end; ++i) visit(EDGE, mesh.face_edges[i]);
    for (unsigned i = start; i < end; ++i) visit(VERTEX, mesh.face_vertices[i]);
}

template <class Visit>
__device__ __forceinline__ void visit_closure(const Incidence& mesh, unsigned kind, unsigned id,
                                              Visit visit) {
    if (kind == VERTEX) visit(VERTEX, id);
    if (kind == EDGE) {
        visit(EDGE, id);
        const uint2 ends = mesh.edge_vertices[id];
        visit(VERTEX, ends.x);
        visit(VERTEX, ends.y);
    }
    if (kind == FACE) visit_face(mesh, id, visit);
    if (kind == CELL) {
        visit(CELL, id);
        const unsigned end = mesh.cell_starts[id + 1];
        for (unsigned i = mesh.cell_starts[id]; i < end; ++i) {
            visit_face(mesh, mesh.cell_faces[i], visit);
        }
    }
}
