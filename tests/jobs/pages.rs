//! The text and the colors of pages.

use subsolid::mesh::shape::Shape;
use subsolid::view::{ColorMap, Page, ViewOptions, escaped};

use crate::decoded_page::Decoded;

#[test]
fn cells_are_in_layers_from_the_boundary() {
    let mesh = Shape::Box { cells: [5; 3] }.build().unwrap();
    let page = Decoded::new(&Page::of_solid(&mesh, &ViewOptions::titled("")).unwrap());
    let layers = page.bytes(false, "layer").as_chunks::<2>().0.iter();
    let layers: Vec<u16> = layers.map(|&bytes| u16::from_le_bytes(bytes)).collect();
    // the least distance from a side
    for (cell, hex) in mesh.cells.hexahedra().unwrap().iter().enumerate() {
        let low = mesh.points[hex[0] as usize];
        let expected = low.iter().map(|x| x.min(4.0 - x)).fold(f64::INFINITY, f64::min);
        assert_eq!(f64::from(layers[cell]), expected, "{low:?}");
    }
}

#[test]
fn maps_have_the_published_ends() {
    // matplotlib's viridis; colorous draws a spline along its 256 colors, 1 of 255 off
    for (t, color) in [(0.0, [0x44, 0x01, 0x54]), (0.5, [0x21, 0x91, 0x8c]), (1.0, [253, 231, 37])]
    {
        for (x, expected) in ColorMap::Viridis.color(t).into_iter().zip(color) {
            assert!((255.0 * x - expected as f32).abs() < 1.01, "{t}: {x}");
        }
    }
    assert_eq!(ColorMap::Turbo.color(2.0), ColorMap::Turbo.color(1.0));
}

#[test]
fn texts_are_no_elements_and_the_program_ends_where_its_element_does() {
    assert_eq!(escaped("<a & 'b'>"), "&lt;a &amp; &#39;b&#39;&gt;");
    let mesh = Shape::Box { cells: [1; 3] }.build().unwrap();
    let page = Page::of_solid(&mesh, &ViewOptions::titled("")).unwrap().to_html().unwrap();
    let lower = page.to_ascii_lowercase();
    let count = |text: &str| lower.matches(text).count();
    // data, the interior and the program; one style at least
    assert_eq!(count("</script"), count("<script"));
    assert!(count("<style") > 0 && count("</style") == count("<style"));
    for style in lower.split("<style").skip(1) {
        let style = style.split_once('>').unwrap().1.split_once("</style").unwrap().0;
        assert!(!style.contains('<'));
    }
    for map in [ColorMap::Viridis, ColorMap::Cividis, ColorMap::Turbo] {
        assert!(page.contains(map.name()));
    }
    assert!(page.len() < 1_100_000, "{} bytes", page.len());
}
