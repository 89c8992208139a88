//! Which options of layers go together, before a model is read and for its kind.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::processor::refuse_options;
use super::{SliceImages, SliceOutputs, SliceRequest};
use crate::cluster::Ranks;
use crate::error::{Command, Error, Message, Result, Term, option, option_name as name};
use crate::io::{JobPart, atomic};
use crate::slice::{Setting, job_directory};

/// A rule: whether it is broken, what is wrong and how to fix it.
pub(super) type Rule = (bool, Message, Message);

impl SliceRequest {
    /// Makes this the request of a rank, which makes its part of the layers.
    ///
    /// # Errors
    /// [`Error::Request`] for a part that is asked for besides.
    pub fn take_part(&mut self, ranks: &Ranks<'_>) -> Result<()> {
        if self.pieces.is_some() {
            return Err(Error::request(message!(name("pieces"), " is for one program"))
                .with_help(message!("leave it out, or leave ", name("mpi"), " out")));
        }
        self.pieces = Some(JobPart { part: ranks.rank() + 1, of: ranks.size() });
        Ok(())
    }

    /// Checks the options by themselves, and that all outputs can be written. Outputs may replace
    /// inputs.
    ///
    /// # Errors
    /// [`Error::Request`] for numbers out of range, options that have no effect or do not go
    /// together, and outputs of other endings; those of [`job_directory`]; what the system refuses.
    pub fn check(&self) -> Result<()> {
        self.of_part().map(drop)
    }

    /// The request of the part that is asked for, whose directories lie beside those of the whole.
    ///
    /// # Errors
    /// As [`SliceRequest::check`].
    pub(super) fn of_part(&self) -> Result<Self> {
        self.check_lengths()?;
        check_rules(self.rules())?;
        check_rules(self.outputs.rules(&self.images))?;
        check_rules(self.rules_of_hatches())?;
        self.hatching().map_or(Ok(()), |own| own.check())?;
        let has_lattice = self.lattice()?.is_some();
        check_rules(self.images.rules(&self.outputs, has_lattice))?;
        self.images.check_pixels()?;
        self.check_pitch()?;
        check_rules(self.images.rules_of_materials(&self.outputs))?;
        self.outputs.check_paths()?;
        let mut own = self.clone();
        if let Some(part) = self.pieces {
            own.resume = true;
            let SliceOutputs { png, bmp, svg, .. } = &mut own.outputs;
            for directory in [png, bmp, svg].into_iter().flatten() {
                *directory = job_directory(directory, part)?;
            }
        }
        Ok(own)
    }

    /// Checks how layers are cut, whatever they become.
    ///
    /// # Errors
    /// As [`SliceRequest::check`].
    pub fn check_cut(&self) -> Result<()> {
        self.check_lengths()?;
        self.lattice()?;
        check_rules([(
            !self.backend.allows_cpu() && self.images.pixel_size().is_none(),
            "a GPU for layers without pixels".into(),
            message!("give the size of a pixel, or leave ", name("backend"), " out"),
        )])?;
        self.images.check_pixels()?;
        self.check_pitch()
    }

    fn check_lengths(&self) -> Result<()> {
        Setting::check_unit(self.unit_mm())?;
        self.check_heights()?;
        self.check_compensation()
    }

    fn check_pitch(&self) -> Result<()> {
        let of_plate = self.images.plate.is_some();
        let (given, help) = if of_plate {
            ("plate", "give a width and a depth above 0: 120x68")
        } else {
            ("window", "give ends that rise: 0:120,0:68")
        };
        for [low, high] in self.window().into_iter().flatten() {
            if !(high - low).is_finite() || low >= high {
                let what = message!(name(given), " from {low} to {high}");
                return Err(Error::request(what).with_help(help));
            }
        }
        let has_corner = self.origin.is_some_and(|own| own.corner.is_some());
        let corner = message!(name("origin"), " of three numbers without ", name("plate"));
        let plate = message!("give the height alone, or ", option("plate", "WxH"));
        check_rules([(has_corner && !of_plate, corner, plate)])?;
        self.pitch().map_or(Ok(()), Setting::check_pixel)
    }

    /// Options that none of the outputs has a use for.
    fn rules(&self) -> [Rule; 7] {
        let SliceOutputs { vtp, pvtu, vdb, image_stack, .. } = &self.outputs;
        let has_pictures = self.outputs.has_attribute_images() || image_stack.is_some();
        let has_points = pvtu.is_some() || vtp.is_some() || vdb.is_some();
        let has_attributes = has_pictures || has_points;
        let SliceOutputs { sl1, .. } = &self.outputs;
        let alike = [(sl1, "sl1"), (image_stack, "image_stack"), (vdb, "vdb")];
        let alike = alike.into_iter().find(|(path, _)| path.is_some()).map(|(_, option)| option);
        let has_range = self.attribute.iter().any(|wanted| wanted.range.is_some());
        let has_folder = self.outputs.directories().next().is_some();
        let folders = Command::LayerFolders;
        let files = [option("png", "DIR"), option("vtp", "FILE"), option("pvtu", "FILE")];
        let files = listed(files, " or ");
        let vtk = listed(["vtp", "pvtu"].map(name), " and ");
        let a_range = message!("a range of ", name("attribute"));
        let with_pixels = message!("images and ", name("pvtu"));
        let with_unit =
            message!("lengths with a unit, images, drawings and ", name("cli"), "; ", vtk.clone());
        let with_unit = message!(with_unit, " keep the model's length unit");
        [
            (
                !(self.attribute.is_empty() || has_attributes),
                message!(name("attribute"), " is for images, ", vtk),
                message!("give ", files, ", or leave ", name("attribute"), " out"),
            ),
            (
                self.pieces.is_some() && self.outputs.files().next().is_some(),
                message!(Command::LayerParts, " for ", folders, ", whose layers are files"),
                "leave the other outputs out".into(),
            ),
            (
                self.varies() && alike.is_some(),
                message!(name(alike.unwrap_or_default()), " has one height for all layers"),
                "give one layer height, or leave it out".into(),
            ),
            is_for(self.resume && !has_folder, name("resume"), folders),
            is_for(has_range && !has_pictures, a_range, Command::LayerImages),
            is_for(
                !(self.backend.allows_cpu() || self.outputs.has_pixels()),
                option("backend", "cuda"),
                with_pixels,
            ),
            is_for(self.unit_mm() != 1.0 && !self.uses_unit(), name("unit"), with_unit),
        ]
    }

    /// Refuses what a solid has no use for.
    ///
    /// # Errors
    /// [`Error::Request`] for a scheme.
    pub fn check_of_solid(&self) -> Result<()> {
        refuse_options(&[(self.scheme.is_some(), "scheme")], "surfaces")
    }

    /// Refuses what surfaces have no use for, and, of one alone, what is known inside solids.
    pub(super) fn check_of_surfaces(&self, count: usize) -> Result<()> {
        refuse_options(&[(self.levels > 0, "levels")], "solids")?;
        if count > 1 {
            return Ok(());
        }
        let of_solids = [
            (!self.attribute.is_empty(), name("attribute").into()),
            (self.images.has_materials(), materials()),
            (self.outputs.pvtu.is_some(), name("pvtu").into()),
            (self.lattice.lattice.is_some(), name("lattice").into()),
            (self.adaptive_attribute.is_some(), name("adaptive_attribute").into()),
        ];
        let why = ": a surface has attributes on its boundary alone, and no cells inside";
        let help = "leave it out, or slice a solid";
        check_rules(
            of_solids.map(|(given, what): (_, Message)| (given, message!(what, why), help.into())),
        )
    }
}

impl SliceOutputs {
    /// Outputs that lack something.
    fn rules(&self, images: &SliceImages) -> [Rule; 11] {
        let sliced = message!("slice with ", name("pixel"));
        let no_pixels = images.pixel_size().is_none();
        let exposed = "give the seconds of a layer, and perhaps those of the first and the layers \
                       between: ";
        [
            (self.paths().next().is_none(), "layers without an output".into(), "name one".into()),
            (
                self.png.is_some() && self.has_bitmaps(),
                message!(name("png"), " with bitmaps"),
                "give one of them".into(),
            ),
            is_for(self.bitmaps && self.zip.is_none(), name("bitmaps"), name("zip")),
            (no_pixels && self.has_images(), "images without pixels".into(), sliced.clone()),
            (
                no_pixels && self.image_stack.is_some(),
                message!(name("image_stack"), " without pixels"),
                sliced.clone(),
            ),
            (no_pixels && self.pvtu.is_some(), "a .pvtu without pixels".into(), sliced),
            (
                self.sl1.is_some() && self.exposure.is_none(),
                "an .sl1 needs an exposure time".into(),
                message!(exposed, name("exposure")),
            ),
            is_for(self.exposure.is_some() && self.sl1.is_none(), name("exposure"), name("sl1")),
            is_for(self.binary && self.cli.is_none(), name("binary"), name("cli")),
            is_for(self.half && self.vdb.is_none(), name("half"), name("vdb")),
            (
                no_pixels && self.vdb.is_some(),
                message!(name("vdb"), " without pixels"),
                message!("slice with ", name("pixel")),
            ),
        ]
    }

    /// Checks that all of it can be written.
    fn check_paths(&self) -> Result<()> {
        self.directories().try_for_each(atomic::check_directory)?;
        self.files().try_for_each(atomic::check)?;
        for (path, ending) in self.files_by_ending() {
            let Some(path) = path else { continue };
            if !path.extension().unwrap_or_default().eq_ignore_ascii_case(ending) {
                return Err(Error::request(format!("{}: not a .{ending} file", path.display()))
                    .with_help(format!("end its name in .{ending}")));
            }
        }
        let mut places = HashSet::new();
        for path in self.paths() {
            if !places.insert(place(path)) {
                return Err(Error::request(format!("{} is given twice", path.display()))
                    .with_help("give every output a different name"));
            }
        }
        Ok(())
    }
}

impl SliceImages {
    /// Options that no output has a use for.
    fn rules(&self, outputs: &SliceOutputs, has_lattice: bool) -> [Rule; 12] {
        let of_images =
            |given: bool, option| is_for(given && !outputs.has_images(), name(option), "images");
        let of_grays =
            |given: bool, option| is_for(given && !outputs.has_grays(), name(option), "images");
        let of_pixels = ["png", "bmp", "zip", "sl1", "image_stack", "vdb", "pvtu"].map(name);
        let of_pixels = listed(of_pixels, " and ");
        let some = listed([option("png", "DIR"), option("pvtu", "FILE")], " or ");
        let given = [self.gamma.is_some(), self.threshold.is_some(), self.gray_table.is_some()];
        [
            of_grays(self.antialias.is_some(), "antialias"),
            of_images(self.bits.is_some() && outputs.image_stack.is_none(), "bits"),
            of_images(self.dither, "dither"),
            of_images(given[0], GRAY_CURVES[0]),
            of_images(given[1], GRAY_CURVES[1]),
            of_images(given[2], GRAY_CURVES[2]),
            of_images(self.flip.is_some(), "flip"),
            of_images(self.separate, "separate"),
            of_images(self.has_materials(), "materials"),
            is_for(
                !self.has_materials() && self.separate,
                name("separate"),
                "slices with materials",
            ),
            (
                self.pixel_size().is_some() && !(outputs.has_pixels() || has_lattice),
                message!(name("pixel"), " is for ", of_pixels),
                message!("give ", some, ", or leave ", name("pixel"), " out"),
            ),
            (
                given.into_iter().filter(|&given| given).count() > 1,
                message!(listed(GRAY_CURVES.map(name), " and "), " do not go together"),
                "give one of them".into(),
            ),
        ]
    }

    /// Refuses options of pixels without pixels, and numbers out of range.
    fn check_pixels(&self) -> Result<()> {
        let without = |given: bool, option| {
            let what = message!(name(option), " without pixels");
            (given && self.pixel_size().is_none(), what, "give the size of a pixel".into())
        };
        let framed = [(self.window.is_some(), "window"), (self.plate.is_some(), "plate")];
        let framed = framed.into_iter().find(|(given, _)| *given).map(|(_, option)| option);
        check_rules([
            without(self.resolution.is_some(), "resolution"),
            without(self.pixel_origin.is_some(), "pixel_origin"),
            without(self.window.is_some(), "window"),
            without(self.plate.is_some(), "plate"),
            without(self.crop, "crop"),
            (
                self.window.is_some() && self.plate.is_some(),
                message!(listed(["window", "plate"].map(name), " and "), " do not go together"),
                "give one of them".into(),
            ),
            (
                framed.is_some() && (self.resolution.is_some() || self.pixel_origin.is_some()),
                message!(
                    name(framed.unwrap_or_default()),
                    " says where pixels begin and how many there are"
                ),
                message!(
                    "leave ",
                    listed(["resolution", "pixel_origin"].map(name), " and "),
                    " out"
                ),
            ),
            without(self.has_materials(), "materials"),
            (
                self.pixel.is_some() && self.dpi.is_some(),
                message!(listed(["pixel", "dpi"].map(name), " and "), " do not go together"),
                "give one of them".into(),
            ),
        ])?;
        self.curve_of_number().map_or(Ok(()), |curve| curve.check())?;
        match self.dpi.filter(|dots| !dots.iter().all(|n| n.is_finite() && *n > 0.0)) {
            None => Ok(()),
            Some([across, up]) => {
                let given = option("dpi", format!("{across}x{up}"));
                Err(Error::request(message!(given, " is not positive"))
                    .with_help("give pixels per inch, say 600 or 600x300"))
            }
        }
    }

    /// Materials and bits of pixels that the outputs do not have, or that do not go together.
    fn rules_of_materials(&self, outputs: &SliceOutputs) -> [Rule; 6] {
        let is_gray = outputs.sl1.is_some() && !outputs.has_attribute_images();
        let leave_out = |option| message!("leave ", name(option), " out");
        let of_gray = |given: bool, option| {
            let what = message!(name("sl1"), " has 8 bits per pixel: ", name(option), " is for ");
            (is_gray && given, message!(what, Command::LayerImages), leave_out(option))
        };
        let has_ids = self.material_id.is_some();
        [
            (
                self.has_materials() && !outputs.has_attribute_images(),
                message!(materials(), " are for ", Command::LayerImages),
                message!("give ", option("png", "DIR"), ", or leave them out"),
            ),
            of_gray(self.bits.is_some(), "bits"),
            of_gray(self.dither, "dither"),
            (
                self.dither && self.bits.is_some(),
                message!(name("dither"), " with ", name("bits"), ": dithered pixels have one"),
                leave_out("bits"),
            ),
            (
                self.dither && self.has_materials(),
                message!(name("dither"), " with materials, of which a pixel has one"),
                leave_out("dither"),
            ),
            (
                has_ids && !self.materials.is_empty(),
                message!(materials(), " do not go together"),
                leave_out("material_id"),
            ),
        ]
    }
}

/// Options of gray curves.
const GRAY_CURVES: [&str; 3] = ["gamma", "threshold", "gray_table"];

/// Refuses the first rule that is broken.
pub(super) fn check_rules<const N: usize>(rules: [Rule; N]) -> Result<()> {
    match rules.into_iter().find(|(is_broken, ..)| *is_broken) {
        None => Ok(()),
        Some((_, what, help)) => Err(Error::request(what).with_help(help)),
    }
}

/// A rule of an option without use, and what it is for.
pub(super) fn is_for(is_broken: bool, option: impl Into<Message>, of: impl Into<Message>) -> Rule {
    let help = "leave it out, or ask for such an output";
    (is_broken, message!(option, " is for ", of), help.into())
}

fn materials() -> Message {
    listed(["materials", "material_id"].map(name), " and ")
}

/// Options with commas between them, and a word before the last.
pub(super) fn listed<const N: usize>(options: [Term; N], last: &str) -> Message {
    let mut listed = Message::default();
    for (k, option) in options.into_iter().enumerate() {
        if k > 0 {
            listed.push(if k + 1 == N { last } else { ", " });
        }
        listed.push(option);
    }
    listed
}

/// Where a file or directory is or would be, whichever way its path is written.
fn place(path: &Path) -> PathBuf {
    let resolved = |path: &Path| path.canonicalize().ok();
    let beside = || {
        let parent =
            path.parent().map(|own| if own.as_os_str().is_empty() { Path::new(".") } else { own });
        Some(resolved(parent?)?.join(path.file_name()?))
    };
    resolved(path).or_else(beside).unwrap_or_else(|| path.to_owned())
}
