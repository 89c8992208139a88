//! Files that tests read back and leave for VTK: where they lie, and their arrays as they are
//! stored, of cells that the library does not read as control cells too.
#![allow(dead_code, reason = "every test program uses some of it")]

use std::io::Read;
use std::path::{Path, PathBuf};

/// The folder `name` in cargo's target directory, where a script of `tests/io` reads the files
/// again.
pub fn folder(name: &str) -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a target directory");
    let folder = target.join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// The numbers of an array of VTK XML with raw appended data, compressed or not.
pub fn array(file: &[u8], name: &str) -> Vec<f64> {
    let marker = b"<AppendedData encoding=\"raw\">";
    let data = file.windows(marker.len()).position(|w| w == marker).expect("appended data");
    let head = std::str::from_utf8(&file[..data]).unwrap();
    let at = head.find(&format!("Name=\"{name}\"")).unwrap_or_else(|| panic!("no {name}"));
    let start = head[..at].rfind('<').unwrap();
    let tag = &head[start..start + head[start..].find('>').unwrap()];
    let attribute = |key: &str| {
        let rest =
            tag.split_once(&format!(" {key}=\"")).unwrap_or_else(|| panic!("{key}: {tag}")).1;
        rest.split_once('"').unwrap().0
    };
    let after = data + marker.len();
    let underscore = after + file[after..].iter().position(|&byte| byte == b'_').unwrap() + 1;
    let block = &file[underscore + attribute("offset").parse::<usize>().unwrap()..];
    let values = if head.contains(" compressor=\"vtkZLibDataCompressor\"") {
        inflated(block)
    } else {
        block[8..8 + size(block, 0)].to_vec()
    };
    match attribute("type") {
        "Float64" => numbers(&values, f64::from_le_bytes),
        "Float32" => numbers(&values, |bytes| f64::from(f32::from_le_bytes(bytes))),
        "Int64" => numbers(&values, |bytes| i64::from_le_bytes(bytes) as f64),
        "Int32" => numbers(&values, |bytes| f64::from(i32::from_le_bytes(bytes))),
        "UInt8" => numbers(&values, |[byte]: [u8; 1]| f64::from(byte)),
        other => panic!("{name} of {other}"),
    }
}

/// The coordinates in a binary legacy `.vtk` file, in double precision.
pub fn legacy_points(file: &[u8]) -> Vec<f64> {
    let find = |from: usize, text: &[u8]| {
        from + file[from..].windows(text.len()).position(|w| w == text).expect("points")
            + text.len()
    };
    let count = find(0, b"POINTS ");
    let first = find(count, b" double\n");
    let count = std::str::from_utf8(&file[count..first - b" double\n".len()]).unwrap();
    let bytes = 24 * count.parse::<usize>().unwrap();
    numbers(&file[first..first + bytes], f64::from_be_bytes)
}

fn numbers<const N: usize>(bytes: &[u8], number: impl Fn([u8; N]) -> f64) -> Vec<f64> {
    let (numbers, rest) = bytes.as_chunks::<N>();
    assert!(rest.is_empty());
    numbers.iter().map(|&bytes| number(bytes)).collect()
}

/// Number `i` of a block's header.
fn size(block: &[u8], i: usize) -> usize {
    u64::from_le_bytes(block[8 * i..8 * i + 8].try_into().unwrap()) as usize
}

/// Number of blocks, size of a block, size of a last partial one, then compressed sizes.
fn inflated(block: &[u8]) -> Vec<u8> {
    let (blocks, whole, partial) = (size(block, 0), size(block, 1), size(block, 2));
    let mut values = Vec::new();
    let mut at = 8 * (3 + blocks);
    for i in 0..blocks {
        let bytes = &block[at..at + size(block, 3 + i)];
        at += bytes.len();
        let before = values.len();
        flate2::read::ZlibDecoder::new(bytes).read_to_end(&mut values).unwrap();
        let is_partial = i + 1 == blocks && partial > 0;
        assert_eq!(values.len() - before, if is_partial { partial } else { whole });
    }
    values
}
