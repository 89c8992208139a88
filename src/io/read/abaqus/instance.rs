//! Parts and their instances.

use nalgebra::{Isometry3, Point3, Translation3, Unit, UnitQuaternion};

use super::deck::{Deck, DeckPart, DeckSection, Instance};
use crate::error::{IdKind, Result};
use crate::io::read::lines::{real, shown};
use crate::memory;
use crate::numbers::counted;

/// Bytes of a mesh for each byte of a deck, roughly.
const MESH_BYTES_PER_DECK_BYTE: u128 = 8;

/// Whether a deck has an instance: its parts are then read once for each.
pub(super) fn has_instances(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii);
    lines.any(|line| {
        let letters = line.iter().filter(|byte| !byte.is_ascii_whitespace());
        letters.take(9).map(u8::to_ascii_uppercase).eq(*b"*INSTANCE")
    })
}

/// Whether a line ends a part.
pub(super) fn is_end_of_part(line: &[u8]) -> bool {
    let keyword = line.split(|&byte| byte == b',').next().unwrap_or_default();
    let letters = keyword.iter().filter(|byte| !byte.is_ascii_whitespace());
    letters.map(u8::to_ascii_uppercase).eq(*b"*ENDPART")
}

impl<'a> Deck<'a> {
    /// Notes a part and passes over it: its instances read it.
    pub(super) fn pass_part(&mut self, name: &str) -> Result<()> {
        let text = self.text;
        let error = |message: String, help: &str| {
            Err(text.error(format!("part `{}` {message}", shown(name.as_bytes()))).with_help(help))
        };
        loop {
            match self.text.next_line() {
                None => return error("has no *END PART".into(), "the file is cut short"),
                Some(line) if is_end_of_part(line) => break,
                Some(_) => {}
            }
        }
        let bytes = text.bytes_to(&self.text);
        let part = DeckPart { name: name.to_owned(), text, bytes, instances: 0 };
        match self.parts.by_name.insert(name.to_ascii_uppercase(), part) {
            Some(_) => error("is given twice".into(), "give every part its own name"),
            None => Ok(()),
        }
    }

    /// Begins an instance by reading its part.
    pub(super) fn begin_instance(&mut self, name: Option<&str>, part: Option<&str>) -> Result<()> {
        let named = |name: &str| shown(name.as_bytes());
        let at = self.text;
        let error = |message: String, help: &str| Err(at.error(message).with_help(help));
        let Some(part) = part else {
            return error("*INSTANCE without PART".into(), "copy the part into the deck, name it");
        };
        let name = name.unwrap_or(part);
        if !self.sets.begin_scope(name) {
            let message = format!("instance `{}` is given twice", named(name));
            return error(message, "give every instance its own name");
        }
        let Some(known) = self.parts.by_name.get_mut(&part.to_ascii_uppercase()) else {
            let message =
                format!("instance `{}`: there is no part `{}` before it", named(name), named(part));
            return error(message, "give the part before the assembly");
        };
        let text = known.text;
        self.parts.is_again = known.instances > 0;
        self.parts.bytes += known.bytes as u128;
        known.instances += 1;
        if self.parts.is_again {
            memory::check_half(
                "the instances need",
                MESH_BYTES_PER_DECK_BYTE * self.parts.bytes,
                |_| "read a deck of fewer instances".into(),
            )
            .map_err(|error| error.in_file(self.assembly.path, Some(at.line())))?;
        }
        self.instance =
            Some(Instance { first: self.assembly.points(), motion: Isometry3::identity() });
        self.section = DeckSection::Other;
        self.parts.is_reading = true;
        self.within(text)?;
        self.parts.is_reading = false;
        self.parts.is_again = false;
        Ok(())
    }

    /// Ends the instance that is being read, if one is: moves and turns its nodes.
    pub(super) fn end_instance(&mut self) -> Result<()> {
        if let Some(Instance { first, motion }) = self.instance.take() {
            self.take_waiting()?;
            self.assembly.transform(first, |point| (motion * Point3::from(point)).into());
            self.sets.end_scope();
        }
        Ok(())
    }

    /// Names the parts without an instance as left out.
    pub(super) fn skip_unused_parts(&mut self) {
        for part in self.parts.by_name.values().filter(|part| part.instances == 0) {
            let name = shown(part.name.as_bytes());
            self.assembly.skip(&format!("part `{name}`, which has no instance"));
        }
    }

    /// Takes a row of the instance's placement: the first moves it, the second turns it by two
    /// points of an axis and an angle in degrees.
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
                    .error(message!(IdKind::Row.id(rows + 1), " of the instance's place has ", counted(numbers.len(), "number")))
                    .with_help("the first row has x, y, z of the translation, the second two points of an axis and an angle"));
            }
        };
        if let Some(instance) = &mut self.instance {
            instance.motion = motion * instance.motion;
        }
        self.section = DeckSection::Instance(rows + 1);
        Ok(())
    }
}
