//! Materials of layers: where they are, by the arguments of Python.

use pyo3::prelude::*;
use subsolid::mesh::{Attribute, CellArray};
use subsolid::slice::{CellIds, Channel, Materials};

use crate::errors::{IntoPython, refused};

/// Where materials are.
pub enum WantedMaterials {
    /// Fractions of the volume: attributes, or arrays or groups of cells.
    Fractions(Vec<String>),
    /// Whole numbers of an array of the cells.
    Ids(String),
}

impl WantedMaterials {
    pub fn new(given: &Bound<'_, PyAny>) -> PyResult<Self> {
        if let Ok(name) = given.extract::<String>() {
            return Ok(Self::Ids(name));
        }
        given.extract().map(Self::Fractions).map_err(|_| {
            refused(
                "materials is neither a name nor names",
                "give the names of fractions, or the name of an array of material ids",
            )
        })
    }

    pub fn names(&self) -> &[String] {
        match self {
            Self::Fractions(names) => names,
            Self::Ids(name) => std::slice::from_ref(name),
        }
    }

    /// Whether one of the names is that of an array of the cells or its group.
    pub fn has_array(&self, array: &CellArray) -> bool {
        self.names().iter().any(|name| array.is_named(name))
    }

    pub fn has_attribute(&self, attribute: &Attribute) -> bool {
        matches!(self, Self::Fractions(names) if names.contains(&attribute.name))
    }

    /// The materials among the channels of a source.
    pub fn choose(&self, channels: &[Channel], arrays: &[CellArray]) -> PyResult<Materials> {
        match self {
            Self::Ids(name) => match arrays.iter().find(|array| array.is_named(name)) {
                Some(array) => Materials::of_cells(channels, &CellIds::of(array)).py(),
                None => Err(refused(
                    format!("materials={name:?} is not a cell array"),
                    "give names of fractions in a list",
                )),
            },
            Self::Fractions(names) => {
                let mut chosen = Vec::new();
                for name in names {
                    let before = chosen.len();
                    let own = channels.iter().enumerate().filter(|(_, c)| c.attribute == *name);
                    chosen.extend(own.map(|(number, _)| (number, None)));
                    if chosen.len() == before {
                        return Err(refused(
                            format!("material {name:?} is neither an attribute nor a cell array"),
                            "give names of attributes, cell_data or groups of cells",
                        ));
                    }
                }
                Materials::fractions(channels, &chosen).py()
            }
        }
    }
}
