//! Spline volumes by their definition, and files of them.

use std::f64::consts::FRAC_PI_2;

/// A spline volume: degree and knots of each axis, control points u fastest, weights.
#[derive(Clone)]
pub struct Volume {
    pub axes: [(usize, Vec<f64>); 3],
    pub points: Vec<[f64; 3]>,
    pub weights: Vec<f64>,
}

/// Basis function `i` by its definition; the last one is 1 at the end.
fn basis(degree: usize, knots: &[f64], i: usize, t: f64) -> f64 {
    if degree == 0 {
        let is_last = knots[i + 1] == knots[knots.len() - 1];
        return f64::from(
            knots[i] <= t && (t < knots[i + 1] || is_last && knots[i] < knots[i + 1]),
        );
    }
    let part = |top: f64, span: f64, own: f64| if span > 0.0 { top / span * own } else { 0.0 };
    let rise = knots[i + degree] - knots[i];
    let fall = knots[i + degree + 1] - knots[i + 1];
    part(t - knots[i], rise, basis(degree - 1, knots, i, t))
        + part(knots[i + degree + 1] - t, fall, basis(degree - 1, knots, i + 1, t))
}

/// Knots of `breaks` that are all at the ends.
pub fn clamped(degree: usize, breaks: &[f64]) -> (usize, Vec<f64>) {
    let [first, last] = [breaks[0], breaks[breaks.len() - 1]];
    (degree, [&vec![first; degree][..], breaks, &vec![last; degree]].concat())
}

pub fn uniform(degree: usize, spans: usize) -> (usize, Vec<f64>) {
    let breaks: Vec<f64> = (0..=spans).map(|i| 0.25 + i as f64 * 1.5).collect();
    clamped(degree, &breaks)
}

impl Volume {
    /// A box from x = `at`, of length 3 along x, with inner control points of its own.
    pub fn new(axes: [(usize, Vec<f64>); 3], at: f64) -> Self {
        let [n, m, l] = axes.each_ref().map(|(degree, knots)| knots.len() - degree - 1);
        let place = |i: usize, count: usize| i as f64 / (count - 1) as f64;
        let mut points = Vec::new();
        for i in 0..n * m * l {
            let [x, y, z] = [place(i % n, n), place(i / n % m, m), place(i / (n * m), l)];
            let x = at + 3.0 * x;
            points.push([
                x + 0.2 * (3.0 * y + 5.0 * z).sin(),
                y + 0.1 * (2.0 * x + z).cos(),
                z + 0.15 * (x * y).sin(),
            ]);
        }
        let weights = vec![1.0; points.len()];
        Self { axes, points, weights }
    }

    /// The point at parameters from 0 to 1 along a span of each axis.
    pub fn at(&self, span: [usize; 3], parameters: [f64; 3]) -> [f64; 3] {
        let along: Vec<Vec<f64>> = (0..3)
            .map(|d| {
                let (degree, knots) = &self.axes[d];
                let mut breaks = knots[*degree..knots.len() - degree].to_vec();
                breaks.dedup();
                let [a, b] = [breaks[span[d]], breaks[span[d] + 1]];
                let t = a + parameters[d] * (b - a);
                (0..knots.len() - degree - 1).map(|i| basis(*degree, knots, i, t)).collect()
            })
            .collect();
        let mut sum = [0.0; 4];
        for (i, (point, weight)) in self.points.iter().zip(&self.weights).enumerate() {
            let [n, m] = [along[0].len(), along[1].len()];
            let own = weight * along[0][i % n] * along[1][i / n % m] * along[2][i / (n * m)];
            (0..3).for_each(|d| sum[d] += own * point[d]);
            sum[3] += own;
        }
        [0, 1, 2].map(|d| sum[d] / sum[3])
    }

    pub fn spans(&self) -> [usize; 3] {
        self.axes.each_ref().map(|(_, knots)| {
            let mut breaks = knots.clone();
            breaks.dedup();
            breaks.len() - 1
        })
    }

    fn is_rational(&self) -> bool {
        self.weights.iter().any(|&weight| weight != 1.0)
    }
}

fn joined(values: &[f64]) -> String {
    values.iter().map(|x| format!("{x:?}")).collect::<Vec<_>>().join(" ")
}

/// G+Smo's file; `more` is a multipatch.
pub fn gismo(volumes: &[Volume], more: &str) -> String {
    let mut text = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<xml>\n".to_owned();
    for (id, volume) in volumes.iter().enumerate() {
        let is_rational = volume.is_rational();
        let kind = if is_rational { "Nurbs" } else { "BSpline" };
        text += &format!(" <Geometry type=\"Tensor{kind}3\" id=\"{id}\">\n");
        if is_rational {
            text += "  <Basis type=\"TensorNurbsBasis3\">\n";
        }
        text += "  <Basis type=\"TensorBSplineBasis3\">\n";
        for (d, (degree, knots)) in volume.axes.iter().enumerate() {
            text += &format!(
                "   <Basis type=\"BSplineBasis\" index=\"{d}\">\n    <KnotVector degree=\"{degree}\">{} \
                 </KnotVector>\n   </Basis>\n",
                joined(knots)
            );
        }
        text += "  </Basis>\n";
        if is_rational {
            text += &format!("  <weights>{}</weights>\n  </Basis>\n", joined(&volume.weights));
        }
        text += "  <coefs geoDim=\"3\">";
        volume.points.iter().for_each(|p| text += &format!("{}\n", joined(p)));
        text += "</coefs>\n </Geometry>\n";
    }
    format!("{text}{more}</xml>\n")
}

/// Two patches, the end of the first joined to the start of the second.
pub const MULTIPATCH: &str = " <MultiPatch parDim=\"3\" id=\"7\">\n  <patches type=\"id_range\">0 1</patches>\n  \
                          <interfaces>0 2 1 1 0 1 2 1 1 1\n</interfaces>\n  <boundary>0 1\n 1 2\n\
                          </boundary>\n  <boundary name=\"inlet\">0 1\n</boundary>\n </MultiPatch>\n";

/// Vertices of two boxes side by side, as MFEM has them; the second runs backwards along x and y.
const ROWS: &str = "elements\n2\n3 5 0 1 4 3 6 7 10 9\n4 5 5 4 1 2 11 10 7 8\n\nboundary\n2\n8 3 0 3 9 6\n\
                    9 3 2 8 11 5\n";

/// MFEM's file of patches that stand alone; `form` is the name of the control points.
pub fn mfem(volumes: &[Volume], form: &str) -> String {
    let rows = match volumes.len() {
        1 => "elements\n1\n1 5 0 1 2 3 4 5 6 7\n\nboundary\n0\n",
        _ => ROWS,
    };
    let count = 4 + 4 * volumes.len();
    let mut text = format!(
        "MFEM NURBS mesh v1.0\n\n# own\ndimension\n3\n\n{rows}\nedges\n0\n\nvertices\n{count}\n\npatches\n"
    );
    for volume in volumes {
        text += "\nknotvectors\n3\n";
        for (degree, knots) in &volume.axes {
            text += &format!("{degree} {} {}\n", knots.len() - degree - 1, joined(knots));
        }
        text += &format!("dimension\n3\n{form}\n");
        for (p, &w) in volume.points.iter().zip(&volume.weights) {
            let scale = if form.ends_with("cartesian") { 1.0 } else { w };
            text += &format!("{} {w:?}\n", joined(&p.map(|x| scale * x)));
        }
    }
    text
}

pub fn splinepy(volumes: &[Volume]) -> String {
    let rows = |points: &[[f64; 3]]| {
        points.iter().map(|p| format!("[{}]", joined(p).replace(' ', ", "))).collect::<Vec<_>>()
    };
    let one = |volume: &Volume| {
        let degrees = volume.axes.each_ref().map(|(degree, _)| degree.to_string()).join(", ");
        let knots =
            volume.axes.each_ref().map(|(_, k)| format!("[{}]", joined(k).replace(' ', ", ")));
        let weights: Vec<String> = volume.weights.iter().map(|w| format!("[{w:?}]")).collect();
        format!(
            "{{\"SplineType\": \"NURBS\", \"dim\": 3, \"para_dim\": 3, \"degrees\": [{degrees}],\n \
             \"knot_vectors\": [{}],\n \"control_points\": [{}],\n \"weights\": [{}]}}",
            knots.join(", "),
            rows(&volume.points).join(", "),
            weights.join(", ")
        )
    };
    format!(
        "{{\"Name\": \"SplineGroup\", \"NumberOfSplines\": {}, \"Base64Encoding\": false,\n\
         \"SplineList\": [{}]}}",
        volumes.len(),
        volumes.iter().map(one).collect::<Vec<_>>().join(",\n")
    )
}

/// A quarter of a pipe of radii 1 and 2 and height 3, of some arcs.
pub fn quarter_pipe(arcs: usize) -> Volume {
    let knots: Vec<f64> = (1..arcs).flat_map(|i| [i as f64; 2]).collect();
    let ends = |at: usize| [at as f64; 3];
    let around = (2, [&ends(0)[..], &knots, &ends(arcs)].concat());
    let mut volume = Volume::new([around, uniform(1, 1), uniform(1, 1)], 0.0);
    let (n, half) = (2 * arcs + 1, FRAC_PI_2 / (2 * arcs) as f64);
    for (i, (point, weight)) in volume.points.iter_mut().zip(&mut volume.weights).enumerate() {
        let (sin, cos) = (half * (i % n) as f64).sin_cos();
        *weight = if i % n % 2 == 1 { half.cos() } else { 1.0 };
        let radius = (2.0 - (i / n % 2) as f64) / *weight;
        *point = [radius * cos, radius * sin, 3.0 * (i / (2 * n)) as f64];
    }
    volume
}
