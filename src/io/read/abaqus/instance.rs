//! Parts and the one instance of them.

use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion};

use super::{Deck, Section};
use crate::Result;
use crate::error::ElementKind;
use crate::io::read::lines::real;
use crate::message;
use crate::numbers::counted;

/// The part that the one instance of a deck is of, in capitals; `None` without an instance.
pub(super) fn instanced(bytes: &[u8]) -> Option<String> {
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    let is_instance =
        |line: &&[u8]| line.get(..9).is_some_and(|l| l.eq_ignore_ascii_case(b"*INSTANCE"));
    let line = lines.find(is_instance)?;
    let line = String::from_utf8_lossy(line).to_ascii_uppercase();
    line.split(',').find_map(|part| {
        let (name, value) = part.split_once('=')?;
        (name.trim() == "PART").then(|| value.trim().trim_matches('"').to_owned())
    })
}

impl Deck<'_> {
    /// Whether a part is not the one that has an instance.
    pub(super) fn is_unused(&self, part: Option<&str>) -> bool {
        let part = part.map(str::to_ascii_uppercase);
        self.instanced.is_some() && part.is_some() && self.instanced != part
    }

    /// Moves the part by its first row, and turns it by its second: two points of an axis and an angle
    /// in degrees.
    pub(super) fn place(&mut self, line: &[u8], rows: usize) -> Result<()> {
        let fields = line.split(|&byte| byte == b',').map(<[u8]>::trim_ascii);
        let numbers = fields.filter(|field| !field.is_empty()).map(|field| {
            real(field)
                .filter(|x| x.is_finite())
                .ok_or_else(|| self.expected("a number of the instance's place", field))
        });
        let numbers = numbers.collect::<Result<Vec<f64>>>()?;
        let motion: Isometry3<f64> = match (rows, &numbers[..]) {
            (0, &[x, y, z]) => Translation3::new(x, y, z).into(),
            (1, &[ax, ay, az, bx, by, bz, degrees]) => {
                let [a, b] = [Point3::new(ax, ay, az), Point3::new(bx, by, bz)];
                let Some(axis) = Unit::try_new(b - a, 0.0) else {
                    return Err(self
                        .text
                        .error("an instance turns about an axis whose two points are one")
                        .with_help("give two points of the axis, and an angle in degrees"));
                };
                let turn = UnitQuaternion::from_axis_angle(&axis, degrees.to_radians());
                Isometry3::rotation_wrt_point(turn, a)
            }
            _ => {
                return Err(self
                    .text
                    .error(message!(ElementKind::Row.id(rows + 1), " of the instance's place has ", counted(numbers.len(), "number")))
                    .with_help("the first row has x, y, z of the translation, the second two points of an axis and an angle"));
            }
        };
        self.assembly.transform(|point| (motion * Point3::from(point)).into());
        self.section = Section::Instance(rows + 1);
        Ok(())
    }
}
