//! `subsolid shape`

use clap::Args;
use subsolid::Result;
use subsolid::mesh::shape::Shape;

use super::output::SolidOutput;
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
    #[command(flatten)]
    output: SolidOutput,
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
    let format = output.check_alone()?;
    let sizes = if arguments.size.is_empty() { &arguments.sizes } else { &arguments.size };
    let mesh = Shape::parse(&arguments.name, sizes)?.build()?;
    output.write(&mesh, format, console)?;
    WrittenMesh::of(&mesh, &output.path).report(console)
}
