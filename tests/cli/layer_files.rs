//! Areas of layers, by what the files of `subsolid slice` hold.

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};

use subsolid::slice::{Contour, Layer};
use zip::ZipArchive;

use crate::vtk_files::array;

/// Signed area of a polygon.
fn area(points: &[f64]) -> f64 {
    let (points, rest) = points.as_chunks::<2>();
    assert!(points.len() > 2 && rest.is_empty());
    let next = points.iter().cycle().skip(1);
    points.iter().zip(next).map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum()
}

fn numbers(text: &str) -> Vec<f64> {
    text.split([',', ' ']).map(|x| x.parse().unwrap()).collect()
}

/// Of all contours of a text `.cli`.
pub fn area_of_cli(path: &Path) -> f64 {
    let text = fs::read_to_string(path).unwrap();
    let contours = text.lines().filter_map(|line| line.strip_prefix("$$POLYLINE/"));
    contours.map(|line| area(&numbers(line)[3..])).sum()
}

/// Of all polygons of a layered `.svg`.
pub fn area_of_layered_svg(path: &Path) -> f64 {
    let text = fs::read_to_string(path).unwrap();
    let polygons = text.split("points=\"").skip(1).map(|rest| rest.split('"').next().unwrap());
    polygons.map(|points| area(&numbers(points))).sum()
}

/// Of all lines of a `.vtp` whose planes have z constant.
pub fn area_of_vtp(path: &Path) -> f64 {
    lines_of_vtp(path).area()
}

/// All lines of a `.vtp` whose planes have z constant, as if in one plane.
pub fn lines_of_vtp(path: &Path) -> Layer {
    let bytes = fs::read(path).unwrap();
    let [points, ids, ends] = ["Points", "connectivity", "offsets"].map(|name| array(&bytes, name));
    let mut start = 0;
    let mut contours = Vec::new();
    for end in ends {
        let line = &ids[start..end as usize];
        assert_eq!(line.first(), line.last(), "contours are closed");
        let point = |&id: &f64| [points[3 * id as usize], points[3 * id as usize + 1]];
        contours.push(Contour { points: line[1..].iter().map(point).collect(), depth: 0 });
        start = end as usize;
    }
    assert_eq!(start, ids.len());
    Layer { contours, ..Layer::default() }
}

/// All files of an archive by their names.
pub fn archived(path: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut archive = ZipArchive::new(fs::File::open(path).unwrap()).unwrap();
    let mut files = BTreeMap::new();
    for i in 0..archive.len() {
        let mut entry = archive.by_index(i).unwrap();
        let mut bytes = Vec::new();
        entry.read_to_end(&mut bytes).unwrap();
        files.insert(PathBuf::from(entry.name().unwrap().as_ref()), bytes);
    }
    files
}
