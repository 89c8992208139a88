//! Messages of the library in the words of the command line.

use std::path::Path;

use subsolid::Message;
use subsolid::error::{Command, Term};

/// A message as the program says it: `--method single`.
pub fn words(message: &Message) -> String {
    message.spelled(|term| match term {
        Term::Option { name, value } => option(&name.replace('_', "-"), value.as_deref()),
        Term::Command(command) => String::from(match command {
            Command::ReadSolid => "`subsolid info`",
            Command::ReadSurface => "`subsolid surface`",
            Command::Boundary => "`subsolid boundary`",
            Command::Triangulate => "`subsolid surface IN --scheme loop --levels 0 -o OUT`",
            Command::Fit => "`subsolid fit`",
            Command::Untangle => "`subsolid untangle`",
            Command::RefineFirst => "--levels 1",
            Command::Reorient => "`subsolid refine --reorient`",
            Command::Conform => "`subsolid conform IN -o OUT`",
            Command::CutGroups => "`subsolid extend IN --sharp-groups -o OUT`",
            Command::Orient => "`subsolid surface --orient`",
            Command::OrientCavities => "`subsolid surface --orient=cavities`",
            Command::Evaluate => "`subsolid evaluate`",
            Command::ListGroups => "`subsolid info` lists them",
            Command::ListStructures => "see --json",
            Command::Devices => "`subsolid devices`",
            Command::SliceToImages => "`subsolid slice --png`",
            Command::LayerFolders => "--png, --bmp and --svg",
            Command::LayerImages => "--png, --bmp and --zip",
            Command::LayerParts => "parts and ranks are",
        }),
    })
}

/// A path as a shell takes it.
pub fn quoted(path: &Path) -> String {
    let text = path.display().to_string();
    let is_plain = |c: char| c.is_alphanumeric() || "_-./+,:@%=".contains(c);
    if !text.is_empty() && text.chars().all(is_plain) {
        return text;
    }
    format!("'{}'", text.replace('\'', r"'\''"))
}

fn option(name: &str, value: Option<&str>) -> String {
    match value {
        None => format!("--{name}"),
        Some("false") => format!("--no-{name}"),
        Some("true") => format!("--{name}"),
        // the value may be left out
        Some(value) if name == "weld" => format!("--{name}={value}"),
        Some(value) => format!("--{name} {value}"),
    }
}
