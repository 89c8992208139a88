//! Materials that share the pixels of a layer: every pixel has one of them or none.
//!
//! # Practice
//! Either every material is a fraction of the volume, a channel from 0 to 1, or the materials
//! are the values of one channel of whole numbers (the id of the cell's material). A pixel that
//! is covered in part gets that part of every fraction: fractions times coverage, added up one
//! after the other, cut the thresholds of the [dither](super::dither) into one interval a
//! material, and the rest is none. So the pixels of all materials together are the pixels of
//! the dithered coverage wherever the fractions sum to 1.

use super::cell_ids::{CellIds, MAX_MATERIALS};
use super::dither::{is_above, threshold};
use crate::error::{Error, IdKind, Result};
use crate::numbers::counted;
use crate::slice::PixelGrid;
use crate::slice::source::{Channel, LayerSource};

/// How far sums of fractions may be above 1, or fractions below 0: half of the least share that a
/// pixel tells apart, so that rounding in files is none's fault.
const FRACTION_TOLERANCE: f64 = 0.5 / 65535.0;

/// Colors for materials that have none of their own: Okabe and Ito, *Color Universal Design*
/// (2008); then [hues by the golden angle](by_hue).
const COLORS: [[u8; 3]; 7] = [
    [230, 159, 0],
    [86, 180, 233],
    [0, 158, 115],
    [240, 228, 66],
    [0, 114, 178],
    [213, 94, 0],
    [204, 121, 167],
];

/// Color of pixels without material.
pub const NO_MATERIAL: [u8; 3] = [0; 3];

/// How far a channel of a default color is from every other color's, and how many hues are tried.
const APART: u8 = 8;
const HUES: u32 = 4096;

/// A material.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Name of the material.
    pub name: String,
    /// Red, green and blue in images.
    pub color: [u8; 3],
    /// The channel of the source that says where it is.
    pub channel: usize,
    /// The value of the channel where the material is; none if the channel is its fraction.
    pub id: Option<i64>,
}

/// The materials of a stack, in the order of their numbers in images: the first is 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Materials(Vec<Material>);

/// A pixel without an answer.
#[derive(Clone, Debug, PartialEq)]
pub struct MaterialMismatch {
    /// row · columns + column.
    pub pixel: usize,
    /// What is wrong with its values.
    pub text: String,
    /// How to fix it.
    pub help: &'static str,
}

impl MaterialMismatch {
    /// Says where in a layer of `source`, of this number and height, the pixel of `grid` is.
    pub fn error(
        &self,
        source: &dyn LayerSource,
        layer: usize,
        height: f64,
        grid: &PixelGrid,
    ) -> Error {
        let (column, row) = (self.pixel % grid.size[0], self.pixel / grid.size[0]);
        // of a pixel whose center is outside there is no cell
        let places = source.places(height, grid).unwrap_or_default();
        let found = places.pixels.binary_search(&(self.pixel as u32));
        let cell = found.map(|at| message!(", in ", IdKind::Cell.id(places.cells[at])));
        Error::request(message!(
            IdKind::Layer.id(layer),
            ": the pixel of column {column} and ",
            IdKind::Row.id(row),
            " (from the lowest)",
            cell.unwrap_or_default(),
            " ",
            self.text.as_str()
        ))
        .with_help(self.help)
    }
}

impl Materials {
    /// Materials whose fractions of the volume are channels of a source; they get the colors
    /// given, or some that differ from these, from each other, and from black.
    ///
    /// # Errors
    /// [`Error::Request`] for none, more than [`MAX_MATERIALS`], a channel that is missing or
    /// given twice; for colors given twice, and black, which pixels without material have.
    pub fn fractions(channels: &[Channel], of: &[(usize, Option<[u8; 3]>)]) -> Result<Self> {
        let material = |(place, &(channel, own)): (usize, &(usize, Option<[u8; 3]>))| {
            let Some(Channel { name, .. }) = channels.get(channel) else {
                return Err(Error::request(format!("no attribute has the number {channel}"))
                    .with_help(format!(
                        "the source has {}, counted from 0",
                        counted(channels.len(), "channel")
                    )));
            };
            if of[..place].iter().any(|&(earlier, _)| earlier == channel) {
                return Err(Error::request(format!("material {name:?} is given twice"))
                    .with_help("give every material once"));
            }
            let color = own.unwrap_or(NO_MATERIAL); // not known yet
            Ok(Material { name: name.clone(), color, channel, id: None })
        };
        let materials: Vec<_> = of.iter().enumerate().map(material).collect::<Result<_>>()?;
        let colors: Vec<_> = of.iter().map(|&(_, color)| color).collect();
        check_colors(&materials, &colors)?;
        Self::checked(materials, &colors)
    }

    /// Materials that are the values of one channel: `NAME_1` and so on.
    ///
    /// # Errors
    /// [`Error::Request`] for no ids, more than [`MAX_MATERIALS`], or a channel that is missing.
    pub fn ids(channels: &[Channel], channel: usize, ids: &[i64]) -> Result<Self> {
        let Some(Channel { name, .. }) = channels.get(channel) else {
            return Err(Error::request(format!("no array has the number {channel}")).with_help(
                format!("the source has {}, counted from 0", counted(channels.len(), "channel")),
            ));
        };
        let mut ids = ids.to_vec();
        ids.sort_unstable();
        ids.dedup();
        let material = |&id: &i64| Material {
            name: format!("{name}_{id}"),
            color: NO_MATERIAL, // not known yet
            channel,
            id: Some(id),
        };
        Self::checked(ids.iter().map(material).collect(), &vec![None; ids.len()])
    }

    /// Materials that are the whole numbers of an array of the cells, one of the source's channels.
    ///
    /// # Errors
    /// As [`Materials::ids`]; [`Error::Request`] if the array has several components or a
    /// value that is not a whole number, with the cell.
    pub fn of_cells(channels: &[Channel], cells: &CellIds) -> Result<Self> {
        let (name, ids) = (cells.name(), cells.ids()?);
        let Some(channel) = channels.iter().position(|channel| channel.name == name) else {
            return Err(Error::request(format!("the layers have no channel {name:?}"))
                .with_help("take an array of the cells that the source of the layers has"));
        };
        Self::ids(channels, channel, ids)
    }

    /// Materials of these colors, some of which are given.
    fn checked(mut materials: Vec<Material>, given: &[Option<[u8; 3]>]) -> Result<Self> {
        match materials.len() {
            0 => Err(Error::request("no materials").with_help("name at least one")),
            count if count > MAX_MATERIALS => {
                Err(Error::request(format!("more than {MAX_MATERIALS} materials"))
                    .with_help("name those that are printed, or join some of them"))
            }
            _ => {
                let colors = colors(given);
                materials.iter_mut().zip(colors).for_each(|(own, color)| own.color = color);
                Ok(Self(materials))
            }
        }
    }

    /// The materials; number 1 first.
    pub fn list(&self) -> &[Material] {
        &self.0
    }

    /// Number of the material of every pixel of a layer, 0 for none. `values` has the `channels`
    /// channels of the pixels with coverage above 0, `[pixel][channel]`, in their order; `columns`:
    /// of a row.
    ///
    /// # Errors
    /// The first pixel that has no answer: a fraction that is not a number or negative, fractions
    /// that sum to more than 1 (by more than 2⁻¹⁷), an id that no material has.
    pub fn paint(
        &self,
        layer: usize,
        coverage: &[u16],
        columns: usize,
        values: &[f64],
        channels: usize,
    ) -> Result<Vec<u8>, MaterialMismatch> {
        let mut painted = vec![0_u8; coverage.len()];
        let covered = (0..coverage.len()).filter(|&pixel| coverage[pixel] > 0);
        let by_id = self.0[0].id.is_some();
        for (pixel, values) in covered.zip(values.chunks_exact(channels.max(1))) {
            let unfit = |(text, help)| MaterialMismatch { pixel, text, help };
            let threshold = threshold(pixel % columns, pixel / columns, layer);
            let found = if by_id {
                self.by_id(values, coverage[pixel], threshold)
            } else {
                self.by_fraction(values, coverage[pixel], threshold)
            };
            painted[pixel] = found.map_err(unfit)?;
        }
        Ok(painted)
    }

    /// The material of a pixel by its id.
    fn by_id(&self, values: &[f64], covered: u16, threshold: u32) -> Result<u8, PixelFault> {
        let id = values[self.0[0].channel];
        let found = self.0.binary_search_by(|material| {
            let own = material.id.unwrap_or_default() as f64;
            own.total_cmp(&(id + 0.0)) // no negative zero
        });
        match found {
            Ok(place) if is_above(covered, threshold) => Ok(place as u8 + 1),
            Ok(_) => Ok(0),
            Err(_) => Err((
                format!("has the material id {id}, which no material has"),
                "give every cell the id of a material, a whole number",
            )),
        }
    }

    /// The material of a pixel by fractions.
    fn by_fraction(&self, values: &[f64], covered: u16, threshold: u32) -> Result<u8, PixelFault> {
        let (mut sum, mut chosen) = (0.0, 0);
        for (place, material) in self.0.iter().enumerate() {
            let fraction = values[material.channel];
            if fraction.is_nan() || fraction < -FRACTION_TOLERANCE {
                let name = &material.name;
                return Err((
                    format!("has the fraction {fraction} of {name}"),
                    "give fractions of the volume, from 0 to 1",
                ));
            }
            sum += fraction.max(0.0);
            if chosen == 0 {
                let level = (sum.min(1.0) * f64::from(covered)).round() as u16;
                chosen = if is_above(level, threshold) { place as u8 + 1 } else { 0 };
            }
        }
        if sum <= 1.0 + FRACTION_TOLERANCE {
            Ok(chosen)
        } else {
            Err((
                format!("has fractions that sum to {sum}"),
                "give fractions of the volume that sum to 1 at most",
            ))
        }
    }
}

/// What is wrong, and how to fix it.
type PixelFault = (String, &'static str);

/// Refuses given colors that are equal to each other or to the color of no material.
fn check_colors(materials: &[Material], given: &[Option<[u8; 3]>]) -> Result<()> {
    for (place, color) in given.iter().enumerate().filter_map(|(i, own)| Some((i, (*own)?))) {
        let name = &materials[place].name;
        let [red, green, blue] = color;
        let hex = format!("#{red:02x}{green:02x}{blue:02x}");
        if color == NO_MATERIAL {
            return Err(Error::request(format!(
                "material {name:?} is given the color {hex}, that of pixels without material"
            ))
            .with_help("give another color, or none"));
        }
        if let Some(other) = given[..place].iter().position(|own| *own == Some(color)) {
            let other = &materials[other].name;
            return Err(Error::request(format!(
                "materials {other:?} and {name:?} are given the same color, {hex}"
            ))
            .with_help("give every material a color of its own, or none"));
        }
    }
    Ok(())
}

/// The colors of all materials: the given ones, and others that differ from all.
fn colors(given: &[Option<[u8; 3]>]) -> Vec<[u8; 3]> {
    let mut used: Vec<[u8; 3]> = given.iter().flatten().copied().collect();
    used.push(NO_MATERIAL);
    let near = |a: [u8; 3], b: [u8; 3], apart| (0..3).all(|d| a[d].abs_diff(b[d]) < apart);
    // the hues are enough for all materials; nearer ones for colors given so that they are not
    let far = COLORS.into_iter().chain((0..HUES).map(by_hue)).map(|color| (color, APART));
    let mut next = far.chain((0..HUES).map(|place| (by_hue(place), 1)));
    let mut color = |own: &Option<[u8; 3]>| {
        own.unwrap_or_else(|| {
            let is_new = |&(color, apart): &([u8; 3], u8)| {
                used.iter().all(|&other| !near(color, other, apart))
            };
            let found = next.find(is_new).map_or(COLORS[0], |(color, _)| color);
            used.push(found);
            found
        })
    };
    given.iter().map(&mut color).collect()
}

/// Bright, less bright and pale colors in turn, their hues by the golden angle.
fn by_hue(place: u32) -> [u8; 3] {
    let (saturation, value) =
        [(0.9, 1.0), (0.9, 0.75), (0.5, 1.0), (0.9, 0.55), (0.5, 0.75)][place as usize % 5];
    let hue = 6.0 * (0.1 + 0.618_033_988_749_894_9 * f64::from(place)).fract();
    // red, green and blue are full at 0, 2 and 4
    [0.0, 2.0, 4.0].map(|full: f64| {
        let away = (hue - full).abs();
        let part = (2.0 - away.min(6.0 - away)).clamp(0.0, 1.0);
        (255.0 * value * (1.0 - saturation * (1.0 - part))).round() as u8
    })
}
