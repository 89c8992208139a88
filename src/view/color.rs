//! Values as colors: the maps of pages.

use serde::{Deserialize, Serialize};

use super::channel::ColorChannel;

/// Colors along a range of values; all are told apart by color-blind readers, but for turbo.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum ColorMap {
    /// From dark violet to yellow.
    #[default]
    Viridis,
    /// From dark blue to yellow.
    Cividis,
    /// From blue over green to red.
    Turbo,
}

impl ColorMap {
    /// Name of the color map in pages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Viridis => "viridis",
            Self::Cividis => "cividis",
            Self::Turbo => "turbo",
        }
    }

    /// The color at `t`, from 0 to 1, in sRGB.
    pub fn color(self, t: f64) -> [f32; 3] {
        let gradient = match self {
            Self::Viridis => colorous::VIRIDIS,
            Self::Cividis => colorous::CIVIDIS,
            Self::Turbo => colorous::TURBO,
        };
        let colorous::Color { r, g, b } = gradient.eval_continuous(t.clamp(0.0, 1.0));
        [r, g, b].map(|x| f32::from(x) / 255.0)
    }
}

/// Colors of classes and of up to eight whole numbers (`CATEGORIES` in `page/src/colors.js`).
const CATEGORIES: [u32; 8] =
    [0x4477aa, 0xccbb44, 0xee6677, 0x66ccee, 0x228833, 0xaa3377, 0xbbbbbb, 0xee8866];
/// Where there is no value.
const NONE: [f32; 3] = [0.55; 3];
/// Jacobians below 0.
const RED: [f32; 3] = [0.85, 0.06, 0.1];

/// How a page colors the values of an array.
#[derive(Clone, Copy, Debug)]
pub enum Scale {
    /// Whole numbers.
    Categories,
    /// Numbers from a low to a high end.
    Range { low: f64, high: f64, map: ColorMap, is_jacobian: bool },
}

impl Scale {
    /// The scale of the values of an array.
    pub fn of(channel: &ColorChannel, values: &[f64], map: ColorMap) -> Self {
        let ColorChannel { low, high, .. } = *channel;
        if channel.integers
            && channel.on == "cell"
            && low >= 0.0
            && high < 8.0
            && !values.is_empty()
        {
            return Self::Categories;
        }
        let is_jacobian = ["scaled", "determinant"].contains(&channel.section.as_str());
        Self::Range { low, high, map, is_jacobian }
    }

    /// The color of a value, in sRGB.
    pub fn color(&self, value: f64) -> [f32; 3] {
        match *self {
            _ if !value.is_finite() => NONE,
            Self::Categories => {
                let color = CATEGORIES[value.round().rem_euclid(8.0) as usize];
                [16, 8, 0].map(|shift| (color >> shift & 0xff) as f32 / 255.0)
            }
            Self::Range { is_jacobian: true, .. } if value < 0.0 => RED,
            Self::Range { low, high, map, .. } => {
                map.color((value - low) / (high - low).max(f64::MIN_POSITIVE))
            }
        }
    }
}
