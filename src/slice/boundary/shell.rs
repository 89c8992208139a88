//! The shells of a closed surface: which bound material, which cavities.

use rayon::prelude::*;

use super::bicubic::{BicubicPatch, HEIGHT};
use super::closed::ClosedSurface;
use super::patch_fit::Fit;
use super::skin::SkinQuad;
use crate::basis::gauss::{self, Rule};
use crate::error::{Error, Result};
use crate::numbers::bounds;

/// Shells whose boxes are not compared.
const MAX_COMPARED_SHELLS: usize = 10_000;

/// A component of a closed surface, connected by edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Shell {
    /// First face of the shell.
    pub face: u32,
    /// Volume inside, in cubed length units, to the error of the patches; negative if its faces
    /// look inward: a cavity.
    pub volume: f64,
    /// Box around it: low and high corner, in the plane's coordinates and the height.
    pub bounds: [[f64; 3]; 2],
}

/// The shells of a closed surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shells {
    /// In the order of their first faces. Material is where they wind round a point a positive
    /// number of times.
    pub shells: Vec<Shell>,
}

/// Sums up the patches of the parts of all faces, in their order.
pub(super) struct ShellSums<'a> {
    surface: &'a ClosedSurface,
    // heights are its multiples
    grid: f64,
    rule: Rule,
    shells: Vec<Shell>,
    // [shell]: volumes of cones from a height near by
    origins: Vec<f64>,
    rounding: f64,
}

impl<'a> ShellSums<'a> {
    pub fn new(surface: &'a ClosedSurface, grid: f64) -> Result<Self> {
        // exact: the degree is 8 in both parameters, 2 where patches are bilinear
        let rule = gauss::rule(if surface.limit.is_some() { 5 } else { 2 })?;
        Ok(Self { surface, grid, rule, shells: Vec::new(), origins: Vec::new(), rounding: 0.0 })
    }

    /// Adds the patches of the next parts.
    pub fn add(&mut self, parts: &[SkinQuad], fits: &[Vec<Fit>]) {
        let Self { surface, grid, rule, shells, origins, rounding } = self;
        let number = |part: &SkinQuad| surface.shells[part.face as usize] as usize;
        for (part, fits) in parts.iter().zip(fits) {
            let number = number(part);
            let points = || fits.iter().flat_map(|fit| fit.points.0.as_flattened());
            if number == shells.len() {
                let bounds = bounds::empty();
                let face = surface.face_of_mesh(part.face);
                shells.push(Shell { face, volume: 0.0, bounds });
                origins.push(points().next().map_or(0.0, |p| p[HEIGHT]));
            }
            let around = &mut shells[number].bounds;
            *around = points().copied().fold(*around, bounds::extended);
        }
        let volumes: Vec<[f64; 2]> = parts
            .par_iter()
            .zip(fits)
            .map(|(part, fits)| {
                let origin = origins[number(part)];
                let fluxes = fits.iter().map(|fit| flux(&fit.points, origin, *grid, rule));
                fluxes.fold([0.0; 2], |[sum, error], [x, e]| [sum + x, error + e])
            })
            .collect();
        for (part, [volume, error]) in parts.iter().zip(volumes) {
            shells[number(part)].volume += volume;
            *rounding += error;
        }
    }

    /// The shells, when all patches are added.
    ///
    /// # Errors
    /// [`Error::Mesh`] unless the volume of all is above 0, up to rounding.
    pub fn finish(self) -> Result<Shells> {
        let Self { shells, rounding, .. } = self;
        let volume: f64 = shells.iter().map(|shell| shell.volume).sum();
        if volume <= rounding {
            return Err(Error::mesh(format!("the surface encloses a volume of {volume:e}"))
                .with_help(
                    "give a surface with an inside, its shells wound outward and those of \
                     cavities inward, as `surface::orient` turns them",
                ));
        }
        Ok(Shells { shells })
    }
}

impl Shells {
    /// Volume of the material where no shells overlap, in cubed length units.
    pub fn volume(&self) -> f64 {
        self.shells.iter().map(|shell| shell.volume).sum()
    }

    /// Cavities.
    pub fn cavities(&self) -> impl Iterator<Item = &Shell> {
        self.shells.iter().filter(|shell| shell.volume < 0.0)
    }

    /// A bound on how many shells of material, or how many cavities, are around one point, by
    /// their boxes; 1 for a solid.
    pub fn most_around(&self) -> usize {
        let meet = |a: &Shell, b: &Shell| {
            let ([low, high], [lowest, highest]) = (a.bounds, b.bounds);
            (0..3).all(|d| low[d] <= highest[d] && lowest[d] <= high[d])
        };
        let alike = |a: &Shell, b: &Shell| (a.volume < 0.0) == (b.volume < 0.0);
        let around = |a: &Shell| self.shells.iter().filter(|b| alike(a, b) && meet(a, b)).count();
        match self.shells.len() {
            0 => 1,
            MAX_COMPARED_SHELLS.. => MAX_COMPARED_SHELLS,
            _ => self.shells.iter().map(around).max().unwrap_or(1),
        }
    }
}

/// What flows through a patch of the field (0, 0, height − origin), whose divergence is 1; and a
/// bound on its rounding, where heights are rounded to `grid` and other coordinates to less than
/// its 64th.
fn flux(points: &BicubicPatch, origin: f64, grid: f64, rule: &Rule) -> [f64; 2] {
    let nodes = || rule.points.iter().zip(&rule.weights);
    let (mut sum, mut rounding) = (0.0, 0.0);
    for (&v, of_v) in nodes() {
        for (&u, of_u) in nodes() {
            let [p, du, dv] = points.at([u, v]);
            let normal = du[0] * dv[1] - du[1] * dv[0];
            let height = p[HEIGHT] - origin;
            sum += of_u * of_v * height * normal;
            let sides: f64 = [du[0], du[1], dv[0], dv[1]].map(f64::abs).iter().sum();
            rounding += of_u * of_v * grid * (normal.abs() + height.abs() * sides / 64.0);
        }
    }
    [sum, rounding]
}
