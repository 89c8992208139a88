//! Outputs that would replace an input.

use std::fs;
use std::path::Path;

use subsolid::{Error, Result, io};

/// Checks that `output` is none of the inputs nor of the files that these refer to, and that the
/// directory of its pieces holds none of them.
pub fn check_no_input<'a>(output: &Path, inputs: impl IntoIterator<Item = &'a Path>) -> Result<()> {
    let refused = |path: &Path, message: String| {
        Err(Error::file(path, None, message).with_help("choose another name for the output"))
    };
    let is_index = output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("pvtu"));
    let pieces = is_index.then(|| output.with_extension(""));
    let resolved = fs::canonicalize(output).ok();
    let directory = pieces.as_ref().and_then(|pieces| fs::canonicalize(pieces).ok());
    if resolved.is_none() && directory.is_none() {
        return Ok(());
    }
    for input in inputs {
        for file in io::files_of(input) {
            let Ok(found) = fs::canonicalize(&file) else { continue };
            if Some(&found) == resolved.as_ref() {
                return if file == input {
                    refused(output, "is an input, and would be replaced".into())
                } else {
                    let input = input.display();
                    refused(output, format!("is a piece of {input}, and would be replaced"))
                };
            }
            if let (Some(pieces), Some(directory)) = (&pieces, &directory)
                && found.starts_with(directory)
            {
                let file = file.display();
                return refused(pieces, format!("holds the input {file}, and would be replaced"));
            }
        }
    }
    Ok(())
}
