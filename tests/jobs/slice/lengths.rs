//! Lengths with units, as they are given.

use subsolid::jobs::slice::PixelSize;
use subsolid::numbers::Length;

#[test]
fn lengths_have_units_of_their_own_or_the_models() {
    let of = |text: &str, mm: f64| text.parse::<Length>().map(|length| length.in_model(mm));
    for (text, mm, expected) in [
        ("0.05", 25.4, 0.05),
        ("50um", 1.0, 0.05),
        (" 50 µm ", 1.0, 0.05),
        ("50μm", 1e3, 5e-5),
        ("-1.5e1mm", 10.0, -1.5),
        ("2m", 1.0, 2e3),
        ("1e-3m", 1e-3, 1e3),
        ("1in", 25.4, 1.0),
        ("3 cm", 1.0, 30.0),
        ("1ft", 25.4, 12.0),
    ] {
        assert!((of(text, mm).unwrap() / expected - 1.0).abs() < 1e-15, "{text}");
    }
    for text in ["", "m", "um", "1km", "1 2mm", "5x", "1nm", "mm5", "1e"] {
        assert!(of(text, 1.0).is_err(), "{text}");
    }
}

#[test]
fn files_have_numbers_or_texts() {
    for (text, json) in [("0.05", "0.05"), ("50um", "\"50um\""), ("-2.5in", "\"-2.5in\"")] {
        let length: Length = text.parse().unwrap();
        assert_eq!(serde_json::to_string(&length).unwrap(), json);
        assert_eq!(serde_json::from_str::<Length>(json).unwrap(), length);
    }
    assert!(serde_json::from_str::<Length>("\"2 parsec\"").is_err());
}

#[test]
fn pixels_have_one_side_or_two() {
    let size = |text: &str| text.parse().map(|PixelSize(own)| own.map(|x| x.in_model(1.0)));
    assert_eq!(size("0.05"), Ok([0.05; 2]));
    assert_eq!(size("50um"), Ok([0.05; 2]));
    assert_eq!(size("42x84um"), Ok([0.042, 0.084]));
    assert_eq!(size("42um x 1mm"), Ok([0.042, 1.0]));
    assert!(["", "x1", "1x", "1x2x3", "1by2"].iter().all(|text| size(text).is_err()));
}
