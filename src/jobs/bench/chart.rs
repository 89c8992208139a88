//! Bar charts and line plots as SVG. Values run along a logarithmic axis.

use std::fmt::Write;

use crate::view::escaped;

/// Okabe and Ito's colors, which the color-blind tell apart.
const COLORS: [&str; 8] =
    ["#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#8c8c00", "#666666"];

/// Height of the plot itself, and the room around it, in pixels.
const HEIGHT: f64 = 220.0;
const LEFT: f64 = 64.0;
const BOTTOM: f64 = 74.0;
const LEGEND: f64 = 18.0;

/// Groups of bars, one a series.
pub struct Bars {
    pub unit: &'static str,
    /// Whether numbers above bars are ratios of the largest value of the group to that of the bar.
    pub has_ratios: bool,
    pub series: Vec<String>,
    pub groups: Vec<BarGroup>,
}

pub struct BarGroup {
    pub label: String,
    /// One a series, if it was measured.
    pub bars: Vec<Option<Bar>>,
}

pub struct Bar {
    pub value: f64,
    /// The value that writing alone would have, drawn as a tick across the bar.
    pub floor: Option<f64>,
}

/// Lines over an axis of marks.
pub struct LineChart {
    pub unit: &'static str,
    pub axis: &'static str,
    /// Place and name of each mark.
    pub marks: Vec<(f64, String)>,
    pub lines: Vec<ChartLine>,
}

pub struct ChartLine {
    pub name: String,
    pub points: Vec<(f64, f64)>,
    /// What writing alone would give, dashed.
    pub floor: Vec<(f64, f64)>,
}

/// A logarithmic axis over whole decades.
struct Decades {
    low: i32,
    high: i32,
    start: f64,
    length: f64,
}

impl Decades {
    /// From `start` over `length` pixels, for values that are positive.
    fn over(values: impl Iterator<Item = f64>, start: f64, length: f64) -> Self {
        let logs = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::log10);
        let (low, high) = logs.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        if low > high {
            return Self { low: 0, high: 1, start, length };
        }
        let low = low.floor() as i32;
        Self { low, high: (high.ceil() as i32).max(low + 1), start, length }
    }

    /// The pixel of a value; the nearest end for those beyond.
    fn at(&self, value: f64) -> f64 {
        let part = (value.log10() - f64::from(self.low)) / f64::from(self.high - self.low);
        self.start + self.length * if part.is_nan() { 0.0 } else { part.clamp(0.0, 1.0) }
    }
}

impl Bars {
    /// The chart.
    pub fn svg(&self) -> String {
        const BAR: f64 = 30.0;
        let pitch = BAR * self.series.len() as f64 + 18.0;
        let width = pitch * self.groups.len() as f64;
        let top = LEGEND + 26.0;
        let bars = || self.groups.iter().flat_map(|group| group.bars.iter().flatten());
        let values = bars().flat_map(|bar| [Some(bar.value), bar.floor]).flatten();
        let scale = Decades::over(values, top + HEIGHT, -HEIGHT);
        let mut row = String::new();
        let names = legend(&mut row, &self.series, bars().any(|bar| bar.floor.is_some()));
        let mut svg = open(names.max(LEFT + width + 20.0), top) + &row;
        value_axis(&mut svg, &scale, self.unit, width);
        for (g, group) in self.groups.iter().enumerate() {
            let start = LEFT + pitch * g as f64 + 9.0;
            mark(&mut svg, start + (pitch - 18.0) / 2.0, top, &group.label);
            let slowest = group.bars.iter().flatten().map(|bar| bar.value).fold(0.0, f64::max);
            let drawn = group.bars.iter().enumerate();
            for (s, bar) in drawn.filter_map(|(s, bar)| Some((s, bar.as_ref()?))) {
                let (x, y) = (start + BAR * s as f64, scale.at(bar.value));
                let _ = write!(
                    svg,
                    "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" fill=\"{}\">\
                     <title>{}, {}: {} {}</title></rect>",
                    x + 2.0,
                    BAR - 4.0,
                    top + HEIGHT - y,
                    color(s),
                    escaped(&group.label),
                    escaped(&self.series[s]),
                    short(bar.value),
                    self.unit
                );
                let ratio = || format!("×{}", short(slowest / bar.value));
                let label = if self.has_ratios { ratio() } else { short(bar.value) };
                text(&mut svg, "class=\"s\" ", [x + BAR / 2.0, y - 3.0], "middle", &label);
                if let Some(floor) = bar.floor {
                    let y = scale.at(floor);
                    let _ = write!(svg, "<path class=\"f\" d=\"M{:.1} {y:.1}h{BAR:.1}\"/>", x);
                }
            }
        }
        svg + "</svg>"
    }
}

impl LineChart {
    /// The plot.
    pub fn svg(&self) -> String {
        const WIDTH: f64 = 380.0;
        let top = LEGEND + 26.0;
        let all = || self.lines.iter().flat_map(|line| line.points.iter().chain(&line.floor));
        let scale = Decades::over(all().map(|p| p.1), top + HEIGHT, -HEIGHT);
        let ends = self.marks.iter().map(|mark| mark.0);
        let (low, high) = ends.fold((f64::MAX, f64::MIN), |(l, h), x| (l.min(x), h.max(x)));
        let span = if high > low { high - low } else { 1.0 };
        let across = |x: f64| LEFT + 20.0 + (WIDTH - 40.0) * (x - low) / span;
        let names: Vec<String> = self.lines.iter().map(|line| line.name.clone()).collect();
        let mut row = String::new();
        let names = legend(&mut row, &names, self.lines.iter().any(|line| !line.floor.is_empty()));
        let mut svg = open(names.max(LEFT + WIDTH + 20.0), top) + &row;
        value_axis(&mut svg, &scale, self.unit, WIDTH);
        for (x, name) in &self.marks {
            let x = across(*x);
            let (y, foot) = (top + HEIGHT, top + HEIGHT + 16.0);
            let _ = write!(svg, "<path class=\"g\" d=\"M{x:.1} {y:.1}V{top:.1}\"/>");
            text(&mut svg, "", [x, foot], "middle", name);
        }
        let middle = [LEFT + WIDTH / 2.0, top + HEIGHT + 38.0];
        text(&mut svg, "", middle, "middle", self.axis);
        for (s, line) in self.lines.iter().enumerate() {
            let color = color(s);
            for (points, dashed) in [(&line.floor, true), (&line.points, false)] {
                let place = |&(x, y): &(f64, f64)| format!("{:.1},{:.1}", across(x), scale.at(y));
                let places: Vec<String> = points.iter().map(place).collect();
                let dashes = if dashed { " stroke-dasharray=\"3 3\"" } else { "" };
                let _ = write!(
                    svg,
                    "<polyline fill=\"none\" stroke=\"{color}\" stroke-width=\"1.5\"{dashes} \
                     points=\"{}\"/>",
                    places.join(" ")
                );
            }
            for &(x, y) in &line.points {
                let _ = write!(
                    svg,
                    "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{color}\">\
                     <title>{}: {} {}</title></circle>",
                    across(x),
                    scale.at(y),
                    escaped(&line.name),
                    short(y),
                    self.unit
                );
            }
        }
        svg + "</svg>"
    }
}

/// Color of a series: those of a round are darker than those of the round before.
fn color(series: usize) -> String {
    let (base, round) = (COLORS[series % COLORS.len()], series / COLORS.len());
    let part = |at: usize| u8::from_str_radix(&base[at..at + 2], 16).unwrap_or_default();
    let darker = |at: usize| f64::from(part(at)) * 0.6_f64.powi(round as i32);
    let [red, green, blue] = [1, 3, 5].map(|at| darker(at).round() as u8);
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn open(width: f64, top: f64) -> String {
    let height = top + HEIGHT + BOTTOM;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\">"
    )
}

/// Names of the series in a row; returns where it ends.
fn legend(svg: &mut String, names: &[String], floor: bool) -> f64 {
    let mut x = LEFT;
    for (s, name) in names.iter().enumerate() {
        let color = color(s);
        let _ = write!(
            svg,
            "<rect x=\"{x:.0}\" y=\"4\" width=\"10\" height=\"10\" fill=\"{color}\"/>\
             <text x=\"{:.0}\" y=\"13\">{}</text>",
            x + 14.0,
            escaped(name)
        );
        x += 28.0 + 7.0 * name.chars().count() as f64;
    }
    if floor {
        let _ = write!(
            svg,
            "<path class=\"f\" stroke-dasharray=\"3 2\" d=\"M{x:.0} 9h14\"/>\
             <text x=\"{:.0}\" y=\"13\">writing alone</text>",
            x + 18.0
        );
        x += 110.0;
    }
    x
}

/// Lines at 1, 2 … 9 of every decade, and the numbers of the decades.
fn value_axis(svg: &mut String, scale: &Decades, unit: &str, width: f64) {
    for decade in scale.low..=scale.high {
        let y = scale.at(10_f64.powi(decade));
        let _ = write!(svg, "<path class=\"m\" d=\"M{LEFT} {y:.1}h{width:.1}\"/>");
        text(svg, "", [LEFT - 6.0, y + 4.0], "end", &power(decade));
        for step in (2..10).filter(|_| decade < scale.high) {
            let y = scale.at(f64::from(step) * 10_f64.powi(decade));
            let _ = write!(svg, "<path class=\"g\" d=\"M{LEFT} {y:.1}h{width:.1}\"/>");
        }
    }
    let (x, y) = (14.0, scale.start + scale.length / 2.0);
    let _ = write!(
        svg,
        "<text x=\"{x}\" y=\"{y:.1}\" text-anchor=\"middle\" \
         transform=\"rotate(-90 {x} {y:.1})\">{}</text>",
        escaped(unit)
    );
}

/// The name of a group below the axis, slanted if it is long.
fn mark(svg: &mut String, x: f64, top: f64, name: &str) {
    let y = top + HEIGHT + 16.0;
    let turn = match name.chars().count() {
        ..=9 => "text-anchor=\"middle\"".to_owned(),
        _ => format!("text-anchor=\"end\" transform=\"rotate(-25 {x:.1} {y:.1})\""),
    };
    let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {turn}>{}</text>", escaped(name));
}

/// A text at a place, with an attribute before it.
fn text(svg: &mut String, attribute: &str, [x, y]: [f64; 2], anchor: &str, text: &str) {
    let text = escaped(text);
    let place = format!("x=\"{x:.1}\" y=\"{y:.1}\"");
    let _ = write!(svg, "<text {attribute}{place} text-anchor=\"{anchor}\">{text}</text>");
}

fn power(decade: i32) -> String {
    match decade {
        0..=4 => 10_i64.pow(decade as u32).to_string(),
        -3..=-1 => format!("{:.1$}", 10_f64.powi(decade), -decade as usize),
        _ => format!("1e{decade}"),
    }
}

/// Three digits.
pub fn short(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        x if !(1e-3..1e5).contains(&x) => format!("{value:.2e}"),
        x => {
            let digits = 2 - x.log10().floor() as i32;
            format!("{value:.*}", digits.clamp(0, 5) as usize)
        }
    }
}
