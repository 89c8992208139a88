//! What `.vtu` and `.pvtu` files share: the file element, type names, escaping.
//! (The few elements written need no XML library.)

use std::borrow::Cow;

use crate::io::dataset::{Array, ArrayData, DatasetCells, Points, vtk_type};

/// Byte order of this machine: numbers are written as they lie in memory.
const BYTE_ORDER: &str = if cfg!(target_endian = "big") { "BigEndian" } else { "LittleEndian" };

/// Versions of the file format that are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Version {
    /// 1.0: headers of 64 bits. The newest that meshio reads.
    Linear,
    /// 2.2: tells VTK 9 and later that the nodes of high-order cells are in today's order.
    HighOrder,
}

impl Version {
    /// The oldest version that can hold `cells`.
    pub fn of(cells: &DatasetCells) -> Self {
        let high_order = [vtk_type::LAGRANGE_HEXAHEDRON, vtk_type::BEZIER_HEXAHEDRON];
        let found = match cells {
            DatasetCells::Uniform { vtk_type, .. } => high_order.contains(vtk_type),
            DatasetCells::Mixed(cells) => cells.vtk_types.iter().any(|t| high_order.contains(t)),
        };
        if found { Self::HighOrder } else { Self::Linear }
    }

    fn number(self) -> &'static str {
        match self {
            Self::Linear => "1.0",
            Self::HighOrder => "2.2",
        }
    }
}

/// Declaration and opening tag of a file.
pub fn open_file(kind: &str, version: Version, compress: bool) -> String {
    let version = version.number();
    let compressor = if compress { " compressor=\"vtkZLibDataCompressor\"" } else { "" };
    format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"{kind}\" version=\"{version}\" \
         byte_order=\"{BYTE_ORDER}\" header_type=\"UInt64\"{compressor}>\n"
    )
}

/// Attributes `type`, `Name` and `NumberOfComponents` of an array.
pub fn array_attributes(array: &Array) -> String {
    format!(
        "type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\"",
        type_name(&array.data),
        escape(&array.name),
        array.width
    )
}

/// Attributes `type`, `Name` and `NumberOfComponents` of the point coordinates.
pub fn points_attributes(points: &Points) -> String {
    let name = match points {
        Points::F32(_) => "Float32",
        Points::F64(_) => "Float64",
    };
    format!("type=\"{name}\" Name=\"Points\" NumberOfComponents=\"3\"")
}

fn type_name(data: &ArrayData) -> &'static str {
    match data {
        ArrayData::F32(_) => "Float32",
        ArrayData::F64(_) => "Float64",
        ArrayData::I32(_) => "Int32",
        ArrayData::I64(_) => "Int64",
        ArrayData::U8(_) => "UInt8",
    }
}

/// `text` as the value of an attribute; control characters are not expected.
pub fn escape(text: &str) -> Cow<'_, str> {
    if !text.contains(['&', '<', '>', '"']) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            _ => escaped.push(c),
        }
    }
    Cow::Owned(escaped)
}
