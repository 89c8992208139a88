//! Meshes of blocks of cells, as Python gives them, and arrays of VTK in blocks of bytes.

use std::io::Write;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use flate2::{Compression, write::ZlibEncoder};
use subsolid::io::{CellBlock, GroupName, MeshParts, ReadOptions, read_mesh, solid_of_parts};
use subsolid::mesh::{CellArray, GHOSTS};

use crate::samples::Scratch;

const PHYSICAL: &str = "gmsh:physical";

#[test]
fn names_and_sets_are_groups() {
    let corner = |i: usize| [(i & 1) as f64, ((i >> 1) & 1) as f64, (i >> 2) as f64];
    let block = |name: &str, vertices: &[i64], number: f64, set: &str| {
        let mut block = CellBlock::named(name, vertices.to_vec(), vertices.len()).unwrap();
        block.arrays = vec![CellArray::new(PHYSICAL, 1, vec![number], true)];
        block.sets = vec![(set.into(), vec![0])];
        block
    };
    let name = |name: &str, number, dimension| GroupName { name: name.into(), number, dimension };
    let parts = || MeshParts {
        points: (0..8).map(corner).collect(),
        blocks: vec![
            block("quad", &[0, 1, 3, 2], 7.0, "base"),
            block("hexahedron", &[0, 1, 3, 2, 4, 5, 7, 6], 7.0, "all"),
            block("quad", &[4, 5, 7, 6], 8.0, "top"),
        ],
        names: vec![name("inlet", 7, 2), name("bulk", 7, 3)],
        ..MeshParts::default()
    };
    let (mesh, report) = solid_of_parts("mesh", parts()).unwrap();
    assert_eq!(report.left_out(), None);
    let groups: Vec<_> = mesh.face_groups.iter().map(|group| group.name.as_str()).collect();
    assert_eq!(groups, ["base", "inlet", "top", "gmsh:physical:8"]);
    let arrays: Vec<_> = mesh.cell_data.iter().map(|array| array.name.as_str()).collect();
    assert_eq!(arrays, [PHYSICAL, "group:all", "group:bulk"]);
    let mut ghost = parts();
    ghost.blocks[1].arrays.push(CellArray::new(GHOSTS, 1, vec![1.0], true));
    let refused = solid_of_parts("mesh", ghost).unwrap_err().to_string();
    assert!(refused.contains("the file has no volume cells"), "{refused}");
    assert!(refused.contains("1 ghost cell of other pieces"), "{refused}");
    assert!(CellBlock::named("polyhedron8", Vec::new(), 8).is_none());
    assert!(!CellBlock::named("quad8", vec![0; 8], 8).unwrap().has_volume());
    assert!(CellBlock::named("VTK_LAGRANGE_WEDGE", vec![0; 18], 18).unwrap().has_volume());
}

/// A triangle whose points are such binary data, read with so many bytes for what is unpacked.
fn triangle(compressor: &str, points: &str, most_unpacked: u64) -> subsolid::Result<()> {
    let text = format!(
        "<VTKFile type=\"PolyData\" byte_order=\"LittleEndian\" header_type=\"UInt32\" \
         {compressor}><PolyData><Piece NumberOfPoints=\"3\" NumberOfPolys=\"1\"><Points>\
         <DataArray type=\"Float64\" NumberOfComponents=\"3\" format=\"binary\">{points}</DataArray>\
         </Points><Polys>\
         <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2</DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">3</DataArray>\
         </Polys></Piece></PolyData></VTKFile>"
    );
    read_mesh(Scratch::new().file("a.vtp", text), ReadOptions { most_unpacked }).map(drop)
}

const ZLIB: &str = "compressor=\"vtkZLibDataCompressor\"";

fn coordinates() -> Vec<u8> {
    [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0_f64].map(f64::to_le_bytes).concat()
}

/// One block of 72 bytes, by its header.
fn compressed(bytes: &[u8]) -> String {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    let packed = encoder.finish().unwrap();
    let header = [1, 72, 0, packed.len() as u32].map(u32::to_le_bytes).concat();
    STANDARD.encode(header) + &STANDARD.encode(packed)
}

#[test]
fn blocks_of_another_size_than_their_header_says_are_refused() {
    for (bytes, is_right) in [(71, false), (72, true), (73, false), (100_000, false)] {
        let mut values = coordinates();
        values.resize(bytes, 0);
        assert_eq!(triangle(ZLIB, &compressed(&values), 1 << 20).is_ok(), is_right, "{bytes}");
    }
}

/// The bytes count that are unpacked, and those of the numbers made of them.
#[test]
fn numbers_of_compressed_bytes_count() {
    let points = compressed(&coordinates());
    assert!(triangle(ZLIB, &points, 144).is_ok() && triangle(ZLIB, &points, 143).is_err());
}

#[test]
fn base64_goes_on_behind_padding() {
    let bytes = [&72_u32.to_le_bytes()[..], &coordinates()].concat();
    let (start, end) = bytes.split_at(7);
    let padded = STANDARD.encode(start) + " \n" + &STANDARD.encode(end);
    assert!(padded.contains('=') && triangle("", &padded, 1 << 20).is_ok());
    assert!(triangle("", &padded.replacen('=', "=x", 1), 1 << 20).is_err());
    let short = STANDARD.encode(&bytes[..bytes.len() - 1]);
    assert!(triangle("", &short, 1 << 20).is_err());
    let long = [&u32::MAX.to_le_bytes()[..], &coordinates()].concat();
    assert!(triangle("", &STANDARD.encode(long), 1 << 20).is_err());
}
