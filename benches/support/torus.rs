//! A regular surface of any size.

/// A torus of `n` × `n` quads, all regular: points and corners.
pub fn torus(n: usize) -> (Vec<[f64; 3]>, Vec<u32>) {
    let angle = |i: usize| i as f64 / n as f64 * std::f64::consts::TAU;
    let point = |k: usize| {
        let (a, b) = (angle(k % n), angle(k / n));
        let r = 3.0 + b.cos();
        [r * a.cos(), r * a.sin(), b.sin()]
    };
    let at = |i: usize, j: usize| (i % n + n * (j % n)) as u32;
    let quad = |k: usize| {
        let (i, j) = (k % n, k / n);
        [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]
    };
    ((0..n * n).map(point).collect(), (0..n * n).flat_map(quad).collect())
}
