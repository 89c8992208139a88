//! Elements sorted along a Hilbert curve and cut into patches, on the device.

use super::incidence::{Incidence, Lists};
use super::steps::{SortStream, array, bits, number};
use crate::backend::cuda::driver::buffer::Buffer;
use crate::backend::cuda::driver::constants::MEASURING_BLOCKS;
use crate::backend::cuda::driver::launch::Argument;
use crate::backend::cuda::driver::sources::ORDER;
use crate::backend::cuda::sort::Items;
use crate::error::Result;
use crate::topology::NONE;
use crate::topology::order::{ElementOrder, EntityKind};

/// Bits of a key along the curve.
const KEY_BITS: u32 = 63;

/// A numbering of all elements on the device; [`ElementOrder`] says of what kind.
pub(super) struct Order {
    // [kind][new id]
    pub originals: [Buffer<u32>; 4],
    // [kind][original id]
    pub new_ids: [Buffer<u32>; 4],
    // [kind][patch]: first owned element, without patches of isolated vertices
    starts: [Buffer<u32>; 4],
    patch_size: usize,
}

/// Sorted faces or cells.
struct SortedElements {
    ids: Buffer<u32>,
    // [place]
    patches: Buffer<u32>,
    patch_count: usize,
}

impl Order {
    /// Sorts the elements of a mesh whose vertices lie at `points`; see [`ElementOrder::new`].
    pub fn new(
        steps: &mut SortStream,
        mesh: &Incidence,
        points: &Buffer<[f64; 3]>,
        patch_size: usize,
    ) -> Result<Self> {
        let curve = CurveCube::around(steps, points)?;
        let top = mesh.top();
        let tops = sort_tops(steps, mesh, points, &curve, patch_size)?;
        let counts = EntityKind::ALL.map(|kind| mesh.count(kind));
        let rank = invert(steps, &tops.ids, counts[top as usize])?;
        let mut least = Vec::new();
        for &count in &counts[..3] {
            let words = steps.empty::<u32>(count)?;
            let arguments = vec![number(count), Argument::Number(NONE), array(&words)];
            steps.each(&ORDER, "fill_words", count, arguments)?;
            least.push(words);
        }
        let mut arguments =
            vec![mesh.words(), number(top as usize), number(counts[top as usize]), array(&rank)];
        arguments.extend(least.iter().map(array));
        steps.each(&ORDER, "lower_tops", counts[top as usize], arguments)?;

        let mut originals = Vec::new();
        let mut starts = Vec::new();
        for kind in EntityKind::ALL {
            let count = counts[kind as usize];
            let first = steps.empty(tops.patch_count + 1)?;
            let patches = tops.patch_count;
            let mark_starts = |steps: &SortStream, owners| {
                let arguments =
                    vec![Argument::Address(owners), number(count), number(patches), array(&first)];
                steps.each(&ORDER, "start_patches", patches + 1, arguments)
            };
            let sorted = if kind == top {
                mark_starts(steps, tops.patches.address(0))?;
                copy(steps, &tops.ids, count)?
            } else if count == 0 {
                mark_starts(steps, 0)?;
                steps.empty(0)?
            } else {
                let owners = steps.empty::<u32>(count)?;
                let arguments = vec![
                    array(&least[kind as usize]),
                    number(count),
                    array(&tops.patches),
                    number(patches),
                    array(&owners),
                ];
                steps.each(&ORDER, "name_owners", count, arguments)?;
                let items = Items { keys: owners.address(0), values: 0 };
                let by_owner = steps.sort(items, count, bits(patches + 1))?;
                mark_starts(steps, by_owner.keys)?;
                curve.sort_owned(steps, mesh, points, kind, &first, by_owner.values)?
            };
            originals.push(sorted);
            starts.push(first);
        }
        let mut new_ids = Vec::new();
        for (ids, &count) in originals.iter().zip(&counts) {
            new_ids.push(invert(steps, ids, count)?);
        }
        let four = |all: Vec<Buffer<u32>>| -> Result<[Buffer<u32>; 4]> {
            all.try_into().map_err(|_| crate::error::Error::request("not four kinds of elements"))
        };
        Ok(Self {
            originals: four(originals)?,
            new_ids: four(new_ids)?,
            starts: four(starts)?,
            patch_size,
        })
    }

    /// A copy on the host.
    pub fn read(&self, steps: &SortStream) -> Result<ElementOrder> {
        let read = |all: &[Buffer<u32>; 4]| -> Result<Vec<Vec<u32>>> {
            all.iter().map(|buffer| buffer.read(&steps.stream)).collect()
        };
        let four = |all: Vec<Vec<u32>>| -> [Vec<u32>; 4] {
            let mut all = all.into_iter();
            std::array::from_fn(|_| all.next().unwrap_or_default())
        };
        Ok(ElementOrder::from_sorted(
            four(read(&self.originals)?),
            four(read(&self.starts)?),
            self.patch_size,
        ))
    }

    /// The incidence in the order.
    pub fn renumber(&self, steps: &mut SortStream, mesh: &Incidence) -> Result<Incidence> {
        let edges = steps.empty(mesh.edge_count)?;
        let arguments = vec![
            array(&mesh.edge_vertices),
            array(&self.originals[1]),
            number(mesh.edge_count),
            array(&self.new_ids[0]),
            array(&edges),
        ];
        steps.each(&ORDER, "renumber_edges", mesh.edge_count, arguments)?;
        let faces = &mesh.face_vertices;
        let starts = self.starts_of(steps, &faces.starts, EntityKind::Face, faces.count)?;
        let items = |of: &Buffer<u32>, to| {
            self.items_of(steps, &faces.starts, of, &starts, EntityKind::Face, to)
        };
        let vertices = items(&faces.items, EntityKind::Vertex)?;
        let face_edges = items(&mesh.face_edges, EntityKind::Edge)?;
        let cell_faces = match &mesh.cell_faces {
            None => None,
            Some(cells) => {
                let starts = self.starts_of(steps, &cells.starts, EntityKind::Cell, cells.count)?;
                let (of, to) = (EntityKind::Cell, EntityKind::Face);
                let items = self.items_of(steps, &cells.starts, &cells.items, &starts, of, to)?;
                Some(Lists { count: cells.count, starts, items })
            }
        };
        Ok(Incidence {
            vertex_count: mesh.vertex_count,
            edge_vertices: edges,
            edge_count: mesh.edge_count,
            face_vertices: Lists { count: faces.count, starts, items: vertices },
            face_edges,
            cell_faces,
        })
    }

    /// The items of rows in the order, with their new ids; the rows are of elements `of` and their
    /// items elements `to`. `starts`: of the new rows, and their end.
    fn items_of(
        &self,
        steps: &SortStream,
        old_starts: &Buffer<u32>,
        old_items: &Buffer<u32>,
        starts: &Buffer<u32>,
        of: EntityKind,
        to: EntityKind,
    ) -> Result<Buffer<u32>> {
        let count = starts.len() - 1;
        let items = steps.empty(old_items.len())?;
        let arguments = vec![
            Argument::Words(Box::new([old_starts.address(0), old_items.address(0)])),
            array(&self.originals[of as usize]),
            number(count),
            array(&self.new_ids[to as usize]),
            array(starts),
            array(&items),
        ];
        steps.each(&ORDER, "renumber_rows", count, arguments)?;
        Ok(items)
    }

    /// Where the rows of elements start in the order.
    fn starts_of(
        &self,
        steps: &mut SortStream,
        starts: &Buffer<u32>,
        kind: EntityKind,
        count: usize,
    ) -> Result<Buffer<u32>> {
        let new = steps.empty(count + 1)?;
        let originals = array(&self.originals[kind as usize]);
        let arguments = vec![array(starts), originals, number(count), array(&new)];
        steps.each(&ORDER, "measure_rows", count, arguments)?;
        steps.scan(&new, count)?;
        Ok(new)
    }
}

/// The cube that keys divide, on the device.
struct CurveCube(Buffer<f64>);

impl CurveCube {
    fn around(steps: &SortStream, points: &Buffer<[f64; 3]>) -> Result<Self> {
        let boxes = steps.empty::<[f64; 6]>(MEASURING_BLOCKS as usize)?;
        let arguments = vec![array(points), number(points.len()), array(&boxes)];
        steps.blocks(&ORDER, "measure", MEASURING_BLOCKS, arguments)?;
        let cube = steps.empty(4)?;
        steps.blocks(&ORDER, "find_cube", 1, vec![array(&boxes), array(&cube)])?;
        Ok(Self(cube))
    }

    /// Ids of the elements of a kind, sorted by owner, by their keys too. `first`: where those
    /// that each patch owns start among the `sorted` ids, and their end.
    fn sort_owned(
        &self,
        steps: &SortStream,
        mesh: &Incidence,
        points: &Buffer<[f64; 3]>,
        kind: EntityKind,
        first: &Buffer<u32>,
        sorted: u64,
    ) -> Result<Buffer<u32>> {
        let (count, patches) = (mesh.count(kind), first.len() - 1);
        let keys = [steps.empty::<u64>(count)?, steps.empty::<u64>(count)?];
        let ids = [steps.empty::<u32>(count)?, steps.empty::<u32>(count)?];
        let mut arguments = vec![
            mesh.words(),
            array(points),
            number(kind as usize),
            number(count),
            array(&self.0),
            array(first),
            number(patches),
            Argument::Address(sorted),
        ];
        arguments.extend(keys.iter().map(array));
        arguments.extend(ids.iter().map(array));
        steps.blocks(&ORDER, "sort_owned", patches as u32 + 1, arguments)?;
        let [ids, _] = ids;
        Ok(ids)
    }

    /// Ids of the elements of a kind by their keys.
    fn sort(
        &self,
        steps: &mut SortStream,
        mesh: &Incidence,
        points: &Buffer<[f64; 3]>,
        kind: EntityKind,
    ) -> Result<Items> {
        let count = mesh.count(kind);
        let keys = steps.empty::<u64>(count)?;
        let arguments = vec![
            mesh.words(),
            array(points),
            number(kind as usize),
            number(count),
            array(&self.0),
            array(&keys),
        ];
        steps.each(&ORDER, "make_keys", count, arguments)?;
        steps.sort(Items { keys: keys.address(0), values: 0 }, count, KEY_BITS)
    }
}

/// Sorts sorted ids again by their entries in a table, stably.
fn sort_again(
    steps: &mut SortStream,
    sorted: &Items,
    count: usize,
    table: &Buffer<u32>,
    bits: u32,
) -> Result<Items> {
    let (keys, ids) = (steps.empty::<u32>(count)?, steps.empty::<u32>(count)?);
    let arguments = vec![
        Argument::Address(sorted.values),
        number(count),
        array(table),
        array(&keys),
        array(&ids),
    ];
    steps.each(&ORDER, "take_keys", count, arguments)?;
    steps.sort(Items { keys: keys.address(0), values: ids.address(0) }, count, bits)
}

/// Faces or cells by component, then along the curve, and the patch of each place.
fn sort_tops(
    steps: &mut SortStream,
    mesh: &Incidence,
    points: &Buffer<[f64; 3]>,
    curve: &CurveCube,
    patch_size: usize,
) -> Result<SortedElements> {
    let (top, vertices) = (mesh.top(), mesh.vertex_count);
    let count = mesh.count(top);
    let parents = steps.empty::<u32>(vertices)?;
    steps.each(&ORDER, "start_components", vertices, vec![number(vertices), array(&parents)])?;
    let arguments = vec![array(&mesh.edge_vertices), number(mesh.edge_count), array(&parents)];
    steps.each(&ORDER, "join_components", mesh.edge_count, arguments)?;
    let components = steps.empty::<u32>(count)?;
    let several = steps.of(&[0_u32])?;
    let arguments = vec![
        mesh.words(),
        number(top as usize),
        number(count),
        array(&parents),
        array(&components),
        array(&several),
    ];
    steps.each(&ORDER, "find_components", count, arguments)?;
    let mut sorted = curve.sort(steps, mesh, points, top)?;
    if several.read_at(&steps.stream, 0)? > 0 {
        sorted = sort_again(steps, &sorted, count, &components, bits(vertices))?;
    }
    let ids = steps.empty::<u32>(count)?;
    copy_words(steps, sorted.values, &ids, count)?;

    let changes = steps.empty::<u32>(count + 1)?;
    let arguments = vec![array(&ids), array(&components), number(count), array(&changes)];
    steps.each(&ORDER, "mark_changes", count, arguments)?;
    steps.scan(&changes, count)?;
    let component_count = changes.read_at(&steps.stream, count)? as usize + 1;
    let firsts = steps.empty::<u32>(component_count + 1)?;
    let arguments = vec![array(&changes), number(count), array(&firsts)];
    steps.each(&ORDER, "name_components", count, arguments)?;
    let before = steps.empty::<u32>(component_count + 1)?;
    let arguments =
        vec![array(&firsts), number(component_count), number(patch_size), array(&before)];
    steps.each(&ORDER, "count_patches", component_count, arguments)?;
    steps.scan(&before, component_count)?;
    let patches = steps.empty::<u32>(count)?;
    let arguments = vec![
        array(&changes),
        array(&firsts),
        array(&before),
        number(count),
        number(patch_size),
        array(&patches),
    ];
    steps.each(&ORDER, "name_patches", count, arguments)?;
    let patch_count = before.read_at(&steps.stream, component_count)? as usize;
    Ok(SortedElements { ids, patches, patch_count })
}

fn invert(steps: &SortStream, permutation: &Buffer<u32>, count: usize) -> Result<Buffer<u32>> {
    let inverse = steps.empty(count)?;
    let arguments = vec![array(permutation), number(count), array(&inverse)];
    steps.each(&ORDER, "invert", count, arguments)?;
    Ok(inverse)
}

fn copy(steps: &SortStream, from: &Buffer<u32>, count: usize) -> Result<Buffer<u32>> {
    let to = steps.empty(count)?;
    copy_words(steps, from.address(0), &to, count)?;
    Ok(to)
}

fn copy_words(steps: &SortStream, from: u64, to: &Buffer<u32>, count: usize) -> Result<()> {
    let arguments = vec![Argument::Address(from), number(count), array(to)];
    steps.each(&ORDER, "copy_words", count, arguments)
}
