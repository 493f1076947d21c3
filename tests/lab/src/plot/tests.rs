//! Figures as SVG.

use super::axis::{Extent, Tick};
use super::{Axis, Cell, Figure, HeatMap, Horizontal, Level, Mark, Ramp, Scale, Series};

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

fn heat_map() -> HeatMap {
    let cell = |panel, column, row, value: f64| Cell {
        panel,
        column,
        row,
        value,
        text: format!("{value}"),
        marked: value > 90.0,
    };
    HeatMap {
        title: "Use & more".into(),
        x: "RTT".into(),
        y: "rate".into(),
        columns: vec!["5ms".into(), "40ms".into()],
        rows: vec!["1Mbps".into(), "9Mbps".into()],
        across: vec!["reno".into(), "hybrid".into()],
        down: vec!["buffer 1bdp".into()],
        scale: Axis {
            label: "use".into(),
            unit: "%".into(),
            from: Some(50.0),
            to: Some(100.0),
            ..Axis::default()
        },
        ramp: Ramp::Falling,
        mark: "above 90".into(),
        cells: vec![
            cell((0, 0), 0, 0, 51.5),
            cell((0, 0), 1, 1, 99.5),
            cell((1, 0), 0, 1, 3.25),
            cell((1, 0), 1, 0, f64::NAN),
        ],
    }
}

#[test]
fn a_heat_map_has_its_numbers_in_cells_and_names_rows_columns_panels_scale_and_mark() {
    let svg = heat_map().svg();
    assert_eq!(svg, heat_map().svg());
    for text in [
        "Use &amp; more",
        ">\n51.5\n<",
        ">\n3.25\n<",
        ">\nhybrid\n<",
        ">\n9Mbps\n<",
        ">\nbuffer 1bdp\n<",
        ">\nuse (%)\n<",
        ">\nabove 90\n<",
    ] {
        assert!(svg.contains(text), "{text} in {svg}");
    }
    // One marked cell, and the sample in the legend.
    assert_eq!(attributes(&svg, "rect", "stroke-width").len(), 2);
    assert!(!svg.contains("\"NaN\""), "{svg}");
}

#[test]
fn cells_of_a_heat_map_stand_in_their_row_column_and_panel_within_the_picture() {
    let svg = heat_map().svg();
    let place = |text: &str| {
        let (before, _) = svg.split_once(&format!(">\n{text}\n<")).unwrap();
        let (_, own) = before.rsplit_once("<text ").unwrap();
        ["x", "y"].map(|name| attributes(&format!("<text {own}>"), "text", name)[0])
    };
    let [left, right, below] = ["51.5", "99.5", "3.25"].map(place);
    assert!(left[0] < right[0] && left[1] < right[1]);
    assert_eq!(right[1], below[1]);
    assert!(below[0] > right[0], "the second panel is beside the first");
    let down = place("9Mbps")[1] - place("1Mbps")[1];
    assert!(
        (down - (right[1] - left[1])).abs() < 0.11,
        "rows and their names"
    );
    let width = attributes(&svg, "svg", "width")[0];
    assert!(attributes(&svg, "text", "x")
        .iter()
        .all(|x| (0.0..width).contains(x)));
}
