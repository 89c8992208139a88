//! Quantities made of derivatives.

use nalgebra::Matrix3;
use subsolid::plan::{Quantity, QuantityInputs};

#[test]
fn columns_have_names() {
    assert_eq!(Quantity::Determinant.columns(None), ["det_j"]);
    let one = Quantity::Gradient.columns(Some(("T", 1)));
    assert_eq!(one, ["grad_T_x", "grad_T_y", "grad_T_z"]);
    let two = Quantity::Gradient.columns(Some(("f", 2)));
    assert_eq!(two[2..4], ["grad_f_0_z", "grad_f_1_x"]);
}

#[test]
fn a_row_an_element_has_all_its_samples() {
    // J = diag(s, 1, 1), s from 1 to 4, and one without a derivative
    let u: Vec<f64> = [3.0, 1.0, 4.0, f64::NAN].iter().flat_map(|&s| [s, 0.0, 0.0]).collect();
    let [v, w] = [[0.0, 1.0, 0.0].repeat(4), [0.0, 0.0, 1.0].repeat(4)];
    let position = [&u[..], &v, &w];
    let inputs = |samples| QuantityInputs { position, attribute: [&[]; 3], components: 0, samples };
    let mut all = [0.0; 4];
    Quantity::Determinant.evaluate(inputs(4), &mut all);
    assert!(all[..3] == [3.0, 1.0, 4.0] && all[3].is_nan());
    let mut least = [0.0; 2];
    Quantity::LeastDeterminant.evaluate(inputs(2), &mut least);
    assert_eq!(least, [1.0, 4.0]);
    let none = [f64::NAN; 3];
    let inputs = QuantityInputs { position: [&none; 3], samples: 1, ..inputs(1) };
    Quantity::LeastDeterminant.evaluate(inputs, &mut least[..1]);
    assert!(least[0].is_nan());
}

#[test]
fn a_gradient_is_that_of_a_linear_field() {
    // x = J u; f = a · x and g = b · x, so their derivatives by u are Jᵀ a and Jᵀ b
    let j = Matrix3::new(1.0, 2.0, 0.5, -1.0, 3.0, 0.25, 0.0, 1.0, -2.0);
    let [a, b] = [[1.0, 2.0, 3.0], [-4.0, 5.0, 6.0]].map(nalgebra::Vector3::from);
    let (f, g) = (j.transpose() * a, j.transpose() * b);
    let columns: [[f64; 3]; 3] = j.into();
    let both: [[f64; 2]; 3] = [0, 1, 2].map(|d| [f[d], g[d]]);
    let inputs = QuantityInputs {
        position: [&columns[0][..], &columns[1], &columns[2]],
        attribute: [&both[0][..], &both[1], &both[2]],
        components: 2,
        samples: 1,
    };
    let mut found = [0.0; 6];
    Quantity::Gradient.evaluate(inputs, &mut found);
    for (found, expected) in found.iter().zip(a.iter().chain(&b)) {
        assert!((found - expected).abs() < 1e-14, "{found} {expected}");
    }
    // a flat Jacobian
    let inputs = QuantityInputs { position: [&columns[0][..], &columns[1], &columns[1]], ..inputs };
    Quantity::Gradient.evaluate(inputs, &mut found);
    assert!(found.iter().all(|x| x.is_nan()));
}
