//! Files of evaluate, read back.

use std::fs;
use std::path::Path;

use subsolid::mesh::SolidMesh;

use crate::oracle::vector::Point;
use crate::program::done;
use crate::support::{Limits, close};
use crate::vtk_files::{self, folder};

/// Every hexahedron of a file has its corners on the limit: those of `place`, which says of its
/// cell, origin, size and tolerance.
fn corners_are_on_the_limit(
    file: &SolidMesh,
    limits: &Limits,
    place: impl Fn(usize) -> (usize, Point, Point, f64),
) {
    for (c, hexahedron) in file.cells.hexahedra().unwrap().iter().enumerate() {
        let (cell, origin, size, tolerance) = place(c);
        for (i, &v) in hexahedron.iter().enumerate() {
            let [x, y] = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]][i % 4];
            let corner = [x, y, (i / 4) as f64];
            let at = std::array::from_fn(|d| origin[d] + size[d] * corner[d]);
            let expected = limits.position(cell, at);
            close(file.points[v as usize], expected, tolerance, || {
                format!("cell {cell} at {at:?}")
            });
        }
    }
}

/// Of each model the limit in every form, and a table of limit points, which
/// `tests/io/vtk_evaluate.py` compares.
#[test]
fn vtk_files_of_evaluate_read_back() {
    let directory = folder("readback_evaluate");
    for (name, shape, options) in [
        ("box", "box 2 2 6", ""),
        ("fan", "fan 5 2 2", ""),
        ("creased", "box 3 3 3", "--crease-angle 40"),
    ] {
        done(&directory, &format!("shape {shape} -o {name}.mesh.vtu -q"));
        let mut mesh = subsolid::io::read(directory.join(format!("{name}.mesh.vtu"))).unwrap();
        let mut table = String::from("cell,u,v,w\n");
        for i in 0..1200_usize {
            // a third on the nodes of a grid of 5, so that plain cells can be compared
            let at = [29, 31, 37].map(|prime: usize| match i % 3 {
                0 => (i / 3 * prime / 7 % 5) as f64 / 4.0,
                _ => (i * prime % 997) as f64 / 996.0,
            });
            table += &format!("{},{},{},{}\n", i % mesh.cells.len(), at[0], at[1], at[2]);
        }
        fs::write(directory.join(format!("{name}.parameters.csv")), table).unwrap();
        for rest in [
            format!("--at {name}.parameters.csv -o {name}.at.csv"),
            format!("--samples 5 -o {name}.hexahedra.vtu"),
            format!("--samples 5 --compress -o {name}.pieces.pvtu"),
            format!("--gauss 2 --derivatives 1 -o {name}.gauss.vtu"),
            format!("--cells lagrange -o {name}.lagrange.vtu"),
            format!("--cells bezier -o {name}.bezier.vtu"),
        ] {
            done(&directory, &format!("evaluate {name}.mesh.vtu {options} {rest} -q"));
        }
        if name == "creased" {
            subsolid::refine::crease_by_angle(&mut mesh, 40.0).unwrap();
        }
        check_evaluated(&directory, name, &mesh);
    }
}

/// Compares the files of a model with the limit of its mesh.
fn check_evaluated(directory: &Path, name: &str, mesh: &SolidMesh) {
    let limits = Limits::new(mesh);
    let cells = mesh.cells.len();
    let path = |ending: &str| directory.join(format!("{name}.{ending}"));
    let mut rows = csv::Reader::from_path(path("at.csv")).unwrap();
    let mut count = 0;
    for row in rows.records() {
        let row: Vec<f64> = row.unwrap().iter().map(|word| word.parse().unwrap()).collect();
        let [at, found] = [1, 4].map(|first| std::array::from_fn(|d| row[first + d]));
        let expected = limits.position(row[0] as usize, at);
        close(found, expected, 1e-12, || format!("{name}: row {count}"));
        count += 1;
    }
    assert_eq!(count, 1200);

    let read = |ending: &str| subsolid::io::read(path(ending)).unwrap();
    let values = |file: &SolidMesh, array: &str| -> Vec<f64> {
        let found = file.cell_data.iter().find(|other| other.name == array);
        found.unwrap_or_else(|| panic!("{name}: no {array}")).values.clone()
    };
    for ending in ["hexahedra.vtu", "pieces.pvtu"] {
        let file = read(ending);
        assert_eq!(file.cells.len(), 64 * cells, "{name}.{ending}");
        let expected: Vec<f64> = (0..64 * cells).map(|part| (part / 64) as f64).collect();
        assert_eq!(values(&file, "cell"), expected);
        assert!(values(&file, "class").iter().all(|&class| class <= 3.0));
        corners_are_on_the_limit(&file, &limits, |part| {
            let step = [part % 4, part / 4 % 4, part / 16 % 4].map(|step| step as f64 / 4.0);
            (part / 64, step, [0.25; 3], 1e-12)
        });
    }
    let file = read("lagrange.vtu");
    assert_eq!(file.cells.len(), cells);
    corners_are_on_the_limit(&file, &limits, |cell| (cell, [0.0; 3], [1.0; 3], 1e-12));
    let file = read("bezier.vtu");
    let [cell, bound] = ["cell", "error_bound"].map(|array| values(&file, array));
    let [origin, size] =
        ["origin", "size"].map(|array| values(&file, array).as_chunks::<3>().0.to_vec());
    corners_are_on_the_limit(&file, &limits, |piece| {
        (cell[piece] as usize, origin[piece], size[piece], bound[piece].max(1e-12))
    });
    let volume = |piece: usize| size[piece].iter().product::<f64>();
    let covered: f64 = (0..cell.len()).map(volume).sum();
    assert!((covered - cells as f64).abs() < 1e-9, "{name}: pieces cover {covered} of {cells}");

    let bytes = fs::read(path("gauss.vtu")).unwrap();
    let [cell, u, v, w, determinant] =
        ["cell", "u", "v", "w", "det_j"].map(|array| vtk_files::array(&bytes, array));
    let points = vtk_files::array(&bytes, "Points");
    assert_eq!((cell.len(), points.len()), (8 * cells, 24 * cells));
    for (sample, &point) in points.as_chunks::<3>().0.iter().enumerate() {
        assert_eq!(cell[sample] as usize, sample / 8);
        let expected = limits.position(sample / 8, [u[sample], v[sample], w[sample]]);
        close(point, expected, 1e-12, || format!("{name}: sample {sample}"));
        assert!(determinant[sample] > 0.0);
    }
}
