//! Formats that are recognized, by content or extension, but not read, and how to convert them.

use std::path::Path;

use crate::error::Error;

/// The error of a file in a format that is known but not read. `head` is its begin
/// without blanks and byte order mark, `extension` its ending in lower case.
pub(super) fn refusal(path: &Path, head: &[u8], extension: &str) -> Option<Error> {
    let refused =
        |message: &str, help: String| Some(Error::file(path, None, message).with_help(help));
    let convert = |format: &str| through_meshio(path, format);
    let begins = |word: &[u8]| head.starts_with(word);
    if begins(b"ISO-10303") || matches!(extension, "step" | "stp" | "iges" | "igs" | "brep") {
        return refused(
            "a CAD model (STEP, IGES or BREP), which holds no cells",
            format!("mesh it first, for example with Gmsh: `gmsh -3 {} -o out.msh`", name(path)),
        );
    }
    // Fluent's sections: (0 "comment"), (1 ..), (2 dimension), in any order.
    if begins(b"(") && head.get(1).is_some_and(|b| b.is_ascii_digit() || *b == b' ') {
        return refused(
            "an Ansys (Fluent) mesh, which only shares .msh with Gmsh",
            convert("ansys"),
        );
    }
    if begins(b"\x89HDF\r\n\x1a\n") {
        return match extension {
            _ if extension == "vtkhdf" || head.windows(6).any(|window| window == b"VTKHDF") => {
                refused(
                    "a VTKHDF file",
                    "save it as .vtu, with ParaView: File, Save Data".to_owned(),
                )
            }
            "cgns" => refused("a CGNS file", convert("cgns")),
            "med" => refused("a MED (Salome) file", convert("med")),
            "h5" | "hdf5" | "hdf" => refused(
                "an HDF5 file, which may be the data of an .xdmf file",
                through_meshio(&path.with_extension("xdmf"), ""),
            ),
            _ => refused("an Exodus (netCDF 4) or other HDF5 file", convert("exodus")),
        };
    }
    if begins(b"CDF\x01") || begins(b"CDF\x02") || begins(b"CDF\x05") {
        return refused("an Exodus (netCDF) file", convert("exodus"));
    }
    if begins(b"@(#)ADF") {
        return refused(
            "a CGNS file in the old ADF form",
            format!("write it as HDF5 first (`adf2hdf`), then {}", convert("cgns")),
        );
    }
    let is_nastran = matches!(extension, "bdf" | "nas" | "fem")
        || ["BEGIN BULK", "SOL ", "CEND", "GRID*", "GRID,", "GRID  "]
            .iter()
            .any(|word| begins(word.as_bytes()));
    if is_nastran {
        return refused("a Nastran deck", convert("nastran"));
    }
    if extension == "inp" && head.first().is_some_and(u8::is_ascii_digit) {
        return refused("an AVS UCD file, which only shares .inp with Abaqus", convert("avsucd"));
    }
    if head.windows(5).any(|window| window == b"<Xdmf") {
        return refused("an XDMF file", convert(""));
    }
    if begins(b"<mesh") || head.windows(8).any(|window| window == b"<dolfin ") {
        return refused("a DOLFIN mesh", convert("dolfin-xml"));
    }
    let known = match extension {
        "meshb" => "a binary MEDIT mesh",
        "xdmf" | "xmf" => "an XDMF file",
        "e" | "ex2" | "exo" => "an Exodus file",
        "cgns" => "a CGNS file",
        "med" => "a MED (Salome) file",
        "avs" => "an AVS UCD file",
        "su2" => "an SU2 mesh",
        "ugrid" => "a UGRID mesh",
        "f3grid" => "a FLAC3D grid",
        "mdpa" => "a Kratos mesh",
        "post" | "dato" => "a PERMAS file",
        "node" | "ele" => "a TetGen mesh",
        "vol" => "a Netgen mesh",
        "tec" => "a Tecplot file",
        "h5m" => "a MOAB file",
        _ => return None,
    };
    refused(known, convert(""))
}

/// How to convert a file by meshio, which is told the format where the ending does not
/// say it.
pub(super) fn through_meshio(path: &Path, format: &str) -> String {
    let option = match format {
        "" => String::new(),
        format => format!("--input-format {format} "),
    };
    format!("convert it: `pip install meshio; meshio convert {option}{} out.vtu`", name(path))
}

/// The file's name as it can be written in a line.
fn name(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.chars().all(plain) && !name.starts_with('-') {
        return name.into_owned();
    }
    let extension = path.extension().unwrap_or_default().to_string_lossy();
    format!("in.{}", if extension.chars().all(plain) { &extension } else { "X" })
}
