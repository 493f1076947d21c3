//! Figures as SVG.

use super::axis::{Extent, Tick};
use super::{Axis, Figure, Horizontal, Level, Mark, Scale, Series};

fn ticks(extent: &Extent, marks: usize) -> Vec<String> {
    extent
        .ticks(marks)
        .into_iter()
        .map(|Tick { text, .. }| text)
        .collect()
}

fn extent(scale: Scale, data: &[f64]) -> Extent {
    let axis = Axis {
        scale,
        ..Axis::default()
    };
    axis.extent(data.iter().copied(), 5)
}

#[test]
fn marks_are_few_round_and_short_whatever_the_data() {
    for (data, wanted) in [
        (&[0.0, 100.0][..], &["0", "20", "40", "60", "80", "100"][..]),
        (
            &[0.1, 0.30000000000000004],
            &["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30"],
        ),
        (
            &[900.0, 1000.0],
            &["900", "920", "940", "960", "980", "1000"],
        ),
        (&[-3.0, 7.0], &["-4", "-2", "0", "2", "4", "6", "8"]),
        (&[0.0, 0.0], &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (&[], &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (
            &[f64::NAN, 5.0, f64::INFINITY],
            &["0", "1", "2", "3", "4", "5"],
        ),
    ] {
        assert_eq!(ticks(&extent(Scale::Linear, data), 5), wanted, "{data:?}");
    }
}

#[test]
fn logarithmic_axes_have_whole_decades_and_leave_out_what_has_no_logarithm() {
    let wide = extent(Scale::Log, &[0.0, -1.0, 2e-4, 0.5]);
    assert_eq!(ticks(&wide, 5), ["10⁻⁴", "0.001", "0.01", "0.1", "1"]);
    assert!(!wide.place(0.0).is_finite());
    assert!((wide.place(0.01) - 0.5).abs() < 1e-9);
    let narrow = extent(Scale::Log, &[1.0, 90.0]);
    assert_eq!(ticks(&narrow, 5), ["1", "2", "5", "10", "20", "50", "100"]);
}

fn figure() -> Figure {
    let series = |label: &str, mark, points: &[(f64, f64)]| Series {
        label: label.into(),
        mark,
        points: points.to_vec(),
    };
    Figure {
        title: "Delay < 1 & more".into(),
        x: Horizontal::Numbers(Axis {
            label: "time".into(),
            unit: "s".into(),
            ..Axis::default()
        }),
        y: Axis {
            label: "delay".into(),
            unit: "ms".into(),
            ..Axis::default()
        },
        series: vec![
            series(
                "one",
                Mark::Line,
                &[(0.0, 1.0), (1.0, f64::NAN), (2.0, 3.0), (3.0, 4.0)],
            ),
            series("two", Mark::Points, &[(0.0, 2.0)]),
        ],
        levels: vec![
            Level {
                label: "d1".into(),
                at: 2.0,
            },
            Level {
                label: "d2".into(),
                at: 2.01,
            },
        ],
    }
}

fn attributes(svg: &str, element: &str, name: &str) -> Vec<f64> {
    let start = format!("<{element} ");
    let starts = svg.split(&start).skip(1);
    let value = |text: &str| {
        let (_, rest) = text.split('>').next()?.split_once(&format!(" {name}=\""))?;
        rest.split('"').next()?.parse().ok()
    };
    starts
        .filter_map(|text| value(&format!(" {text}")))
        .collect()
}

#[test]
fn a_figure_has_title_captions_with_units_and_a_legend_and_is_the_same_every_time() {
    let svg = figure().svg();
    assert_eq!(svg, figure().svg());
    for text in [
        "Delay &lt; 1 &amp; more",
        "time (s)",
        "delay (ms)",
        ">\none\n<",
        ">\ntwo\n<",
        ">\nd1\n<",
    ] {
        assert!(svg.contains(text), "{text} in {svg}");
    }
    assert!(!svg.contains("NaN"), "{svg}");
}

#[test]
fn a_gap_in_the_data_is_a_gap_in_the_line() {
    let svg = figure().svg();
    let path = svg.split("<path ").find(|path| {
        path.contains("d=\"M") && path.contains('L') && path.matches('M').count() == 2
    });
    assert!(path.is_some(), "{svg}");
}

#[test]
fn names_of_levels_do_not_overlap() {
    let svg = figure().svg();
    let height = |name: &str| {
        let (before, _) = svg.split_once(&format!(">\n{name}\n<")).unwrap();
        let (_, text) = before.rsplit_once("<text ").unwrap();
        attributes(&format!("<text {text}>"), "text", "y")[0]
    };
    assert!((height("d1") - height("d2")).abs() >= 12.0);
}

#[test]
fn bars_stand_on_zero_beside_each_other() {
    let mut figure = figure();
    figure.x = Horizontal::Names(vec!["a".into(), "b".into()]);
    figure.levels.clear();
    for (series, values) in figure.series.iter_mut().zip([[10.0, 9.0], [8.0, 10.0]]) {
        series.mark = Mark::Bars;
        series.points = vec![(0.0, values[0]), (1.0, values[1])];
    }
    let svg = figure.svg();
    let [x, width, y, height] = ["x", "width", "y", "height"].map(|name| {
        let all = attributes(&svg, "rect", name);
        all[all.len() - 5..all.len() - 1].to_vec()
    });
    let bottoms: Vec<f64> = y
        .iter()
        .zip(&height)
        .map(|(y, height)| y + height)
        .collect();
    assert!(
        bottoms
            .iter()
            .all(|bottom| (bottom - bottoms[0]).abs() < 0.2),
        "{bottoms:?}"
    );
    assert!(
        (height[0] / height[2] - 10.0 / 8.0).abs() < 0.01,
        "heights from zero: {height:?}"
    );
    assert!(
        (x[0] + width[0] - x[2]).abs() < 0.2,
        "the second beside the first: {x:?} {width:?}"
    );
}
