//! Lengths as they are given: in a unit of their own, or in that of the model.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A unit of length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum LengthUnit {
    /// 10⁻⁶ m.
    #[cfg_attr(feature = "cli", value(name = "um"))]
    #[serde(rename = "um")]
    Micrometer,
    /// 10⁻³ m.
    #[cfg_attr(feature = "cli", value(name = "mm"))]
    #[serde(rename = "mm")]
    Millimeter,
    /// 10⁻² m.
    #[cfg_attr(feature = "cli", value(name = "cm"))]
    #[serde(rename = "cm")]
    Centimeter,
    /// 1 m.
    #[default]
    #[cfg_attr(feature = "cli", value(name = "m"))]
    #[serde(rename = "m")]
    Meter,
    /// 0.0254 m.
    #[cfg_attr(feature = "cli", value(name = "in"))]
    #[serde(rename = "in")]
    Inch,
    /// 0.3048 m.
    #[cfg_attr(feature = "cli", value(name = "ft"))]
    #[serde(rename = "ft")]
    Foot,
}

impl LengthUnit {
    /// All units.
    const ALL: [Self; 6] =
        [Self::Micrometer, Self::Millimeter, Self::Centimeter, Self::Meter, Self::Inch, Self::Foot];

    /// Length of the unit in meters.
    pub fn meters(self) -> f64 {
        match self {
            Self::Micrometer => 1e-6,
            Self::Millimeter => 1e-3,
            Self::Centimeter => 1e-2,
            Self::Meter => 1.0,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
        }
    }

    /// Symbol of the unit, such as `mm`.
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Micrometer => "µm",
            _ => self.name(),
        }
    }

    /// The unit as it is typed.
    fn name(self) -> &'static str {
        match self {
            Self::Micrometer => "um",
            Self::Millimeter => "mm",
            Self::Centimeter => "cm",
            Self::Meter => "m",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }

    /// Millimeters in `value` units, rounded once.
    fn millimeters(self, value: f64) -> f64 {
        match self {
            Self::Micrometer => value / 1e3,
            Self::Millimeter => value,
            Self::Centimeter => value * 10.0,
            Self::Meter => value * 1e3,
            Self::Inch => value * 25.4,
            Self::Foot => value * 304.8,
        }
    }
}

/// A length as it is given: `50um`, or `0.05` in the length unit of the model.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Length {
    /// How many units.
    pub value: f64,
    /// The unit; `None` for the model's.
    pub unit: Option<LengthUnit>,
}

impl Length {
    /// The length in units of the model, each of which is `unit_mm` millimeters.
    pub fn in_model(self, unit_mm: f64) -> f64 {
        self.unit.map_or(self.value, |unit| unit.millimeters(self.value) / unit_mm)
    }
}

impl From<f64> for Length {
    /// A length in the model's unit.
    fn from(value: f64) -> Self {
        Self { value, unit: None }
    }
}

impl fmt::Display for Length {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.value, self.unit.map_or("", LengthUnit::name))
    }
}

impl FromStr for Length {
    type Err = String;

    /// `0.05`, `50um` or `2 mm`.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "{text:?} is not a length: give a number of length units of the model, or one with a \
                 unit (um, mm, cm, m, in, ft): 0.05, 50um"
            )
        };
        let text = text.trim();
        let unit = |unit: LengthUnit| {
            // of all names that end alike `m` is the shortest, and numbers end in none
            let names = [unit.name(), unit.symbol(), "μm"];
            let names = &names[..if unit == LengthUnit::Micrometer { 3 } else { 1 }];
            let number = names.iter().find_map(|name| text.strip_suffix(name))?;
            Some(Self { value: number.trim_end().parse().ok()?, unit: Some(unit) })
        };
        let own = text.parse::<f64>().ok().map(Self::from);
        own.or_else(|| LengthUnit::ALL.into_iter().find_map(unit)).ok_or_else(wrong)
    }
}

impl Serialize for Length {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.unit {
            None => serializer.serialize_f64(self.value),
            Some(_) => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Length {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match NumberOrText::deserialize(deserializer)? {
            NumberOrText::Number(value) => Ok(value.into()),
            NumberOrText::Text(text) => text.parse().map_err(de::Error::custom),
        }
    }
}

/// What files have for lengths.
#[derive(Deserialize)]
#[cfg_attr(feature = "cli", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum NumberOrText {
    /// In the model's unit.
    Number(f64),
    /// With a unit.
    Text(String),
}
