//! Layers in one file: slices and images of 3MF, voxels of OpenVDB. `tests/io/three_mf.py` and
//! `tests/io/vdb_readback.py` read them with the programs that define these formats.

use std::fs::{self, File};
use std::io::{Read, read_to_string};
use std::path::Path;

use zip::ZipArchive;

use crate::layer_files::area_of_cli;
use crate::program::{done, refused};

/// A part of an archive.
fn part(path: &Path, name: &str) -> Vec<u8> {
    let mut archive = ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut bytes = Vec::new();
    archive.by_name(name).unwrap().read_to_end(&mut bytes).unwrap();
    bytes
}

fn model(path: &Path) -> String {
    read_to_string(&part(path, "3D/3dmodel.model")[..]).unwrap()
}

/// The values of an attribute, in the order of the text.
fn values(text: &str, name: &str) -> Vec<f64> {
    let begin = format!(" {name}=\"");
    text.split(&begin)
        .skip(1)
        .map(|rest| rest.split('"').next().unwrap().parse().unwrap())
        .collect()
}

#[test]
fn slices_are_the_contours_in_millimeters() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    done(here, "shape fan -o fan.vtu");
    done(here, "slice fan.vtu --layer-height 0.25 --unit in --slice-stack a.3mf");
    done(here, "slice fan.vtu --layer-height 0.25 --unit in --cli a.cli");
    let text = model(&here.join("a.3mf"));
    assert!(text.contains("unit=\"millimeter\"") && text.contains("requiredextensions=\"s\""));
    let mut area = 0.0;
    let slices: Vec<&str> = text.split("<s:slice ").skip(1).collect();
    for slice in &slices {
        let [x, y] = ["x", "y"].map(|name| values(slice.split("</s:slice>").next().unwrap(), name));
        for polygon in slice.split("<s:polygon").skip(1) {
            let polygon = polygon.split("</s:polygon>").next().unwrap();
            let ids: Vec<usize> = [values(polygon, "startv"), values(polygon, "v2")]
                .concat()
                .into_iter()
                .map(|v| v as usize)
                .collect();
            assert_eq!(ids.first(), ids.last());
            let sides = ids.windows(2).map(|ids| [ids[0], ids[1]]);
            area += sides.map(|[a, b]| 0.5 * (x[a] * y[b] - x[b] * y[a])).sum::<f64>();
        }
    }
    let expected = area_of_cli(&here.join("a.cli")) * 25.4 * 25.4;
    assert!((area - expected).abs() < 1e-4 * expected, "{area} {expected}");
    let tops = values(&text, "ztop");
    let bottom = values(&text, "zbottom")[0];
    assert_eq!(tops.len(), slices.len());
    for (k, top) in tops.iter().enumerate() {
        assert!((top - bottom - 25.4 * 0.25 * (k + 1) as f64).abs() < 1e-5);
    }
}

#[test]
fn images_of_a_stack_are_those_of_a_folder() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    done(here, "shape fan -o fan.vtu");
    let slice = "slice fan.vtu --layer-height 0.25 --pixel 0.1 --antialias 2";
    done(here, &format!("{slice} --image-stack a.3mf"));
    done(here, &format!("{slice} --image-stack inches.3mf --unit in"));
    done(here, &format!("{slice} --bits 16 --png images"));
    let mut images: Vec<_> =
        fs::read_dir(here.join("images/coverage")).unwrap().map(|e| e.unwrap().path()).collect();
    images.sort();
    let path = here.join("a.3mf");
    let text = model(&path);
    assert_eq!(values(&text, "sheetcount"), [images.len() as f64]);
    for (layer, image) in images.iter().enumerate() {
        let name = format!("3D/volumetric/coverage/sheet_{layer:05}.png");
        assert!(text.contains(&format!("path=\"/{name}\"")));
        assert!(part(&path, &name) == fs::read(image).unwrap(), "{name}");
    }
    // the corners of the box of the pixels are those of the images
    let transform = text.split("transform=\"").nth(1).unwrap().split('"').next().unwrap();
    let matrix: Vec<f64> = transform.split(' ').map(|x| x.parse().unwrap()).collect();
    let [x, y, z] = ["x", "y", "z"].map(|name| values(&text, name));
    let ends = [0, 7].map(|v| {
        let place = |d: usize| x[v] * matrix[d] + y[v] * matrix[3 + d] + z[v] * matrix[6 + d];
        [0, 1, 2].map(|d| place(d) + matrix[9 + d])
    });
    let expected = [[0.0; 3], [1.0; 3]];
    let pairs = ends.as_flattened().iter().zip(expected.as_flattened());
    assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-12), "{ends:?}");
}

#[test]
fn files_of_voxels_do_not_depend_on_threads() {
    let directory = tempfile::tempdir().unwrap();
    let here = directory.path();
    done(here, "shape fan -o fan.vtu");
    let slice = "slice fan.vtu --layer-height 0.1 --pixel 0.1 --antialias 2";
    done(here, &format!("{slice} --vdb a.vdb --threads 1"));
    done(here, &format!("{slice} --vdb b.vdb --threads 3"));
    let [a, b] = ["a.vdb", "b.vdb"].map(|name| fs::read(here.join(name)).unwrap());
    assert!(a == b && a.starts_with(b" BDV\0\0\0\0\xe0\0\0\0"));
    done(here, &format!("{slice} --vdb c.vdb --half --unit cm"));
    assert!(fs::read(here.join("c.vdb")).unwrap().len() < a.len());
    for (arguments, fragment) in [
        ("--image-stack a.vdb --pixel 0.1", "not a .3mf file"),
        ("--vdb a.3mf --pixel 0.1", "not a .vdb file"),
        ("--vdb a.vdb", "--pixel"),
        ("--image-stack a.3mf", "--pixel"),
        ("--cli a.cli --half", "--vdb"),
        ("--vdb a.vdb --pixel 0.1 --bits 16", "--bits is for images"),
        ("--image-stack a.3mf --pixel 0.1 --gamma 2", "--gamma is for images"),
        ("--slice-stack a.3mf --image-stack a.3mf --pixel 0.1", "given twice"),
        ("--slice-stack a.3mf --attribute a", "--attribute is for"),
    ] {
        refused(here, &format!("slice fan.vtu --layer-height 0.1 {arguments}"), fragment);
    }
}
