//! Keys of nets.

use std::hash::{BuildHasher, Hasher};

/// A canonical description of local topology.
pub(crate) type NetKey = Vec<u16>;

/// Hashes keys, some hundred bytes long, eight bytes at a time.
#[derive(Clone, Copy, Debug, Default)]
pub(in crate::limit) struct KeyHasher;

impl BuildHasher for KeyHasher {
    type Hasher = KeyWords;

    fn build_hasher(&self) -> KeyWords {
        KeyWords(0)
    }
}

/// The words so far, each multiplied into all before.
pub(in crate::limit) struct KeyWords(u64);

impl KeyWords {
    fn add(&mut self, word: u64) {
        // an odd number without pattern: the golden ratio
        let product =
            u128::from(self.0 ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835);
        self.0 = (product >> 64) as u64 ^ product as u64;
    }
}

impl Hasher for KeyWords {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|&word| self.add(u64::from_le_bytes(word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.add(u64::from_le_bytes(last));
    }

    fn write_usize(&mut self, length: usize) {
        self.add(length as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
