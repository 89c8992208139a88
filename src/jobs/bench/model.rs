//! A model at a level of refinement, with control points that move.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::super::refine::RefineRequest;
use crate::error::Result;
use crate::io;
use crate::limit::{Class, Leaf, Solid, kernel_name, kernels};
use crate::mesh::{Controls, SolidMesh};
use crate::numbers::counted;
use crate::topology::Topology;
use serde::Serialize;

/// Sets of control points that the runs take in turn.
const SETS: u64 = 4;

/// Class of the leaves of cells that are refined first, beside the paper's kernels.
pub const REFINED: &str = "refined";

/// A model ready to be measured.
pub struct BenchModel {
    pub name: String,
    pub level: usize,
    pub mesh: SolidMesh,
    pub solid: Solid,
    sets: Vec<Vec<[f64; 3]>>,
}

/// Numbers of cells of a model, by kernel.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
pub struct ModelSummary {
    /// Name of the model's file.
    pub model: String,
    /// Number of times that the model was refined first.
    pub level: usize,
    /// Number of cells at this level.
    pub cells: usize,
    /// Number of cells for each published kernel (Besler et al. 2022).
    pub kernels: BTreeMap<String, usize>,
    /// Cells that are refined before they are evaluated.
    pub refined: usize,
}

/// What models are called: the stems of their files, or whole paths where stems are equal.
pub fn names(models: &[PathBuf]) -> Vec<String> {
    let stem = |path: &PathBuf| path.file_stem().map(|stem| stem.to_string_lossy().into_owned());
    let name = |path: &PathBuf| {
        let is_unique = models.iter().filter(|other| stem(other) == stem(path)).count() == 1;
        stem(path).filter(|_| is_unique).unwrap_or_else(|| path.display().to_string())
    };
    models.iter().map(name).collect()
}

impl BenchModel {
    pub fn load(path: &Path, name: &str, level: usize) -> Result<Self> {
        let mut mesh = io::read(path)?;
        mesh.creases.drop_smooth();
        mesh.attributes.clear();
        let refine = RefineRequest { levels: level, ..RefineRequest::default() };
        let topology = Topology::of_mesh(&mesh)?;
        let mesh = refine.run(&mesh, topology, &mut ())?;
        let solid = Solid::new(&mesh)?;
        let sets = (0..SETS).map(|set| jittered(&mesh, set)).collect();
        Ok(Self { name: name.to_owned(), level, mesh, solid, sets })
    }

    /// Control points near the model's own.
    pub fn controls(&self) -> Vec<Controls<'_>> {
        self.sets.iter().map(|positions| Controls { positions, attributes: &[] }).collect()
    }

    /// Classes with leaves, in the order of the paper's table.
    pub fn classes(&self) -> Vec<String> {
        let mut classes: Vec<String> = Vec::new();
        for leaf in self.solid.leaves() {
            let class = class(&self.solid, leaf);
            if !classes.contains(&class) {
                classes.push(class);
            }
        }
        let rank = |class: &str| {
            ["REG64", "REG48", "REG", "LAY16", "LAY32", "IRR32", "IRR64"]
                .iter()
                .position(|prefix| class.starts_with(prefix))
                .unwrap_or(usize::MAX)
        };
        classes.sort_by_key(|class| (rank(class), class.clone()));
        classes
    }

    /// Elements that have leaves of a class, or all.
    pub fn elements(&self, of: Option<&str>) -> usize {
        let Some(of) = of else { return self.solid.elements().len() };
        let mut elements: Vec<u32> = self
            .solid
            .leaves()
            .iter()
            .filter(|leaf| class(&self.solid, leaf) == of)
            .map(|leaf| leaf.element)
            .collect();
        elements.dedup(); // leaves are in the order of their elements
        elements.len()
    }

    pub fn describe(&self) -> String {
        let cells = counted(self.mesh.cells.len(), "cell");
        let leaves = counted(self.solid.leaves().len(), "leaf");
        format!("{cells}, {leaves} at level {}", self.level)
    }

    pub fn summary(&self) -> ModelSummary {
        let is_refined = |class: &&Class| matches!(class, Class::Refined(_));
        ModelSummary {
            model: self.name.clone(),
            level: self.level,
            cells: self.mesh.cells.len(),
            kernels: kernels(&self.solid),
            refined: self.solid.classes().iter().filter(is_refined).count(),
        }
    }
}

/// Name of a leaf's kernel in the paper, or [`REFINED`].
pub fn class(solid: &Solid, leaf: &Leaf) -> String {
    let cell = solid.elements()[leaf.element as usize].cell;
    match solid.classes()[cell as usize] {
        Class::Refined(_) => REFINED.into(),
        _ => kernel_name(solid, leaf),
    }
}

/// The control points, each moved at random by up to 1 % of the size of a mean cell.
fn jittered(mesh: &SolidMesh, set: u64) -> Vec<[f64; 3]> {
    let Some((low, high)) = mesh.bounds() else { return Vec::new() };
    let largest = (0..3).map(|d| high[d] - low[d]).fold(0.0, f64::max);
    let reach = 0.01 * largest / (mesh.cells.len() as f64).cbrt();
    let mut state = set;
    // SplitMix64 (Steele, Lea and Flood 2014)
    let mut random = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = state;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ z >> 31) as f64 / u64::MAX as f64
    };
    mesh.points.iter().map(|p| p.map(|x| x + reach * (2.0 * random() - 1.0))).collect()
}
