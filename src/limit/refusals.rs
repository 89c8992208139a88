//! Meshes that limits do not take, or that would fill the memory.

use crate::error::IdKind::{Cell, Vertex};
use crate::error::{Error, Result, option_name};
use crate::memory;
use crate::numbers::counted;
use crate::topology::Topology;

/// Cells around a vertex that count for no more than their share of a cell's memory.
const FEW_CELLS: usize = 64;

/// Bytes of the nets and the structures around a vertex, for each pair of its cells: the net of
/// each cell lists all others.
const PAIR_BYTES: u128 = 112;

/// Cells around all corners of a cell: the vertices of its net have numbers of 16 bits, and each
/// cell adds at most four.
const MAX_AROUND: usize = 16_000;

/// Bytes that a cell takes beside its topology, at least: what a block of hexahedra needs.
const CELL_BYTES: u128 = 350;

/// Refuses meshes whose analysis would not fit into the memory that is free.
pub(super) fn check_analysis(cells: usize) -> Result<()> {
    let what = format!("the analysis of {} needs", counted(cells, "cell"));
    memory::check(what, CELL_BYTES * cells as u128, |_| memory::coarser_or_shared())
}

/// Refuses a level of local refinement, of solids or surfaces, of more bytes than the memory has.
pub(crate) fn check_refinement(level: usize, need: u128) -> Result<()> {
    memory::check(format!("level {level} of the local refinement needs"), need, |_| {
        message!(
            "take a coarser mesh, refine it fewer times, share it between programs (",
            option_name("mpi"),
            "), or give semi-sharp creases less sharpness, or inf where they stay sharp at all levels"
        )
    })
}

/// Refuses a cell with more corners than elements of it have numbers.
pub(super) fn check_corners(cell: u32, corners: usize) -> Result<()> {
    const MAX_CORNERS: usize = 1 << u8::BITS;
    if corners <= MAX_CORNERS {
        return Ok(());
    }
    Err(Error::mesh(message!(
        Cell.id(cell),
        " has {corners} corners, limits take at most {MAX_CORNERS}"
    ))
    .with_help("refine the mesh first, once, or split the cell"))
}

/// Refuses vertices whose cells are too many: the nets around them would fill the memory, or are
/// too large for their numbers.
pub(super) fn check_nets(topology: &Topology) -> Result<()> {
    let count_of = |v: u32| topology.vertex_cells(v).len();
    let many: Vec<u32> =
        (0..topology.vertex_count() as u32).filter(|&v| count_of(v) > FEW_CELLS).collect();
    let Some(&most) = many.iter().max_by_key(|&&v| count_of(v)) else { return Ok(()) };
    let help = || {
        let cells = counted(count_of(most), "cell");
        message!("split the ", cells, " around ", Vertex.id(most), ", or refine without limits")
    };
    let pairs: u128 = many.iter().map(|&v| (count_of(v) as u128).pow(2)).sum();
    memory::check("the nets around vertices of many cells need", pairs * PAIR_BYTES, |_| help())?;
    if 8 * count_of(most) <= MAX_AROUND {
        return Ok(());
    }
    let around = |c: u32| -> usize {
        topology.cells().vertices(c as usize).iter().map(|&v| count_of(v)).sum()
    };
    let largest = (0..topology.cell_count() as u32).map(|c| (around(c), c)).max();
    match largest {
        Some((count, cell)) if count > MAX_AROUND => Err(Error::mesh(message!(
            Cell.id(cell),
            " has {count} cells around its corners, limits take at most {MAX_AROUND}"
        ))
        .with_help(help())),
        _ => Ok(()),
    }
}

/// Why the plain vertex rule cannot be evaluated, if it cannot.
pub(super) fn refuse_extraordinary_edges(topology: &Topology) -> Result<()> {
    let edges = 0..topology.edge_count() as u32;
    let valence = |e: u32| topology.edge_faces(e).len();
    match edges.into_iter().find(|&e| !topology.is_boundary_edge(e) && valence(e) != 4) {
        None => Ok(()),
        Some(e) => {
            let valence = valence(e);
            Err(Error::mesh(message!(
                "the plain Joy-MacCracken vertex rule has no constant-time limit at the interior \
                 edge of ",
                Vertex.ids(topology.edge_vertices(e)),
                " (valence {valence}): its child maps differ along the edge"
            ))
            .with_help("evaluate under the layer-consistent rule, or only refine"))
        }
    }
}
