//! Windows bitmaps (BMP): a header of 40 bytes, a palette, rows from the lowest.

/// Length of the two headers.
const HEADERS: usize = 14 + 40;

/// A bitmap of `bits` 1 or 8 per pixel with a palette of red, green and blue. `packed` are its rows
/// from the top, whole bytes each; `meters` are the width and the height
/// of a pixel.
pub fn encode(
    [columns, rows]: [usize; 2],
    bits: u8,
    palette: &[[u8; 3]],
    packed: &[u8],
    meters: [f64; 2],
) -> Vec<u8> {
    let from = (columns * usize::from(bits)).div_ceil(8);
    let stride = from.next_multiple_of(4);
    let start = HEADERS + 4 * palette.len();
    let length = start + stride * rows;
    let mut bytes = Vec::with_capacity(length);
    let number = |bytes: &mut Vec<u8>, x: usize| bytes.extend((x as u32).to_le_bytes());
    bytes.extend(b"BM");
    [length, 0, start, 40, columns, rows].into_iter().for_each(|x| number(&mut bytes, x));
    bytes.extend(1_u16.to_le_bytes()); // planes
    bytes.extend(u16::from(bits).to_le_bytes());
    let resolution = |meters: f64| (1.0 / meters).round().clamp(0.0, f64::from(i32::MAX)) as usize;
    let [across, up] = meters.map(resolution);
    for x in [0, stride * rows, across, up, palette.len(), 0] {
        number(&mut bytes, x);
    }
    bytes.extend(palette.iter().flat_map(|&[red, green, blue]| [blue, green, red, 0]));
    for row in packed.chunks_exact(from.max(1)).rev() {
        bytes.extend_from_slice(row);
        bytes.resize(bytes.len() + stride - from, 0);
    }
    bytes
}
