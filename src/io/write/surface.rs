//! Writing of surfaces, the format chosen by the name of the file.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter};
use std::path::Path;

use super::glb::{self, GlbOptions};
use super::{ending, obj, ply, stl, three_mf, vtp};
use crate::error::{Error, Result};
use crate::io::atomic;
use crate::mesh::{
    Attribute, BoundaryRule, CreaseRule, SurfaceMesh, check_coordinates, single_precision_loss_in,
};
use crate::numbers::{LengthUnit, Precision, by_count, counted};

/// A format of surfaces that can be written; [`check_surface_output`] finds the format of a file.
///
/// All hold points and faces, in the order of the mesh. Each leaves out what it has no place for:
/// [`SurfaceFormat::losses`] says what of a given mesh, and the caller tells the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SurfaceFormat {
    /// Wavefront OBJ: polygons, texture coordinates, normals, colors, tags of creases, corners,
    /// holes and rules of refinement; 17 digits. No other attributes, and a finite sharpness
    /// below 10 only.
    Obj,
    /// Binary PLY in double precision: polygons and attributes. No creases, and no faces of holes.
    Ply,
    /// VTK XML polygons with attributes, creases and corners, for ParaView. No faces of holes.
    Vtp,
    /// Binary STL in single precision: triangles alone, which share no vertices.
    Stl,
    /// Binary glTF in single precision: triangles with normals and attributes, for viewers and web
    /// pages; [`GlbOptions`] say which unit and axis upward the mesh has.
    Glb,
    /// 3MF in double precision: triangles alone, for printers; [`GlbOptions`] say which unit the mesh
    /// has.
    ThreeMf,
}

impl SurfaceFormat {
    /// All formats.
    pub const ALL: [Self; 6] =
        [Self::Obj, Self::Ply, Self::Vtp, Self::Stl, Self::Glb, Self::ThreeMf];

    /// End of the file's name, without the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Obj => "obj",
            Self::Ply => "ply",
            Self::Vtp => "vtp",
            Self::Stl => "stl",
            Self::Glb => "glb",
            Self::ThreeMf => "3mf",
        }
    }

    /// Whether polygons are cut into triangles, and vertices of no face left out.
    fn is_triangles(self) -> bool {
        matches!(self, Self::Stl | Self::Glb | Self::ThreeMf)
    }

    /// What a file of this format leaves out of `mesh`, in words; empty if nothing.
    pub fn losses(self, mesh: &SurfaceMesh) -> Vec<String> {
        let mut losses = Vec::new();
        // the others are not written
        let used = (self == Self::Glb).then(|| mesh.without_holes().used_vertices());
        let kept = |attribute: &Attribute| match self {
            Self::Obj => attribute.is_normals() || attribute.is_color() && attribute.width == 3,
            Self::Ply | Self::Vtp => true,
            Self::Stl | Self::ThreeMf => false,
            Self::Glb => glb::is_kept(attribute, used.as_deref()),
        };
        let lost = mesh.attributes.iter().filter(|attribute| !kept(attribute));
        let names: Vec<_> = lost.map(|attribute| format!("`{}`", attribute.name)).collect();
        if !names.is_empty() {
            losses.push(format!("attributes {}", names.join(", ")));
        }
        if mesh.uv.is_some() && self != Self::Obj {
            losses.push("texture coordinates".into());
        }
        if self == Self::Obj {
            losses.extend(obj::read_back_infinite(mesh));
        } else {
            if !mesh.holes.is_empty() {
                losses.push(counted(mesh.holes.len(), "hole"));
            }
            let has_creases = !mesh.creases.edges.is_empty();
            let rules: Vec<&str> = [
                (has_creases && mesh.crease_rule != CreaseRule::default(), "of creases"),
                (mesh.boundary != BoundaryRule::default(), "of boundaries"),
                (mesh.has_smooth_triangles(), "of triangles"),
            ]
            .into_iter()
            .filter_map(|(is_own, name)| is_own.then_some(name))
            .collect();
            if !rules.is_empty() {
                losses.push(format!("rules of refinement: {}", rules.join(", ")));
            }
        }
        if !matches!(self, Self::Obj | Self::Vtp) {
            let tags =
                [(mesh.creases.edges.len(), "crease"), (mesh.creases.corners.len(), "corner")];
            losses.extend(tags.iter().filter(|tag| tag.0 > 0).map(|&(n, what)| counted(n, what)));
        }
        if self.is_triangles() {
            let seen = mesh.without_holes();
            let quads = seen.faces.iter().filter(|face| face.len() > 3).count();
            if quads > 0 {
                let are = by_count(quads, "is", "are");
                losses.push(format!("the polygons as such: {quads} {are} cut into triangles"));
            }
            let unused = seen.used_vertices().into_iter().filter(|used| !used).count();
            if unused > 0 {
                losses.push(format!("{} of no face", counted(unused, "vertex")));
            }
        }
        if self == Self::Stl
            && let Some((low, high)) = mesh.bounds()
            && let Some(loss) = single_precision_loss_in([low, high])
        {
            losses.push(format!(
                "digits of the coordinates: {loss}; move it to the origin, or write .obj, .ply or .vtp"
            ));
        }
        losses
    }
}

/// Format of an output file, refused before any work is done for it if its ending is
/// unknown or nothing can be written there. Standard output ([`atomic::write`]) is `.obj` unless
/// an ending follows the `-`.
///
/// # Errors
/// [`Error::Request`] for the ending, listing the known ones; [`Error::Io`] or [`Error::File`] for
/// a directory that is missing or does not take files.
pub fn check_surface_output(path: impl AsRef<Path>) -> Result<SurfaceFormat> {
    let path = path.as_ref();
    let extension = ending(path, SurfaceFormat::Obj.extension());
    let format = SurfaceFormat::ALL
        .into_iter()
        .find(|format| extension.eq_ignore_ascii_case(format.extension()))
        .ok_or_else(|| {
            let known = SurfaceFormat::ALL.map(|f| format!(".{}", f.extension())).join(", ");
            Error::request(format!("{}: unknown format of surfaces", path.display()))
                .with_help(format!("end its name in one of {known}"))
        })?;
    atomic::check(path)?;
    Ok(format)
}

/// Writes `mesh` in the format of the path's ending, beside its name and renamed when
/// complete. Holes are written by none of the formats but `.obj`, which tags them; see
/// [`SurfaceFormat::losses`] for the rest.
///
/// # Errors
/// As [`check_surface_output`] and [`SurfaceMesh::check`]; [`Error::Mesh`] for coordinates that
/// single precision does not hold, in `.stl` and `.glb`, and for meshes that are too large for
/// these formats; [`Error::Io`] if writing fails.
pub fn write_surface(path: impl AsRef<Path>, mesh: &SurfaceMesh) -> Result<()> {
    write_surface_with(path, mesh, &GlbOptions::default())
}

/// [`write_surface`] that says how a `.glb` file shows the mesh, and the unit of a `.3mf`; the other
/// formats do without.
///
/// # Errors
/// As [`write_surface`]; [`Error::Request`] unless there is a color a vertex, or none.
pub fn write_surface_with(
    path: impl AsRef<Path>,
    mesh: &SurfaceMesh,
    glb: &GlbOptions,
) -> Result<()> {
    let path = path.as_ref();
    let format = check_surface_output(path)?;
    mesh.check()?;
    let (colors, vertices) = (glb.colors.len(), mesh.points.len());
    if colors > 0 && colors != vertices {
        return Err(Error::request(format!("{colors} colors for {vertices} vertices"))
            .with_help("give one color for each vertex, or none"));
    }
    let (mut seen, mut glb) = match format {
        SurfaceFormat::Obj => (Cow::Borrowed(mesh), Cow::Borrowed(glb)),
        _ => (mesh.without_holes(), Cow::Borrowed(glb)),
    };
    if seen.faces.is_empty() {
        return Err(Error::mesh("all faces of the surface are holes: none is left to write")
            .with_help("write .obj, which tags holes"));
    }
    if format.is_triangles()
        && let Some((compact, left)) = seen.compact()
    {
        if colors > 0 {
            let colors = left.iter().map(|&v| glb.colors[v as usize]).collect();
            glb = Cow::Owned(GlbOptions { colors, ..*glb });
        }
        seen = Cow::Owned(compact);
    }
    if matches!(format, SurfaceFormat::Stl | SurfaceFormat::Glb) {
        let help = "give the model in another length unit, or write .obj, .ply or .vtp";
        check_coordinates(&seen.points, Precision::F32).map_err(|e| e.with_help(help))?;
    }
    match format {
        SurfaceFormat::Stl => stl::check(&seen)?,
        SurfaceFormat::Glb => glb::check(&seen, &glb)?,
        SurfaceFormat::Vtp => vtp::check(&seen)?,
        SurfaceFormat::ThreeMf => three_mf::check(&seen)?,
        _ => {}
    }
    let write = |content: &dyn Fn(&mut BufWriter<File>) -> io::Result<()>| {
        atomic::write(path, |out| content(out).map_err(|e| atomic::refused(path, e)))
    };
    match format {
        SurfaceFormat::Obj => write(&|out| obj::write(out, &seen)),
        SurfaceFormat::Ply => write(&|out| ply::write(out, &seen)),
        SurfaceFormat::Vtp => write(&|out| vtp::write(out, &seen)),
        SurfaceFormat::Stl => write(&|out| stl::write(out, &seen)),
        SurfaceFormat::Glb => write(&|out| glb::write(out, &seen, &glb)),
        SurfaceFormat::ThreeMf => {
            let unit = glb.unit.unwrap_or(LengthUnit::Millimeter);
            write(&|out| three_mf::write(out, &seen, unit))
        }
    }
}
