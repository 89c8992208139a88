//! `subsolid shape`

use std::path::PathBuf;

use clap::Args;
use subsolid::mesh::shape::Shape;
use subsolid::{Result, io};

use super::output::{FormatOption, write_mesh};
use super::refine::WrittenMesh;
use super::{Console, Outcome};

/// Write a procedural control mesh
#[derive(Args)]
#[command(after_help = names(), after_long_help = names())]
pub struct Arguments {
    /// Name of the shape, see below
    name: String,
    /// Sizes in the order listed below; omitted sizes take their defaults
    sizes: Vec<usize>,
    /// The same sizes, as an option: --size 2,2,6
    #[arg(long, value_name = "SIZES", value_delimiter = ',', conflicts_with = "sizes")]
    size: Vec<usize>,
    /// File to write: .vtu, .pvtu, .vtk, .csv or .npz; .msh, .mesh, .inp or .exo for finite-element
    /// programs
    #[arg(long, short, value_name = "OUT")]
    output: PathBuf,
    /// Compress .vtu, .pvtu and .npz
    #[arg(long)]
    compress: bool,
    #[command(flatten)]
    format: FormatOption,
}

fn names() -> String {
    let mut text = String::from("Shapes, their sizes and defaults:\n");
    for shape in Shape::NAMES {
        text += &format!("  {:<17} {:<26} {}\n", shape.name, shape.sizes, shape.about);
    }
    text + "\nExamples:\n  subsolid shape box 2 2 6 -o car.vtu\n  subsolid shape fan 7 -o fan.vtk"
}

pub fn run(arguments: Arguments, console: &Console) -> Result<Outcome> {
    let output = &arguments.output;
    let format = io::check_output_as(output, arguments.format.format)?;
    format.check_compress(arguments.compress)?;
    let sizes = if arguments.size.is_empty() { &arguments.sizes } else { &arguments.size };
    let mesh = Shape::parse(&arguments.name, sizes)?.build()?;
    write_mesh(&mesh, output, format, arguments.compress, console)?;
    WrittenMesh::of(&mesh, output).report(console)
}
