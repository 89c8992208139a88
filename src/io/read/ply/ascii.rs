//! Elements of ASCII PLY: one on each line, with the numbers of its properties and no more.

use ply_rs_bw::ply::{ElementDef, PropertyType, ScalarType};

use super::record::PlyRecord;
use crate::error::{Error, Result};
use crate::io::read::lines::{Text, integer, real, shown};

/// Reads the entries of an element; `cut` is the error of a file that ends within them.
pub fn read(
    text: &mut Text<'_>,
    element: &ElementDef,
    cut: impl Fn() -> Error,
) -> Result<Vec<PlyRecord>> {
    let mut records = Vec::with_capacity(text.room(element.count, 2 * element.properties.len()));
    while records.len() < element.count {
        let line = text.next_line().ok_or_else(&cut)?;
        if line.is_empty() {
            continue;
        }
        let mut row = AsciiLine { text, rest: line, cut: &cut };
        records.push(row.record(element)?);
    }
    Ok(records)
}

/// A line, and what of it is not read yet.
struct AsciiLine<'a, 't> {
    text: &'a Text<'t>,
    rest: &'t [u8],
    cut: &'a dyn Fn() -> Error,
}

impl AsciiLine<'_, '_> {
    fn record(&mut self, element: &ElementDef) -> Result<PlyRecord> {
        let mut record = PlyRecord::default();
        for (name, property) in &element.properties {
            match &property.data_type {
                PropertyType::Scalar(kind) => record.scalars.push(self.number(name, kind)?),
                PropertyType::List(count, kind) => {
                    let count = self.count(name, count)?;
                    let mut list = Vec::new();
                    for _ in 0..count {
                        list.push(self.number(name, kind)?);
                    }
                    record.push_list(name, kind, list);
                }
            }
        }
        let surplus = self.rest.trim_ascii();
        if !surplus.is_empty() {
            return Err(self
                .text
                .error(format!(
                    "`{}` after the last property of element `{}`",
                    shown(surplus),
                    short(&element.name)
                ))
                .with_help(
                    "the header names fewer properties than the line has numbers: export it again",
                ));
        }
        Ok(record)
    }

    /// The number of a list's items.
    fn count(&mut self, name: &str, kind: &ScalarType) -> Result<usize> {
        let count = self.number(name, kind)?;
        if count >= 0.0 && count.fract() == 0.0 {
            // there are fewer items if this saturates
            return Ok(count as usize);
        }
        let what = format!("the number of items of list `{}`", short(name));
        Err(self.text.expected(&what, count))
    }

    /// The next number, of a property.
    fn number(&mut self, name: &str, kind: &ScalarType) -> Result<f64> {
        let rest = self.rest.trim_ascii_start();
        let is_cut = self.text.is_unended();
        if rest.is_empty() {
            return Err(if is_cut {
                (self.cut)()
            } else {
                let name = short(name);
                self.text
                    .error(format!("the line ends where property `{name}` is expected"))
                    .with_help("an element has all its properties on one line: export it again")
            });
        }
        let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
        let (word, rest) = rest.split_at(end);
        self.rest = rest;
        value(kind, word).ok_or_else(|| {
            if is_cut && rest.is_empty() {
                return (self.cut)();
            }
            let what = format!("a number of type {} (property `{}`)", type_name(kind), short(name));
            self.text.expected(&what, shown(word))
        })
    }
}

/// A word as a number of a type, rounded as the type is.
fn value(kind: &ScalarType, word: &[u8]) -> Option<f64> {
    let whole = |least: f64, greatest: f64| {
        let value = match integer(word) {
            Some(value) => value as f64,
            None => real(word).filter(|x| x.fract() == 0.0)?,
        };
        (least..=greatest).contains(&value).then_some(value)
    };
    match kind {
        ScalarType::Char => whole(i8::MIN.into(), i8::MAX.into()),
        ScalarType::UChar => whole(0.0, u8::MAX.into()),
        ScalarType::Short => whole(i16::MIN.into(), i16::MAX.into()),
        ScalarType::UShort => whole(0.0, u16::MAX.into()),
        ScalarType::Int => whole(i32::MIN.into(), i32::MAX.into()),
        ScalarType::UInt => whole(0.0, u32::MAX.into()),
        ScalarType::Double => real(word),
        ScalarType::Float => {
            // not by way of double precision, which would round twice
            let single = std::str::from_utf8(word).ok()?.parse::<f32>().ok();
            single.or_else(|| real(word).map(|x| x as f32)).map(f64::from)
        }
    }
}

fn type_name(kind: &ScalarType) -> &'static str {
    match kind {
        ScalarType::Char => "char",
        ScalarType::UChar => "uchar",
        ScalarType::Short => "short",
        ScalarType::UShort => "ushort",
        ScalarType::Int => "int",
        ScalarType::UInt => "uint",
        ScalarType::Float => "float",
        ScalarType::Double => "double",
    }
}

fn short(name: &str) -> String {
    shown(name.as_bytes())
}
