//! Objects of the library beside what they borrow.

use std::sync::Arc;

use self_cell::self_cell;
use subsolid::backend::Evaluator;
use subsolid::locate::Locator;
use subsolid::quadrature::Mapping;
use subsolid::slice::SolidSource;
use subsolid::{Plan, Quadrature, Solid, SolidMesh};

/// A control mesh and what was found out about it.
pub struct Analyzed {
    pub mesh: SolidMesh,
    pub solid: Solid,
}

/// A plan brought to a processor.
pub struct Prepared<'p>(pub Box<dyn Evaluator + 'p>);

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
        dependent: Prepared,
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
    pub struct LocatorCell {
        owner: Arc<Analyzed>,
        #[not_covariant]
        dependent: Locator,
    }
);

self_cell!(
    pub struct SourceCell {
        owner: Arc<Analyzed>,
        #[not_covariant]
        dependent: SolidSource,
    }
);
