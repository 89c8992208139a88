//! Vectors of hatches in contours that are known: where they begin and end, and in which order.

use subsolid::slice::{Contour, Hatch, HatchPattern, Hatching};

const TOLERANCE: f64 = 1e-9;

fn hatching(pattern: HatchPattern, spacing: f64) -> Hatching {
    Hatching { pattern, spacing, offset: 0.0, angle: 0.0, rotation: 0.0 }
}

fn rectangle([left, low]: [f64; 2], [right, high]: [f64; 2]) -> Contour {
    Contour { points: vec![[left, low], [right, low], [right, high], [left, high]], depth: 0 }
}

fn reversed(mut contour: Contour) -> Contour {
    contour.points.reverse();
    contour
}

fn vectors(own: Hatching, contours: &[Contour]) -> Vec<Hatch> {
    own.check().unwrap();
    own.vectors(contours, 0, TOLERANCE).unwrap()
}

#[test]
fn a_meander_goes_around_holes() {
    let contours = [rectangle([0.0; 2], [4.0; 2]), reversed(rectangle([1.0; 2], [3.0; 2]))];
    let found = vectors(hatching(HatchPattern::Meander, 0.5), &contours);
    let mut expected = Vec::new();
    for line in 0..8 {
        let y = 0.5 * f64::from(line) + 0.25;
        let beside_hole = [[[0.0, y], [1.0, y]], [[3.0, y], [4.0, y]]];
        let mut own =
            if (2..6).contains(&line) { beside_hole.to_vec() } else { vec![[[0.0, y], [4.0, y]]] };
        if line % 2 == 1 {
            own.reverse();
            own.iter_mut().for_each(|ends| ends.reverse());
        }
        expected.extend(own);
    }
    assert_eq!(found, expected);
}

/// Parts that touch or overlap have no vector twice, and none that ends between them.
#[test]
fn vectors_go_on_through_neighbors() {
    let left = rectangle([0.0; 2], [2.0, 1.0]);
    for right in [[2.0, 0.0], [1.0, 0.0]] {
        let right = rectangle(right, [4.0, 1.0]);
        for contours in [[left.clone(), right.clone()], [right, left.clone()]] {
            let found = vectors(hatching(HatchPattern::Meander, 1.0), &contours);
            assert_eq!(found, [[[0.0, 0.5], [4.0, 0.5]]]);
        }
    }
}

/// Lines through corners, along sides, and of a contour that is given from any corner on.
#[test]
fn corners_on_lines_are_counted_once() {
    let diamond = [[0.0, -1.5], [2.0, 0.5], [0.0, 2.5], [-2.0, 0.5]];
    let expected =
        [[[1.0, -0.5], [-1.0, -0.5]], [[-2.0, 0.5], [2.0, 0.5]], [[1.0, 1.5], [-1.0, 1.5]]];
    for first in 0..4 {
        let mut points = diamond.to_vec();
        points.rotate_left(first);
        let contours = [Contour { points, depth: 0 }];
        assert_eq!(vectors(hatching(HatchPattern::Meander, 1.0), &contours), expected);
    }
    // of a square with sides on lines that of the lower
    let square = [rectangle([0.0, 0.5], [1.0, 2.5])];
    let found = vectors(hatching(HatchPattern::Meander, 1.0), &square);
    assert_eq!(found, [[[0.0, 0.5], [1.0, 0.5]], [[1.0, 1.5], [0.0, 1.5]]]);
}

#[test]
fn stripes_are_filled_one_by_one() {
    let contours = [rectangle([-1.5, 0.0], [1.5, 1.0])];
    let found = vectors(hatching(HatchPattern::Stripes(1.0), 0.5), &contours);
    let ends = [[-1.5, -1.0], [-1.0, 0.0], [0.0, 1.0], [1.0, 1.5]];
    let of = |[a, b]: [f64; 2]| [[[a, 0.25], [b, 0.25]], [[b, 0.75], [a, 0.75]]];
    assert_eq!(found, ends.into_iter().flat_map(of).collect::<Vec<_>>());
}

#[test]
fn lines_of_islands_run_across_those_of_neighbors() {
    let contours = [rectangle([-2.0; 2], [2.0; 2])];
    let found = vectors(hatching(HatchPattern::Islands(1.0), 0.25), &contours);
    assert_eq!(found.len(), 16 * 4);
    for (number, island) in (0..).zip(found.chunks(4)) {
        let (row, column) = (number / 4 - 2, number % 4 - 2);
        let is_upward = (row + column) % 2 != 0;
        for [a, b] in island {
            let along = usize::from(is_upward);
            assert_eq!(
                (a[1 - along], (b[along] - a[along]).abs()),
                (b[1 - along], 1.0),
                "{number}"
            );
            let middle = [0, 1].map(|d| (0.5 * (a[d] + b[d])).floor());
            assert_eq!(middle, [f64::from(column), f64::from(row)], "{number}");
        }
        // a meander in each
        for pair in island.windows(2) {
            let travel = (pair[1][0][0] - pair[0][1][0]).hypot(pair[1][0][1] - pair[0][1][1]);
            assert_eq!(travel, 0.25, "{number}");
        }
    }
}

/// Far above, far from the origin, and turned more than once.
#[test]
fn layers_are_turned_by_their_number() {
    let contours = [rectangle([1e6; 2], [1e6 + 1.0; 2])];
    let turned =
        Hatching { angle: 725.0, rotation: -293.0, ..hatching(HatchPattern::Meander, 0.01) };
    for layer in [0_u64, 1, 100_003] {
        let found = turned.vectors(&contours, layer as usize, 1e-3).unwrap();
        let degrees = (5 + 67 * layer) % 360;
        let (sine, cosine) = (degrees as f64).to_radians().sin_cos();
        let mut covered = 0.0;
        for (k, [a, b]) in found.iter().enumerate() {
            let [x, y] = [b[0] - a[0], b[1] - a[1]];
            assert!((x * sine - y * cosine).abs() < 1e-8, "{layer}, {k}");
            covered += 0.01 * x.hypot(y);
        }
        assert!((covered - 1.0).abs() < 1e-3, "{layer}: {covered}");
    }
}

#[test]
fn more_than_fits_in_memory_is_refused() {
    let contours = [rectangle([0.0; 2], [1.0; 2])];
    for (pattern, spacing) in [
        (HatchPattern::Meander, 1e-8),
        (HatchPattern::Meander, 1e-300),
        (HatchPattern::Stripes(1e-5), 1e-5),
    ] {
        let error = hatching(pattern, spacing).vectors(&contours, 7, TOLERANCE).unwrap_err();
        assert_eq!(error.to_string(), "layer 7 has more than 10000000 hatches", "{pattern}");
    }
    let far = hatching(HatchPattern::Meander, 1e-5).check_within([[1e12; 2], [1e12 + 1.0; 2]]);
    assert!(far.unwrap_err().to_string().contains("do not tell lines apart"));
    let thin = Hatching { offset: 0.5, ..hatching(HatchPattern::Meander, 0.1) };
    let error = thin.check_within([[0.0; 2], [1.0, 9.0]]).unwrap_err();
    assert!(error.to_string().contains("leaves nothing"), "{error}");
}
