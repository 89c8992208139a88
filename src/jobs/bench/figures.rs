//! From numbers to the figures of the paper.

use super::chart::{Bar, BarGroup, Bars, ChartLine, LineChart, short};
use super::measure::equal_points;
use super::results::{Accuracy, BenchReport, Timing};

/// A figure with its table.
pub struct Figure {
    pub title: String,
    pub caption: String,
    /// Title and SVG.
    pub charts: Vec<(String, String)>,
    pub table: FigureColumns,
}

pub struct FigureColumns {
    pub header: Vec<&'static str>,
    pub rows: Vec<Vec<String>>,
}

/// The paper's kernels against each other.
const KERNELS: [&str; 3] = ["GPU thread f32", "GPU warp f32", "GPU auto f32"];
const TOTALS: [&str; 4] = ["GPU thread f32", "GPU warp f32", "GPU hybrid f32", "GPU auto f32"];
/// Processors against each other.
const PROCESSORS: [&str; 5] =
    ["CPU f32", "CPU f64", "GPU hybrid f32", "GPU auto f32", "GPU auto f64"];

/// All figures that the results can fill.
pub fn figures(results: &BenchReport) -> Vec<Figure> {
    let r = results;
    let figures = [
        by_class(r, &KERNELS, "Figure 9: thread and warp kernels by class"),
        totals(r, &TOTALS, "Figure 10: whole models by strategy"),
        by_class(r, &PROCESSORS, "Figure 11: CPU and GPU by class"),
        totals(r, &PROCESSORS, "Figure 12: CPU and GPU, whole models"),
        sweep(r),
        levels(r),
        accuracy(r),
    ];
    figures.into_iter().flatten().filter(|figure| !figure.charts.is_empty()).collect()
}

fn by_class(results: &BenchReport, names: &[&str], title: &str) -> Option<Figure> {
    let timings = |t: &&Timing| t.class.is_some() && names.contains(&t.contender.as_str());
    let timings: Vec<&Timing> = results.timings.iter().filter(timings).collect();
    let names = present(names, &timings)?;
    let mut charts = Vec::new();
    for (model, level, samples) in distinct(&timings, |t| (t.model.clone(), t.level, t.samples)) {
        let own = |t: &&&Timing| (&t.model, t.level, t.samples) == (&model, level, samples);
        let own: Vec<&Timing> = timings.iter().filter(own).copied().collect();
        let groups = distinct(&own, |t| t.class.clone());
        let groups = groups.into_iter().map(|class| BarGroup {
            label: class.clone().unwrap_or_default(),
            bars: bars(&names, |name| {
                own.iter().find(|t| t.class == class && t.contender == name).map(|t| Bar {
                    value: t.per_cell(),
                    floor: Some(t.per_cell() * t.of_writing()),
                })
            }),
        });
        let (series, groups) = (names.clone(), groups.collect());
        let chart = Bars { unit: "ns per cell", has_ratios: true, series, groups };
        charts.push((format!("{model}, level {level}, {samples}³ samples per cell"), chart.svg()));
    }
    Some(Figure {
        title: title.into(),
        caption: format!(
            "Time to evaluate one cell, in nanoseconds, each class alone: time of the class over \
             its cells; {}. Above each bar: how many times faster than the slowest beside it. A \
             class of few cells does not fill the processor; on the CPU the time holds a copy of \
             all control points of the model. Classes are named after the paper's \
             kernels; REG with other numbers and “refined” are cells that the paper does not have.",
            how(results)
        ),
        charts,
        table: table(&timings),
    })
}

fn totals(results: &BenchReport, names: &[&str], title: &str) -> Option<Figure> {
    let numbers: Vec<usize> = timed_samples(results);
    let timings = |t: &&Timing| {
        t.class.is_none() && names.contains(&t.contender.as_str()) && numbers.contains(&t.samples)
    };
    let timings: Vec<&Timing> = results.timings.iter().filter(timings).collect();
    let names = present(names, &timings)?;
    let mut charts = Vec::new();
    for &samples in &numbers {
        let own: Vec<&Timing> = timings.iter().filter(|t| t.samples == samples).copied().collect();
        let groups = distinct(&own, |t| (t.model.clone(), t.level));
        let groups = groups.into_iter().map(|(model, level)| BarGroup {
            label: format!("{model} {level}"),
            bars: bars(&names, |name| {
                let mut own = own.iter();
                own.find(|t| (&t.model, t.level, t.contender.as_str()) == (&model, level, name))
                    .map(|t| Bar { value: 1e3 * t.seconds.median, floor: Some(1e3 * t.writing) })
            }),
        });
        let (series, groups) = (names.clone(), groups.collect());
        let chart = Bars { unit: "ms", has_ratios: true, series, groups };
        charts.push((format!("{samples}³ samples per cell"), chart.svg()));
    }
    Some(Figure {
        title: title.into(),
        caption: format!(
            "Time to evaluate a whole model, in milliseconds, by model and level of refinement; \
             {}. Above each bar: how many times faster than the slowest beside it.",
            how(results)
        ),
        charts,
        table: table(&timings),
    })
}

fn sweep(results: &BenchReport) -> Option<Figure> {
    let least = results.timings.iter().map(|t| t.level).min()?;
    let chosen = |t: &&Timing| t.class.is_none() && t.level == least;
    let place = |t: &Timing| (3.0 * (t.samples as f64).log2(), t.samples.pow(3).to_string());
    lines(
        results,
        chosen,
        place,
        "Figure 13: time per point against samples per cell",
        "samples per cell",
        &format!("Whole models at level {least}."),
    )
}

fn levels(results: &BenchReport) -> Option<Figure> {
    let most = *timed_samples(results).last()?;
    let least = results.timings.iter().map(|t| t.level).min()?;
    let chosen =
        |t: &&Timing| t.class.is_none() && equal_points(most, t.level - least) == Some(t.samples);
    let place = |t: &Timing| (t.level as f64, format!("{}: {}³", t.level, t.samples));
    lines(
        results,
        chosen,
        place,
        "Figure 14: levels of refinement against samples, at equal points",
        "level of refinement: samples per cell",
        "Each step of refinement makes eight cells of one, with an eighth of the samples each.",
    )
}

/// Time per point of whole models, one plot a contender and one line a model.
fn lines(
    results: &BenchReport,
    chosen: impl Fn(&&Timing) -> bool,
    place: impl Fn(&Timing) -> (f64, String),
    title: &str,
    axis: &'static str,
    what: &str,
) -> Option<Figure> {
    let timings = results.timings.iter().filter(chosen);
    let timings: Vec<&Timing> =
        timings.filter(|t| PROCESSORS.contains(&t.contender.as_str())).collect();
    let mut charts = Vec::new();
    for name in present(&PROCESSORS, &timings)? {
        let own: Vec<&Timing> = timings.iter().filter(|t| t.contender == name).copied().collect();
        let mut marks = distinct(&own, |t| place(t));
        marks.sort_by(|a, b| a.0.total_cmp(&b.0));
        let lines = distinct(&own, |t| t.model.clone()).into_iter().map(|model| {
            let own = || own.iter().filter(|t| t.model == model);
            let points = own().map(|t| (place(t).0, t.per_point())).collect();
            let floor = own().map(|t| (place(t).0, t.per_point() * t.of_writing())).collect();
            ChartLine { name: model.clone(), points, floor }
        });
        let chart = LineChart { unit: "ns per point", axis, marks, lines: lines.collect() };
        charts.push((name, chart.svg()));
    }
    Some(Figure {
        title: title.into(),
        caption: format!("Nanoseconds a limit point. {what} {}.", upper(&how(results))),
        charts,
        table: table(&timings),
    })
}

fn accuracy(results: &BenchReport) -> Option<Figure> {
    let entries = &results.accuracy;
    let mut names: Vec<String> = Vec::new();
    for entry in entries.iter().filter(|e| e.contender.ends_with("f32")) {
        if !names.contains(&entry.contender) {
            names.push(entry.contender.clone());
        }
    }
    let first = entries.first()?;
    let mut models: Vec<&str> = entries.iter().map(|entry| entry.model.as_str()).collect();
    models.dedup();
    let group = |model: &str| BarGroup {
        label: model.into(),
        bars: bars(&names, |name| {
            entries
                .iter()
                .find(|e| e.model == model && e.contender == name)
                .map(|entry| Bar { value: entry.comparison.all.absolute.mean, floor: None })
        }),
    };
    let groups = models.into_iter().map(group).collect();
    let series = names.clone();
    let chart = Bars { unit: "length units", has_ratios: false, series, groups };
    let row = |entry: &Accuracy| {
        let all = &entry.comparison.all;
        let statistics = [all.absolute, all.relative, all.ulp];
        let mut row = vec![entry.model.clone(), entry.contender.clone()];
        row.extend(statistics.iter().flat_map(|s| [s.mean, s.maximum]).map(short));
        row
    };
    Some(Figure {
        title: "Section 5.4: accuracy".into(),
        caption: format!(
            "Mean Euclidean distance from the CPU in double precision (equation 4), at level {} \
             and {}³ samples per cell. The error grows with the size of the model and its distance \
             from the origin, so compare ulp between models. The paper's errors for its own \
             models, thread and warp kernels: car 1.10e-7 and 7.63e-8, engine mount 7.49e-6 and \
             4.64e-6, tripod 2.80e-7 and 1.75e-7, connecting rod 1.59e-5 and 9.94e-6.",
            first.level, first.samples
        ),
        charts: vec![("Mean error in single precision".into(), chart.svg())],
        table: FigureColumns {
            header: columns(
                "model,processor,mean,maximum,mean / box,maximum / box,mean (ulp),maximum (ulp)",
            ),
            rows: entries.iter().map(row).collect(),
        },
    })
}

/// The numbers of samples asked for: those that classes were timed at.
fn timed_samples(results: &BenchReport) -> Vec<usize> {
    let by_class = results.timings.iter().filter(|t| t.class.is_some());
    let mut numbers: Vec<usize> = by_class.map(|t| t.samples).collect();
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// What all times have in common.
fn how(results: &BenchReport) -> String {
    format!(
        "median of {} runs, in turn with four sets of control points moved at random (device \
         events on a GPU, the wall clock on the CPU); dashes: the time that writing as many bytes \
         alone takes, which for little output is the time to start the threads or the kernel",
        results.repeats
    )
}

fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// The names that were measured, in their order, if any were.
fn present(names: &[&str], timings: &[&Timing]) -> Option<Vec<String>> {
    let measured = |name: &&&str| timings.iter().any(|t| t.contender == **name);
    let names: Vec<String> = names.iter().filter(measured).map(|&name| name.into()).collect();
    (!names.is_empty()).then_some(names)
}

fn bars(names: &[String], bar: impl Fn(&str) -> Option<Bar>) -> Vec<Option<Bar>> {
    names.iter().map(|name| bar(name)).collect()
}

/// What `key` gives, without repetitions, in the order of first appearance.
fn distinct<T: PartialEq>(timings: &[&Timing], key: impl Fn(&Timing) -> T) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for timing in timings {
        let key = key(timing);
        if !found.contains(&key) {
            found.push(key);
        }
    }
    found
}

fn columns(names: &'static str) -> Vec<&'static str> {
    names.split(',').collect()
}

fn table(timings: &[&Timing]) -> FigureColumns {
    let row = |t: &&Timing| {
        let milliseconds = [t.seconds.median, t.seconds.least, t.seconds.most, t.writing];
        let mut row = vec![
            t.model.clone(),
            t.level.to_string(),
            format!("{}³", t.samples),
            t.class.clone().unwrap_or_else(|| "all".into()),
            t.contender.clone(),
            t.cells.to_string(),
            t.points.to_string(),
        ];
        row.extend(milliseconds.map(|s| short(1e3 * s)));
        row.extend([
            short(t.per_cell()),
            short(t.per_point()),
            format!("{:.1} %", 100.0 * t.of_writing()),
        ]);
        row
    };
    FigureColumns {
        header: columns(
            "model,level,samples,class,processor,cells,points,median (ms),least (ms),most (ms),\
             writing (ms),ns per cell,ns per point,of write bw",
        ),
        rows: timings.iter().map(row).collect(),
    }
}
