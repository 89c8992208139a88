//! `subsolid slice`

use std::path::PathBuf;

use clap::{ArgGroup, Args};
use subsolid::Result;
use subsolid::backend::start;
use subsolid::cluster::Ranks;
use subsolid::jobs::slice::{SliceAttribute, SliceMaterial, SliceRequest};
use subsolid::slice::{Bits, Join};

use super::list::List;
use super::model::ModelArguments;
use super::names::{bare, scheme_names};
use super::plate::Models;
use super::{Console, Outcome};

/// What `--strict` refuses, of solids and surfaces.
const STRICT: &str = "Refuse left-handed and folded hexahedra, inverted cells of other kinds, surfaces that \
                      face inward and parts that overlap instead of warning about them";
/// What is sliced.
const SOLID_SURFACE_OR_PLATE: &str = "Control mesh of a solid: .vtk, .vtu, .pvtu, MEDIT or MFEM .mesh, Gmsh \
                                      .msh, .ovm, Abaqus or AVS .inp, Exodus .exo, .unv, splines of G+Smo \
                                      .xml or splinepy .json, or a case of OpenFOAM; or of a surface: \
                                      .obj, .ply, .off, .stl, .3mf, .vtp, or a file of faces without \
                                      volume cells; - reads standard input; or a .json of many parts (`subsolid schema plate`)";

/// Cut the limit volume into layers, for additive manufacturing
///
/// The model is a solid, or a closed surface whose limit by --scheme is sliced.
///
/// Layer k is the slab from k to k + 1 layer heights above the lowest point of the limit, or above
/// --origin, and is cut at mid-height; heights may differ, too. Layers are numbered from the bottom of the whole model
/// regardless of --range, so that a partial run gives the same files as a full run.
///
/// Several models lie on one plate, as their coordinates or --place say: in one file of layers, each
/// a material or an attribute where --materials or --attribute names it.
#[derive(Args)]
#[command(group = ArgGroup::new("outputs").required(true).multiple(true)
    .args(["png", "bmp", "svg", "layered_svg", "cli", "vtp", "pvtu", "zip", "sl1", "slice_stack",
        "image_stack", "vdb"]))]
#[command(group = ArgGroup::new("images").multiple(true)
    .args(["png", "bmp", "zip", "sl1", "image_stack", "vdb"]))]
#[command(group = ArgGroup::new("sized").args(["pixel", "dpi"]))]
#[command(group = ArgGroup::new("framed").args(["resolution", "pixel_origin", "window", "plate"]).multiple(true))]
#[command(group = ArgGroup::new("a_material").args(["materials", "material_id"]).multiple(true))]
#[command(mut_arg("model", |model| model.help(SOLID_SURFACE_OR_PLATE)))]
#[command(mut_arg("strict", |strict| strict.help(STRICT)))]
#[command(mut_arg("scheme", |scheme| scheme.value_parser(scheme_names())))]
#[command(mut_arg("join", |join| join.value_parser(bare::<Join>())))]
#[command(mut_arg("bits", |bits| bits.value_parser(bare::<Bits>())))]
#[command(mut_arg("material_id", |id| id.conflicts_with("materials")))]
#[command(after_help = "\
Examples:
  subsolid slice model.vtk --layer-height 0.05 --png layers --pixel 0.05 --antialias 4
  subsolid slice model.vtk --layer-height 0.05 --png layers --pixel 0.05 --dither \\
    --attribute hardness=0:1 --zip job.zip
  subsolid slice model.vtk --layer-height 0.05 --zip job.zip --pixel 0.05 --materials steel,copper
  subsolid slice model.msh --layer-height 0.05 --png layers --pixel 0.05 --material-id MaterialIds
  subsolid slice model.vtk --layer-height 0.05 --sl1 job.sl1 --pixel 0.04725 \\
    --resolution 1440x2560 --antialias 4 --exposure 6:35:10
  subsolid slice model.vtk --layer-height 50um --unit in --png layers --dpi 600x300
  subsolid slice model.vtk --layer-height 0.05 --png layers --pixel 0.05 --scale 1.002,1.002,1 \
    --offset=-30um --elephant-foot 0.1mm@3
  subsolid slice model.vtk --layer-height 0.2,0.1@1:5 --first-layer 0.3 --cli job.cli
  subsolid slice model.vtk --adaptive 0.05:0.3:0.03 --svg drawings
  subsolid slice model.vtk --layer-height 0.1 --svg drawings --cli job.cli --vtp job.vtp
  subsolid slice model.vtk --layer-height 0.1 --slice-stack slices.3mf --image-stack graded.3mf \\
    --pixel 0.1 --antialias 4 --attribute hardness
  subsolid slice model.obj --layer-height 0.05 --png layers --pixel 0.05
  subsolid slice body.vtu insert.stl --place insert=10,0,2,90 --layer-height 0.05 --png layers \\
    --pixel 0.05 --window 0:120,0:68 --materials body,insert
  subsolid slice plate.json --layer-height 0.05 --sl1 job.sl1 --pixel 0.05 --exposure 6:35:10 \
    --plate 120x68 --origin=-60,-34,0
  subsolid slice part.stl --layer-height 0.05 --png layers --pixel 0.05
  subsolid slice part.stl --scheme loop --weld=1e-3 --layer-height 0.1 --cli job.cli
  subsolid slice model.vtk --layer-height 0.1 --range 2:2.5 --axis x --svg drawings --resume")]
pub struct Arguments {
    #[command(flatten)]
    model: ModelArguments,
    /// Further models on the same plate: they are sliced together, and where some overlap the last one
    /// has the place
    #[arg(index = 2, value_name = "MODEL")]
    others: Vec<PathBuf>,
    #[command(flatten)]
    request: Box<SliceRequest>,
    /// Materials, at most one per pixel: attributes that are their volume fractions, groups of cells,
    /// or parts of a plate; `\,` is a comma of a name. Images have one color per material
    #[arg(
        long,
        value_name = "NAME[=#RRGGBB],…",
        requires = "images",
        conflicts_with = "dither",
        display_order = 32
    )]
    materials: Vec<List<SliceMaterial>>,
    /// Attribute, array, group of cells (a material) or part of a plate to write too: images of its own (its
    /// range, or the values B and W, from black to white) and a point array of --vtp and --pvtu; of
    /// several components NAME_0, NAME_1, …
    #[arg(long, value_name = "NAME[=B:W],…", display_order = 35)]
    attribute: Vec<List<SliceAttribute>>,
}

pub fn run(arguments: Arguments, ranks: Option<&Ranks<'_>>, console: &Console) -> Result<Outcome> {
    let Arguments { model, others, mut request, materials, attribute } = arguments;
    request.images.materials = materials.into_iter().flat_map(|list| list.0).collect();
    request.attribute = attribute.into_iter().flat_map(|list| list.0).collect();
    model.check_ranks(ranks)?;
    if let Some(ranks) = ranks {
        request.take_part(ranks)?;
    }
    let models = Models::new(&request, &model, others)?;
    request.check()?;
    let _starting = start(request.backend)?;
    let parts = models.read(&request, model, console)?;
    let report = request.run(parts, ranks, &mut console.notes())?;
    console.report_json(&report)?;
    Ok(Outcome::Done)
}
