//! 3MF of pixels: the density and the attributes of the material as stacks of images (3MF Volumetric
//! Extension 0.8), in millimeters.
//!
//! The part is where the density, linear between the middles of pixels and layers, is above a half (a
//! level set). An attribute is a property; its images go on around the part, so that it is whole on
//! the boundary, too. Columns of images run along u, rows upward along v, layers along w.
//! Coordinates are in the slicing plane, z is the height along the slicing axis.

use std::fmt::Write as _;
use std::ops::Range;
use std::path::Path;

use super::painter::{ChannelValues, ImageOptions, Painter, image_format};
use super::zip_file::ZipFile;
use super::{LayerOutput, Output, OutputLayer, after_the_last};
use crate::error::Result;
use crate::io::{
    CONTENT_TYPES, LengthUnit, PARTS, RELATIONSHIPS, box_mesh, escape, model_end, model_head,
};
use crate::slice::pixels::{Flip, ImageFile, ImageFormat};
use crate::slice::source::{Channel, LayerPixels};
use crate::slice::{MaterialMismatch, Setting};

/// Extensions that the model requires, and the namespace of names of properties.
const EXTENSIONS: [(&str, &str); 2] = [
    ("v", "http://schemas.3mf.io/3dmanufacturing/volumetric/2022/01"),
    ("i", "http://schemas.3mf.io/3dmanufacturing/implicit/2023/12"),
];
/// Type of the relationships of images.
const TEXTURE: &str = "http://schemas.microsoft.com/3dmanufacturing/2013/01/3dtexture";
/// Pixels around the part that have values of attributes.
const MARGIN: usize = 2;

/// A file of images.
pub struct ImageStack {
    // none when finished
    zip: Option<ZipFile>,
    setting: Setting,
    layers: Range<usize>,
    options: ImageOptions,
    format: ImageFormat,
    /// Names of the density and the attributes, as parts of paths.
    names: Vec<String>,
    /// Names of the attributes.
    attributes: Vec<String>,
    /// Number of the source's channels.
    channels: usize,
    /// Layers so far.
    taken: usize,
}

impl ImageStack {
    /// Starts a file for the layers of a range: the coverage and the attributes of `options`, whatever
    /// else these have.
    ///
    /// # Errors
    /// As [`Painter::check`]; [`Error::Io`](crate::Error::Io) if it cannot be written.
    pub fn create(
        path: impl AsRef<Path>,
        setting: &Setting,
        layers: &Range<usize>,
        options: ImageOptions,
        channels: &[Channel],
    ) -> Result<Self> {
        let options = ImageOptions {
            file: ImageFile::Png,
            flip: Flip::None,
            curve: None,
            materials: None,
            ..options
        };
        setting.stack.check_alike("a stack of images in a .3mf")?;
        let painter = Painter::new(setting, options.clone(), channels)?;
        let mut zip = ZipFile::create(path.as_ref())?;
        for (name, text) in PARTS.into_iter().zip([CONTENT_TYPES, RELATIONSHIPS]) {
            zip.push(name, text.as_bytes())?;
        }
        let attributes = options.attributes.iter().map(|&(c, _)| channels[c].name.clone());
        Ok(Self {
            zip: Some(zip),
            setting: setting.clone(),
            layers: layers.clone(),
            format: image_format(setting, &options),
            names: painter.folders().to_vec(),
            attributes: attributes.collect(),
            channels: channels.len(),
            taken: 0,
            options,
        })
    }

    /// The part of the archive that has an image.
    fn sheet(name: &str, layer: usize) -> String {
        format!("3D/volumetric/{name}/sheet_{layer:05}.png")
    }

    fn planes(&self, cut: &OutputLayer, layer: usize) -> Vec<f64> {
        cut.stack.planes(layer, self.options.antialias.unwrap_or(1))
    }

    fn coverage(&self, cut: &OutputLayer, layer: usize) -> Result<Vec<u16>> {
        let planes = self.planes(cut, layer);
        cut.source.coverage(&planes, &self.options.grid, self.options.sampling())
    }

    /// Levels of the attributes in a layer, from those of `wanted` pixels that have none yet.
    fn shade(
        &self,
        cut: &OutputLayer,
        layer: usize,
        wanted: &[u16],
        levels: &mut [Vec<Option<u16>>],
    ) -> Result<()> {
        if wanted.iter().all(|&covered| covered == 0) {
            return Ok(());
        }
        let (grid, height) = (&self.options.grid, cut.stack.middle(layer));
        let (planes, sampling) = (self.planes(cut, layer), self.options.sampling());
        let pixels = LayerPixels { grid, height, planes: &planes, sampling };
        let values = cut.source.attributes(&pixels, wanted)?;
        let mut found = vec![0; wanted.len()];
        for (a, &(channel, range)) in self.options.attributes.iter().enumerate() {
            let own = ChannelValues { values: &values, channels: self.channels, channel };
            own.shade(range, wanted, &mut found).map_err(|pixel| {
                let text = format!("has no number in {:?}", self.attributes[a]);
                let help = "give the attribute a number at every vertex, or leave it out";
                MaterialMismatch { pixel, text, help }.error(cut.source, layer, height, grid)
            })?;
            let pixels = levels[a].iter_mut().zip(wanted).zip(&found);
            pixels.filter(|((_, wanted), _)| **wanted > 0).for_each(|((level, _), &own)| {
                level.get_or_insert(own);
            });
        }
        cut.source.reuse(values);
        Ok(())
    }

    /// Levels of the attributes in a layer and around its material: above and below it those of the
    /// next layers, beside it those of the pixels there.
    fn levels(&self, cut: &OutputLayer, coverage: &[u16]) -> Result<Vec<Vec<u16>>> {
        let count = self.options.attributes.len();
        let mut levels = vec![vec![None; coverage.len()]; count];
        if count == 0 {
            return Ok(Vec::new());
        }
        let whole = |covered: &u16| if *covered > 0 { u16::MAX } else { 0 };
        self.shade(cut, cut.index, &coverage.iter().map(whole).collect::<Vec<_>>(), &mut levels)?;
        for layer in [cut.index.wrapping_sub(1), cut.index + 1] {
            if layer >= cut.stack.count() {
                continue;
            }
            let near = self.coverage(cut, layer)?;
            let wanted: Vec<u16> = near
                .iter()
                .zip(&levels[0])
                .map(|(near, level)| if level.is_none() { whole(near) } else { 0 })
                .collect();
            self.shade(cut, layer, &wanted, &mut levels)?;
        }
        let columns = self.options.grid.size[0];
        levels.iter_mut().for_each(|own| (0..MARGIN).for_each(|_| extend(own, columns)));
        Ok(levels
            .into_iter()
            .map(|own| own.into_iter().map(Option::unwrap_or_default).collect())
            .collect())
    }

    /// The model: images, functions of them, and the level set.
    fn model(&self) -> String {
        let mm = self.setting.unit_mm;
        let grid = &self.options.grid;
        let [columns, rows] = grid.size;
        let stack = &self.setting.stack;
        let bottom = stack.slab(self.layers.start)[0];
        let top = stack.slab(self.layers.end.max(1) - 1)[1];
        let low = [grid.origin[0], grid.origin[1], bottom];
        let sides = [columns as f64 * grid.pitch[0], rows as f64 * grid.pitch[1], top - bottom];
        let high = [0, 1, 2].map(|d| low[d] + sides[d]);
        let [u, v, w] = sides.map(|side| 1.0 / (side * mm));
        let [x, y, z] = [0, 1, 2].map(|d| -low[d] / sides[d] + 0.0);
        let transform = format!("{u:?} 0 0 0 {v:?} 0 0 0 {w:?} {x:?} {y:?} {z:?}");
        // a density of a half is 0, and more is inside, which is negative
        let density = ("density", [0.5, -0.5]);
        let attributes = self.options.attributes.iter().zip(&self.attributes);
        let attributes = attributes.map(|(&(_, range), name)| (&name[..], range));
        let mut text = model_head(LengthUnit::Millimeter, &EXTENSIONS);
        for (k, (name, [black, white])) in std::iter::once(density).chain(attributes).enumerate() {
            let [image, function] = [2 * k + 1, 2 * k + 2];
            let name = escape(name);
            let _ = write!(
                text,
                "<v:image3d id=\"{image}\" name=\"{name}\">\n<v:imagestack rowcount=\"{rows}\" \
                 columncount=\"{columns}\" sheetcount=\"{}\">\n",
                self.taken
            );
            for layer in 0..self.taken {
                let path = Self::sheet(&self.names[k], layer);
                let _ = writeln!(text, "<v:imagesheet path=\"/{path}\"/>");
            }
            let _ = write!(
                text,
                "</v:imagestack>\n</v:image3d>\n<v:functionfromimage3d id=\"{function}\" \
                 displayname=\"{name}\" image3did=\"{image}\" valueoffset=\"{black:?}\" \
                 valuescale=\"{:?}\" filter=\"linear\" tilestyleu=\"clamp\" tilestylev=\"clamp\" \
                 tilestylew=\"clamp\"/>\n",
                white - black
            );
        }
        let [data, bounds, part] = [1, 2, 3].map(|next| 2 * self.names.len() + next);
        let mut volume = String::new();
        if !self.attributes.is_empty() {
            let _ = writeln!(text, "<v:volumedata id=\"{data}\">");
            for (k, name) in self.names.iter().enumerate().skip(1) {
                let function = 2 * k + 2;
                let _ = writeln!(
                    text,
                    "<v:property name=\"{name}\" functionid=\"{function}\" channel=\"red\" \
                     transform=\"{transform}\" required=\"false\"/>"
                );
            }
            text.push_str("</v:volumedata>\n");
            volume = format!(" volumeid=\"{data}\"");
        }
        let mesh = box_mesh([low, high].map(|p| p.map(|x| x * mm)));
        let _ = write!(
            text,
            "<object id=\"{bounds}\" type=\"model\">\n{mesh}</object>\n\
             <object id=\"{part}\" type=\"model\">\n<v:levelset functionid=\"2\" channel=\"red\" \
             transform=\"{transform}\" meshid=\"{bounds}\" meshbboxonly=\"true\" \
             fallbackvalue=\"0.5\"{volume}/>\n</object>\n"
        );
        text + &model_end(part)
    }

    /// The relationships of the model with its images.
    fn relationships(&self) -> String {
        let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<Relationships xmlns=\
                        \"http://schemas.openxmlformats.org/package/2006/relationships\">\n"
            .to_owned();
        for (k, name) in self.names.iter().enumerate() {
            for layer in 0..self.taken {
                let path = Self::sheet(name, layer);
                let _ = writeln!(
                    text,
                    "<Relationship Target=\"/{path}\" Id=\"i{k}_{layer}\" Type=\"{TEXTURE}\"/>"
                );
            }
        }
        text + "</Relationships>\n"
    }
}

impl Output for ImageStack {
    fn make(&self, cut: &OutputLayer) -> Result<LayerOutput> {
        let coverage = self.coverage(cut, cut.index)?;
        let attributes = self.levels(cut, &coverage)?;
        let all = std::iter::once(&coverage).chain(&attributes);
        let images = all.map(|levels| Ok(self.format.encode(levels, cut.index)?.bytes));
        Ok(LayerOutput::of(images.collect::<Result<Vec<_>>>()?))
    }

    fn take(&mut self, layer: LayerOutput) -> Result<()> {
        let Some(zip) = &mut self.zip else { return Err(after_the_last()) };
        for (name, bytes) in self.names.iter().zip(layer.get::<Vec<Vec<u8>>>()?) {
            zip.push(&Self::sheet(name, self.taken), &bytes[..])?;
        }
        self.taken += 1;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        let Some(mut zip) = self.zip.take() else { return Ok(()) };
        zip.push("3D/_rels/3dmodel.model.rels", self.relationships().as_bytes())?;
        zip.push(PARTS[2], self.model().as_bytes())?;
        zip.finish()
    }
}

/// Gives pixels without a level the mean of those next to them.
fn extend(levels: &mut [Option<u16>], columns: usize) {
    let old = levels.to_vec();
    let rows = old.len() / columns.max(1);
    for (i, level) in levels.iter_mut().enumerate().filter(|(_, level)| level.is_none()) {
        let (row, column) = (i / columns, i % columns);
        let near = (row.saturating_sub(1)..rows.min(row + 2)).flat_map(|r| {
            (column.saturating_sub(1)..columns.min(column + 2)).map(move |c| r * columns + c)
        });
        let (mut sum, mut count) = (0_u32, 0);
        for own in near.filter_map(|near| old[near]) {
            (sum, count) = (sum + u32::from(own), count + 1);
        }
        *level = (sum + count / 2).checked_div(count).map(|mean| mean as u16);
    }
}
