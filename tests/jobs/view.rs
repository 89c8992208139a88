//! What a page draws is the limit: its patches and pieces, read back by code of these tests.

use subsolid::mesh::shape::Shape;
use subsolid::mesh::{Attribute, CellArray, CellKind, Creases, Polygons, SolidMesh, SurfaceMesh};
use subsolid::plan::{Location, Samples, Want};
use subsolid::refine::crease_by_angle;
use subsolid::scheme::Scheme;
use subsolid::surface::limit::{LimitSurface, SurfaceLocation};
use subsolid::view::{Page, Paint, SkinOptions, SkinPolygons, ViewOptions};
use subsolid::{Backend, Solid, backend};

use crate::decoded_page::Decoded;
use crate::oracle::vector::Greatest;
use crate::oracle::vector::euclidean as distance;
use crate::polyhedra;

fn bernstein(t: f64) -> [f64; 4] {
    let s = 1.0 - t;
    [s.powi(3), 3.0 * s * s * t, 3.0 * s * t * t, t.powi(3)]
}

const PLACES: [[f64; 3]; 4] =
    [[0.0, 0.0, 0.0], [0.21, 0.68, 0.4], [0.9, 0.15, 0.77], [1.0, 1.0, 1.0]];

/// Largest distances of the boundary and of the inside of a page from the limit, over the size.
fn distances(mesh: &SolidMesh) -> [f64; 2] {
    let solid = Solid::new(mesh).unwrap();
    let page = Page::of_solid(mesh, &ViewOptions::titled("test")).unwrap();
    let decoded = Decoded::new(&page);
    let limit = |places: Vec<Location>| -> Vec<[f64; 3]> {
        let plan = solid.plan(&Samples::Points(places), Want::POSITION).unwrap();
        let limit = backend::Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
        (0..limit.len()).map(|i| limit.positions.triple(i)).collect()
    };
    let ids = |interior| -> Vec<u32> {
        decoded.words(interior, "element").into_iter().map(u32::from_le_bytes).collect()
    };

    let (mut places, mut drawn) = (Vec::new(), Vec::new());
    let (elements, frames) = (ids(false), decoded.reals(false, "place"));
    let patches = decoded.points(false, 16);
    assert_eq!(patches.len(), elements.len());
    for (i, points) in patches.iter().enumerate() {
        let frame = &frames[9 * i..9 * i + 9];
        for [s, t, _] in PLACES {
            let parameters = std::array::from_fn(|d| {
                (frame[d] + s * frame[3 + d] + t * frame[6 + d]).clamp(0.0, 1.0)
            });
            places.push(Location { element: elements[i], parameters });
            let (a, b) = (bernstein(s), bernstein(t));
            drawn.push(std::array::from_fn(|d| {
                (0..16).map(|k| a[k % 4] * b[k / 4] * points[k][d]).sum()
            }));
        }
    }
    let size = decoded.head["size"].as_f64().unwrap();
    let worst = |places, drawn: &[[f64; 3]]| {
        let found = limit(places);
        found.iter().zip(drawn).map(|(a, b)| distance(*a, *b)).greatest() / size
    };
    let shell = worst(places, &drawn);

    let (mut places, mut drawn) = (Vec::new(), Vec::new());
    let (elements, boxes) = (ids(true), decoded.reals(true, "box"));
    for (i, points) in decoded.points(true, 64).iter().enumerate() {
        let own = &boxes[6 * i..6 * i + 6];
        for p in PLACES {
            let parameters = std::array::from_fn(|d| own[d] + p[d] * own[3 + d]);
            places.push(Location { element: elements[i], parameters });
            let [a, b, c] = p.map(bernstein);
            drawn.push(std::array::from_fn(|d| {
                (0..64).map(|k| a[k % 4] * b[k / 4 % 4] * c[k / 16] * points[k][d]).sum()
            }));
        }
    }
    [shell, worst(places, &drawn)]
}

/// A wedge on a hexahedron, and a tetrahedron on the wedge.
fn mixed() -> SolidMesh {
    let mut mesh = SolidMesh {
        points: vec![
            [0.0, 0.0, 0.0],
            [1.0, 0.0, 0.1],
            [1.1, 1.0, 0.0],
            [0.0, 1.0, 0.0],
            [0.0, 0.1, 1.0],
            [1.0, 0.0, 1.0],
            [1.0, 1.2, 1.0],
            [0.0, 1.0, 1.1],
            [0.1, 0.5, 2.0],
            [1.0, 0.6, 1.9],
            [0.4, 0.7, 3.1],
        ],
        ..SolidMesh::default()
    };
    mesh.cells.push(CellKind::Hexahedron, &[0, 1, 2, 3, 4, 5, 6, 7]);
    mesh.cells.push(CellKind::Wedge, &[4, 7, 8, 5, 6, 9]);
    mesh.cells.push(CellKind::Tetrahedron, &[4, 8, 7, 10]);
    mesh
}

#[test]
fn pages_draw_the_limit_of_solids() {
    let mut creased = Shape::parse("box", &[]).unwrap().build().unwrap();
    crease_by_angle(&mut creased, 40.0).unwrap();
    let (prisms, voronoi) = (polyhedra::hexagonal_prisms(), polyhedra::voronoi_cells());
    assert_eq!([prisms.cells.len(), prisms.points.len()], [14, 72]);
    assert_eq!(voronoi.cells.len(), 15);
    let mut meshes = vec![
        ("creased box".to_owned(), creased),
        ("mixed cells".to_owned(), mixed()),
        ("hexagonal prisms".to_owned(), prisms),
        ("Voronoi cells".to_owned(), voronoi),
        ("bracket".into(), subsolid::read("models/bracket.vtk").unwrap()),
    ];
    for name in ["fan", "link-3444555", "link-tetrahedron"] {
        meshes.push((name.into(), Shape::parse(name, &[]).unwrap().build().unwrap()));
    }
    // a left-handed cell, listed the other way round
    let mut left = Shape::parse("box", &[]).unwrap().build().unwrap();
    let cells: Vec<[u32; 8]> = left.cells.hexahedra().unwrap().to_vec();
    let turned = cells.iter().map(|c| [c[4], c[5], c[6], c[7], c[0], c[1], c[2], c[3]]);
    left = SolidMesh::from_hexahedra(left.points, &turned.collect::<Vec<_>>());
    meshes.push(("left-handed".into(), left));
    for (name, mesh) in meshes {
        let [shell, inside] = distances(&mesh);
        assert!(shell < 1e-5, "{name}: boundary {shell:.2e} of the size");
        // the remainder at extraordinary edges and vertices interpolates
        assert!(inside < 3e-4, "{name}: inside {inside:.2e} of the size");
    }
}

#[test]
fn pages_draw_the_limit_of_surfaces() {
    for name in ["bishop", "cubes_semisharp", "nonquads", "val2_interior", "hole_test2"] {
        let mesh = subsolid::read_surface(format!("models/surfaces/{name}.obj")).unwrap();
        let limit = LimitSurface::of_mesh(&mesh, Scheme::CatmullClark).unwrap();
        let options = ViewOptions::titled(name);
        let page = Page::of_surface(&mesh, Scheme::CatmullClark, 0, &options).unwrap();
        let decoded = Decoded::new(&page);
        let size = decoded.head["size"].as_f64().unwrap();
        let frames = decoded.reals(false, "place");
        let elements = decoded.words(false, "element");
        let (mut places, mut drawn) = (Vec::new(), Vec::new());
        for (i, points) in decoded.points(false, 16).iter().enumerate() {
            for [s, t, _] in PLACES {
                let at = |d: usize| {
                    frames[9 * i + d] + s * frames[9 * i + 3 + d] + t * frames[9 * i + 6 + d]
                };
                let element = u32::from_le_bytes(elements[i]);
                places.push(SurfaceLocation { element, parameters: [at(0), at(1)] });
                let (a, b) = (bernstein(s), bernstein(t));
                drawn.push(std::array::from_fn::<f64, 3, _>(|d| {
                    (0..16).map(|k| a[k % 4] * b[k / 4] * points[k][d]).sum()
                }));
            }
        }
        let found = limit.evaluate(&mesh.points, &places, Want::POSITION).unwrap().positions;
        let worst = found.iter().zip(&drawn).map(|(a, b)| distance(*a, *b)).greatest() / size;
        assert!(worst < 1e-5, "{name}: {worst:.2e} of the size");
        let error = page.error().unwrap() / size;
        assert!(error < 1e-5, "{name}: {error:.2e} of the size");
    }
}

#[test]
fn attributes_are_drawn_with_the_weights_of_positions() {
    let mut mesh = subsolid::read("models/bracket.vtk").unwrap();
    mesh.attributes = (0..3)
        .map(|d| Attribute {
            name: format!("<b>{d}</b>"),
            width: 1,
            values: mesh.points.iter().map(|p| p[d]).collect(),
        })
        .collect();
    let page = Page::of_solid(&mesh, &ViewOptions::titled("<i>")).unwrap();
    assert!(!page.to_html().unwrap().contains("<b>") && !page.to_html().unwrap().contains("<i>"));
    let decoded = Decoded::new(&page);
    for interior in [false, true] {
        let points = decoded.points(interior, if interior { 64 } else { 16 });
        for d in 0..3 {
            let (low, high) = mesh.bounds().unwrap();
            let step = (high[d] - low[d]) / 65535.0; // of the points
            let values = decoded.values(interior, &format!("attribute {d}"));
            for (point, value) in points.iter().flatten().zip(&values) {
                assert!((value - point[d]).abs() < 2.0 * step, "{value} {}", point[d]);
            }
        }
    }
}

#[test]
fn the_worst_cell_is_that_of_the_quality_report() {
    let mut mesh = Shape::parse("box", &[]).unwrap().build().unwrap();
    let (low, high) = mesh.bounds().unwrap();
    let center = std::array::from_fn(|d| (low[d] + high[d]) / 2.0);
    let inner = (0..mesh.points.len())
        .min_by(|&a, &b| {
            distance(mesh.points[a], center).total_cmp(&distance(mesh.points[b], center))
        })
        .unwrap();
    mesh.points[inner][0] += 2.0 * (high[0] - low[0]);
    let page = Page::of_solid(&mesh, &ViewOptions::titled("inverted")).unwrap();
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(5), Want::QUALITY).unwrap();
    let limit = backend::Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let mut quality = subsolid::volume::Quality::default();
    quality.add(&plan, &limit);
    let (worst, expected) = (page.worst().unwrap(), quality.least_scaled_jacobian.unwrap());
    assert!(expected.value < -0.01, "the mesh is inverted: {}", expected.value);
    // several places may be as bad; this is one of them
    let place = Location { element: worst.cell, parameters: worst.parameters };
    let plan = solid.plan(&Samples::Points(vec![place]), Want::FIRST).unwrap();
    let limit = backend::Cpu::default().evaluate(&plan, mesh.controls()).unwrap();
    let [a, b, c] = [0, 1, 2].map(|d: usize| limit.derivatives[d].triple(0));
    let cross = [b[1] * c[2] - b[2] * c[1], b[2] * c[0] - b[0] * c[2], b[0] * c[1] - b[1] * c[0]];
    let determinant: f64 = (0..3).map(|d| a[d] * cross[d]).sum();
    let lengths: f64 = [a, b, c].into_iter().map(|x| distance(x, [0.0; 3])).product();
    assert!((worst.scaled_jacobian - determinant / lengths).abs() < 1e-12);
    assert!(distance(worst.point, limit.positions.triple(0)) < 1e-12);
    assert!((worst.scaled_jacobian - expected.value).abs() < 1e-12);
    let head = Decoded::new(&page).head;
    assert!(head["inverted"].as_u64().unwrap() > 0);
}

#[test]
fn groups_are_among_the_figures() {
    let mut mesh = subsolid::read("models/bracket.vtk").unwrap();
    mesh.cell_data.push(CellArray::group("steel", mesh.cells.len(), [0, 1]));
    let page = Page::of_solid(&mesh, &ViewOptions::titled("bracket")).unwrap();
    let figures = Decoded::new(&page).head["figures"].clone();
    assert!(figures.as_array().unwrap().contains(&serde_json::json!(["group steel", "2 cells"])));
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let mesh = subsolid::read("models/bracket.vtk").unwrap();
    let refused = |change: fn(&mut ViewOptions)| {
        let mut options = ViewOptions::titled("bracket");
        change(&mut options);
        Page::of_solid(&mesh, &options).unwrap_err().to_string()
    };
    assert!(refused(|o| o.rings = 9).contains("9 rings"));
    assert!(refused(|o| o.samples = 1).contains("1 sample"));
    assert!(refused(|o| o.color = Some("heat".into())).contains("no array `heat`"));
    let by_class = ViewOptions { color: Some("class".into()), ..ViewOptions::titled("bracket") };
    assert_eq!(Decoded::new(&Page::of_solid(&mesh, &by_class).unwrap()).head["color"], "class");
    let empty = Page::of_solid(&SolidMesh::default(), &ViewOptions::titled("")).unwrap_err();
    assert!(empty.to_string().contains("no cells"));
}

/// A pyramid on a prism of five sides beside a hexahedron: polyhedra with and without corners of
/// three edges, and a face of five corners.
fn polyhedra() -> SolidMesh {
    let ring = |z: f64| {
        [[0.0, 0.0], [2.0, 0.0], [2.5, 1.0], [1.0, 2.0], [0.0, 1.0]].map(|[x, y]| [x, y, z])
    };
    let mut mesh = SolidMesh { points: [ring(0.0), ring(1.0)].concat(), ..SolidMesh::default() };
    mesh.points.push([1.0, -2.0, 0.5]);
    let mut prism: Vec<Vec<u32>> = vec![vec![4, 3, 2, 1, 0], vec![5, 6, 7, 8, 9]];
    prism.extend((0..5).map(|i| vec![i, (i + 1) % 5, (i + 1) % 5 + 5, i + 5]));
    mesh.cells.push_polyhedron(prism.iter().map(Vec::as_slice));
    let pyramid =
        [vec![0, 5, 6, 1], vec![0, 1, 10], vec![1, 6, 10], vec![6, 5, 10], vec![5, 0, 10]];
    mesh.cells.push_polyhedron(pyramid.iter().map(Vec::as_slice));
    mesh
}

/// Six times the volume of linear pieces and, from their sides on the boundary, of what these hold.
fn volumes(page: &Decoded) -> [f64; 2] {
    let size = page.head["size"].as_f64().unwrap();
    let points: Vec<f64> = page.reals(false, "vertex").into_iter().map(|x| x * size).collect();
    let points: &[[f64; 3]] = points.as_chunks().0;
    let corners = page.ids("corner");
    let pieces: &[[u32; 8]] = corners.as_chunks().0;
    let tetrahedron = |a: [f64; 3], b: [f64; 3], c: [f64; 3]| {
        a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0])
    };
    // outward quads; of planar ones any triangulation will do
    const QUADS: [[usize; 4]; 6] =
        [[0, 4, 7, 3], [1, 2, 6, 5], [0, 1, 5, 4], [3, 7, 6, 2], [0, 3, 2, 1], [4, 5, 6, 7]];
    let quad = |piece: usize, side: usize| {
        let [a, b, c, d] = QUADS[side].map(|k| points[pieces[piece][k] as usize]);
        tetrahedron(a, b, c) + tetrahedron(a, c, d)
    };
    let whole = (0..pieces.len()).map(|p| (0..6).map(|s| quad(p, s)).sum::<f64>()).sum();
    let sides = page.bytes(false, "side").iter().map(|&s| usize::from(2 * (s & 3) + (s >> 2)));
    let shown = page.ids("element").into_iter().zip(sides);
    [whole, shown.map(|(piece, side)| quad(piece as usize, side)).sum()]
}

#[test]
fn cells_of_all_kinds_are_drawn_as_they_are() {
    let prism = 3.5; // the area of the ring by the shoelace formula
    let pyramid = 4.0 / 3.0;
    let tetrahedra = {
        let mut mesh = mixed();
        mesh.cells = subsolid::mesh::Cells::default();
        mesh.cells.push(CellKind::Tetrahedron, &[4, 8, 7, 10]);
        mesh
    };
    let cuboid = Shape::parse("box", &[2, 1, 1]).unwrap().build().unwrap();
    for (mesh, volume) in [(polyhedra(), Some(prism + pyramid)), (tetrahedra, None), (cuboid, None)]
    {
        let mut mesh = mesh;
        let values = mesh.points.iter().map(|p| p[0] + 2.0 * p[1]).collect();
        mesh.attributes.push(Attribute { name: "a".into(), width: 1, values });
        let page = Page::of_cells(&mesh, &ViewOptions::titled("")).unwrap();
        let decoded = Decoded::new(&page);
        let [whole, boundary] = volumes(&decoded);
        assert!(whole > 0.0 && (whole - boundary).abs() < 1e-13 * whole, "{whole} {boundary}");
        if let Some(volume) = volume {
            assert!((whole / 6.0 - volume).abs() < 2e-7 * volume, "{whole}");
        }
        assert!(page.worst().unwrap().scaled_jacobian > 0.0);
    }
    // each piece belongs to its cell: a prism of 2 · 5 + 5 pieces, a pyramid of 1 + 4
    let page = Page::of_cells(&polyhedra(), &ViewOptions::titled("")).unwrap();
    let cells = Decoded::new(&page).ids("element_cell");
    assert_eq!([0, 1].map(|c| cells.iter().filter(|&&x| x == c).count()), [15, 5]);
}

/// Ten cells in a row, with attributes that 16 bits of their range do not hold.
fn row() -> SolidMesh {
    let mut mesh = Shape::parse("box", &[10, 1, 1]).unwrap().build().unwrap();
    crease_by_angle(&mut mesh, 40.0).unwrap();
    let attribute = |name: &str, value: &dyn Fn(usize, f64) -> f64| Attribute {
        name: name.into(),
        width: 1,
        values: mesh.points.iter().enumerate().map(|(v, p)| value(v, p[0])).collect(),
    };
    let last = mesh.points.len() - 1;
    mesh.attributes = vec![
        attribute("outlier", &|v, x| if v == last { 1e6 } else { 20.0 + x }),
        attribute("pressure", &|_, x| 101_325.0 + 0.09 * x),
        attribute("far", &|_, x| 1e9 + x * x),
        attribute("small", &|_, x| 1e-200 * (1.0 + x)),
        attribute("large", &|_, x| 1e300 * (1.0 + x)),
    ];
    mesh
}

#[test]
fn values_of_attributes_are_those_of_the_limit() {
    let mesh = row();
    let solid = Solid::new(&mesh).unwrap();
    let decoded = Decoded::new(&Page::of_solid(&mesh, &ViewOptions::titled("row")).unwrap());
    let elements = decoded.words(true, "element");
    let boxes = decoded.reals(true, "box");
    for (number, attribute) in mesh.attributes.iter().enumerate() {
        let values = decoded.values(true, &format!("attribute {number}"));
        let largest = attribute.values.iter().copied().fold(0.0, f64::max);
        let positions = attribute.values.iter().map(|&x| [x / largest, 0.0, 0.0]).collect();
        let controls = SolidMesh { points: positions, ..SolidMesh::default() };
        let (mut places, mut drawn, mut extents) = (Vec::new(), Vec::new(), Vec::new());
        for (i, piece) in values.chunks(64).enumerate() {
            let piece: Vec<f64> = piece.iter().map(|x| x / largest).collect();
            let extent = piece.iter().map(|x| (x - piece[0]).abs()).fold(0.0, f64::max);
            for p in PLACES {
                let element = u32::from_le_bytes(elements[i]);
                let parameters = [0, 1, 2].map(|d| boxes[6 * i + d] + p[d] * boxes[6 * i + 3 + d]);
                places.push(Location { element, parameters });
                let [a, b, c] = p.map(bernstein);
                let weight = |k: usize| a[k % 4] * b[k / 4 % 4] * c[k / 16];
                drawn.push((0..64).map(|k| weight(k) * piece[k]).sum::<f64>());
                extents.push(extent);
            }
        }
        let plan = solid.plan(&Samples::Points(places), Want::POSITION).unwrap();
        let limit = backend::Cpu::default().evaluate(&plan, controls.controls()).unwrap();
        for (i, (drawn, extent)) in drawn.iter().zip(extents).enumerate() {
            let value = limit.positions.triple(i)[0];
            let bound = 1e-6 * extent + 1e-12 * value.abs();
            assert!((drawn - value).abs() <= bound, "{}: {drawn} {value}", attribute.name);
        }
    }
}

/// The ends of the colors of a page are those of the limit, not of its control values.
#[test]
fn ranges_of_colors_are_those_of_the_limit() {
    let mesh = SolidMesh { creases: Creases::default(), ..row() };
    let solid = Solid::new(&mesh).unwrap();
    let plan = solid.plan(&Samples::grid(19), Want::POSITION).unwrap();
    for interior in [true, false] {
        let options = ViewOptions { interior, ..ViewOptions::titled("row") };
        let decoded = Decoded::new(&Page::of_solid(&mesh, &options).unwrap());
        for attribute in &mesh.attributes {
            let largest = attribute.values.iter().copied().fold(0.0, f64::max);
            let points = attribute.values.iter().map(|&x| [x / largest, 0.0, 0.0]).collect();
            let controls = SolidMesh { points, ..SolidMesh::default() };
            let limit = backend::Cpu::default().evaluate(&plan, controls.controls()).unwrap();
            let values = (0..limit.positions.len() / 3).map(|i| limit.positions.triple(i)[0]);
            let ends = values.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
                [low.min(x), high.max(x)]
            });
            let channels = decoded.head["channels"].as_array().unwrap();
            let channel = channels.iter().find(|c| c["name"] == attribute.name.as_str()).unwrap();
            let extent = ends[1] - ends[0];
            for (end, of_limit) in ["low", "high"].into_iter().zip(ends) {
                let away = (channel[end].as_f64().unwrap() / largest - of_limit).abs();
                // the samples of the page are fewer
                assert!(away <= 1e-3 * extent, "{} {end}: {away} of {extent}", attribute.name);
            }
            if attribute.name == "outlier" {
                assert!(channel["high"].as_f64().unwrap() < 0.5e6);
            }
        }
    }
}

#[test]
fn there_is_no_value_where_a_value_is_not_finite() {
    let mut mesh = row();
    mesh.attributes.truncate(2);
    mesh.attributes[0].values[0] = f64::NAN;
    mesh.attributes[1].values = vec![f64::NAN; mesh.points.len()];
    let options = ViewOptions::titled("row");
    for page in [Page::of_solid(&mesh, &options), Page::of_cells(&mesh, &options)] {
        let decoded = Decoded::new(&page.unwrap());
        let values = decoded.values(false, "attribute 0");
        // not beside it alone: where its basis function is not 0
        assert!(values[0].is_nan() && values.iter().any(|x| x.is_finite()));
        assert!(values.iter().all(|x| x.is_nan() || (19.0..=1e6 + 1.0).contains(x)));
        assert!(decoded.values(false, "attribute 1").iter().all(|x| x.is_nan()));
    }
}

#[test]
fn arrays_of_cells_are_exact() {
    let mut mesh = Shape::parse("box", &[4, 1, 1]).unwrap().build().unwrap();
    let ids: Vec<f64> = (0..4).map(|i| f64::from(100_000_001 + i)).collect();
    let reals = vec![0.1, 1e-300, f64::NAN, 1e300];
    mesh.cell_data.push(CellArray::new("id", 1, ids.clone(), true));
    mesh.cell_data.push(CellArray::new("real", 1, reals.clone(), false));
    let decoded = Decoded::new(&Page::of_solid(&mesh, &ViewOptions::titled("")).unwrap());
    assert_eq!(decoded.doubles("cell 0 0"), ids);
    let bits = |values: Vec<f64>| values.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(decoded.doubles("cell 1 0")), bits(reals));
    assert_eq!(decoded.head["channels"][2]["low"], 100_000_001.0);
}

/// Positions and Jacobians beyond single precision.
#[test]
fn models_of_all_sizes_have_the_same_picture() {
    let unit = Shape::parse("box", &[3, 3, 3]).unwrap().build().unwrap();
    let decode = |scale: f64| {
        let mut mesh = unit.clone();
        mesh.points.as_flattened_mut().iter_mut().for_each(|x| *x *= scale);
        let options = ViewOptions::titled("");
        [Page::of_solid(&mesh, &options), Page::of_cells(&mesh, &options)]
            .map(|page| Decoded::new(&page.unwrap()))
    };
    let [limit, linear] = decode(1.0);
    for exponent in [-200, -60, 60, 200] {
        let scale = f64::from(exponent).exp2();
        let [scaled, scaled_linear] = decode(scale);
        for name in ["control vertex", "singular points", "boundary points", "points"] {
            if limit.head["sections"][name].is_object() {
                assert_eq!(
                    scaled.bytes(false, name),
                    limit.bytes(false, name),
                    "{name} {exponent}"
                );
            }
        }
        assert_eq!(scaled_linear.bytes(false, "vertex"), linear.bytes(false, "vertex"));
        let determinants = limit.doubles("determinant");
        for (own, one) in scaled.doubles("determinant").iter().zip(determinants) {
            assert!((own / scale.powi(3) - one).abs() <= 1e-12 * one, "{own} {one}");
        }
    }
}

/// Two triangles, of which the second is a hole.
fn with_hole() -> SurfaceMesh {
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0], [2.0, 0.0, 0.0]];
    let mut faces = Polygons::default();
    [[0, 1, 2], [0, 2, 3], [1, 4, 2]].iter().for_each(|face| faces.push(face));
    SurfaceMesh { holes: vec![1], ..SurfaceMesh::new(points, faces) }
}

#[test]
fn holes_are_not_drawn_as_triangles() {
    let (mesh, options) = (with_hole(), ViewOptions::titled("hole"));
    let page = Page::of_polygons(&mesh, &options).unwrap();
    assert_eq!(Decoded::new(&page).ids("element"), [0, 2]);
    for scheme in [Scheme::Loop, Scheme::Sqrt3, Scheme::Bilinear] {
        let full = SurfaceMesh { holes: Vec::new(), ..mesh.clone() };
        let count = |mesh: &SurfaceMesh| {
            let page = Page::of_surface(mesh, scheme, 1, &options).unwrap();
            Decoded::new(&page).ids("element").len()
        };
        let (own, full) = (count(&mesh), count(&full));
        assert!(3 * own <= 2 * full + 2 && own > 0, "{scheme:?}: {own} of {full}");
    }
    let all = SurfaceMesh { holes: vec![0, 1, 2], ..mesh };
    let error = Page::of_polygons(&all, &options).unwrap_err();
    assert!(error.to_string().contains("not holes"), "{error}");
}

#[test]
fn triangles_that_stand_for_a_limit_have_no_bound() {
    let (mesh, options) = (with_hole(), ViewOptions::titled("hole"));
    for scheme in [Scheme::Loop, Scheme::Sqrt3, Scheme::Bilinear] {
        let page = Page::of_surface(&mesh, scheme, 0, &options).unwrap();
        assert!(
            page.error().is_none() && Decoded::new(&page).head["error"].is_null(),
            "{scheme:?}"
        );
    }
    assert_eq!(Page::of_polygons(&mesh, &options).unwrap().error(), Some(0.0));
}

/// A part is shown in one color where no array says more; its facets keep their edges.
#[test]
fn surfaces_have_one_color() {
    let mut mesh = with_hole();
    let options = ViewOptions::titled("");
    let limit = Page::of_surface(&mesh, Scheme::CatmullClark, 0, &options).unwrap();
    assert_eq!(Decoded::new(&limit).head["color"], "plain");
    for scheme in [Scheme::Loop, Scheme::Bilinear] {
        let page = Decoded::new(&Page::of_surface(&mesh, scheme, 1, &options).unwrap());
        assert_eq!(page.head["color"], "plain");
        // normals of the limit, and none of facets: the page makes these
        assert_eq!(page.head["sections"]["normal"].is_object(), scheme == Scheme::Loop);
    }
    let skin = SkinOptions { paint: Paint::First, ..SkinOptions::default() };
    let painted = |mesh: &SurfaceMesh| SkinPolygons::of_polygons(mesh.clone(), &skin).unwrap();
    assert!(painted(&mesh).colors.is_empty());
    let vertices = mesh.points.len();
    mesh.set_normals(vec![[0.0, 0.0, 1.0]; vertices]);
    let first = |mesh: &SurfaceMesh| {
        Decoded::new(&Page::of_polygons(mesh, &options).unwrap()).head["color"].clone()
    };
    assert_eq!(first(&mesh), "plain");
    let values = (0..vertices).map(|v| v as f64).collect();
    mesh.attributes.push(Attribute { name: "heat".into(), width: 1, values });
    // after three components of the normals
    assert_eq!(first(&mesh), 3);
    assert_eq!(painted(&mesh).colors.len(), vertices);
    let by_class = ViewOptions { color: Some("one color".into()), ..options.clone() };
    let solid = Shape::Fan { valence: 5, layers: 2, rings: 2 }.build().unwrap();
    let first =
        |options| Decoded::new(&Page::of_solid(&solid, options).unwrap()).head["color"].clone();
    assert_eq!([first(&by_class), first(&options)], ["plain", "class"]);
}

#[test]
fn colors_go_by_the_names_in_the_page() {
    let mut mesh = Shape::parse("box", &[3, 3, 3]).unwrap().build().unwrap();
    let values = mesh.points.iter().flat_map(|p| [0.0, p[0], p[1]]).collect();
    mesh.attributes.push(Attribute { name: "v".into(), width: 3, values });
    let shown = |name: &str| {
        let options = ViewOptions { color: Some(name.into()), ..ViewOptions::titled("") };
        Page::of_solid(&mesh, &options).map(|page| Decoded::new(&page).head["color"].clone())
    };
    // after the two Jacobians
    for (name, color) in [("v", 2), ("v [0]", 2), ("v [1]", 3), ("v [2]", 4), ("det J", 1)] {
        assert_eq!(shown(name).unwrap(), color, "{name}");
    }
    for (name, color) in
        [("class of cell", "class"), ("layer of cells", "layer"), ("number of cell", "number")]
    {
        assert_eq!(shown(name).unwrap(), color, "{name}");
    }
    let error = format!("{:?}", shown("v [3]").unwrap_err());
    assert!(error.contains("v [0], v [1], v [2]") && error.contains("layer of cells"), "{error}");
    // .glb files, too
    let colors = |name: &str| {
        let options = SkinOptions { paint: Paint::Array(name.into()), ..SkinOptions::default() };
        let solid = SkinPolygons::of_solid(&mesh, &options).unwrap().colors;
        assert!(!SkinPolygons::of_cells(&mesh, &options).unwrap().colors.is_empty());
        solid
    };
    let all = ["v", "v [1]", "v [2]", "layer of cells", "number of cell"].map(colors);
    let distinct = |i: usize| {
        let bits: std::collections::HashSet<_> =
            all[i].iter().map(|color| color.map(f32::to_bits)).collect();
        bits.len()
    };
    assert_eq!([0, 3].map(distinct), [1, 1]);
    assert!([1, 2, 4].into_iter().all(|i| distinct(i) > 10) && all[1] != all[2]);
}
