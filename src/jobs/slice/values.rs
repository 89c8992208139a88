//! Values of a request that have parts, and their texts.

use std::str::FromStr;

use serde::de::{IntoDeserializer, value};
use serde::{Deserialize, Serialize};

use crate::numbers::{Length, LengthUnit};
use crate::slice::Tile;
use crate::slice::output::Exposure;

/// Heights from one up to another; `None` where it is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct HeightRange {
    /// The lowest.
    pub from: Option<Length>,
    /// Above the highest.
    pub to: Option<Length>,
}

impl FromStr for HeightRange {
    type Err = String;

    /// `1:2`, `1mm:` or `:2`.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |part: &str| match part.trim() {
            "" => Ok(None),
            part => part.parse().map(Some),
        };
        let (from, to) = text.split_once(':').ok_or("two heights look like 0.5:2")?;
        Ok(Self { from: number(from)?, to: number(to)? })
    }
}

/// Heights of layers: one, and others of layers whose bottom lies in a range.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeightsByRange {
    /// Height of layers in none of the ranges.
    pub height: Length,
    /// Heights of layers in ranges.
    pub ranges: Vec<(Length, HeightRange)>,
}

impl HeightsByRange {
    /// All heights of layers.
    pub(super) fn heights(&self) -> impl Iterator<Item = Length> {
        std::iter::once(self.height).chain(self.ranges.iter().map(|own| own.0))
    }

    /// All heights of layers, and the ends of the ranges.
    pub(super) fn lengths(&self) -> impl Iterator<Item = Length> {
        let ends = self.ranges.iter().flat_map(|(_, range)| [range.from, range.to]);
        self.heights().chain(ends.flatten())
    }
}

impl From<f64> for HeightsByRange {
    /// Layers of one height, in the model's unit.
    fn from(height: f64) -> Self {
        Self { height: height.into(), ranges: Vec::new() }
    }
}

impl FromStr for HeightsByRange {
    type Err = String;

    /// `0.2`, or `0.2,0.3@1:5,100um@5mm:`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (height, ranges) = text.split_once(',').unwrap_or((text, ""));
        let range = |text: &str| {
            let (height, range) =
                text.split_once('@').ok_or("heights in ranges look like 0.2,0.3@1:5")?;
            Ok((height.parse()?, range.parse()?))
        };
        let ranges = ranges.split(',').filter(|_| text.contains(','));
        let ranges = ranges.map(range).collect::<Result<_, String>>()?;
        Ok(Self { height: height.parse()?, ranges })
    }
}

/// Least and greatest height of layers, and the largest cusp.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct AdaptiveHeights(pub [Length; 3]);

impl FromStr for AdaptiveHeights {
    type Err = String;

    /// `0.05:0.2:0.02`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<Length> = text.split(':').map(str::parse).collect::<Result<_, _>>()?;
        let parts = parts.try_into().map(Self);
        parts.map_err(|_| {
            "the least height, the greatest and the cusp look like 0.05:0.2:0.02".into()
        })
    }
}

/// An attribute, and the most that it may change by across a layer.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct AttributeStep {
    /// Name of an attribute of the vertices, of several components with or without the number.
    pub name: String,
    /// The largest change, in the unit of the attribute.
    pub step: f64,
}

impl FromStr for AttributeStep {
    type Err = String;

    /// `NAME:STEP`; a name may hold : itself.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.rsplit_once(':').and_then(|(name, step)| {
            Some(Self { name: name.to_owned(), step: step.trim().parse().ok()? })
        });
        parts.ok_or_else(|| "an attribute and its largest change look like hardness:0.1".into())
    }
}

/// Width and height of a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PixelSize(pub [Length; 2]);

impl From<f64> for PixelSize {
    /// A square, in the model's unit.
    fn from(edge: f64) -> Self {
        Self([edge.into(); 2])
    }
}

impl FromStr for PixelSize {
    type Err = String;

    /// `0.05`, `50um` or `0.042x0.084mm`, where a unit at the end is that of both.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((width, height)) = text.split_once(BY) else {
            return Ok(Self([text.parse()?; 2]));
        };
        let [mut width, height]: [Length; 2] = [width.parse()?, height.parse()?];
        width.unit = width.unit.or(height.unit);
        Ok(Self([width, height]))
    }
}

/// Width and depth of a machine's plate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PlateSize(pub [Length; 2]);

impl FromStr for PlateSize {
    type Err = String;

    /// `120x68`, with units as [`PixelSize`] has them.
    fn from_str(text: &str) -> Result<Self, String> {
        text.parse().map(|PixelSize(sides)| Self(sides))
    }
}

/// Where layers begin: the height of the bottom of layer 0, and the corner of the plate.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct SliceOrigin {
    /// Lower left corner of the plate in the plane of the layers.
    pub corner: Option<[Length; 2]>,
    /// Height of the bottom of layer 0.
    pub height: Length,
}

impl From<Length> for SliceOrigin {
    /// A height alone.
    fn from(height: Length) -> Self {
        Self { corner: None, height }
    }
}

impl FromStr for SliceOrigin {
    type Err = String;

    /// `0.5mm`, or `-60,-34,0`.
    fn from_str(text: &str) -> Result<Self, String> {
        let parts: Vec<Length> = text.split(',').map(str::parse).collect::<Result<_, _>>()?;
        match parts[..] {
            [height] => Ok(height.into()),
            [x, y, height] => Ok(Self { corner: Some([x, y]), height }),
            _ => Err("origins look like 0.5 or -60,-34,0".into()),
        }
    }
}

/// The ends of the pixels across and up.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct PixelWindow(pub [[Length; 2]; 2]);

impl FromStr for PixelWindow {
    type Err = String;

    /// `0:120,0:68` or `-60mm:60mm,0:68mm`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (across, up) = text.split_once(',').ok_or("windows look like 0:120,0:68")?;
        Ok(Self([corner(across)?, corner(up)?]))
    }
}

/// Where a part lies.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SlicePlace {
    /// Name of the part; `None` for the only one.
    pub name: Option<String>,
    /// How far it is shifted along x, y and z.
    pub shift: [Length; 3],
    /// Degrees that it is turned by about the z axis before that.
    pub degrees: f64,
}

impl FromStr for SlicePlace {
    type Err = String;

    /// `10,0,0`, `NAME=10mm,0,0` or `NAME=10,0,0,90`; a name may hold = itself.
    fn from_str(text: &str) -> Result<Self, String> {
        let split = text.rsplit_once('=');
        let (name, numbers) = split.map_or((None, text), |(name, own)| (Some(name), own));
        let parts: Vec<&str> = numbers.split(',').collect();
        let (lengths, degrees) = match &parts[..] {
            [lengths @ .., degrees] if lengths.len() == 3 => (lengths, degrees.trim().parse()),
            lengths if lengths.len() == 3 => (lengths, Ok(0.0)),
            _ => return Err("places look like NAME=10,0,0 or NAME=10mm,0,0,90".into()),
        };
        let degrees = degrees.map_err(|_| format!("{:?} are no degrees", parts[3]))?;
        let shift: Vec<Length> = lengths.iter().map(|x| x.parse()).collect::<Result<_, _>>()?;
        let shift = shift.try_into().unwrap_or_default();
        Ok(Self { name: name.map(str::to_owned), shift, degrees })
    }
}

/// An attribute, array or group of cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceAttribute {
    /// Its name, of several components with or without the number: `fiber_0`.
    pub name: String,
    /// The values that are black and white in its images; `None` for its least and greatest.
    pub range: Option<[f64; 2]>,
}

impl FromStr for SliceAttribute {
    type Err = String;

    /// `NAME` or `NAME=BLACK:WHITE`; a name may hold = itself.
    fn from_str(text: &str) -> Result<Self, String> {
        let range = |text: &str| {
            let (black, white) = text.split_once(':')?;
            Some([black.trim().parse().ok()?, white.trim().parse().ok()?])
        };
        let split = text.rsplit_once('=').and_then(|(name, rest)| Some((name, range(rest)?)));
        match split {
            Some((name, range)) => Ok(Self { name: name.into(), range: Some(range) }),
            None => Ok(Self { name: text.into(), range: None }),
        }
    }
}

/// A material: an attribute or array that is its fraction of the volume, or a group of cells.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SliceMaterial {
    /// Its name.
    pub name: String,
    /// Red, green and blue in images; `None` for a color that differs from the others.
    pub color: Option<[u8; 3]>,
}

impl FromStr for SliceMaterial {
    type Err = String;

    /// `NAME` or `NAME=#RRGGBB`; a name may hold = itself.
    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, digits)) = text.rsplit_once("=#") else {
            return Ok(Self { name: text.into(), color: None });
        };
        if digits.len() != 6 || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(format!("colors look like #b87333, not #{digits}"));
        }
        let part = |d: usize| u8::from_str_radix(&digits[2 * d..2 * d + 2], 16).unwrap_or_default();
        Ok(Self { name: name.into(), color: Some([0, 1, 2].map(part)) })
    }
}

/// What stands between two numbers across and up.
const BY: [char; 3] = ['x', 'X', '×'];

/// Factors of x, y and z: `1.002`, or `1.002,1.002,1`.
///
/// # Errors
/// What they look like.
pub fn factors(text: &str) -> Result<[f64; 3], String> {
    let numbers: Result<Vec<f64>, _> = text.split(',').map(|part| part.trim().parse()).collect();
    match numbers.as_deref() {
        Ok(&[all]) => Ok([all; 3]),
        Ok(&[x, y, z]) => Ok([x, y, z]),
        _ => Err("factors look like 1.002 or 1.002,1.002,1".into()),
    }
}

/// Pixels per inch: `600`, or `600x300` across and up.
///
/// # Errors
/// What they look like.
pub fn dots(text: &str) -> Result<[f64; 2], String> {
    let number = |part: &str| part.trim().parse().ok().filter(|&n: &f64| n.is_finite() && n > 0.0);
    let (across, up) = text.split_once(BY).unwrap_or((text, text));
    let both = number(across).and_then(|across| Some([across, number(up)?]));
    both.ok_or_else(|| "pixels per inch look like 600 or 600x300".into())
}

/// Millimeters in a length unit, given by name or by number.
///
/// # Errors
/// The names, for others.
pub fn millimeters(text: &str) -> Result<f64, String> {
    let named: Result<LengthUnit, value::Error> = LengthUnit::deserialize(text.into_deserializer());
    match named {
        Ok(unit) => Ok(1e3 * unit.meters()),
        Err(_) => text.parse().map_err(|_| {
            "give um, mm, cm, m, in, ft, or the number of millimeters in the unit".into()
        }),
    }
}

/// Columns and rows: `1920x1080`.
///
/// # Errors
/// What they look like.
pub fn resolution(text: &str) -> Result<[usize; 2], String> {
    let number = |part: &str| part.trim().parse().ok().filter(|&n| n > 0);
    text.split_once(BY)
        .and_then(|(columns, rows)| Some([number(columns)?, number(rows)?]))
        .ok_or_else(|| "columns and rows look like 1920x1080".into())
}

/// The tile of a lattice, by its name.
///
/// # Errors
/// The names, for others.
pub fn tile(text: &str) -> Result<Tile, String> {
    let named: Result<Tile, value::Error> = Tile::deserialize(text.into_deserializer());
    named.map_err(|_| {
        "give schwarz-p, iwp, bcc, octet or cubic: others, such as gyroid, lack the symmetries of a \
         cube, and would not fit at faces of cells"
            .into()
    })
}

/// Coordinates in the plane: `-5:2.5` or `1mm:2mm`.
///
/// # Errors
/// What they look like.
pub fn corner(text: &str) -> Result<[Length; 2], String> {
    let number = |part: &str| part.parse().ok().filter(|x: &Length| x.value.is_finite());
    text.split_once(':')
        .and_then(|(x, y)| Some([number(x)?, number(y)?]))
        .ok_or_else(|| "coordinates look like -5:2.5".into())
}

/// Seconds of exposure: `6`, `6:35` (of the first layer), `6:35:10` (layers in between).
///
/// # Errors
/// What they look like; those of [`Exposure::check`].
pub fn exposure(text: &str) -> Result<Exposure, String> {
    let mut parts = text.split(':').map(str::trim);
    let number =
        |part: &str| part.parse().map_err(|_| format!("{part:?} is not a number of seconds"));
    let seconds = number(parts.next().unwrap_or_default())?;
    let first = parts.next().map_or(Ok(seconds), number)?;
    let faded = parts.next().map_or(Ok(0), |part| {
        part.parse().map_err(|_| format!("{part:?} is not a number of layers"))
    })?;
    let exposure = Exposure { seconds, first, faded };
    match parts.next() {
        Some(_) => Err("exposures look like 6:35:10".into()),
        None => exposure.check().map(|()| exposure).map_err(|e| e.to_string()),
    }
}
