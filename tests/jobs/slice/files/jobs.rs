//! Jobs: any threads, any range, any interruption.

use std::fs;
use std::io::Read;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, mpsc};
use std::thread::{sleep, spawn};
use std::time::Duration;

use rayon::ThreadPoolBuilder;
use rayon::prelude::*;
use subsolid::Result;
use subsolid::io::atomic::check_directory;
use subsolid::slice::manifest::{FILE_NAME, Manifest};
use subsolid::slice::output::{
    CommonLayerInterface, Encoding, ImageOptions, LayeredSvg, Output, OutputLayer, Polylines,
    SvgStack, archive,
};
use subsolid::slice::{Bits, Channel, Job, Layer, LayerPixels, LayerSource, PixelGrid, Sampling};
use tempfile::tempdir;

use super::cone::{Cone, files, manifest, open, options, run, setting, slice};

use crate::support::refused;

/// All kinds of files of layers of the cone, by some threads.
fn all(directory: &Path, threads: usize) {
    let pool = ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let (cone, setting) = (Cone::new(), setting());
    let layers = 0..setting.stack.count();
    let path = |name: &str| directory.join(name);
    let svg = SvgStack::open(path("svg"), &setting, false).unwrap();
    let text = CommonLayerInterface::create(path("a.cli"), &setting, &layers, Encoding::Text);
    let binary = CommonLayerInterface::create(path("b.cli"), &setting, &layers, Encoding::Binary);
    let vtp = Polylines::create(path("a.vtp"), &setting, cone.channels(), &[0, 1]).unwrap();
    let outputs: Vec<Box<dyn Output>> = vec![
        Box::new(open(&path("png"), options(), false).unwrap()),
        Box::new(svg),
        Box::new(text.unwrap()),
        Box::new(binary.unwrap()),
        Box::new(vtp),
    ];
    let job = Job { source: &cone, stack: setting.stack.clone(), layers, outputs };
    let mut last = 0;
    let report = pool.install(|| {
        job.run(|done| {
            assert!(done > last);
            last = done;
            ControlFlow::Continue(())
        })
    });
    assert_eq!((report.unwrap().made, last), (30, 30));
    archive(path("png.zip"), path("png")).unwrap();
}

#[test]
fn bytes_do_not_depend_on_threads() {
    let directories = [tempdir().unwrap(), tempdir().unwrap()];
    all(directories[0].path(), 1);
    all(directories[1].path(), 5);
    let [one, five] = directories.map(|directory| files(directory.path()));
    assert_eq!(one.len(), 2 * 30 + 1 + 30 + 1 + 4);
    assert!(one == five);
}

/// A source that shares out work while it holds a lock, as one on a device does.
struct Locked(Mutex<Cone>);

impl LayerSource for Locked {
    fn contours(&self, index: usize, height: f64) -> Result<Layer> {
        let cone = self.0.lock().unwrap();
        (0..64).into_par_iter().for_each(|_| sleep(Duration::from_micros(200)));
        cone.contours(index, height)
    }

    fn coverage(&self, heights: &[f64], grid: &PixelGrid, sampling: Sampling) -> Result<Vec<u16>> {
        self.0.lock().unwrap().coverage(heights, grid, sampling)
    }

    fn attributes(&self, pixels: &LayerPixels<'_>, coverage: &[u16]) -> Result<Vec<f64>> {
        self.0.lock().unwrap().attributes(pixels, coverage)
    }

    fn attributes_at(&self, points: &[[f64; 3]], inward: &[[f64; 3]]) -> Result<Vec<f64>> {
        self.0.lock().unwrap().attributes_at(points, inward)
    }

    fn channels(&self) -> &[Channel] {
        &[]
    }
}

#[test]
fn layers_of_other_outputs_are_refused() {
    let directory = tempdir().unwrap();
    let (cone, setting) = (Cone::new(), setting());
    let svg = LayeredSvg::create(directory.path().join("a.svg"), &setting, &(0..1)).unwrap();
    let mut drawings = SvgStack::open(directory.path(), &setting, false).unwrap();
    let (svg, drawings): (&dyn Output, &mut dyn Output) = (&svg, &mut drawings);
    let cut = OutputLayer::new(0, &setting.stack, &cone);
    let refused = drawings.take(svg.make(&cut).unwrap()).unwrap_err().to_string();
    assert!(refused.contains("a layer of another kind"), "{refused}");
}

#[test]
fn sources_may_share_out_work_under_a_lock() {
    let (said, heard) = mpsc::channel();
    spawn(move || {
        let directory = tempdir().unwrap();
        let (source, setting) = (Locked(Mutex::new(Cone::new())), setting());
        let drawings = SvgStack::open(directory.path(), &setting, false).unwrap();
        let outputs: Vec<Box<dyn Output>> = vec![Box::new(drawings)];
        let job = Job { source: &source, stack: setting.stack.clone(), layers: 0..30, outputs };
        said.send(job.run(|_| ControlFlow::Continue(())).unwrap().made).unwrap();
    });
    assert_eq!(heard.recv_timeout(Duration::from_secs(60)), Ok(30));
}

#[test]
fn ranges_make_the_files_of_the_whole() {
    let [whole, parts] = [tempdir().unwrap(), tempdir().unwrap()];
    let cone = Cone::new();
    let stack = setting().stack;
    slice(&cone, 0..30, open(whole.path(), options(), false).unwrap());
    // in any order, over one another, with or without --resume
    for (layers, resume) in [(12..30, false), (0..5, true), (3..14, true), (7..9, false)] {
        slice(&cone, layers, open(parts.path(), options(), resume).unwrap());
    }
    assert!(files(whole.path()) == files(parts.path()));

    let svg = |path: &Path| SvgStack::open(path, &setting(), false).unwrap();
    let [whole, part] = [tempdir().unwrap(), tempdir().unwrap()];
    slice(&cone, 0..30, svg(whole.path()));
    let middle = stack.within(0.0, 0.2).unwrap();
    assert_eq!(middle, 10..14);
    slice(&cone, middle, svg(part.path()));
    let (whole, part) = (files(whole.path()), files(part.path()));
    assert_eq!(part.len(), 5);
    assert!(part.iter().all(|(name, bytes)| name == FILE_NAME || whole[name] == *bytes));
}

#[test]
fn a_job_that_stopped_goes_on() {
    let [whole, stopped] = [tempdir().unwrap(), tempdir().unwrap()];
    slice(&Cone::new(), 0..30, open(whole.path(), options(), false).unwrap());

    let pool = ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let output = open(stopped.path(), options(), false).unwrap();
    let stop = |done| if done >= 12 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) };
    let error = pool.install(|| run(&Cone::new(), 0..30, output, stop)).unwrap_err();
    assert!(error.to_string().contains("stopped before layer 12"), "{error}");
    let half = manifest(stopped.path());
    assert!(!half.complete && half.layers.len() == 12);

    // a file went missing, another was cut off
    fs::remove_file(stopped.path().join(&half.layers[3].files[1].path)).unwrap();
    fs::write(stopped.path().join(&half.layers[7].files[0].path), "cut").unwrap();
    let cone = Cone::new();
    let report = slice(&cone, 0..30, open(stopped.path(), options(), true).unwrap());
    assert_eq!((report.made, report.skipped), (20, 10));
    assert_eq!(cone.asked.load(Ordering::Relaxed), 20);
    assert!(files(whole.path()) == files(stopped.path()));

    let report = slice(&cone, 0..30, open(stopped.path(), options(), true).unwrap());
    assert_eq!((report.made, report.skipped), (0, 30));
}

#[test]
fn layers_of_other_parameters_are_left_alone() {
    let directory = tempdir().unwrap();
    slice(&Cone::new(), 0..2, open(directory.path(), options(), false).unwrap());
    let before = files(directory.path());
    for (other, said) in [
        (ImageOptions { bits: Bits::Sixteen, ..options() }, "files.bits is 8 there, 16 here"),
        (
            ImageOptions { antialias: None, ..options() },
            "files.antialias is true there, false here",
        ),
        (ImageOptions { attributes: vec![], ..options() }, "files.stacks is "),
    ] {
        for resume in [false, true] {
            let error = open(directory.path(), other.clone(), resume).unwrap_err();
            assert!(error.to_string().contains(said), "{error}");
        }
    }
    fs::write(directory.path().join(FILE_NAME), "{}").unwrap();
    let error = open(directory.path(), options(), false).unwrap_err();
    assert!(error.to_string().contains("is not a manifest of layers"), "{error}");
    assert_eq!(files(directory.path()).len(), before.len());
}

#[test]
fn unusable_directories_are_refused() {
    let directory = tempdir().unwrap();
    let file = directory.path().join("file");
    fs::write(&file, "").unwrap();
    check_directory(directory.path()).unwrap();
    check_directory(directory.path().join("new")).unwrap();
    for (path, words) in [
        (file.clone(), "is a file, not a directory"),
        (file.join("in a file"), "cannot be written"),
        ("/proc/none".into(), "cannot be written"),
    ] {
        refused(check_directory(&path), words);
        refused(open(&path, options(), false), "cannot be written");
    }
    assert_eq!(files(directory.path()).len(), 1);
    for layers in [0..0, 5..31, 40..50] {
        let output = open(&directory.path().join("a"), options(), false).unwrap();
        let words = format!("layers {} to {} of 0 to 29", layers.start, layers.end);
        refused(run(&Cone::new(), layers, output, |_| ControlFlow::Continue(())), &words);
    }
}

#[test]
fn one_job_at_a_time_writes_into_a_directory() {
    let directory = tempdir().unwrap();
    let held = SvgStack::open(directory.path(), &setting(), false).unwrap();
    for resume in [false, true] {
        refused(
            SvgStack::open(directory.path(), &setting(), resume),
            "another program writes layers into it",
        );
    }
    drop(held);
    SvgStack::open(directory.path(), &setting(), false).unwrap();
}

#[cfg(unix)]
#[test]
fn what_may_never_end_is_no_manifest() {
    let directory = tempdir().unwrap();
    assert!(Manifest::read(directory.path()).unwrap().is_none());
    std::os::unix::fs::symlink("/dev/zero", directory.path().join(FILE_NAME)).unwrap();
    let error = Manifest::read(directory.path()).unwrap_err();
    assert!(error.to_string().contains("manifest.json: this is no regular file"), "{error}");
    assert!(error.help().unwrap().to_string().contains("another directory"));
}

#[test]
fn the_zip_holds_the_directory() {
    let directory = tempdir().unwrap();
    let (images, zip) = (directory.path().join("images"), directory.path().join("a.zip"));
    refused(archive(&zip, &images), "holds no manifest of layers");
    slice(&Cone::new(), 3..6, open(&images, options(), false).unwrap());
    archive(&zip, &images).unwrap();
    let mut archived = zip::ZipArchive::new(fs::File::open(&zip).unwrap()).unwrap();
    let mut expected = files(&images);
    let last = archived.len() - 1; // it lists what stands before it
    assert_eq!(archived.by_index(last).unwrap().name().unwrap(), FILE_NAME);
    for i in 0..archived.len() {
        let mut file = archived.by_index(i).unwrap();
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).unwrap();
        let name = file.name().unwrap().into_owned();
        assert!(expected.remove(&name) == Some(bytes), "{name}");
    }
    assert!(expected.is_empty());

    // what was changed meanwhile is not part of the job
    fs::write(images.join(&manifest(&images).layers[1].files[0].path), "else").unwrap();
    let before = fs::read(&zip).unwrap();
    assert!(archive(&zip, &images).unwrap_err().to_string().contains("has changed"));
    assert!(fs::read(&zip).unwrap() == before);
}
