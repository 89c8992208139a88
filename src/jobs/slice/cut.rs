//! How a model is cut: heights of layers, and what they are compensated for.

use std::cmp::Ordering::Less;

use super::check::check_rules;
use super::compensation::SliceCompensation;
use super::request::SliceRequest;
use super::values::{AdaptiveHeights, HeightRange, HeightsByRange};
use crate::error::{Error, Message, Result, Term, option, option_name as name};
use crate::numbers::Length;
use crate::slice::{Compensation, CuspLimits, HeightRule, LayerHeights, Slicer, Stack};

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

    /// Heights of the layers that a slicer cuts.
    ///
    /// # Errors
    /// As [`Slicer::adaptive`]; [`Error::Request`](crate::Error::Request) without heights.
    pub(super) fn heights(&self, slicer: &Slicer) -> Result<LayerHeights> {
        let first = self.first_layer.map(|own| self.length(own));
        match (self.cusp_limits(), self.listed_heights()) {
            (Some(limits), _) => {
                let own = self.compensation().unwrap_or_default();
                let axis = slicer.axis();
                let (up, leveling) = (own.scale[axis.number()], own.leveling(axis));
                let rule = slicer.adaptive(limits)?.scaled(up, leveling);
                Ok(LayerHeights { first, rule })
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
        } else {
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
