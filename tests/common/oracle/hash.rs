//! Hash maps by numbers of vertices. The hasher of the standard library withstands attacks, which
//! takes a good part of the time of a refinement.

use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

pub type Map<K, V> = HashMap<K, V, BuildHasherDefault<Numbers>>;
pub type Set<K> = HashSet<K, BuildHasherDefault<Numbers>>;

/// Mixes numbers by multiplication.
#[derive(Default)]
pub struct Numbers(u64);

impl Hasher for Numbers {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|&byte| self.write_usize(byte.into()));
    }

    fn write_i32(&mut self, x: i32) {
        self.write_usize(x as usize);
    }

    fn write_usize(&mut self, x: usize) {
        self.0 = (self.0.rotate_left(5) ^ x as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn finish(&self) -> u64 {
        // the high bits are those that all bits of the numbers have moved
        self.0.rotate_left(26)
    }
}
