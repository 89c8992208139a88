//! One entry of an element: its scalars and lists, each in the order of the header.

use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult, ScalarType};

/// Scalars, lists, and the vertices of a face.
#[derive(Default)]
pub struct PlyRecord {
    pub scalars: Vec<f64>,
    pub lists: Vec<Vec<f64>>,
    pub vertices: Option<Vec<i64>>,
}

impl PlyRecord {
    /// Takes a list of numbers of a type. Lists of vertices must be integers.
    pub fn push_list(&mut self, name: &str, kind: &ScalarType, list: Vec<f64>) {
        if is_vertex_list(name) {
            let is_real = matches!(kind, ScalarType::Float | ScalarType::Double);
            self.vertices = (!is_real).then(|| list.into_iter().map(|x| x as i64).collect());
        } else {
            self.lists.push(list);
        }
    }
}

impl PropertyAccess for PlyRecord {
    fn new() -> Self {
        Self::default()
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        match scalar(&property) {
            Some(value) => self.scalars.push(value),
            None => {
                let (kind, list) = list(&property);
                self.push_list(name, &kind, list);
            }
        }
        PropertyAccessResult::Set
    }
}

pub fn is_vertex_list(name: &str) -> bool {
    name == "vertex_indices" || name == "vertex_index"
}

fn scalar(property: &Property) -> Option<f64> {
    Some(match *property {
        Property::Char(x) => x.into(),
        Property::UChar(x) => x.into(),
        Property::Short(x) => x.into(),
        Property::UShort(x) => x.into(),
        Property::Int(x) => x.into(),
        Property::UInt(x) => x.into(),
        Property::Float(x) => x.into(),
        Property::Double(x) => x,
        _ => return None,
    })
}

/// A list with the type of its numbers; float64 holds all of these.
fn list(property: &Property) -> (ScalarType, Vec<f64>) {
    fn wide<T: Copy + Into<f64>>(list: &[T]) -> Vec<f64> {
        list.iter().map(|&x| x.into()).collect()
    }
    match property {
        Property::ListChar(list) => (ScalarType::Char, wide(list)),
        Property::ListUChar(list) => (ScalarType::UChar, wide(list)),
        Property::ListShort(list) => (ScalarType::Short, wide(list)),
        Property::ListUShort(list) => (ScalarType::UShort, wide(list)),
        Property::ListInt(list) => (ScalarType::Int, wide(list)),
        Property::ListUInt(list) => (ScalarType::UInt, wide(list)),
        Property::ListFloat(list) => (ScalarType::Float, wide(list)),
        Property::ListDouble(list) => (ScalarType::Double, list.clone()),
        _ => (ScalarType::Double, Vec::new()),
    }
}
