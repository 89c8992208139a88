//! Formats that are recognized, by content or extension, but not read, and how to convert them.
//!
//! The commands of [`FORMATS`] are run by `tests/io/exchange.py`, on meshes of two materials and a
//! group of boundary faces, which must arrive. Other converters fail on these formats, or lose
//! groups without a word.

use std::path::Path;

use crate::error::Error;

/// How a format is converted.
enum Conversion {
    /// By Gmsh to its own format, with the names of groups.
    Gmsh,
    /// By Gmsh to MEDIT: groups that have no names become reference numbers.
    GmshToMedit,
    /// By Gmsh to MEDIT, whose blocks of cells repeat the nodes where they touch.
    GmshJoined,
    /// By meshio, which calls the format so.
    Meshio(&'static str),
    /// By nccopy of NetCDF, to a file that is read.
    NcCopy,
    /// By the program that wrote the mesh.
    Nothing,
}

/// A format: what it is called, and the endings of its files, of which converters know the first.
struct ForeignFormat(&'static str, &'static [&'static str], Conversion);

const FORMATS: [ForeignFormat; 22] = [
    ForeignFormat("a MED (Salome) file", &["med"], Conversion::Gmsh),
    ForeignFormat("a CGNS file", &["cgns"], Conversion::Gmsh),
    ForeignFormat("a Gambit neutral file", &["neu"], Conversion::Gmsh),
    ForeignFormat("a Nastran deck", &["bdf", "nas", "fem"], Conversion::GmshToMedit),
    ForeignFormat("a PLOT3D grid", &["p3d"], Conversion::GmshJoined),
    ForeignFormat("a binary MEDIT mesh", &["meshb"], Conversion::Meshio("medit")),
    ForeignFormat("an SU2 mesh", &["su2"], Conversion::Meshio("su2")),
    ForeignFormat(
        "an Ansys (Fluent) mesh, which only shares .msh with Gmsh",
        &[],
        Conversion::Nothing,
    ),
    ForeignFormat(
        "an Exodus file in HDF5 (NetCDF-4)",
        &["e", "ex2", "exo", "g"],
        Conversion::NcCopy,
    ),
    ForeignFormat("an LS-DYNA deck", &["key", "k"], Conversion::Nothing),
    ForeignFormat("a Code_Aster mesh", &["mail"], Conversion::Nothing),
    ForeignFormat("an HDF5 file", &["h5", "hdf5", "hdf"], Conversion::Nothing),
    ForeignFormat("an XDMF file", &["xdmf", "xmf"], Conversion::Nothing),
    ForeignFormat("a DOLFIN mesh", &[], Conversion::Nothing),
    ForeignFormat("a MOAB file", &["h5m"], Conversion::Nothing),
    ForeignFormat("a UGRID mesh", &["ugrid"], Conversion::Nothing),
    ForeignFormat("a FLAC3D grid", &["f3grid"], Conversion::Nothing),
    ForeignFormat("a Kratos mesh", &["mdpa"], Conversion::Nothing),
    ForeignFormat("a PERMAS file", &["post", "dato"], Conversion::Nothing),
    ForeignFormat("a TetGen mesh", &["node", "ele"], Conversion::Nothing),
    ForeignFormat("a Netgen mesh", &["vol"], Conversion::Nothing),
    ForeignFormat("a Tecplot file", &["tec"], Conversion::Nothing),
];

impl ForeignFormat {
    fn refusal(&self, path: &Path) -> Error {
        let Self(what, endings, way) = self;
        let help = match way {
            Conversion::Gmsh => through_gmsh(path, endings, "msh41", "msh"),
            Conversion::GmshToMedit => through_gmsh(path, endings, "mesh", "mesh"),
            Conversion::GmshJoined => format!(
                "convert it, and join its blocks: `pip install gmsh; echo 'Merge \"{}\"; Coherence \
                 Mesh;' > in.geo; gmsh in.geo -save -format mesh -o out.mesh`",
                name(path, endings)
            ),
            Conversion::Meshio(format) => format!(
                "convert it: `pip install meshio; meshio convert --input-format {format} {} out.vtu`",
                name(path, &[])
            ),
            Conversion::NcCopy => format!(
                "convert it with nccopy of NetCDF (netcdf-bin): `nccopy -u -k cdf5 {} out.exo`",
                name(path, endings)
            ),
            Conversion::Nothing => {
                "no converter is known that keeps its cells and groups: write Gmsh .msh, \
                             Abaqus .inp or .vtu with the program that made it"
                    .to_owned()
            }
        };
        Error::file(path, None, *what).with_help(help)
    }
}

/// How Gmsh converts a file whose name may end so.
pub(super) fn through_gmsh(path: &Path, endings: &[&str], format: &str, ending: &str) -> String {
    let name = name(path, endings);
    format!(
        "convert it: `pip install gmsh; gmsh {name} -save -format {format} -setnumber \
         Mesh.SaveParametric 0 -o out.{ending}`"
    )
}

/// The error of a file in a format that is known but not read. `head` is its begin
/// without blanks and byte order mark, `extension` its ending in lower case.
pub(super) fn refusal(path: &Path, head: &[u8], extension: &str) -> Option<Error> {
    let begins = |word: &[u8]| head.starts_with(word);
    let has = |word: &[u8]| head.windows(word.len()).any(|window| window == word);
    let refused =
        |message: &str, help: String| Some(Error::file(path, None, message).with_help(help));
    if begins(b"ISO-10303") || matches!(extension, "step" | "stp" | "iges" | "igs" | "brep") {
        return refused(
            "a CAD model (STEP, IGES or BREP), which holds no cells",
            format!(
                "mesh it first, for example with Gmsh: `gmsh -3 {} -o out.msh`",
                name(path, &["step", "stp", "iges", "igs", "brep"])
            ),
        );
    }
    if extension == "amf" || has(b"<amf") {
        let help = "save it as .3mf, with PrusaSlicer: File, Export";
        return refused("an AMF file", help.to_owned());
    }
    let is_hdf = begins(b"\x89HDF\r\n\x1a\n");
    if is_hdf && (extension == "vtkhdf" || has(b"VTKHDF")) {
        let help = "save it as .vtu, with ParaView: File, Save Data";
        return refused("a VTKHDF file", help.to_owned());
    }
    if begins(b"@(#)ADF") {
        let help = "write it as HDF5 first (`adf2hdf`)";
        return refused("a CGNS file in the old ADF form", help.to_owned());
    }
    // Fluent's sections: (0 "comment"), (1 ..), (2 dimension), in any order.
    let is_fluent = begins(b"(") && head.get(1).is_some_and(|b| b.is_ascii_digit() || *b == b' ');
    let is_nastran = ["BEGIN BULK", "SOL ", "CEND", "GRID*", "GRID,", "GRID  "]
        .iter()
        .any(|word| begins(word.as_bytes()));
    let ending = match extension {
        _ if is_fluent => "Ansys",
        "cgns" | "med" | "h5" | "hdf5" | "hdf" | "h5m" if is_hdf => extension,
        // of any other name
        _ if is_hdf => "Exodus",
        _ if is_nastran => "bdf",
        _ if has(b"<Xdmf") => "xdmf",
        _ if begins(b"<mesh") || has(b"<dolfin ") => "DOLFIN",
        _ => extension,
    };
    let is_it = |ForeignFormat(what, endings, _): &&ForeignFormat| {
        endings.contains(&ending) || !ending.is_empty() && what.split(' ').any(|w| w == ending)
    };
    FORMATS.iter().find(is_it).map(|format| format.refusal(path))
}

/// The file's name as it can be written in a line, with one of the `endings` if there are some.
fn name(path: &Path, endings: &[&str]) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    // Gmsh goes by the ending
    let is_known = endings.is_empty() || endings.contains(&extension.to_lowercase().as_str());
    if name.chars().all(plain) && !name.starts_with('-') && is_known {
        return name.into_owned();
    }
    let ending = if is_known && extension.chars().all(plain) { &*extension } else { endings[0] };
    format!("in.{ending}")
}
