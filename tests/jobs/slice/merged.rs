//! Contours as files have them: without points on straight lines.

use subsolid::slice::{Contour, Layer};

#[test]
fn points_on_straight_lines_are_merged_and_no_others() {
    let tolerance = 1e-3;
    let merged = |points: &[[f64; 2]]| {
        let contour = Contour { points: points.to_vec(), depth: 3 };
        let layer = Layer { index: 7, height: 0.5, contours: vec![contour] };
        let Layer { index, height, contours } = layer.merged(tolerance);
        assert_eq!((index, height, contours[0].depth), (7, 0.5, 3));
        contours[0].points.clone()
    };
    // a rectangle at any angle, whose sides have points that are off by an eighth at most
    for turn in 0..20 {
        let (sine, cosine) = (0.33 * f64::from(turn)).sin_cos();
        let around = |[x, y]: [f64; 2]| [cosine * x - sine * y, sine * x + cosine * y];
        let corners: [[f64; 2]; 4] = [[0.0, 0.0], [3.0, 0.0], [3.0, 2.0], [0.0, 2.0]];
        let mut dense = Vec::new();
        for (k, a) in corners.into_iter().enumerate() {
            let b = corners[(k + 1) % 4];
            let along: [f64; 2] = [0, 1].map(|d| (b[d] - a[d]).clamp(-1.0, 1.0));
            for i in 0..40_u32 {
                let off = if i == 0 { 0.0 } else { [0.0, 6e-5, -6e-5][i as usize % 3] };
                let at = |d: usize| a[d] + f64::from(i) / 40.0 * (b[d] - a[d]);
                dense.push([0, 1].map(|d| at(d) + off * along[1 - d]));
            }
        }
        let mut dense: Vec<_> = dense.into_iter().map(around).collect();
        let expected: Vec<_> = corners.into_iter().map(around).collect();
        assert_eq!(merged(&dense), expected);
        // wherever it begins
        dense.rotate_left(17);
        assert_eq!(merged(&dense).len(), 4);
        dense.reverse();
        assert_eq!(merged(&dense).len(), 4);
    }
    // points of a circle are farther off, and a spike goes back
    let circle = |k: u32| [0.3 * f64::from(k).cos(), 0.3 * f64::from(k).sin()];
    let circle: Vec<_> = (0..6).map(circle).collect();
    assert_eq!(merged(&circle), circle);
    let spike = [[0.0, 0.0], [5.0, 0.0], [2.0, 1e-6], [2.0, 2.0]];
    assert_eq!(merged(&spike), spike);
    // narrower parts stay
    let thin = [[0.0, 0.0], [1.0, 1e-5], [2.0, 0.0], [1.0, -1e-5]];
    assert_eq!(merged(&thin), thin);
    assert!(merged(&[]).is_empty());
}
