//! OpenVDB: grids of numbers in sparse trees, in file format 224.
//!
//! A tree (`Tree_float_5_4_3`) has leaves of 8³ voxels, nodes of 16³ leaves or tiles, and nodes of 32³
//! of those below the root. A file has for each grid a descriptor, metadata, the transform, the
//! topology (masks and tiles, from the root) and then the values of the leaves in the same order,
//! compressed by zlib. Source: OpenVDB 10, `io/Archive.cc`, `io/Compression.h`, `tree/*.h`.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use flate2::Compression;
use flate2::write::ZlibEncoder;
use half::f16;

const MAGIC: u64 = 0x5644_4220;
const FORMAT: u32 = 224;
/// Version of the library whose files these are like.
const LIBRARY: [u32; 2] = [10, 0];
/// Values are compressed by zlib.
const ZIP: u32 = 1;
/// What stands before values that are all there, whether active or not.
const ALL_VALUES: u8 = 6;
/// Voxels along an edge of a leaf; leaves along one of a node; such nodes along one of the next.
pub const LEAF: usize = 8;
const NODE: i32 = 16;
const TOP: i32 = 32;
/// Zlib hardly compresses more at higher levels.
const LEVEL: u32 = 4;

/// A block of 8³ voxels.
pub struct Block {
    /// Its place in blocks: a voxel of it divided by 8; at least 0.
    pub place: [i32; 3],
    pub content: Content,
}

/// The voxels of a block, in the order x, y, z of which z is the fastest.
pub enum Content {
    /// All are active, and have this value.
    Tile(f32),
    /// Those of the mask are active: bit z % 8 + 8 (y % 8) of the word x % 8. The values are
    /// `bytes` bytes of a file from `start` on, as [`packed`] made them.
    Leaf { mask: [u64; LEAF], start: u64, bytes: u64 },
}

/// A grid of numbers.
pub struct Grid {
    pub name: String,
    /// What the numbers are: `fog volume` of densities, else `unknown`.
    pub class: &'static str,
    /// Numbers are in half precision.
    pub half: bool,
    /// Middle of the voxel (0, 0, 0), and the edges of a voxel.
    pub origin: [f64; 3],
    pub voxel: [f64; 3],
    /// Blocks with active voxels.
    pub blocks: Vec<Block>,
}

/// Values as they stand in a file.
pub fn packed(values: &[f32], half: bool) -> io::Result<Vec<u8>> {
    let bytes: Vec<u8> = if half {
        values.iter().flat_map(|&x| f16::from_f32(x).to_le_bytes()).collect()
    } else {
        values.iter().flat_map(|x| x.to_le_bytes()).collect()
    };
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::new(LEVEL));
    encoder.write_all(&bytes)?;
    let zipped = encoder.finish()?;
    let (length, bytes) = if zipped.len() < bytes.len() {
        (zipped.len() as i64, zipped)
    } else {
        (-(bytes.len() as i64), bytes)
    };
    Ok([&length.to_le_bytes()[..], &bytes].concat())
}

/// Writes a file of grids, the values of whose leaves are in `store`; equal ids are for equal files.
pub fn write(
    out: &mut (impl Write + Seek),
    id: &str,
    grids: Vec<Grid>,
    store: &mut File,
) -> io::Result<()> {
    let mut head = MAGIC.to_le_bytes().to_vec();
    for number in [FORMAT, LIBRARY[0], LIBRARY[1]] {
        head.extend(number.to_le_bytes());
    }
    head.push(1); // grids have offsets
    head.extend(uuid(id).as_bytes());
    let program = concat!("subsolid ", env!("CARGO_PKG_VERSION"));
    push_metadata(&mut head, &[("creator", "string", program.as_bytes())]);
    head.extend((grids.len() as u32).to_le_bytes());
    out.write_all(&head)?;
    grids.into_iter().try_for_each(|grid| write_grid(out, grid, store))
}

/// 32 hexadecimal digits of an id, grouped as a UUID.
fn uuid(id: &str) -> String {
    let digits: String =
        id.chars().filter(char::is_ascii_hexdigit).chain("0".repeat(32).chars()).take(32).collect();
    let groups = [0..8, 8..12, 12..16, 16..20, 20..32].map(|range| &digits[range]);
    groups.join("-")
}

fn push_text(to: &mut Vec<u8>, text: &str) {
    to.extend((text.len() as u32).to_le_bytes());
    to.extend(text.as_bytes());
}

fn push_metadata(to: &mut Vec<u8>, entries: &[(&str, &str, &[u8])]) {
    to.extend((entries.len() as u32).to_le_bytes());
    for (name, kind, value) in entries {
        push_text(to, name);
        push_text(to, kind);
        to.extend((value.len() as u32).to_le_bytes());
        to.extend(*value);
    }
}

fn write_grid(out: &mut (impl Write + Seek), mut grid: Grid, store: &mut File) -> io::Result<()> {
    let kind = if grid.half { "Tree_float_5_4_3_HalfFloat" } else { "Tree_float_5_4_3" };
    let mut head = Vec::new();
    for text in [&grid.name, kind, ""] {
        push_text(&mut head, text);
    }
    out.write_all(&head)?;
    let offsets = out.stream_position()?;
    out.write_all(&[0; 24])?;
    let start = out.stream_position()?;

    let mut head = ZIP.to_le_bytes().to_vec();
    push_metadata(
        &mut head,
        &[
            ("class", "string", grid.class.as_bytes()),
            ("is_saved_as_half_float", "bool", &[u8::from(grid.half)]),
            ("name", "string", grid.name.as_bytes()),
        ],
    );
    push_text(&mut head, "ScaleTranslateMap");
    let of = |f: fn(f64) -> f64| grid.voxel.map(f);
    let rows = [
        grid.origin,
        grid.voxel,
        grid.voxel,
        of(|x| 1.0 / x),
        of(|x| 1.0 / (x * x)),
        of(|x| 0.5 / x),
    ];
    head.extend(rows.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    out.write_all(&head)?;

    grid.blocks.sort_unstable_by_key(|block| key(block.place));
    write_topology(out, &grid)?;
    let leaves = out.stream_position()?;
    let mut bytes = Vec::new();
    for block in &grid.blocks {
        let Content::Leaf { mask, start, bytes: length } = &block.content else { continue };
        out.write_all(bytemuck::cast_slice(&mask.map(u64::to_le)))?;
        out.write_all(&[ALL_VALUES])?;
        bytes.resize(*length as usize, 0);
        store.seek(SeekFrom::Start(*start))?;
        store.read_exact(&mut bytes)?;
        out.write_all(&bytes)?;
    }
    let end = out.stream_position()?;
    out.seek(SeekFrom::Start(offsets))?;
    out.write_all(&[start, leaves, end].map(u64::to_le_bytes).concat())?;
    out.seek(SeekFrom::Start(end)).map(drop)
}

/// Where a block stands in a file: the node below the root, by its place; the node in it; the block
/// in that.
fn key(place: [i32; 3]) -> ([i32; 3], u32, u32) {
    let side = NODE * TOP;
    let number = |[x, y, z]: [i32; 3], n: i32| ((x * n + y) * n + z) as u32;
    let top = place.map(|x| x.div_euclid(side));
    let node = place.map(|x| x.rem_euclid(side) / NODE);
    (top, number(node, TOP), number(place.map(|x| x.rem_euclid(NODE)), NODE))
}

fn write_topology(out: &mut impl Write, grid: &Grid) -> io::Result<()> {
    let same_top = |a: &Block, b: &Block| key(a.place).0 == key(b.place).0;
    let tops: Vec<&[Block]> = grid.blocks.chunk_by(same_top).collect();
    let mut head = 1_u32.to_le_bytes().to_vec(); // one buffer
    head.extend(0_f32.to_le_bytes()); // the background
    for number in [0, tops.len() as u32] {
        head.extend(number.to_le_bytes()); // tiles and nodes of the root
    }
    out.write_all(&head)?;
    for top in tops {
        let (place, ..) = key(top[0].place);
        let voxel = place.map(|x| x * NODE * TOP * LEAF as i32);
        out.write_all(&voxel.map(i32::to_le_bytes).concat())?;
        let nodes: Vec<&[Block]> = top.chunk_by(|a, b| key(a.place).1 == key(b.place).1).collect();
        let size = (TOP * TOP * TOP) as usize;
        let children = nodes.iter().map(|node| key(node[0].place).1 as usize);
        write_node(out, size, children, &[], grid.half)?;
        for node in nodes {
            let number = |block: &Block| key(block.place).2 as usize;
            let leaves = || {
                node.iter().filter_map(|block| match &block.content {
                    Content::Leaf { mask, .. } => Some((number(block), mask)),
                    Content::Tile(_) => None,
                })
            };
            let tiles: Vec<(usize, f32)> = node
                .iter()
                .filter_map(|block| match block.content {
                    Content::Tile(value) => Some((number(block), value)),
                    Content::Leaf { .. } => None,
                })
                .collect();
            let size = (NODE * NODE * NODE) as usize;
            write_node(out, size, leaves().map(|leaf| leaf.0), &tiles, grid.half)?;
            for (_, mask) in leaves() {
                out.write_all(bytemuck::cast_slice(&mask.map(u64::to_le)))?;
            }
        }
    }
    Ok(())
}

/// Masks of the children and the active tiles of a node, and the values of the tiles.
fn write_node(
    out: &mut impl Write,
    size: usize,
    children: impl Iterator<Item = usize>,
    tiles: &[(usize, f32)],
    half: bool,
) -> io::Result<()> {
    let mut masks = [vec![0_u8; size / 8], vec![0_u8; size / 8]];
    let mut values = vec![0.0; size];
    children.for_each(|n| masks[0][n / 8] |= 1 << (n % 8));
    for &(n, value) in tiles {
        masks[1][n / 8] |= 1 << (n % 8);
        values[n] = value;
    }
    out.write_all(&masks.concat())?;
    out.write_all(&[ALL_VALUES])?;
    out.write_all(&packed(&values, half)?)
}
