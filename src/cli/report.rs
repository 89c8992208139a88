//! Reports as pages: figures beside the picture of the model.

use std::path::Path;
use std::time::Instant;

use subsolid::memory::decimal_bytes;
use subsolid::view::{FigureTable, Page};
use subsolid::{Error, Result, io};

use super::Console;
use super::model::ModelArguments;

/// Checks that a report can be written, before any work is done for it.
pub fn check(path: &Path, model: &ModelArguments) -> Result<()> {
    let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
    if ending != "html" && ending != "htm" {
        return Err(Error::request(format!("{}: a report is a page", path.display()))
            .with_help("end its name in .html"));
    }
    model.check_no_input(path, &[])?;
    io::atomic::check(path)
}

/// Writes a page with tables.
pub fn write(
    path: &Path,
    mut page: Page,
    tables: Vec<FigureTable>,
    console: &Console,
) -> Result<()> {
    tables.into_iter().for_each(|table| page.add_table(table));
    let start = Instant::now();
    let bytes = page.write(path)?;
    console.wrote(path.display(), decimal_bytes(bytes.into()), start);
    Ok(())
}
