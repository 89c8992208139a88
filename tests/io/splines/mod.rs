//! Spline volumes of MFEM, G+Smo and splinepy against the recursion of Cox and de Boor.

mod volumes;

use std::f64::consts::PI;

use subsolid::Solid;
use subsolid::backend::{Backend, Cpu};
use subsolid::io::{ReadOptions, ReadReport, read_with_options, read_with_report};
use subsolid::jobs::fit::FitRequest;
use subsolid::mesh::{CORNERS, SolidMesh};
use subsolid::plan::{Location, Samples, Want};

use crate::groups::faces;
use crate::read::assert_says;
use crate::samples::{Sample, Scratch};
use volumes::{MULTIPATCH, Volume, clamped, gismo, mfem, quarter_pipe, splinepy, uniform};

fn found(name: &str, text: impl AsRef<[u8]>) -> (SolidMesh, ReadReport) {
    read_with_report(Scratch::new().file(name, text)).unwrap()
}

/// Parameters in the cells of a volume, of which every one is met.
fn places(spans: [usize; 3]) -> impl Iterator<Item = ([usize; 3], [f64; 3])> {
    let mut state = 7_u64;
    let mut random = move || {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 11) as f64 / (1_u64 << 53) as f64
    };
    let count = spans.iter().product::<usize>();
    (0..4 * count).map(move |i| {
        let [n, m, l] = spans;
        ([i % n, i / n % m, i / (n * m) % l], [random(), random(), random()])
    })
}

/// The limit at places of cells.
fn limits(mesh: &SolidMesh, places: &[(u32, [f64; 3])]) -> Vec<[f64; 3]> {
    let solid = Solid::new(mesh).unwrap();
    let location = |&(element, parameters): &(u32, _)| Location { element, parameters };
    let samples = Samples::Points(places.iter().map(location).collect());
    let plan = solid.plan(&samples, Want::POSITION).unwrap();
    let limit = Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    (0..places.len()).map(|i| limit.positions.triple(i)).collect()
}

/// Checks that the limit of the cells of volumes is the splines; the size of all is 3 or more.
#[track_caller]
fn assert_exact(mesh: &SolidMesh, volumes: &[Volume]) {
    // elements are the cells that are no ghosts
    let mut first = 0;
    for volume in volumes {
        let spans = volume.spans();
        let (mut own, mut expected) = (Vec::new(), Vec::new());
        for (span, parameters) in places(spans) {
            let cell = span[0] + spans[0] * (span[1] + spans[1] * span[2]);
            own.push(((first + cell) as u32, parameters));
            expected.push(volume.at(span, parameters));
        }
        for ((found, expected), place) in limits(mesh, &own).iter().zip(&expected).zip(&own) {
            let error = (0..3).map(|d| (found[d] - expected[d]).abs()).fold(0.0, f64::max);
            assert!(error < 3e-13, "{place:?}: {found:?} {expected:?} {error:e}");
        }
        first += spans.iter().product::<usize>();
    }
    assert_eq!(first, mesh.ghosts().iter().filter(|ghost| !**ghost).count());
}

fn uniform_volumes() -> [Volume; 4] {
    [
        Volume::new([uniform(3, 1), uniform(3, 1), uniform(3, 1)], 0.0),
        Volume::new([uniform(3, 4), uniform(3, 4), uniform(3, 4)], 0.0),
        Volume::new([uniform(1, 1), uniform(2, 1), uniform(3, 3)], 0.0),
        // knots that go on beyond the ends, as those of periodic splines
        Volume::new([uniform(3, 2), (3, (0..10).map(f64::from).collect()), uniform(2, 1)], 0.0),
    ]
}

/// The volume, with the domain of its second axis at the ends.
#[test]
fn uniform_splines_are_exact_in_every_format() {
    for (i, volume) in uniform_volumes().into_iter().enumerate() {
        let all = [volume];
        let texts = [
            ("a.xml", gismo(&all, "")),
            ("a.mesh", mfem(&all, "controlpoints_cartesian")),
            ("a.mesh", mfem(&all, "controlpoints")),
            ("a.json", splinepy(&all)),
        ];
        for (name, text) in texts {
            let (mesh, report) = found(name, text);
            let spans = mesh.ghosts().iter().filter(|ghost| !**ghost).count();
            if i < 3 {
                assert_exact(&mesh, &all);
                assert_eq!(spans, all[0].spans().iter().product::<usize>());
            } else {
                assert_eq!(spans, 2 * 3);
            }
            assert_eq!((report.left_out(), report.curved_nodes.len()), (None, 0), "{name} {i}");
            assert_says(&report.exact.unwrap(), &["1 spline patch exactly", "ghost cells around"]);
            assert_eq!(mesh.face_groups.len(), 6);
            assert_eq!(mesh.face_groups[1].name, "patch:0:u1");
        }
    }
}

/// Knots beyond the ends leave out what control points do there.
#[test]
fn splines_over_uniform_knots_are_their_own_nets() {
    let (degree, knots) = (3, (0..8).map(f64::from).collect::<Vec<_>>());
    let volume =
        Volume::new([(degree, knots.clone()), (degree, knots.clone()), (degree, knots)], 0.0);
    let (mesh, _) = found("a.xml", gismo(std::slice::from_ref(&volume), ""));
    assert_eq!(mesh.points.len(), 64);
    for (found, expected) in mesh.points.iter().zip(&volume.points) {
        assert!((0..3).all(|d| (found[d] - expected[d]).abs() < 1e-14), "{found:?} {expected:?}");
    }
}

/// Vertices and nodes lie on the spline, and fit finds the volume.
#[test]
fn rational_splines_are_quadratic_cells_for_fit() {
    let volume = quarter_pipe(4);
    let all = [volume.clone()];
    for (name, text) in [
        ("a.xml", gismo(&all, "")),
        ("a.mesh", mfem(&all, "controlpoints_homogeneous")),
        ("a.json", splinepy(&all)),
    ] {
        let (mesh, mut report) = found(name, text);
        assert_eq!((mesh.points.len(), mesh.cells.len(), report.curved_nodes.len()), (20, 4, 61));
        assert_says(
            &report.left_out().unwrap(),
            &["61 mid-side nodes", "1 spline patch (patch 0 is rational)", "`fit`"],
        );
        assert_eq!(report.exact, None);
        for node in &report.curved_nodes {
            let [a, b] = node.between.map(|corner| CORNERS[usize::from(corner)]);
            let at = [0, 1, 2].map(|d| 0.5 * (a[d] + b[d]) as f64);
            let expected = volume.at([node.cell.0 as usize, 0, 0], at);
            assert!((0..3).all(|d| (node.point[d] - expected[d]).abs() < 1e-14), "{node:?}");
        }
        let mut solid = mesh.clone();
        subsolid::refine::crease_by_angle(&mut solid, 40.0).unwrap();
        let nodes = report.take_nodes();
        let request = FitRequest::default();
        request.take_nodes(&mut solid, &nodes, &mut ()).unwrap();
        let fit = request.run_solid(&mut solid, None, &mut ()).unwrap();
        let exact = 0.25 * PI * (4.0 - 1.0) * 3.0;
        let error = fit.volume[1] / exact - 1.0;
        assert!(error.abs() < 2e-3, "{:?} {exact} {error:e}", fit.volume);
    }
}

/// What is not exact, and the reason that is said.
#[test]
fn other_splines_are_cells_of_their_spans() {
    let three = || uniform(3, 2);
    let breaks = |knots: &[f64]| clamped(3, knots);
    for (axis, spans, why) in [
        (uniform(2, 2), 2, "degree 2 in 2 spans"),
        (uniform(4, 1), 1, "degree 4 in 1 span"),
        (breaks(&[0.0, 1.0, 2.0, 2.5]), 3, "not uniform"),
        (breaks(&[0.0, 1.0, 1.0, 2.0]), 2, "repeated knots"),
        (breaks(&[0.0, 1.0, 1.0, 1.0, 2.0]), 2, "repeated knots"),
    ] {
        let volume = Volume::new([three(), axis, three()], 0.0);
        let (mesh, report) = found("a.xml", gismo(std::slice::from_ref(&volume), ""));
        assert_says(&report.left_out().unwrap(), &[why]);
        assert_eq!(mesh.cells.len(), 4 * spans);
        let corner = mesh.points[mesh.cells.vertices(2 * spans - 1)[6] as usize];
        let expected = volume.at([1, spans - 1, 0], [1.0; 3]);
        assert!((0..3).all(|d| (corner[d] - expected[d]).abs() < 1e-14), "{why}");
    }
}

/// Two boxes side by side; `second` makes the second one of the control points where they meet.
fn pair(degree: usize, spans: usize) -> [Volume; 2] {
    let axes = || [uniform(degree, spans), uniform(degree, spans), uniform(degree, spans)];
    [Volume::new(axes(), 0.0), Volume::new(axes(), 3.0)]
}

/// A volume that runs backwards along u and v.
fn turned(volume: &Volume) -> Volume {
    let n = volume.axes[0].1.len() - volume.axes[0].0 - 1;
    let layers = volume.points.chunks(n * n);
    let points = layers.flat_map(|layer| layer.iter().rev().copied()).collect();
    Volume { points, ..volume.clone() }
}

#[test]
fn exact_patches_are_parts_of_their_own() {
    let pair = pair(3, 2);
    let (mesh, report) = found("a.xml", gismo(&pair, MULTIPATCH));
    assert_exact(&mesh, &pair);
    assert_says(&report.left_out().unwrap(), &["joints of 2 spline patches", "vtkGhostType"]);
    assert_eq!(faces(&mesh)["inlet"].len(), 4);
    let of = |name: &str| mesh.cell_data.iter().find(|array| array.name == name).unwrap();
    assert_eq!(of("gismo:patch").values.iter().sum::<f64>(), 64.0);
    let [a, b] = pair;
    let both = [a, turned(&b)];
    let (mesh, report) = found("a.mesh", mfem(&both, "controlpoints_cartesian"));
    assert_exact(&mesh, &both);
    assert_says(&report.exact.unwrap(), &["2 spline patches exactly", "112 ghost cells"]);
    let groups = faces(&mesh);
    assert_eq!(groups["mfem:bdr_attribute:8"].len(), 4);
    assert_eq!(groups["mfem:bdr_attribute:9"], groups["patch:1:u0"]);
    assert_eq!(
        mesh.cell_data.iter().find(|array| array.name == "mfem:attribute").unwrap().values[64],
        4.0
    );
}

/// Quadratic cells share vertices where the file says that patches meet.
#[test]
fn quadratic_patches_are_joined() {
    let [a, b] = pair(2, 2);
    let apart = 2 * 27;
    for (name, text, vertices) in [
        ("a.xml", gismo(&[a.clone(), b.clone()], MULTIPATCH), 45),
        ("a.xml", gismo(&[a.clone(), b.clone()], ""), apart),
        ("a.mesh", mfem(&[a.clone(), turned(&b)], "controlpoints"), 45),
        ("a.json", splinepy(&[a.clone(), b.clone()]), apart),
        // a second patch that runs along z, x and y
        (
            "a.xml",
            gismo(
                &[a.clone(), cycled(&b)],
                &MULTIPATCH.replace("1 1 0 1 2 1 1 1", "1 3 1 2 0 1 1 1"),
            ),
            45,
        ),
        (
            "a.xml",
            gismo(
                &[a.clone(), turned(&b)],
                &MULTIPATCH.replace("1 1 0 1 2 1 1 1", "1 2 0 1 2 0 0 1"),
            ),
            45,
        ),
    ] {
        let (mesh, report) = found(name, &text);
        assert_eq!((mesh.points.len(), mesh.cells.len()), (vertices, 16), "{text}");
        assert_eq!(report.curved_nodes.len(), if vertices == 45 { 180 } else { 2 * 98 });
        let first = mesh.points[mesh.cells.vertices(0)[0] as usize];
        assert_eq!(first, a.points[0]);
    }
    // a node in the way, and sides of other numbers of nodes
    let mut moved = b.clone();
    moved.points[16][1] += 0.01;
    let text = gismo(&[a.clone(), moved], MULTIPATCH);
    assert_says(&refusal("a.xml", text), &["a.xml:", "patches 0 and 1 are", "apart"]);
    let other = Volume::new([uniform(2, 2), uniform(2, 3), uniform(2, 2)], 3.0);
    let (_, report) = found("a.xml", gismo(&[a, other], MULTIPATCH));
    assert_says(&report.left_out().unwrap(), &["1 interface of patches"]);
}

/// The volume with its axes u, v, w along v, w, u.
fn cycled(volume: &Volume) -> Volume {
    let n = volume.axes[0].1.len() - volume.axes[0].0 - 1;
    let mut points = vec![[0.0; 3]; n * n * n];
    for (i, point) in volume.points.iter().enumerate() {
        let [u, v, w] = [i % n, i / n % n, i / (n * n)];
        points[w + n * (u + n * v)] = *point;
    }
    Volume { points, ..volume.clone() }
}

#[track_caller]
fn refusal(name: &str, bytes: impl AsRef<[u8]>) -> String {
    let error = read_with_report(Scratch::new().file(name, bytes)).expect_err("to be refused");
    format!("{error} {}", error.help().map(ToString::to_string).unwrap_or_default())
}

#[test]
fn boxes_of_mfem_are_read() {
    let text = "MFEM INLINE mesh v1.0\n\ntype = hex;\nnx = 2\nny = 3\nnz=1\nsx = 4.0\nsy = 1.5 # a\nsz = 1\n";
    let (mesh, report) = found("a.mesh", text);
    assert_eq!((mesh.points.len(), mesh.cells.len(), report.left_out()), (24, 6, None));
    assert_eq!(mesh.points[23], [4.0, 1.5, 1.0]);
    let groups = faces(&mesh);
    assert_eq!(groups["mfem:bdr_attribute:3"], [4.0; 3]);
    assert_eq!(groups["mfem:bdr_attribute:5"], [0.0; 3]);
    assert_eq!(groups["mfem:bdr_attribute:1"].len(), 6);
    for (from, to, parts) in [
        ("hex", "tet", &["a.mesh:3", "type `tet`", "Mesh::Print"][..]),
        ("ny = 3", "", &["must be there and positive"]),
        ("sz = 1", "sz = -1", &["must be there and positive"]),
        ("nx = 2", "nx = 99999999", &["99999999 × 3 × 1 cells", "fewer cells"]),
        ("nx = 2", "nx = 9223372036854775807", &["fewer cells"]),
        ("nx =", "nx", &["a.mesh:4"]),
        ("nx =", "nq =", &["a.mesh:4", "nx to nz"]),
    ] {
        let path = Scratch::new();
        let path = path.file("a.mesh", text.replace(from, to));
        let options = ReadOptions { most_unpacked: 1 << 30 };
        let error = read_with_options(path, options).expect_err("to be refused");
        let help = error.help().map(ToString::to_string).unwrap_or_default();
        assert_says(&format!("{error} {help}"), parts);
    }
}

#[test]
fn damaged_and_other_splines_are_refused_with_their_place() {
    let volume = || [Volume::new([uniform(1, 1), uniform(1, 1), uniform(2, 2)], 0.0)];
    let text = mfem(&volume(), "controlpoints");
    for (from, to, parts) in [
        ("dimension\n3\n\nelements", "dimension\n2\n\nelements", &["a.mesh:5", "dimension 2"][..]),
        ("v1.0", "v9.0", &["a.mesh:1", "NURBS mesh v1.0` and v1.1"]),
        ("1 5 0 1 2 3", "1 4 0 1 2 3", &["a.mesh:9", "geometry 4"]),
        ("1 5 0 1 2 3", "1 5 0 1 2 1", &["patch 0 has a vertex twice"]),
        ("5 6 7", "5 6 8", &["patch 0 names vertex 8, there are 8"]),
        ("vertices\n8", "vertices\n800", &["800 vertices"]),
        ("vertices\n8", "vertices\n-8", &["a.mesh:18"]),
        ("2 4 0.25", "2 5 0.25", &["a.mesh:"]),
        ("2 4 0.25", "0 4 0.25", &["degree 0"]),
        ("2 4 0.25", "17 4 0.25", &["a.mesh:"]),
        ("1.75 3.25", "3.75 3.25", &["a.mesh:26", "decrease from 3.75 to 3.25"]),
        ("1.75 3.25", "nan 3.25", &["a.mesh:26", "a knot NaN"]),
        ("knotvectors\n3", "knotvectors\n2", &["2 knot vectors of a patch"]),
        ("dimension\n3\ncontrol", "dimension\n2\ncontrol", &["2 coordinates of a patch"]),
        ("elements\n1", "elements\n9999999999", &["a.mesh:11", "an attribute expected"]),
    ] {
        let damaged = text.replace(from, to);
        assert_ne!(damaged, text, "{from}");
        assert_says(&refusal("a.mesh", damaged), parts);
    }
    let weightless = mfem(&volume(), "controlpoints_cartesian").replacen(" 1.0\n", " 0.0\n", 3);
    assert_says(&refusal("a.mesh", weightless), &["a.mesh:22", "control point 0 has the weight 0"]);
    let text = gismo(&volume(), "");
    for (from, to, parts) in [
        ("TensorBSpline3", "TensorBSpline2", &["no spline volume", "`TensorBSpline2`"][..]),
        ("degree=\"2\"", "", &["a.xml:", "without a degree"]),
        (
            "degree=\"2\"",
            "degree=\"1\"",
            &["a.xml:", "16 control points, the knots have 2 × 2 × 5"],
        ),
        ("geoDim=\"3\"", "geoDim=\"2\"", &["a.xml:", "geoDim 2"]),
        ("</coefs>", "1.0</coefs>", &["49 coordinates of points"]),
        ("<coefs", "<coefs format=\"B64Float32\"", &["B64Float32"]),
        ("<coefs", "<coefs format=\"B64Float64\"", &["malformed base64"]),
        ("1.75 3.25", "x 3.25", &["a.xml:", "not a number"]),
        ("</Geometry>", "", &["a.xml:"]),
    ] {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from}");
        assert_says(&refusal("a.xml", damaged), parts);
    }
    let twice = gismo(&[volume(), volume()].concat(), "").replace("id=\"1\"", "id=\"0\"");
    assert!(faces(&found("a.xml", twice).0).contains_key("patch:1:w0"));
    for row in ["0 7 1 1 0 1 2 1 1 1", "0 2 1 1 0 0 2 1 1 1", "0 2 1 1 1 0 2 1 1 1", "0 2 1"] {
        let text = gismo(&pair(3, 1), &MULTIPATCH.replace("0 2 1 1 0 1 2 1 1 1", row));
        assert_says(&refusal("a.xml", text), &["a.xml:", "interface"]);
    }
    let text = splinepy(&volume());
    for (from, to, parts) in [
        ("\"para_dim\": 3", "\"para_dim\": 2", &["no spline volume", "from 2 to 3 dimensions"][..]),
        ("\"degrees\": [1, 1, 2]", "\"degrees\": [1, 2]", &["spline 0: 2 degrees"]),
        ("[0.25, 0.25, 1.75, 1.75], ", "", &["spline 0: 2 knot vectors"]),
        ("1.75, 3.25", "NaN, 3.25", &["a.json:3", "not a file of splinepy"]),
        ("\"weights\": [[1.0]", "\"weights\": [[0.0]", &["weight 0"]),
        ("\"weights\": [[1.0]", "\"weights\": [[1.0, 2.0]", &["a row of 2 numbers"]),
    ] {
        let damaged = text.replacen(from, to, 1);
        assert_ne!(damaged, text, "{from}");
        assert_says(&refusal("a.json", damaged), parts);
    }
}

/// Small files of every form, for what damages them.
pub fn texts() -> Vec<Sample> {
    let small = || [uniform(1, 1), uniform(2, 1), uniform(3, 2)];
    let exact = [Volume::new(small(), 0.0)];
    let pair = pair(2, 2);
    let turned = [pair[0].clone(), turned(&pair[1])];
    let pipe = [quarter_pipe(1)];
    [
        ("a.mesh", mfem(&exact, "controlpoints")),
        ("a.mesh", mfem(&turned, "controlpoints_cartesian")),
        ("a.mesh", COMMON.to_owned()),
        (
            "a.mesh",
            "MFEM INLINE mesh v1.0\ntype = hex\nnx = 2\nny = 1\nnz = 1\nsx = 1\nsy = 1\nsz = 1\n"
                .into(),
        ),
        ("a.xml", gismo(&pair, MULTIPATCH)),
        ("a.xml", gismo(&exact, MULTIPATCH)),
        ("a.xml", gismo(&pipe, "")),
        ("a.json", splinepy(&pipe)),
    ]
    .map(|(name, text)| Sample { name, bytes: text.into_bytes() })
    .into()
}

/// Two patches with control points of the whole mesh.
const COMMON: &str = include_str!("common.mesh");

/// Control points of the whole mesh, as MFEM wrote them (`splines/write.py`), are those of its patches.
#[test]
fn control_points_of_mfem_are_those_of_its_patches() {
    let patches = include_str!("patches.mesh");
    let [(common, _), (own, report)] = [COMMON, patches].map(|text| found("a.mesh", text));
    assert_eq!((own.cells.len(), own.points.len()), (24, 64));
    assert_says(&report.left_out().unwrap(), &["3 spline patches (patch 0 is rational)"]);
    for cell in 0..24 {
        for (a, b) in common.cells.vertices(cell).iter().zip(own.cells.vertices(cell)) {
            let [a, b] = [common.points[*a as usize], own.points[*b as usize]];
            assert!((0..3).all(|d| (a[d] - b[d]).abs() < 1e-14), "{cell}: {a:?} {b:?}");
        }
    }
    assert_eq!(faces(&common).keys().collect::<Vec<_>>(), faces(&own).keys().collect::<Vec<_>>());
    assert_eq!(faces(&common)["mfem:bdr_attribute:8"].len(), 3);
    let spaced = COMMON.replacen("v1.0", "v1.1", 1);
    let spaced = spaced.replacen("weights", "spacing\n1\n0 2 1 1 3 0.5\n\nweights", 1);
    assert_says(&found("a.mesh", spaced).1.left_out().unwrap(), &["1 spacing of knot vectors"]);
    for (from, to, parts) in [
        ("weights", "periodic\n0\n0\nweights", &["periodic"][..]),
        ("4 0 3\n", "4 0 4\n", &["edges of patch 0 have no knot vector"]),
        ("4 0 3\n", "2 0 3\n", &["edges of patch 0 along one axis have other knot vectors"]),
        ("4 0 3\n", "4 0 3\n4 0 3\n", &["a.mesh:"]),
        ("NURBS\n", "H1_3D_P2\n", &["H1_3D_P2"]),
        ("VDim: 3", "VDim: 2", &["2 coordinates"]),
        ("2 4 0 0 0 0.29", "2 444444 0 0 0 0.29", &["a.mesh:"]),
    ] {
        let damaged = COMMON.replacen(from, to, 1);
        assert_ne!(damaged, COMMON, "{from}");
        assert_says(&refusal("a.mesh", damaged), parts);
    }
}
