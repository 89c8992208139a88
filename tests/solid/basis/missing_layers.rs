//! Missing layers of a net.

use subsolid::basis::MissingLayers;

#[test]
fn layers_of_each_axis() {
    let mut missing = MissingLayers::NONE;
    assert_eq!(missing.controls(), 64);
    missing.insert(1, 0);
    assert_eq!((missing.bits(), missing.controls()), (0b100, 48));
    missing.insert(2, 0);
    missing.insert(2, 1);
    assert_eq!((missing.count(), missing.controls()), (3, 4 * 3 * 2));
    assert_eq!(missing.axis(2), MissingLayers::from_bits(3));
    assert!(missing.axis(1).low() && !missing.axis(1).high());
    assert_eq!(missing.sides(2).collect::<Vec<_>>(), [0, 1]);
    assert_eq!(missing.sides(0).count(), 0);
}
