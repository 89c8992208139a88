//! How a model is cut: heights of layers, what they are compensated for, the lattice that they are of,
//! and what contours are filled with.

use std::cmp::Ordering::Less;

use super::check::{Rule, check_rules, is_for, listed};
use super::compensation::SliceCompensation;
use super::hatches::SliceHatches;
use super::request::SliceRequest;
use super::values::{AdaptiveHeights, AttributeStep, HeightRange, HeightsByRange};
use crate::error::{Error, Message, Result, Term, option, option_name as name};
use crate::numbers::Length;
use crate::slice::{
    ChangeLimit, Compensation, CuspLimits, Hatching, HeightRule, LatticeSize, LayerHeights,
    SolidSource, Stack, TileLattice,
};

/// Heights that the change of an attribute is known for: for each of the lowest layers, and at most.
const STEPS_A_LAYER: f64 = 2.0;
const MAX_STEPS: f64 = 1024.0;

/// Degrees from a layer's hatches to the next: it takes 360 layers until the same come again.
const DEFAULT_ROTATION: f64 = 67.0;

impl SliceRequest {
    /// Whether layers may have several heights.
    pub(super) fn varies(&self) -> bool {
        let has_ranges = self.layer_height.as_ref().is_some_and(|own| !own.ranges.is_empty());
        has_ranges || self.adaptive.is_some() || self.first_layer.is_some()
    }

    /// Heights of layers as they are listed; `None` if the model says more.
    fn listed_heights(&self) -> Option<LayerHeights> {
        let own = self.layer_height.as_ref().filter(|_| self.adaptive.is_none())?;
        let end = |end: Option<Length>, open| end.map_or(open, |own| self.length(own));
        let range = |(height, range): &(Length, HeightRange)| {
            let ends = [end(range.from, f64::NEG_INFINITY), end(range.to, f64::INFINITY)];
            (ends, self.length(*height))
        };
        let ranges = own.ranges.iter().map(range).collect();
        let rule = HeightRule::Listed { height: self.length(own.height), ranges };
        Some(LayerHeights { first: self.first_layer.map(|own| self.length(own)), rule })
    }

    /// What the height of layers depends on, if that is the slope of the surface.
    fn cusp_limits(&self) -> Option<CuspLimits> {
        let AdaptiveHeights([least, most, cusp]) = self.adaptive?;
        let heights = [least, most].map(|own| self.length(own));
        Some(CuspLimits { heights, cusp: self.length(cusp) })
    }

    /// What the height of layers depends on besides, if that is the change of an attribute, in layers of
    /// `least` at least.
    fn change_limit(&self, source: &SolidSource<'_>, least: f64) -> Result<Option<ChangeLimit>> {
        let Some(AttributeStep { name, step: most }) = &self.adaptive_attribute else {
            return Ok(None);
        };
        let [low, high] = source.slicer().heights();
        let steps = (STEPS_A_LAYER * (high - low) / least).clamp(1.0, MAX_STEPS).ceil();
        let change = source.attribute_change(name, steps as usize)?;
        Ok(Some(ChangeLimit { change, most: *most }))
    }

    /// Heights of the layers of a source.
    ///
    /// # Errors
    /// As [`Slicer::adaptive`](crate::slice::Slicer::adaptive) and [`SolidSource::attribute_change`];
    /// [`Error::Request`](crate::Error::Request) without heights.
    pub(super) fn heights(&self, source: &SolidSource<'_>) -> Result<LayerHeights> {
        let slicer = source.slicer();
        let first = self.first_layer.map(|own| self.length(own));
        match (self.cusp_limits(), self.listed_heights()) {
            (Some(limits), _) => {
                let own = self.compensation().unwrap_or_default();
                let axis = slicer.axis();
                let (up, leveling) = (own.scale[axis.number()], own.leveling(axis));
                let mut rule = slicer.adaptive(limits)?;
                if let HeightRule::Adaptive(_, _, change) = &mut rule {
                    *change = self.change_limit(source, limits.heights[0] / up)?;
                }
                Ok(LayerHeights { first, rule: rule.scaled(up, leveling) })
            }
            (None, Some(listed)) => Ok(listed),
            (None, None) => Err(self.no_heights()),
        }
    }

    /// Refuses heights that no model could have.
    pub(super) fn check_heights(&self) -> Result<()> {
        if let Some(limits) = self.cusp_limits() {
            let both = message!(name("adaptive"), " with ", name("layer_height"));
            check_rules([(self.layer_height.is_some(), both, "give one of them".into())])?;
            limits.check()?;
            self.adaptive_attribute.as_ref().map_or(Ok(()), AttributeStep::check)?;
        } else {
            let what = message!(name("adaptive_attribute"), " without ", name("adaptive"));
            let give = message!("give ", option("adaptive", "MIN:MAX:CUSP"));
            check_rules([(self.adaptive_attribute.is_some(), what, give)])?;
            let Some(listed) = self.listed_heights() else { return Err(self.no_heights()) };
            check_ranges(&listed)?;
        }
        let own = self.layer_height.iter().flat_map(HeightsByRange::heights);
        let mut heights = own.chain(self.first_layer).map(|own| self.length(own));
        // an extent that lets any height pass that any model could have
        let check =
            |height: f64| Stack::new([0.0, height.max(f64::MIN_POSITIVE)], height).map(drop);
        heights.try_for_each(check)
    }

    /// What to say without heights of layers.
    fn no_heights(&self) -> Error {
        Error::request("layers without a height").with_help(message!(
            "give ",
            option("layer_height", "H"),
            " or ",
            option("adaptive", "MIN:MAX:CUSP")
        ))
    }

    /// What layers are compensated for; `None` for nothing.
    pub(super) fn compensation(&self) -> Option<Compensation> {
        let SliceCompensation { scale, offset, elephant_foot, join } = self.compensation;
        let none = Compensation::default();
        let own = Compensation {
            scale: scale.unwrap_or(none.scale),
            offset: offset.map_or(0.0, |own| self.length(own)),
            join: join.unwrap_or_default(),
            foot: elephant_foot.map_or(0.0, |foot| self.length(foot.depth)),
            foot_layers: elephant_foot.map_or(none.foot_layers, |foot| foot.layers),
        };
        (own != Compensation { join: own.join, foot_layers: own.foot_layers, ..none })
            .then_some(own)
    }

    /// Refuses numbers out of range, and what layers have nothing of that are larger than the model.
    pub(super) fn check_compensation(&self) -> Result<()> {
        let given = self.compensation;
        let moves = given.offset.is_some() || given.elephant_foot.is_some();
        if given.join.is_some() && !moves {
            return Err(Error::request(message!(name("join"), " is for contours that move"))
                .with_help(message!("leave it out, or give ", name("offset"))));
        }
        let Some(own) = self.compensation() else { return Ok(()) };
        own.check()?;
        let has_inside = !self.is_outline();
        let refused = |what: Term, why: &str, help: Message| {
            Err(Error::request(message!(what, " with {why}")).with_help(help))
        };
        if own.offset > 0.0 && has_inside {
            let why = "attributes, materials or places, of which there are none outside the model";
            let help = "leave it out, or move contours into the material";
            return refused(name("offset"), why, help.into());
        }
        if own.moves() && self.outputs.vtp.is_some() && !self.attribute.is_empty() {
            let option = if own.offset != 0.0 { "offset" } else { "elephant_foot" };
            let why = "attributes of contours, which are known on the boundary of the model";
            let help = message!("leave ", name("attribute"), " out, or write images");
            return refused(name(option), why, help);
        }
        Ok(())
    }
}

impl AttributeStep {
    /// Refuses a step that no layer has.
    fn check(&self) -> Result<()> {
        if self.step.is_finite() && self.step > 0.0 {
            return Ok(());
        }
        let given = option("adaptive_attribute", format!("{}:{}", self.name, self.step));
        Err(Error::request(message!(given, " is not positive"))
            .with_help("give the largest change across a layer, in the unit of the attribute"))
    }
}

impl SliceRequest {
    /// The lattice in length units of the model; `None` for solid material.
    ///
    /// # Errors
    /// As [`TileLattice::check`]; [`Error::Request`] for options of a lattice without one, more or less than
    /// one size, and a mesh that is refined first.
    pub fn lattice(&self) -> Result<Option<TileLattice>> {
        let own = &self.lattice;
        let sizes = [
            own.thickness
                .as_ref()
                .map(|own| LatticeSize::Thickness(own.map(|&thickness| self.length(thickness)))),
            own.level.clone().map(LatticeSize::Level),
            own.density.clone().map(LatticeSize::Density),
        ];
        let mut given = sizes.into_iter().flatten();
        let (size, other) = (given.next(), given.next());
        let Some(tile) = own.lattice else {
            let has_some = size.is_some() || own.per_cell.is_some() || own.skin.is_some();
            let of = ["thickness", "level", "density", "per_cell", "skin"].map(name);
            let [thickness, level, density, per_cell, skin]: [Term; 5] = of;
            let what =
                message!(thickness, ", ", level, ", ", density, ", ", per_cell, " and ", skin);
            let help = message!("leave them out, or give ", option("lattice", "schwarz-p"));
            check_rules([(has_some, message!(what, " are for lattices"), help)])?;
            return Ok(None);
        };
        let sizes = || {
            let [thickness, level, density] = ["thickness", "level", "density"].map(name);
            message!("give one of ", thickness, ", ", level, " and ", density)
        };
        let with = |what: &str| message!(name("lattice"), " ", what.to_owned());
        check_rules([
            (other.is_some(), with("with more than one size"), sizes()),
            (
                self.images.pixel_size().is_none(),
                with("without pixels"),
                message!(
                    "give the size of a pixel, ",
                    name("pixel"),
                    ": layers are found on pixels"
                ),
            ),
            (
                self.levels > 0,
                message!(with("with "), name("levels"), ": each of the refined cells has tiles"),
                message!(
                    "leave ",
                    name("levels"),
                    " out, which the limit does not depend on, or give more tiles: ",
                    name("per_cell")
                ),
            ),
        ])?;
        let Some(size) = size else {
            return Err(Error::request(with("without a size")).with_help(sizes()));
        };
        let skin = own.skin.map_or(0.0, |skin| self.length(skin));
        let lattice = TileLattice { tile, per_cell: own.per_cell.unwrap_or(1), size, skin };
        lattice.check()?;
        Ok(Some(lattice))
    }

    /// Edges of the pixels that contours of a lattice are found on, before layers are scaled.
    pub(super) fn lattice_pitch(&self) -> Option<[f64; 2]> {
        let factors = self.compensation.scale.map_or([1.0; 2], |scale| self.axis.project(scale));
        let pitch = self.pitch()?;
        Some([0, 1].map(|d| pitch[d] / factors[d]))
    }
}

impl SliceRequest {
    /// The hatches in length units of the model; `None` if there are none.
    pub fn hatching(&self) -> Option<Hatching> {
        let own = &self.hatches;
        Some(Hatching {
            pattern: own.hatch?.map(|width| self.length(width)),
            spacing: self.length(own.hatch_spacing?),
            offset: own.hatch_offset.map_or(0.0, |offset| self.length(offset)),
            angle: own.hatch_angle.unwrap_or(0.0),
            rotation: own.hatch_rotation.unwrap_or(DEFAULT_ROTATION),
        })
    }

    /// Hatches without what they need.
    pub(super) fn rules_of_hatches(&self) -> [Rule; 3] {
        let SliceHatches { hatch, hatch_spacing, hatch_offset, hatch_angle, hatch_rotation } =
            &self.hatches;
        let given = [
            (hatch_spacing.is_some(), "hatch_spacing"),
            (hatch_offset.is_some(), "hatch_offset"),
            (hatch_angle.is_some(), "hatch_angle"),
            (hatch_rotation.is_some(), "hatch_rotation"),
        ];
        let first = given.into_iter().find(|(is_given, _)| *is_given);
        let without = |what, needed| {
            (message!(name(what), " without ", name(needed)), message!("give ", name(needed)))
        };
        let (no_spacing, spacing) = without("hatch", "hatch_spacing");
        let (no_pattern, pattern) = without(first.map_or("", |(_, option)| option), "hatch");
        let has_files = self.outputs.svg.is_some() || self.outputs.cli.is_some();
        let files = listed(["cli", "svg"].map(name), " and ");
        [
            (hatch.is_some() && hatch_spacing.is_none(), no_spacing, spacing),
            (hatch.is_none() && first.is_some(), no_pattern, pattern),
            is_for(hatch.is_some() && !has_files, name("hatch"), files),
        ]
    }
}

/// Refuses ranges of heights that are empty or overlap.
fn check_ranges(heights: &LayerHeights) -> Result<()> {
    let HeightRule::Listed { ranges, .. } = &heights.rule else { return Ok(()) };
    let mut ranges: Vec<[f64; 2]> = ranges.iter().map(|range| range.0).collect();
    ranges.sort_by(|a, b| a[0].total_cmp(&b[0]));
    let refused = |what: String| {
        let what = message!("the ranges of ", name("layer_height"), what);
        Err(Error::request(what)
            .with_help("give ranges that rise, and none that overlap: 1:5, 5:8"))
    };
    if let Some([from, to]) = ranges.iter().find(|[from, to]| from.partial_cmp(to) != Some(Less)) {
        return refused(format!(": none lies from {from} to below {to}"));
    }
    match ranges.windows(2).find(|pair| pair[1][0] < pair[0][1]) {
        Some(pair) => refused(format!(" overlap from {} on", pair[1][0])),
        None => Ok(()),
    }
}
