//! What to evaluate where, and on what, from the arguments of Python.

use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::PyOverflowError;
use pyo3::prelude::*;
use serde::de::{DeserializeOwned, IntoDeserializer};
use subsolid::IdKind::{Cell, Sample};
use subsolid::assembly::ElasticConstants;
use subsolid::backend::{Backend, Choice, Precision, Processor, Strategy};
use subsolid::basis::bspline::Order;
use subsolid::jobs::ProcessorRequest;
use subsolid::limit::{Orders, Solid};
use subsolid::message;
use subsolid::numbers::counted;
use subsolid::plan::{Cost, Location, MAX_SAMPLES, Samples};
use subsolid::volume::DERIVATIVES;

use crate::arrays::{Role, floats, ids, rows, slice};
use crate::count;
use crate::errors::{IntoPython, refused};
use crate::threads;

/// Samples of the options `samples`, `gauss`, `cells`, `uvw` and `corners`.
pub fn samples(
    solid: &Solid,
    samples: Option<&Bound<'_, PyAny>>,
    gauss: Option<usize>,
    cells: Option<&Bound<'_, PyAny>>,
    uvw: Option<&Bound<'_, PyAny>>,
    corners: Option<&Bound<'_, PyAny>>,
) -> PyResult<Samples> {
    if corners.is_some() && (cells.is_none() || uvw.is_none()) {
        return Err(refused("corners without cells and uvw", "give corners=... with both of them"));
    }
    match (samples, gauss, cells, uvw) {
        (Some(samples), None, None, None) => {
            let is_whole = match samples.extract::<usize>() {
                Ok(_) => true,
                Err(error) => error.is_instance_of::<PyOverflowError>(samples.py()),
            };
            if is_whole {
                // a plan refuses none
                return Ok(Samples::grid(count::samples(samples)?));
            }
            let array = floats(samples, "samples")?;
            let along = slice(&array)?;
            let inside = along.iter().all(|x| (0.0..=1.0).contains(x));
            if array.ndim() != 1 || !inside || !along.is_sorted_by(|a, b| a < b) {
                return Err(refused(
                    format!("samples={}", samples.repr()?),
                    &format!(
                        "give a number of samples along each axis, 1 to {MAX_SAMPLES}, or their \
                         parameters, ascending in [0, 1]"
                    ),
                ));
            }
            Ok(Samples::Tensor(along.to_vec()))
        }
        (None, Some(n), None, None) => Samples::gauss(n).py(),
        (None, None, Some(cells), Some(uvw)) => {
            Ok(Samples::Points(locations(solid, cells, uvw, corners)?))
        }
        _ => Err(refused(
            "the samples must be given in exactly one way",
            "give samples=8 (or parameters along an axis), or gauss=4, or cells=... with uvw=...",
        )),
    }
}

/// Places in cells; `corners` name the hexahedral child of cells that are not hexahedra, −1
/// where they are.
pub fn locations(
    solid: &Solid,
    cells: &Bound<'_, PyAny>,
    uvw: &Bound<'_, PyAny>,
    corners: Option<&Bound<'_, PyAny>>,
) -> PyResult<Vec<Location>> {
    let cells = ids(cells, "cells", 0)?.0;
    let corners = corners.map(|corners| ids(corners, "corners", -1)).transpose()?;
    let array = floats(uvw, Role::of("uvw", Sample))?;
    let parameters = rows::<3>(&array, "uvw")?;
    let counts = [Some(parameters.len()), corners.as_ref().map(|(c, _)| c.len())];
    if counts.into_iter().flatten().any(|count| count != cells.len()) {
        return Err(refused(
            format!(
                "{}, but {} (u, v, w) or as many corners",
                counted(cells.len(), "cell"),
                parameters.len()
            ),
            "give equally many of each",
        ));
    }
    let elements = solid.elements();
    let first = |cell: i64| elements.partition_point(|e| i64::from(e.cell) < cell);
    let count = solid.topology().cell_count();
    (0..cells.len())
        .map(|i| {
            let cell = cells[i];
            if cell >= count as i64 {
                return Err(refused(
                    message!(Sample.id(i), " names ", Cell.id(cell), ", there are {count}"),
                    "count cells from 0",
                ));
            }
            let corner = corners.as_ref().map_or(-1, |(corners, _)| corners[i]);
            let own = first(cell)..first(cell + 1);
            let is_it = |&e: &usize| elements[e].corner.map_or(-1, i64::from) == corner;
            let element = own.clone().find(is_it).ok_or_else(|| {
                let is_hexahedron = elements[own.start].corner.is_none();
                refused(
                    message!(Sample.id(i), " names corner {corner} of ", Cell.id(cell)),
                    if is_hexahedron {
                        "the cell is a hexahedron: give the corner -1, or no corners"
                    } else {
                        "the cell is not a hexahedron: give one of its corners, counted from 0, by \
                         corners=..."
                    },
                )
            })?;
            Ok(Location { element: element as u32, parameters: parameters[i] })
        })
        .collect()
}

/// The derivative of a name, `None` for values.
pub fn orders(name: Option<&str>) -> PyResult<Orders> {
    use Order::{First, Second, Value};
    let mut orders = [Value; 3];
    let name = name.unwrap_or("");
    if !name.is_empty() && !DERIVATIVES.contains(&name) {
        return Err(refused(
            format!("the derivative {name:?}"),
            &format!("give None or one of {}", DERIVATIVES.join(", ")),
        ));
    }
    for letter in name.bytes() {
        let order = &mut orders[usize::from(letter - b'u')];
        *order = if *order == Value { First } else { Second };
    }
    Ok(orders)
}

/// What the value of an option stands for, by the names that the library has.
pub fn named<T: DeserializeOwned>(option: &str, value: &str) -> PyResult<T> {
    let read: Result<T, serde::de::value::Error> = T::deserialize(value.into_deserializer());
    read.map_err(|error| {
        // "unknown variant `w`, expected one of `x`, `y`, `z`"
        let error = error.to_string().replace('`', "\"");
        let names = error.rsplit_once(", expected ").map_or("another", |(_, names)| names);
        refused(format!("{option}={value:?}"), &format!("give {names}"))
    })
}

/// The processor of an evaluation, by the names of its options.
pub fn processor(precision: &str, backend: &str, strategy: &str) -> PyResult<ProcessorRequest> {
    let (precision, strategy) = (named("precision", precision)?, named("strategy", strategy)?);
    Ok(ProcessorRequest { precision, backend: backend.parse::<Choice>().py()?, strategy })
}

/// The processor of a name, where one GPU at most may be asked for, in double precision.
pub fn one_backend(name: &str, cost: &Cost) -> PyResult<Box<dyn Backend>> {
    let processor =
        Processor::find_one_for(name.parse::<Choice>().py()?, cost, threads::count()).py()?;
    processor.backend(Precision::F64, Strategy::Auto).py()
}

/// Constants of an elastic material: two or nine.
pub fn elastic_constants(numbers: &[f64]) -> PyResult<ElasticConstants> {
    ElasticConstants::new(numbers).map_err(|what| {
        refused(
            format!("elasticity is wrong: {what}"),
            "give (E, nu), or (E1, E2, E3, G12, G23, G13, nu12, nu23, nu13)",
        )
    })
}
