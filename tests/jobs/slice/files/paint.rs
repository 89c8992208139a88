//! Materials of pixels from fractions or ids at them.

use subsolid::slice::{Channel, MAX_MATERIALS, Materials};

use super::dither::whites;

/// The colors of Okabe and Ito, which materials get first.
const COLORS: [[u8; 3]; 7] = [
    [230, 159, 0],
    [86, 180, 233],
    [0, 158, 115],
    [240, 228, 66],
    [0, 114, 178],
    [213, 94, 0],
    [204, 121, 167],
];
/// How far apart colors are at least, in one of red, green and blue.
const APART: u8 = 8;

fn channels(names: &[&str]) -> Vec<Channel> {
    let channel =
        |&name: &&str| Channel { name: name.into(), attribute: name.into(), range: [0.0, 1.0] };
    names.iter().map(channel).collect()
}

fn three() -> Materials {
    Materials::fractions(&channels(&["a", "b", "c"]), &[(0, None), (1, None), (2, None)]).unwrap()
}

/// Over 32³ pixels every fraction is within 0.5 % of the pixels, and all materials together are
/// the dithered coverage, pixel by pixel.
#[test]
fn fractions_are_kept_and_sum_to_the_coverage() {
    let n = 32;
    for (fractions, covered) in [
        ([0.2, 0.3, 0.5], 65535),
        ([1.0 / 3.0; 3], 65535),
        ([0.01, 0.9, 0.09], 65535),
        ([0.5, 0.25, 0.1], 65535),
        ([0.6, 0.0, 0.4], 40_000),
    ] {
        let (coverage, values) = (vec![covered; n * n], fractions.repeat(n * n));
        let mut counts = [0_u32; 4];
        for layer in 100..100 + n {
            let painted = three().paint(layer, &coverage, n, &values, 3).unwrap();
            let white = whites(covered, [n; 2], layer);
            for (pixel, &material) in painted.iter().enumerate() {
                counts[usize::from(material)] += 1;
                if (fractions.iter().sum::<f64>() - 1.0).abs() < 1e-12 {
                    assert_eq!(material > 0, white[pixel], "{fractions:?}");
                }
            }
        }
        for (fraction, count) in fractions.into_iter().zip(&counts[1..]) {
            let found = f64::from(*count) / (n * n * n) as f64;
            let expected = fraction * f64::from(covered) / 65535.0;
            assert!((found - expected).abs() < 5e-3, "{fractions:?}: {found} {expected}");
        }
    }
}

#[test]
fn a_pixel_does_not_depend_on_its_image() {
    let values = [0.3, 0.3, 0.4];
    let whole = three().paint(7, &[60_000; 35], 7, &values.repeat(35), 3).unwrap();
    let part = three().paint(7, &[60_000; 14], 7, &values.repeat(14), 3).unwrap();
    assert_eq!(whole[..14], part);
    // pixels without material have no values
    let mut coverage = [60_000; 35];
    coverage[..20].fill(0);
    let rest = three().paint(7, &coverage, 7, &values.repeat(15), 3).unwrap();
    assert!(rest[..20].iter().all(|&m| m == 0) && rest[20..] == whole[20..]);
}

#[test]
fn unfit_values_name_their_pixel() {
    let full = [65535; 3];
    for (bad, said) in [
        ([0.5, 0.5, 0.1], "sum to 1.1"),
        ([0.5, -0.1, 0.1], "-0.1 of b"),
        ([0.5, 0.1, f64::NAN], "NaN of c"),
        ([f64::INFINITY, 0.0, 0.0], "sum to inf"),
    ] {
        let values = [[0.1; 3], bad, [0.2; 3]].concat();
        let unfit = three().paint(0, &full, 3, &values, 3).unwrap_err();
        assert!(unfit.pixel == 1 && unfit.text.contains(said), "{unfit:?}");
    }
    // rounding is not an error
    let values = [0.3 + 1e-7, 0.7 + 1e-7, -1e-7].repeat(3);
    assert!(three().paint(0, &full, 3, &values, 3).is_ok());
}

#[test]
fn ids_are_materials() {
    let materials = Materials::ids(&channels(&["x", "id"]), 1, &[7, -2, 7]).unwrap();
    let names: Vec<&str> = materials.list().iter().map(|m| m.name.as_str()).collect();
    assert_eq!(names, ["id_-2", "id_7"]);
    let values = [0.0, 7.0, 0.0, -2.0];
    assert_eq!(materials.paint(3, &[65535, 0, 65535], 3, &values, 2), Ok(vec![2, 0, 1]));
    for bad in [3.0, 7.5, f64::NAN] {
        let unfit = materials.paint(3, &[65535], 1, &[0.0, bad], 2).unwrap_err();
        assert!(unfit.text.contains(&format!("id {bad}")), "{unfit:?}");
    }
    assert!(Materials::ids(&channels(&["id"]), 0, &[]).is_err());
    assert!(Materials::ids(&channels(&["id"]), 0, &(0..256).collect::<Vec<_>>()).is_err());
    let twice = Materials::fractions(&channels(&["a"]), &[(0, None), (0, None)]);
    assert!(twice.is_err());
}

#[test]
fn colors_are_told_apart() {
    let ids: Vec<i64> = (0..MAX_MATERIALS as i64).collect();
    let many = Materials::ids(&channels(&["id"]), 0, &ids).unwrap();
    let colors: Vec<[u8; 3]> = many.list().iter().map(|material| material.color).collect();
    assert_eq!(colors[..7], COLORS);
    for (i, a) in colors.iter().enumerate() {
        assert!(a.iter().max() >= Some(&130), "{i}: {a:?}");
        let far = |b: &[u8; 3]| (0..3).any(|d| a[d].abs_diff(b[d]) >= APART);
        assert!(colors[..i].iter().all(far), "{i}: {a:?}");
    }
    // none is one that is given
    let names = channels(&["f", "g", "h"]);
    let of = |colors: [Option<[u8; 3]>; 3]| {
        Materials::fractions(&names, &[0, 1, 2].map(|k| (k, colors[k])))
    };
    let given = of([None, Some(COLORS[0]), Some(COLORS[1])]).unwrap();
    let found: Vec<_> = given.list().iter().map(|material| material.color).collect();
    assert_eq!(found, [COLORS[2], COLORS[0], COLORS[1]]);
    let equal = of([Some([1, 2, 3]), None, Some([1, 2, 3])]).unwrap_err().to_string();
    assert!(equal.contains("\"f\" and \"h\" are given the same color, #010203"), "{equal}");
    let black = of([None, None, Some([0; 3])]).unwrap_err().to_string();
    assert!(black.contains("\"h\" is given the color #000000"), "{black}");
}
