//! Values of options of slices.

use subsolid::jobs::slice::values::{
    HeightRange, SliceAttribute, SliceMaterial, exposure, millimeters, resolution,
};
use subsolid::numbers::Length;

#[test]
fn heights_may_be_open() {
    let of = |end: Option<f64>| end.map(Length::from);
    let range = |from, to| Ok(HeightRange { from: of(from), to: of(to) });
    assert_eq!("-1:2.5".parse(), range(Some(-1.0), Some(2.5)));
    assert_eq!(":2".parse(), range(None, Some(2.0)));
    assert_eq!("1e-3:".parse(), range(Some(1e-3), None));
    assert!(["", "1", "a:b", "1:2:3"].iter().all(|text| text.parse::<HeightRange>().is_err()));
}

#[test]
fn units_have_names() {
    let names = ["um", "mm", "cm", "m", "in", "ft", "25.4"].map(millimeters);
    assert_eq!(names.map(Result::unwrap), [1e-3, 1.0, 10.0, 1e3, 25.4, 304.8, 25.4]);
    assert!(["", "km", "1 mm"].iter().all(|text| millimeters(text).is_err()));
}

#[test]
fn resolutions_and_attributes() {
    assert_eq!(resolution("1920x1080"), Ok([1920, 1080]));
    assert!(["0x5", "5", "5x", "-1x2"].iter().all(|text| resolution(text).is_err()));
    let wanted = |text: &str| text.parse::<SliceAttribute>().unwrap();
    assert_eq!(wanted("a=b"), SliceAttribute { name: "a=b".into(), range: None });
    assert_eq!(wanted("a=-1:2").range, Some([-1.0, 2.0]));
}

#[test]
fn materials_may_have_colors() {
    let wanted = |text: &str| text.parse::<SliceMaterial>();
    assert_eq!(wanted("a=b"), Ok(SliceMaterial { name: "a=b".into(), color: None }));
    let color = Some([0xb8, 0x73, 0x33]);
    assert_eq!(wanted("a=#b87333"), Ok(SliceMaterial { name: "a".into(), color }));
    assert!(["a=#b8733", "a=#b8733g", "a=#äöü"].into_iter().all(|text| wanted(text).is_err()));
}

#[test]
fn exposures_have_up_to_three_parts() {
    let found = |text| exposure(text).map(|e| (e.seconds, e.first, e.faded));
    assert_eq!(found("6"), Ok((6.0, 6.0, 0)));
    assert_eq!(found("6.5:35"), Ok((6.5, 35.0, 0)));
    assert_eq!(found("6:35:10"), Ok((6.0, 35.0, 10)));
    assert!(["", "0", "-1", "nan", "6:", "6:7:x", "6:7:8:9"].iter().all(|t| found(t).is_err()));
}
