//! From control nets to Bézier points.

use crate::basis::MissingLayers;
use crate::basis::bernstein::FROM_BSPLINE;

/// `values` at the points of a net, `[point][width]`.
pub(crate) fn net_values(net: &[u32], values: &[f64], width: usize) -> Vec<f64> {
    net.iter().flat_map(|&v| &values[v as usize * width..][..width]).copied().collect()
}

/// Bézier points along the layers of `[layer 4][line][width]`, phantoms filled in.
pub(crate) fn bezier_layers(mut net: Vec<f64>, width: usize, ends: MissingLayers) -> Vec<f64> {
    debug_assert_eq!(net.len() % (4 * width), 0, "four layers");
    let stride = net.len() / 4;
    to_bezier(&mut net, stride, ends);
    net
}

/// Bézier points `[w][v][u][width]` of a tensor net of that layout.
pub(crate) fn tensor_points(mut net: Vec<f64>, width: usize, ends: MissingLayers) -> Vec<f64> {
    for d in 0..3 {
        to_bezier(&mut net, width << (2 * d), ends.axis(d));
    }
    net
}

/// B-spline control values to Bézier points along the axis of `stride`; `ends` says
/// which ends are phantoms, p₋₁ = 2p₀ − p₁.
pub(crate) fn to_bezier(values: &mut [f64], stride: usize, ends: MissingLayers) {
    for line in (0..values.len()).filter(|i| (i / stride).is_multiple_of(4)) {
        let mut p: [f64; 4] = std::array::from_fn(|i| values[line + i * stride]);
        if ends.low() {
            p[0] = 2.0 * p[1] - p[2];
        }
        if ends.high() {
            p[3] = 2.0 * p[2] - p[1];
        }
        for (i, row) in FROM_BSPLINE.iter().enumerate() {
            values[line + i * stride] = (0..4).map(|j| row[j] * p[j]).sum();
        }
    }
}
