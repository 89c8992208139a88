//! Axes of orthotropic materials from attributes.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::assembly::{CellOperators, Operator};
use crate::error::{Error, Result, option, option_name};
use crate::mesh::{Attribute, CellArray, SolidMesh};

/// Two attributes of vertices or arrays of cells, of 3 numbers: vectors along axis 1, and in the plane
/// of axes 1 and 2. They need not be unit vectors at right angles. A cell has the axes of the mean
/// over its vertices.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MaterialAxes(pub [String; 2]);

impl FromStr for MaterialAxes {
    type Err = String;

    /// `ATTR1,ATTR2`
    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let names: Vec<String> = text.split(',').map(|name| name.trim().to_owned()).collect();
        names
            .try_into()
            .map(Self)
            .map_err(|_| "give the names of two attributes: ATTR1,ATTR2".into())
    }
}

/// Vectors of cells, or of their vertices.
enum Vectors<'a> {
    Vertices(&'a [f64]),
    Cells(&'a [f64]),
}

impl<'a> Vectors<'a> {
    fn find(mesh: &'a SolidMesh, name: &str) -> Result<Self> {
        let vertices = mesh.attributes.iter().find(|own| own.name == name);
        let cells = || mesh.cell_data.iter().find(|own| own.name == name);
        let (width, found) = match (vertices, vertices.map_or_else(cells, |_| None)) {
            (Some(Attribute { width, values, .. }), _) => (*width, Self::Vertices(values)),
            (None, Some(CellArray { width, values, .. })) => (*width, Self::Cells(values)),
            // says which there are
            (None, None) => return mesh.attribute_index(name).map(|_| Self::Cells(&[])),
        };
        if width == 3 {
            return Ok(found);
        }
        Err(Error::request(format!("attribute {name:?} has {width} numbers, an axis has 3"))
            .with_help("give attributes of 3 numbers"))
    }

    fn of(&self, mesh: &SolidMesh, cell: usize) -> [f64; 3] {
        let row = |values: &[f64], at: usize| [0, 1, 2].map(|d| values[3 * at + d]);
        match self {
            Self::Cells(values) => row(values, cell),
            Self::Vertices(values) => {
                let vertices = mesh.cells.vertices(cell);
                let rows = vertices.iter().map(|&v| row(values, v as usize));
                rows.fold([0.0; 3], |sum, row| [0, 1, 2].map(|d| sum[d] + row[d]))
            }
        }
    }
}

impl MaterialAxes {
    /// Refuses axes where no material has any.
    pub(super) fn check(&self, mut operators: impl Iterator<Item = Operator>) -> Result<()> {
        if operators.any(|own| matches!(own, Operator::Orthotropic(_))) {
            return Ok(());
        }
        let (axes, numbers) = (option_name("material_axes"), option("elasticity", "E1,E2,E3,…"));
        Err(Error::request(message!(axes.clone(), " is for orthotropic materials"))
            .with_help(message!("leave ", axes, " out, or give nine constants: ", numbers)))
    }

    /// Operators whose orthotropic materials lie along these axes.
    ///
    /// # Errors
    /// [`Error::Request`] for attributes that the mesh does not have, and cells whose vectors are 0 or
    /// parallel.
    pub(super) fn turn(
        &self,
        operators: &CellOperators,
        mesh: &SolidMesh,
    ) -> Result<CellOperators> {
        let [first, second] = &self.0;
        let vectors = [Vectors::find(mesh, first)?, Vectors::find(mesh, second)?];
        let ghosts = mesh.ghosts();
        let is_ghost = |cell: usize| ghosts.get(cell).copied().unwrap_or(false);
        operators.along(mesh.cells.len(), |cell| {
            let of = |vectors: &Vectors<'_>| vectors.of(mesh, cell);
            (!is_ghost(cell)).then(|| [of(&vectors[0]), of(&vectors[1])])
        })
    }
}
