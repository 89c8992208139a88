//! Derivatives of positions and attributes.

use subsolid::basis::bspline::Order;
use subsolid::limit::Orders;
use subsolid::plan::{Want, wanted_orders};

#[test]
fn derivatives_of_attributes_are_the_first_of_those_of_positions() {
    // as `|` combines the constants
    let all = [
        Want::FIRST,
        Want::SECOND,
        Want::ATTRIBUTE_FIRST,
        Want::ATTRIBUTE_SECOND,
        Want::DETERMINANT,
        Want::LEAST_DETERMINANT,
        Want::GRADIENT,
        Want::SCALED_JACOBIAN,
    ];
    for bits in 0..1 << all.len() {
        let chosen = all.into_iter().enumerate().filter(|(i, _)| bits >> i & 1 == 1);
        let want = chosen.fold(Want::POSITION, |want, (_, one)| want | one);
        let orders = |want| {
            let degrees = |orders: &Orders| orders.map(Order::degree);
            wanted_orders(want).iter().map(degrees).collect::<Vec<_>>()
        };
        let [positions, attributes] = [0, 1].map(|input| orders(want.of_input(input)));
        assert_eq!(positions, orders(want));
        assert!(positions.starts_with(&attributes), "{want:?}");
    }
}
