//! Numbers of a VTK array, stored in any type.

/// Types of VTK array elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Scalar {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F32,
    F64,
}

impl Scalar {
    /// The type with a name of a legacy file (`float`, `vtkIdType`, `vtktypeint64`, …) or of a
    /// `.vtu` file (`Float32`, `Int64`, …), in any case.
    pub fn named(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        // VTK has this form of 64-bit integers, meshio of all numbers
        Some(match name.strip_prefix("vtktype").unwrap_or(&name) {
            "char" | "signed_char" | "int8" => Self::I8,
            "unsigned_char" | "uint8" => Self::U8,
            "short" | "int16" => Self::I16,
            "unsigned_short" | "uint16" => Self::U16,
            // Legacy files hold ids as 32-bit integers.
            "int" | "vtkidtype" | "int32" => Self::I32,
            "unsigned_int" | "uint32" => Self::U32,
            "long" | "long_long" | "int64" => Self::I64,
            "unsigned_long" | "unsigned_long_long" | "uint64" => Self::U64,
            "float" | "float32" => Self::F32,
            "double" | "float64" => Self::F64,
            _ => return None,
        })
    }

    /// Whether the elements are whole numbers.
    pub fn is_integer(self) -> bool {
        !matches!(self, Self::F32 | Self::F64)
    }

    /// Bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::I64 | Self::U64 | Self::F64 => 8,
        }
    }

    /// The elements as real numbers.
    pub fn reals(self, bytes: &[u8], big_endian: bool) -> Vec<f64> {
        match self {
            Self::F32 => decode(bytes, big_endian, |b| f64::from(f32::from_le_bytes(b))),
            Self::F64 => decode(bytes, big_endian, f64::from_le_bytes),
            Self::U64 => decode(bytes, big_endian, |b| u64::from_le_bytes(b) as f64),
            _ => self.integers(bytes, big_endian).into_iter().map(|i| i as f64).collect(),
        }
    }

    /// The elements as whole numbers; what does not fit saturates, so that it
    /// fails the index checks.
    pub fn integers(self, bytes: &[u8], big_endian: bool) -> Vec<i64> {
        match self {
            Self::I8 => decode(bytes, big_endian, |b| i64::from(i8::from_le_bytes(b))),
            Self::U8 => decode(bytes, big_endian, |[b]| i64::from(b)),
            Self::I16 => decode(bytes, big_endian, |b| i64::from(i16::from_le_bytes(b))),
            Self::U16 => decode(bytes, big_endian, |b| i64::from(u16::from_le_bytes(b))),
            Self::I32 => decode(bytes, big_endian, |b| i64::from(i32::from_le_bytes(b))),
            Self::U32 => decode(bytes, big_endian, |b| i64::from(u32::from_le_bytes(b))),
            Self::I64 => decode(bytes, big_endian, i64::from_le_bytes),
            Self::U64 => decode(bytes, big_endian, |b| {
                i64::try_from(u64::from_le_bytes(b)).unwrap_or(i64::MAX)
            }),
            Self::F32 | Self::F64 => {
                self.reals(bytes, big_endian).into_iter().map(|x| x as i64).collect()
            }
        }
    }
}

/// Elements of N bytes, put into little-endian order; a remainder is left out.
fn decode<const N: usize, T>(
    bytes: &[u8],
    big_endian: bool,
    element: impl Fn([u8; N]) -> T,
) -> Vec<T> {
    let (elements, _) = bytes.as_chunks::<N>();
    elements
        .iter()
        .map(|&(mut bytes)| {
            if big_endian {
                bytes.reverse();
            }
            element(bytes)
        })
        .collect()
}
