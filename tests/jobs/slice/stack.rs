//! Layers between two heights, and boxes whose coordinates were rounded.

use subsolid::slice::{Axis, LayerFrame, Setting, Stack};

#[test]
fn a_layer_at_zero_is_at_zero() {
    let mut rounded = 0;
    for (k, height) in (0..200).flat_map(|k| [0.1, 0.3, 0.07].map(|height| (k, height))) {
        let low = -height * (f64::from(k) + 0.5);
        let stack = Stack::new([low, 1.0], height).unwrap();
        let middle = stack.middle(k as usize);
        assert!(middle == 0.0 && middle.is_sign_positive(), "{height} x {k}: {middle:e}");
        let next = stack.middle(k as usize + 1);
        assert!((next - height).abs() < 1e-12, "{next}");
        rounded += u32::from(low + height * (f64::from(k) + 0.5) != 0.0);
    }
    // bottoms as a user writes them
    let stack = Stack::new([-0.15, 1.0], 0.1).unwrap();
    rounded += u32::from(-0.15 + 0.1 * 1.5 != 0.0);
    assert!(stack.middle(1) == 0.0 && rounded > 0);
}

#[test]
fn layers_cover_the_height() {
    let stack = Stack::new([-1.0, 2.0], 0.1).unwrap();
    assert_eq!(stack.count(), 30); // 3 / 0.1 is 30.000000000000004
    assert!((stack.slab(29)[1] - 2.0).abs() < 1e-12);
    assert_eq!(Stack::new([0.0, 1.01], 0.1).unwrap().count(), 11);
    assert_eq!(Stack::new([0.0, 1.0], 7.0).unwrap().count(), 1);
    assert_eq!(stack.planes(0, 1), [stack.middle(0)]);
    let planes = stack.planes(2, 4);
    assert!((planes.iter().sum::<f64>() / 4.0 - stack.middle(2)).abs() < 1e-15);
}

#[test]
fn ranges_that_abut_part_the_layers() {
    let stack = Stack::new([-0.3, 1.7], 0.07).unwrap();
    let mut next = 0;
    let cuts = [-9.0, -0.265, 0.0, 0.1, stack.middle(9), 1.0, 9.0];
    for pair in cuts.windows(2) {
        let Ok(range) = stack.within(pair[0], pair[1]) else { continue };
        assert_eq!(range.start, next, "{pair:?}");
        assert!(range.clone().all(|k| (pair[0]..pair[1]).contains(&stack.middle(k))));
        next = range.end;
    }
    assert_eq!(next, stack.count());
    // 0.3 · 1.5 is 0.44999999999999996
    let stack = Stack::new([0.0, 3.0], 0.3).unwrap();
    assert_eq!(stack.within(0.45, 9.0).unwrap(), 1..10);
    assert_eq!(stack.within(0.0, 0.45).unwrap(), 0..1);
    let stack = Stack::new([-0.45, 3.0], 0.3).unwrap();
    assert_eq!(
        (stack.within(0.0, 9.0).unwrap().start, &*stack.file_stem(1, 'z')),
        (1, "00001_z0.000")
    );
    assert!(stack.within(0.5, 0.5).is_err());
    assert!(stack.within(0.5, 0.2).is_err());
    assert!(stack.within(f64::NAN, 1.0).is_err());
}

#[test]
fn unusable_heights_are_refused() {
    for height in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-12] {
        assert!(Stack::new([0.0, 1.0], height).is_err(), "{height}");
    }
    assert!(Stack::new([1e17, 1e17 + 1e3], 1.0).is_err());
    assert!(Stack::new([1.0, 1.0], 1.0).is_err());
}

#[test]
fn names_sort_and_tell_heights_apart() {
    let stack = Stack::new([-1.0, 3.0], 0.05).unwrap();
    assert_eq!(stack.file_stem(12, 'z'), "00012_z-0.3750");
    let names: Vec<String> = (0..stack.count()).map(|k| stack.file_stem(k, 'z')).collect();
    assert!(names.windows(2).all(|pair| pair[0] < pair[1] && pair[0][5..] != pair[1][5..]));
}

/// Boxes that are whole layers high and whole pixels wide, at many places.
#[test]
fn rounded_boxes_have_neither_a_layer_nor_a_column_too_many() {
    let mut rounded = 0;
    for (offset, height, count) in [0.0, 0.1, -5.3, 17.7, 120.05, -333.3]
        .iter()
        .flat_map(|&offset| [0.02, 0.05, 0.1, 0.3].map(|height| (offset, height)))
        .flat_map(|(offset, height)| [3, 40, 200, 1999].map(|n| (offset, height, n)))
    {
        let length = height * f64::from(count);
        let [low, high] = [offset, offset + length].map(|x| f64::from(x as f32));
        let frame = LayerFrame {
            axis: Axis::Z,
            tolerance: 1e-5 * length,
            heights: [low, high],
            plane: [[low, -length], [high, length]],
        };
        let setting = Setting::new(frame, height, None).unwrap();
        let text = format!("{count} of {height} at {offset}");
        // a part far smaller than its distance from the origin may be in double precision
        if 1e-4 * length > 4.0 * f64::from(f32::EPSILON) * offset.abs() {
            assert_eq!(setting.stack.count(), count as usize, "{text}");
            let size = setting.grid([height; 2], None).unwrap().size;
            assert_eq!(size, [count as usize, 2 * count as usize], "{text}");
        }
        rounded += u32::from((high - low) / height - f64::from(count) > 1e-6);
        // more than rounding counts
        let heights = [low, high + 0.01 * height + frame.rounding()];
        let setting = Setting::new(LayerFrame { heights, ..frame }, height, None).unwrap();
        assert_eq!(setting.stack.count(), count as usize + 1, "{text}");
    }
    assert!(rounded > 20, "{rounded}");
}
