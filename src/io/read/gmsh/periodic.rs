//! Periodic links: which nodes of a surface are copies of those of another one.

use super::Gmsh;
use crate::error::Result;
use crate::mesh::Lattice;

/// Nodes are a period apart up to this part of it.
const MATCHED: f64 = 1e-6;
/// Dimension of surfaces. Links of curves and points follow from theirs.
const SURFACE: i64 = 2;

impl Gmsh<'_> {
    /// Reads the links of surfaces; their translations are the periods.
    pub(super) fn periodic(&mut self) -> Result<()> {
        let mut translations: Vec<[f64; 3]> = Vec::new();
        if self.version == 4 {
            self.values.begin();
        }
        for _ in 0..self.link_count("the number of periodic links")? {
            let [dimension, surface, _] = self.linked_entities()?;
            let affine = self.affine()?;
            let mut own: Vec<[f64; 3]> = Vec::new();
            for _ in 0..self.link_count("the number of linked nodes")? {
                let [node, master] = [self.linked_node()?, self.linked_node()?];
                let known = [node, master].map(|tag| self.nodes.get(tag));
                if let [Some(node), Some(master)] = known.map(|v| v.map(|v| v as usize)) {
                    let points = self.assembly.positions();
                    own.push([0, 1, 2].map(|d| points[node][d] - points[master][d]));
                }
            }
            // of surfaces there may be no nodes but those of their curves
            let found = if affine.len() == 16 { moved(&affine) } else { common(&own) };
            if dimension == SURFACE && !(affine.is_empty() && own.is_empty()) {
                match found {
                    Some(translation) => translations.push(translation),
                    None => self.assembly.skip(&format!(
                        "periodic link of surface {surface}, which is no translation"
                    )),
                }
            }
        }
        let rounding = MATCHED * translations.iter().map(length).fold(0.0, f64::max);
        match Lattice::spanned(translations.clone(), rounding) {
            Ok(lattice) => self.assembly.mesh.periods = lattice.periods().to_vec(),
            Err(_) if translations.is_empty() => {}
            Err(_) => self.assembly.skip("periodic links that are no sums of three translations"),
        }
        self.values.end("$EndPeriodic")
    }

    fn link_count(&mut self, what: &str) -> Result<usize> {
        if self.version == 4 { self.values.size_count(what) } else { self.values.text.count(what) }
    }

    /// The section is text in version 2, in binary files too.
    fn linked_node(&mut self) -> Result<i64> {
        if self.version == 4 {
            self.node_number()
        } else {
            self.values.text.integer("a node number")
        }
    }

    /// Dimension and numbers of an entity and its master.
    fn linked_entities(&mut self) -> Result<[i64; 3]> {
        let mut numbers = [0; 3];
        for number in &mut numbers {
            *number = if self.version == 4 {
                self.values.int("a linked entity")?
            } else {
                self.values.text.integer("a linked entity")?
            };
        }
        Ok(numbers)
    }

    /// The matrix that takes the master to the entity, by rows; empty where the file has none.
    fn affine(&mut self) -> Result<Vec<f64>> {
        let what = "an affine coefficient";
        if self.version == 4 {
            let count = self.values.size_count("the number of affine coefficients")?;
            return (0..count).map(|_| self.values.real(what)).collect();
        }
        if self.values.text.peek() != Some(b"Affine") {
            return Ok(Vec::new());
        }
        self.values.text.word();
        (0..16).map(|_| self.values.text.real(what)).collect()
    }
}

fn length(vector: &[f64; 3]) -> f64 {
    vector.iter().fold(0.0, |length: f64, x| length.hypot(*x))
}

/// The translation that an affine map is.
fn moved(affine: &[f64]) -> Option<[f64; 3]> {
    let translation = [affine[3], affine[7], affine[11]];
    let is_one =
        |i: usize, j: usize| (affine[4 * i + j] - f64::from(u8::from(i == j))).abs() < MATCHED;
    let is_plain = (0..3).all(|i| (0..3).all(|j| is_one(i, j)));
    (is_plain && length(&translation) > 0.0).then_some(translation)
}

/// The translation that all of some vectors are.
fn common(vectors: &[[f64; 3]]) -> Option<[f64; 3]> {
    let first = *vectors.first()?;
    let near = MATCHED * length(&first);
    let is_same = |v: &[f64; 3]| (0..3).all(|d| (v[d] - first[d]).abs() <= near);
    (near > 0.0 && vectors.iter().all(is_same)).then_some(first)
}
