//! What every interface names its own way: options of a request, and functions of the engine.

use std::fmt::{self, Display, Formatter};

use serde::{Deserialize, Serialize};

/// A part of a message that Rust, Python and the program spell differently.
///
/// Its [`Display`] is for readers of Rust; the program and the Python package have their own, see
/// [`Message::spelled`](crate::Message::spelled).
///
/// ```
/// use subsolid::error::option;
/// let help = subsolid::message!("refine on the CPU, or use ", option("method", "single"));
/// assert_eq!(help.to_string(), "refine on the CPU, or use `method = single`");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Term {
    /// An option of a request.
    Option {
        /// Name of the option, as Rust has it: `crease_angle`.
        name: String,
        /// The value to give, unless only the name is meant; `false` for an option that is on by
        /// default, `true` for one that is off.
        value: Option<String>,
    },
    /// A function of the engine.
    Command(Command),
}

/// What a door calls in its own words: what a message advises to run, and kinds of files.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Command {
    /// Reading a solid.
    ReadSolid,
    /// Reading a surface.
    ReadSurface,
    /// Taking the boundary of a solid as a surface.
    Boundary,
    /// Cutting the faces of a surface into triangles.
    Triangulate,
    /// Fitting control points to a part.
    Fit,
    /// Untangling a solid.
    Untangle,
    /// Refining the model once before the job, by an option or a call.
    RefineFirst,
    /// Putting the corners of cells in right-handed order.
    Reorient,
    /// Making a mesh conforming.
    Conform,
    /// Cutting a solid between groups of cells.
    CutGroups,
    /// Turning the faces of a surface outward.
    Orient,
    /// Turning the shells of a surface outward, those inside others to cavities.
    OrientCavities,
    /// Evaluating a plan.
    Evaluate,
    /// Listing the groups of faces and cells of a solid: a phrase with its verb.
    ListGroups,
    /// Listing all structures of a solid: a phrase with its verb.
    ListStructures,
    /// Listing the GPUs.
    Devices,
    /// Slicing to images.
    SliceToImages,
    /// Folders with files of a layer each.
    LayerFolders,
    /// Images of layers that may show attributes and materials.
    LayerImages,
    /// Making a part of the layers: a phrase with its verb.
    LayerParts,
}

/// An option with the value to give: `method = single`.
pub fn option(name: &str, value: impl Display) -> Term {
    Term::Option { name: name.into(), value: Some(value.to_string()) }
}

/// An option by its name alone: `crease_angle`.
pub fn option_name(name: &str) -> Term {
    Term::Option { name: name.into(), value: None }
}

impl Display for Term {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option { name, value: Some(value) } => write!(f, "`{name} = {value}`"),
            Self::Option { name, value: None } => write!(f, "`{name}`"),
            Self::Command(command) => f.write_str(match command {
                Command::ReadSolid => "`subsolid::read`",
                Command::ReadSurface => "`subsolid::read_surface`",
                Command::Boundary => "`surface::boundary_surface`",
                Command::Triangulate => {
                    "`surface::refine_surface` by a scheme of triangles, no levels"
                }
                Command::Fit => "`jobs::fit`",
                Command::Untangle => "`untangle::untangle`",
                Command::RefineFirst => "`refine::refine_mesh`",
                Command::Reorient => "`refine::reorient`",
                Command::Conform => "`conform::conform`",
                Command::CutGroups => "`extend::split_groups`",
                Command::Orient => "`surface::orient`",
                Command::OrientCavities => "`surface::orient` with `NestedShells::Cavities`",
                Command::Evaluate => "`Backend::evaluate`",
                Command::ListGroups => "`face_groups` and `cell_data` of the mesh have them",
                Command::ListStructures => "`Summary::with_evaluation` lists them",
                Command::Devices => "`backend::devices`",
                Command::SliceToImages => "a `slice::Job` of PNG files",
                Command::LayerFolders => "`png`, `bmp` and `svg`",
                Command::LayerImages => "`png`, `bmp` and `zip`",
                Command::LayerParts => "`pieces` is",
            }),
        }
    }
}
