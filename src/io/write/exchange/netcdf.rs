//! NetCDF in the 64-bit offset variant of its classic format, which every library reads (Unidata,
//! "NetCDF Classic Format Specification").

use std::io::{self, Write};

/// Values of a variable or of an attribute.
pub enum NetcdfValues {
    Text(Vec<u8>),
    Ints(Vec<i32>),
    Reals(Vec<f64>),
    Single(f32),
}

impl NetcdfValues {
    /// Number of the type, and its bytes.
    fn kind(&self) -> (u32, usize) {
        match self {
            Self::Text(_) => (2, 1),
            Self::Ints(_) => (4, 4),
            Self::Single(_) => (5, 4),
            Self::Reals(_) => (6, 8),
        }
    }

    fn len(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Ints(values) => values.len(),
            Self::Reals(values) => values.len(),
            Self::Single(_) => 1,
        }
    }

    fn bytes(&self) -> u64 {
        (self.len() * self.kind().1) as u64
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Text(text) => out.write_all(text)?,
            Self::Ints(values) => {
                values.iter().try_for_each(|x| out.write_all(&x.to_be_bytes()))?
            }
            Self::Reals(values) => {
                values.iter().try_for_each(|x| out.write_all(&x.to_be_bytes()))?
            }
            Self::Single(value) => out.write_all(&value.to_be_bytes())?,
        }
        out.write_all(&[0; 3][..self.padding()])
    }

    /// Bytes to the next multiple of four.
    fn padding(&self) -> usize {
        (self.bytes().wrapping_neg() % 4) as usize
    }
}

/// A text or numbers of the file or of a variable.
pub type NetcdfAttribute = (&'static str, NetcdfValues);

struct Variable {
    name: String,
    dimensions: Vec<usize>,
    attributes: Vec<NetcdfAttribute>,
    values: NetcdfValues,
}

/// A file in memory. Dimension 0 is the one that grows, of which there is one record or none.
#[derive(Default)]
pub struct Netcdf {
    dimensions: Vec<(String, usize)>,
    attributes: Vec<NetcdfAttribute>,
    variables: Vec<Variable>,
}

impl Netcdf {
    /// A file whose growing dimension has this name.
    pub fn new(record: &str, attributes: Vec<NetcdfAttribute>) -> Self {
        Self { dimensions: vec![(record.to_owned(), 0)], attributes, variables: Vec::new() }
    }

    /// Adds a dimension of a length above 0; returns its number.
    pub fn dimension(&mut self, name: impl Into<String>, length: usize) -> usize {
        self.dimensions.push((name.into(), length));
        self.dimensions.len() - 1
    }

    /// Adds a variable of all values of its dimensions.
    pub fn variable(
        &mut self,
        name: impl Into<String>,
        dimensions: &[usize],
        attributes: Vec<NetcdfAttribute>,
        values: NetcdfValues,
    ) {
        let (name, dimensions) = (name.into(), dimensions.to_vec());
        self.variables.push(Variable { name, dimensions, attributes, values });
    }

    /// Writes the file.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`] for a variable of 4 GB or more; what writing fails with.
    pub fn write(mut self, out: &mut dyn Write) -> io::Result<()> {
        // records stand after all else
        self.variables.sort_by_key(|variable| variable.dimensions.first() == Some(&0));
        let has_record = |variable: &Variable| variable.dimensions.first() == Some(&0);
        let records = u32::from(self.variables.iter().any(has_record));
        let mut starts = vec![0; self.variables.len()];
        let mut next = self.header(records, &starts)?.len() as u64;
        for (start, variable) in starts.iter_mut().zip(&self.variables) {
            *start = next;
            next += variable.values.bytes() + variable.values.padding() as u64;
        }
        out.write_all(&self.header(records, &starts)?)?;
        self.variables.iter().try_for_each(|variable| variable.values.write(out))
    }

    fn header(&self, records: u32, starts: &[u64]) -> io::Result<Vec<u8>> {
        let mut out = b"CDF\x02".to_vec();
        push(&mut out, records);
        push_list(&mut out, 10, self.dimensions.len());
        for (name, length) in &self.dimensions {
            push_name(&mut out, name)?;
            push(&mut out, number(*length)?);
        }
        push_attributes(&mut out, &self.attributes)?;
        push_list(&mut out, 11, self.variables.len());
        for (variable, start) in self.variables.iter().zip(starts) {
            push_name(&mut out, &variable.name)?;
            push(&mut out, number(variable.dimensions.len())?);
            for &dimension in &variable.dimensions {
                push(&mut out, number(dimension)?);
            }
            push_attributes(&mut out, &variable.attributes)?;
            push(&mut out, variable.values.kind().0);
            push(&mut out, number(variable.values.bytes() as usize + variable.values.padding())?);
            out.extend(start.to_be_bytes());
        }
        Ok(out)
    }
}

fn push(out: &mut Vec<u8>, value: u32) {
    out.extend(value.to_be_bytes());
}

/// The tag of a list and its length; both are 0 of an empty one.
fn push_list(out: &mut Vec<u8>, tag: u32, length: usize) {
    push(out, if length == 0 { 0 } else { tag });
    push(out, length as u32);
}

fn push_name(out: &mut Vec<u8>, name: &str) -> io::Result<()> {
    push(out, number(name.len())?);
    NetcdfValues::Text(name.as_bytes().to_vec()).write(out)
}

fn push_attributes(out: &mut Vec<u8>, attributes: &[NetcdfAttribute]) -> io::Result<()> {
    push_list(out, 12, attributes.len());
    for (name, values) in attributes {
        push_name(out, name)?;
        push(out, values.kind().0);
        push(out, number(values.len())?);
        values.write(out)?;
    }
    Ok(())
}

/// A length that 32 bits hold.
fn number(length: usize) -> io::Result<u32> {
    u32::try_from(length).map_err(|_| {
        let why = format!("{length} bytes in one array, an .exo file holds 4294967295");
        io::Error::new(io::ErrorKind::InvalidInput, why)
    })
}
