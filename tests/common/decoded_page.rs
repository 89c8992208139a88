//! Pages, read back by code of the tests.
#![allow(dead_code, reason = "every test program uses some of it")]

use std::io::Read;

use base64::Engine;
use serde_json::Value;
use subsolid::view::Page;

/// A page, decoded.
pub struct Decoded {
    pub head: Value,
    shell: Vec<u8>,
    interior: Vec<u8>,
}

impl Decoded {
    pub fn new(page: &Page) -> Self {
        Self::of_html(&page.to_html().unwrap())
    }

    pub fn of_html(html: &str) -> Self {
        let data = |id: &str| {
            let start = format!("<script type=\"application/octet-stream\" id=\"{id}\">");
            let from = html.find(&start).unwrap() + start.len();
            let text = &html[from..from + html[from..].find("</script>").unwrap()];
            let packed = base64::engine::general_purpose::STANDARD.decode(text).unwrap();
            let mut bytes = Vec::new();
            flate2::read::ZlibDecoder::new(&packed[..]).read_to_end(&mut bytes).unwrap();
            bytes
        };
        let shell = data("shell");
        let length = u32::from_le_bytes(shell[..4].try_into().unwrap()) as usize;
        let head = serde_json::from_slice(&shell[4..4 + length]).unwrap();
        let start = (4 + length).next_multiple_of(8);
        Self { head, shell: shell[start..].to_vec(), interior: data("interior") }
    }

    /// Rows of all tables beside the picture.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let tables = self.head["tables"].as_array().unwrap().iter();
        let rows = tables.flat_map(|table| table["rows"].as_array().unwrap());
        rows.map(|row| serde_json::from_value(row.clone()).unwrap()).collect()
    }

    /// Bytes of a section of the shell, or of the interior.
    pub fn bytes(&self, interior: bool, name: &str) -> &[u8] {
        let (table, blob) = if interior {
            (&self.head["interior"], &self.interior)
        } else {
            (&self.head["sections"], &self.shell)
        };
        let section = &table[name];
        let size = match section["type"].as_str().unwrap_or_else(|| panic!("no {name}")) {
            "Uint8Array" | "Int8Array" => 1,
            "Uint16Array" => 2,
            "Float64Array" => 8,
            _ => 4,
        };
        let [at, count] = ["at", "count"].map(|key| section[key].as_u64().unwrap() as usize);
        &blob[at..at + count * size]
    }

    pub fn words(&self, interior: bool, name: &str) -> Vec<[u8; 4]> {
        self.bytes(interior, name).as_chunks().0.to_vec()
    }

    pub fn reals(&self, interior: bool, name: &str) -> Vec<f64> {
        self.words(interior, name).into_iter().map(|x| f64::from(f32::from_le_bytes(x))).collect()
    }

    pub fn doubles(&self, name: &str) -> Vec<f64> {
        let words: &[[u8; 8]] = self.bytes(false, name).as_chunks().0;
        words.iter().map(|&x| f64::from_le_bytes(x)).collect()
    }

    pub fn split(&self, interior: bool, name: &str) -> Vec<f64> {
        let bytes = self.bytes(interior, name);
        let (high, low) = bytes.split_at(bytes.len() / 2);
        high.iter().zip(low).map(|(&h, &l)| f64::from(h) * 256.0 + f64::from(l)).collect()
    }

    /// Values of an attribute: differences from a base for each 16, times a power of two.
    pub fn values(&self, interior: bool, name: &str) -> Vec<f64> {
        let bytes = self.bytes(interior, name);
        let count = bytes.len() / 4;
        let exponent = self.words(interior, &format!("{name} exponent"))[0];
        let scale = f64::from(i32::from_le_bytes(exponent)).exp2();
        let bases = self.reals(interior, &format!("{name} base"));
        assert_eq!(bases.len(), count.div_ceil(16));
        let number = |i: usize| f32::from_be_bytes([0, 1, 2, 3].map(|k| bytes[k * count + i]));
        (0..count).map(|i| (bases[i / 16] + f64::from(number(i))) * scale).collect()
    }

    pub fn ids(&self, name: &str) -> Vec<u32> {
        self.words(false, name).into_iter().map(u32::from_le_bytes).collect()
    }

    /// Positions of Bézier points, `count` a patch.
    pub fn points(&self, interior: bool, count: usize) -> Vec<Vec<[f64; 3]>> {
        let exponents = self.bytes(interior, "exponent");
        let bases: Vec<i32> =
            self.words(interior, "base").into_iter().map(i32::from_le_bytes).collect();
        let numbers = self.split(interior, "points");
        let size = self.head["size"].as_f64().unwrap();
        let center: Vec<f64> =
            self.head["center"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
        let dimensions = if count == 16 { 2 } else { 3 };
        let patch = |(i, &exponent): (usize, &u8)| -> Vec<[f64; 3]> {
            let step = f64::from(exponent as i8).exp2() * size;
            let stored = |k: usize, d: usize| {
                let z = numbers[3 * (count * i + k) + d] as i64;
                if z % 2 == 0 { z / 2 } else { -(z + 1) / 2 }
            };
            let axes = |k: usize| -> Vec<usize> {
                (0..dimensions).filter(|a| !matches!(k >> (2 * a) & 3, 0 | 3)).collect()
            };
            // corners first, then edges, faces and the box
            let mut numbers = vec![[0; 3]; count];
            for inner in 0..=dimensions {
                for k in (0..count).filter(|&k| axes(k).len() == inner) {
                    numbers[k] = std::array::from_fn(|d| {
                        let predicted = blend(&|k| numbers[k][d], &axes(k), k)
                            .div_euclid(3_i64.pow(inner as u32));
                        (predicted + stored(k, d)).rem_euclid(65536)
                    });
                }
            }
            let coordinate = |k: usize, d: usize| {
                (f64::from(bases[3 * i + d]) + numbers[k][d] as f64) * step + center[d]
            };
            (0..count).map(|k| std::array::from_fn(|d| coordinate(k, d))).collect()
        };
        exponents.iter().enumerate().map(patch).collect()
    }
}

/// The Boolean sum of linear interpolations along `axes` at place `k`, times 3 for each:
/// P₁ ⊕ Q = Q + P₁ (1 − Q).
fn blend(value: &dyn Fn(usize) -> i64, axes: &[usize], k: usize) -> i64 {
    let Some((&axis, others)) = axes.split_first() else { return 0 };
    let whole = 3_i64.pow(others.len() as u32);
    let along = (k >> (2 * axis) & 3) as i64;
    let end = |high: usize| k & !(3 << (2 * axis)) | high << (2 * axis);
    let ends = [(end(0), 3 - along), (end(3), along)];
    let correction =
        ends.map(|(at, weight)| weight * (whole * value(at) - blend(value, others, at)));
    3 * blend(value, others, k) + correction[0] + correction[1]
}
