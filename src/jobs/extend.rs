//! Adds a layer of ghost cells around a solid or around each of its groups of cells, or the images of a
//! periodic one.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::Notes;
use crate::assembly::join_interfaces;
use crate::error::{Error, IdKind, Result, option_name};
use crate::extend::{
    ExtensionReport, SplitSolid, check_angle, extend, extend_periodic, split_groups,
};
use crate::mesh::{Lattice, SolidMesh};
use crate::numbers::{by_count, counted, significant};

/// Default angle, in degrees.
const ANGLE: f64 = 40.0;

/// What is asked of an extension.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[serde(default)]
pub struct ExtendRequest {
    /// Boundary edges are sharp where the normals of their faces differ by more than this angle, in
    /// degrees, 0 to 180, and where they are infinitely sharp creases [default: 40]
    #[cfg_attr(feature = "cli", arg(long, value_name = "DEG", conflicts_with = "periodic"))]
    pub angle: Option<f64>,
    /// Make the solid periodic, by ghosts that are images of its own cells: along axes, one period
    /// as long as the solid or given (x, or y=2.5), or by the periods that its file names (file)
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "AXIS[=LENGTH],…|file", value_delimiter = ',')
    )]
    pub periodic: Vec<PeriodSource>,
    /// Cut the solid at the faces between groups of cells, each of which gets ghosts of its own:
    /// values are continuous there, derivatives may jump. These groups, or all of the model if none
    /// is named
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "GROUP,…",
            value_delimiter = ',',
            num_args = 0..,
            require_equals = true,
            conflicts_with = "periodic"
        )
    )]
    pub sharp_groups: Option<Vec<String>>,
}

/// Where a period comes from: `x`, `y=2.5`, `file`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum PeriodSource {
    /// Along a coordinate axis: its number and length, that of the solid if none.
    Axis(usize, Option<f64>),
    /// All those that the mesh has from its file.
    File,
}

const AXES: [&str; 3] = ["x", "y", "z"];

impl FromStr for PeriodSource {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = || {
            Error::request(format!("period `{text}`")).with_help("give x, y or z, y=2.5, or file")
        };
        if text == "file" {
            return Ok(Self::File);
        }
        let (axis, length) = text.split_once('=').map_or((text, None), |(a, l)| (a, Some(l)));
        let axis = AXES.iter().position(|name| *name == axis).ok_or_else(refused)?;
        let length = length.map(|length| {
            let number = length.parse().ok().filter(|x: &f64| x.is_finite() && *x > 0.0);
            number.ok_or_else(refused)
        });
        Ok(Self::Axis(axis, length.transpose()?))
    }
}

impl TryFrom<String> for PeriodSource {
    type Error = Error;

    fn try_from(text: String) -> Result<Self> {
        text.parse()
    }
}

impl From<PeriodSource> for String {
    fn from(source: PeriodSource) -> Self {
        match source {
            PeriodSource::File => "file".into(),
            PeriodSource::Axis(axis, None) => AXES[axis].into(),
            PeriodSource::Axis(axis, Some(length)) => format!("{}={length}", AXES[axis]),
        }
    }
}

impl ExtendRequest {
    /// Checks the options by themselves.
    ///
    /// # Errors
    /// [`Error::Request`] for an angle out of range, one of a periodic solid and its groups,
    /// and two periods along one axis.
    pub fn check(&self) -> Result<()> {
        let others =
            [(self.angle.is_some(), "angle"), (self.sharp_groups.is_some(), "sharp_groups")];
        let other = others.into_iter().find(|(is_given, _)| *is_given);
        if let Some((_, name)) = other.filter(|_| !self.periodic.is_empty()) {
            return Err(Error::request(message!(
                option_name(name),
                " has no place beside ",
                option_name("periodic")
            ))
            .with_help("ghosts of a periodic solid are images of its cells: leave one out"));
        }
        let is_mixed = self.periodic.len() > 1 && self.periodic.contains(&PeriodSource::File);
        let has_two = |axis: usize| {
            let own =
                |source: &&PeriodSource| matches!(source, PeriodSource::Axis(a, _) if *a == axis);
            self.periodic.iter().filter(own).count() > 1
        };
        if is_mixed || (0..3).any(has_two) {
            return Err(Error::request("periods that contradict each other")
                .with_help("give each axis once, or the periods of the file alone"));
        }
        check_angle(self.angle.unwrap_or(ANGLE))
    }

    /// Adds the layer to a mesh.
    ///
    /// # Errors
    /// As [`ExtendRequest::check`], [`extend`], [`extend_periodic`], [`split_groups`] and
    /// [`join_interfaces`]; the mesh is as it was then.
    pub fn run(&self, mesh: &mut SolidMesh, notes: &mut dyn Notes) -> Result<ExtensionReport> {
        self.check()?;
        let angle = self.angle.unwrap_or(ANGLE);
        let (extended, report) = match (&self.sharp_groups, self.lattice(mesh)?) {
            (Some(groups), _) => extend_groups(mesh, groups, angle)?,
            (None, Some(lattice)) => extend_periodic(mesh, &lattice)?,
            (None, None) => extend(mesh, angle)?,
        };
        *mesh = extended;
        if report.interface_faces > 0 {
            let faces = counted(report.interface_faces, "face");
            let copies = counted(report.copied_vertices, "vertex");
            notes.status("Cut", format!("{faces} between groups of cells, {copies} copied"));
        }
        if report.interface_move > 0.0 {
            let most = significant(report.interface_move);
            notes.status(
                "Joined",
                format!("sides of the cut: control points moved by up to {most}"),
            );
        }
        let ghosts = counted(report.ghosts, "ghost cell");
        notes.status("Added", format!("{ghosts}, {}", counted(report.vertices, "vertex")));
        if report.dropped_creases > 0 {
            let count = counted(report.dropped_creases, "crease");
            notes.warn(message!(
                "left out {count} at the ends of a period, where the solid goes on"
            ));
        }
        if let Some(first) = report.fallbacks.first() {
            let count = report.fallbacks.len();
            let are = by_count(count, "is", "are");
            notes.warn(message!(
                counted(count, "edge"),
                " {are} not as sharp or smooth as the boundary: no other number of ghosts fits there (the first: the edge of ",
                IdKind::Vertex.ids(first.edge),
                ")"
            ));
        }
        Ok(report)
    }

    /// The periods that are asked for.
    fn lattice(&self, mesh: &SolidMesh) -> Result<Option<Lattice>> {
        if self.periodic.is_empty() {
            return Ok(None);
        }
        if self.periodic == [PeriodSource::File] {
            if mesh.periods.is_empty() {
                return Err(Error::request("the file names no periods")
                    .with_help("give axes, such as x or y=2.5"));
            }
            return Lattice::new(&mesh.periods).map(Some);
        }
        let period = |source: &PeriodSource| {
            let PeriodSource::Axis(axis, length) = *source else { return [0.0; 3] };
            let own = mesh.points.iter().map(|point| point[axis]);
            let extent =
                own.clone().fold(f64::NEG_INFINITY, f64::max) - own.fold(f64::INFINITY, f64::min);
            let mut period = [0.0; 3];
            period[axis] = length.unwrap_or(extent);
            period
        };
        Lattice::new(&self.periodic.iter().map(period).collect::<Vec<_>>()).map(Some)
    }
}

/// The extension of a solid that is cut between groups of cells.
fn extend_groups(
    mesh: &SolidMesh,
    groups: &[String],
    angle: f64,
) -> Result<(SolidMesh, ExtensionReport)> {
    let SplitSolid { mesh: split, mut first, faces } = split_groups(mesh, groups)?;
    let (mut extended, report) = extend(&split, angle)?;
    first.extend(split.points.len() as u32..extended.points.len() as u32);
    let interface_move = join_interfaces(&mut extended, first)?;
    let copied_vertices = split.points.len() - mesh.points.len();
    let report =
        ExtensionReport { interface_faces: faces, copied_vertices, interface_move, ..report };
    Ok((extended, report))
}
