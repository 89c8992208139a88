//! Objects of the library beside what they borrow.

use std::sync::Arc;

use self_cell::self_cell;
use subsolid::assembly::MatrixFree;
use subsolid::backend::Evaluator;
use subsolid::io::CurvedNode;
use subsolid::locate::Locator;
use subsolid::quadrature::Mapping;
use subsolid::slice::{SolidSource, fingerprint, refined_fingerprint};
use subsolid::{Plan, Quadrature, Solid, SolidMesh};

/// A control mesh and what was found out about it.
pub struct Analyzed {
    pub mesh: SolidMesh,
    /// Shared by meshes of the same cells and creases.
    pub solid: Arc<Solid>,
    /// What it was refined from, as the program refines.
    pub refined_from: Option<Coarse>,
    /// Points of the curved cells that it was read with.
    pub nodes: Vec<CurvedNode>,
}

/// The mesh that another was refined from.
#[derive(Clone)]
pub struct Coarse {
    pub sha256: String,
    pub levels: usize,
}

impl Analyzed {
    /// The mesh that was refined, or this one.
    pub fn coarse(&self) -> Coarse {
        let own = || Coarse { sha256: fingerprint(&self.mesh), levels: 0 };
        self.refined_from.clone().unwrap_or_else(own)
    }

    /// Identifies the model in files of layers, as the program does.
    pub fn fingerprint(&self) -> String {
        let Coarse { sha256, levels } = self.coarse();
        refined_fingerprint(sha256, levels)
    }
}

/// A plan brought to a processor.
pub struct PreparedPlan<'p>(pub Box<dyn Evaluator + 'p>);

self_cell!(
    pub struct PlanCell {
        owner: Arc<Analyzed>,
        #[covariant]
        dependent: Plan,
    }
);

self_cell!(
    pub struct EvaluatorCell {
        owner: Arc<PlanCell>,
        #[covariant]
        dependent: PreparedPlan,
    }
);

self_cell!(
    pub struct QuadratureCell {
        owner: Arc<Analyzed>,
        #[covariant]
        dependent: Quadrature,
    }
);

self_cell!(
    pub struct MappingCell {
        owner: Arc<QuadratureCell>,
        #[covariant]
        dependent: Mapping,
    }
);

self_cell!(
    pub struct OperatorCell {
        owner: Arc<MappingCell>,
        #[covariant]
        dependent: MatrixFree,
    }
);

self_cell!(
    pub struct LocatorCell {
        owner: Arc<Analyzed>,
        #[not_covariant]
        dependent: Locator,
    }
);

self_cell!(
    pub struct SourceCell {
        owner: Vec<Arc<Analyzed>>,
        #[not_covariant]
        dependent: SolidSource,
    }
);
